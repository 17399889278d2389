"""Identifiers in texts that leave: redacted, unless somebody else than the recipient has said what
else becomes of them, of all, of a kind, or of a single one (ADR 26). Ratings and hashes are not
touched."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.access import access_of
from accounts.models import User
from analytics.exports.rulings import CannotRule, keep, reason_not_to_rule
from analytics.models import DisclosureRuling
from annotation.actions import viewing
from annotation.actions.imports.screening import Sieve
from annotation.actions.jobs import moves
from annotation.actions.jobs.pulse import Clock, Pulse
from annotation.identifiers import (
    EDITION,
    Decisions,
    Hit,
    IdentifierKind,
    Treatment,
    find,
    moved,
    place_of,
    redact,
)
from annotation.models import FileJob, Item, JobKind, Study
from annotation.queries.studies import StudyAccess
from annotation.rubric.grounds import Passage
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import Action

WHAT = "identifiers"
LEFT_OUT = "[left out]"
"""In the place of a text that holds what is to be dropped."""
WORDED = frozenset({"text", "raw", "content", "reply", "unverified", "rationale"})
"""Under which names a row holds what somebody or an LLM wrote."""
DIGEST = hashlib.sha256(f"identifiers in texts, edition {EDITION}".encode()).hexdigest()

_find = lru_cache(maxsize=4096)(find)  # items of a dialogue share its turns


class Redaction:
    """Treats what the rules find in rows of texts as was decided, and counts it."""

    def __init__(self, decided: Decisions) -> None:
        self.found: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.left_out = 0
        self._decided = decided

    def over(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            yield {name: self._treated(name, value) for name, value in row.items()}

    def over_grounds(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """The same of what was said beside values; passages stand where they do in the texts that
        leave, which have been counted; those in a text that is left out are left out with it."""
        for row in rows:
            texts: Sequence[str] = row["texts"]
            passages = [Passage.from_text(one) for one in row["evidence"].split()]
            to_redact = {one.turn: self._to_redact(texts[one.turn - 1]) for one in passages}
            places, quotes = [], []
            for one in passages:
                hits = to_redact[one.turn]
                if hits is not None:
                    place = Passage(one.turn, *moved(hits, one.start, one.end))
                    leaving = redact(texts[one.turn - 1], hits)
                    places.append(place)
                    quotes.append(leaving[place.start : place.end])
            told = dict(row) | {"evidence": " ".join(map(str, places)), "quotes": quotes}
            yield {name: self._treated(name, value) for name, value in told.items()}

    def _treated(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value) if name in WORDED else value
        if isinstance(value, Mapping):
            return {inner: self._treated(inner, one) for inner, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._treated(name, one) for one in value]
        return value

    def _text(self, text: str) -> str:
        hits, to_redact = _find(text), self._to_redact(text)
        self.found.update(hit.kind for hit in hits)
        if to_redact is None:
            self.left_out += 1
            return LEFT_OUT
        self.kept.update(hit.kind for hit in hits if hit not in to_redact)
        return redact(text, to_redact)

    def _to_redact(self, text: str) -> list[Hit] | None:
        """What in a text is replaced by its kind; None where all of it is left out."""
        treated = {
            hit: self._decided.of(place_of(text, hit), hit.kind) or Treatment.REDACT
            for hit in _find(text)
        }
        if Treatment.DROP in treated.values():
            return None
        return [hit for hit, treatment in treated.items() if treatment == Treatment.REDACT]


def decided(ruling: DisclosureRuling | None) -> Decisions:
    """What a ruling says of identifiers; None: each is redacted."""
    if ruling is None:
        return Decisions(by_kind={})
    if ruling.findings:
        return Decisions(**ruling.findings)
    stays = {kind.value: Treatment.KEEP.value for kind in IdentifierKind}
    return Decisions(by_kind=stays if ruling.passes else {})


def rulings(study: Study) -> list[DisclosureRuling]:
    """What was said about identifiers in texts, newest first."""
    said = DisclosureRuling.objects.filter(study=study, digest=DIGEST).select_related("ruled_by")
    return list(said.order_by("-pk"))


def ruling_for(study: Study, *, recipient: int) -> DisclosureRuling | None:
    """The newest by another person than who receives the release, unless all is to be redacted."""
    others = (one for one in rulings(study) if one.ruled_by_id != recipient)
    newest = next(others, None)
    return newest if newest and (newest.passes or newest.findings) else None


@transaction.atomic
def rule(
    *,
    study_access: StudyAccess,
    stay: bool,
    reason: str,
    by: User,
    at: datetime,
    each: Mapping[str, Mapping[str, str]] | None = None,
) -> DisclosureRuling:
    """Say that identifiers may stay in texts that leave and why, or that they are redacted.

    `each` says it of kinds and of single places: the members of `Decisions`. CannotRule.
    """
    if barred := reason_not_to_rule(study_access):
        raise CannotRule(barred)
    ruling = DisclosureRuling(
        study=study_access.study,
        digest=DIGEST,
        findings=each or [],
        passes=stay,
        reason=reason,
        ruled_at=at,
        ruled_by=by,
    )
    n_places = len(each["by_hit"]) if each else 0
    return keep(ruling, "identifiers.ruled", stay=stay, edition=EDITION, places=n_places)


def rule_on_each(
    *,
    study_access: StudyAccess,
    found: Mapping[str, Any],
    said: Mapping[str, Mapping[str, str]],
    reason: str,
    by: User,
    at: datetime,
) -> DisclosureRuling:
    """Say what becomes of each kind and of single places that were `found`. CannotRule.

    `said` is what the form gives, which knows places by their number.
    """
    places = {str(hit["number"]): hit["place"] for hit in found["hits"]}
    by_hit = {places[number]: treatment for number, treatment in said["by_hit"].items()}
    each = {"by_kind": said["by_kind"], "by_hit": by_hit, "reasons": said["reasons"]}
    stay = Treatment.KEEP in {*said["by_kind"].values(), *by_hit.values()}
    return rule(study_access=study_access, stay=stay, reason=reason, by=by, at=at, each=each)


def said_before(study: Study, found: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What the newest ruling says of what was `found`, as `rule_on_each` takes it: who comes back to
    mend one decision keeps the others."""
    newest = next(iter(rulings(study)), None)
    if newest is None:
        return {}
    known = decided(newest)
    by_hit = {
        str(hit["number"]): known.by_hit[hit["place"]]
        for hit in found.get("hits", ())
        if hit["place"] in known.by_hit
    }
    return {"by_kind": {**known.by_kind}, "by_hit": by_hit, "reasons": {**known.reasons}}


