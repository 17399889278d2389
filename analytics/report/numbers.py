"""Every figure of every part as one JSON value, and the same again from the ratings beside it."""

import json
import math
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from importlib.metadata import version
from typing import Any

from django.conf import settings

from analytics.exports import writers
from analytics.figures.part import PartReport
from analytics.pairs import numbers as pairs
from analytics.parts import PARTS
from analytics.policies.loading import Policy
from analytics.ratings.matrices import VIEWS, StudyRatings, View
from analytics.report import basis, sums
from analytics.report.basis import Basis, Files, UnreadableReport
from analytics.stats import components, intervals, tiers
from analytics.stats.estimates import Estimate
from annotation.actions.imports.copying import Watch

FORMAT = "concord-report/1"
FILE = "report.json"
TOLERANCE = 1e-9
TOLERANCE_OF_A_SEARCH = 1e-5  # the top of a likelihood is flat
SEEDS = {
    "bootstrap": intervals.SEED,
    "resamples": intervals.REPLICATES,
    "seeds_of_tiers": tiers.SEEDS,
}
LIBRARIES = ("numpy", "scipy", "pandas")
_SEARCHED = (*components.FORMS, "latent")  # where numbers stand that a search found
_OF_THE_MOMENT = frozenset({"versions", "computed_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSum:
    """What the ratings beside a report came to."""

    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPart:
    """A part in each of its views; those of before they said so are of the first algorithm."""

    reports: tuple[dict[str, Any], ...]
    algorithm: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPolicy:
    """The rules that were held beside the figures, and the sum that names them."""

    sha256: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReport:
    """What is compared of `FILE`."""

    computed_at: datetime
    versions: dict[str, str]
    data: WrittenSum
    policy: WrittenPolicy
    parts: dict[str, WrittenPart]
    pairs: Any = None


Made = Mapping[str, Mapping[View, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came of computing a report again.

    `differing`: where in the report a number or word is not the same; `in_another_form`: parts that
    this Concord writes otherwise, of which it compared what both have; `computed_otherwise`:
    {part by another algorithm: how many of its numbers differ}, which is no fault; `not_compared`:
    parts that it does not write; `not_there`: parts that it would write; `edited`: files that are not
    as they were written; `unknown`: files of which nobody can say, as no sum is theirs; `then`, `now`:
    versions of all that computed.
    """

    n_numbers: int
    greatest: float
    differing: tuple[str, ...]
    in_another_form: tuple[str, ...]
    computed_otherwise: Mapping[str, int]
    not_compared: tuple[str, ...]
    not_there: tuple[str, ...]
    edited: tuple[str, ...]
    unknown: tuple[str, ...]
    then: Mapping[str, str]
    now: Mapping[str, str]


def made(ratings: StudyRatings, *, at: datetime, watch: Watch = iter) -> Made:
    """{part: {view: its report}}, every part that there is in every view; `watch` counts them."""
    return {
        key: {report.view: report for report in part.in_each_view(ratings, at=at)}
        for key, part in watch(PARTS.items())
    }


def distinct_views(ratings: StudyRatings) -> list[View]:
    """The views that hold different values, the plain one first."""
    return [view for view in VIEWS if ratings.effective(view) == view]


def as_json(
    based: Basis,
    found: Made,
    files: Files,
    *,
    at: datetime,
    judges: Sequence[Mapping[str, object]],
    policy: Policy,
) -> bytes:
    """The content of `FILE`: figures, versions, seeds, policy, the sum of the ratings beside it."""
    ratings = based.ratings
    views = distinct_views(ratings)
    content = {
        "format": FORMAT,
        "computed_at": at.isoformat(),
        "versions": versions(),
        **_about(based, files),
        "judges": judges,
        "policy": {"key": policy.key, "sha256": policy.sha256, "text": policy.text},
        "parts": {
            key: {
                "algorithm": PARTS[key].algorithm,
                "reports": [PARTS[key].as_json(reports[view]) for view in views],
            }
            for key, reports in found.items()
        },
        **({"pairs": pairs.as_json(based.pairs)} if based.pairs else {}),
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return (text + "\n").encode()


def _about(based: Basis, files: Files) -> dict[str, Any]:
    """What figures are of, and what they came from."""
    ratings = based.ratings
    return {
        "study": ratings.key,
        "revision": ratings.revision,
        "rubric": {"key": ratings.rubric.key, "fingerprint": ratings.rubric_fingerprint},
        "seeds": SEEDS,
        "data": {"files": basis.in_sum(files), "sha256": basis.sha256_of(files)},
    }


def versions() -> dict[str, str]:
    """Of everything that a number passes through."""
    libraries = {name: version(name) for name in LIBRARIES}
    return {"concord": settings.VERSION, "python": platform.python_version()} | libraries


def check(files: Files) -> Checked:
    """Compute every figure of a report again from the ratings in it. UnreadableReport says why not."""
    told = _written(files)
    written = basis.told_in(FILE, told, WrittenReport)
    if basis.sha256_of(_all_of(files)) != written.data.sha256:
        raise UnreadableReport(
            "The files in data are not those that the figures were computed from: their SHA-256 "
            "differs from the one in report.json."
        )
    known = sums.read(files)
    based = basis.read(files)
    ratings = based.ratings
    compared, across = ReportComparison(), ComparisonAcrossForms()
    about = _about(based, files)
    compared.compare({key: told.get(key) for key in about}, about, FILE)
    if writers.sha256_of_bytes(written.policy.text.encode()) != written.policy.sha256:
        compared.differing.append(f"{FILE}.policy")
    compared.differing += basis.unread(files, based)
    in_another_form, otherwise = [], {}
    views = distinct_views(ratings)
    for key in sorted(written.parts.keys() & PARTS.keys()):
        part, reports = PARTS[key], written.parts[key].reports
        if [_view(key, report) for report in reports] != views:
            compared.differing.append(f"{key}.reports")
            continue
        has_form = all(map(part.has_form, reports))
        if not has_form:
            in_another_form.append(key)
        with_it = compared if has_form else across
        if written.parts[key].algorithm != part.algorithm:
            with_it = otherwise[key] = ComparisonAcrossForms()
        for view, report in zip(views, reports, strict=True):
            again = part.as_json(part.compute(ratings, view=view, at=written.computed_at))
            with_it.compare(report, again, key)
    if written.pairs is not None:
        # Through JSON, as what was written has been: it knows lists only.
        compared.compare(written.pairs, json.loads(json.dumps(pairs.as_json(based.pairs))), "pairs")
    return Checked(
        n_numbers=sum(one.n_numbers for one in (compared, across, *otherwise.values())),
        greatest=max(compared.greatest, across.greatest),
        differing=(*compared.differing, *across.differing),
        in_another_form=tuple(in_another_form),
        computed_otherwise={key: len(one.differing) for key, one in otherwise.items()},
        not_compared=tuple(sorted(written.parts.keys() - PARTS.keys())),
        not_there=tuple(sorted(PARTS.keys() - written.parts.keys())),
        edited=sums.edited(files, known),
        unknown=sums.unknown(files, known),
        then=written.versions,
        now=versions(),
    )


def estimates(report: PartReport, names: Mapping[int, str]) -> Iterator[tuple[str, Estimate]]:
    """Every estimate of a report and where in it that stands, in words such as “judge echo”.

    `names`: {rater id: what the rater is called}.
    """
    yield from _estimates(report, (), names)


class ReportComparison:
    """Two JSON values, walked side by side."""

    def __init__(self) -> None:
        self.n_numbers = 0
        self.greatest = 0.0
        self.differing: list[str] = []

    def compare(self, one: Any, other: Any, where: str) -> None:
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            for key in one.keys() - _OF_THE_MOMENT:
                self.compare(one[key], other[key], f"{where}.{key}")
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            for place, pair in enumerate(zip(one, other, strict=True)):
                self.compare(*pair, f"{where}[{place}]")
        elif _is_number(one) and _is_number(other):
            self._compare_numbers(one, other, where)
        elif one != other:
            self.differing.append(where)

    def _compare_numbers(self, one: float, other: float, where: str) -> None:
        self.n_numbers += 1
        self.greatest = max(self.greatest, abs(one - other))
        is_searched = any(name in where for name in _SEARCHED)
        tolerance = TOLERANCE_OF_A_SEARCH if is_searched else TOLERANCE
        if not math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance):
            self.differing.append(where)


class ComparisonAcrossForms(ReportComparison):
    """The numbers that reports of two releases have in common.

    Where a record has lost a key, its own numbers may mean something else now; so may the ends of
    an interval that another method makes. These are left out, and lists of another length.
    """

    def compare(self, one: Any, other: Any, where: str) -> None:
        if isinstance(one, dict) and isinstance(other, dict):
            for key in sorted(_meaning_the_same(one, other)):
                self.compare(one[key], other[key], f"{where}.{key}")
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) == len(other):
                super().compare(one, other, where)
        elif _is_number(one) or _is_number(other):
            super().compare(one, other, where)


def _meaning_the_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    shared = (one.keys() & other.keys()) - _OF_THE_MOMENT
    if one.keys() - other.keys():
        shared = {key for key in shared if isinstance(one[key], (dict, list))}
    if one.get("method") != other.get("method"):
        shared -= {"low", "high"}
    return shared


def _is_number(value: object) -> bool:
    """Whether it can be reckoned with: JSON knows whole numbers that no float holds."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def _written(files: Files) -> Mapping[str, Any]:
    if FILE not in files:
        raise UnreadableReport(f"There is no {FILE}, so this is not a report of Concord.")
    named = basis.json_in(FILE, files[FILE])
    if not isinstance(named, dict) or named.get("format") != FORMAT:
        raise UnreadableReport(f"{FILE} is not in the format {FORMAT}.")
    return named


def _view(key: str, report: Mapping[str, Any]) -> View:
    return basis.told_in(f"{FILE}, the view of {key}", report.get("view"), View)


def _all_of(files: Files) -> Files:
    if missing := [name for name in basis.FILES if name not in files]:
        raise UnreadableReport(f"{missing[0]} is missing, so nothing can be computed again.")
    return files


def _estimates(
    value: object, where: tuple[str, ...], names: Mapping[int, str]
) -> Iterator[tuple[str, Estimate]]:
    if isinstance(value, Estimate):
        yield ", ".join(where), value
    elif is_dataclass(value):
        inside = (*where, *(one for one in _called(value, names) if one not in where))
        for field in fields(value):
            held = getattr(value, field.name)
            named = field.name != "estimates" and (
                isinstance(held, Mapping) or (is_dataclass(held) and not isinstance(held, Estimate))
            )
            yield from _estimates(held, (*inside, field.name) if named else inside, names)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            name = () if isinstance(one, Estimate) and one.statistic == key else (str(key),)
            yield from _estimates(one, (*where, *name), names)
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _estimates(one, where, names)


_RATERS = ("judge", "rater", "human", "person", "first", "second", "one", "other")
_NAMING = (
    "criterion",
    "kind",
    "key",
    "reference",
    "cut",
    "method",
    "version",
    "level",
    "node",
    "label",
    "generator",
    "system",
)


def _called(value: Any, names: Mapping[int, str]) -> Iterator[str]:
    """What tells a record of a report from its neighbours."""
    for field in fields(value):
        held = getattr(value, field.name)
        if field.name in _RATERS and isinstance(held, int):
            yield names.get(held, str(held))
        elif field.name == "raters" and held and all(isinstance(one, int) for one in held):
            yield " & ".join(names.get(one, str(one)) for one in held)
        elif field.name in _NAMING and isinstance(held, (str, int, float)):
            text = held.value if isinstance(held, Enum) else held
            yield f"{field.name} {text:g}" if _is_number(text) else str(text)
