"""The studies of the demo: imported, rated, adjudicated and closed by the real actions."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from accounts.access import access_of
from accounts.models import User
from annotation.actions import adjudications, rounds, studies, submissions, teams
from annotation.actions.demo import invented
from annotation.actions.demo.people import Cast
from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.actions.submissions import Answers
from annotation.models import Assignment, RaterKind, Round, RoundItem, Study, TeamRole
from annotation.queries import work
from annotation.readers.records import Source
from annotation.rubric.loading import shipped
from annotation.rubric.schema import Scale
from annotation.rules.completeness import Filled, fill
from annotation.rules.deciding import DecidedBy
from annotation.rules.lifecycle import ItemState

FILES = Path(__file__).resolve().parent.parent.parent / "demo"
SUPPORT, CARE, CRISIS = "support-demo", "care-demo", "crisis-demo"
FIRST_ROUND, RATED_IN_SECOND = 24, {"ben": 11, "cleo": 9, "finn": 8}
N_SUBMISSIONS = 3 * FIRST_ROUND + sum(RATED_IN_SECOND.values()) + 2 * 18 + 2 * 10

EXPERTS = {
    "ada": [TeamRole.COORDINATOR],
    "ben": [TeamRole.ANNOTATOR],
    "cleo": [TeamRole.ANNOTATOR],
    "dora": [TeamRole.ADJUDICATOR],
    "gwen": [TeamRole.RESEARCHER, TeamRole.EXPORTER],
}

Done = Callable[[], object]
Intended = Mapping[str, object]


def is_there() -> bool:
    return Study.objects.filter(key=SUPPORT).exists()


def make_support(cast: Cast, *, at: datetime) -> Study:
    """The study of labels: forty items, half of them rated in a first round."""
    return _study(
        cast,
        key=SUPPORT,
        name="Support conversations (demo)",
        description=(
            "Short conversations in English and Chinese that were written for this demo. The "
            "ratings of the first round were made up by a program: no person gave them."
        ),
        rubric="dialogue_safety",
        file="support.jsonl",
        team=EXPERTS | {"finn": [TeamRole.ANNOTATOR]},
        at=at,
    )


def rate_first_round(study: Study, cast: Cast, *, at: datetime, done: Done) -> Round:
    """A round that three annotators have rated, in which every disagreement was decided."""
    first = rounds.open_round(
        study_id=study.pk,
        panel=[cast[name].pk for name in invented.SLIPS],
        raters_per_item=3,
        n_items=FIRST_ROUND,
        by=cast["ada"],
        at=at,
    )
    intended = _intended("support.jsonl")
    for name in invented.SLIPS:
        _rate(first, cast[name], name, intended, at=at, done=done)
    decide(first, cast["dora"], intended, at=at + timedelta(days=5))
    return rounds.close(round_id=first.pk, by=cast["ada"], at=at + timedelta(days=6))


def rate_second_round(study: Study, cast: Cast, *, at: datetime, done: Done) -> Round:
    """A round under way: everybody has items left, and some wait for a decision."""
    second = rounds.open_round(
        study_id=study.pk,
        panel=[cast[name].pk for name in invented.SLIPS],
        raters_per_item=3,
        by=cast["ada"],
        at=at,
    )
    intended = _intended("support.jsonl")
    for name, most in RATED_IN_SECOND.items():
        _rate(second, cast[name], name, intended, at=at, done=done, most=most)
    return second


def make_care(cast: Cast, *, at: datetime, done: Done) -> Round:
    """The study of scales: eighteen replies by three made-up sources, two experts, one judge."""
    study = _study(
        cast,
        key=CARE,
        name="Three sources compared (demo)",
        description=(
            "Eighteen replies by three made-up sources to six made-up messages, rated on seven "
            "scales. The ratings were made up by a program, those of the judge as well."
        ),
        rubric="mentalalign",
        file="care.jsonl",
        team=EXPERTS,
        at=at,
    )
    import_ratings(
        study_id=study.pk,
        source=_source("care_judge.csv"),
        rater=RaterGiven(
            key="made-up-judge", name="Made-up judge (not an LLM)", kind=RaterKind.JUDGE
        ),
        by=cast["ada"],
        at=at,
    )
    return _rate_all(study, cast, "care.jsonl", at=at, done=done)


def make_crisis(cast: Cast, *, at: datetime, done: Done) -> Round:
    """The study of yes and no: ten replies to people in despair, two experts."""
    study = _study(
        cast,
        key=CRISIS,
        name="First words in a crisis (demo)",
        description=(
            "Ten replies by two made-up sources to five made-up messages in English and Chinese, "
            "judged on five points by yes or no. The ratings were made up by a program."
        ),
        rubric="psycrisis",
        file="crisis.jsonl",
        team=EXPERTS,
        at=at,
    )
    return _rate_all(study, cast, "crisis.jsonl", at=at, done=done)


def _rate_all(study: Study, cast: Cast, file: str, *, at: datetime, done: Done) -> Round:
    """A round of two experts over every item, decided and closed."""
    experts = [name for name, roles in EXPERTS.items() if TeamRole.ANNOTATOR in roles]
    rated = rounds.open_round(
        study_id=study.pk,
        panel=[cast[name].pk for name in experts],
        raters_per_item=len(experts),
        by=cast["ada"],
        at=at,
    )
    intended = _intended(file)
    for name in experts:
        _rate(rated, cast[name], name, intended, at=at, done=done)
    decide(rated, cast["dora"], intended, at=at + timedelta(days=2))
    return rounds.close(round_id=rated.pk, by=cast["ada"], at=at + timedelta(days=3))


def _study(
    cast: Cast,
    *,
    key: str,
    name: str,
    description: str,
    rubric: str,
    file: str,
    team: Mapping[str, list[TeamRole]],
    at: datetime,
) -> Study:
    study = studies.create(
        key=key,
        name=name,
        description=description,
        rubric=shipped()[rubric],
        coordinator=cast["ada"],
        by=cast["sam"],
        at=at,
    )
    for member, roles in team.items():
        teams.set_roles(
            study_id=study.pk, email=cast[member].email, roles=roles, by=cast["sam"], at=at
        )
    import_items(study_id=study.pk, source=_source(file), by=cast["ada"], at=at)
    return study


def _source(file: str) -> Source:
    return Source(path=FILES / file, name=file)


def _intended(file: str) -> Intended:
    """{item key: what the made-up raters mostly give}; the importer does not read this field."""
    lines = (FILES / file).read_text(encoding="utf-8").splitlines()
    return {item["key"]: item["intended"] for item in map(json.loads, lines)}


def _rate(
    rating_round: Round,
    account: User,
    name: str,
    intended: Intended,
    *,
    at: datetime,
    done: Done,
    most: int | None = None,
) -> None:
    access = access_of(account, at=at)
    assignments = Assignment.objects.filter(round=rating_round, rater__user=account)
    for pk, item in assignments.order_by("position").values_list("pk", "item__key")[:most]:
        seconds = invented.seconds_by(name, item)
        at += timedelta(seconds=seconds)
        submissions.submit(
            owed=work.owed(access, pk),
            answers=Answers(
                key=uuid4(),
                filled=_filled(rating_round, name, item, intended[item]),
                seconds=seconds,
            ),
            by=account,
            at=at,
        )
        done()


def _filled(rating_round: Round, name: str, item: str, intended: object) -> Filled:
    rubric = rating_round.rubric_version.content
    if isinstance(intended, Mapping):
        scales = {one.key: one.values for one in rubric.criteria if isinstance(one, Scale)}
        raw: Mapping[str, object] = invented.scores_by(name, item, intended, scales)
    else:
        raw = {rubric.criteria[0].key: invented.label_by(name, item, str(intended))}
    filled = fill(rubric, raw, {})
    if not isinstance(filled, Filled):
        raise ValueError([problem.sentence for problem in filled])
    return filled


def decide(rating_round: Round, adjudicator: User, intended: Intended, *, at: datetime) -> None:
    """Have every disagreement of a round decided as intended."""
    waiting = RoundItem.objects.filter(round=rating_round, state=ItemState.DISAGREED)
    for number, round_item in enumerate(waiting.select_related("item").order_by("position")):
        wanted = intended[round_item.item.key]
        scores = wanted if isinstance(wanted, Mapping) else None
        criterion = rating_round.rubric_version.content.criteria[0].key
        adjudications.decide(
            study_id=rating_round.study_id,
            round_item_id=round_item.pk,
            ruling=adjudications.CaseRuling(
                values={key: str(value) for key, value in (scores or {criterion: wanted}).items()},
                reason=(
                    "Read once more beside the anchors: this level describes it best."
                    if scores
                    else invented.REASONS[str(wanted)]
                ),
                code=DecidedBy.SLIP.value,
            ),
            by=adjudicator,
            at=at + timedelta(minutes=4 * number),
        )
