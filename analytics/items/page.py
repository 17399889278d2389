"""The items behind a figure: what either side gave each, and one item with all its values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, TypeAlias

from django.core.paginator import Page, Paginator
from django.db.models import Case, When
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from analytics.present.grid import Grid, grid
from analytics.present.tables import Column, Dressed, Line, Plain, table
from analytics.present.words import reason_name
from annotation.models import Gold, Item, Rating, Submission
from annotation.queries.grounds import GroundsShown, grounds_shown
from annotation.queries.items import ItemShown, shown
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import held_out, rated_now, reader_of, withheld_items
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric, Taxonomy
from annotation.rules.visibility import (
    HELD_OUT,
    Author,
    Given,
    Phase,
    Reader,
    reason_to_withhold,
    reason_to_withhold_item,
)

CASES_ON_A_PAGE = 50

GivenValues: TypeAlias = dict[int, dict[str, str]]
"""{submission: {criterion: the value in words}}."""


class NoSuchItem(Http404):
    """There is no such item in this study, or none that this account may open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCase:
    """One item of a list; `may_open` where the reader may read it."""

    id: int
    key: str
    dialogue: str
    generator: str
    first: str
    second: str
    may_open: bool


@dataclass(frozen=True, kw_only=True)
class CaseList:
    """Items of a study with what two sides gave them, a page at a time.

    `n_hidden` of them are in a round that is still open, or held out: their values are not told.
    """

    study: str
    first_name: str
    second_name: str
    cases: tuple[ItemCase, ...]
    page: "Page[Item]"
    n_hidden: int

    @property
    def shown(self) -> list[int]:
        """The items of this page."""
        return [one.id for one in self.cases]

    @cached_property
    def grid(self) -> Grid:
        """A line an item; it opens for who may read it."""
        heads = (_("Dialogue"), _("Generator"), self.first_name, self.second_name)
        return grid(
            table(
                "items",
                _("Items"),
                "",
                about=[Column("item", _("Item"))],
                columns=_of_words(heads),
                lines=(
                    Line(
                        about=(Dressed(value=_plain(one.key), link=self._address(one)),),
                        values=(
                            _plain(one.dialogue),
                            Plain(one.generator or _("not named"), one.generator),
                            _plain(one.first),
                            _plain(one.second),
                        ),
                    )
                    for one in self.cases
                ),
            )
        )

    def _address(self, one: ItemCase) -> str:
        return reverse("agreement_item", args=[self.study, one.id]) if one.may_open else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What one rater, or gold, gave an item: the values in the order of the criteria."""

    name: str
    values: tuple[str, ...]
    comment: str = ""
    run: int | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonsShown:
    """What all who answered said beside their value of one criterion: (rater, value, what)."""

    criterion: str
    said: tuple[tuple[str, str, GroundsShown], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeItem:
    """An item as it reads, with every answer that may be told and its reasons, or why none is:
    `withheld`.

    `held_out` says why what judges answered is not among them, "" where it is.

    `set_aside` is the reason why it does not count in figures, "" where it does.
    """

    key: str
    dialogue: str
    generator: str
    item: ItemShown
    answers: Grid | None
    reasons: tuple[ReasonsShown, ...]
    withheld: str
    held_out: str
    set_aside: str


def listed(
    study_access: StudyAccess,
    found: Mapping[int, tuple[str, str]],
    *,
    first_name: str,
    second_name: str,
    page: str | int,
    is_ranked: bool = False,
) -> CaseList:
    """A page of the items `found`, {item id: (what the first side gave, what the second)}, in the
    order of the study, or in that of `found` where it `is_ranked`."""
    hidden = found.keys() & withheld_items(study_access.study, reader_of(study_access))
    items = (
        Item.objects.filter(study=study_access.study, pk__in=found.keys() - hidden)
        .select_related("dialogue")
        .order_by(_rank(found) if is_ranked else "position")
    )
    shown_page = Paginator(items, CASES_ON_A_PAGE).get_page(page)
    ids = [item.pk for item in shown_page]
    may_open = set(
        Item.objects.visible_to(study_access.access).filter(pk__in=ids).values_list("pk", flat=True)
    )
    return CaseList(
        study=study_access.study.key,
        first_name=first_name,
        second_name=second_name,
        cases=tuple(
            ItemCase(
                id=item.pk,
                key=item.key,
                dialogue=item.dialogue.key,
                generator=item.generator,
                first=found[item.pk][0],
                second=found[item.pk][1],
                may_open=item.pk in may_open,
            )
            for item in shown_page
        ),
        page=shown_page,
        n_hidden=len(hidden),
    )


def _rank(found: Iterable[int]) -> Case:
    return Case(*(When(pk=item, then=place) for place, item in enumerate(found)))


def whole_item(study_access: StudyAccess, item_id: int) -> WholeItem:
    """One item with its text and its values; NoSuchItem."""
    item = (
        Item.objects.visible_to(study_access.access)
        .filter(study=study_access.study, pk=item_id)
        .select_related("dialogue")
        .first()
    )
    if item is None:
        raise NoSuchItem
    rubric = study_access.study.rubric_version.content
    reader = reader_of(study_access)
    is_rated_now = rated_now(study_access.study).filter(item=item).exists()
    withheld = reason_to_withhold_item(reader, is_rated_now=is_rated_now)
    is_held_out = held_out(study_access.study).filter(item=item).exists()
    in_view = shown(item.dialogue.turns, item.reply, item.reply_speaker, item.content_note)
    told = [] if withheld else _told(reader, item, is_held_out=is_held_out)
    given = _given(rubric, told)
    return WholeItem(
        key=item.key,
        dialogue=item.dialogue.key,
        generator=item.generator,
        item=in_view,
        answers=None
        if withheld
        else _answers(study_access, _voices(reader, item, rubric, told, given)),
        reasons=tuple(_reasons(rubric, told, given, in_view.texts)),
        withheld=said(withheld) if withheld else "",
        held_out=said(HELD_OUT) if is_held_out and not withheld else "",
        set_aside=item.quarantines.filter(lifted_at=None).values_list("reason", flat=True).first()
        or "",
    )


def _answers(study_access: StudyAccess, voices: Sequence[Voice]) -> Grid | None:
    """A line a rater; that of a judge leads to its call."""
    rubric = study_access.study.rubric_version.content
    criteria = [said(criterion.name) for criterion in rubric.criteria]
    if not voices:
        return None
    return grid(
        table(
            "answers",
            _("Answers"),
            "",
            about=[Column("rater", _("Rater"))],
            columns=_of_words([*criteria, _("Comment")]),
            lines=(
                Line(
                    about=(Dressed(value=_plain(one.name), link=_call(study_access, one)),),
                    values=(*map(_plain, one.values), _plain(one.comment) if one.comment else None),
                )
                for one in voices
            ),
        )
    )


def _call(study_access: StudyAccess, one: Voice) -> str:
    if one.call is None or not study_access.may_run_judges:
        return ""
    return reverse("judge_call", args=[study_access.study.key, one.run, one.call])


def _of_words(heads: Iterable[str]) -> list[Column]:
    return [Column(str(place), head, is_words=True) for place, head in enumerate(heads)]


def _plain(text: str) -> Plain:
    return Plain(text, text)


def _told(reader: Reader, item: Item, *, is_held_out: bool) -> list[Submission]:
    """What people answered, then judges: of an item in no open round, what may be told."""
    found = Submission.objects.filter(item=item, is_current=True).select_related(
        "rater", "judge_call"
    )
    return [
        one
        for one in found.order_by("rater__kind", "rater__name", "repeat")
        if _is_told(reader, Author(one.rater.kind), one.rater_id, is_held_out=is_held_out)
    ]


def _given(rubric: Rubric, submissions: Sequence[Submission]) -> GivenValues:
    """What each of them gave, or why it is no value."""
    found: GivenValues = {}
    for one in Rating.objects.filter(submission__in=submissions):
        found.setdefault(one.submission_id, {})[one.criterion_key] = (
            reason_name(one.unscored)
            if one.unscored
            else _worded(rubric, one.criterion_key, one.label, one.score)
        )
    return found


def _reasons(
    rubric: Rubric,
    submissions: Sequence[Submission],
    given: GivenValues,
    texts: Sequence[str],
) -> Iterator[ReasonsShown]:
    """What was said beside the values of each criterion, by those beside whose value anything was."""
    known = {str(one.pk): one for one in submissions}
    shown_all = grounds_shown(rubric, {one.pk: key for key, one in known.items()}, texts)
    keys = {said(one.name): one.key for one in rubric.asked}
    for name, of_criterion in groupby(shown_all, lambda one: one.criterion):
        yield ReasonsShown(
            criterion=name,
            said=tuple(
                (
                    _name_of(known[one.who]),
                    given.get(int(one.who), {}).get(keys[name], ""),
                    one,
                )
                for one in of_criterion
            ),
        )


def _voices(
    reader: Reader,
    item: Item,
    rubric: Rubric,
    submissions: Sequence[Submission],
    given: GivenValues,
) -> list[Voice]:
    """Gold first, then who submitted."""
    gold = {
        one.criterion_key: _worded(rubric, one.criterion_key, one.label, one.score)
        for one in Gold.objects.filter(item=item, superseded_at=None)
    }
    voices = [_voice(_("Gold"), rubric, gold)] if gold and _is_told(reader, Author.GOLD) else []
    return voices + [
        _of_rater(submission, rubric, given.get(submission.pk, {})) for submission in submissions
    ]


def _is_told(
    reader: Reader, author: Author, rater: int | None = None, *, is_held_out: bool = False
) -> bool:
    given = Given(author=author, rater=rater, phase=Phase.SETTLED, is_held_out=is_held_out)
    return reason_to_withhold(reader, given) is None


def _of_rater(submission: Submission, rubric: Rubric, given: Mapping[str, str]) -> Voice:
    call = getattr(submission, "judge_call", None)
    return _voice(
        _name_of(submission),
        rubric,
        given,
        comment=submission.comment,
        run=call and call.run_id,
        call=call and call.pk,
    )


def _name_of(submission: Submission) -> str:
    words = {"rater": submission.rater.name, "n": submission.repeat}
    if submission.repeat == 1:
        return submission.rater.name
    return _("%(rater)s, answer %(n)s") % words


def _voice(name: str, rubric: Rubric, given: Mapping[str, str], **more: Any) -> Voice:
    values = tuple(given.get(criterion.key, "") for criterion in rubric.criteria)
    return Voice(name=name, values=values, **more)


def _worded(rubric: Rubric, key: str, label: str | None, score: int | None) -> str:
    """A stored value as people read it; a label that the rubric no longer has as it is."""
    criterion = next((one for one in rubric.criteria if one.key == key), None)
    if label is None or not isinstance(criterion, Taxonomy):
        return str(score if label is None else label)
    return next((said(one.name) for one in criterion.labels if one.key == label), label)
