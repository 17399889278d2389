"""A bar of what was found and what was missed: filled and hatched, so that no colour is needed."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 400, 22
_HATCH = 7


def bar(found: int, missed: int, *, of: int, says: str) -> SafeString:
    """`found` filled and `missed` hatched, on a bar as long as `of` fills the drawing.

    `says` is the text alternative.
    """
    whole = max(of, 1)
    middle = round(WIDTH * found / whole, 2)
    end = round(WIDTH * (found + missed) / whole, 2)
    return format_html(
        '<svg class="found" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<rect class="found__yes" x="0" y="1" width="{}" height="{}"/>{}'
        '<rect class="found__no" x="{}" y="1" width="{}" height="{}"/></svg>',
        WIDTH,
        HEIGHT,
        says,
        middle,
        HEIGHT - 2,
        _hatched(middle, end),
        middle,
        round(end - middle, 2),
        HEIGHT - 2,
    )


def _hatched(left: float, right: float) -> SafeString:
    """Slanted lines from `left` to `right`, cut off at both ends."""
    depth = HEIGHT - 2
    starts = range(int(left) - depth, int(right) + 1, _HATCH)
    lines = ((max(start, left), min(start + depth, right), start) for start in starts)
    return format_html_join(
        "",
        '<line class="found__hatch" x1="{}" y1="{}" x2="{}" y2="{}"/>',
        (
            (x1, round(HEIGHT - 1 - (x1 - start), 2), x2, round(HEIGHT - 1 - (x2 - start), 2))
            for x1, x2, start in lines
            if x2 > x1
        ),
    )
