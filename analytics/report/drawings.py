"""The figures of a report as SVG, PNG and PDF: the same numbers give the same bytes.

Shapes and greys tell things apart, so that all is readable in black and white. Importing this loads
matplotlib, which takes a second: only who draws does so.
"""

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import fontManager

from analytics.agreement.curves import Curve
from analytics.agreement.numbers import Comparison, Kind, Report, SystemComparison
from analytics.agreement.page import criterion_line, estimate_of
from analytics.measures import FAMILIES, FAMILY_NAMES
from analytics.present.words import method_names, number, point_names, size, who
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

_STAMPS = {"svg": "Date", "png": "Software", "pdf": "CreationDate"}
_CHINESE = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Microsoft YaHei",
    "PingFang SC",
    "WenQuanYi Micro Hei",
    "SimHei",
)
_STYLE = {
    "svg.hashsalt": "concord",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    # A name with dollar signs is a name, not a formula that may not parse.
    "text.parse_math": False,
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "savefig.dpi": 200,
}
_MARKS = "oDs^vPX"
_ACROSS = 3
_WIDTH = 7.2  # inches: a page of a journal
_LINE = 150  # characters of the caption


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One figure: `caption` says in words what it shows, from how much, and by which method."""

    key: str
    title: str
    caption: str
    draw: Callable[[], Canvas]


def drawings(report: Report, curves: Sequence[Curve], rubric: Rubric) -> Iterator[Drawing]:
    """Every figure that the ratings suffice for."""
    for family in FAMILIES:
        if rows := list(_forest_rows(report, family)):
            yield _forest(report, family, rows)
    for judge in (rater for rater in report.raters if rater.is_judge):
        own = [one for one in curves if one.judge == judge.id]
        systems = [one for one in report.systems if one.judge == judge.id]
        tables = [
            one
            for one in report.comparisons
            if one.kind is Kind.JUDGE_HUMANS and one.raters[-1] == judge.id and one.table
        ]
        if own:
            yield _severity(report, judge.key, judge.name, own)
            yield _bland_altman(report, judge.key, judge.name, own)
        if tables:
            yield _confusion(report, judge.key, judge.name, tables, rubric)
        if systems:
            yield _systems(report, judge.key, judge.name, systems)


def rendered(drawing: Drawing) -> dict[str, bytes]:
    """{format: the file}. Only within `style`."""
    canvas = drawing.draw()
    files = {}
    for kind, stamp in _STAMPS.items():
        file = io.BytesIO()
        told = {stamp: None, "Title": drawing.title}
        told |= {"Subject" if kind == "pdf" else "Description": drawing.caption}
        canvas.savefig(file, format=kind, metadata=told)
        # What is laid out once stays as it is.
        canvas.set_layout_engine("none")
        files[kind] = file.getvalue()
    return files


@contextmanager
def style() -> Iterator[None]:
    """What all figures share; in English where no font here has Chinese letters."""
    installed = {font.name for font in fontManager.ttflist}
    chinese = [name for name in _CHINESE if name in installed][:1]
    language = (get_language() or "en") if chinese else "en"
    with (
        override(language),
        mpl.rc_context(_STYLE | {"font.family": ["DejaVu Sans", *chinese]}),
        warnings.catch_warnings(),
    ):
        # A name in letters that no font here has becomes boxes, not an error.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _forest_rows(report: Report, family: str) -> Iterator[tuple[Comparison, Estimate]]:
    for one in report.comparisons:
        if one.kind in (Kind.HUMANS, Kind.JUDGE_HUMANS):
            estimate = estimate_of(report, one, family)
            if estimate is not None and estimate.value is not None:
                yield one, estimate


def _forest(report: Report, family: str, rows: Sequence[tuple[Comparison, Estimate]]) -> Drawing:
    name = str(FAMILY_NAMES[family])
    title = _("%(statistic)s of people and judges") % {"statistic": name}
    caption = _caption(
        _("Marks: the value; lines: its interval (95 %). A circle is people among themselves."),
        estimate_methods(estimate for _one, estimate in rows),
    )
    judges = [rater.id for rater in report.raters if rater.is_judge]

    def draw() -> Canvas:
        canvas = Canvas(figsize=(_WIDTH, 1.0 + 0.22 * len(rows)))
        axes = canvas.add_axes(_inner(canvas, left=2.6, right=1.75, top=0.35, bottom=0.65))
        for place, (one, estimate) in enumerate(rows):
            mark = _MARKS[0 if one.kind is Kind.HUMANS else 1 + judges.index(one.raters[-1]) % 6]
            _whisker(axes, estimate, place, mark)
            shown = f"{_shown(estimate)}  {size(estimate)}"
            axes.text(
                1.02,
                place,
                shown,
                transform=axes.get_yaxis_transform(),
                va="center",
                fontsize=6.5,
            )
        labels = [
            f"{said(criterion_line(report, one.criterion).name)}: {who(one, report)}"
            for one, _estimate in rows
        ]
        axes.set_yticks(range(len(rows)), [_short(label, 44) for label in labels])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.axvline(0, color="0.6", lw=0.8, ls=":", zorder=0)
        axes.set_title(title)
        axes.set_xlabel(name)
        _foot(canvas, caption)
        return canvas

    return Drawing(key=f"forest_{family}", title=title, caption=caption, draw=draw)


def _severity(report: Report, key: str, judge: str, curves: Sequence[Curve]) -> Drawing:
    title = _("%(judge)s less people, at each value that people gave") % {"judge": judge}
    caption = _caption(
        _("Above the line the judge rates higher than people. Numbers: pairs of ratings."),
        estimate_methods(level.gap for curve in curves for level in curve.levels),
    )

    def one(axes: Axes, curve: Curve) -> None:
        known = [level for level in curve.levels if level.gap.value is not None]
        axes.axhline(0, color="0.6", lw=0.8, ls=":", zorder=0)
        axes.plot(
            [level.level for level in known], [level.gap.value for level in known], color="0.5"
        )
        for level in known:
            gap = level.gap
            if gap.low is not None and gap.high is not None:
                axes.plot([level.level] * 2, [gap.low, gap.high], color="black", lw=1)
            axes.plot(level.level, gap.value, "o", color="black", ms=4)
            axes.annotate(
                f"{gap.n_pairs:,}",
                (level.level, gap.value),
                xytext=(4, 4),
                textcoords="offset points",
                fontsize=6,
            )
        axes.set_xticks([level.level for level in curve.levels])
        axes.margins(x=0.15, y=0.15)

    return Drawing(
        key=f"severity_{key}",
        title=title,
        caption=caption,
        draw=_grid(
            title, caption, report, curves, one, across=_("People"), up=_("Judge less people")
        ),
    )


def _bland_altman(report: Report, key: str, judge: str, curves: Sequence[Curve]) -> Drawing:
    title = _("%(judge)s and people: differences against means (Bland-Altman)") % {"judge": judge}
    caption = _caption(
        _(
            "Circles: pairs of ratings, their area by how many. Line: the bias; dashed: the limits "
            "of agreement; grey: their intervals (95 %)."
        ),
        estimate_methods(
            estimate for curve in curves for estimate in curve.differences.estimates.values()
        ),
    )

    def one(axes: Axes, curve: Curve) -> None:
        differences = curve.differences
        whole = max(int(differences.counts.sum()), 1)
        axes.scatter(
            differences.means,
            differences.differences,
            s=[4 + 300 * count / whole for count in differences.counts.tolist()],
            facecolors="white",
            edgecolors="black",
            linewidths=0.6,
            zorder=3,
        )
        for name, dashes in (("bias", "-"), ("loa_low", "--"), ("loa_high", "--")):
            estimate = differences.estimates[name]
            if estimate.value is None:
                continue
            axes.axhline(estimate.value, color="black", lw=0.9, ls=dashes)
            if estimate.low is not None and estimate.high is not None:
                axes.axhspan(estimate.low, estimate.high, color="0.85", zorder=0)
        bias = differences.estimates["bias"]
        axes.set_xlabel(f"{_('Bias')} {_shown(bias)}, n = {bias.n_pairs:,}", fontsize=6.5)
        axes.margins(0.15)

    return Drawing(
        key=f"bland_altman_{key}",
        title=title,
        caption=caption,
        draw=_grid(title, caption, report, curves, one, up=_("Judge less people")),
    )


def _confusion(
    report: Report, key: str, judge: str, chosen: Sequence[Comparison], rubric: Rubric
) -> Drawing:
    title = _("%(judge)s and people: how often which values meet") % {"judge": judge}
    pairs = max(sum(map(sum, one.table)) for one in chosen)
    caption = _(
        "Rows: people; columns: the judge; darker: a larger share of the row; outlined: the same "
        "value. Up to %(n)s pairs of ratings a table; the counts are exact and have no interval."
    ) % {"n": f"{pairs:,}"}

    def one(axes: Axes, comparison: Comparison) -> None:
        line = criterion_line(report, comparison.criterion)
        names = [_short(name, 14) for name in point_names(rubric, line.key, line.points)]
        for row, counts in enumerate(comparison.table):
            whole = max(sum(counts), 1)
            for column, n in enumerate(counts):
                share = n / whole
                axes.add_patch(
                    mpl.patches.Rectangle(
                        (column - 0.5, row - 0.5),
                        1,
                        1,
                        facecolor=str(round(1 - 0.75 * share, 3)),
                        edgecolor="black" if row == column else "0.85",
                        linewidth=1.2 if row == column else 0.4,
                        zorder=2 if row == column else 1,
                    )
                )
                if n:
                    colour = "white" if share > 0.6 else "black"
                    axes.text(
                        column, row, f"{n:,}", ha="center", va="center", fontsize=6, color=colour,
                        zorder=3,
                    )  # fmt: skip
        is_long = max(map(len, names)) > 3
        axes.set_xticks(range(len(names)), names, rotation=90 if is_long else 0, fontsize=6)
        axes.set_yticks(range(len(names)), names, fontsize=6)
        axes.set_xlim(-0.6, len(names) - 0.4)
        axes.set_ylim(len(names) - 0.4, -0.6)

    return Drawing(
        key=f"confusion_{key}",
        title=title,
        caption=caption,
        draw=_grid(title, caption, report, chosen, one, across=judge, up=_("People")),
    )


def _systems(report: Report, key: str, judge: str, systems: Sequence[SystemComparison]) -> Drawing:
    title = _("%(judge)s and people: means of generators") % {"judge": judge}
    names = sorted({name for one in systems for name in one.systems})
    letters = {name: chr(ord("a") + place % 26) for place, name in enumerate(names)}
    caption = _caption(
        _("Each point is the mean of one generator over the items that both rated: %(names)s.")
        % {"names": ", ".join(f"{letters[name]} {name}" for name in names)},
        estimate_methods(one.estimates["icc_c1"] for one in systems),
    )

    def one(axes: Axes, line: SystemComparison) -> None:
        people, judged = zip(*line.means, strict=True)
        ends = min(*people, *judged), max(*people, *judged)
        axes.plot(ends, ends, color="0.6", lw=0.8, ls=":")
        axes.plot(people, judged, "o", color="black", ms=3)
        for name, x, y in zip(line.systems, people, judged, strict=True):
            axes.annotate(
                letters[name], (x, y), xytext=(3, 2), textcoords="offset points", fontsize=6
            )
        estimate = line.estimates["icc_c1"]
        axes.set_xlabel(f"ICC(C,1) {_shown(estimate)}, n = {len(line.systems)}", fontsize=6.5)
        axes.margins(0.12)

    return Drawing(
        key=f"systems_{key}",
        title=title,
        caption=caption,
        draw=_grid(title, caption, report, systems, one, up=judge),
    )


def _grid(
    title: str,
    caption: str,
    report: Report,
    chosen: Sequence,
    one: Callable[[Axes, object], None],
    *,
    across: str = "",
    up: str = "",
) -> Callable[[], Canvas]:
    """A panel each of `chosen`, with its criterion above."""

    def draw() -> Canvas:
        down = math.ceil(len(chosen) / _ACROSS)
        canvas = Canvas(figsize=(_WIDTH, 0.9 + 2.1 * down), layout="constrained")
        below = 0.5 / canvas.get_figheight()
        canvas.get_layout_engine().set(rect=(0, below, 1, 1 - below))
        panels = canvas.subplots(down, _ACROSS, squeeze=False).ravel()
        for axes, shown in zip(panels, chosen, strict=False):
            line = criterion_line(report, getattr(shown, "comparison", shown).criterion)
            axes.set_title(_short(said(line.name), 34))
            if across:
                axes.set_xlabel(_short(across, 34))
            if up and axes.get_subplotspec().is_first_col():
                axes.set_ylabel(_short(up, 34))
            one(axes, shown)
        for axes in panels[len(chosen) :]:
            axes.set_axis_off()
        canvas.suptitle(title, x=0.01, ha="left", fontsize=9)
        _foot(canvas, caption)
        return canvas

    return draw


def estimate_methods(estimates: Iterable[Estimate]) -> str:
    """How the intervals of these were made, in words; blank where there is none."""
    used = {estimate.method for estimate in estimates if estimate.method}
    return "; ".join(method_names(used))


def _caption(words: str, methods: str) -> str:
    if not methods:
        return words
    return f"{words} " + _("95 %% intervals: %(methods)s.") % {"methods": methods}


def _whisker(axes: Axes, estimate: Estimate, place: int, mark: str) -> None:
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [place, place], color="black", lw=1)
    filled = "white" if mark == _MARKS[0] else "black"
    axes.plot(estimate.value, place, mark, color="black", mfc=filled, ms=4.5)


def _shown(estimate: Estimate) -> str:
    value = number(estimate.value, estimate.statistic) or _("not defined")
    low, high = (number(end, estimate.statistic) for end in (estimate.low, estimate.high))
    limits = f" [{low}, {high}]" if low is not None else ""
    return f"{value}{limits}"


def _inner(
    canvas: Canvas, *, left: float, right: float, top: float, bottom: float
) -> tuple[float, float, float, float]:
    """The room that margins in inches leave, as shares of the canvas."""
    width, height = canvas.get_size_inches()
    return left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height


def _foot(canvas: Canvas, caption: str) -> None:
    lines = textwrap.wrap(caption, _LINE)[:3]
    canvas.text(0.01, 0.04 / canvas.get_figheight(), "\n".join(lines), fontsize=6, va="bottom")


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
