"""A selective curve: the more answers are accepted, the fewer agree with people."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import DASHED, Spec, panel, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectivePoint:
    """What share of all answers one threshold accepts, what share of the `n` checked ones agrees,
    and what share does at least; in percent. `is_safe` where the promise holds there. `tells_of`: how
    many of them differ and agree."""

    accepted: float
    agreeing: float
    at_least: float
    n: int
    tells_of: tuple[int, ...]
    is_safe: bool
    says: str
    href: str = ""


def selective_curve(
    taken: Sequence[SelectivePoint],
    *,
    target: float,
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """Agreement (marks, filled where the promise holds) with its lower bound, dashed, over the
    line of the target."""
    ends = [target, 100.0, *(one.agreeing for one in taken), *(one.at_least for one in taken)]
    plane = plane_for([0.0, 100.0], ends, x_name=x_name, y_name=y_name)
    rows = [asdict(one) for one in taken]
    bounds = [row | {"low": row["at_least"], "high": row["agreeing"]} for row in rows]
    filled = {
        "condition": {"test": "datum.is_safe", "value": look.colour},
        "value": ink("surface"),
    }
    return panel(
        [
            plane.level(target, colour=ink("bad")),
            plane.line(
                [(one.accepted, one.at_least) for one in taken],
                colour=look.colour,
                dashes=DASHED,
                width=1.5,
            ),
            plane.line([(one.accepted, one.agreeing) for one in taken], colour=look.colour),
            plane.whiskers(bounds, x="accepted", colour=look.colour),
            plane.marks(
                rows,
                x="accepted",
                y="agreeing",
                look=look,
                fill=filled,
                stroke={"value": look.colour},
            ),
        ],
        title=title,
        says=says,
    )
