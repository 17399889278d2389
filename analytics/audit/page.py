"""The trail, asked who read what and what left, in the words of people."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Event
from analytics.audit.forms import AuditQuestion
from analytics.exports.cells import cell
from annotation.actions.imports.copying import in_batches
from annotation.models import Assignment, DataSet, Item, RoundItem, Study
from judging.models import JudgeRun

LINES_ON_A_PAGE = 200
CALL_SHOWN = "judge_call.shown"
READ: Mapping[str, Promise] = {
    "assignment.shown": gettext_lazy("Shown to be rated"),
    "case.shown": gettext_lazy("Shown to be decided, with the ratings"),
    "item.opened": gettext_lazy("Opened with its ratings"),
    "items.listed": gettext_lazy("Listed with what was answered"),
    "items.named": gettext_lazy("Listed by key and state"),
    "judges.revealed": gettext_lazy("Decided, and shown with the answers of judges"),
    "work.listed": gettext_lazy("Listed with one’s own answers"),
    "glass.read": gettext_lazy("Read through the broken glass"),
    CALL_SHOWN: gettext_lazy("Opened with the answers of a judge"),
    "prompt.tried": gettext_lazy("Shown in the preview of a prompt"),
}
LEFT: Mapping[str, Promise] = {
    "export.built": gettext_lazy("Export built"),
    "export.downloaded": gettext_lazy("Export downloaded"),
    "ratings.read": gettext_lazy("Ratings taken by a program"),
    "gold.read": gettext_lazy("Gold taken by a program"),
    "report.downloaded": gettext_lazy("Report downloaded"),
    "figures.downloaded": gettext_lazy("Figures downloaded"),
    "figures.read": gettext_lazy("Figures taken by a program"),
    "agreement.table_downloaded": gettext_lazy("Table downloaded"),
    "agreement.means_downloaded": gettext_lazy("Means downloaded"),
    "agreement.routing_downloaded": gettext_lazy("Routing downloaded"),
    "judge_run.started": gettext_lazy("Items sent to an LLM"),
    "judge_run.resumed": gettext_lazy("More items sent to an LLM"),
    "judge_run.retried": gettext_lazy("Items sent to an LLM again"),
}
IN_WORDS = {**READ, **LEFT}
# Under which name a line about several things holds their ids.
OF_SEVERAL: Mapping[str, str] = {
    **dict.fromkeys(("items.listed", "items.named", "glass.read"), "items"),
    "work.listed": "assignments",
}
GIVEN_TO_RATE = ("assignment.shown", "work.listed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One line of the trail; `sequence` is its row in the ledger, None while it waits."""

    at: datetime
    name: str
    email: str
    what: str
    study: str
    item: str
    to: str
    sequence: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What a line is about."""

    study: str = ""
    item: str = ""
    to: str = ""


def lines(asked: Mapping[str, Any], *, reader: int) -> QuerySet[Event]:
    """The lines of the trail that answer a question, newest first.

    Not what its reader was given to rate: an item that came back unmarked would be marked here.
    """
    question = asked["question"]
    found = Event.objects.select_related("actor", "seal").order_by("-at", "-pk")
    found = found.filter(verb__in=LEFT if question == AuditQuestion.LEFT else READ)
    found = found.exclude(actor=reader, verb__in=GIVEN_TO_RATE)
    if question == AuditQuestion.DIALOGUE:
        found = _about_dialogue(found, study=asked["study"], dialogue=asked["dialogue"])
    elif asked["study"]:
        items = list(_keys(Item.objects.filter(study__key=asked["study"])))
        subjects = _subjects_of_study(asked["study"], items)
        found = found.filter(Q(subject__in=subjects) | _calls_about(items))
    if asked["person"]:
        found = found.filter(actor=asked["person"])
    if asked["since"]:
        found = found.filter(at__gte=_start(asked["since"]))
    if asked["until"]:
        found = found.filter(at__lt=_start(asked["until"] + timedelta(days=1)))
    return found


def told(events: Sequence[Event]) -> list[AuditLine]:
    """Lines in words, with names instead of numbers."""
    places = _places(events)
    return [
        AuditLine(
            at=event.at,
            name=event.actor.full_name if event.actor else _("the server"),
            email=event.actor.email if event.actor else "",
            what=str(IN_WORDS[event.verb]),
            study=places[event.pk].study,
            item=places[event.pk].item,
            to=places[event.pk].to or (event.actor.email if event.actor else ""),
            sequence=event.seal.sequence if hasattr(event, "seal") else None,
        )
        for event in events
    ]


HEADS = ("at", "name", "email", "what", "study", "item", "to", "sequence")


def records(asked: Mapping[str, Any], *, reader: int) -> Iterator[list[str]]:
    """All lines, for a file: as they are at one moment, for others are written meanwhile."""
    yield list(HEADS)
    events = lines(asked, reader=reader).iterator(chunk_size=LINES_ON_A_PAGE)
    for some in in_batches(events, LINES_ON_A_PAGE):
        for line in told(some):
            yield [
                line.at.isoformat() if name == "at" else cell(getattr(line, name)) for name in HEADS
            ]


def _start(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _about_dialogue(found: QuerySet[Event], *, study: str, dialogue: str) -> QuerySet[Event]:
    items = list(_keys(Item.objects.filter(study__key=study, dialogue__key=dialogue)))
    subjects = [f"item:{pk}" for pk in items]
    assignments = list(_keys(Assignment.objects.filter(item__in=items)))
    subjects += [f"assignment:{pk}" for pk in assignments]
    subjects += [f"round_item:{pk}" for pk in _keys(RoundItem.objects.filter(item__in=items))]
    among_others = Q(pk__in=[])
    for kind, ids in (("items", items), ("assignments", assignments)):
        for pk in ids:
            among_others |= Q(verb__in=OF_SEVERAL, **{f"facts__{kind}__contains": [pk]})
    return found.filter(Q(subject__in=subjects) | _calls_about(items) | among_others)


def _calls_about(items: Sequence[int]) -> Q:
    """The pages of calls that show one of these items, first or second."""
    return Q(verb=CALL_SHOWN) & (Q(facts__item__in=items) | Q(facts__second__in=items))


def grants(asked: Mapping[str, Any], *, as_file: bool) -> str:
    """Where it stands who could see what of the data set of a study on a day."""
    study = get_object_or_404(Study.objects.select_related("data_set"), key=asked["study"])
    address = reverse("data_set_grants" if as_file else "data_set", args=[study.data_set.key])
    day = asked["until"] or asked["since"]
    wanted = {
        "at": day.isoformat() if day else "",
        "person": asked["person"].pk if asked["person"] else "",
    }
    return f"{address}?{urlencode({name: value for name, value in wanted.items() if value})}"


def _subjects_of_study(key: str, items: Iterable[int]) -> list[str]:
    subjects = [f"study:{pk}" for pk in _keys(Study.objects.filter(key=key))]
    subjects += [f"data_set:{pk}" for pk in _keys(DataSet.objects.filter(studies__key=key))]
    subjects += [f"judge_run:{pk}" for pk in _keys(JudgeRun.objects.filter(study__key=key))]
    subjects += [f"item:{pk}" for pk in items]
    subjects += [
        f"assignment:{pk}" for pk in _keys(Assignment.objects.filter(round__study__key=key))
    ]
    return subjects + [
        f"round_item:{pk}" for pk in _keys(RoundItem.objects.filter(round__study__key=key))
    ]


def _keys(rows: QuerySet[Any]) -> Iterable[int]:
    return rows.values_list("pk", flat=True)


def _places(events: Sequence[Event]) -> dict[int, _Place]:
    """What each line is about, looked up once for all lines of a kind."""
    by_kind: dict[str, set[int]] = defaultdict(set)
    for event in events:
        kind, *ids = _subject_of(event)
        by_kind[kind].update(ids)
    for kind, several_ids in _listed(events).items():
        by_kind[kind] |= several_ids
    of_item = ("item__study__key", "item__dialogue__key", "item__key")
    known = {
        "study": _places_of(Study, by_kind["study"], "key"),
        "item": _places_of(Item, by_kind["item"], "study__key", "dialogue__key", "key"),
        "assignment": _places_of(Assignment, by_kind["assignment"], *of_item),
        "round_item": _places_of(RoundItem, by_kind["round_item"], *of_item),
        "judge_run": {
            pk: _Place(study=study, to=f"{llm}, {base_url}")
            for pk, study, llm, base_url in JudgeRun.objects.filter(
                pk__in=by_kind["judge_run"]
            ).values_list("pk", "study__key", "judge__llm", "judge__base_url")
        },
    }
    found = {}
    for event in events:
        kind, *ids = _subject_of(event)
        there = [known.get(kind, {}).get(pk, _Place()) for pk in ids]
        found[event.pk] = there[0] if len(there) == 1 else _together(there)
        if several := OF_SEVERAL.get(event.verb):
            places = known[several.removesuffix("s")]
            found[event.pk] = _together([places[one] for one in event.facts[several]])
    return found


def _listed(events: Sequence[Event]) -> dict[str, set[int]]:
    """What all lines about several things are about, by its kind."""
    found: dict[str, set[int]] = defaultdict(set)
    for event in events:
        if several := OF_SEVERAL.get(event.verb):
            found[several.removesuffix("s")].update(event.facts[several])
    return found


def _together(places: Sequence[_Place]) -> _Place:
    return _Place(
        study=", ".join(dict.fromkeys(place.study for place in places)),
        item=", ".join(place.item for place in places),
    )


def _subject_of(event: Event) -> tuple[str, *tuple[int, ...]]:
    """The kind and the id; a judge's call is about its item, or both."""
    if event.verb == CALL_SHOWN:
        return "item", *(event.facts[name] for name in ("item", "second") if name in event.facts)
    kind, _colon, pk = event.subject.partition(":")
    return kind, int(pk)


def _places_of(model: Any, ids: Iterable[int], study: str, *names: str) -> dict[int, _Place]:
    rows = model.objects.filter(pk__in=ids).values_list("pk", study, *names)
    return {
        pk: _Place(study=of_study, item=" · ".join(dict.fromkeys(keys)))
        for pk, of_study, *keys in rows
    }
