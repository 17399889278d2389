"""A severity curve: how far one rater is off at each level that the other gave."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import PEOPLE, Look, ink
from analytics.present.charts.parts import DASHED, DOTTED, Spec, panel, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityStep:
    """The mean difference at one level of the scale, with its interval where there is one, from
    `n` pairs of ratings."""

    level: float
    gap: float
    low: float | None
    high: float | None
    n: int
    says: str
    href: str = ""


def severity_curve(
    steps: Sequence[SeverityStep],
    beside: Sequence[SeverityStep],
    *,
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """The curve of `steps` with intervals around no difference; `beside` is that of people among
    themselves, dashed."""
    ends = [end for one in (*steps, *beside) for end in (one.gap, one.low, one.high)]
    plane = plane_for(
        [one.level for one in (*steps, *beside)],
        [0.0, *(end for end in ends if end is not None)],
        x_name=x_name,
        y_name=y_name,
    )
    rows, others = [asdict(one) for one in steps], [asdict(one) for one in beside]
    return panel(
        [
            plane.level(0.0, colour=ink("line-strong"), dashes=DOTTED),
            plane.line(_curve(beside), colour=PEOPLE.colour, dashes=DASHED),
            plane.marks(others, x="level", y="gap", look=PEOPLE),
            plane.line(_curve(steps), colour=look.colour),
            plane.whiskers(rows, x="level", colour=look.colour),
            plane.marks(rows, x="level", y="gap", look=look),
        ],
        title=title,
        says=says,
    )


def _curve(steps: Sequence[SeverityStep]) -> list[tuple[float, float]]:
    return [(one.level, one.gap) for one in steps]
