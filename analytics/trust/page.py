"""What the trust pages show: a verdict on each judge and criterion, and the lines it rests on."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import in_turn
from analytics.agreement.numbers import CriterionLine
from analytics.juries.words import said_chosen, said_jury
from analytics.models import Jury
from analytics.present import asides
from analytics.present.asides import Aside
from analytics.present.grid import Grid, grid
from analytics.present.naming import Naming
from analytics.present.page import FiguresPage, NoSuchPage, shown
from analytics.present.tables import Table
from analytics.ratings import juries
from analytics.routing.numbers import RoutingReport
from analytics.routing.promises import screen_of, terms
from analytics.stats.verdicts import (
    EndpointChange,
    TrustCard,
)
from analytics.trust import policies, sealing, sentinels, tables
from analytics.trust.numbers import (
    Known,
    TrustReport,
    applied,
    card_of,
    change_under,
    single_people,
    verdicts,
)
from analytics.trust.policies import Held, PolicyChoice
from analytics.trust.sealing import LookState
from analytics.trust.words import (
    LOOK_AGAIN,
    VERDICTS,
    because,
    said_attainable,
    said_basis,
    said_change,
    said_constant,
    said_drift,
    said_reference,
    said_sentinels,
    said_use,
    verdict_name,
)
from annotation.models import Study
from annotation.queries.wording import said
from judging.models import Judge
from judging.queries.wording import asked_how


@dataclass(frozen=True, kw_only=True)
class Verdicts(FiguresPage):
    """The verdicts on all judges and criteria under one policy."""

    room: ClassVar[str] = "trust"
    report: TrustReport
    held: Held
    study: Study

    tiers = shown(tables.tiers)

    @cached_property
    def policies(self) -> list[PolicyChoice]:
        return policies.choices(self.study, self.held)

    @cached_property
    def rules(self) -> Grid | None:
        return self.grid(tables.rules(self.report, self.held))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a policy asks that no line says, where it has no lines."""
        return policies.rendered(self.held.policy, self.report.criteria).notes

    @cached_property
    def fixings(self) -> Grid | None:
        found = tables.fixings(self.naming, self.held)
        return grid(found, by_page=True) if found.lines else None

    @cached_property
    def glance(self) -> Grid | None:
        return self.grid(tables.glance(self.report, self.naming, self.held))

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

    @cached_property
    def looks(self) -> LookState | None:
        """Where the study stands with its planned looks; None where other rules are in view."""
        if self.held.is_preview or self.held.policy.tiers:
            return None
        return sealing.state(self.study, self.report, self.held.policy, at=timezone.now())

    @property
    def asked(self) -> dict[str, str]:
        return {"policy": self.held.policy.key} if self.held.is_preview else {}

    @property
    def flips(self) -> str:
        """How many tiers would not be the same with every seed."""
        tiers = [known.tiering for known in self.report.known if known.tiering]
        loose = sum(one.flips > 0 for one in tiers)
        words = {"n": loose, "of": len(tiers), "seeds": tiers[0].n_seeds if tiers else 0}
        sentence = ngettext(
            "%(n)s of %(of)s tiers is another with at least one of %(seeds)s other seeds.",
            "%(n)s of %(of)s tiers are others with at least one of %(seeds)s other seeds.",
            loose,
        )
        return sentence % words

    def _line(self, key: str) -> CriterionLine:
        return next(line for line in self.report.criteria if line.key == key)


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
    routed: RoutingReport

    def _mine(self, whole: Table) -> Grid | None:
        judge = self.naming.rater(self.known.judge)
        return self.grid(whole, criterion=self.criterion, judge=str(judge.exact))

    answerers = shown(tables.answerers, _mine)
    tiers = shown(tables.tiers, _mine)

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
    def because(self) -> list[str]:
        """The lines that are not simply met."""
        return list(because(self.card)) if self.card else []

    @property
    def before_expiry(self) -> str:
        """What the verdict was, had the judge not moved; empty where it has not."""
        if not self.card or not self.card.is_expired:
            return ""
        known = replace(self.known, later=None, answerers=(), is_failed=False)
        steady = card_of(known, self.line, self.held.policy)
        return verdict_name(steady.verdict) if steady else ""

    @property
    def measured_by(self) -> str:
        """Empty where nobody else has rated, or where nothing is asked."""
        found = applied(self.known, self.line, self.held.policy)
        if found is None:
            return ""
        measured, _rules = found
        return said_reference(measured.reference)

    @property
    def use(self) -> str:
        """What the judge may and may not be used for."""
        return said_use(self.card.verdict) if self.card else ""

    @property
    def look_again(self) -> str:
        """When the verdict may be another: by its kind, and by the looks that were planned."""
        if self.card is None:
            return ""
        again = str(LOOK_AGAIN[self.card.verdict])
        if self.held.is_preview:
            return again
        state = sealing.state(self.study, self.report, self.held.policy, at=timezone.now())
        return f"{again} {state.planned}".strip()

    @property
    def possible(self) -> list[str]:
        """What people make possible, and what a judge comes to that says the same of every item."""
        found = applied(self.known, self.line, self.held.policy)
        if found is None:
            return []
        measured, rules = found
        people = single_people(self.known, measured, rules.statistic)
        told = (
            ""
            if measured.is_gold
            else said_attainable(people, rules.agreement.trusted, rules.statistic),
            said_constant(measured.constant.get(rules.statistic), rules.statistic),
        )
        return [words for words in told if words]

    @property
    def is_blinded(self) -> bool:
        """Whether runs of this judge, which would name it, are not told of."""
        return self.report.is_blinded

    @property
    def edition(self) -> str:
        """Which edition of the judge this is about: its LLM and how that is asked."""
        if self.is_blinded:
            return _("Told once the judges are named.")
        if self._jury is not None:
            return said_jury(self._jury)
        judge = Judge.objects.filter(rater=self.known.judge).first()
        if judge is None:
            return _("Imported: its settings are not known here.")
        return in_turn([judge.llm, *asked_how(judge)])

    @cached_property
    def _jury(self) -> Jury | None:
        return juries.numbered([self.known.judge]).get(self.known.judge)

    @property
    def chosen(self) -> str:
        """Of a jury, whether it was fixed before its members answered; empty for a judge."""
        return said_chosen(self._jury.n_seen) if self._jury else ""

    @property
    def fixed_beforehand(self) -> str:
        """How many answers of the judge were in when the rules were fixed; empty in a preview."""
        if self.held.fixed is None or self.held.is_preview or self.is_blinded:
            return ""
        raters = self._jury.members if self._jury else [self.known.judge]
        n = policies.n_answers_before(self.study, raters, self.held.fixed.at)
        if not n:
            return _("Yes: no answer of this judge was in when the rules were fixed.")
        late = ngettext(
            "No: %(n)s answer of this judge was in when the rules were fixed.",
            "No: %(n)s answers of this judge were in when the rules were fixed.",
            n,
        )
        return late % {"n": f"{n:,}"}

    @property
    def basis(self) -> str:
        return said_basis(self.known, self.report)

    @cached_property
    def sentinels(self) -> str:
        return said_sentinels(sentinels.newest(self.study.pk).get(self.known.judge), self.criterion)

    @property
    def was_asked_here(self) -> bool:
        """Whether it can have sentinels."""
        return Judge.objects.filter(rater=self.known.judge, runs__study=self.study).exists()

    @property
    def drift(self) -> str:
        if self.known.is_jury and self.known.later:
            member = _("Of its members the one that may have moved most:")
            return f"{member} {said_drift(self.known.later)}"
        return said_drift(self.known.later)

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
    def asides(self) -> list[Aside]:
        """What the safety panel and routing say of the same judge."""
        place, policy = (self.criterion, self.known.judge), self.held.policy
        screen = screen_of(self.routed.screens, *place)
        asked = terms({}, policy=policy, verdicts=verdicts(self.report, policy))
        routed = asides.of_routing(self.routed, *place, asked, self.naming)
        of_safety = [asides.of_safety(self.routed, screen, self.naming)] if screen else []
        return [*of_safety, routed]

    @property
    def asked(self) -> dict[str, str]:
        return {"policy": self.held.policy.key} if self.held.is_preview else {}

    @cached_property
    def lines(self) -> Grid | None:
        return self._mine(tables.lines(self.report, self.naming, self.held))


def card_page(
    report: TrustReport,
    naming: Naming,
    held: Held,
    *,
    study: Study,
    criterion: str,
    judge: int,
    routed: RoutingReport,
) -> CardPage:
    """The card of one judge on one criterion; NoSuchPage."""
    line = next((one for one in report.criteria if one.key == criterion), None)
    known = report.known_of(criterion, judge)
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
        routed=routed,
    )
