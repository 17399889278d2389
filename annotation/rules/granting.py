"""Who may do what with which data: the one decision about data sets, asked everywhere."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from annotation.rubric.sentences import Sentence, sentence


class DataLevel(StrEnum):
    """A part of a data set that is granted by itself; the values are stored."""

    AGGREGATES = "aggregates"
    OPEN_SPLIT = "open_split"
    RESTRICTED_SPLIT = "restricted_split"
    MAJORITY = "majority"
    PER_RATER = "per_rater"
    COMMENTS = "comments"
    ITEM_TEXT = "item_text"
    TEXT_AWAY = "text_away"
    """Item text in files that leave: two people approve it."""


class Split(StrEnum):
    """The part of a data set that an item belongs to; the values are stored."""

    OPEN = "open"
    RESTRICTED = "restricted"


class Action(StrEnum):
    """What somebody wants to do with a study or with one of its items."""

    ENTER = "enter"
    RATE = "rate"
    ADJUDICATE = "adjudicate"
    COORDINATE = "coordinate"
    RUN_JUDGES = "run_judges"
    SEE_FIGURES = "see_figures"
    SEE_RATERS = "see_raters"
    EXPORT = "export"
    TAKE_TEXTS = "take_texts"
    READ_ITEM = "read_item"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an action asks for: one of these roles in the study, and every one of these levels."""

    roles: frozenset[str]
    levels: frozenset[DataLevel] = frozenset()


SPLIT_LEVELS: Mapping[Split, DataLevel] = {
    Split.OPEN: DataLevel.OPEN_SPLIT,
    Split.RESTRICTED: DataLevel.RESTRICTED_SPLIT,
}
ROLES = ("coordinator", "annotator", "adjudicator", "researcher", "exporter")
NEEDS: Mapping[Action, Needs] = {
    Action.ENTER: Needs(roles=frozenset(ROLES)),
    Action.RATE: Needs(roles=frozenset({"annotator"}), levels=frozenset({DataLevel.ITEM_TEXT})),
    Action.ADJUDICATE: Needs(
        roles=frozenset({"adjudicator"}),
        levels=frozenset({DataLevel.ITEM_TEXT, DataLevel.PER_RATER}),
    ),
    Action.COORDINATE: Needs(roles=frozenset({"coordinator"})),
    Action.RUN_JUDGES: Needs(
        roles=frozenset({"coordinator"}), levels=frozenset({DataLevel.ITEM_TEXT})
    ),
    Action.SEE_FIGURES: Needs(
        roles=frozenset({"coordinator", "researcher"}), levels=frozenset({DataLevel.AGGREGATES})
    ),
    Action.SEE_RATERS: Needs(
        roles=frozenset({"coordinator", "researcher"}),
        levels=frozenset({DataLevel.AGGREGATES, DataLevel.PER_RATER}),
    ),
    Action.EXPORT: Needs(roles=frozenset({"exporter"}), levels=frozenset({DataLevel.MAJORITY})),
    Action.TAKE_TEXTS: Needs(
        roles=frozenset({"exporter"}), levels=frozenset({DataLevel.MAJORITY, DataLevel.TEXT_AWAY})
    ),
    # Who annotates reads what is assigned to them; these read every item.
    Action.READ_ITEM: Needs(
        roles=frozenset({"coordinator", "adjudicator", "researcher", "exporter"}),
        levels=frozenset({DataLevel.ITEM_TEXT}),
    ),
}

