"""What the trust pages show: a verdict on each judge and criterion, and the lines it rests on."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.agreement.numbers import CriterionLine
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import FiguresPage, NoSuchPage
from analytics.present.tables import Table
from analytics.present.words import number
from analytics.ratings.history import Answerer
from analytics.stats.verdicts import (
    EndpointChange,
    TrustCard,
)
from analytics.trust import policies, tables
from analytics.trust.numbers import Known, TrustReport, applied, card_of, change_under
from analytics.trust.policies import Held, PolicyChoice, Rendered
from analytics.trust.words import (
    TIERS,
    VERDICTS,
    because,
    flag,
    percent,
    said_change,
    said_drift,
    said_leading,
    verdict_name,
)
from annotation.models import Study
from annotation.queries.wording import said
from judging.models import Judge
from judging.queries.wording import asked_how


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCell:
    """One judge on one criterion: the verdict, or the tier of a policy of tiers.

    `leading` is the figure of agreement in words, `because` the lines that are not met, by outcome;
    `flag` says that somebody else answers now.
    """

    judge: int
    judge_name: str
    label: str
    badge: str
    leading: str
    because: tuple[str, ...]
    is_expired: bool
    flag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow:
    """One criterion; a cell is None where the judge has not rated it."""

    key: str
    name: str
    cells: tuple[VerdictCell | None, ...]


@dataclass(frozen=True, kw_only=True)
class Verdicts(FiguresPage):
    """The verdicts on all judges and criteria under one policy."""

    room: ClassVar[str] = "trust"
    report: TrustReport
    held: Held
    study: Study

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @cached_property
    def policies(self) -> list[PolicyChoice]:
        return policies.choices(self.study, self.held)

    @cached_property
    def rules(self) -> Rendered:
        return policies.rendered(self.held.policy, self.report.criteria)

    @cached_property
    def judges(self) -> list[tuple[int, str]]:
        asked = {known.judge for known in self.report.known}
        return [(one.id, one.name) for one in self.report.raters if one.id in asked]

    @property
    def rows(self) -> list[VerdictRow]:
        return [
            VerdictRow(
                key=line.key,
                name=said(line.name),
                cells=tuple(self._cell(line, judge, name) for judge, name in self.judges),
            )
            for line in self.report.criteria
        ]

    @property
    def summary(self) -> list[tuple[str, str, int]]:
        """(verdict, badge, how many cells), in the order of the verdicts."""
        if self.held.policy.tiers:
            return []
        cards = [
            card_of(known, self._line(known.criterion), self.held.policy)
            for known in self.report.known
        ]
        return [
            (str(label), badge, sum(card.verdict is verdict for card in cards if card))
            for verdict, (label, badge, _about) in VERDICTS.items()
        ]

    @property
    def asked(self) -> dict[str, str]:
        return {"policy": self.held.policy.key} if self.held.is_preview else {}

    @cached_property
    def tiers(self) -> Grid | None:
        return self.grid(tables.tiers(self.report, self.naming))

    @property
    def flips(self) -> str:
        """How many tiers would not be the same with every seed."""
        tiers = [known.tiering for known in self.report.known if known.tiering]
        loose = sum(one.flips > 0 for one in tiers)
        words = {"n": loose, "of": len(tiers), "seeds": tiers[0].n_seeds if tiers else 0}
        return (
            ngettext(
                "%(n)s of %(of)s tiers is another with at least one of %(seeds)s other seeds.",
                "%(n)s of %(of)s tiers are others with at least one of %(seeds)s other seeds.",
                loose,
            )
            % words
        )

    def _line(self, key: str) -> CriterionLine:
        return next(line for line in self.report.criteria if line.key == key)

    def _cell(self, line: CriterionLine, judge: int, name: str) -> VerdictCell | None:
        known = _known(self.report, line.key, judge)
        if known is None:
            return None
        if self.held.policy.tiers:
            return _tier_cell(known, name, flag=flag(known, line, self.held.policy))
        card = card_of(known, line, self.held.policy)
        if card is None:
            return None
        label, badge, _about = VERDICTS[card.verdict]
        return VerdictCell(
            judge=judge,
            judge_name=name,
            label=str(label),
            badge=badge,
            leading=said_leading(card),
            because=tuple(because(card)),
            is_expired=card.is_expired,
            flag="" if card.is_expired else flag(known, line, self.held.policy),
        )


@dataclass(frozen=True, kw_only=True)
class CardPage(FiguresPage):
    """One judge on one criterion, line by line."""

    room: ClassVar[str] = "trust"
    report: TrustReport
    held: Held
    study: Study
    line: CriterionLine
    known: Known
    judge_name: str

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def criterion(self) -> str:
        return self.line.key

    @property
    def criterion_name(self) -> str:
        return said(self.line.name)

    @cached_property
    def card(self) -> TrustCard | None:
        return card_of(self.known, self.line, self.held.policy)

    @property
    def verdict(self) -> str:
        """Empty where there is no card, as are the badge and what it is about."""
        return verdict_name(self.card.verdict) if self.card else ""

    @property
    def badge(self) -> str:
        return VERDICTS[self.card.verdict][1] if self.card else ""

    @property
    def about(self) -> str:
        return str(VERDICTS[self.card.verdict][2]) if self.card else ""

    @property
    def before_expiry(self) -> str:
        """What the verdict was, had the judge not moved; empty where it has not."""
        if not self.card or not self.card.is_expired:
            return ""
        steady = card_of(replace(self.known, later=None, answerers=()), self.line, self.held.policy)
        return verdict_name(steady.verdict) if steady else ""

    @property
    def measured_by(self) -> str:
        """Empty where nobody else has rated, or where nothing is asked."""
        found = applied(self.known, self.line, self.held.policy)
        if found is None:
            return ""
        measured, _rules = found
        return _("gold") if measured.is_gold else _("people")

    @property
    def edition(self) -> str:
        """Which edition of the judge this is about: its LLM and how that is asked."""
        judge = Judge.objects.filter(rater=self.known.judge).first()
        if judge is None:
            return _("Imported: its settings are not known here.")
        return "; ".join([judge.llm, *asked_how(judge)])

    @property
    def fixed_beforehand(self) -> str:
        """How many answers of the judge were in when the rules were fixed; empty in a preview."""
        if self.held.fixed is None or self.held.is_preview:
            return ""
        n = policies.n_answers_before(self.study, self.known.judge, self.held.fixed.at)
        if not n:
            return _("Yes: no answer of this judge was in when the rules were fixed.")
        late = ngettext(
            "No: %(n)s answer of this judge was in when the rules were fixed.",
            "No: %(n)s answers of this judge were in when the rules were fixed.",
            n,
        )
        return late % {"n": f"{n:,}"}

    @property
    def drift(self) -> str:
        return said_drift(self.known.later)

    @property
    def answerers(self) -> tuple[Answerer, ...]:
        return self.known.answerers

    @property
    def change(self) -> EndpointChange | None:
        return change_under(self.known, self.line, self.held.policy)

    @property
    def change_in_words(self) -> str:
        return said_change(self.known, self.change)

    @property
    def is_a_proof(self) -> bool:
        """Whether another LLM has answered: another configuration is a hint."""
        return self.change is EndpointChange.LLM

    @property
    def asked(self) -> dict[str, str]:
        return {"policy": self.held.policy.key} if self.held.is_preview else {}

    @cached_property
    def lines(self) -> Grid | None:
        return self._mine(tables.lines(self.report, self.naming, self.held))

    @cached_property
    def tiers(self) -> Grid | None:
        """The one tier of this judge and criterion, where it has any."""
        return self._mine(tables.tiers(self.report, self.naming))

    def _mine(self, whole: Table) -> Grid | None:
        judge = self.naming.rater(self.known.judge)
        return self.grid(whole, criterion=self.criterion, judge=str(judge.exact))


def card_page(
    report: TrustReport, naming: Naming, held: Held, *, study: Study, criterion: str, judge: int
) -> CardPage:
    """The card of one judge on one criterion; NoSuchPage."""
    line = next((one for one in report.criteria if one.key == criterion), None)
    known = _known(report, criterion, judge)
    if line is None or known is None:
        raise NoSuchPage
    return CardPage(
        report=report,
        naming=naming,
        held=held,
        study=study,
        line=line,
        known=known,
        judge_name=naming.rater(judge).text,
    )


def _known(report: TrustReport, criterion: str, judge: int) -> Known | None:
    return next(
        (one for one in report.known if (one.criterion, one.judge) == (criterion, judge)), None
    )


def _tier_cell(known: Known, name: str, *, flag: str) -> VerdictCell | None:
    found = known.tiering
    if found is None:
        return None
    words = {"width": number(found.high - found.low, "icc_c1", 3), "flips": percent(found.flips)}
    return VerdictCell(
        judge=known.judge,
        judge_name=name,
        label=f"{found.tier.value} · {TIERS[found.tier]}",
        badge="badge--plain",
        leading="",
        because=(_("width %(width)s; another tier with %(flips)s of seeds") % words,),
        is_expired=False,
        flag=flag,
    )
