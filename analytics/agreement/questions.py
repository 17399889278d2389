"""One comparison of labels, question by question: agreement at each, and where raters part."""

from dataclasses import dataclass

from analytics.agreement.numbers import Comparison, Kind, ratings_behind
from analytics.figures.chances import with_chances
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, StudyRatings, View
from analytics.stats.estimates import Estimate
from analytics.stats.taxonomies import by_node, divergence
from annotation.rubric.schema import Taxonomy

OF_PANEL = ("fleiss", "ac1", "exact")
OF_PAIR = ("kappa", "ac1", "exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAgreement:
    """Agreement of those who reach a question, and the share of pairs that part there."""

    node: str
    n_items: int
    estimates: dict[str, Estimate]
    part: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The questions in their order; `never`: the share of pairs that do not part."""

    revision: int
    asked: tuple[NodeAgreement, ...]
    never: Estimate


def questions_of(study: StudyRatings, comparison: Comparison, *, view: View) -> Questions | None:
    """The comparison by question in a view, where that makes sense."""
    labelled = {one.key for one in study.rubric.criteria if isinstance(one, Taxonomy)}
    if comparison.criterion not in labelled:
        return None
    return questions(study, matrices.matrix(study, comparison.criterion, view=view), comparison)


def questions(study: StudyRatings, table: Matrix, comparison: Comparison) -> Questions | None:
    """The comparison by question; None where the criterion has none, where its questions are a
    graph, in which a label does not tell the way to it, or a judge faces several people: there
    people are not to be compared with one another."""
    criterion = study.rubric.part(comparison.criterion)
    if not isinstance(criterion, Taxonomy) or criterion.is_graph or len(criterion.nodes) < 2:
        return None
    values = ratings_behind(study, table, comparison)
    if comparison.kind is Kind.JUDGE_HUMANS and values.shape[1] > 2:
        return None
    paths = _paths(criterion)
    only = OF_PAIR if values.shape[1] == 2 else OF_PANEL
    parting = divergence(values, paths=paths, clusters=study.clusters)
    asked = by_node(values, paths=paths, clusters=study.clusters, only=only)
    found = Questions(
        revision=study.revision,
        asked=tuple(
            NodeAgreement(
                node=one.node,
                n_items=one.n_items,
                estimates=one.estimates,
                part=parting[one.node],
            )
            for one in asked
        ),
        never=parting[None],
    )
    return with_chances(study, found)


def _paths(criterion: Taxonomy) -> dict[str, tuple[float, ...]]:
    """{question: the codes of the labels at which it ends}."""
    return {
        node.key: tuple(
            float(criterion.label(option.label).code)
            for option in node.options
            if option.label is not None
        )
        for node in criterion.nodes
    }
