"""The editions of a study's rubric, and what going on under another one would do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.http import Http404

from annotation.models import Gold, Rating, RoundItem, RubricChange, RubricVersion, Study
from annotation.queries.wording import said
from annotation.rubric.differences import TextDifference, differences
from annotation.rubric.schema import Text
from annotation.rubric.versions import breaking_changes
from annotation.rules.carrying import AGAIN, LEFT, InQuestion, in_question
from annotation.rules.lifecycle import RoundState


class NoSuchEdition(Http404):
    """The rubric has no edition of this number, or the study is under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionLine:
    """An edition of a rubric; the study is under one of them."""

    number: int
    published_at: datetime
    is_in_force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """That the study went on under another edition, and whether that can be taken back."""

    id: int
    before: int
    after: int
    at: datetime
    by: str
    n_carried: int
    n_again: int
    undone_at: datetime | None
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FateAsked:
    """An old value: how many ratings have it, on how many items, and what it may become."""

    place: str
    criterion: str
    name: str
    n_ratings: int
    n_items: int
    choices: tuple[tuple[str, str], ...]
    chosen: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePreview:
    """What would be different under another edition."""

    number: int
    texts: tuple[TextDifference, ...]
    breaking: tuple[str, ...]
    fates: tuple[FateAsked, ...]
    n_ratings: int


def is_unused(study: Study) -> bool:
    """Whether no round was opened, nothing rated and nothing decided in a study yet."""
    return not (
        study.rounds.exists()
        or study.submissions.exists()
        or Gold.objects.filter(item__study=study).exists()
    )


def editions_of(study: Study) -> list[EditionLine]:
    """The editions of the rubric that a study is under, the newest first."""
    found = RubricVersion.objects.filter(rubric=study.rubric_version.rubric_id).order_by("-number")
    return [
        EditionLine(
            number=one.number,
            published_at=one.published_at,
            is_in_force=one.pk == study.rubric_version_id,
        )
        for one in found
    ]


def changes_of(study: Study) -> list[ChangeLine]:
    """Each time that the study went on under another edition, the newest first."""
    found = list(study.rubric_changes.select_related("before", "after", "made_by").order_by("-pk"))
    standing = next((one.pk for one in found if one.undone_at is None), None)
    return [
        ChangeLine(
            id=one.pk,
            before=one.before.number,
            after=one.after.number,
            at=one.made_at,
            by=one.made_by.full_name,
            n_carried=len(one.carried),
            n_again=len(one.again),
            undone_at=one.undone_at,
            is_last=one.pk == standing,
        )
        for one in found
    ]


def version_of(study: Study, number: int) -> RubricVersion:
    """An edition that the study could go on under; NoSuchEdition."""
    found = RubricVersion.objects.filter(rubric=study.rubric_version.rubric_id, number=number)
    version = found.exclude(pk=study.rubric_version_id).first()
    if version is None:
        raise NoSuchEdition
    return version


def preview(study: Study, number: int, plan: Mapping[str, str]) -> ChangePreview:
    """What an edition would change, by a plan that is not made yet; NoSuchEdition."""
    version = version_of(study, number)
    old, new = study.rubric_version.content, version.content
    counts = _counts(study)
    fates = tuple(_asked(one, plan, counts) for one in in_question(old, new))
    return ChangePreview(
        number=number,
        texts=tuple(differences(study.rubric_version.definition, version.definition)),
        breaking=tuple(said(one) for one in breaking_changes(old, new)),
        fates=fates,
        n_ratings=sum(one.n_ratings for one in fates),
    )


def items_to_rate_again(study: Study) -> list[int]:
    """The items that changes left to be rated under today's edition, that are in no round of it yet
    and are not set aside."""
    wanted: set[int] = set()
    standing = RubricChange.objects.filter(
        study=study, after=study.rubric_version_id, undone_at=None
    )
    for change in standing:
        since = RoundItem.objects.filter(
            round__study=study,
            round__rubric_version=study.rubric_version_id,
            round__opened_at__gte=change.made_at,
        ).exclude(round__state=RoundState.CANCELLED)
        wanted |= set(change.again) - set(since.values_list("item_id", flat=True))
    items = study.items.filter(pk__in=wanted).not_set_aside()
    return list(items.order_by("position").values_list("pk", flat=True))


def _counts(study: Study) -> dict[tuple[str, str], tuple[int, int]]:
    """{(criterion, value): how many ratings that count have it, on how many items}."""
    rows = (
        Rating.objects.filter(submission__study=study, submission__is_current=True, unscored="")
        .values_list("criterion_key", "label", "score")
        .annotate(n=Count("pk"), items=Count("submission__item", distinct=True))
    )
    return {
        (criterion, label if label is not None else str(score)): (n, items)
        for criterion, label, score, n, items in rows
    }


def _asked(
    one: InQuestion, plan: Mapping[str, str], counts: Mapping[tuple[str, str], tuple[int, int]]
) -> FateAsked:
    n_ratings, n_items = counts.get((one.criterion, one.value), (0, 0))
    return FateAsked(
        place=one.place,
        criterion=said(one.criterion_name),
        name=_words(one.name),
        n_ratings=n_ratings,
        n_items=n_items,
        choices=(
            *((heir.value, _words(heir.name)) for heir in one.heirs),
            *([(LEFT, "")] if one.is_new else []),
            (AGAIN, ""),
        ),
        chosen=plan.get(one.place, one.proposed),
        is_new=one.is_new,
    )


def _words(name: Text | str) -> str:
    return said(name) if name else ""
