"""What makes the audit trail a ledger: seals in a chain, and digests of the rows it governs."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models.events import Event


class RowDigest(models.Model):
    """The SHA-256 of rows of a governed table as one statement left them; empty: deleted.

    Triggers write it, for whoever writes by whatever way. `edition` says which columns it covers.
    """

    table_name = models.CharField(max_length=63)
    edition = models.PositiveSmallIntegerField()
    row_ids = ArrayField(models.BigIntegerField())
    digests = ArrayField(models.BinaryField())
    noted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"digest {self.pk}"


class Unsealed(models.Model):
    """An event or a digest that waits to be sealed, within seconds of its commit.

    `mark` shows that the application wrote it: a keyed hash, and the database has no key.
    """

    event = models.ForeignKey(
        Event,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
    )
    digest = models.ForeignKey(
        RowDigest,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
    )
    mark = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "unsealed"

    def __str__(self) -> str:
        return f"unsealed {self.pk}"


class Seal(models.Model):
    """One row of the ledger: `hash` covers the one before and all that is said here.

    Sequences have no gap, whoever writes at the same time. The database refuses to change or
    delete it.
    """

    sequence = models.BigIntegerField(primary_key=True)
    sealed_at = models.DateTimeField()
    event = models.OneToOneField(
        Event,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="seal",
    )
    digest = models.OneToOneField(
        RowDigest,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="seal",
    )
    previous = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_seal_is_of_an_event_or_a_digest",
                condition=models.Q(event__isnull=False, digest__isnull=True)
                | models.Q(event__isnull=True, digest__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"seal {self.sequence}"