def ask_to_look(*, study_access: StudyAccess, by: User, at: datetime) -> None:
    """Have a worker look through dialogues and replies. CannotRule."""
    if barred := reason_not_to_look(study_access):
        raise CannotRule(barred)
    try:
        moves.ask(
            study_id=study_access.study.pk,
            kind=JobKind.EXPORT,
            what=WHAT,
            options={},
            by=by,
            at=at,
        )
    except moves.AskedAlready:
        raise CannotRule(
            sentence("A worker builds something for you already. Try again once it has ended.")
        ) from None


def reason_not_to_look(study_access: StudyAccess) -> Sentence | None:
    """Say why this account is not shown identifiers in their texts, or None."""
    return reason_not_to_rule(study_access) or study_access.reason_not_to(Action.READ_ITEM)


def look(job: FileJob, pulse: Pulse, *, clock: Clock) -> None:
    """Go through dialogues and replies of the items that who asked may see, and list what is there."""
    items = _seen_by(job.asked_by, job.study, at=clock())
    pulse.expect(items.count())
    sieve = Sieve(None)
    for key, turns, reply in pulse.watch(items.order_by("position").iterator()):
        for place, turn in enumerate(turns, start=1):
            sieve.look_at(key, place, turn["text"])
        sieve.look_at(key, 0, reply or "")
    moves.finish(job=job, result=sieve.shown(), done=pulse.done, at=clock())


def shown(study: Study, found: Mapping[str, Any], *, by: User, at: datetime) -> Mapping[str, Any]:
    """What a worker has found, as long as its reader may see it; the ledger notes the items."""
    keys = {hit["key"] for hit in found["hits"]}
    visible = dict(_seen_by(by, study, at=at).filter(key__in=keys).values_list("key", "pk"))
    viewing.items_listed(study_id=study.pk, items=visible.values(), by=by, at=at)
    return {**found, "hits": [hit for hit in found["hits"] if hit["key"] in visible]}


def _seen_by(person: User, study: Study, *, at: datetime) -> QuerySet[Item, Any]:
    """(key, turns, reply) of the items of a study that an account may open."""
    seen = Item.objects.visible_to(access_of(person, at=at)).filter(study=study)
    return seen.values_list("key", "dialogue__turns", "reply")


def in_manifest(redaction: Redaction, ruling: DisclosureRuling | None) -> dict[str, Any]:
    """What was found in the texts of a release, by kind, and what became of it by whose decision:
    None, all of it is redacted."""
    return {
        "edition": EDITION,
        "found": _by_kind(redaction.found),
        "kept": _by_kind(redaction.kept),
        "texts_left_out": redaction.left_out,
        "decided": ruling
        and {
            "by": ruling.ruled_by.full_name,
            "at": ruling.ruled_at.isoformat(),
            "reason": ruling.reason,
            "reasons_to_keep": dict(decided(ruling).reasons),
        },
    }


def _by_kind(counted: Counter[str]) -> dict[str, int]:
    return {kind.value: counted[kind] for kind in IdentifierKind if counted[kind]}
