"""A study with a scale rubric that people have rated in part and two judges throughout."""

import hashlib
from collections.abc import Collection

import numpy as np

from analytics.figures import store
from analytics.parts import PARTS
from annotation.models import Dialogue, Item, Study
from annotation.rubric.loading import shipped
from tests.analytics.made import AT, human, judge, rate_all
from tests.cast import study_with
from tests.kept import once

FIRST_ID = 10_000_000
CRITERIA = (
    "guidance",
    "informativeness",
    "relevance",
    "safety",
    "empathy",
    "helpfulness",
    "understanding",
)


def meadow(
    team,
    *,
    n_dialogues=24,
    n_rated=12,
    replies=4,
    n_people=2,
    repeats=3,
    judges=None,
    criteria=CRITERIA,
) -> Study:
    """Oak is a good judge, asked several times, and rates high; elm hardly looks.

    People rated the items of the first `n_rated` dialogues, each of them all. `judges`: who is asked
    instead of both. `criteria`: all that the rubric has.
    """
    study = study_with(rubric=rubric_of(criteria), key="meadow", team=team, n_items=0)
    people = [human(f"person{number}") for number in range(n_people)]
    oak, elm = judges or (judge("oak"), judge("elm"))
    rng = np.random.default_rng(7)
    given = []
    for place, item in enumerate(items_to(study, n_dialogues, replies)):
        meant = 3.2 + rng.normal(0, 1.1)
        if place < n_rated * replies:
            given += [(person, item, 1, _values(criteria, meant, rng, 0.4)) for person in people]
        for repeat in range(1, repeats + 1):
            given.append((oak, item, repeat, _values(criteria, meant + 0.6, rng, 0.5)))
        given.append((elm, item, 1, _values(criteria, 4.2 + 0.1 * meant, rng, 0.3)))
    rate_all(study, given)
    study.refresh_from_db()
    return study


def computed_meadow(team, parts, **size) -> Study:
    """The same with these parts of its figures, each made once a process: seconds go into them."""

    def make() -> Study:
        study = meadow(team, **size)
        for part in parts:
            store.refresh(study_id=study.pk, part=PARTS[part], at=AT)
        return study

    who = tuple((user.pk, *roles) for user, roles in team.items())
    return once((who, *parts, *size.items()), make)


def rubric_of(criteria: Collection[str]) -> dict[str, object]:
    whole = shipped()["mentalalign"]
    groups = [
        group | {"criteria": [key for key in group["criteria"] if key in criteria]}
        for group in whole["groups"]
    ]
    return whole | {
        "criteria": [one for one in whole["criteria"] if one["key"] in criteria],
        "groups": [group for group in groups if group["criteria"]],
    }


def _values(criteria: Collection[str], meant: float, rng, spread: float) -> dict[str, int]:
    return {key: int(np.clip(round(meant + rng.normal(0, spread)), 1, 5)) for key in criteria}


def items_to(study: Study, n_dialogues: int, replies: int) -> list[Item]:
    """So many replies to each of so many dialogues. What is drawn at random is drawn by id, so
    those are always the same."""
    turns = [{"speaker": "seeker", "text": "The meadow is dry."}]
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(id=FIRST_ID + number, study=study, key=f"m{number}", turns=turns)
        for number in range(n_dialogues)
    )
    return Item.objects.bulk_create(
        Item(
            id=FIRST_ID + place * replies + reply,
            study=study,
            dialogue=dialogue,
            key=f"{dialogue.key}.{reply}",
            position=place * replies + reply + 1,
            reply="Rain will come.",
            generator=f"gen{reply}",
            content_sha256=hashlib.sha256(b"Rain will come.").hexdigest(),
        )
        for place, dialogue in enumerate(dialogues)
        for reply in range(replies)
    )
