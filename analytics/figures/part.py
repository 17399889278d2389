"""What pages show comes in parts: each is made from the ratings, kept as JSON, and read back."""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

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


@dataclass(frozen=True, kw_only=True)
class Part(Generic[R]):
    """One kind of report.

    What was stored under another `fingerprint` is made anew. `by_turns`: where ratings come in
    quickly, what takes long stands for some moments as it was, and says so.
    """

    key: str
    kind: type[R]
    make: Make[R]
    by_turns: bool = False

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

    def as_text(self, report: R) -> str:
        """The report as a text of JSON; `from_text` gives the same report back."""
        return self._form.dump_json(report).decode()

    def from_text(self, text: str) -> R:
        """Read a report that `as_text` made."""
        return self._form.validate_json(text)

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
