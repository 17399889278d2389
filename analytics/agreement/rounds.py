"""The rounds of a study as a table: how far they are, and what they reached beside their gates."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analytics.measures import NAMES
from analytics.present.charts.strips import Axis, axis_for, strip
from analytics.present.naming import Naming
from analytics.present.tables import Column, Dressed, Line, Plain, Table, Told, count, table
from analytics.present.words import number, told
from analytics.stats.estimates import Estimate
from annotation.queries.rounds import RoundStatus
from annotation.rules.protocol import statistic_for


def rounds(
    statuses: Sequence[RoundStatus], naming: Naming, *, leads_to_rounds: bool = False
) -> Table:
    """A line a round, in the order given; a page `leads_to_rounds` for who coordinates them. In
    the drawing what would pass the gate is shaded."""
    return table(
        "rounds",
        _("Rounds and their gates"),
        "",
        about=[Column("round", _("Round"))],
        columns=[
            Column("state", _("State"), is_words=True),
            Column("n_submitted", _("Ratings submitted")),
            Column("n_assigned", _("Ratings assigned")),
            Column("n_waiting", _("Waiting for a decision")),
            Column("criterion", _("Criterion"), is_words=True),
            Column("measure", _("Measure"), is_words=True),
            Column("agreement", _("Agreement")),
            Column("gate", _("Gate")),
        ],
        lines=_lines(statuses, naming, leads_to_rounds=leads_to_rounds),
        notes=[
            _(
                "The gate compares all that the panel gave independently in the round, items set "
                "aside too: setting items aside does not open it."
            ),
            *_undefined(statuses),
        ],
    )


def _undefined(statuses: Sequence[RoundStatus]) -> Iterator[str]:
    """Of which rounds the gate could not look at every criterion."""
    for status in statuses:
        if n := status.round.kappa_undefined:
            yield _(
                "Round %(round)s: %(n)s of %(of)s criteria had no agreement that is defined, all "
                "answers to one being the same; the gate looked at the others."
            ) % {"round": status.round.number, "n": n, "of": len(status.round.rubric.criteria)}


def _lines(
    statuses: Sequence[RoundStatus], naming: Naming, *, leads_to_rounds: bool
) -> Iterator[Line]:
    axis = axis_for(filter(None, map(_reached, statuses)))
    for status in statuses:
        one = status.round
        words, badge = status.light
        link = naming.link("round", number=one.number) if leads_to_rounds else ""
        number_of_it = Plain(_("Round %(number)s") % {"number": one.number}, one.number)
        measure = _measure(status)
        yield Line(
            about=(Dressed(value=number_of_it, link=link),),
            values=(
                Dressed(value=Plain(words, one.verdict or one.state), badge=badge),
                count(status.n_submitted),
                count(status.n_assigned),
                count(status.progress.awaiting_adjudication),
                Plain(name, one.kappa_criterion) if (name := status.kappa_criterion) else None,
                Plain(str(NAMES[measure]), measure),
                _agreement(status, axis),
                Plain(number(one.gate, measure) or "", one.gate),
            ),
        )


def _measure(status: RoundStatus) -> str:
    """The statistic that its gate looks at."""
    one = status.round
    criteria = one.rubric.criteria
    looked_at = next((part for part in criteria if part.key == one.kappa_criterion), criteria[0])
    return statistic_for(one.rules, looked_at.measurement)


def _agreement(status: RoundStatus, axis: Axis) -> Told:
    found = _reached(status)
    if found is None:
        return Plain(_("once it is closed") if status.is_open else _("not defined"), None)
    return Dressed(value=found, drawing=_beside_gate(found, status.round.gate, axis))


def _reached(status: RoundStatus) -> Estimate | None:
    one = status.round
    if one.kappa is None:
        return None
    n = one.kappa_items or 0
    return Estimate(
        statistic=_measure(status),
        value=one.kappa,
        low=one.kappa_low,
        high=one.kappa_high,
        n_items=n,
        n_pairs=n,
        n_clusters=n,
        n_raters=len(status.panel),
    )


def _beside_gate(found: Estimate, gate: float, axis: Axis) -> SafeString:
    passes = replace(found, value=None, low=gate, high=axis.high)
    return strip(found, axis, says=told(found), band=passes)
