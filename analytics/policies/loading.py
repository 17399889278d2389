"""Policies as data: the rules of the trust card that a study fixes beforehand, from a TOML file."""

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from analytics.stats.alternative import SWEEP
from analytics.stats.calibration import Method
from analytics.stats.looks import LookPlan
from analytics.stats.tiers import TierPolicy
from analytics.stats.verdicts import Bar, EndpointChange, Rules
from annotation.rubric.schema import Measurement, Text
from annotation.rubric.sentences import NotSound, Sentence, sentence
from annotation.rubric.tables import RubricTable

DEFAULT = "default"
EVERY_CRITERION = "*"
MOST_BYTES = 32 * 2**10
STATISTICS: Mapping[Measurement, tuple[str, ...]] = {
    Measurement.ORDINAL: ("icc_a1", "icc_c1"),
    Measurement.BINARY: ("kappa", "ac1", "icc_a1"),
    Measurement.NOMINAL: ("kappa", "ac1"),
}
_LIBRARY = Path(__file__).parent
_CALIBRATIONS = {method.value: method for method in (Method.SHIFT, Method.LINEAR)}
_CHANGES = {change.value: change for change in (EndpointChange.LLM, EndpointChange.FINGERPRINT)}
_ANY_BAR = Bar(trusted=1, unusable=0)
_MOST_LOOKS = 50
_MOST, _LEAST_MARGIN, _LARGEST_MARGIN = 1_000_000, 0.001, 100.0

Read = TypeVar("Read")


class PolicyError(NotSound):
    """A file that is not a policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRules(Rules):
    """What the card asks of a criterion at one level of measurement.

    `statistic` is the one that `agreement` and `ceiling_margin` are about; `epsilon` that of the
    alternative annotator test; margins are in points of the scale, of labels in shares flagged.
    """

    statistic: str
    epsilon: float | None
    drift_margin: float | None
    calibration: Method | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules by level of measurement, or the tiers of a published study; `text` is the file, and
    `looks` when one looks, if that is fixed beforehand."""

    key: str
    title: Text
    about: Text
    text: str
    by_level: Mapping[Measurement, CriterionRules]
    sensitivity_of: frozenset[str]
    expires_with: frozenset[EndpointChange]
    tiers: TierPolicy | None
    looks: LookPlan | None = None

    @property
    def sha256(self) -> str:
        return _sha256(self.text)

    def asks_sensitivity(self, criterion: str) -> bool:
        """Whether a judge must find what people flag on this criterion."""
        return bool({criterion, EVERY_CRITERION} & self.sensitivity_of)

    def rules(self, level: Measurement, criterion: str) -> Rules:
        """The rules of a criterion as `stats.verdicts` takes them."""
        asked = self.by_level[level]
        if self.asks_sensitivity(criterion):
            return asked
        return replace(asked, sensitivity=None, least_positives=0)


def read(key: str, text: str) -> Policy:
    """Turn the text of a TOML file into a policy; PolicyError names the place of every mistake."""
    problems: list[Sentence] = []
    table = _Part(_parsed(text), "", problems)
    title, about = table.words("title"), table.words("about")
    tiers = table.perhaps("tiers", lambda name: _tiers(table.part(name), key))
    levels = [level for level in Measurement if level.value in table.unread]
    expires_with = table.perhaps("expires_with", table.changes) or frozenset()
    policy = Policy(
        key=key,
        title=title,
        about=about,
        text=text,
        by_level={
            level: _criterion_rules(table.part(level.value), level, expires_with)
            for level in levels
        },
        sensitivity_of=frozenset(table.perhaps("sensitivity_of", table.strings) or ()),
        expires_with=expires_with,
        tiers=tiers,
        looks=table.perhaps("looks", lambda name: _looks(table.part(name))),
    )
    table.finish()
    if not problems:
        problems += _incomplete(policy)
    if problems:
        raise PolicyError(problems)
    return policy


def read_own(content: bytes) -> Policy:
    """Turn a file that a team brought into a policy, whose key is the begin of its SHA-256."""
    if len(content) > MOST_BYTES:
        raise PolicyError(
            [
                sentence(
                    "The file is larger than {most} kB: rules are short.", most=MOST_BYTES // 2**10
                )
            ]
        )
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise PolicyError([sentence("The file is not in UTF-8. Save it as UTF-8.")]) from None
    if text.startswith("\ufeff"):
        raise PolicyError(
            [sentence("The file begins with a byte order mark. Save it as UTF-8 without one.")]
        )
    policy = read(own_key(text), text)
    if policy.tiers:
        raise PolicyError(
            [
                sentence(
                    "tiers: the published tiers come with Concord. Rules of your own are given for "
                    "ordinal, binary and nominal."
                )
            ]
        )
    return policy


