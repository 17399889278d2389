"""The ratings behind one comparison, which are data and no figures: item keys and values, never a text."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from analytics.comparisons.behind import ratings_of_runs
from analytics.comparisons.kinds import Comparison, Kind
from analytics.exports.cells import csv_of
from analytics.exports.pseudonyms import public_name
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, StudyRatings, View
from analytics.stats.scales import Floats
from annotation.models import Item, Study
from annotation.rubric.schema import Taxonomy


def ratings_file(study: Study, ratings: StudyRatings, comparison: Comparison, *, view: View) -> str:
    """Item, dialogue, generator and the value of each rater, of a judge at each run that figures are
    the mean of, for the items that count."""
    table = matrices.matrix(ratings, comparison.criterion, view=view)
    values = _beside_each_run(ratings_of_runs(ratings, table, comparison))
    labels = _labels(ratings, comparison.criterion)
    repeats = _repeats(ratings, table, comparison, values.shape[1])
    return csv_of(
        ["item", "dialogue", "generator", *_columns(study, ratings, comparison, repeats)],
        (
            (*keys, *(_word(value, labels) for value in values[place]))
            for place, keys in _items(ratings, values)
        ),
    )


def _beside_each_run(runs: Sequence[Floats]) -> Floats:
    """Ratings (n, k) of several and of each run of a judge, the last, as one table (n, k - 1 + runs)."""
    others = runs[0][:, :-1]
    for one in runs[1:]:
        others = np.where(np.isnan(others), one[:, :-1], others)
    return np.column_stack([others, *(one[:, -1] for one in runs)])


def _repeats(
    ratings: StudyRatings, table: Matrix, comparison: Comparison, width: int
) -> Sequence[int]:
    """The numbers of the runs of the judge in the last columns; of people none."""
    if comparison.kind is Kind.JUDGE_REPEATS:
        return range(1, width + 1)
    judge = next(rater for rater in ratings.raters if rater.id == comparison.raters[-1])
    return matrices.runs(ratings, table, judge).repeats if judge.is_judge else ()


def _columns(
    study: Study, ratings: StudyRatings, comparison: Comparison, repeats: Sequence[int]
) -> Sequence[str]:
    known = {rater.id: rater for rater in ratings.raters}
    names = [
        public_name(study.release_key, rater_id=one, key=known[one].key, kind=known[one].kind)
        for one in comparison.raters
    ]
    if len(repeats) > 1:
        *names, judge = names
        names += [f"{judge} {repeat}" for repeat in repeats]
    return ["gold", *names] if comparison.kind is Kind.JUDGE_GOLD else names


def _items(ratings: StudyRatings, values: Floats) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """(place, keys) of the items that have values, in the order of the study."""
    used = {
        int(ratings.items[place]): int(place)
        for place in np.flatnonzero(~np.isnan(values).all(axis=1))
    }
    found = Item.objects.filter(study=ratings.study_id).order_by("position", "pk")
    for item, *keys in found.values_list("pk", "key", "dialogue__key", "generator"):
        if item in used:
            key, dialogue, generator = keys
            yield used[item], (key, dialogue, generator)


def _labels(ratings: StudyRatings, key: str) -> Mapping[float, str]:
    criterion = next((one for one in ratings.rubric.criteria if one.key == key), None)
    if isinstance(criterion, Taxonomy):
        return {float(label.code): label.key for label in criterion.labels}
    return {}


def _word(value: float, labels: Mapping[float, str]) -> object:
    if np.isnan(value):
        return None
    return labels.get(value) or f"{value:.10g}"
