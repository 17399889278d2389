"""A caution curve: how often answers have no value, by how much people differ."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import PEOPLE, Look
from analytics.present.charts.parts import DASHED, Spec, panel, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """The share without a value, in percent, where people differ by so much on average, with its
    interval where there is one."""

    dispute: float
    share: float
    low: float | None
    high: float | None
    n: int
    says: str


def caution_curve(
    judge: Sequence[HeldBack],
    people: Sequence[HeldBack],
    *,
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """The judge with its intervals, and people dashed. Who is careful rises to the right."""
    ends = [end for one in (*judge, *people) for end in (one.share, one.low, one.high)]
    plane = plane_for(
        [one.dispute for one in (*judge, *people)],
        [0.0, *(end for end in ends if end is not None)],
        x_name=x_name,
        y_name=y_name,
    )
    rows, others = [asdict(one) for one in judge], [asdict(one) for one in people]
    return panel(
        [
            plane.line(_curve(people), colour=PEOPLE.colour, dashes=DASHED),
            plane.marks(others, x="dispute", y="share", look=PEOPLE),
            plane.line(_curve(judge), colour=look.colour),
            plane.whiskers(rows, x="dispute", colour=look.colour),
            plane.marks(rows, x="dispute", y="share", look=look),
        ],
        title=title,
        says=says,
    )


def _curve(steps: Sequence[HeldBack]) -> list[tuple[float, float]]:
    return [(one.dispute, one.share) for one in steps]
