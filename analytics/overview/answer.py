"""The answer of a study: what each judge may be used for, criterion by criterion, and why not more.

Drawn from the trust cards, so that the first page and a card never say different things.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from accounts.punctuation import in_turn
from analytics.agreement.numbers import CriterionLine
from analytics.overview.words import (
    FROM_THE_GRAVEST,
    misses_beside,
    said_may,
    said_next,
    said_use_and_why,
    said_why,
    weight_of,
    weightiest,
    with_misses,
)
from analytics.policies.loading import Policy
from analytics.present.naming import Naming
from analytics.present.words import point_names
from analytics.stats.estimates import Estimate
from analytics.stats.verdicts import CardLine, TrustCard, Verdict
from analytics.trust.numbers import Known, Measured, TrustReport, applied, card_of
from analytics.trust.words import VERDICTS, said_tier, verdict_name
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class UseSentence:
    """What a judge may be used for on some criteria, and why not for more."""

    label: str
    badge: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswer:
    """The gravest sentence first; `step` is what to do next, at `step_link`."""

    key: int
    judge: str
    sentences: tuple[UseSentence, ...]
    step: str
    step_link: str

    @property
    def gravest(self) -> UseSentence:
        return self.sentences[0]

    @property
    def others(self) -> tuple[UseSentence, ...]:
        return self.sentences[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedOn:
    """A judge on a criterion, its card, and by whom it is measured."""

    line: CriterionLine
    known: Known
    card: TrustCard
    measured: Measured
    rubric: Rubric

    @property
    def name(self) -> str:
        return said(self.line.name)

    @property
    def only_answer(self) -> str:
        """What the judge says to every item, in words; empty where it says several things."""
        if self.measured.only_answer is None:
            return ""
        (name,) = point_names(self.rubric, self.line.key, [self.measured.only_answer])
        return name


@dataclass(frozen=True, kw_only=True)
class TrustAnswer:
    """The trust cards of a study under one policy, to be said at a glance."""

    report: TrustReport
    policy: Policy
    naming: Naming

    @cached_property
    def judges(self) -> list[int]:
        """Those of whom the gravest is to be said first."""
        asked = {known.judge for known in self.report.known}
        return sorted((one.id for one in self.report.raters if one.id in asked), key=self._gravity)

    def _gravity(self, judge: int) -> list[tuple[int, int]]:
        """The less, the sooner somebody must act: by the worst criterion, then by the next."""
        return sorted(
            (FROM_THE_GRAVEST.index(one.card.verdict), weight_of(weightiest(one.card)))
            for one in self._cards(judge)
        )

    @cached_property
    def by_judge(self) -> list[JudgeAnswer]:
        """What each judge may be used for; a policy of tiers says nothing about use."""
        found = (self._answer(judge) for judge in self.judges)
        return [one for one in found if one.sentences]

    @cached_property
    def measured_by(self) -> str:
        """The tier of what verdicts are measured by, or of each; empty where there is none."""
        told = {
            said_tier(one.measured.reference): None
            for judge in self.judges
            for one in self._cards(judge)
        }
        return _("Measured by %(reference)s.") % {"reference": in_turn(told)} if told else ""

    @property
    def legend(self) -> list[tuple[str, str, str]]:
        """(verdict, its light, what it means) of every verdict, the best first."""
        if self.policy.tiers:
            return []
        return [(str(name), badge, str(about)) for name, badge, about in VERDICTS.values()]

    def _answer(self, judge: int) -> JudgeAnswer:
        cards = list(self._cards(judge))
        groups = [
            (verdict, found)
            for verdict in FROM_THE_GRAVEST
            if (found := [one for one in cards if one.card.verdict is verdict])
        ]
        step, page = self._step(*groups[0]) if groups else ("", "")
        return JudgeAnswer(
            key=judge,
            judge=self.naming.rater(judge).text,
            sentences=tuple(
                _sentence(verdict, found, is_every=len(found) == len(cards) > 1)
                for verdict, found in groups
            ),
            step=step,
            step_link=self.naming.link(page) if page else "",
        )

    def _step(self, verdict: Verdict, found: Sequence[JudgedOn]) -> tuple[str, str]:
        return said_next(verdict, _first_line(found)[1])

    def _cards(self, judge: int) -> Iterator[JudgedOn]:
        for line in self.report.criteria:
            known = self.report.known_of(line.key, judge)
            card = known and card_of(known, line, self.policy)
            held = known and applied(known, line, self.policy)
            if known and card and held:
                yield JudgedOn(
                    line=line,
                    known=known,
                    card=card,
                    measured=held[0],
                    rubric=self.naming.rubric,
                )


def _sentence(verdict: Verdict, found: Sequence[JudgedOn], *, is_every: bool) -> UseSentence:
    """With one reason: that of all of these criteria, or the weightiest with its criterion."""
    has_one_reason = len({_said_why(one) for one in found}) == 1
    first = _first_line(found)[0]
    missing = next((one for one in found if _misses(one)), first) if has_one_reason else first
    why = with_misses(
        _said_why(first),
        _misses(missing),
        criterion=missing.name if has_one_reason and len(found) > 1 else "",
        by_gold=missing.measured.is_gold,
    )
    return UseSentence(
        label=verdict_name(verdict),
        badge=VERDICTS[verdict][1],
        text=said_use_and_why(
            said_may(verdict, [one.name for one in found], is_every=is_every),
            why,
            criterion="" if has_one_reason else first.name,
        ),
    )


def _said_why(one: JudgedOn) -> str:
    line = weightiest(one.card)
    if line is None:
        return ""
    return said_why(
        line,
        has_second_person=bool(one.known.with_each_other),
        only_answer=one.only_answer,
        by_gold=one.measured.is_gold,
    )


def _misses(one: JudgedOn) -> Estimate | None:
    line = weightiest(one.card)
    return misses_beside(line, one.card) if line else None


def _first_line(found: Sequence[JudgedOn]) -> tuple[JudgedOn, CardLine | None]:
    """The criterion whose reason weighs most, and the line that gives it."""
    lines = [(one, weightiest(one.card)) for one in found]
    return min(lines, key=lambda pair: weight_of(pair[1]))
