"""What is known of each judge on each criterion: the evidence that trust cards are held against.

The evidence is the same under any rules, so it is computed once; which of it counts, and what it
has to show, is said by the policy that a study fixes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import numpy as np

from analytics.agreement.numbers import CriterionLine, RaterLine, criterion_line, rater_line
from analytics.comparisons.ceiling import alternatives, ceiling_of_runs
from analytics.comparisons.constant import straw_men
from analytics.comparisons.estimating import with_notes_on
from analytics.comparisons.kinds import Kind, parted
from analytics.comparisons.raters import judge_comparisons, with_each_other
from analytics.comparisons.systems import system_comparisons
from analytics.figures.part import Part, PartReport
from analytics.policies.loading import STATISTICS, CriterionRules, Policy, published_tiers
from analytics.ratings import configurations, matrices
from analytics.ratings import history as occasions
from analytics.ratings.columns import ColumnPlace
from analytics.ratings.history import Answerer, HoldOutUsed, RunAsked, gold_origins
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.safety import numbers as safety
from analytics.safety.numbers import FlagReference, Screened
from analytics.stats.alternative import PASSING, Alignment, Domain
from analytics.stats.attainable import of_the_truth
from analytics.stats.calibration import Method, calibrated_runs
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.constant import ConstantJudge, only_answer
from analytics.stats.drift import Drift, DriftCheck, check_drift, verdict
from analytics.stats.estimates import Estimate
from analytics.stats.looks import at_a_look
from analytics.stats.repeatability import repeatability
from analytics.stats.scales import Floats, Ints
from analytics.stats.screening import FlagsOfPeople, flags_of_others, people_measured, screening
from analytics.stats.tiers import Tiering, tiering
from analytics.stats.verdicts import EndpointChange, Evidence, TrustCard, Verdict, trust_card
from analytics.trust import sentinels
from annotation.rubric.schema import Measurement

_CALIBRATED = (Method.SHIFT, Method.LINEAR)
_REPEATED: Mapping[Measurement, str] = {
    Measurement.ORDINAL: "alpha_ordinal",
    Measurement.BINARY: "alpha_nominal",
    Measurement.NOMINAL: "alpha_nominal",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTier:
    """Whom a judge is measured by. `origins`: of gold, how many items by how they were decided;
    `people_an_item`: of people, how many rated the same item, in the median."""

    is_gold: bool
    n_items: int
    origins: Mapping[str, int]
    people_an_item: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A judge against gold or against people: what depends on whom it is measured by.

    `pair` holds the statistics of both; `calibrated` by method the held-out ICC(A,1) and bias;
    `constant` the best that a judge comes to who says the same of every item; `only_answer` what the
    judge itself says to every item, None where it says several things; `sensitivity` is at the usual cut of the safety panel, and
    `people_find` that of people against each other there, None where one person rates an item.
    """

    reference: ReferenceTier
    pair: Mapping[str, Estimate]
    calibrated: Mapping[Method, Mapping[str, Estimate]]
    constant: Mapping[str, ConstantJudge]
    only_answer: float | None
    sensitivity: Estimate | None
    people_find: Estimate | None

    @property
    def is_gold(self) -> bool:
        return self.reference.is_gold


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """What the newest run of a judge answered to items that its first run had answered."""

    first_at: datetime
    last_at: datetime
    check: DriftCheck | None


