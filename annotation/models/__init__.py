from annotation.models.admissions import Admission
from annotation.models.audits import GoldAudit
from annotation.models.care import Care, PassedOn
from annotation.models.data_sets import DataSet, ProviderPolicy
from annotation.models.discussions import DiscussionRemark, SecondVote
from annotation.models.disputes import Dispute
from annotation.models.drafts import Draft, DraftForm
from annotation.models.gold import Adjudication, BroughtAmbiguity, Gold, GoldOrigin, Opinion
from annotation.models.grants import BrokenGlass, Grant, GrantDecision
from annotation.models.items import Dialogue, Item, ItemNote
from annotation.models.jobs import FileJob, FilePiece, JobKind
from annotation.models.keys import OwnKeys
from annotation.models.letters import LetterChoice
from annotation.models.quarantine import Quarantine
from annotation.models.raters import Rater, RaterKind
from annotation.models.ratings import Origin, Rating, RatingGrounds, Submission
from annotation.models.rounds import Assignment, Round, RoundItem, Seat
from annotation.models.rubrics import Rubric, RubricChange, RubricDraft, RubricVersion
from annotation.models.screenings import Screening
from annotation.models.splits import Division, HeldOutItem, HoldOut, OpenItem
from annotation.models.studies import ChangeCount, Membership, Study, TeamRole, revision_of

__all__ = [
    "Adjudication",
    "Admission",
    "Assignment",
    "BrokenGlass",
    "BroughtAmbiguity",
    "Care",
    "ChangeCount",
    "DataSet",
    "Dialogue",
    "DiscussionRemark",
    "Dispute",
    "Division",
    "Draft",
    "DraftForm",
    "FileJob",
    "FilePiece",
    "Gold",
    "GoldAudit",
    "GoldOrigin",
    "Grant",
    "GrantDecision",
    "HeldOutItem",
    "HoldOut",
    "Item",
    "ItemNote",
    "JobKind",
    "LetterChoice",
    "Membership",
    "OpenItem",
    "Opinion",
    "Origin",
    "OwnKeys",
    "PassedOn",
    "ProviderPolicy",
    "Quarantine",
    "Rater",
    "RaterKind",
    "Rating",
    "RatingGrounds",
    "Round",
    "RoundItem",
    "Rubric",
    "RubricChange",
    "RubricDraft",
    "RubricVersion",
    "Screening",
    "Seat",
    "SecondVote",
    "Study",
    "Submission",
    "TeamRole",
    "revision_of",
]
