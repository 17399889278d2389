"""Who may do what with which data, as a rule on plain values."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation.rules.granting import (
    ANOTHER_STEWARD,
    AT_THE_GATE,
    NEEDS,
    NO_END,
    NO_ROLE,
    NOT_A_STEWARD,
    NOT_ASSIGNED,
    NOT_WAITING,
    NOT_YOUR_ROLE,
    NOTHING_GRANTED,
    OWN_GRANT,
    PATIENCE,
    ROLES,
    SECOND_PERSON,
    SPLIT_LEVELS,
    USUAL,
    WITHOUT_LEVEL,
    Action,
    Asked,
    Asker,
    DataLevel,
    Decider,
    GrantStage,
    HeldGrant,
    Split,
    Thing,
    needed,
    put_into_files,
    reason_not_to_approve,
    reason_not_to_decide,
    reason_of_loss,
    reason_to_refuse,
    takes_effect,
    usual_levels,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
ADA, SAM, TESS = 1, 2, 3


def holding(*levels, roles=("researcher",), since=NOW - DAY, until=NOW + DAY, revoked_at=None):
    grants = tuple(
        HeldGrant(level=level, since=since, until=until, revoked_at=revoked_at) for level in levels
    )
    return Asker(may_enter=True, roles=frozenset(roles), grants=grants)


def test_who_may_not_enter_may_do_nothing():
    shut = Asker(may_enter=False, roles=frozenset(ROLES), grants=holding(*DataLevel).grants)
    assert {reason_to_refuse(shut, action, at=NOW) for action in Action} == {AT_THE_GATE}


def test_a_grant_without_a_role_shows_nothing():
    granted = holding(*DataLevel, roles=())
    assert {reason_to_refuse(granted, action, at=NOW) for action in Action} == {NO_ROLE}


def test_a_role_without_a_grant_shows_nothing():
    on_the_team = holding(roles=ROLES)
    assert {reason_to_refuse(on_the_team, action, at=NOW) for action in Action} == {NOTHING_GRANTED}


@pytest.mark.parametrize("action", Action)
def test_every_level_and_a_role_open_an_action(action):
    assert NEEDS[action].roles
    for role in NEEDS[action].roles:
        assert reason_to_refuse(holding(*DataLevel, roles=[role]), action, at=NOW) is None


def test_another_role_does_not_open_it():
    others = [
        (action, role)
        for action in set(Action) - {Action.READ_ITEM}
        for role in set(ROLES) - NEEDS[action].roles
    ]
    assert {role for _action, role in others} == set(ROLES)
    for action, role in others:
        person = holding(*DataLevel, roles=[role])
        assert reason_to_refuse(person, action, at=NOW) == NOT_YOUR_ROLE, (action, role)


@pytest.mark.parametrize("split", Split)
def test_each_level_that_is_needed_is_missed(split):
    thing = Thing(split=split)
    asked = [(action, level) for action in Action for level in needed(action, thing)]
    assert {level for _action, level in asked} >= {DataLevel.AGGREGATES, DataLevel.PER_RATER}
    for action, level in asked:
        person = holding(*(set(DataLevel) - {level}), roles=[min(NEEDS[action].roles)])
        reason = reason_to_refuse(person, action, thing, at=NOW)
        assert reason == WITHOUT_LEVEL[level], (action, level)


def test_no_level_stands_in_for_another():
    here, there = Thing(split=Split.OPEN), Thing(split=Split.RESTRICTED)
    by_level = [action for action in Action if needed(action, here)]
    assert by_level
    for action in by_level:
        person = holding(*needed(action, here), roles=ROLES)
        assert reason_to_refuse(person, action, here, at=NOW) is None
        reason = reason_to_refuse(person, action, there, at=NOW)
        assert reason == WITHOUT_LEVEL[DataLevel.RESTRICTED_SPLIT], action


def test_who_annotates_reads_what_is_assigned_to_them():
    ben = holding(*usual_levels(["annotator"]), roles=["annotator"])
    own = Thing(split=Split.RESTRICTED, is_own_work=True)
    assert reason_to_refuse(ben, Action.READ_ITEM, own, at=NOW) is None
    others = Thing(split=Split.RESTRICTED)
    assert reason_to_refuse(ben, Action.READ_ITEM, others, at=NOW) == NOT_ASSIGNED


@pytest.mark.parametrize(
    ("at", "is_open"),
    [
        (NOW - DAY - MOMENT, False),
        (NOW - DAY, True),
        (NOW + DAY - MOMENT, True),
        (NOW + DAY, False),
    ],
)
def test_a_grant_holds_from_its_first_moment_to_its_last(at, is_open):
    gwen = holding(DataLevel.AGGREGATES)
    assert (reason_to_refuse(gwen, Action.SEE_FIGURES, at=at) is None) == is_open


@pytest.mark.parametrize(
    ("at", "is_open"), [(NOW - MOMENT, True), (NOW, False), (NOW + MOMENT, False)]
)
def test_a_revoked_grant_ends_at_that_moment(at, is_open):
    gwen = holding(DataLevel.AGGREGATES, revoked_at=NOW)
    assert (reason_to_refuse(gwen, Action.SEE_FIGURES, at=at) is None) == is_open


def test_a_late_revocation_makes_no_grant_longer():
    gwen = holding(DataLevel.AGGREGATES, revoked_at=NOW + 2 * DAY)
    assert reason_to_refuse(gwen, Action.SEE_FIGURES, at=NOW + DAY) == NOTHING_GRANTED


@pytest.mark.parametrize(
    ("at", "is_open"),
    [(NOW - MOMENT, False), (NOW, True), (NOW + DAY - MOMENT, True), (NOW + DAY, False)],
)
def test_broken_glass_opens_items_for_its_hour_and_nothing_else(at, is_open):
    sam = Asker(may_enter=True, glasses=((NOW - 9 * DAY, NOW - 8 * DAY), (NOW, NOW + DAY)))
    assert (reason_to_refuse(sam, Action.READ_ITEM, at=at) is None) == is_open
    assert reason_to_refuse(sam, Action.EXPORT, at=at) == NO_ROLE


def test_the_levels_of_splits_are_two():
    assert set(SPLIT_LEVELS) == set(Split)


def test_no_role_usually_takes_texts_away():
    assert set(USUAL) == set(ROLES)
    assert not any(DataLevel.TEXT_AWAY in levels for levels in USUAL.values())


def asking(**more):
    return Asked(
        **{
            "person": ADA,
            "level": DataLevel.ITEM_TEXT,
            "stage": GrantStage.REQUESTED,
            "asked_at": NOW,
            "steward": None,
        }
        | more
    )


STEWARD = Decider(account=SAM, is_steward=True)


@pytest.mark.parametrize(
    ("asked", "by", "at", "reason"),
    [
        (asking(), STEWARD, NOW, None),
        (asking(), Decider(account=SAM, is_steward=False), NOW, NOT_A_STEWARD),
        (asking(), Decider(account=ADA, is_steward=True), NOW, OWN_GRANT),
        (asking(steward=SAM), STEWARD, NOW, None),
        (asking(steward=TESS), STEWARD, NOW, ANOTHER_STEWARD),
        (asking(steward=TESS), STEWARD, NOW + PATIENCE - MOMENT, ANOTHER_STEWARD),
        (asking(steward=TESS), STEWARD, NOW + PATIENCE, None),
        (asking(steward=TESS, stage=GrantStage.ESCALATED), STEWARD, NOW, None),
        (asking(steward=TESS, approved_by=frozenset({TESS})), STEWARD, NOW, None),
        *(
            (asking(stage=stage), STEWARD, NOW, NOT_WAITING)
            for stage in (GrantStage.RETURNED, GrantStage.REFUSED, GrantStage.APPROVED)
        ),
    ],
)
def test_who_decides(asked, by, at, reason):
    assert reason_not_to_decide(asked, by, at=at) == reason


@pytest.mark.parametrize(
    ("until", "reason"),
    [
        (NOW, NO_END),
        (NOW + MOMENT, None),
        (NOW + 30 * DAY, None),
        (NOW + 30 * DAY + MOMENT, "The longest grant of this data set, in days: 30."),
    ],
)
def test_how_long_a_grant_may_last(until, reason):
    found = reason_not_to_approve(asking(), STEWARD, until=until, longest_days=30, at=NOW)
    assert found == reason


def test_a_second_approval_is_of_a_second_person():
    once = asking(approved_by=frozenset({SAM}))
    terms = {"until": NOW + DAY, "longest_days": 30, "at": NOW}
    assert reason_not_to_approve(once, STEWARD, **terms) == SECOND_PERSON
    assert reason_not_to_approve(once, Decider(account=TESS, is_steward=True), **terms) is None


@pytest.mark.parametrize(
    ("level", "approved_by", "takes"),
    [
        (DataLevel.ITEM_TEXT, [SAM], True),
        (DataLevel.TEXT_AWAY, [SAM], False),
        (DataLevel.TEXT_AWAY, [SAM, SAM], False),
        (DataLevel.TEXT_AWAY, [SAM, TESS], True),
        (DataLevel.TEXT_AWAY, [None], True),
    ],
)
def test_texts_that_leave_take_two_people(level, approved_by, takes):
    assert takes_effect(level, approved_by) == takes


def test_a_file_stands_on_what_went_into_it():
    held = set(DataLevel)
    with_texts = put_into_files(held, with_texts=True, has_rationales=False)
    without = put_into_files(held, with_texts=False, has_rationales=True)
    assert with_texts - without == {DataLevel.TEXT_AWAY}
    written = put_into_files(held, with_texts=True, has_rationales=True)
    assert written - with_texts == held & {DataLevel.COMMENTS}
    assert DataLevel.AGGREGATES not in with_texts
    assert reason_of_loss(with_texts, held) is None
    lost = reason_of_loss(with_texts, held - {DataLevel.PER_RATER, DataLevel.AGGREGATES})
    assert lost == "What single raters answered is not granted to you today."


def test_a_person_holds_levels_until_the_first_of_them_ends():
    grants = (
        HeldGrant(level=DataLevel.MAJORITY, since=NOW - DAY, until=NOW + DAY),
        HeldGrant(level=DataLevel.MAJORITY, since=NOW, until=NOW + 5 * DAY),
        HeldGrant(level=DataLevel.PER_RATER, since=NOW, until=NOW + 9 * DAY),
        HeldGrant(
            level=DataLevel.PER_RATER, since=NOW, until=NOW + 9 * DAY, revoked_at=NOW + 7 * DAY
        ),
    )
    person = Asker(may_enter=True, grants=grants)
    assert person.holds_until([DataLevel.MAJORITY, DataLevel.PER_RATER], NOW) == NOW + 5 * DAY
    assert person.holds_until([DataLevel.PER_RATER], NOW) == NOW + 9 * DAY