def own_key(text: str) -> str:
    """What rules are called that did not come with Concord."""
    return _sha256(text)[:12]


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Policy]:
    """{key: policy} of the files that come with Concord; the default first."""
    files = sorted(_LIBRARY.glob("*.toml"), key=lambda file: (file.stem != DEFAULT, file.stem))
    return {file.stem: read(file.stem, file.read_text(encoding="utf-8")) for file in files}


def published_tiers() -> TierPolicy:
    """The tiers of the source study, as shipped."""
    return next(policy.tiers for policy in shipped().values() if policy.tiers)


class _Part(RubricTable):
    """A table of a policy."""

    def part(self, name: str) -> "_Part":
        raw = self._take(name)
        return _Part({}, "", []) if raw is None else _Part(raw, self.at(name), self.problems)

    def perhaps(self, name: str, read: Callable[[str], Read]) -> Read | None:
        """What `read` makes of an attribute; None where it is not given."""
        return read(name) if name in self.unread else None

    def words(self, name: str) -> Text:
        """A text; one without Chinese is in English for everybody."""
        table = self.part(name)
        english = table.string("en")
        text = Text(en=english, zh_hans=table.perhaps("zh_hans", table.string) or english)
        table.finish()
        return text

    def number(self, name: str, *, low: float, high: float) -> float:
        raw = self._take(name)
        if isinstance(raw, int | float) and not isinstance(raw, bool) and low <= raw <= high:
            return float(raw)
        if raw is not None:
            self.mistaken(
                "{place} must be a number from {low} to {high}.",
                name,
                low=f"{low:g}",
                high=f"{high:g}",
            )
        return low

    def count(self, name: str, *, low: int, high: int = _MOST) -> int:
        raw = self._take(name)
        if isinstance(raw, int) and not isinstance(raw, bool) and low <= raw <= high:
            return raw
        if raw is not None:
            self.mistaken(
                "{place} must be a whole number from {low} to {high}.", name, low=low, high=high
            )
        return low

    def flag(self, name: str) -> bool:
        raw = self._take(name)
        if raw is not None and not isinstance(raw, bool):
            self.mistaken("{place} must be true or false.", name)
        return raw is True

    def margin(self, name: str) -> float:
        return self.number(name, low=_LEAST_MARGIN, high=_LARGEST_MARGIN)

    def rising_counts(self, name: str) -> tuple[int, ...]:
        """Whole numbers from 1, each above the one before."""
        raw = [entry for _place, entry in self.entries(name)]
        found = [one for one in raw if isinstance(one, int) and not isinstance(one, bool)]
        is_sound = len(found) == len(raw) and 0 < len(found) <= _MOST_LOOKS
        if is_sound and found[0] >= 1 and all(one < two for one, two in pairwise(found)):
            return tuple(found)
        self.mistaken(
            "{place} must be up to {most} whole numbers, each above the one before: how many "
            "items are rated at each look.",
            name,
            most=_MOST_LOOKS,
        )
        return (1,)

    def rising_dates(self, name: str) -> tuple[date, ...]:
        """Days, each after the one before."""
        raw = [entry for _place, entry in self.entries(name)]
        found = [one for one in raw if isinstance(one, date) and not isinstance(one, datetime)]
        if len(found) == len(raw) and all(one < two for one, two in pairwise(found)):
            return tuple(found)
        self.mistaken("{place} must be days such as 2027-01-31, each after the one before.", name)
        return ()

    def rising(self, name: str, *, low: float) -> Bar:
        """A bar, up to 1, of which more is better."""
        bar = self._bar(name, low)
        if bar is not _ANY_BAR and not bar.trusted > bar.unusable:
            self.mistaken("{place}: “trusted” must be above “unusable”.", name)
        return bar

    def falling(self, name: str) -> Bar:
        """A bar, from 0 to 1, of which less is better."""
        bar = self._bar(name, 0)
        if bar is not _ANY_BAR and not bar.trusted < bar.unusable:
            self.mistaken("{place}: “trusted” must be below “unusable”.", name)
        return bar

    def epsilon(self, name: str) -> float:
        raw = self._take(name)
        if isinstance(raw, int | float) and not isinstance(raw, bool) and raw in SWEEP:
            return float(raw)
        self._refuse_choice(self.at(name), (f"{value:g}" for value in SWEEP))
        return SWEEP[0]

    def changes(self, name: str) -> frozenset[EndpointChange]:
        named: set[EndpointChange] = set()
        for place, entry in self.entries(name):
            if isinstance(entry, str) and entry in _CHANGES:
                named.add(_CHANGES[entry])
            else:
                self._refuse_choice(place, _CHANGES)
        return frozenset(named)

    def _bar(self, name: str, low: float) -> Bar:
        before = len(self.problems)
        table = self.part(name)
        trusted, unusable = (table.number(end, low=low, high=1) for end in ("trusted", "unusable"))
        table.finish()
        if len(self.problems) == before and trusted == unusable:
            self.mistaken("{place}: “trusted” and “unusable” must differ.", name)
        is_sound = len(self.problems) == before
        return Bar(trusted=trusted, unusable=unusable) if is_sound else _ANY_BAR

    def _refuse_choice(self, place: str, allowed: Iterable[str]) -> None:
        self.problems.append(
            sentence("{place} must be one of: {allowed}.", place=place, allowed=", ".join(allowed))
        )