# What a role usually needs; who proposes somebody may ask for more or less.
USUAL: Mapping[str, tuple[DataLevel, ...]] = {
    "coordinator": tuple(level for level in DataLevel if level is not DataLevel.TEXT_AWAY),
    "annotator": (DataLevel.OPEN_SPLIT, DataLevel.RESTRICTED_SPLIT, DataLevel.ITEM_TEXT),
    "adjudicator": (
        *(DataLevel.OPEN_SPLIT, DataLevel.RESTRICTED_SPLIT, DataLevel.ITEM_TEXT),
        *(DataLevel.PER_RATER, DataLevel.COMMENTS),
    ),
    "researcher": (DataLevel.AGGREGATES,),
    "exporter": (
        *(DataLevel.OPEN_SPLIT, DataLevel.RESTRICTED_SPLIT),
        *(DataLevel.MAJORITY, DataLevel.PER_RATER),
    ),
}
TWO_PEOPLE = frozenset({DataLevel.TEXT_AWAY})
# What makes a difference to a file that leaves; the level of texts only where texts are in it.
IN_FILES = frozenset(
    {
        *(DataLevel.OPEN_SPLIT, DataLevel.RESTRICTED_SPLIT),
        *(DataLevel.MAJORITY, DataLevel.PER_RATER, DataLevel.COMMENTS, DataLevel.TEXT_AWAY),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldGrant:
    """A grant that was approved: from when, until when, and when it was revoked."""

    level: DataLevel
    since: datetime
    until: datetime
    revoked_at: datetime | None = None

    def is_in_force(self, at: datetime) -> bool:
        return self.since <= at < self.ends_at

    @property
    def ends_at(self) -> datetime:
        return min(self.until, self.revoked_at) if self.revoked_at else self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks: whether the gate lets them in, their roles in the study, and what was granted.

    `glasses`: when they broke the glass of this data set, and until when each time held.
    """

    may_enter: bool
    roles: frozenset[str] = frozenset()
    grants: tuple[HeldGrant, ...] = ()
    glasses: tuple[tuple[datetime, datetime], ...] = ()

    def levels(self, at: datetime) -> frozenset[DataLevel]:
        return frozenset(one.level for one in self.grants if one.is_in_force(at))

    def holds_until(self, levels: Collection[DataLevel], at: datetime) -> datetime:
        """When the first of these levels, all held at that moment, ends as things stand."""
        held = [one for one in self.grants if one.is_in_force(at)]
        return min(max(one.ends_at for one in held if one.level is level) for level in levels)

    def has_broken_glass(self, at: datetime) -> bool:
        return any(since <= at < until for since, until in self.glasses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What it is about: the study as a whole, or one item of it.

    `is_own_work`: the item is assigned to the person who asks.
    """

    split: Split | None = None
    is_own_work: bool = False


THE_STUDY = Thing()

AT_THE_GATE = sentence("Your account may not enter yet: “Your access” says what is missing.")
NO_ROLE = sentence("You are not on the team of this study. Ask its coordinator.")
NOTHING_GRANTED = sentence(
    "You are on the team of this study, but nothing of its data is granted to you today. Once your "
    "coordinator has proposed it, the data steward approves it."
)
NOT_YOUR_ROLE = sentence("Your roles in this study do not include that. Ask its coordinator.")
NOT_ASSIGNED = sentence("This item is not assigned to you.")
WITHOUT_LEVEL: Mapping[DataLevel, Sentence] = {
    DataLevel.AGGREGATES: sentence("Figures of this data set are not granted to you today."),
    DataLevel.OPEN_SPLIT: sentence("The open split of this data set is not granted to you today."),
    DataLevel.RESTRICTED_SPLIT: sentence(
        "The restricted split of this data set is not granted to you today."
    ),
    DataLevel.MAJORITY: sentence("What was decided for items (gold) is not granted to you today."),
    DataLevel.PER_RATER: sentence("What single raters answered is not granted to you today."),
    DataLevel.COMMENTS: sentence("Comments of raters are not granted to you today."),
    DataLevel.ITEM_TEXT: sentence("The texts of this data set are not granted to you today."),
    DataLevel.TEXT_AWAY: sentence(
        "Texts that leave in files are not granted to you today: two people have to approve that."
    ),
}


def reason_to_refuse(
    person: Asker, action: Action, thing: Thing = THE_STUDY, *, at: datetime
) -> Sentence | None:
    """Say why this person may not do this with this thing at this moment, or None.

    The same in SQL is `annotation.models.grants.permitted`; a test compares both.
    """
    if not person.may_enter:
        return AT_THE_GATE
    if action is Action.READ_ITEM and person.has_broken_glass(at):
        return None
    if not person.roles:
        return NO_ROLE
    levels = person.levels(at)
    if not levels:
        return NOTHING_GRANTED
    if reason := _reason_of_roles(person.roles, action, thing):
        return reason
    missing = needed(action, thing) - levels
    return next((WITHOUT_LEVEL[level] for level in DataLevel if level in missing), None)


def needed(action: Action, thing: Thing = THE_STUDY) -> frozenset[DataLevel]:
    """Every level that must be held for it."""
    of_split = {SPLIT_LEVELS[thing.split]} if thing.split else set()
    return NEEDS[action].levels | of_split


def put_into_files(
    levels: Collection[DataLevel], *, with_texts: bool, has_rationales: bool
) -> frozenset[DataLevel]:
    """On which of these levels a file stands, from its first row until it is handed over. What raters
    wrote quotes the texts, so it goes only with them."""
    without = set() if with_texts else {DataLevel.TEXT_AWAY}
    if not (with_texts and has_rationales):
        without.add(DataLevel.COMMENTS)
    return (IN_FILES & set(levels)) - without


def reason_of_loss(then: Collection[DataLevel], now: Collection[DataLevel]) -> Sentence | None:
    """Say which level that something was made with is not granted any more, or None."""
    lost = set(then) - set(now)
    return next((WITHOUT_LEVEL[level] for level in DataLevel if level in lost), None)


def _reason_of_roles(roles: Collection[str], action: Action, thing: Thing) -> Sentence | None:
    if NEEDS[action].roles & set(roles):
        return None
    if action is Action.READ_ITEM and "annotator" in roles:
        return None if thing.is_own_work else NOT_ASSIGNED
    return NOT_YOUR_ROLE


def usual_levels(roles: Collection[str]) -> list[DataLevel]:
    """What these roles usually need, in the order of the levels."""
    wanted = {level for role in roles for level in USUAL[role]}
    return [level for level in DataLevel if level in wanted]


class GrantStage(StrEnum):
    """How far a request for a grant is; the values are stored."""

    REQUESTED = "requested"
    ESCALATED = "escalated"
    RETURNED = "returned"
    REFUSED = "refused"
    APPROVED = "approved"


WAITS = frozenset({GrantStage.REQUESTED, GrantStage.ESCALATED})
PATIENCE = timedelta(days=14)
"""Silence never approves: after this, any data steward may decide instead of the data set's."""
LONGEST_BREAK = timedelta(minutes=60)

NOT_WAITING = sentence("This request has been decided already.")
NOT_A_STEWARD = sentence("Grants are decided by data stewards.")
OWN_GRANT = sentence("Nobody decides what they are granted themselves: another steward must.")
ANOTHER_STEWARD = sentence(
    "The data steward of this data set decides first. You may once it is escalated, or after "
    "{days} days.",
    days=PATIENCE.days,
)
SECOND_PERSON = sentence("You approved this already: it takes a second person.")
SAY_WHY = sentence("Say why, in a sentence.")
NO_END = sentence("The end lies in the past. Choose a later day.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider:
    """Who decides: their account, and whether they may decide about data at all."""

    account: int
    is_steward: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request for a grant as far as it matters to who may decide it.

    `steward` is the account that the data set is in the care of, None: any data steward's.
    `approved_by` are those who have approved it so far.
    """

    person: int
    level: DataLevel
    stage: GrantStage
    asked_at: datetime
    steward: int | None = None
    approved_by: frozenset[int] = frozenset()


def reason_not_to_decide(asked: Asked, by: Decider, *, at: datetime) -> Sentence | None:
    """Say why `by` may not decide this request now, or None."""
    if not by.is_steward:
        return NOT_A_STEWARD
    if by.account == asked.person:
        return OWN_GRANT
    if asked.stage not in WAITS:
        return NOT_WAITING
    if asked.steward in (None, by.account) or is_anybodys(asked, at=at) or asked.approved_by:
        return None
    return ANOTHER_STEWARD


def is_anybodys(asked: Asked, *, at: datetime) -> bool:
    """Whether any data steward may decide, not only the data set's own."""
    return asked.stage is GrantStage.ESCALATED or asked.asked_at + PATIENCE <= at


def reason_not_to_approve(
    asked: Asked, by: Decider, *, until: datetime, longest_days: int, at: datetime
) -> Sentence | None:
    """Say why `by` may not approve this request until then, or None."""
    if reason := reason_not_to_decide(asked, by, at=at):
        return reason
    if by.account in asked.approved_by:
        return SECOND_PERSON
    if until <= at:
        return NO_END
    if until > at + timedelta(days=longest_days):
        return sentence("The longest grant of this data set, in days: {days}.", days=longest_days)
    return None


def takes_effect(level: DataLevel, approved_by: Collection[int | None]) -> bool:
    """Whether these approvals are enough; None is the server's own console."""
    return len(set(approved_by)) >= (2 if level in TWO_PEOPLE else 1) or None in approved_by
