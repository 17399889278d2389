"""The items of a study, for those who look after them: to be searched, filtered and opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404

from annotation.models import Item, ItemNote, Quarantine, RoundItem
from annotation.queries.ambiguities import AmbiguityShown, brought_to, shown_of
from annotation.queries.items import ItemShown, shown
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import in_splits, rated_now, reader_of
from annotation.queries.wording import said
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.doubting import WORDS, doubts_about
from annotation.rules.lifecycle import ItemState, words_for
from annotation.rules.visibility import Author, Given, phase_of, reason_to_withhold

ITEMS_ON_A_PAGE = 100
MOST_VALUES = 60  # of an attribute that is offered to look for
NOT_IN_A_ROUND = 0


class NoSuchItemHere(Http404):
    """The study has no such item, or none that this account may open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsWanted:
    """What somebody looks for: `words` of a key or of the reply; the number of a round, or
    NOT_IN_A_ROUND; a state in a round; who wrote the reply; an attribute, as name:value; and what
    was noted about it."""

    words: str = ""
    round: int | None = None
    state: str = ""
    generator: str = ""
    attribute: str = ""
    is_aside: bool = False
    is_warned_of: bool = False
    is_noted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InRound:
    """How far an item is in a round."""

    number: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine:
    """One line of the list, without the item's text."""

    id: int
    key: str
    dialogue: str
    generator: str
    attributes: tuple[tuple[str, str], ...]
    content_note: str
    n_notes: int
    is_aside: bool
    rounds: tuple[InRound, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsPage:
    """Some items of a study, and by what others may be looked for."""

    items: list[ItemLine]
    page: Page[Item]
    rounds: list[int]
    states: list[tuple[str, str]]
    generators: list[str]
    attributes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteShown:
    by: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideShown:
    """That an item does not count in figures, or did not for a while."""

    id: int
    reason: str
    at: datetime
    lifted_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSheet:
    """All there is to know of an item but what was answered here."""

    line: ItemLine
    item: ItemShown
    notes: tuple[NoteShown, ...]
    aside: tuple[AsideShown, ...]
    doubts: tuple[str, ...]
    brought: tuple[AmbiguityShown, ...]


def reason_not_to_list(study_access: StudyAccess) -> Sentence | None:
    """Say why the items of a study are not listed for this account now, or None."""
    if not study_access.may_coordinate:
        return sentence("The items of a study are for its coordinators.")
    if reader_of(study_access).rates_now:
        return sentence(
            "You rate in a round that is still open, and the list would tell you who wrote a reply "
            "and how far others are: it is shown to you once the round is closed."
        )
    return None


def items_of(study_access: StudyAccess, wanted: ItemsWanted, *, page: str) -> ItemsPage:
    """A page of the items of a study, in its order."""
    study = study_access.study
    every = Item.objects.visible_to(study_access.access).filter(study=study)
    found = _looked_for(every, wanted).order_by("position", "pk").only("pk")
    shown_page = Paginator(found, ITEMS_ON_A_PAGE).get_page(page)
    ids = [one.pk for one in shown_page]
    generators = every.exclude(generator="").order_by("generator").distinct()
    return ItemsPage(
        items=_lines(ids),
        page=shown_page,
        rounds=list(study.rounds.order_by("number").values_list("number", flat=True)),
        states=[(state.value, said(words_for(state))) for state in ItemState],
        generators=list(generators.values_list("generator", flat=True)),
        attributes=_attributes(every),
    )


def item_keyed(study_access: StudyAccess, key: str) -> int:
    """The id of an item of a study by its key; NoSuchItemHere."""
    visible = Item.objects.visible_to(study_access.access)
    found = visible.filter(study=study_access.study, key=key).first()
    if found is None:
        raise NoSuchItemHere
    return found.pk


def item_sheet(study_access: StudyAccess, item_id: int) -> ItemSheet:
    """One item of a study; NoSuchItemHere."""
    visible = Item.objects.visible_to(study_access.access)
    found = visible.filter(study=study_access.study, pk=item_id).select_related("dialogue").first()
    if found is None:
        raise NoSuchItemHere
    notes = found.notes.select_related("author").order_by("-pk")
    return ItemSheet(
        line=_lines([found.pk])[0],
        item=shown(found.dialogue.turns, found.reply, found.reply_speaker, found.content_note),
        notes=tuple(
            NoteShown(by=one.author.full_name, at=one.written_at, text=one.text) for one in notes
        ),
        aside=tuple(
            AsideShown(id=one.pk, reason=one.reason, at=one.quarantined_at, lifted_at=one.lifted_at)
            for one in found.quarantines.order_by("-pk")
        ),
        doubts=tuple(
            dict.fromkeys(
                said(WORDS[doubt])
                for doubt, _where in doubts_about(found.dialogue.turns, found.reply)
            )
        ),
        brought=_brought(study_access, found.pk),
    )


def _brought(study_access: StudyAccess, item_id: int) -> tuple[AmbiguityShown, ...]:
    """On what the item came in as ambiguous, for who may see gold of it now."""
    study, reader = study_access.study, reader_of(study_access)
    is_rated_now = rated_now(study).filter(item=item_id).exists()
    given = Given(author=Author.GOLD, phase=phase_of(None, is_rated_now=is_rated_now))
    is_granted = study.items.filter(in_splits(reader.splits), pk=item_id).exists()
    if reason_to_withhold(reader, given) or not is_granted:
        return ()
    return shown_of(study.rubric_version.content, brought_to([item_id]).get(item_id, {}))


def _attributes(items: QuerySet[Item]) -> list[str]:
    """What items can be looked for by, as name:value; of what has too many values none."""
    values: dict[str, set[str]] = {}
    for attributes in items.exclude(attributes={}).values_list("attributes", flat=True).distinct():
        for name, value in attributes.items():
            values.setdefault(name, set()).add(value)
    few = {name: them for name, them in values.items() if len(them) <= MOST_VALUES}
    return [f"{name}:{value}" for name, them in sorted(few.items()) for value in sorted(them)]


def _looked_for(items: QuerySet[Item], wanted: ItemsWanted) -> QuerySet[Item]:
    if wanted.words:
        items = items.filter(
            Q(key__icontains=wanted.words)
            | Q(dialogue__key__icontains=wanted.words)
            | Q(reply__icontains=wanted.words)
        )
    placed = RoundItem.objects.filter(item=OuterRef("pk"))
    if wanted.round == NOT_IN_A_ROUND:
        items = items.filter(~Exists(placed))
    elif wanted.round is not None or wanted.state:
        if wanted.round is not None:
            placed = placed.filter(round__number=wanted.round)
        if wanted.state:
            placed = placed.filter(state=wanted.state)
        items = items.filter(Exists(placed))
    if wanted.generator:
        items = items.filter(generator=wanted.generator)
    if wanted.attribute:
        name, _colon, value = wanted.attribute.partition(":")
        items = items.filter(attributes__contains={name: value})
    if wanted.is_aside:
        items = items.filter(Exists(_aside_now()))
    if wanted.is_warned_of:
        items = items.exclude(content_note="")
    if wanted.is_noted:
        items = items.filter(Exists(ItemNote.objects.filter(item=OuterRef("pk"))))
    return items


def _aside_now() -> QuerySet[Quarantine]:
    return Quarantine.objects.filter(item=OuterRef("pk"), lifted_at=None)


def _lines(ids: Sequence[int]) -> list[ItemLine]:
    rounds: dict[int, list[InRound]] = {}
    placed = RoundItem.objects.filter(item__in=ids).order_by("round__number")
    for item, number, state in placed.values_list("item_id", "round__number", "state"):
        rounds.setdefault(item, []).append(
            InRound(number=number, state=said(words_for(ItemState(state))))
        )
    found = (
        Item.objects.filter(pk__in=ids)
        .annotate(n_notes=Count("notes"), is_aside=Exists(_aside_now()))
        .order_by("position", "pk")
        .values_list(
            *("pk", "key", "dialogue__key", "generator", "attributes"),
            *("content_note", "n_notes", "is_aside"),
        )
    )
    return [
        ItemLine(
            id=pk,
            key=key,
            dialogue=dialogue,
            generator=generator,
            attributes=tuple(sorted(attributes.items())),
            content_note=content_note,
            n_notes=n_notes,
            is_aside=is_aside,
            rounds=tuple(rounds.get(pk, ())),
        )
        for pk, key, dialogue, generator, attributes, content_note, n_notes, is_aside in found
    ]
