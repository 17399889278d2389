"""A chart on a page: where it is, what it says, and how it answers when it is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Protocol, cast, runtime_checkable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString, mark_safe

from analytics.present.charts import drawing
from analytics.present.charts.drawing import KINDS, TYPES, Busy, CannotDraw
from analytics.present.charts.parts import Spec, whole

# What an address asks of a chart, beside the choices that its page has.
ASKS = ("chart", "as", "drawn", "revision")
_FOLLOW, _AGAIN, _LATER = "every 10s", "load delay:500ms", "every 60s"


@dataclass(frozen=True, kw_only=True)
class Chart:
    """`key` names it among the charts of its page, and its files."""

    key: str
    plot: Spec

    @cached_property
    def spec(self) -> Spec:
        """The description, as it stands alone."""
        return whole(self.plot)

    @property
    def says(self) -> str:
        """The text alternative."""
        return cast("str", self.plot["description"])

    @cached_property
    def digest(self) -> str:
        return drawing.digest_of(self.spec)


@runtime_checkable
class HasCharts(Protocol):
    """What a page with charts shows."""

    @property
    def charts(self) -> Mapping[str, Chart]: ...


def asked_for(request: HttpRequest, shown: object) -> Chart:
    """The chart that an address names; 404."""
    chart = shown.charts.get(request.GET["chart"]) if isinstance(shown, HasCharts) else None
    if chart is None:
        raise Http404
    return chart


def answer(request: HttpRequest, chart: Chart, *, key: str, mark: str, kept: str) -> HttpResponse:
    """The chart as a part of its page; `kept` says why it is no file for its reader.

    A page never waits for a drawing that another reader waits for: it asks again.
    """
    if request.GET.get("drawn") == chart.digest:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    try:
        svg, trigger = drawing.drawn(chart.spec, patience=0), _FOLLOW
    except Busy:
        svg, trigger = "", _AGAIN
    except CannotDraw:
        svg, trigger = "", _LATER
    context = {
        "chart": chart,
        "svg": _placed(svg, key),
        "trigger": trigger,
        "kinds": KINDS,
        "kept": kept,
        "address": _address(request, chart),
        "mark": mark,
    }
    return render(request, "analytics/_chart.html", context)


def on_page(
    request: HttpRequest, chart: Chart, *, key: str, mark: str, kept: str
) -> dict[str, object]:
    """The chart within its page: what is kept of it stands there at once, the rest is fetched.

    When the page follows new ratings, the drawing in it stays and follows at its own pace.
    """
    is_whole_page = "HX-Request" not in request.headers
    svg = drawing.kept(chart.spec) if is_whole_page else None
    return {
        "chart": chart,
        "svg": _placed(svg or "", key),
        "trigger": _FOLLOW if svg else "load",
        "stays": not is_whole_page,
        "kinds": KINDS,
        "kept": kept,
        "address": _address(request, chart),
        "mark": mark,
    }


def as_file(chart: Chart, kind: str) -> HttpResponse:
    """The chart for paper; 503 while it is drawn for somebody else."""
    if kind not in KINDS:
        raise Http404
    try:
        content = drawing.as_file(chart.spec, kind)
    except (Busy, CannotDraw):
        return HttpResponse(status=HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": "5"})
    disposition = content_disposition_header(False, f"{chart.key}.{kind}")
    return HttpResponse(
        content, content_type=TYPES[kind], headers={"Content-Disposition": disposition}
    )


def _address(request: HttpRequest, chart: Chart) -> str:
    """The choices of the page and the chart, as the end of an address."""
    chosen = request.GET.copy()
    for name in ASKS:
        chosen.pop(name, None)
    chosen["chart"] = chart.key
    return chosen.urlencode()


def _placed(svg: str, key: str) -> SafeString:
    """With links from where the figures of the study are."""
    root = reverse("agreement_overview", kwargs={"key": key})
    linked = svg.replace('<a href="', f'<a href="{root}')
    return mark_safe(linked)  # noqa: S308 -- drawn by ourselves, every text in it escaped
