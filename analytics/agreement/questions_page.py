"""A comparison of labels question by question, as its page shows it."""

from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analytics.agreement import questions
from analytics.agreement.page import Dashboard
from analytics.agreement.places import ComparisonPlace, comparison_at
from analytics.agreement.questions import NodeAgreement, Questions
from analytics.present.charts import strips
from analytics.present.words import Figure
from analytics.ratings import matrices
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said
from annotation.rubric.schema import Taxonomy


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionShown:
    """A question: who reach it agree so far, and so many part there."""

    question: str
    n_items: str
    figures: tuple[Figure, ...]
    part: Figure
    drawing: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class ByQuestion:
    """All questions; `never` is the share of pairs that take the same way to the end."""

    revision: int
    statistics: tuple[str, ...]
    asked: tuple[QuestionShown, ...]
    never: Figure
    drawing: SafeString
    scale: SafeString


def by_question(
    dashboard: Dashboard, place: ComparisonPlace, *, study_id: int
) -> ByQuestion | None:
    """The comparison at a place by question, computed now; None where that makes no sense."""
    comparison = comparison_at(dashboard.report, *place)
    criterion = next((one for one in dashboard.rubric.criteria if one.key == place.criterion), None)
    if not isinstance(criterion, Taxonomy):
        return None
    study = matrices.read(study_id)
    table = matrices.matrix(study, place.criterion, view=dashboard.report.view)
    found = questions.questions(study, table, comparison)
    return _shown(dashboard, criterion, found) if found else None


def _shown(dashboard: Dashboard, criterion: Taxonomy, found: Questions) -> ByQuestion:
    names = {node.key: said(node.question) for node in criterion.nodes}
    axis = strips.axis_for([*(one.part for one in found.asked), found.never])
    asked = tuple(_asked(dashboard, one, names[one.node], axis) for one in found.asked)
    never = dashboard.figure_of(found.never)
    return ByQuestion(
        revision=found.revision,
        statistics=tuple(figure.name for figure in asked[0].figures),
        asked=asked,
        never=never,
        drawing=_drawing(_("the same label"), found.never, never, axis),
        scale=strips.scale(axis, labels=[f"{100 * tick:.0f} %" for tick in axis.ticks]),
    )


def _asked(dashboard: Dashboard, one: NodeAgreement, name: str, axis: strips.Axis) -> QuestionShown:
    part = dashboard.figure_of(one.part)
    return QuestionShown(
        question=name,
        n_items=f"{one.n_items:,}",
        figures=tuple(dashboard.figure_of(estimate) for estimate in one.estimates.values()),
        part=part,
        drawing=_drawing(name, one.part, part, axis),
    )


def _drawing(name: str, estimate: Estimate, figure: Figure, axis: strips.Axis) -> SafeString:
    return strips.strip(estimate, axis, says=f"{name} {figure.text}")
