"""Whom a release is about, counted in the database: nothing of what anybody answered is read."""

from collections import Counter
from typing import Any

from django.db import connection
from django.db.models import Count, Max

from analytics.exports.classes import Classes, classes
from analytics.exports.disclosing import Crowd, Earlier
from analytics.exports.pseudonyms import pseudonym
from analytics.models import Export
from annotation.models import Item, RaterKind, Round, Study, Submission
from annotation.rules.lifecycle import RoundState

PEOPLE = ("rounds", "answers", "asked again")
DIALOGUES = ("replies", "generators", "content note", "attributes")
BANDS = ((10, "1–9"), (100, "10–99"), (1_000, "100–999"))
MANY = "1,000+"
_DIALOGUES = """
SELECT n::text, generators, has_note, attributes, count(*)
FROM (
    SELECT count(*) AS n, string_agg(DISTINCT generator, ', ' ORDER BY generator) AS generators,
        max(content_note) AS has_note,
        string_agg(DISTINCT nullif(attributes, '{}')::text, ' ' ORDER BY nullif(attributes, '{}')::text)
            AS attributes
    FROM annotation_item WHERE study_id = %s GROUP BY dialogue_id
) dialogue
GROUP BY n, generators, has_note, attributes
"""


def crowd(study: Study) -> Crowd:
    """Everybody whose answers could leave now, and what left before."""
    answers: Counter[str] = Counter()
    for row in _answers(study):
        answers[pseudonym(study.release_key, row["rater"])] += row["n"]
    items = Item.objects.filter(study=study)
    rounds = Round.objects.filter(study=study, state=RoundState.CLOSED)
    return Crowd(
        answers=dict(answers),
        n_items=items.count(),
        generators=dict(
            items.exclude(generator="").values_list("generator").annotate(n=Count("pk"))
        ),
        rounds={number: n or 0 for number, n in rounds.values_list("number", "kappa_items")},
        earlier=tuple(_earlier(study)),
    )


def people_alike(study: Study) -> Classes:
    """The people who rated, by what a colleague could know of them."""
    rounds: dict[int, set[str]] = {}
    answers: Counter[int] = Counter()
    again: Counter[int] = Counter()
    for row in _answers(study):
        rater = row["rater"]
        rounds.setdefault(rater, set()).add(str(row["round__number"] or "–"))
        answers[rater] += row["n"]
        again[rater] += row["again"] > 1
    known = Counter[tuple[str, ...]](
        (", ".join(sorted(rounds[rater])), _band(answers[rater]), "yes" if again[rater] else "no")
        for rater in answers
    )
    return classes(PEOPLE, known)


def dialogues_alike(study: Study) -> Classes:
    """The dialogues, and whoever speaks in them, by what is told of them without their texts."""
    with connection.cursor() as cursor:
        cursor.execute(_DIALOGUES, [study.pk])
        found = cursor.fetchall()
    return classes(DIALOGUES, {tuple(one or "–" for one in values): n for *values, n in found})


def _answers(study: Study) -> Any:
    """How many answers each person gave in each round that is not open."""
    given = Submission.objects.filter(study=study, is_current=True, rater__kind=RaterKind.HUMAN)
    return (
        given.exclude(round__state=RoundState.OPEN)
        .values("rater", "round__number")
        .annotate(n=Count("pk"), again=Max("repeat"))
        .order_by("rater", "round__number")
    )


def _earlier(study: Study) -> list[Earlier]:
    made = Export.objects.filter(study=study, manifest__has_key="disclosure").order_by("pk")
    told = {one.manifest["release"]: (one.exported_at.date(), one.manifest) for one in made}
    return [
        Earlier(
            release=release,
            day=day,
            answers=manifest["disclosure"]["answers"],
            n_items=manifest["counts"]["items"],
        )
        for release, (day, manifest) in told.items()
    ]


def _band(n: int) -> str:
    return next((name for end, name in BANDS if n < end), MANY)
