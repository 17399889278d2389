"""The figures of a report: the charts of the pages, for paper."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from accounts.punctuation import headed, in_turn, listed, running
from analytics.agreement.numbers import Report
from analytics.comparisons.kinds import Kind
from analytics.judges.numbers import Against, JudgesReport, Reference
from analytics.measures import FAMILIES, SIGNED
from analytics.present.charts import beside as charts
from analytics.present.charts import drawing
from analytics.present.charts.drawing import KINDS
from analytics.present.charts.parts import Spec, side_by_side, whole
from analytics.present.places import estimate_of
from analytics.present.words import method_names
from analytics.stats.estimates import Estimate
from annotation.rubric.schema import Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One figure: `caption` says in words what it shows, from how much, and by which method."""

    key: str
    title: str
    caption: str
    spec: Spec


def drawings(report: Report, judges: JudgesReport, rubric: Rubric) -> Iterator[Drawing]:
    """Every figure that the ratings suffice for."""
    for family in FAMILIES:
        yield from _forest(report, family)
    for judge in judges.judges:
        yield from _severity(judges, judge.id, judge.key, judge.name)
        yield from _bland_altman(judges, judge.id, judge.key, judge.name)
        yield from _confusion(report, rubric, judge.id, judge.key, judge.name)
        yield from _systems(report, judge.id, judge.key, judge.name)


def rendered(figure: Drawing) -> dict[str, bytes]:
    """{format: the file}. Only within `letters`."""
    return {kind: drawing.as_file(whole(figure.spec), kind) for kind in KINDS}


def on_screen(figure: Drawing) -> str:
    """The drawing in the colours of the page that it stands in. Only within `letters`."""
    return drawing.on_screen(whole(figure.spec))


def letters() -> AbstractContextManager[None]:
    """The language of the page; English where no font here has Chinese letters."""
    language = get_language() or "en"
    return override(language if language == "en" or drawing.has_chinese() else "en")


def _forest(report: Report, family: str) -> Iterator[Drawing]:
    spec = charts.forest(report, family)
    if spec is None:
        return
    shown = [
        (one.kind, estimate)
        for one in report.comparisons
        if one.kind in (Kind.HUMANS, Kind.JUDGE_HUMANS)
        and (estimate := estimate_of(report, one, family))
    ]
    words = [_("Marks: the value; lines: its interval (95 %).")]
    if any(kind is Kind.HUMANS for kind, _estimate in shown):
        words.append(_("A circle is people among themselves, shaded their interval."))
    if family in SIGNED:
        words.append(_("Right of 0 the judge rates higher than people."))
    caption = _caption(running(words), (estimate for _kind, estimate in shown))
    yield Drawing(key=f"forest_{family}", title=running(spec["title"]), caption=caption, spec=spec)


def _severity(judges: JudgesReport, judge: int, key: str, name: str) -> Iterator[Drawing]:
    found = _beside_people(judges, judge)
    panels = [
        charts.severity(
            charts.beside(judges, one.item), one.shape.levels, one.shape.levels_of_people
        )
        for one in found
    ]
    yield from _panels(
        f"severity_{key}",
        _("%(judge)s minus people, at each value that people gave") % {"judge": name},
        _caption(
            _(
                "Above the line the judge rates higher than people. Dashed: one person beside "
                "another."
            ),
            (level.gap for one in found for level in one.shape.levels),
        ),
        [panel for panel in panels if panel],
    )


def _bland_altman(judges: JudgesReport, judge: int, key: str, name: str) -> Iterator[Drawing]:
    found = _beside_people(judges, judge)
    panels = [
        charts.bland_altman(
            charts.beside(judges, one.item), one.shape.bubbles, one.shape.differences
        )
        for one in found
    ]
    yield from _panels(
        f"bland_altman_{key}",
        _("%(judge)s and people: differences against means (Bland-Altman)") % {"judge": name},
        _caption(
            _(
                "Circles: pairs of ratings, their area by how many. Line: the bias; dashed: the "
                "limits of agreement; grey: their intervals (95 %)."
            ),
            (estimate for one in found for estimate in one.shape.differences.values()),
        ),
        [panel for panel in panels if panel],
    )


def _confusion(
    report: Report, rubric: Rubric, judge: int, key: str, name: str
) -> Iterator[Drawing]:
    found = [
        one
        for one in report.comparisons
        if one.kind is Kind.JUDGE_HUMANS and one.raters[-1] == judge and one.table
    ]
    pairs = max((sum(map(sum, one.table or ())) for one in found), default=0)
    yield from _panels(
        f"confusion_{key}",
        _("%(judge)s and people: how often which values meet") % {"judge": name},
        _(
            "Rows: people; columns: the judge; darker: a larger share of the row; outlined: the "
            "same value. Up to %(n)s pairs of ratings a table; the counts are exact and have no "
            "interval."
        )
        % {"n": f"{pairs:,}"},
        [charts.confusion(charts.beside(report, one), one, rubric) for one in found],
    )


def _systems(report: Report, judge: int, key: str, name: str) -> Iterator[Drawing]:
    found = [one for one in report.systems if one.judge == judge]
    names = [name for one in found[:1] for name in one.systems]
    lettered = listed(f"{charts.letter(place)} {name}" for place, name in enumerate(names))
    yield from _panels(
        f"systems_{key}",
        _("%(judge)s and people: means of generators") % {"judge": name},
        _caption(
            _("Each point is the mean of one generator over the items that both rated: %(names)s.")
            % {"names": lettered},
            (one.estimates["icc_c1"] for one in found),
        ),
        [charts.systems(report, one) for one in found],
    )


def _beside_people(judges: JudgesReport, judge: int) -> list[Against]:
    return [
        one
        for one in judges.against
        if one.judge == judge and one.reference is Reference.PEOPLE and one.shape.levels
    ]


def _panels(key: str, title: str, caption: str, panels: Sequence[Spec]) -> Iterator[Drawing]:
    """A panel each criterion, two in a row."""
    if panels:
        spec = side_by_side(panels, title=title, says=headed(title, caption), columns=2)
        yield Drawing(key=key, title=title, caption=caption, spec=spec)


def _caption(words: str, estimates: Iterable[Estimate]) -> str:
    """With how the intervals were made, where there are any."""
    methods = in_turn(method_names({one.method for one in estimates if one.method}))
    if not methods:
        return words
    return running((words, _("95 %% intervals: %(methods)s.") % {"methods": methods}))
