"""The audit trail, read."""

from dataclasses import dataclass

from accounts.models import Event, User

EVENTS_A_PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailLine:
    """An event, with its facts as pairs of a name and a text."""

    event: Event
    facts: list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """Lines of the audit trail, newest first; `next_before` asks for the page after it."""

    lines: list[TrailLine]
    next_before: int | None


def events_matching(
    *, subject: str, actor: User | None, verb: str, before: int | None
) -> EventPage:
    events = Event.objects.select_related("actor").order_by("-pk")
    if subject:
        events = events.filter(subject=subject)
    if actor:
        events = events.filter(actor=actor)
    if verb:
        events = events.filter(verb=verb)
    if before:
        events = events.filter(pk__lt=before)
    found = list(events[: EVENTS_A_PAGE + 1])
    shown = found[:EVENTS_A_PAGE]
    return EventPage(
        lines=[_line(event) for event in shown],
        next_before=shown[-1].pk if len(found) > EVENTS_A_PAGE else None,
    )


def _line(event: Event) -> TrailLine:
    facts = [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in sorted(event.facts.items())
        if value not in (None, [])
    ]
    return TrailLine(event=event, facts=facts)


def event_verbs() -> list[str]:
    return list(Event.objects.order_by("verb").values_list("verb", flat=True).distinct())
