"""What looks wrong in the rows of a file of items, counted and with the first few of each kind."""

from collections import Counter
from dataclasses import dataclass, field

from annotation.readers.items import ItemRow
from annotation.rubric.sentences import as_json
from annotation.rules.doubting import SHOWN, WORDS, TextDoubt, doubts_about

FIRST = 5


@dataclass(slots=True)
class Doubts:
    """Doubts about rows; `take` one after the other."""

    counts: Counter[TextDoubt] = field(default_factory=Counter)
    first: dict[TextDoubt, list[dict[str, str]]] = field(default_factory=dict)
    _contents: set[bytes] = field(default_factory=set)

    def take(self, row: ItemRow, *, known_as: str | None = None) -> None:
        """`known_as` is the key under which the study has the same text already."""
        for doubt, shown in doubts_about(row.turns, row.reply):
            self._note(doubt, row, shown)
        if row.reply is None:
            return  # its publishers released no reply: many items share a dialogue
        if known_as is not None:
            self._note(TextDoubt.OTHER_KEY, row, known_as)
        content = bytes.fromhex(row.content_sha256)
        if content in self._contents:
            self._note(TextDoubt.SAME_TEXT, row, row.reply[:SHOWN])
        self._contents.add(content)

    def shown(self) -> list[dict[str, object]]:
        """What the page says of them, as JSON can hold it."""
        return [
            {"words": as_json(WORDS[doubt]), "count": count, "first": self.first[doubt]}
            for doubt, count in self.counts.most_common()
        ]

    def _note(self, doubt: TextDoubt, row: ItemRow, shown: str) -> None:
        self.counts[doubt] += 1
        examples = self.first.setdefault(doubt, [])
        if len(examples) < FIRST:
            examples.append({"key": row.key, "shown": shown})