def _parsed(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise PolicyError([sentence("The lists in this file are nested too deeply.")]) from None
    except ValueError as error:
        raise PolicyError([sentence("This is not TOML: {error}.", error=str(error))]) from error


def _criterion_rules(
    table: _Part, level: Measurement, expires_with: frozenset[EndpointChange]
) -> CriterionRules:
    statistics = {name: name for name in STATISTICS[level]}
    rules = CriterionRules(
        statistic=table.choice("statistic", statistics) or "",
        least_items=table.count("least_items", low=1),
        least_dialogues=table.count("least_dialogues", low=1),
        agreement=table.rising("agreement", low=-1),
        unscored=table.perhaps("unscored", table.falling),
        bias_margin=table.perhaps("bias_margin", table.margin),
        ceiling_margin=table.perhaps(
            "ceiling_margin", lambda name: table.number(name, low=0, high=2)
        ),
        asks_alternative="epsilon" in table.unread,
        epsilon=table.perhaps("epsilon", table.epsilon),
        sensitivity=table.perhaps("sensitivity", lambda name: table.rising(name, low=0)),
        least_positives=table.perhaps("least_positives", lambda name: table.count(name, low=0))
        or 0,
        repeatability=table.perhaps("repeatability", lambda name: table.rising(name, low=-1)),
        drift_margin=table.perhaps("drift_margin", table.margin),
        calibration=table.perhaps("calibration", lambda name: table.choice(name, _CALIBRATIONS)),
        expires_with=expires_with,
    )
    table.finish()
    return rules


def _looks(table: _Part) -> LookPlan:
    plan = LookPlan(
        items=table.rising_counts("items"),
        dates=table.perhaps("dates", table.rising_dates) or (),
        people=table.count("people", low=1, high=1_000),
        repeats=table.count("repeats", low=1, high=1_000),
        flagged=table.perhaps("flagged", lambda name: table.number(name, low=0, high=1)) or 0.0,
    )
    table.finish()
    if plan.dates and len(plan.dates) != len(plan.items):
        table.mistaken("{place}: give a date for each look, or none.", "dates")
    return plan


def _tiers(table: _Part, name: str) -> TierPolicy:
    tiers = TierPolicy(
        name=name,
        good_width=table.number("good_width", low=_LEAST_MARGIN, high=2),
        moderate_width=table.number("moderate_width", low=_LEAST_MARGIN, high=2),
        replicates=table.count("replicates", low=100, high=10_000),
        keeps_only_shares=table.flag("keeps_only_shares"),
        seed=table.count("seed", low=0),
    )
    table.finish()
    return tiers


def _incomplete(policy: Policy) -> list[Sentence]:
    if bool(policy.by_level) == bool(policy.tiers):
        return [sentence("Give rules for ordinal, binary and nominal, or else tiers.")]
    if policy.by_level and len(policy.by_level) < len(Measurement):
        return [sentence("Give rules for all of ordinal, binary and nominal.")]
    if policy.tiers and policy.tiers.moderate_width <= policy.tiers.good_width:
        return [sentence("tiers: “moderate_width” must be above “good_width”.")]
    return [
        sentence("{level}: “least_positives” is asked only with “sensitivity”.", level=level.value)
        for level, rules in policy.by_level.items()
        if rules.least_positives and not rules.sensitivity
    ]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
