"""One picture: how each judge agrees with people, reply by reply and over the means of generators."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from accounts.punctuation import headed, in_turn
from analytics.agreement.numbers import CriterionLine, Report
from analytics.comparisons.kinds import Kind
from analytics.measures import FAMILY_NAMES
from analytics.present.charts.beside import looks
from analytics.present.charts.forest import Band
from analytics.present.charts.levels import LevelMark, levels_plot
from analytics.present.charts.parts import Spec
from analytics.present.places import estimate_of, leading, place_of
from analytics.present.viewing import items_of
from analytics.present.words import size, told
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said

_OF_SYSTEMS = "icc_a1"


def levels(report: Report) -> Spec | None:
    """Every criterion and judge, behind them what people reach; None where no judge can be drawn."""
    marks = list(_marks(report))
    if not marks:
        return None
    bands = list(_bands(report))
    names = {one.id: one.name for one in report.raters}
    ends = [end for one in marks for end in (one.value, one.low, one.high) if end is not None]
    ends += [end for band in bands for end in (band.low, band.high)]
    title = _("How far each judge gives what people give")
    return levels_plot(
        marks,
        bands,
        {names[judge]: look for judge, look in looks(report).items()},
        ends=(min(0.0, *ends), max(1.0, *ends)),
        title=title,
        says=headed(title, in_turn([*(band.says for band in bands), *(one.says for one in marks)])),
        x_name=" / ".join(str(FAMILY_NAMES[family]) for family in families(report)),
        y_name=_("Criterion"),
        who=_("Judge"),
    )


def families(report: Report) -> list[str]:
    """The statistics that are drawn, each once."""
    return list(dict.fromkeys(_family(report, line) for line in _criteria(report)))


def _criteria(report: Report) -> list[CriterionLine]:
    return [line for line in report.criteria if not line.is_group]


def _family(report: Report, line: CriterionLine) -> str:
    """The leading one; where generators are compared, the one that both levels have."""
    is_compared = any(one.criterion == line.key for one in report.systems)
    return _OF_SYSTEMS if is_compared else leading(report, line)


def _marks(report: Report) -> Iterator[LevelMark]:
    for line in _criteria(report):
        family, words = _family(report, line), {"criterion": said(line.name)}
        for one in report.comparisons:
            estimate = estimate_of(report, one, family)
            if one.criterion == line.key and one.kind is Kind.JUDGE_HUMANS and estimate:
                words["who"] = _name(report, one.raters[-1])
                yield from _mark(
                    words,
                    estimate,
                    is_reply=True,
                    n=estimate.n_items,
                    says=_("%(criterion)s, %(who)s, reply by reply: %(figure)s; %(size)s"),
                    href=items_of(report.view, *place_of(one)),
                )
        for system in report.systems:
            estimate = system.estimates.get(_OF_SYSTEMS)
            if system.criterion == line.key and estimate:
                words["who"] = _name(report, system.judge)
                yield from _mark(
                    words,
                    estimate,
                    is_reply=False,
                    n=len(system.systems),
                    says=_("%(criterion)s, %(who)s, means of %(n)s generators: %(figure)s"),
                    href="matrix/#system-level",
                )


def _mark(
    words: Mapping[str, str], estimate: Estimate, *, is_reply: bool, n: int, says: str, href: str
) -> Iterator[LevelMark]:
    """Nothing where there is no value."""
    if estimate.value is not None:
        yield LevelMark(
            criterion=words["criterion"],
            who=words["who"],
            is_reply=is_reply,
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            n=n,
            says=says % {**words, "n": n, "figure": told(estimate), "size": size(estimate)},
            href=href,
        )


def _bands(report: Report) -> Iterator[Band]:
    for line in _criteria(report):
        family = _family(report, line)
        for one in report.comparisons:
            if one.criterion != line.key or one.kind is not Kind.HUMANS:
                continue
            estimate = estimate_of(report, one, family)
            if estimate and estimate.low is not None and estimate.high is not None:
                yield Band(
                    criterion=said(line.name),
                    low=estimate.low,
                    high=estimate.high,
                    says=_("%(criterion)s, people among themselves: %(figure)s; %(size)s")
                    % {
                        "criterion": said(line.name),
                        "figure": told(estimate),
                        "size": size(estimate),
                    },
                )


def _name(report: Report, rater: int) -> str:
    return next(one.name for one in report.raters if one.id == rater)