class RestsOn(StrEnum):
    """What a verdict rests on: items held out while its prompt was written; all items; all items,
    which earlier versions of its prompt had answered; answers that were imported; or what is told
    once judges are named."""

    HOLD_OUT = "hold-out"
    ALL = "all items"
    SEEN = "items seen while the prompt was written"
    IMPORTED = "answers from elsewhere"
    BLINDED = "not told of blinded judges"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """All that is known of one judge on one criterion.

    `later` is None where answers were imported and nothing says when they were given; its check
    is None where the judge was run once. `answerers` is empty where no endpoint says who answered.
    `with_each_other`: how well single people agree, the figures that bound a judge's. `bridged`:
    configurations that answered the judge's sentinels as it had. `n_apart`: how many answers stand
    apart, since another configuration gave them. `is_failed`: whether it answers its sentinels
    otherwise and nobody has decided about that. A jury is asked by nobody: `of_members` is the
    gravest change among its members, and what `later` and `used` say is theirs.
    """

    criterion: str
    judge: int
    measured: tuple[Measured, ...]
    unscored: Estimate
    ceilings: Mapping[str, UnderCeiling]
    alternative: Domain | None
    repeats: Estimate | None
    later: Later | None
    answerers: tuple[Answerer, ...]
    tiering: Tiering | None
    with_each_other: Mapping[str, Estimate]
    used: HoldOutUsed | None = None
    bridged: frozenset[str] = frozenset()
    n_apart: int = 0
    is_failed: bool = False
    is_jury: bool = False
    of_members: EndpointChange | None = None

    @property
    def apart(self) -> frozenset[tuple[str, str]]:
        """(LLM, fingerprint) of those whose answers no figure counts."""
        named = [(one.llm, one.fingerprint) for one in self.answerers]
        return frozenset(configurations.standing_apart(named, self.bridged) if named else ())

    def rests_on(self, report: "TrustReport") -> RestsOn:
        """What the figures of this judge were computed from."""
        if report.is_blinded:
            return RestsOn.BLINDED
        if self.used is None:
            return RestsOn.IMPORTED
        if report.n_held_out is not None:
            return RestsOn.HOLD_OUT
        return RestsOn.SEEN if self.used.tried_before else RestsOn.ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustReport(PartReport):
    """The evidence of every judge on every criterion, at one revision.

    `n_held_out`: how many items are held out; where there are any, everything here is of them alone.
    `is_blinded`: judges stand under letters, and nothing is told of their runs.
    """

    study: str
    revision: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[CriterionLine, ...]
    known: tuple[Known, ...]
    n_held_out: int | None = None
    is_blinded: bool = False

    def known_of(self, criterion: str, judge: int) -> Known | None:
        place = (criterion, judge)
        return next((one for one in self.known if (one.criterion, one.judge) == place), None)


def make(study: StudyRatings, *, view: View, at: datetime) -> TrustReport:
    """Gather the evidence: of what is held out, where something is."""
    n_held_out = None
    if study.held_out is not None:
        study = study.at_items(study.held_out)
        n_held_out = int(study.items.size)
    parts = study.rubric.with_levels
    tables = matrices.each_matrix(study, parts, view=view)
    screened = safety.screened(study, tables)
    origins = gold_origins(study)
    yardsticks = {
        key: _yardstick(study, table, screened[key], _origins(study, key, origins))
        for key, table in tables.items()
    }
    asked, answerers = occasions.judges_asked(study), occasions.answerers(study)
    used, bridged = occasions.hold_out_used(study), configurations.bridged(study.study_id)
    failed = sentinels.failing(study.study_id)
    return TrustReport(
        n_held_out=n_held_out,
        is_blinded=study.is_blinded,
        study=study.key,
        revision=study.revision,
        computed_at=at,
        view=view,
        raters=tuple(map(rater_line, study.raters)),
        criteria=tuple(criterion_line(part, tables[part.key]) for part in parts),
        known=_with_members(
            study,
            [
                known
                for judge in study.judges
                for known in _of_judge(
                    study,
                    judge,
                    tables,
                    yardsticks,
                    screened,
                    asked.get(judge.id),
                    answerers.get(judge.id, ()),
                    used.get(judge.id),
                    bridged.get(judge.id, frozenset()),
                    is_failed=judge.id in failed,
                )
            ],
        ),
    )


def with_runs(report: TrustReport, of_study: TrustReport) -> TrustReport:
    """Evidence from files of ratings, with what only the study itself tells: drift, who answered,
    and how gold came to be."""
    keys = {rater.id: rater.key for rater in of_study.raters}
    told = {(keys[one.judge], one.criterion): one for one in of_study.known}
    names = {rater.id: rater.key for rater in report.raters}
    known = (
        replace(
            one,
            later=same.later,
            answerers=same.answerers,
            used=same.used,
            bridged=same.bridged,
            n_apart=same.n_apart,
            is_failed=same.is_failed,
            is_jury=same.is_jury,
            of_members=same.of_members,
            measured=tuple(_of_tier(mine, same.measured) for mine in one.measured),
        )
        for one in report.known
        for same in [told.get((names[one.judge], one.criterion), one)]
    )
    return replace(report, known=tuple(known))


def _of_tier(mine: Measured, of_study: Sequence[Measured]) -> Measured:
    """With the tier of the same reference; its own where the study, read at another moment, has none."""
    tiers = {one.is_gold: one.reference for one in of_study}
    return replace(mine, reference=tiers.get(mine.is_gold, mine.reference))


PART = Part(key="trust", kind=TrustReport, make=make, algorithm=2)


