-- Take back the permits of requests that have ended, and give out as many as may be sent now.
--
-- KEYS: state, held (permit -> when it lapses), own (run -> permits held), seen (run -> when it last
-- asked), hungry (run -> when it last got less than its share). Times are Redis's, in milliseconds.
-- ARGV: run, permits wanted, most at once of all runs, lease, number of ended requests; for each of
-- these its permit, how it ended, when it was sent and what wait it was told (-1: none); then the
-- names of the permits that are wanted.
-- Returns permits given, milliseconds until asking again makes sense, now, limit, rate, episodes
-- and until when the endpoint is closed.

local state, held, own, seen, hungry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local run, want, most, lease, n_ended = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + tonumber(clock[2]) / 1000

local FIRST, SHORTEST, LONGEST = 4, 1000, 60000
local GROWTH, STEADY = 0.003, 30000 -- of the rate a second, and for how long no faster
local ENOUGH, EMPTIED = 10, 60000 -- answers that tell a rate, and when what was in store is used up
local ACTIVE, HUNGRY, ASKS = 2000, 500, 1500

-- `since`: from when answers are counted, `asked`: when any worker asked last.
local names = {'limit', 'rate', 'tokens', 'filled', 'closed', 'cut', 'answered', 'episodes', 'closure', 'latency', 'since', 'asked'}
local kept = redis.call('HMGET', state, unpack(names))
local first = {FIRST, 0, 0, now, 0, now, 0, 0, SHORTEST, 0, now, now}
local at = {}
for place, name in ipairs(names) do at[name] = tonumber(kept[place]) or first[place] end

local function release(permit)
    if redis.call('ZREM', held, permit) == 1 then
        redis.call('HINCRBY', own, string.match(permit, '^[^|]*'), -1)
    end
end

for _, permit in ipairs(redis.call('ZRANGEBYSCORE', held, '-inf', now)) do release(permit) end

-- While no worker was there, nothing was found out: that time does not count.
local idle = now - math.max(at.asked, at.closed)
if idle > ASKS and redis.call('ZCARD', held) == 0 then at.since = at.since + idle end
at.asked = now

local function learn()
    -- Between two episodes the endpoint took all that it allows: that is its rate, unless it was
    -- busy with others. Before the first one it also took what it had in store.
    local span = math.max(now - at.since, 1)
    local rate = at.answered / span * 1000 * 0.99
    if at.rate == 0 then rate = rate * (1 + math.min(1, span / EMPTIED)) / 2 end
    at.rate = math.max(0.2, rate, at.rate / 2)
    at.tokens, at.filled, at.since, at.answered = 0, now, now, 0
end

local function cut(wait)
    if at.answered >= ENOUGH then learn() end
    at.limit = math.max(1, at.limit / 2, at.rate * at.latency / 1000 * 1.3)
    at.cut, at.episodes = now, at.episodes + 1
    if wait < 0 then
        wait = at.closure
        at.closure = math.min(LONGEST, at.closure * 2)
    end
    at.closed = math.max(at.closed, now + wait)
end

local function answered(sent)
    local under_way = redis.call('ZCARD', held) + 1
    at.answered = at.answered + 1
    at.closure = SHORTEST
    at.latency = at.latency == 0 and now - sent or at.latency * 0.95 + (now - sent) * 0.05
    if under_way >= math.floor(at.limit) then
        at.limit = at.limit + (at.rate == 0 and 1 or 1 / at.limit)
    end
    if at.rate > 0 then
        local since = (now - at.cut) / STEADY
        at.rate = at.rate + GROWTH * math.max(1, since * since)
    end
end

for number = 1, n_ended do
    local place = 5 + (number - 1) * 4
    local permit, ended, sent, wait = ARGV[place + 1], ARGV[place + 2], tonumber(ARGV[place + 3]), tonumber(ARGV[place + 4])
    release(permit)
    if ended == 'answered' then
        answered(sent)
    elseif ended == 'limited' then
        if at.episodes == 0 or sent >= at.cut then
            cut(wait)
        elseif wait > 0 then
            at.closed = math.max(at.closed, math.min(now + wait, at.cut + wait + 1000))
        end
    end
end
if most > 0 then at.limit = math.min(at.limit, most) end

local given, pause = 0, 20
if at.closed > now then
    pause = at.closed - now
elseif want > 0 then
    redis.call('ZADD', seen, now, run)
    redis.call('ZREMRANGEBYSCORE', seen, '-inf', now - ACTIVE)
    redis.call('ZREMRANGEBYSCORE', hungry, '-inf', now - HUNGRY)
    local free = math.floor(at.limit) - redis.call('ZCARD', held)
    if at.rate > 0 then
        local burst = math.max(1, at.rate * 0.1)
        at.tokens = math.min(burst, at.tokens + math.max(0, now - at.filled) * at.rate / 1000)
        at.filled = now
        free = math.min(free, math.floor(at.tokens))
        if at.tokens < 1 then pause = (1 - at.tokens) * 1000 / at.rate end
    end
    local mine = tonumber(redis.call('HGET', own, run) or '0')
    local share = math.max(1, math.floor(at.limit / redis.call('ZCARD', seen)))
    local others = redis.call('ZCARD', hungry)
    if redis.call('ZSCORE', hungry, run) then others = others - 1 end
    given = math.min(want, free)
    if others > 0 then
        given = math.min(given, share - mine, math.ceil(free / (others + 1)))
    end
    given = math.max(0, given)
    for number = 1, given do
        redis.call('ZADD', held, now + lease, ARGV[5 + n_ended * 4 + number])
    end
    if given > 0 then redis.call('HINCRBY', own, run, given) end
    at.tokens = at.tokens - given
    if given < want and mine + given < share then
        redis.call('ZADD', hungry, now, run)
    else
        redis.call('ZREM', hungry, run)
    end
end

local told = {}
for _, name in ipairs(names) do
    told[#told + 1] = name
    told[#told + 1] = string.format('%.6f', at[name])
end
redis.call('HSET', state, unpack(told))
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 600000 + lease) end
return {given, tostring(pause), tostring(now), tostring(at.limit), tostring(at.rate), at.episodes, tostring(at.closed)}
