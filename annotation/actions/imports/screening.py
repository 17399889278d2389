"""The check on identifiers while a file is brought in: what is there, and what is done with each."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from accounts.models import User
from annotation.actions.imports.refusals import CannotImport
from annotation.identifiers import (
    EDITION,
    Decisions,
    Hit,
    IdentifierKind,
    Treatment,
    find,
    place_of,
    redact,
)
from annotation.models import Screening, Study
from annotation.readers.fields import MOST_OF_A_NOTE
from annotation.readers.items import ItemRow
from annotation.readers.problems import FileProblem
from annotation.readers.texts import Turn, dialogue_sha256
from annotation.rubric.sentences import sentence

HITS_SHOWN = 200
CHARACTERS_AROUND = 30

_find = lru_cache(maxsize=4096)(find)  # items of a dialogue share its turns


class Sieve:
    """Looks at the rows of a file; with `decisions` it also does what they say."""

    def __init__(self, decisions: Decisions | None) -> None:
        self._decisions = decisions
        self._numbers: dict[tuple[str, int], int] = {}
        self.found: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.redacted = 0
        self.dropped = 0
        self.undecided = 0
        self._shown: list[dict[str, object]] = []

    def over(self, rows: Iterable[ItemRow | FileProblem]) -> Iterator[ItemRow | FileProblem]:
        """The rows as they are to be stored, without those that are dropped."""
        for row in rows:
            screened = row if isinstance(row, FileProblem) else self._screened(row)
            if screened is not None:
                yield screened

    def reply(self, key: str, text: str) -> str | None:
        """One reply as it is to be stored under a key; None where it is to stay out."""
        stored, is_dropped = self._treated(key, 0, text)
        self.dropped += is_dropped
        return None if is_dropped else stored

    def look_at(self, key: str, place: int, text: str) -> None:
        """Note what stands in a text that is kept already."""
        self._treated(key, place, text)

    def settle(self, study: Study, *, by: User | None, at: datetime) -> None:
        """Write down what was decided; CannotImport where something was not."""
        if self.undecided:
            raise CannotImport(
                sentence(
                    "Nothing was decided about identifiers in the file ({kinds}; in all {count}). "
                    "Import it again and say what is to become of them.",
                    count=self.undecided,
                    kinds=", ".join(kind for kind in IdentifierKind if self.found[kind]),
                )
            )
        if self.found and self._decisions is not None:
            reasons = self._decisions.reasons
            Screening.objects.create(
                study=study,
                screened_at=at,
                screened_by=by,
                edition=EDITION,
                hits=dict(self.found),
                redacted=self.redacted,
                dropped=self.dropped,
                kept={kind: [n, reasons.get(kind, "")] for kind, n in (+self.kept).items()},
            )

    def shown(self) -> dict[str, object]:
        """What the page says of it, as JSON can hold it."""
        return {
            "n": self.found.total(),
            "kinds": [
                [kind.value, self.found[kind]] for kind in IdentifierKind if self.found[kind]
            ],
            "hits": self._shown,
            "redacted": self.redacted,
            "kept": self.kept.total(),
            "dropped": self.dropped,
        }

    def facts(self) -> dict[str, str | int]:
        """What the audit trail keeps: counts, never what was found."""
        counts = {
            "identifiers": self.found.total(),
            "redacted": self.redacted,
            "kept": self.kept.total(),
            "dropped": self.dropped,
        }
        return {**counts} if self.found else {}

    def _screened(self, row: ItemRow) -> ItemRow | None:
        is_dropped = False
        turns: list[Turn] = []
        for place, turn in enumerate(row.turns, start=1):
            text, drops = self._treated(row.key, place, turn["text"])
            turns.append({**turn, "text": text})
            is_dropped |= drops
        reply, drops = self._treated(row.key, 0, row.reply) if row.reply else (row.reply, False)
        is_dropped |= drops
        attributes = {}
        for name, value in row.attributes.items():
            attributes[name], drops = self._treated(row.key, name, value)
            is_dropped |= drops
        note, drops = self._treated(row.key, "content_note", row.content_note)
        is_dropped |= drops
        if is_dropped:
            self.dropped += 1
            return None
        row = replace(row, attributes=attributes, content_note=note[:MOST_OF_A_NOTE])
        return self._with(row, tuple(turns), reply)

    def _with(self, row: ItemRow, turns: tuple[Turn, ...], reply: str | None) -> ItemRow:
        """The row with other texts; a dialogue that is known by its text is known by the new one."""
        if turns == row.turns and reply == row.reply:
            return row
        is_by_text = row.dialogue_key == dialogue_sha256(row.turns)[:16]
        key = dialogue_sha256(turns)[:16] if is_by_text else row.dialogue_key
        return replace(row, turns=turns, reply=reply, dialogue_key=key)

    def _treated(self, key: str, place: int | str, text: str) -> tuple[str, bool]:
        """A text as it is to be stored, and whether its row is to stay out; `place` is the number
        of a turn, 0 for the reply, or the name of an attribute."""
        to_redact, is_dropped = [], False
        for hit in _find(text):
            treatment = self._decide(key, place, text, hit)
            if treatment == Treatment.REDACT:
                to_redact.append(hit)
            is_dropped |= treatment == Treatment.DROP
        return redact(text, to_redact), is_dropped

    def _decide(self, key: str, place: int | str, text: str, hit: Hit) -> Treatment | None:
        number = self._numbers.setdefault((text, hit.begin), len(self._numbers))
        is_new = number == self.found.total()
        if is_new:
            self.found[hit.kind] += 1
            self._show(number, key, place, text, hit)
        if self._decisions is None:
            return None
        treatment = self._decisions.of(number, hit.kind)
        if is_new:
            self.undecided += treatment is None
            self.redacted += treatment == Treatment.REDACT
            self.kept[hit.kind] += treatment == Treatment.KEEP
        return treatment

    def _show(self, number: int, key: str, place: int | str, text: str, hit: Hit) -> None:
        if self._decisions is None and number < HITS_SHOWN:
            self._shown.append(
                {
                    "number": number,
                    "place": place_of(text, hit),
                    "key": key,
                    "turn": place if isinstance(place, int) else 0,
                    "attribute": place if isinstance(place, str) else "",
                    "kind": hit.kind.value,
                    "before": text[max(hit.begin - CHARACTERS_AROUND, 0) : hit.begin],
                    "found": text[hit.begin : hit.end],
                    "after": text[hit.end : hit.end + CHARACTERS_AROUND],
                }
            )
