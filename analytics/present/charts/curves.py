"""The curve of a judge, and people's beside it: of severity, or of how often there is no value."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import PEOPLE, Look, ink
from analytics.present.charts.parts import DASHED, DOTTED, Spec, panel, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The value `at` one place, with its interval where there is one, from `n` pairs of ratings."""

    at: float
    value: float
    low: float | None
    high: float | None
    n: int
    says: str
    href: str = ""


def curve_beside_people(
    steps: Sequence[Step],
    people: Sequence[Step],
    *,
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
    has_zero: bool = False,
) -> Spec:
    """The judge with its intervals, and people dashed; `has_zero`: with a line where there is no
    difference."""
    ends = [end for one in (*steps, *people) for end in (one.value, one.low, one.high)]
    plane = plane_for(
        [one.at for one in (*steps, *people)],
        [0.0, *(end for end in ends if end is not None)],
        x_name=x_name,
        y_name=y_name,
    )
    rows, others = [asdict(one) for one in steps], [asdict(one) for one in people]
    zero = plane.level(0.0, colour=ink("line-strong"), dashes=DOTTED)
    return panel(
        [
            *([zero] if has_zero else []),
            plane.line(_points(people), colour=PEOPLE.colour, dashes=DASHED),
            plane.marks(others, x="at", y="value", look=PEOPLE),
            plane.line(_points(steps), colour=look.colour),
            plane.whiskers(rows, x="at", colour=look.colour),
            plane.marks(rows, x="at", y="value", look=look),
        ],
        title=title,
        says=says,
    )


def _points(steps: Sequence[Step]) -> list[tuple[float, float]]:
    return [(one.at, one.value) for one in steps]
