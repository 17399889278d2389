"""What was found in the answers of calls, and what was made of it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, Submission
from judging.models.calls import JudgeCall, Outcome
from judging.rules import comparing


class WrittenReply(models.Model):
    """The item that was made of what a generator answered; insert-only.

    `doubts` are what looked wrong in its text, and why it was set aside at once.
    """

    call = models.OneToOneField(JudgeCall, on_delete=models.PROTECT, related_name="written_reply")
    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="written_as")
    doubts = ArrayField(models.CharField(max_length=20), default=list)

    class Meta:
        verbose_name_plural = "written replies"

    def __str__(self) -> str:
        return f"written reply {self.pk}"


class Preferred(models.TextChoices):
    """Which of two replies a judge prefers, by where they stood."""

    FIRST = comparing.FIRST, _("The first one")
    SECOND = comparing.SECOND, _("The second one")
    TIE = comparing.TIE, _("Neither")


class Preference(models.Model):
    """What an edition of the parser found in a call that compares two replies; insert-only.

    One for each thing that was asked: a scale of the rubric, or `OVERALL`. Without a preference
    `unscored` says why. The newest edition counts. The scores are those of both replies, where values
    were asked for.
    """

    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, related_name="preferences")
    criterion_key = models.CharField(max_length=50)
    preferred = models.CharField(max_length=10, choices=Preferred.choices, blank=True)
    unscored = models.CharField(max_length=30, choices=Outcome.choices, blank=True)
    first_score = models.SmallIntegerField(null=True, blank=True)
    second_score = models.SmallIntegerField(null=True, blank=True)
    edition = models.CharField(max_length=20)
    read_at = models.DateTimeField()
    read_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["call", "criterion_key", "edition"], name="one_preference_an_edition"
            ),
            models.CheckConstraint(
                name="a_preference_or_why_there_is_none",
                condition=models.Q(preferred="") & ~models.Q(unscored="")
                | ~models.Q(preferred="") & models.Q(unscored=""),
            ),
        ]

    def __str__(self) -> str:
        return f"preference {self.pk}"


class CallReading(models.Model):
    """What one edition of the parser found in the answers of a call; insert-only.

    A call has rows here once it has been read again, its first reading among them. The newest
    counts, and the call's own `submission` and `outcome` are those of it; where a reading found
    what the one before did, both have the same submission.
    """

    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, related_name="readings")
    edition = models.CharField(max_length=20)
    outcome = models.CharField(max_length=30, choices=Outcome.choices)
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    read_at = models.DateTimeField()
    read_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["call", "edition"], name="one_reading_an_edition")
        ]

    def __str__(self) -> str:
        return f"reading {self.pk}"


class HandReading(models.Model):
    """What a person takes an answer to say that the parser could not read; insert-only.

    It is nobody's rating: no figure of a judge knows it. The newest one of a criterion counts.
    """

    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, related_name="hand_readings")
    criterion_key = models.CharField(max_length=50)
    label = models.CharField(max_length=50, null=True, blank=True)  # noqa: DJ001 -- as a rating has it
    score = models.SmallIntegerField(null=True, blank=True)
    read_at = models.DateTimeField()
    read_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_label_or_a_score_is_read",
                condition=models.Q(label__isnull=True, score__isnull=False)
                | models.Q(label__isnull=False, score__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"reading by hand {self.pk}"
