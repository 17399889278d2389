"""Rounds: which items, which panel, who owes what."""

from enum import StrEnum

from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.access import Access
from accounts.models import User
from annotation.models.items import Item
from annotation.models.permitted import NOW, Moment, holds_split, permitted
from annotation.models.raters import Rater
from annotation.models.rubrics import RubricVersion, content_of
from annotation.models.studies import Study, decided_at_once
from annotation.rubric import schema
from annotation.rules.granting import Action
from annotation.rules.lifecycle import (
    ASSIGNMENT_MOVES,
    ITEM_MOVES,
    ROUND_MOVES,
    STEP_MOVES,
    AssignmentState,
    ItemState,
    RoundState,
    RoundStep,
    first_of,
)
from annotation.rules.protocol import Protocol, from_data
from annotation.rules.remarks import LONGEST


def choices(states: type[StrEnum]) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class Round(models.Model):
    """Items rated by a fixed panel under one rubric version, with one closing rule.

    `drawn_from` is set where its items come from a list: so many could have been on it. Beside
    the list `audit_percent` of the others were drawn by `draw_seed`. With a `pass_percent` it
    qualifies raters: all of them rate the same items with gold. The database refuses to change what
    it was opened with, its `protocol` above all.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    raters_per_item = models.PositiveSmallIntegerField()
    gate = models.FloatField(default=0.4)
    repeat_percent = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(
        max_length=20, choices=choices(RoundState), default=first_of(ROUND_MOVES).value
    )
    protocol = models.JSONField(default=decided_at_once)
    step = models.CharField(
        max_length=20, choices=choices(RoundStep), default=first_of(STEP_MOVES).value
    )
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    re_review_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="re_reviews"
    )
    override_reason = models.TextField(blank=True)
    pass_percent = models.PositiveSmallIntegerField(null=True, blank=True)
    due_on = models.DateField(null=True, blank=True)
    cancel_reason = models.TextField(blank=True)
    drawn_from = models.PositiveIntegerField(null=True, blank=True)
    audit_percent = models.PositiveSmallIntegerField(default=0)
    draw_seed = models.CharField(max_length=100, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    kappa = models.FloatField(null=True, blank=True)
    kappa_low = models.FloatField(null=True, blank=True)
    kappa_high = models.FloatField(null=True, blank=True)
    kappa_items = models.PositiveIntegerField(null=True, blank=True)
    kappa_criterion = models.CharField(max_length=60, blank=True)
    kappa_undefined = models.PositiveSmallIntegerField(null=True, blank=True)
    verdict = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_round_a_number"),
            models.CheckConstraint(
                name="round_state_is_known",
                condition=models.Q(state__in=[state.value for state in RoundState]),
            ),
            models.CheckConstraint(
                name="round_step_is_known",
                condition=models.Q(step__in=[step.value for step in RoundStep]),
            ),
            models.CheckConstraint(
                name="an_override_reason_has_an_end",
                condition=LessThanOrEqual(Length("override_reason"), LONGEST),
            ),
            models.CheckConstraint(
                name="closed_at_and_by_go_with_its_end",
                condition=models.Q(
                    state__in=["closed", "cancelled"],
                    closed_at__isnull=False,
                    closed_by__isnull=False,
                )
                | models.Q(state="open", closed_at__isnull=True, closed_by__isnull=True),
            ),
            models.CheckConstraint(
                name="a_round_is_cancelled_for_a_reason",
                condition=~models.Q(cancel_reason="") & models.Q(state="cancelled")
                | models.Q(cancel_reason="") & ~models.Q(state="cancelled"),
            ),
            models.CheckConstraint(
                name="a_cancel_reason_has_an_end",
                condition=LessThanOrEqual(Length("cancel_reason"), LONGEST),
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.pk}"

    @property
    def rubric(self) -> schema.Rubric:
        """The rubric its items are rated under; costs no query once a process knows it."""
        return content_of(self.rubric_version_id)

    @property
    def rules(self) -> Protocol:
        """What was agreed for it before it opened."""
        return from_data(self.protocol)


class Seat(models.Model):
    """A rater's place on a round's panel, and how far they are with what they owe.

    Once it is closed: to how many questions about items with gold they gave the right answer.
    `stands_in`: they hold only what others handed on, and may still join the panel.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="seats")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="seats")
    n_assigned = models.PositiveIntegerField(default=0)
    n_submitted = models.PositiveIntegerField(default=0)
    n_gold = models.PositiveIntegerField(default=0)
    n_right = models.PositiveIntegerField(default=0)
    stands_in = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "rater"], name="one_seat_a_rater")]

    def __str__(self) -> str:
        return f"seat {self.pk}"


class RoundItem(models.Model):
    """An item in a round; its row is locked while a submission for it is taken. `probability` is
    the chance that it had to be drawn: 1 where items are taken in their order. `is_gold`: it was
    mixed in because its gold is known, which what is answered here leaves as it is."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")
    position = models.PositiveIntegerField()
    n_submitted = models.PositiveSmallIntegerField(default=0)
    probability = models.FloatField(default=1.0)
    is_gold = models.BooleanField(default=False)
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
            models.CheckConstraint(
                name="a_drawn_item_had_a_chance",
                condition=models.Q(probability__gt=0, probability__lte=1),
            ),
        ]
        indexes = [models.Index(fields=["round", "state", "position"])]

    def __str__(self) -> str:
        return f"round item {self.pk}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def owed_by(self, access: Access, *, at: Moment = NOW) -> "AssignmentQuerySet":
        """The assignments of an account in the studies where it may rate, done or not."""
        if not access.may_enter:
            return self.none()
        person = access.user_id
        return self.filter(
            permitted(Action.RATE, person, study="round__study", at=at),
            holds_split(person, study="round__study", item="item", at=at),
            rater__user=person,
        )


class Assignment(models.Model):
    """This rater owes ratings for this item in this round, in this slot of the panel.

    `position` is its place in the rater's order. With `repeat` 2 the item comes to the rater once
    more, unmarked: that shows how consistent a rater is, and counts for nothing else.
    """

    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, related_name="assignments", db_index=False
    )
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
