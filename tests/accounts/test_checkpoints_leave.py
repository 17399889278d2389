"""Checkpoints go where they are configured to: a log host, a local log, a board's mailbox."""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Iterator

import pytest
from django.utils import timezone

from accounts.actions import people
from accounts.ledger import sealing
from accounts.tasks import send_checkpoint
from config.celery import app
from tests.services import free_port


class Mailbox(socketserver.StreamRequestHandler):
    """Speaks as much SMTP as it takes to get a letter; the server keeps it."""

    def handle(self) -> None:
        self.wfile.write(b"220 board\r\n")
        is_letter = False
        for line in self.rfile:
            if is_letter and line == b".\r\n":
                is_letter = False
                self.wfile.write(b"250 kept\r\n")
            elif is_letter:
                self.server.letter.append(line.decode())
            elif line.upper().startswith(b"DATA"):
                is_letter = True
                self.wfile.write(b"354 go on\r\n")
            elif line.upper().startswith(b"QUIT"):
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 yes\r\n")


@pytest.fixture
def mailbox(settings) -> Iterator[list[str]]:
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox)
    server.daemon_threads = True
    server.letter = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
    settings.EMAIL_USE_TLS = False
    yield server.letter
    server.shutdown()
    server.server_close()


@pytest.fixture
def sealed(transactional_db, settings, tmp_path, sam, ben) -> str:
    """What the ledger says of its end, once something was sealed."""
    settings.CHECKPOINT_DIR = tmp_path / "ledger"
    people.suspend(user_id=ben.pk, reason="Left.", by=sam, at=ben.date_joined)
    sealing.seal_all()
    last = sealing.end()
    return f"Concord ledger, row {last.sequence}: {last.hash.hex()}"


def test_a_log_host_hears_the_end_of_the_ledger(sealed, settings):
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as host:
        host.bind(("127.0.0.1", 0))
        host.settimeout(30)
        settings.CHECKPOINTS_TO = [f"syslog:127.0.0.1:{host.getsockname()[1]}"]
        sealing.send_checkpoint()
        said = host.recv(4096).decode()
    assert sealed in said
    assert said.startswith("<38>")  # security, information


def test_a_local_log_hears_it(sealed, settings, tmp_path):
    path = str(tmp_path / "log")
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as log:
        log.bind(path)
        log.settimeout(30)
        settings.CHECKPOINTS_TO = [f"syslog:{path}"]
        sealing.send_checkpoint()
        assert sealed in log.recv(4096).decode()


def test_a_board_gets_it_by_mail(sealed, settings, mailbox):
    settings.CHECKPOINTS_TO = ["mail:board@example.org"]
    sealing.send_checkpoint()
    letter = "".join(mailbox)
    assert sealed.split(": ")[1] in letter.replace("=\r\n", "")
    assert "To: board@example.org" in letter


def test_a_way_that_is_shut_keeps_the_others_open(sealed, settings, mailbox, caplog):
    settings.CHECKPOINTS_TO = ["syslog:/no/such/log", "mail:board@example.org"]
    sealing.send_checkpoint()
    assert "could not be sent by syslog" in caplog.text
    assert mailbox


def test_a_mail_server_that_is_away_stops_nothing(sealed, settings, caplog):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    settings.EMAIL_USE_TLS = False
    settings.CHECKPOINTS_TO = ["mail:board@example.org"]
    sealing.send_checkpoint()
    assert "could not be sent by mail" in caplog.text


def test_once_so_many_rows_are_sealed_a_worker_that_waits_for_others_tells_of_it(
    sealed, settings, mailbox, cleo, sam
):
    app.control.purge()
    settings.CHECKPOINTS_TO, settings.CHECKPOINT_EVERY = ["mail:board@example.org"], 1
    people.suspend(user_id=cleo.pk, reason="Left.", by=sam, at=timezone.now())

    sealing.seal_all()

    assert not mailbox
    with app.connection_for_read() as broker:
        waiting = broker.default_channel.basic_get("judges", no_ack=True)
    assert waiting.headers["task"] == send_checkpoint.name
    send_checkpoint()
    assert f"row {sealing.end().sequence}:" in "".join(mailbox)
