"""Each request that was made, and how it ended."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.utils.translation import gettext_lazy as _

from annotation.models import Item, Submission
from judging.models.runs import JudgeRun
from judging.rules import outcomes
from judging.rules.budget import Use


class Outcome(models.TextChoices):
    """How a call ended: rated, or why not."""

    RATED = outcomes.Outcome.RATED.value, _("Rated")
    WRITTEN = outcomes.Outcome.WRITTEN.value, _("Reply written")
    EMPTY = outcomes.Outcome.EMPTY.value, _("Empty answer")
    REFUSED = outcomes.Outcome.REFUSED.value, _("Declined to rate")
    TRUNCATED = outcomes.Outcome.TRUNCATED.value, _("Cut off before an answer")
    NO_ANSWER = outcomes.Outcome.NO_ANSWER.value, _("No answer in the text")
    AMBIGUOUS = outcomes.Outcome.AMBIGUOUS.value, _("Several answers")
    HEDGED = outcomes.Outcome.HEDGED.value, _("Left in doubt")
    QUOTED = outcomes.Outcome.QUOTED.value, _("Only quoted, not said")
    ONLY_REASONING = outcomes.Outcome.ONLY_REASONING.value, _("Reasoning without an answer")
    SCHEMA_INVALID = outcomes.Outcome.SCHEMA_INVALID.value, _("Not the JSON asked for")
    OUT_OF_RANGE = outcomes.Outcome.OUT_OF_RANGE.value, _("Off the scale")
    TOO_LONG = outcomes.Outcome.TOO_LONG.value, _("Too long for the LLM")
    REQUEST_REFUSED = outcomes.Outcome.REQUEST_REFUSED.value, _("Request refused")
    ENDPOINT_ERROR = outcomes.Outcome.ENDPOINT_ERROR.value, _("Endpoint failed")


class CallState(models.TextChoices):
    PENDING = "pending", _("Pending")
    LEASED = "leased", _("Under way")
    BATCHED = "batched", _("In a batch")
    DONE = "done", _("Done")


def _of_the_last_exchange(name: str) -> models.GeneratedField:
    """What the endpoint said of its last answer; null as long as there is none."""
    return models.GeneratedField(
        expression=KeyTextTransform(name, KeyTransform("-1", "exchanges")),
        output_field=models.TextField(null=True),
        db_persist=True,
    )


class JudgeCall(models.Model):
    """One item put to a judge once, with its raw answers and all that explains them.

    Where replies are compared, `item` is the one that stood first and `second` the other.
    `claims` counts how often a worker took it in hand: a claim that has been overtaken by another
    may no longer write. `attempts` counts what came to an end: an answer, or a fault of its own.
    `parser_edition` is what read its answers; `submission` and `outcome` are of that reading.
    `set_aside` is no column: what its worker holds of the run's limit for it.
    `answered_llm` and `answered_fingerprint` are who answered, by the endpoint's own account.
    """

    set_aside = Use()

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="calls")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judge_calls")
    second = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    repeat = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=CallState.choices, default=CallState.PENDING)
    leased_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=30, choices=Outcome.choices, blank=True)
    problem = models.CharField(max_length=100, blank=True)
    parser_edition = models.CharField(max_length=20, blank=True)
    submission = models.OneToOneField(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_call"
    )
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    item_sha256 = models.CharField(max_length=64, blank=True)
    exchanges = models.JSONField(
        default=list,
        help_text=(
            "Each request in turn: what it asked, the hashes of its prompt, the raw text, and what "
            "the endpoint said of it: id, LLM, fingerprint, usage, how it ended."
        ),
    )
    answered_llm = _of_the_last_exchange("llm")
    answered_fingerprint = _of_the_last_exchange("fingerprint")
    sent_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "second", "repeat"],
                nulls_distinct=False,
                name="an_item_or_a_pair_once_a_repeat",
            ),
            models.CheckConstraint(
                name="two_replies_are_compared", condition=~models.Q(item=models.F("second"))
            ),
            models.CheckConstraint(
                name="a_done_call_has_an_outcome",
                condition=models.Q(state="done") & ~models.Q(outcome="")
                | ~models.Q(state="done") & models.Q(outcome=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["run", "repeat", "position"],
                condition=~models.Q(state="done"),
                name="calls_still_to_make",
            )
        ]

    def __str__(self) -> str:
        return f"call {self.pk}"


class AnswerPieces(models.Model):
    """By which short pieces words are found in what was answered in a call.

    Those of a run are there all or none: it is indexed once it is over.
    """

    call = models.OneToOneField(
        JudgeCall, primary_key=True, on_delete=models.CASCADE, related_name="pieces"
    )
    run = models.ForeignKey(JudgeRun, on_delete=models.CASCADE, related_name="+")
    pieces = ArrayField(models.IntegerField())

    class Meta:
        verbose_name_plural = "answer pieces"
        indexes = [GinIndex(fields=["pieces"], name="answers_by_their_pieces")]

    def __str__(self) -> str:
        return f"pieces of call {self.pk}"