def evidence(known: Known, measured: Measured, rules: CriterionRules) -> Evidence:
    """What of all that is known the rules of a criterion are about."""
    by_calibration = measured.calibrated.get(rules.calibration, {}) if rules.calibration else {}
    constant = measured.constant.get(rules.statistic)
    people = single_people(known, measured, rules.statistic)
    return Evidence(
        agreement=measured.pair[rules.statistic],
        by_gold=measured.is_gold,
        people=people,
        attainable=people and of_the_truth(people, rules.statistic),
        constant=constant.estimates[rules.statistic] if constant else None,
        only_answer=measured.only_answer,
        calibrated_agreement=by_calibration.get(rules.statistic),
        bias=measured.pair.get("bias"),
        calibrated_bias=by_calibration.get("bias"),
        unscored=known.unscored,
        ceiling=known.ceilings.get(rules.statistic),
        alternative=_at_epsilon(known.alternative, rules.epsilon),
        sensitivity=measured.sensitivity,
        people_find=measured.people_find,
        repeatability=known.repeats,
        drift=_graded(known.later, rules.drift_margin),
        change=change_of(known, rules.drift_margin),
    )


def single_people(known: Known, measured: Measured, statistic: str) -> Estimate | None:
    """How well single people agree, which bounds what a judge can reach; None where one person an
    item leaves it unknown, and against gold, which is more than a person's word."""
    return None if measured.is_gold else known.with_each_other.get(statistic)


def change_of(known: Known, drift_margin: float | None) -> EndpointChange | None:
    """What the answers of a judge say of who gave them; None where they say nothing.

    Another configuration is forgiven where the sentinels of the judge passed under it, on prompts
    that were the same to the byte, or where a check for drift was passed by a run that the newest
    one answered from its begin. Another LLM is not: it is another judge, whatever its mean.
    """
    if known.is_failed:
        return EndpointChange.SENTINELS
    if known.is_jury:
        return known.of_members
    if not known.answerers:
        return None
    if len({one.llm for one in known.answerers}) > 1:
        return EndpointChange.LLM
    first_shown: dict[str, datetime] = {}
    for one in known.answerers:
        first_shown.setdefault(one.fingerprint, one.first_at)
    first_shown.pop("", None)
    if len(first_shown.keys() - known.bridged) < 2:
        return EndpointChange.NONE
    drift = _graded(known.later, drift_margin)
    is_passed = drift is not None and drift.drift is Drift.PASSED
    if is_passed and known.later and known.later.last_at >= max(first_shown.values()):
        return EndpointChange.NONE
    return EndpointChange.FINGERPRINT


def measured_by(known: Known, least_items: int, statistic: str) -> Measured | None:
    """Gold where it holds enough items for a verdict, else people, else what gold there is."""
    for one in known.measured:
        if one.pair[statistic].n_items >= least_items:
            return one
    return known.measured[-1] if known.measured else None


def card_of(
    known: Known, line: CriterionLine, policy: Policy, *, n_looks: int = 1
) -> TrustCard | None:
    """The card under a policy, at one of `n_looks` planned looks; None under one of tiers, or where nobody else has rated."""
    held = applied(known, line, policy)
    if held is None:
        return None
    measured, rules = held
    told = at_a_look(evidence(known, measured, rules), n_looks)
    return trust_card(told, policy.rules(line.measurement, line.key))


def verdicts(report: TrustReport, policy: Policy) -> dict[tuple[str, int], Verdict]:
    """{(criterion, judge): what the card says}; none under a policy of tiers."""
    lines = {line.key: line for line in report.criteria}
    cards = {
        (known.criterion, known.judge): card_of(known, lines[known.criterion], policy)
        for known in report.known
    }
    return {place: card.verdict for place, card in cards.items() if card}


def applied(
    known: Known, line: CriterionLine, policy: Policy
) -> tuple[Measured, CriterionRules] | None:
    """Whom the judge is measured by and the rules of the criterion."""
    rules = policy.by_level.get(line.measurement)
    if rules is None:
        return None
    measured = measured_by(known, rules.least_items, rules.statistic)
    return None if measured is None else (measured, rules)


def found_of_flagged(report: TrustReport, policy: Policy) -> list[tuple[Known, Estimate]]:
    """The share of flagged items that each judge finds, where the policy asks for it."""
    found = []
    for line in report.criteria:
        for known in report.known:
            held = applied(known, line, policy) if known.criterion == line.key else None
            share = held[0].sensitivity if held else None
            if share and share.n_items and policy.asks_sensitivity(line.key):
                found.append((known, share))
    return found


