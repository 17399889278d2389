"""What the measurements of faults count: sent again until answered, lost, doubled, overwritten."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench import delivering
from bench.booking import BookedRound, booked
from bench.delivering import delivered
from bench.killing import Acknowledged, kept_of
from bench.load import Client
from tests.annotation.doing import NONSENSE, SAFE, assignment_of, correct, decide, rate, round_item


@pytest.fixture
def failing_server(monkeypatch):
    """A server that ends a connection, then fails, then answers; what each request asked for."""
    monkeypatch.setattr(delivering, "FIRST_WAIT", 0.0)
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            if len(asked) == 1:
                self.connection.close()
                return
            self.send_response(503 if len(asked) == 2 else 409)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args):
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, asked
    server.shutdown()
    server.server_close()


def test_the_same_is_sent_until_it_is_answered_and_a_refusal_is_an_answer(failing_server):
    port, asked = failing_server
    answer = delivered(Client(port), "POST", "/", {"key": "once"})
    assert (answer.status, answer.tries) == (409, 3)
    assert asked == ["key=once"] * 3


@pytest.fixture
def told(pond_round, ben, cleo, dora):
    """What a server acknowledged, all of which is stored."""
    first = rate(pond_round, ben, 1, SAFE, comment="first")
    correct(pond_round, ben, 1, NONSENSE, supersedes=first.submission_id, comment="second")
    rate(pond_round, cleo, 1, SAFE, comment="other")
    decide(pond_round, dora, 1, SAFE, reason="decided")
    return Acknowledged(
        ratings=["first", "other"],
        corrections=["second"],
        standing={
            assignment_of(pond_round, ben).pk: "second",
            assignment_of(pond_round, cleo).pk: "other",
        },
        decided={round_item(pond_round).pk: ["decided"]},
    )


def counted(told, study):
    return [(one.lost, one.doubled, one.overwritten) for one in kept_of(study, told)]


def test_what_is_all_there_is_neither_lost_nor_doubled_nor_overwritten(told, pond):
    assert counted(told, pond) == [(0, 0, 0)] * 3


def test_what_is_not_there_is_lost(told, pond):
    told.ratings.append("on a train")
    told.decided[0] = ["nowhere"]
    assert counted(told, pond) == [(1, 0, 0), (0, 0, 0), (1, 0, 0)]


def test_what_nobody_was_told_of_is_doubled(told, pond):
    told.ratings.remove("other")
    told.corrections.remove("second")
    told.standing = {}
    assert counted(told, pond) == [(0, 1, 0), (0, 1, 0), (0, 0, 0)]


def test_what_gave_way_is_overwritten(told, pond, pond_round, cleo):
    told.standing[assignment_of(pond_round, cleo).pk] = "on a train"
    told.decided[round_item(pond_round).pk].append("decided")
    assert [one[2] for one in counted(told, pond)] == [1, 0, 1]


def test_a_round_that_is_rated_by_all_starves_nobody(pond_round, ben, cleo):
    for position in range(1, 7):
        rate(pond_round, ben, position)
    assert booked(pond_round) == BookedRound(overbooked=0, twice=0, short=6, starved=1, idle=1)
    for position in range(1, 7):
        rate(pond_round, cleo, position)
    assert booked(pond_round) == BookedRound(overbooked=0, twice=0, short=0, starved=0, idle=0)
