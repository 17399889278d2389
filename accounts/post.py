"""Letters, which a worker takes to the mail server: nobody waits for it, and nobody can tell from
the time a page takes whether one was written."""

import json
import logging
from dataclasses import asdict, dataclass

from celery import current_app
from django.core.mail import EmailMultiAlternatives
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from accounts import ciphers

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    to: str
    subject: str
    text: str
    html: str = ""

    def send(self) -> None:
        message = EmailMultiAlternatives(self.subject, self.text, to=[self.to])
        if self.html:
            message.attach_alternative(self.html, "text/html")
        message.send()


def post(letter: Letter) -> None:
    """Hand it to a worker, sealed; without Redis it is sent at once."""
    try:
        current_app.signature(
            "accounts.tasks.deliver", kwargs={"sealed": seal(letter)}
        ).apply_async()
    except (RedisError, OperationalError):
        log.warning("A letter could not be queued: Redis is away.")
        letter.send()


def seal(letter: Letter) -> str:
    return ciphers.of_letters().encrypt(json.dumps(asdict(letter)).encode()).decode()


def unseal(sealed: str) -> Letter:
    return Letter(**json.loads(ciphers.of_letters().decrypt(sealed.encode())))
