"""The study of simulated ratings: enough of them for every page of figures to have something to say.

Nobody wrote its items and nobody rated them. Each item has a quality on each criterion, drawn by
its key; a rater gives it with a shift and a scatter of their own, one drifts from week to week, and
one of the two judges overlooks half of what is unsafe. The same on every machine.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from accounts.access import access_of
from accounts.models import User
from annotation.actions import rounds, studies, submissions, teams
from annotation.actions.demo.people import Cast
from annotation.actions.demo.studies import EXPERTS, Done, decide
from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.actions.submissions import Answers
from annotation.models import Assignment, RaterKind, Round, Study, TeamRole
from annotation.queries import work
from annotation.readers.records import Source
from annotation.rubric.loading import shipped
from annotation.rules.completeness import Filled, fill

KEY = "figures-demo"
SEED = 7
GENERATORS = {"amber": 0.6, "birch": 0.1, "cedar": -0.2, "dune": -0.7}
DIALOGUES, RATED, WEEKS, REPEAT_PERCENT = 90, 30, 4, 12
ITEMS_A_WEEK = RATED * len(GENERATORS) // WEEKS
CRITERIA = ("guidance", "safety", "empathy")
# Each rater's shift, scatter and drift a week, in points.
PEOPLE = {"ben": (0.0, 0.35, 0.0), "cleo": (-0.2, 0.45, 0.25), "finn": (0.1, 0.6, 0.0)}
JUDGES = {"simulated-strict": (0.05, 0.4), "simulated-mild": (0.6, 0.5)}
OVERLOOKS = "simulated-mild"
N_SUBMISSIONS = len(PEOPLE) * WEEKS * (ITEMS_A_WEEK + ITEMS_A_WEEK * REPEAT_PERCENT // 100)

Scores = Mapping[str, int]


def make(cast: Cast, *, at: datetime, done: Done) -> list[Round]:
    """A study with four closed rounds, a week apart and the first at `at`, and two judges."""
    study = _study(cast, at=at)
    closed = []
    for week in range(WEEKS):
        monday = at + timedelta(weeks=week)
        rating_round = rounds.open_round(
            study_id=study.pk,
            panel=[cast[name].pk for name in PEOPLE],
            raters_per_item=len(PEOPLE),
            n_items=ITEMS_A_WEEK,
            repeat_percent=REPEAT_PERCENT,
            override_reason="The demo goes on whatever the agreement.",
            by=cast["ada"],
            at=monday,
        )
        for name in PEOPLE:
            _rate(rating_round, cast[name], name, week, at=monday, done=done)
        decide(rating_round, cast["dora"], _Intended(), at=monday + timedelta(days=3))
        closed.append(
            rounds.close(round_id=rating_round.pk, by=cast["ada"], at=monday + timedelta(days=5))
        )
    return closed


class _Intended(dict[str, Scores]):
    """{item key: its scores without shift or scatter}, worked out when asked for."""

    def __missing__(self, item: str) -> Scores:
        return {criterion: _whole(_quality(item, criterion)) for criterion in CRITERIA}


def _study(cast: Cast, *, at: datetime) -> Study:
    definition: Mapping[str, Any] = shipped()["mentalalign"]
    study = studies.create(
        key=KEY,
        name="Simulated figures (demo)",
        description=(
            "360 items without a text, rated by a program in the names of two judges, and 120 of "
            "them of three annotators: something to look at on every page of figures. No person "
            "gave a rating."
        ),
        rubric=dict(definition)
        | {
            "key": "simulated",
            "criteria": [one for one in definition["criteria"] if one["key"] in CRITERIA],
            "groups": [],
        },
        coordinator=cast["ada"],
        by=cast["sam"],
        at=at,
    )
    for member, roles in (EXPERTS | {"finn": [TeamRole.ANNOTATOR]}).items():
        teams.set_roles(
            study_id=study.pk, email=cast[member].email, roles=roles, by=cast["sam"], at=at
        )
    with TemporaryDirectory() as folder:
        import_items(study_id=study.pk, source=_items_in(Path(folder)), by=cast["ada"], at=at)
        for judge in JUDGES:
            import_ratings(
                study_id=study.pk,
                source=_ratings_in(Path(folder), judge),
                rater=RaterGiven(key=judge, name=f"{judge} (not an LLM)", kind=RaterKind.JUDGE),
                by=cast["ada"],
                at=at,
            )
    return study


def _items() -> list[tuple[str, int, str]]:
    """(key, dialogue, generator) of every item."""
    return [
        (f"{generator}-{number:02}", number, generator)
        for number in range(1, DIALOGUES + 1)
        for generator in GENERATORS
    ]


def _items_in(folder: Path) -> Source:
    lines = [
        json.dumps(
            {
                "key": key,
                "dialogue": f"simulated-{number:02}",
                "turns": [
                    {"speaker": "seeker", "text": f"Simulated message {number}: nobody wrote it."}
                ],
                "reply": "A simulated reply without a text.",
                "generator": generator,
            }
        )
        for key, number, generator in _items()
    ]
    path = folder / "items.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Source(path=path, name=path.name)


def _ratings_in(folder: Path, judge: str) -> Source:
    path = folder / f"{judge}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "criterion", "value"])
        for key, *_ in _items():
            for criterion in CRITERIA:
                writer.writerow([key, criterion, _by_judge(judge, key, criterion)])
    return Source(path=path, name=path.name)


def _rate(
    rating_round: Round, account: User, name: str, week: int, *, at: datetime, done: Done
) -> None:
    access = access_of(account, at=at)
    owed = Assignment.objects.filter(round=rating_round, rater__user=account).order_by("position")
    for pk, item, repeat in owed.values_list("pk", "item__key", "repeat"):
        at += timedelta(seconds=45)
        scores = {one: _by_person(name, item, one, week, repeat) for one in CRITERIA}
        submissions.submit(
            owed=work.owed(access, pk),
            answers=Answers(key=uuid4(), filled=_filled(rating_round, scores), seconds=45),
            by=account,
            at=at,
        )
        done()


def _filled(rating_round: Round, scores: Scores) -> Filled:
    filled = fill(rating_round.rubric_version.content, dict(scores), {})
    if not isinstance(filled, Filled):
        raise ValueError([problem.sentence for problem in filled])
    return filled


def _by_person(name: str, item: str, criterion: str, week: int, repeat: int) -> int:
    shift, scatter, drift = PEOPLE[name]
    return _given(
        (name, item, criterion, repeat), _quality(item, criterion) + shift + drift * week, scatter
    )


def _by_judge(judge: str, item: str, criterion: str) -> int:
    shift, scatter = JUDGES[judge]
    quality = _quality(item, criterion)
    if judge == OVERLOOKS and criterion == "safety" and quality < 3:
        quality += 2.5 * (_chance((judge, item)).random() < 0.5)
    return _given((judge, item, criterion), quality + shift, scatter)


def _quality(item: str, criterion: str) -> float:
    """Safety is high but for one item in eight; the rest goes by the generator and the item."""
    chance = _chance((item, criterion))
    if criterion == "safety":
        return chance.gauss(1.6, 0.4) if chance.random() < 0.125 else chance.gauss(4.8, 0.3)
    return 3.1 + GENERATORS[item.rpartition("-")[0]] + chance.gauss(0, 0.9)


def _given(names: Sequence[object], value: float, scatter: float) -> int:
    return _whole(value + _chance(names).gauss(0, scatter))


def _whole(value: float) -> int:
    return min(5, max(1, round(value)))


def _chance(names: Sequence[object]) -> Random:
    return Random(":".join(map(str, (SEED, *names))))  # noqa: S311 -- nothing here is a secret
