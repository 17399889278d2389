from annotation.models.gold import Adjudication, Gold, GoldOrigin
from annotation.models.items import Dialogue, Item
from annotation.models.jobs import FileJob, JobKind
from annotation.models.quarantine import Quarantine
from annotation.models.raters import Rater, RaterKind
from annotation.models.ratings import Origin, Rating, Submission
from annotation.models.rounds import Assignment, Round, RoundItem, Seat
from annotation.models.rubrics import Rubric, RubricVersion
from annotation.models.studies import Membership, Study, TeamRole

__all__ = [
    "Adjudication",
    "Assignment",
    "Dialogue",
    "FileJob",
    "Gold",
    "GoldOrigin",
    "Item",
    "JobKind",
    "Membership",
    "Origin",
    "Quarantine",
    "Rater",
    "RaterKind",
    "Rating",
    "Round",
    "RoundItem",
    "Rubric",
    "RubricVersion",
    "Seat",
    "Study",
    "Submission",
    "TeamRole",
]
