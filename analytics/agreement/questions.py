"""One comparison of labels, question by question: who gets there, what they answer, agreement at
each question, and where raters part."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analytics.agreement.behind import with_all_of
from analytics.comparisons.behind import ratings_behind
from analytics.comparisons.kinds import WITH_JUDGE, Comparison, Kind
from analytics.figures.chances import with_chances
from analytics.ratings import matrices
from analytics.ratings.columns import OF_GOLD, ColumnPlace
from analytics.ratings.matrices import Matrix, StudyRatings, View
from analytics.ratings.ways import answers_on_the_way
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats, Ints
from analytics.stats.taxonomies import AtNode, by_node, divergence
from annotation.rubric.schema import Taxonomy

OF_PANEL = ("fleiss", "alpha_nominal", "ac1", "exact")
OF_PAIR = ("kappa", "alpha_nominal", "ac1", "exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAgreement:
    """One question, of those who reach it, whatever way: agreement, and the share of all pairs that
    part there.

    `given`: how often each of its answers was given, by all, or by the others and by the judge who
    is compared with them. `n_items`: those that two or more reach.
    """

    node: str
    given: tuple[tuple[int, ...], ...]
    n_items: int
    estimates: dict[str, Estimate]
    part: Estimate

    @property
    def n_reached(self) -> tuple[int, ...]:
        """How many answers there are, of each side."""
        return tuple(map(sum, self.given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The questions in the order of the rubric; `never`: the share of pairs that do not part."""

    revision: int
    is_graph: bool
    asked: tuple[NodeAgreement, ...]
    never: Estimate

    @property
    def parting(self) -> NodeAgreement | None:
        """The question at which most pairs part; None where none does."""
        return max(
            (one for one in self.asked if one.part.value),
            key=lambda one: one.part.value or 0.0,
            default=None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ComparedAnswers:
    """The answers (m, r) to each question as they are compared, and the dialogue of each row, (m,)
    or None; the items (m,) where a row is not one."""

    steps: Mapping[str, Floats]
    clusters: Ints | None
    items: Ints | None = None


def questions_of(study: StudyRatings, comparison: Comparison, *, view: View) -> Questions | None:
    """The comparison by question in a view, where that makes sense."""
    labelled = {one.key for one in study.rubric.criteria if isinstance(one, Taxonomy)}
    if comparison.criterion not in labelled:
        return None
    table = matrices.matrix(study, comparison.criterion, view=view)
    return questions(study, with_all_of(comparison, table), comparison)


def questions(study: StudyRatings, table: Matrix, comparison: Comparison) -> Questions | None:
    """The comparison by question; None where the criterion has none."""
    criterion = study.rubric.part(comparison.criterion)
    if not isinstance(criterion, Taxonomy) or len(criterion.nodes) < 2:
        return None
    steps = _steps(study, table, comparison, criterion)
    compared = _compared(study, comparison, steps)
    n_options = {node.key: len(node.options) for node in criterion.nodes}
    is_pair = next(iter(compared.steps.values())).shape[1] == 2
    parting = divergence(compared.steps, clusters=compared.clusters)
    at_nodes = by_node(
        compared.steps,
        options=n_options,
        clusters=compared.clusters,
        only=OF_PAIR if is_pair else OF_PANEL,
    )
    found = {one.node: _by_items(compared, one) for one in at_nodes}
    shares = {node: _of_items(compared, part, criterion) for node, part in parting.items()}
    return with_chances(
        study,
        Questions(
            revision=study.revision,
            is_graph=criterion.is_graph,
            asked=tuple(
                NodeAgreement(
                    node=node.key,
                    given=_given(steps[node.key], len(node.options), comparison),
                    n_items=found[node.key].n_items,
                    estimates=found[node.key].estimates,
                    part=shares[node.key],
                )
                for node in criterion.nodes
            ),
            never=shares[None],
        ),
    )


def _steps(
    study: StudyRatings, table: Matrix, comparison: Comparison, criterion: Taxonomy
) -> dict[str, Floats]:
    """The answers (n, k) to each question behind a comparison, a column a rater, as
    `ratings_behind` has them."""
    values = ratings_behind(study, table, comparison)
    if comparison.kind is Kind.JUDGE_REPEATS:
        (judge,) = comparison.raters
        places = [ColumnPlace(judge, time) for time in range(1, values.shape[1] + 1)]
    else:
        places = [ColumnPlace(rater, 1) for rater in comparison.raters]
    if comparison.kind in WITH_JUDGE:
        last = next(rater for rater in table.raters if rater.id == comparison.raters[-1])
        places[-1] = ColumnPlace(last.id, matrices.runs(study, table, last).repeats[0])
    if comparison.kind is Kind.JUDGE_GOLD:
        places = [OF_GOLD, *places]
    columns = [answers_on_the_way(study, criterion, place) for place in places]
    return {
        node: np.where(np.isnan(values), np.nan, np.stack([one[node] for one in columns], axis=1))
        for node in columns[0]
    }


def _compared(
    study: StudyRatings, comparison: Comparison, steps: Mapping[str, Floats]
) -> _ComparedAnswers:
    """Everybody with everybody; a judge with each of several people, who are not compared with one
    another."""
    n, k = next(iter(steps.values())).shape
    if comparison.kind is not Kind.JUDGE_HUMANS or k == 2:
        return _ComparedAnswers(steps=steps, clusters=study.clusters)
    others = k - 1
    return _ComparedAnswers(
        steps={
            node: np.stack([given[:, :-1].T.ravel(), np.tile(given[:, -1], others)], axis=1)
            for node, given in steps.items()
        },
        clusters=np.tile(study.dialogues, others),
        items=np.tile(np.arange(n), others),
    )


def _by_items(compared: _ComparedAnswers, at: AtNode) -> AtNode:
    """With items counted once where several rows are of one."""
    n_items = _n_items(compared, at.node)
    if n_items is None:
        return at
    return replace(
        at,
        n_items=n_items,
        estimates={name: replace(one, n_items=n_items) for name, one in at.estimates.items()},
    )


def _of_items(compared: _ComparedAnswers, part: Estimate, criterion: Taxonomy) -> Estimate:
    n_items = _n_items(compared, criterion.nodes[0].key)
    return part if n_items is None else replace(part, n_items=n_items)


def _n_items(compared: _ComparedAnswers, node: str) -> int | None:
    if compared.items is None:
        return None
    both = np.isfinite(compared.steps[node]).all(axis=1)
    return int(np.unique(compared.items[both]).size)


def _given(answers: Floats, n_options: int, comparison: Comparison) -> tuple[tuple[int, ...], ...]:
    """How often each answer was given, by the others and by a judge beside them, or by all."""
    has_sides = comparison.kind in WITH_JUDGE
    sides = [answers[:, :-1], answers[:, -1:]] if has_sides else [answers]
    return tuple(
        tuple(np.bincount(side[np.isfinite(side)].astype(int), minlength=n_options).tolist())
        for side in sides
    )
