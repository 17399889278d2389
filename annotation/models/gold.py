"""What was decided: adjudications and gold."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models.items import Item
from annotation.models.rounds import Round, RoundItem, choices
from annotation.rules.deciding import DecidedBy
from annotation.rules.remarks import LONGEST


class Adjudication(models.Model):
    """The act of deciding an item that its raters disagree on, with its reason.

    A revision is a decision more, which supersedes the one before. A criterion that is `ambiguous`
    has no gold: what its raters answered stands as it is.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="adjudications")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="adjudications")
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    reason = models.TextField()
    code = models.CharField(max_length=20, choices=choices(DecidedBy), default=DecidedBy.OTHER)
    ambiguous = ArrayField(models.CharField(max_length=60), default=list)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_by"
    )

    stands = True  # the item is decided with it

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "item"],
                condition=models.Q(supersedes__isnull=True),
                name="an_item_is_decided_once",
            ),
            models.CheckConstraint(
                name="a_decision_s_code_is_known",
                condition=models.Q(code__in=[code.value for code in DecidedBy]),
            ),
            models.CheckConstraint(
                name="an_adjudication_has_a_reason", condition=~models.Q(reason="")
            ),
            models.CheckConstraint(
                name="a_decision_s_reason_has_an_end",
                condition=LessThanOrEqual(Length("reason"), LONGEST),
            ),
        ]

    def __str__(self) -> str:
        return f"adjudication {self.pk}"


class Opinion(models.Model):
    """What one adjudicator decides on an item that two decide, neither knowing of the other.

    `values`: {criterion: value, or that it is ambiguous}; `ways`: {graph: the way through it}. It makes no gold: an adjudication follows
    once the two agree, or a further one has decided between them.
    """

    round_item = models.ForeignKey(RoundItem, on_delete=models.PROTECT, related_name="opinions")
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    values = models.JSONField()
    ways = models.JSONField(blank=True, default=dict, db_default={})
    reason = models.TextField()
    code = models.CharField(max_length=20, choices=choices(DecidedBy))

    stands = False  # the item waits for another adjudicator

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round_item", "decided_by"], name="an_adjudicator_has_one_opinion"
            ),
            models.CheckConstraint(
                name="an_opinion_s_code_is_known",
                condition=models.Q(code__in=[code.value for code in DecidedBy]),
            ),
            models.CheckConstraint(name="an_opinion_has_a_reason", condition=~models.Q(reason="")),
            models.CheckConstraint(
                name="an_opinion_s_reason_has_an_end",
                condition=LessThanOrEqual(Length("reason"), LONGEST),
            ),
        ]

    def __str__(self) -> str:
        return f"opinion {self.pk}"


class BroughtAmbiguity(models.Model):
    """A criterion on which an item is truly ambiguous, as a release brought it: it has no gold.

    `distribution` is what its raters answered there, as value:count value:count. No row changes.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="brought_ambiguities")
    criterion_key = models.CharField(max_length=60)
    distribution = models.TextField(blank=True)
    brought_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "brought ambiguities"
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion_key"], name="an_ambiguity_is_brought_once"
            ),
        ]

    def __str__(self) -> str:
        return f"brought ambiguity {self.pk}"


class GoldOrigin(models.TextChoices):
    UNANIMOUS = "unanimous", _("Unanimous")
    CONSENSUS = "consensus", _("Agreed in discussion")
    ADJUDICATED = "adjudicated", _("Adjudicated")
    IMPORTED = "imported", _("Imported")


class Gold(models.Model):
    """The value that an item has for a criterion; one is current, earlier ones are kept.

    `path` is the way through a graph of questions, as a rating has it.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="gold")
    criterion_key = models.CharField(max_length=60)
    label = models.CharField(max_length=60, null=True, blank=True)  # noqa: DJ001 -- null: no label
    score = models.SmallIntegerField(null=True, blank=True)
    path = models.TextField(blank=True, db_default="", default="")
    origin = models.CharField(max_length=20, choices=GoldOrigin.choices)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="gold"
    )
    adjudication = models.ForeignKey(
        Adjudication, null=True, blank=True, on_delete=models.PROTECT, related_name="gold"
    )
    decided_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "gold"
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion_key"],
                condition=models.Q(superseded_at__isnull=True),
                name="one_current_gold",
            ),
            models.CheckConstraint(
                name="gold_is_a_label_or_a_score",
                condition=models.Q(label__isnull=False, score__isnull=True)
                | models.Q(label__isnull=True, score__isnull=False),
            ),
            models.CheckConstraint(
                name="adjudicated_gold_has_its_adjudication",
                condition=models.Q(origin="adjudicated", adjudication__isnull=False)
                | (~models.Q(origin="adjudicated") & models.Q(adjudication__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return f"gold {self.pk}"
