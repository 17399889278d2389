"""What is rated: dialogues, and in each the reply in question."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.access import Access
from accounts.models import User
from annotation.models.permitted import NOW, Moment, has_broken_glass, holds_split, permitted
from annotation.models.studies import Study
from annotation.rules.granting import Action
from annotation.rules.lifecycle import RoundState
from annotation.rules.remarks import LONGEST


class Dialogue(models.Model):
    """A conversation: turns of {"speaker", "text"} in order. Figures are clustered by it."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="dialogues")
    key = models.CharField(max_length=100)
    turns = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_dialogue_a_key")]

    def __str__(self) -> str:
        return f"dialogue {self.pk}"


class ItemQuerySet(models.QuerySet["Item"]):
    def visible_to(self, access: Access, *, at: Moment = NOW) -> "ItemQuerySet":
        """The items that an account may open: its own work, or all of a study it looks after."""
        if not access.may_enter:
            return self.none()
        person = access.user_id
        looks_after = permitted(Action.READ_ITEM, person, study="study", at=at)
        own_work = permitted(Action.RATE, person, study="study", at=at) & Q(
            pk__in=self.model.objects.filter(assignments__rater__user=person).values("pk")
        )
        granted = holds_split(person, study="study", item="pk", at=at)
        return self.filter(
            (looks_after | own_work) & granted | Q(has_broken_glass(person, study="study", at=at))
        )

    def for_a_new_round(self) -> "ItemQuerySet":
        """The items that were in no round yet but cancelled ones, and are not set aside."""
        that_count = [RoundState.OPEN, RoundState.CLOSED]
        used = self.model.objects.filter(round_items__round__state__in=that_count)
        return self.exclude(pk__in=used.values("pk")).not_set_aside()

    def not_set_aside(self) -> "ItemQuerySet":
        """The items that are in no quarantine now."""
        aside = self.model.objects.filter(
            quarantines__isnull=False, quarantines__lifted_at__isnull=True
        )
        return self.exclude(pk__in=aside.values("pk"))


class Item(models.Model):
    """The unit that is rated and assigned: a dialogue and the reply in question.

    `reply` is None where its publishers did not release it; `generator` is who or what wrote it.
    `attributes` is what else its file told apart, {name: value}; raters do not see it.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="items")
    dialogue = models.ForeignKey(Dialogue, on_delete=models.PROTECT, related_name="items")
    key = models.CharField(max_length=160)
    position = models.PositiveIntegerField()
    reply = models.TextField(null=True, blank=True)  # noqa: DJ001 -- None and "" differ: unreleased, empty
    reply_speaker = models.CharField(max_length=20, default="supporter")
    generator = models.CharField(max_length=100, blank=True)
    content_note = models.CharField(max_length=200, blank=True)
    content_sha256 = models.CharField(max_length=64)
    attributes = models.JSONField(default=dict, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_item_a_key")]
        indexes = [models.Index(fields=["study", "position"])]

    def __str__(self) -> str:
        return f"item {self.pk}"


class ItemNote(models.Model):
    """What a coordinator wrote down about an item, for other coordinators; it is never changed."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="notes")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="a_note_says_something", condition=~models.Q(text="")),
            models.CheckConstraint(
                name="a_note_has_an_end", condition=LessThanOrEqual(Length("text"), LONGEST)
            ),
        ]

    def __str__(self) -> str:
        return f"note {self.pk}"
