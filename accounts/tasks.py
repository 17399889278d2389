"""What workers do for accounts."""

from celery import shared_task

from accounts.sessions import SessionStore


@shared_task
def clear_sessions() -> None:
    """Forget the sessions that have ended: now and then, from the scheduler."""
    SessionStore.clear_expired()
