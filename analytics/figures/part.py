"""What pages show comes in parts: each is made from the ratings, kept as JSON, and read back."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import GenericAlias
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from analytics import sources
from analytics.figures.chances import with_chances
from analytics.ratings.matrices import VIEWS, StudyRatings, View

# What reads the study that a report is made of: it is handed over, or reached through a model.
_READING = ("analytics.ratings.slices", "annotation.rubric.loading")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReport:
    """What every report says of itself: with which values it was made, and when."""

    view: View
    computed_at: datetime


R = TypeVar("R", bound=PartReport)
R_co = TypeVar("R_co", bound=PartReport, covariant=True)


class Make(Protocol[R_co]):
    """Compute a report from what a study holds."""

    def __call__(self, study: StudyRatings, *, view: View, at: datetime) -> R_co: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """The lines of a report that most pages do without, and most of what it takes: kept by themselves.

    `piece_of` tells of a report in which piece each line of its `field` is, by a name that addresses
    have, and tables in the column `about`; a line in none stays with the rest. Where all pieces are
    there, each line is in its place; else those that stay come first.
    """

    field: str
    about: str
    piece_of: Callable[[Any], Callable[[Any], str]]


Placed: TypeAlias = list[tuple[int, Any]]
"""Lines, each with its place among all of the report."""


class Texts(NamedTuple):
    """A report as it is kept: without its pieces, and these by their names."""

    body: str
    pieces: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Part(Generic[R]):
    """One kind of report.

    What was stored under another `fingerprint` is made anew. `by_turns`: where ratings come in
    quickly, what takes long stands for some moments as it was, and says so. `algorithm`: raised where
    the same ratings come to other figures than before, so that nobody compares these with a written
    report by another one.
    """

    key: str
    kind: type[R]
    make: Make[R]
    by_turns: bool = False
    apart: Apart | None = None
    algorithm: int = 1

    def compute(self, study: StudyRatings, *, view: View, at: datetime) -> R:
        """The report of what a study holds, in which every figure tells of unequal chances."""
        return with_chances(study, self.make(study, view=view, at=at))

    def in_each_view(self, study: StudyRatings, *, at: datetime) -> Iterator[R]:
        """The report in every view, made once for those that hold the same values."""
        made: dict[View, R] = {}
        for view in VIEWS:
            effective = study.effective(view)
            if effective not in made:
                made[effective] = self.compute(study, view=effective, at=at)
            yield replace(made[effective], view=view)

    def as_json(self, report: R) -> dict[str, Any]:
        """The report as JSON can hold it."""
        plain: dict[str, Any] = self._form.dump_python(report, mode="json")
        return plain

    def as_texts(self, report: R) -> Texts:
        """The report as texts of JSON; `from_texts` gives the same report back."""
        body, pieces = self._divided(report)
        dumped = {name: self._lines.dump_json(lines).decode() for name, lines in pieces.items()}
        return Texts(self._form.dump_json(body).decode(), dumped)

    def from_texts(self, texts: Texts) -> R:
        """Read a report that `as_texts` made, or what is left of it without some pieces."""
        return self.joined(self.from_body(texts.body), texts.pieces.values())

    def from_body(self, text: str) -> R:
        """Read a report without its pieces."""
        return self._form.validate_json(text)

    def joined(self, body: R, pieces: Iterable[str]) -> R:
        """The report with the lines of these pieces."""
        found = {place: line for text in pieces for place, line in self._lines.validate_json(text)}
        if not found or self.apart is None:
            return body
        stayed = list(getattr(body, self.apart.field))
        n = len(stayed) + len(found)
        if max(found) < n:
            rest = iter(stayed)
            lines = [found[place] if place in found else next(rest) for place in range(n)]
        else:
            lines = stayed + [found[place] for place in sorted(found)]
        return _with(body, self.apart.field, tuple(lines))

    def _divided(self, report: R) -> tuple[R, Mapping[str, Placed]]:
        if self.apart is None:
            return report, {}
        piece_of = self.apart.piece_of(report)
        lines: dict[str, Placed] = {"": []}
        for place, line in enumerate(getattr(report, self.apart.field)):
            lines.setdefault(piece_of(line), []).append((place, line))
        stayed = tuple(line for _place, line in lines.pop(""))
        return _with(report, self.apart.field, stayed), lines

    @cached_property
    def fingerprint(self) -> int:
        """Of how figures are computed and of the form of this report: 31 bits that are others as
        soon as a line of either is."""
        form = json.dumps(self._form.json_schema(mode="serialization"), sort_keys=True)
        computed = sources.fingerprint(__name__, self.make.__module__, *_READING)
        return zlib.crc32(f"{self.key} {form}".encode(), computed) & 0x7FFF_FFFF

    def has_form(self, written: Any) -> bool:
        """Whether a report as JSON has the form that is written today, no key more or less."""
        try:
            return bool(self.as_json(self._form.validate_python(written)).keys() == written.keys())
        except ValidationError:
            return False

    @cached_property
    def _form(self) -> TypeAdapter[R]:
        return TypeAdapter(self.kind)

    @cached_property
    def _lines(self) -> TypeAdapter[Placed]:
        """Of what is kept apart."""
        if self.apart is None:
            return TypeAdapter(Placed)
        line = get_args(get_type_hints(self.kind)[self.apart.field])[0]
        placed: Any = GenericAlias(list, (GenericAlias(tuple, (int, line)),))
        return TypeAdapter(placed)


def _with(report: R, field: str, lines: tuple[Any, ...]) -> R:
    changed: dict[str, Any] = {field: lines}
    return replace(report, **changed)
