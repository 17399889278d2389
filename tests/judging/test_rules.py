"""Where text may go, how fast, how long to wait, how it is asked, and how what came is found."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rubric.loading import load, shipped
from judging.rules import trials
from judging.rules.batches import call_and_claim, custom_id
from judging.rules.comparing import Pair, ReplyToPair, pairs_of
from judging.rules.endpoints import (
    host_of,
    problem_with,
    problem_with_body,
    problem_with_headers,
    problem_with_key,
    reason_to_keep_texts,
    version_of,
    without_version,
)
from judging.rules.pace import Pace
from judging.rules.patience import back_off, wait_asked_for
from judging.rules.questions import AskingManner, next_questions
from judging.rules.searching import folded, pieces

HTTP_HOSTS = ["localhost", "127.0.0.1", "[::1]", "llm.intern"]

ALLOWED = [
    "https://api.example.org/v1",
    "https://api.example.org:8443/v1/",
    "http://localhost:8089/v1",
    "http://LOCALHOST/v1",
    "http://127.0.0.1:11434/v1",
    "http://[::1]:8000/v1",
    "http://llm.intern/v1",
    "https://pond.openai.azure.com/openai/deployments/frog?api-version=2024-10-21",
]
REFUSED = [
    ("", "CONCORD_LLM_BASE_URL"),
    ("api.example.org/v1", "https://"),
    ("ftp://api.example.org", "https://"),
    ("file:///etc/passwd", "https://"),
    ("https://", "https://"),
    ("http://[::1", "https://"),
    ("http://api.example.org:port/v1", "https://"),
    ("http://api.example.org/v1", "unencrypted"),
    ("http://169.254.169.254/latest", "unencrypted"),
    ("http://2130706433/v1", "unencrypted"),
    ("http://0x7f000001/v1", "unencrypted"),
    ("http://127.1/v1", "unencrypted"),
    ("http://[::ffff:127.0.0.1]/v1", "unencrypted"),
    ("http://localhost.example.org/v1", "unencrypted"),
    ("http://localhost@evil.example/v1", "user name"),
    ("https://key:secret@api.example.org/v1", "user name"),
    ("https://api.example.org/v1?key=secret", "query"),
    ("https://api.example.org/v1?api-version=2024-10-21&key=secret", "query"),
    ("https://api.example.org/v1?api-version=", "query"),
    ("https://api.example.org/v1#part", "fragment"),
    ("https://api.example.org/v1/chat/completions", "without /chat/completions"),
    ("https://api.example.org/v1/chat/completions/", "without /chat/completions"),
]


@pytest.mark.parametrize("base_url", ALLOWED)
def test_text_goes_out_over_https_or_to_a_listed_host(base_url):
    assert problem_with(base_url, http_hosts=HTTP_HOSTS) is None


@pytest.mark.parametrize(("base_url", "word"), REFUSED)
def test_any_other_address_is_refused_with_what_to_do(base_url, word):
    problem = problem_with(base_url, http_hosts=HTTP_HOSTS)

    assert word in problem
    assert "secret" not in problem


def test_an_endpoint_is_shown_by_its_host_alone():
    assert host_of("https://api.example.org:8443/v1/secret-path") == "api.example.org:8443"
    assert host_of("http://[::1]:8000/v1") == "[::1]:8000"


@pytest.mark.parametrize("place", ["", "env:CONCORD_LLM_KEY_POND", "file:pond.key"])
def test_a_key_is_named_by_its_place(place):
    assert problem_with_key(place) is None


@pytest.mark.parametrize(
    "place",
    [
        "sk-123",
        "env:SECRET_KEY",
        "env:",
        "file:",
        "file:../pond",
        "file:.pond",
        "FILE:pond",
        "pond",
    ],
)
def test_a_key_itself_and_another_secret_are_refused(place):
    assert "not the key" in problem_with_key(place)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"X-Team": "pond", "Helicone-Cache-Enabled": "true"}, None),
        ({"X Team": "pond"}, "“X Team” is no header"),
        ({"X-Team": "pond\r\nHost: evil.example"}, "“X-Team” is no header"),
        ({"X-Team": "p" * 500}, None),
        ({"X-Team": "p" * 501}, "“X-Team” is no header"),
        ({"X-Team": 7}, "“X-Team” is no header"),
        ({"X-Team": "池塘"}, "“X-Team” is no header"),
        ({"authorization": "Bearer a"}, "“authorization” cannot be set here"),
        ({"X-Api-Key": "a"}, "“X-Api-Key” cannot be set here"),
        ({"Content-Length": "1"}, "“Content-Length” cannot be set here"),
    ],
)
def test_headers_that_go_along_are_plain_and_hold_no_key(headers, words):
    problem = problem_with_headers(headers)
    assert (words in problem) if words else problem is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"top_k": 1, "provider": {"order": ["pond"]}}, None),
        ({"top_k": 1, "model": "toad", "messages": []}, "“messages” is set by the judge"),
        ({"top_p": float("nan")}, "no way to write"),
        ({"user": "a\0b"}, "no way to write"),
        ({"user": "a\ud800b"}, "no way to write"),
        ({"user": "p" * (4000 - len('{"user": ""}'))}, None),
        ({"user": "p" * (4001 - len('{"user": ""}'))}, "longer than 4,000 characters"),
    ],
)
def test_what_goes_along_in_every_request_is_short_and_nothing_that_the_judge_sets(body, words):
    problem = problem_with_body(body)
    assert (words in problem) if words else problem is None


AT = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
WAITS = [
    ({}, None),
    ({"retry-after-ms": "250"}, 0.25),
    ({"retry-after": "7"}, 7),
    ({"retry-after": "1.5"}, 1.5),
    ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, 30),
    ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0),
    # By the clock of who says so, which may be an hour ahead.
    ({"retry-after": "Sat, 21 Nov 2026 13:00:30 GMT", "date": "Sat, 21 Nov 2026 13:00:00 GMT"}, 30),
    ({"retry-after": "soon"}, None),
    ({"retry-after": "20s"}, 20),
    ({"retry-after": "1m30s"}, 90),
    ({"x-ratelimit-reset": "20"}, 20),
    ({"x-ratelimit-reset": "1795262460"}, 60),
    ({"x-ratelimit-reset": "1795262460000", "x-ratelimit-remaining": "0"}, 60),
    ({"x-ratelimit-reset": "20", "x-ratelimit-remaining": "4"}, None),
    ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
    ({"x-ratelimit-reset-requests": "1s"}, 1),
    ({"x-ratelimit-reset-requests": "6m0s"}, 360),
    ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
    ({"x-ratelimit-reset-tokens": "1h2m3s"}, 3723),
    ({"x-ratelimit-reset-tokens": "12"}, 12),
    ({"x-ratelimit-reset-tokens": "later"}, None),
    ({"x-ratelimit-reset-tokens": "2026-11-21T12:00:09Z"}, 9),
    ({"x-ratelimit-reset-tokens": "2026-11-21T12:61:00Z"}, None),
    ({"x-ratelimit-reset-tokens": "2026-11-21T12:00:09"}, None),
    (
        {
            "x-ratelimit-remaining-requests": "17",
            "x-ratelimit-reset-requests": "60s",
            "x-ratelimit-remaining-tokens": "0",
            "x-ratelimit-reset-tokens": "2s",
        },
        2,
    ),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
def test_an_endpoint_says_how_long_to_leave_it_alone(headers, seconds):
    assert wait_asked_for(headers, at=AT) == seconds


def test_back_off_doubles_up_to_half_a_minute_and_is_spread_out():
    assert [back_off(attempt, 0.999999) for attempt in range(1, 9)] == pytest.approx(
        [0.5, 1, 2, 4, 8, 16, 30, 30], rel=1e-4
    )
    assert back_off(3, 0.0) == 1


def test_the_pace_rises_at_once_while_nothing_limits_it():
    pace = Pace(ceiling=16)
    for _ in range(12):
        pace.answered(int(pace.limit) - 1)

    assert pace.limit == 16


def test_the_pace_does_not_rise_while_it_is_not_what_holds_requests_back():
    pace = Pace(ceiling=16)
    for _ in range(50):
        pace.answered(0)
        pace.answered(2)

    assert pace.limit == 4
    pace.answered(3)
    assert pace.limit == 5


def test_a_rate_limit_halves_the_pace_once_for_all_requests_of_its_episode():
    pace = Pace(ceiling=16, limit=16)

    waits = [pace.limited(sent=1.0, now=2.0, wait=5.0) for _ in range(16)]

    assert pace.limit == 8
    assert pace.episodes == 1
    assert waits == [5.0] * 16
    assert not pace.room(0, now=6.9)
    assert pace.room(0, now=7.0)
    assert not pace.room(8, now=7.0)


def test_what_was_sent_after_a_cut_is_cut_anew():
    pace = Pace(ceiling=16, limit=16)
    pace.limited(sent=1.0, now=2.0, wait=5.0)
    assert pace.limited(sent=1.5, now=3.0, wait=None) == 4.0, "nothing is added by an older one"
    assert pace.limited(sent=8.0, now=9.0, wait=0.0) == 0.0
    assert (pace.limit, pace.episodes) == (4, 2)
    assert pace.room(0, now=9.0)


def test_after_a_rate_limit_the_pace_rises_slowly():
    pace = Pace(ceiling=16, limit=16)
    pace.limited(sent=1.0, now=2.0, wait=1.0)
    for _ in range(8):
        pace.answered(int(pace.limit) - 1)

    assert 8.9 < pace.limit < 9.1


def test_rate_limits_without_a_time_make_for_longer_waits_until_an_answer_comes():
    pace = Pace(ceiling=4)

    waits = [pace.limited(sent=float(n), now=float(n), wait=None) for n in range(0, 400, 100)]

    assert waits == [1, 2, 4, 8]
    pace.answered(0)
    assert pace.limited(sent=500.0, now=500.0, wait=None) == 1


def test_the_pace_never_falls_below_one_request_at_a_time():
    pace = Pace(ceiling=8)
    for n in range(10):
        pace.limited(sent=float(n), now=float(n), wait=0.0)

    assert pace.limit == 1
    assert pace.room(0, now=100.0)


# What the newest trial found, how it is to be asked, and what is said against it.
REASONS = [
    ({}, {"has_temperature": True, "in_json": True}, None),
    ({"plain": "endpoint_error"}, {"in_json": True}, None),
    (
        {"json": "rated", "by_plain": "rated", "rung": "tool", "temperature": "yes"},
        {"has_temperature": True, "in_json": True},
        None,
    ),
    ({"json": "rated", "temperature": "no"}, {"has_temperature": True}, "takes no temperature"),
    ({"json": "rated", "temperature": "no"}, {}, None),
    ({"json": "no_answer", "by_plain": "no_answer"}, {"in_json": True}, "no answer in JSON"),
    ({"json": "no_answer", "by_plain": "no_answer"}, {}, None),
]


@pytest.mark.parametrize(("learnt", "how", "words"), REASONS)
def test_what_a_trial_has_shown_not_to_work_is_refused(learnt, how, words):
    how = {"has_temperature": False, "in_json": False} | how
    reason = trials.reason_not_to_ask(learnt, llm="echo", **how)

    assert (words in reason) if words else reason is None


words = st.text(alphabet="abc 自杀风险陪伴\n,A", min_size=1, max_size=12)


@given(words, words, words)
def test_the_pieces_of_a_part_are_among_those_of_the_whole(before, part, after):
    whole = pieces(before + part + after)
    inner = folded(part)
    if inner and inner in folded(before + part + after):
        assert pieces(inner) <= whole


@given(words, words)
def test_what_is_no_part_mostly_has_pieces_of_its_own(text, other):
    if pieces(other) <= pieces(text):
        assert len(folded(other)) < 3 or set(folded(other)) <= set(folded(text))


def test_an_index_that_was_made_finds_the_same_pieces_years_later():
    """Three signs of anything, two of Chinese, as numbers that a column of the database holds."""
    assert pieces("Frogs") == {-545_617_687, -216_069_827, 428_336_831}
    assert pieces("a自杀") == {1_862_104_778, 1_871_859_526}
    every = pieces("\ud800" + "".join(map(chr, range(32, 2_000))))
    assert all(-(2**31) <= one < 2**31 for one in every)


def test_a_request_of_a_batch_is_known_again_by_its_name():
    assert call_and_claim(custom_id(1_234_567, 12)) == (1_234_567, 12)


@pytest.mark.parametrize("name", ["", "7", "0-1", "7-0", "7-1-1", " 7-1", "7-1\n", "-7-1", 7, None])
def test_what_is_no_name_of_ours_is_nobody_s_request(name):
    assert call_and_claim(name) is None


# Three replies to each of two conversations, of which one source wrote two to the second.
REPLIES = [
    ReplyToPair(item, conversation, source)
    for item, conversation, source in (
        *((1, 1, "frog"), (2, 1, "toad"), (3, 1, "newt")),
        *((4, 2, "frog"), (5, 2, "frog"), (6, 2, "toad")),
    )
]


def unordered(pairs):
    return [tuple(sorted(pair)) for pair in pairs]


def test_replies_of_different_sources_to_one_conversation_are_compared():
    every = pairs_of(REPLIES, reference="", most=None, seed="pond")
    assert unordered(every) == [(1, 2), (1, 3), (2, 3), (4, 6), (5, 6)]
    with_newt = pairs_of(REPLIES, reference="newt", most=None, seed="pond")
    assert unordered(with_newt) == [(1, 3), (2, 3)]


def test_what_a_seed_draws_stays_what_it_draws():
    """A judge that is asked years later is asked about the same pairs in the same order."""
    every = pairs_of(REPLIES, reference="", most=None, seed="pond")
    assert every == [(2, 1), (1, 3), (3, 2), (4, 6), (6, 5)]
    for seed, drawn in {"pond": [(1, 3), (4, 6), (6, 5)], "lake": [(3, 1), (2, 3), (4, 6)]}.items():
        assert pairs_of(REPLIES, reference="", most=3, seed=seed) == drawn


def test_a_seed_draws_the_same_pairs_in_the_same_order_whoever_asks():
    drawn = pairs_of(REPLIES, reference="", most=3, seed="pond")
    assert len(drawn) == 3
    assert drawn == pairs_of(REPLIES[::-1], reference="", most=3, seed="pond")
    every = pairs_of(REPLIES, reference="", most=None, seed="pond")
    assert set(drawn) < set(every)
    assert len({tuple(pairs_of(REPLIES, reference="", most=3, seed=seed)) for seed in "abcdef"}) > 1


def test_replies_are_held_against_each_other_in_whichever_order_they_were_written():
    mixed = [
        ReplyToPair(item, conversation, source)
        for item, conversation, source in (
            *((1, 2, "frog"), (2, 1, "frog"), (3, 2, "toad"), (4, 1, "toad")),
        )
    ]
    assert unordered(pairs_of(mixed, reference="", most=None, seed="pond")) == [(2, 4), (1, 3)]


def test_which_reply_stands_first_is_drawn_as_often_one_way_as_the_other():
    many = [ReplyToPair(n, n // 2, "frog" if n % 2 else "toad") for n in range(400)]
    drawn = pairs_of(many, reference="", most=None, seed="pond")
    assert len(drawn) == 200
    assert 75 <= sum(pair.first < pair.second for pair in drawn) <= 125


def test_a_pair_may_be_turned():
    assert Pair(1, 2).turned == Pair(2, 1)


def test_what_was_answered_is_not_asked_again():
    rubric = load(shipped()["mentalalign"])
    keys = [criterion.key for criterion in rubric.asked]

    def next_keys(manner, found):
        return [question.key for question in next_questions(rubric, manner, found)]

    assert next_keys(AskingManner.FLAT, {}) == keys
    assert next_keys(AskingManner.FLAT, {keys[0]: 3}) == []
    for place, key in enumerate(keys):
        assert next_keys(AskingManner.EACH, dict.fromkeys(keys[:place], 3)) == [key]
    assert next_questions(rubric, AskingManner.EACH, dict.fromkeys(keys, 3)) == ()
    assert next_questions(rubric, AskingManner.SEQUENTIAL, dict.fromkeys(keys, 3)) == ()


AZURE = "https://team.openai.azure.com/openai?api-version=2024-10-21"


def test_azures_version_goes_behind_the_path_of_each_request():
    assert without_version(AZURE) == "https://team.openai.azure.com/openai"
    assert version_of(AZURE) == {"api-version": "2024-10-21"}
    assert version_of("https://api.example.org/v1") == {}


OWN = "http://llm.intern:8000/v1"
MAY_GO = [
    ("none", "http://localhost:8089/v1", False),
    ("own", "http://localhost:8089/v1", True),
    ("own", "http://[::1]:8089/v1", True),
    ("own", OWN, True),
    ("own", "https://api.example.org/v1", False),
    ("listed", OWN, False),
    ("listed", "http://localhost:8089/v1", False),
    ("listed", "https://API.example.org/v1", True),
    ("listed", "https://api.example.org:8443/v1", True),
    ("listed", "https://other.example.org:8443/v1", True),
    ("listed", "https://other.example.org/v1", False),
]


@pytest.mark.parametrize(("policy", "address", "may_go"), MAY_GO)
def test_texts_go_where_the_rules_of_their_data_set_say(policy, address, may_go):
    reason = reason_to_keep_texts(
        address,
        policy=policy,
        processors=["api.example.org", "other.example.org:8443"],
        own_hosts=["llm.intern"],
    )
    assert (reason is None) == may_go


def test_a_pace_keeps_to_another_ceiling_from_then_on():
    pace = Pace(ceiling=8)
    pace.allow(2)
    assert (pace.room(1, now=0), pace.room(2, now=0)) == (True, False)
    pace.allow(8)
    assert not pace.room(2, now=0)
    for _ in range(6):
        pace.answered(under_way=int(pace.limit) - 1)
    assert (pace.room(7, now=0), pace.room(8, now=0)) == (True, False)


@pytest.mark.parametrize(
    ("learnt", "words"),
    [(None, "not tried"), ({}, "no answer"), ({"temperature": "no"}, "no answer")],
)
def test_what_no_trial_has_shown_is_said_before_a_run(learnt, words):
    assert words in trials.reason_to_try(learnt, llm="frog-1")
    assert trials.reason_to_try({"json": "schema"}, llm="frog-1") is None
