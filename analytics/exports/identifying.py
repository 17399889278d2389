"""Identifiers in texts that leave: redacted, unless somebody else than the recipient has said why
they may stay (ADR 26). Ratings and hashes are not touched."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import transaction

from accounts import events
from accounts.models import User
from analytics.exports.rulings import CannotRule, reason_not_to_rule
from analytics.models import DisclosureRuling
from annotation.identifiers import EDITION, IdentifierKind, find, moved, redact
from annotation.models import Study
from annotation.queries.studies import StudyAccess
from annotation.rubric.grounds import Passage
from annotation.rubric.sentences import sentence
from annotation.rules.remarks import LONGEST, tidied

WORDED = frozenset({"text", "raw", "content", "reply", "unverified", "rationale"})
"""Under which names a row holds what somebody or an LLM wrote."""
DIGEST = hashlib.sha256(f"identifiers in texts, edition {EDITION}".encode()).hexdigest()

_find = lru_cache(maxsize=4096)(find)  # items of a dialogue share its turns


class Redaction:
    """Counts what the rules find in rows of texts, and puts its kind in its place unless it `stays`."""

    def __init__(self, *, stays: bool) -> None:
        self.found: Counter[str] = Counter()
        self._stays = stays

    def over(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            yield {name: self._treated(name, value) for name, value in row.items()}

    def over_grounds(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """The same of what was said beside values; passages stand where they do in the texts that
        leave, which have been counted."""
        for row in rows:
            texts: Sequence[str] = row["texts"]
            places = [self._place(texts, Passage.from_text(one)) for one in row["evidence"].split()]
            leaving = {turn: self._leaving(texts[turn - 1]) for turn, _start, _end in places}
            quotes = [leaving[turn][start:end] for turn, start, end in places]
            told = dict(row) | {"evidence": " ".join(map(str, places)), "quotes": quotes}
            yield {name: self._treated(name, value) for name, value in told.items()}

    def _place(self, texts: Sequence[str], passage: Passage) -> Passage:
        if self._stays:
            return passage
        hits = _find(texts[passage.turn - 1])
        return Passage(passage.turn, *moved(hits, passage.start, passage.end))

    def _leaving(self, text: str) -> str:
        return text if self._stays else redact(text, _find(text))

    def _treated(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self._redacted(value) if name in WORDED else value
        if isinstance(value, Mapping):
            return {inner: self._treated(inner, one) for inner, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._treated(name, one) for one in value]
        return value

    def _redacted(self, text: str) -> str:
        hits = _find(text)
        self.found.update(hit.kind for hit in hits)
        return text if self._stays else redact(text, hits)


def rulings(study: Study) -> list[DisclosureRuling]:
    """What was said about identifiers in texts, newest first."""
    said = DisclosureRuling.objects.filter(study=study, digest=DIGEST).select_related("ruled_by")
    return list(said.order_by("-pk"))


def ruling_for(study: Study, *, recipient: int) -> DisclosureRuling | None:
    """The newest by another person than who receives the release, if it lets them stay."""
    others = (one for one in rulings(study) if one.ruled_by_id != recipient)
    newest = next(others, None)
    return newest if newest and newest.passes else None


@transaction.atomic
def rule(
    *, study_access: StudyAccess, stay: bool, reason: str, by: User, at: datetime
) -> DisclosureRuling:
    """Say that identifiers may stay in texts that leave and why, or that they are redacted. CannotRule."""
    if barred := reason_not_to_rule(study_access):
        raise CannotRule(barred)
    words = tidied(reason)
    if not 0 < len(words) <= LONGEST:
        raise CannotRule(sentence("Write down the reason: it goes into the release."))
    ruling = DisclosureRuling.objects.create(
        study=study_access.study,
        digest=DIGEST,
        findings=[],
        passes=stay,
        reason=words,
        ruled_at=at,
        ruled_by=by,
    )
    events.record(
        "identifiers.ruled",
        subject=f"study:{study_access.study.pk}",
        by=by,
        at=at,
        facts={"ruling": ruling.pk, "stay": stay, "edition": EDITION},
    )
    return ruling


def in_manifest(redaction: Redaction, ruling: DisclosureRuling | None) -> dict[str, Any]:
    """What was found in the texts of a release, by kind, and who let it stay: None, it is redacted."""
    return {
        "edition": EDITION,
        "found": {kind: redaction.found[kind] for kind in IdentifierKind if redaction.found[kind]},
        "kept": ruling
        and {
            "by": ruling.ruled_by.full_name,
            "at": ruling.ruled_at.isoformat(),
            "reason": ruling.reason,
        },
    }
