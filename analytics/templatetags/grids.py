"""{% grid a_table %}: a table of figures, or nothing; {% grid_row row %}: a row of it.

`is_lights`: its badges alone, each leading to what it rests on.

A page has a thousand cells, and a template takes several times as long for one as this does.
"""

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analytics.present import taking
from analytics.present.grid import NOTHING, Download, Grid, GridCell, GridRow
from analytics.present.taking import DrawnTable
from analytics.present.words import Figure

register = template.Library()

_EMPTY = SafeString()


@register.simple_tag(name="grid", takes_context=True)
def grid_or_nothing(
    context: dict[str, Any],
    grid: Grid | None,
    *,
    is_first: bool = False,
    is_named: bool = False,
    is_lights: bool = False,
    folded: str = "",
    key: str = "",
) -> str:
    """`is_first`: nothing but the heading of the page stands above it; `is_named`: it stands below its
    name; `folded`: below these words, which stay open under the `key`."""
    if grid is None:
        return ""
    shown = {
        "grid": grid,
        "files": _files(context, grid),
        "is_first": is_first,
        "is_named": is_named or is_lights,
        "is_lights": is_lights,
    }
    drawn = render_to_string("analytics/_table.html", shown)
    if not folded:
        return drawn
    return format_html('<details id="{}"><summary>{}</summary>{}</details>', key, folded, drawn)


def _files(context: dict[str, Any], grid: Grid) -> tuple[Download, ...]:
    """Those at an address of their own, or of the page that draws the table."""
    if grid.table is None:
        return grid.files
    request = context["request"]
    if not taking.is_read(request):
        return ()
    taking.note_drawn(request, grid.id, DrawnTable(grid.table, context["study_access"]))
    return taking.files_of(request, grid.id)


@register.simple_tag
def grid_row(row: GridRow, *, is_lights: bool = False) -> SafeString:
    """The headings of a row, and its cells."""
    drawn = _light if is_lights else _cell
    first, *others = row.about or (None,)
    return format_html(
        "<tr>{}{}{}</tr>",
        _heading(first, _EMPTY) if first else _EMPTY,
        format_html_join("", "{}", ((_heading(cell, _label(cell)),) for cell in others)),
        format_html_join("", "{}", ((drawn(cell),) for cell in row.cells)),
    )


@register.simple_tag(name="figure")
def figure_in_words(figure: Figure | None) -> SafeString:
    """A number stands with its interval, or with words and the letters of its footnotes."""
    if figure is None:
        return _nothing()
    return format_html(
        '<span class="figure{}">{}{}{}</span>',
        " figure--doubtful" if figure.is_doubtful else "",
        _value(figure),
        _raised(" ".join(figure.marks)),
        _interval(figure),
    )


def _heading(cell: GridCell, label: SafeString) -> SafeString:
    return format_html(
        '<th scope="row"{} data-order="{}">{}</th>', label, cell.order, _content(cell)
    )


def _cell(cell: GridCell) -> SafeString:
    return format_html(
        '<td class="{}"{} data-order="{}">{}</td>',
        cell.classes,
        _label(cell),
        cell.order,
        _content(cell),
    )


def _light(cell: GridCell) -> SafeString:
    """What stands below it elsewhere is said on hovering."""
    if not cell.badge:
        return format_html('<td class="soft"><span class="light__none">{}</span></td>', cell.text)
    return format_html(
        '<td data-order="{}"><a class="light" href="{}" title="{}"><span class="badge badge--{}">'
        "<span>{}</span></span></a></td>",
        cell.order,
        cell.link,
        cell.small,
        cell.badge,
        cell.text,
    )


def _label(cell: GridCell) -> SafeString:
    """What the head of the column says, where a narrow window shows none."""
    return format_html(' data-label="{}"', cell.head.text)


def _content(cell: GridCell) -> SafeString:
    said = format_html("{}{}", _said(cell), cell.drawing or "")
    return format_html(
        "{}{}",
        format_html('<a href="{}">{}</a>', cell.link, said) if cell.link else said,
        format_html_join(
            "",
            '<br><span class="small soft">{}</span>',
            ((line,) for line in cell.small.splitlines()),
        ),
    )


def _said(cell: GridCell) -> SafeString:
    if cell.badge:
        return format_html('<span class="badge badge--{}">{}</span>', cell.badge, cell.text)
    if cell.figure:
        return figure_in_words(cell.figure)
    if cell.is_empty:
        return _nothing()
    return format_html("<span>{}{}</span>", cell.text, _raised(cell.marks))


def _nothing() -> SafeString:
    return format_html('<span class="soft" aria-label="{}">{}</span>', _("does not apply"), NOTHING)


def _value(figure: Figure) -> SafeString:
    if figure.value is None:
        return format_html('<span class="figure__words">{}</span>', _("not defined"))
    return format_html('<span class="figure__value">{}</span>', figure.value)


def _interval(figure: Figure) -> SafeString:
    if figure.value is None and figure.low is None:
        return _EMPTY
    words = {"low": figure.low, "high": figure.high}
    said = _("no interval") if figure.low is None else _("%(low)s to %(high)s") % words
    return format_html('<span class="figure__interval"> {}</span>', said)


def _raised(marks: str) -> SafeString:
    return format_html("<sup>{}</sup>", marks) if marks else _EMPTY