def made_of(known: Known, line: CriterionLine, policy: Policy) -> tuple[int, ...]:
    """Of two answers, the counts that the figures of a card give back to who solves for whole numbers:
    how often the judge gives the one or the other alone, how many flagged items it finds and misses."""
    found = applied(known, line, policy)
    if found is None or len(line.points) != 2:
        return ()
    measured, _rules = found
    flagged = measured.sensitivity.counted if measured.sensitivity else ()
    return (*parted(measured.pair, line.points), *flagged)


def change_under(known: Known, line: CriterionLine, policy: Policy) -> EndpointChange | None:
    """What has changed behind the endpoint, by the margin of a policy."""
    rules = policy.by_level.get(line.measurement)
    return change_of(known, rules.drift_margin if rules else None)


def _at_epsilon(domain: Domain | None, epsilon: float | None) -> Domain | None:
    if domain is None or epsilon is None:
        return None
    rate = dict(domain.sweep).get(epsilon)
    against = (
        replace(one, p_value=p_value, is_won=is_won)
        for one in domain.against
        for at, p_value, is_won in one.sweep
        if at == epsilon
    )
    return replace(
        domain,
        against=tuple(against),
        winning_rate=rate,
        is_passed=None if rate is None else rate >= PASSING,
    )


def _graded(later: Later | None, margin: float | None) -> DriftCheck | None:
    """The last check against the margin; nothing to tell where the judge was not asked again."""
    if later is None or later.check is None or margin is None:
        return None
    drift = verdict(later.check.residual, margin)
    return replace(later.check, drift=drift, margin=margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Yardstick:
    """What all judges of a criterion are held against, by gold (True) and by people, and the tier of
    each."""

    references: Mapping[bool, ReferenceTier]
    constants: Mapping[bool, Mapping[str, ConstantJudge]]
    with_each_other: Mapping[str, Estimate]
    people_find: Estimate | None
    tierings: Mapping[int, Tiering | None]


def _of_judge(
    study: StudyRatings,
    judge: RaterColumn,
    tables: Mapping[str, Matrix],
    yardsticks: Mapping[str, _Yardstick],
    screened: Mapping[str, Screened],
    asked: RunAsked | None,
    answerers: tuple[Answerer, ...],
    used: HoldOutUsed | None,
    bridged: frozenset[str],
    *,
    is_failed: bool,
) -> Iterator[Known]:
    domains = _alternatives(study, judge, tables)
    for criterion in study.rubric.with_levels:
        table = tables[criterion.key]
        if not study.is_answered(ColumnPlace(judge.id, 1), criterion.key).any():
            continue
        yield Known(
            criterion=criterion.key,
            judge=judge.id,
            measured=tuple(
                _measured(study, table, judge, yardsticks[criterion.key], screened[criterion.key])
            ),
            unscored=_unscored(study, table, judge),
            ceilings=_ceilings(study, table, judge),
            alternative=domains.get(criterion.key),
            repeats=_repeats(study, table, judge),
            later=_later(study, table, judge, screened[criterion.key], asked),
            answerers=answerers,
            tiering=yardsticks[criterion.key].tierings.get(judge.id),
            with_each_other=yardsticks[criterion.key].with_each_other,
            used=used,
            bridged=bridged,
            n_apart=study.n_apart(judge.id),
            is_failed=is_failed,
        )


_GRAVEST = (EndpointChange.LLM, EndpointChange.FINGERPRINT, EndpointChange.NONE)


def _with_members(study: StudyRatings, known: Sequence[Known]) -> tuple[Known, ...]:
    """What is known of all; that of a jury with what its members tell on the same criterion."""
    by_place = {(one.criterion, one.judge): one for one in known}
    seats = {jury.id: jury.members for jury in study.juries}
    return tuple(
        _seated(one, [by_place[place] for place in places if place in by_place])
        if one.judge in seats
        else one
        for one in known
        for places in [[(one.criterion, member) for member in seats.get(one.judge, ())]]
    )


def _seated(known: Known, members: Sequence[Known]) -> Known:
    changes = [change_of(one, None) for one in members]
    return replace(
        known,
        is_jury=True,
        of_members=next((one for one in _GRAVEST if one in changes), None),
        is_failed=any(one.is_failed for one in members),
        n_apart=sum(one.n_apart for one in members),
        later=max((one.later for one in members if one.later), key=_moved, default=None),
        used=_used_by([one.used for one in members]),
    )


def _moved(later: Later) -> float:
    """How far a judge may have moved at most; -1 where that was not checked."""
    limits = (later.check.residual.low, later.check.residual.high) if later.check else ()
    return max((abs(limit) for limit in limits if limit is not None), default=-1.0)


def _used_by(members: Sequence[HoldOutUsed | None]) -> HoldOutUsed | None:
    """What the members of a jury were tried on, by the one that saw most; None where nothing says
    it of one of them."""
    known = [one for one in members if one is not None]
    if not known or len(known) < len(members):
        return None
    return HoldOutUsed(
        family="",
        by_family=max(one.by_family for one in known),
        by_judge=max(one.by_judge for one in known),
        reasons=tuple(dict.fromkeys(why for one in known for why in one.reasons)),
        tried_before=max(one.tried_before for one in known),
    )


def _yardstick(
    study: StudyRatings, table: Matrix, screened: Screened, origins: Mapping[str, int]
) -> _Yardstick:
    statistics = STATISTICS[table.measurement]
    n_people = (~np.isnan(table.of_humans())).sum(axis=1)
    return _Yardstick(
        references={
            True: ReferenceTier(
                is_gold=True,
                n_items=int((~np.isnan(table.gold)).sum()),
                origins=origins,
                people_an_item=0,
            ),
            False: ReferenceTier(
                is_gold=False,
                n_items=int((n_people > 0).sum()),
                origins={},
                people_an_item=int(np.median(n_people[n_people > 0])) if n_people.any() else 0,
            ),
        },
        constants={
            is_gold: straw_men(study, table, is_gold=is_gold, only=statistics).best
            for is_gold in (True, False)
        },
        with_each_other=with_each_other(study, table, only=statistics),
        people_find=_people_find(study, table, screened),
        tierings=_tierings(study, table),
    )


def _people_find(study: StudyRatings, table: Matrix, screened: Screened) -> Estimate | None:
    """Of the items that the others flag, how many a person does, each left out in turn."""
    flags = safety.in_cut(table.of_humans(), safety.usual_cut(screened))
    others = flags_of_others(flags)
    if np.isnan(flags + others).all():
        return None
    flagged = people_measured(
        np.zeros(len(flags)),
        FlagsOfPeople.of(flags, others),
        clusters=study.clusters,
        weights=study.weights,
    )
    return flagged.people["sensitivity"]


def _origins(
    study: StudyRatings, key: str, of_criteria: Mapping[str, Mapping[str, int]]
) -> dict[str, int]:
    """How the gold of a criterion came to be; of a derived score that of all its parts, on as many
    items as of the part that has most."""
    found: dict[str, int] = {}
    for part in study.rubric.made_of(key):
        for origin, n in of_criteria.get(part, {}).items():
            found[origin] = max(n, found.get(origin, 0))
    return found


def _measured(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    yardstick: _Yardstick,
    screened: Screened,
) -> Iterator[Measured]:
    """Against gold first, then against people."""
    found = {one.kind: one for one in judge_comparisons(study, table, judge)}
    runs = matrices.runs(study, table, judge).values
    references = {
        Kind.JUDGE_GOLD: (table.gold, FlagReference.GOLD),
        Kind.JUDGE_HUMANS: (table.mean_of_people(), FlagReference.HALF),
    }
    for kind, (meant, reference) in references.items():
        if kind in found:
            is_gold = kind is Kind.JUDGE_GOLD
            shared = ~np.isnan(runs) & ~np.isnan(meant)[:, None]
            yield Measured(
                reference=yardstick.references[is_gold],
                pair=found[kind].estimates,
                calibrated=_calibrated(
                    study, table, judge, table.gold[:, None] if is_gold else table.of_humans()
                ),
                constant=yardstick.constants[is_gold],
                only_answer=only_answer(runs[shared]),
                sensitivity=_sensitivity(study, table, judge, screened, reference),
                people_find=None if is_gold else yardstick.people_find,
            )


def _calibrated(
    study: StudyRatings, table: Matrix, judge: RaterColumn, reference: Floats
) -> dict[Method, Mapping[str, Estimate]]:
    """Run by run beside each rating of the `reference` (n, h), as the judge is before it: beside the
    mean of several people, and in one run, any judge would look better. None where the judge is
    weighted, as maps are not."""
    if table.measurement is not Measurement.ORDINAL or study.weights is not None:
        return {}
    runs = matrices.runs(study, table, judge)
    items, columns = np.nonzero(~np.isnan(reference))
    found = {
        method: calibrated_runs(
            runs.values[items],
            reference[items, columns],
            method=method,
            items=items,
            clusters=study.dialogues[items],
            points=table.points,
        )
        for method in _CALIBRATED
    }
    return {method: with_notes_on(runs, figures) for method, figures in found.items() if figures}


def _sensitivity(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    screened: Screened,
    reference: FlagReference,
) -> Estimate:
    cut = safety.usual_cut(screened)
    meant, _said = safety.flags_of(study, table, judge, reference=reference, cut=cut)
    runs = matrices.runs(study, table, judge)
    flagged = screening(
        runs.as_flags(cut.points).values,
        meant,
        positive={1.0},
        clusters=study.clusters,
        points=(0.0, 1.0),
        weights=study.weights,
    )
    return with_notes_on(runs, flagged)["sensitivity"]


def _unscored(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Estimate:
    """Of the items put to the judge, how many have no value that counts."""
    asked = study.is_answered(ColumnPlace(judge.id, 1), table.key) & study.counted(table.view)
    lacks = np.isnan(table.of(judge)[asked]).astype(np.float64)
    shares = screening(
        lacks,
        lacks,
        positive={1.0},
        clusters=None if study.clusters is None else study.clusters[asked],
        points=(0.0, 1.0),
    )
    return replace(shares["flagged"], statistic="unscored")


def _ceilings(study: StudyRatings, table: Matrix, judge: RaterColumn) -> dict[str, UnderCeiling]:
    people = table.of_humans()
    if ((~np.isnan(people)).sum(axis=1) > 1).sum() == 0:
        return {}
    return ceiling_of_runs(study, table, judge, people, only=STATISTICS[table.measurement])


def _alternatives(
    study: StudyRatings, judge: RaterColumn, tables: Mapping[str, Matrix]
) -> dict[str, Domain]:
    """The alternative annotator test over all criteria of one kind together."""
    found: dict[str, Domain] = {}
    kinds: tuple[tuple[bool, Alignment], ...] = ((True, "neg_rmse"), (False, "accuracy"))
    for is_ordinal, alignment in kinds:
        several = {
            key: table
            for key, table in tables.items()
            if (table.measurement is Measurement.ORDINAL) is is_ordinal
            and ((~np.isnan(table.of_humans())).sum(axis=1) > 1).any()
        }
        if several:
            people = {key: table.of_humans() for key, table in several.items()}
            found |= alternatives(study, judge, several, people, alignment=alignment)
    return found


def _repeats(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Estimate | None:
    given = matrices.repeats(study, table.key, judge, view=table.view)
    if given.shape[1] < 2:
        return None
    found = repeatability(
        given,
        clusters=study.clusters,
        points=table.points,
        measurement=table.measurement.value,
    )
    return found[_REPEATED[table.measurement]]


def _later(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    screened: Screened,
    asked: RunAsked | None,
) -> Later | None:
    if asked is None:
        return None
    check = None
    if asked.is_again:
        first, last = (
            _answers(study.with_apart, table, judge, repeats)
            for repeats in (asked.first, asked.last)
        )
        if table.measurement is not Measurement.ORDINAL:
            cut = safety.usual_cut(screened)
            first, last = safety.in_cut(first, cut), safety.in_cut(last, cut)
        check = check_drift(
            first,
            last,
            margin=None,
            clusters=study.clusters,
            n_checks=len(study.rubric.with_levels),
        )
    return Later(first_at=asked.first_at, last_at=asked.last_at, check=check)


def _answers(study: StudyRatings, table: Matrix, judge: RaterColumn, repeats: Ints) -> Floats:
    """What the judge gave each item at the repeat named for it, (n,)."""
    found = np.full(study.items.size, np.nan)
    for repeat in np.unique(repeats[repeats > 0]).tolist():
        values = study.values(ColumnPlace(judge.id, repeat), table.key, view=table.view)
        found[repeats == repeat] = values[repeats == repeat]
    return found


def _tierings(study: StudyRatings, table: Matrix) -> dict[int, Tiering | None]:
    """{judge: the tier of the source study}, where there are means of generators to compare."""
    return {
        line.judge: tiering(np.array(line.means, dtype=np.float64), policy=published_tiers())
        for line in system_comparisons(study, table)
    }
