"""Means of generators: what people gave each on average, and what the judge gave."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import DOTTED, Spec, panel, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """One generator: its mean by people and by the judge, of `n` replies; `letter` stands beside its mark."""

    system: str
    letter: str
    people: float
    judge: float
    n: int
    says: str


def systems_plot(
    means: Sequence[Mean],
    *,
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """A mark a generator; on the diagonal both gave the same."""
    values = [value for one in means for value in (one.people, one.judge)]
    plane = plane_for(values, values, x_name=x_name, y_name=y_name)
    rows = [asdict(one) for one in means]
    ends = (min(values), max(values))
    return panel(
        [
            plane.line(
                [(end, end) for end in ends], colour=ink("line-strong"), dashes=DOTTED, width=1.5
            ),
            plane.marks(rows, x="people", y="judge", look=look),
            {
                "data": {"values": rows},
                "mark": {"type": "text", "align": "left", "dx": 6, "dy": -6, "aria": False},
                "encoding": {
                    "x": plane.across("people"),
                    "y": plane.up("judge"),
                    "text": {"field": "letter"},
                },
            },
        ],
        title=title,
        says=says,
    )
