"""What workers do for accounts."""

from celery import shared_task
from django.utils import timezone

from accounts import post
from accounts.actions import reminding, writes
from accounts.ledger import sealing
from accounts.sessions import SessionStore


@shared_task
def clear_sessions() -> None:
    """Forget the sessions that have ended: now and then, from the scheduler."""
    SessionStore.clear_expired()


@shared_task
def forget_writes() -> None:
    """Forget what programs were answered longer ago than they send it again."""
    writes.forget(at=timezone.now())


@shared_task(autoretry_for=(OSError,), retry_backoff=5, retry_backoff_max=60, max_retries=8)
def deliver(sealed: str) -> None:
    """Take a letter to the mail server, and try again for some minutes where that is away."""
    post.unseal(sealed).send()


@shared_task
def remind() -> None:
    """Write to those whose time ends soon; nothing depends on it, for time is compared at the door."""
    reminding.remind(at=timezone.now())


@shared_task
def seal_ledger() -> None:
    """Put into the chain what was done and written in the last seconds."""
    sealing.seal_all()


@shared_task
def send_checkpoint() -> None:
    """Tell the end of the ledger to those outside who keep it."""
    sealing.send_checkpoint()
