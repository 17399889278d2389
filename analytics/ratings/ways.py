"""Which way through the questions of a taxonomy answers took."""

import numpy as np

from analytics.ratings.columns import ColumnPlace
from analytics.ratings.matrices import Meaning, StudyRatings
from analytics.stats.scales import Floats
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Taxonomy
from annotation.rubric.taxonomy import Path, in_order, path_from_text
from annotation.rules.disagreement import way_of


def answers_on_the_way(
    study: StudyRatings, taxonomy: Taxonomy, place: ColumnPlace
) -> dict[str, Floats]:
    """{question: the number of the answer that it got of each item, (n,), from 0} in one column,
    each question after all that lead to it; NaN where it is not on the way, or the way not known."""
    codes, of_item = np.unique(study.codes(place, taxonomy.key), return_inverse=True)
    meaning = study.meanings[taxonomy.key]
    ways = [dict(_way(taxonomy, meaning, code)) for code in codes.tolist()]
    found = {}
    for node in in_order(taxonomy):
        numbers = {option.key: float(number) for number, option in enumerate(node.options)}
        chosen = [numbers.get(way.get(node.key, ""), np.nan) for way in ways]
        found[node.key] = np.array(chosen)[of_item]
    return found


def _way(taxonomy: Taxonomy, meaning: Meaning, code: int) -> Path:
    labels = {float(label.code): label.key for label in taxonomy.labels}
    label = labels.get(float(meaning.values[code]))
    if label is None:
        return ()
    taken = meaning.ways[code] if code < len(meaning.ways) else ""
    answer = Answer(criterion=taxonomy.key, label=label, path=path_from_text(taken))
    return way_of(taxonomy, answer)
