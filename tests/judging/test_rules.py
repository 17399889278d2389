"""Where text may go, how fast, and how long to wait."""

from datetime import UTC, datetime

import pytest

from judging.rules.endpoints import host_of, problem_with
from judging.rules.pace import Pace
from judging.rules.patience import back_off, wait_asked_for

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


AT = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
WAITS = [
    ({}, None),
    ({"retry-after-ms": "250"}, 0.25),
    ({"retry-after": "7"}, 7),
    ({"retry-after": "1.5"}, 1.5),
    ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, 30),
    ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0),
    ({"retry-after": "soon"}, None),
    ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
    ({"x-ratelimit-reset-requests": "1s"}, 1),
    ({"x-ratelimit-reset-requests": "6m0s"}, 360),
    ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
    ({"x-ratelimit-reset-tokens": "1h2m3s"}, 3723),
    ({"x-ratelimit-reset-tokens": "12"}, 12),
    ({"x-ratelimit-reset-tokens": "later"}, None),
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

    assert pace.limit == 4


def test_a_rate_limit_halves_the_pace_once_for_all_requests_of_its_episode():
    pace = Pace(ceiling=16, limit=16)

    waits = [pace.limited(sent=1.0, now=2.0, wait=5.0) for _ in range(16)]

    assert pace.limit == 8
    assert pace.episodes == 1
    assert waits == [5.0] * 16
    assert not pace.room(0, now=6.9)
    assert pace.room(0, now=7.0)
    assert not pace.room(8, now=7.0)


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
