"""Policies as data: the rules of the trust card that a study fixes beforehand, from a TOML file."""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from analytics.stats.alternative import SWEEP
from analytics.stats.calibration import Method
from analytics.stats.tiers import TierPolicy
from analytics.stats.verdicts import Bar, Rules
from annotation.rubric.schema import Measurement, Text

DEFAULT = "default"
EVERY_CRITERION = "*"
STATISTICS: Mapping[Measurement, tuple[str, ...]] = {
    Measurement.ORDINAL: ("icc_a1", "icc_c1"),
    Measurement.BINARY: ("kappa", "ac1", "icc_a1"),
    Measurement.NOMINAL: ("kappa", "ac1"),
}
_LIBRARY = Path(__file__).parent


class PolicyError(Exception):
    """A file that is not a policy; `problems` has a sentence for each mistake."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Text(_Strict):
    en: str = Field(min_length=1)
    zh_hans: str = Field(min_length=1)


class _Bar(_Strict):
    trusted: float = Field(ge=-1, le=1)
    unusable: float = Field(ge=-1, le=1)

    @model_validator(mode="after")
    def _differ(self):
        if self.trusted == self.unusable:
            raise ValueError("the bars of trust and of use must differ")
        return self


class _Rising(_Bar):
    """More is better."""

    @model_validator(mode="after")
    def _rise(self):
        if self.trusted < self.unusable:
            raise ValueError("trust must take more than use")
        return self


class _Falling(_Bar):
    """Less is better."""

    @model_validator(mode="after")
    def _fall(self):
        if self.trusted > self.unusable:
            raise ValueError("trust must allow less than use")
        return self


class CriterionRules(_Strict):
    """What the card asks of a criterion at one level of measurement; None: not asked.

    `statistic` is the one that `agreement` and `ceiling_margin` are about; `epsilon` that of the
    alternative annotator test; margins are in points of the scale, of labels in shares flagged.
    """

    statistic: str
    least_items: int = Field(ge=1)
    least_dialogues: int = Field(ge=1)
    agreement: _Rising
    unscored: _Falling | None = None
    bias_margin: float | None = Field(default=None, gt=0)
    ceiling_margin: float | None = Field(default=None, ge=0)
    epsilon: float | None = None
    sensitivity: _Rising | None = None
    least_positives: int = Field(default=0, ge=0)
    repeatability: _Rising | None = None
    drift_margin: float | None = Field(default=None, gt=0)
    calibration: Literal["shift", "linear"] | None = None

    @model_validator(mode="after")
    def _known_epsilon(self):
        if self.epsilon is not None and self.epsilon not in SWEEP:
            known = ", ".join(f"{value:g}" for value in SWEEP)
            raise ValueError(f"epsilon must be one of {known}")
        return self

    @property
    def calibrated_by(self) -> Method | None:
        return Method(self.calibration) if self.calibration else None

    def rules(self, name: str, *, asks_sensitivity: bool) -> Rules:
        """The rules as `stats.verdicts` takes them."""
        return Rules(
            name=name,
            least_items=self.least_items,
            least_dialogues=self.least_dialogues,
            agreement=_bar(self.agreement),
            unscored=self.unscored and _bar(self.unscored),
            bias_margin=self.bias_margin,
            ceiling_margin=self.ceiling_margin,
            asks_alternative=self.epsilon is not None,
            sensitivity=_bar(self.sensitivity) if self.sensitivity and asks_sensitivity else None,
            least_positives=self.least_positives if asks_sensitivity else 0,
            repeatability=self.repeatability and _bar(self.repeatability),
        )


class _Tiers(_Strict):
    good_width: float = Field(gt=0, le=2)
    moderate_width: float = Field(gt=0, le=2)
    replicates: int = Field(ge=100, le=10_000)
    keeps_only_shares: bool
    seed: int = Field(ge=0)

    @model_validator(mode="after")
    def _wider(self):
        if self.moderate_width <= self.good_width:
            raise ValueError("moderate_width must be above good_width")
        return self


class _File(_Strict):
    title: _Text
    about: _Text
    sensitivity_of: list[str] = []
    ordinal: CriterionRules | None = None
    binary: CriterionRules | None = None
    nominal: CriterionRules | None = None
    tiers: _Tiers | None = None

    @model_validator(mode="after")
    def _complete(self):
        given = [level.value for level in Measurement if getattr(self, level.value)]
        if bool(given) == bool(self.tiers):
            raise ValueError("give either tiers, or rules for ordinal, binary and nominal")
        if given and len(given) < len(Measurement):
            raise ValueError("give rules for all of ordinal, binary and nominal")
        for level in Measurement:
            _refuse_statistic(level, getattr(self, level.value))
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules by level of measurement, or the tiers of a published study; `text` is the file."""

    key: str
    title: Text
    about: Text
    text: str
    by_level: Mapping[Measurement, CriterionRules]
    sensitivity_of: frozenset[str]
    tiers: TierPolicy | None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def asks_sensitivity(self, criterion: str) -> bool:
        """Whether a judge must find what people flag on this criterion."""
        return bool({criterion, EVERY_CRITERION} & self.sensitivity_of)


def read(key: str, text: str) -> Policy:
    """Turn the text of a TOML file into a policy; PolicyError names every mistake's place."""
    try:
        given = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise PolicyError([f"{key}.toml: This is not TOML: {error}."]) from error
    except ValidationError as error:
        raise PolicyError(_sentence(key, problem) for problem in error.errors()) from error
    found = {level: getattr(given, level.value) for level in Measurement}
    return Policy(
        key=key,
        title=Text(en=given.title.en, zh_hans=given.title.zh_hans),
        about=Text(en=given.about.en, zh_hans=given.about.zh_hans),
        text=text,
        by_level={level: rules for level, rules in found.items() if rules},
        sensitivity_of=frozenset(given.sensitivity_of),
        tiers=TierPolicy(name=key, **given.tiers.model_dump()) if given.tiers else None,
    )


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Policy]:
    """{key: policy} of the files that come with Concord; the default first."""
    files = sorted(_LIBRARY.glob("*.toml"), key=lambda file: (file.stem != DEFAULT, file.stem))
    return {file.stem: read(file.stem, file.read_text(encoding="utf-8")) for file in files}


def published_tiers() -> TierPolicy:
    """The tiers of the source study, as shipped."""
    return next(policy.tiers for policy in shipped().values() if policy.tiers)


def _bar(given: _Bar) -> Bar:
    return Bar(trusted=given.trusted, unusable=given.unusable)


def _refuse_statistic(level: Measurement, rules: CriterionRules | None) -> None:
    if rules and rules.statistic not in STATISTICS[level]:
        known = ", ".join(STATISTICS[level])
        raise ValueError(f"{level.value}: statistic must be one of {known}")


def _sentence(key: str, problem: Mapping) -> str:
    place = ".".join(map(str, problem["loc"])) or "the file"
    return f"{key}.toml: {place}: {problem['msg'].removeprefix('Value error, ')}."
