"""Who of a team may rate in ordinary rounds, where a study asks that raters qualify first."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Admission, Seat, Study, Submission
from annotation.queries.rounds import annotators_of
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.lifecycle import RoundState
from annotation.rules.qualifying import GoldScore, has_passed, reason_not_to_seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualified:
    """An annotator: how they did when they were last to qualify, and whether they were let in."""

    account_id: int
    name: str
    percent: int | None
    has_passed: bool
    let_in_because: str = ""
    let_in_by: str = ""
    let_in_at: datetime | None = None

    @property
    def may_rate(self) -> bool:
        return self.has_passed or self.let_in_at is not None


def qualified_in(study: Study) -> dict[int | None, tuple[int, bool]]:
    """{account: how many percent it got right when it was last to qualify, whether that passed}."""
    seats = Seat.objects.filter(
        round__study=study, round__state=RoundState.CLOSED, round__pass_percent__isnull=False
    ).select_related("round", "rater")
    found: dict[int | None, tuple[int, bool]] = {}
    for seat in seats.order_by("round__number"):
        if seat.n_gold:
            score = GoldScore(right=seat.n_right, of=seat.n_gold)
            passed = has_passed(score, seat.round.pass_percent or 0)
            found[seat.rater.user_id] = (score.percent, passed)
    return found


def annotators(study: Study) -> list[Qualified]:
    """The annotators of a study by name."""
    tried = qualified_in(study)
    let_in = {one.user_id: one for one in study.admissions.select_related("let_in_by")}
    return [
        Qualified(
            account_id=one.account_id,
            name=one.name,
            percent=tried[one.account_id][0] if one.account_id in tried else None,
            has_passed=one.account_id in tried and tried[one.account_id][1],
            let_in_because=made.reason if (made := let_in.get(one.account_id)) else "",
            let_in_by=made.let_in_by.full_name if made else "",
            let_in_at=made.let_in_at if made else None,
        )
        for one in annotators_of(study)
    ]


def accounts_that_may_rate(study: Study) -> set[int | None]:
    """Those who have passed when they were last to qualify, and those who were let in."""
    passed = {
        account for account, (_percent, has_passed) in qualified_in(study).items() if has_passed
    }
    return passed | set(Admission.objects.filter(study=study).values_list("user", flat=True))


def problem_with_panel(study: Study, accounts: Collection[int]) -> Sentence | None:
    """Say who of these accounts gets no work of ordinary rounds yet, or None."""
    may = accounts_that_may_rate(study)
    strangers = [one.name for one in annotators_of(study) if one.account_id in set(accounts) - may]
    return reason_not_to_seat(strangers)


def reason_not_to_rate(study_access: StudyAccess) -> Sentence | None:
    """Say to an annotator why no round gives them work, or None."""
    account, study = study_access.access.user_id, study_access.study
    if not study.asks_to_qualify or account in accounts_that_may_rate(study):
        return None
    return sentence("In this study you rate once you have passed a round in which you qualify.")


def n_answers_to_qualify(study: Study) -> int:
    """How many answers were given to qualify: they are in no agreement and make no gold."""
    return Submission.objects.filter(
        study=study, is_current=True, round__pass_percent__isnull=False
    ).count()
