"""What is rated: dialogues, and in each the reply in question."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.access import Access
from annotation.models.studies import Membership, Study, TeamRole

SEES_EVERY_ITEM = [TeamRole.COORDINATOR, TeamRole.ADJUDICATOR, TeamRole.EXPORTER]


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
    def visible_to(self, access: Access) -> "ItemQuerySet":
        """The items that an account may open: its own work, or all of a study it looks after."""
        if not access.may_enter:
            return self.none()
        looks_after = Membership.objects.filter(
            study=OuterRef("study"), user=access.user_id, roles__overlap=SEES_EVERY_ITEM
        )
        rates_there = Membership.objects.filter(
            study=OuterRef("study"), user=access.user_id, roles__contains=[TeamRole.ANNOTATOR]
        )
        own_work = Exists(rates_there) & Q(
            pk__in=self.model.objects.filter(assignments__rater__user=access.user_id).values("pk")
        )
        return self.filter(Exists(looks_after) | own_work)

    def for_a_new_round(self) -> "ItemQuerySet":
        """The items that were in no round yet and are not set aside from figures."""
        aside = self.model.objects.filter(
            quarantines__isnull=False, quarantines__lifted_at__isnull=True
        )
        return self.filter(round_items=None).exclude(pk__in=aside.values("pk"))


class Item(models.Model):
    """The unit that is rated and assigned: a dialogue and the reply in question.

    `reply` is None where its publishers did not release it; `generator` is who or what wrote it.
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

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_item_a_key")]
        indexes = [models.Index(fields=["study", "position"])]

    def __str__(self) -> str:
        return f"item {self.pk}"
