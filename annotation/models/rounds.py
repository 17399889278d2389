"""Rounds: which items, which panel, who owes what."""

from enum import StrEnum

from django.db import models
from django.db.models import Exists, OuterRef
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.access import Access
from accounts.models import User
from annotation.models.items import Item
from annotation.models.raters import Rater
from annotation.models.rubrics import RubricVersion, content_of
from annotation.models.studies import Membership, Study, TeamRole
from annotation.rubric import schema
from annotation.rules.lifecycle import (
    ASSIGNMENT_MOVES,
    ITEM_MOVES,
    ROUND_MOVES,
    AssignmentState,
    ItemState,
    RoundState,
    first_of,
)
from annotation.rules.remarks import LONGEST


def choices(states: type[StrEnum]) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class Round(models.Model):
    """Items rated by a fixed panel under one rubric version, with one closing rule."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    raters_per_item = models.PositiveSmallIntegerField()
    gate = models.FloatField(default=0.4)
    repeat_percent = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(
        max_length=20, choices=choices(RoundState), default=first_of(ROUND_MOVES).value
    )
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    re_review_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="re_reviews"
    )
    override_reason = models.TextField(blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    kappa = models.FloatField(null=True, blank=True)
    kappa_low = models.FloatField(null=True, blank=True)
    kappa_high = models.FloatField(null=True, blank=True)
    kappa_items = models.PositiveIntegerField(null=True, blank=True)
    kappa_criterion = models.CharField(max_length=60, blank=True)
    verdict = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_round_a_number"),
            models.CheckConstraint(
                name="round_state_is_known",
                condition=models.Q(state__in=[state.value for state in RoundState]),
            ),
            models.CheckConstraint(
                name="an_override_reason_has_an_end",
                condition=LessThanOrEqual(Length("override_reason"), LONGEST),
            ),
            models.CheckConstraint(
                name="closed_at_and_by_go_with_closed",
                condition=models.Q(state="closed", closed_at__isnull=False, closed_by__isnull=False)
                | (
                    ~models.Q(state="closed")
                    & models.Q(closed_at__isnull=True, closed_by__isnull=True)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.pk}"

    @property
    def rubric(self) -> schema.Rubric:
        """The rubric its items are rated under; costs no query once a process knows it."""
        return content_of(self.rubric_version_id)


class Seat(models.Model):
    """A rater's place on a round's panel, and how far they are with what they owe."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="seats")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="seats")
    n_assigned = models.PositiveIntegerField(default=0)
    n_submitted = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "rater"], name="one_seat_a_rater")]

    def __str__(self) -> str:
        return f"seat {self.pk}"


class RoundItem(models.Model):
    """An item in a round; its row is locked while a submission for it is taken."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")
    position = models.PositiveIntegerField()
    n_submitted = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(
        max_length=20, choices=choices(ItemState), default=first_of(ITEM_MOVES).value
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="an_item_once_a_round"),
            models.CheckConstraint(
                name="item_state_is_known",
                condition=models.Q(state__in=[state.value for state in ItemState]),
            ),
        ]
        indexes = [models.Index(fields=["round", "state", "position"])]

    def __str__(self) -> str:
        return f"round item {self.pk}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def owed_by(self, access: Access) -> "AssignmentQuerySet":
        """The assignments of an account in the studies where it is an annotator, done or not."""
        if not access.may_enter:
            return self.none()
        rates_there = Membership.objects.filter(
            study=OuterRef("round__study"),
            user=access.user_id,
            roles__contains=[TeamRole.ANNOTATOR],
        )
        return self.filter(Exists(rates_there), rater__user=access.user_id)


class Assignment(models.Model):
    """This rater owes ratings for this item in this round, in this slot of the panel.

    `position` is its place in the rater's order. With `repeat` 2 the item comes to the rater once
    more, unmarked: that shows how consistent a rater is, and counts for nothing else.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="assignments")
    slot = models.PositiveSmallIntegerField()
    repeat = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveIntegerField()
    state = models.CharField(
        max_length=20, choices=choices(AssignmentState), default=first_of(ASSIGNMENT_MOVES).value
    )
    deferrals = models.PositiveIntegerField(default=0)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "item", "slot"],
                condition=models.Q(repeat=1) & ~models.Q(state="released"),
                name="a_slot_is_given_once",
            ),
            models.UniqueConstraint(
                fields=["round", "item", "rater", "repeat"], name="a_rater_gives_a_repeat_once"
            ),
            models.CheckConstraint(
                name="assignment_state_is_known",
                condition=models.Q(state__in=[state.value for state in AssignmentState]),
            ),
        ]
        indexes = [
            models.Index(
                fields=["rater", "round", "deferrals", "position"],
                condition=models.Q(state="open"),
                name="next_open_assignment",
            ),
        ]

    def __str__(self) -> str:
        return f"assignment {self.pk}"
