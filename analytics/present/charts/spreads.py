"""What stands in a cell: how often people and a judge give each value, side by side, as text.

No chart: as many stand on a page as there are criteria times judges.
"""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analytics.present.charts.looks import Look

WIDTH, HEIGHT = 120, 36


def spread(people: Sequence[float], judge: Sequence[float], *, look: Look, says: str) -> SafeString:
    """Two bars a value: people in grey on the left, the judge in its colour on the right."""
    step = WIDTH / len(people)
    most = max(*people, *judge) or 1.0
    return format_html(
        '<svg class="spread" viewBox="0 0 {} {}" color="{}" role="img" aria-label="{}">'
        '<title>{}</title>{}<line x1="0" x2="{}" y1="{}" y2="{}"/></svg>',
        WIDTH,
        HEIGHT,
        look.colour,
        says,
        says,
        format_html_join(
            "",
            '<rect class="spread__{}" x="{}" y="{}" width="{}" height="{}"/>',
            (
                bar
                for place, pair in enumerate(zip(people, judge, strict=True))
                for bar in _pair(place * step, step, pair, most)
            ),
        ),
        WIDTH,
        HEIGHT,
        HEIGHT,
    )


def _pair(
    left: float, step: float, shares: tuple[float, float], most: float
) -> list[tuple[object, ...]]:
    wide = step * 0.4
    return [
        (
            name,
            round(left + step * 0.1 + nth * wide, 2),
            round(HEIGHT * (1 - share / most), 2),
            round(wide, 2),
            round(HEIGHT * share / most, 2),
        )
        for nth, (name, share) in enumerate(zip(("people", "judge"), shares, strict=True))
    ]
