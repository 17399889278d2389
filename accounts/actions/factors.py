"""Second factors as they are kept."""

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils import timezone

from accounts import ciphers, events

SEALED = ("secret", "seed")  # of an app, and of recovery codes


@transaction.atomic
def rotate() -> int:
    """Encrypt every seed under the first key, and say how many factors have one."""
    cipher = ciphers.of_factors()
    n_rotated = 0
    for factor in Authenticator.objects.select_for_update().order_by("pk"):
        sealed = {name: factor.data[name] for name in SEALED if name in factor.data}
        if sealed:
            factor.data |= {name: cipher.rotate(text).decode() for name, text in sealed.items()}
            factor.save(update_fields=["data"])
            n_rotated += 1
    events.record(
        "factors.rotated",
        subject="server:keys",
        by=None,
        at=timezone.now(),
        facts={"factors": n_rotated},
    )
    return n_rotated
