"""The decision in Python and the decision in SQL agree, whatever happens and whenever it is asked.

CONCORD_STEPS=300x40 runs as many examples of as many steps as one asks for.
"""

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from django.db import connection, transaction
from django.db.models import BooleanField, ExpressionWrapper
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from accounts.access import Access, Standing, access_of
from accounts.actions import people
from accounts.models import Role, User
from annotation.actions import glass, grants, splits, teams
from annotation.models import (
    Assignment,
    BrokenGlass,
    Grant,
    GrantDecision,
    Item,
    Membership,
    Rater,
    Round,
    Study,
)
from annotation.models.permitted import permitted
from annotation.queries.grants import person_of
from annotation.rules.granting import (
    ROLES,
    Action,
    DataLevel,
    GrantStage,
    Split,
    Thing,
    reason_to_refuse,
)
from tests.cast import approved, study_with

EXAMPLES, STEPS = map(int, os.environ.get("CONCORD_STEPS", "12x12").split("x"))
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
YESTERDAY = START - timedelta(days=1)
NAMES = ("ann", "bo", "cy")
STEWARDS = ("sue", "ted")
PEOPLE = st.sampled_from(NAMES)
KEYS = ("hill", "dale")
STUDIES = st.sampled_from(KEYS)
DELIBERATE = st.sampled_from(STEWARDS)
TEAM_ROLES = st.sets(st.sampled_from(ROLES))
A_LEVEL = st.sampled_from(list(DataLevel))
LEVELS = st.sets(A_LEVEL, min_size=1)
# Nobody and never: they mark where a person and a moment stand in the parameters of a statement.
SOMEBODY, SOME_DAY = -(2**31), datetime(1, 1, 1, tzinfo=UTC)
OF_A_STUDY = [one for one in Action if one is not Action.READ_ITEM]


@pytest.fixture
def two_studies(terms):
    """Two studies with three items each, three people and two stewards."""
    cast = {name: approved(name, terms) for name in NAMES}
    cast |= {name: approved(name, terms, roles=[Role.STEWARD]) for name in STEWARDS}
    for user in cast.values():
        User.objects.filter(pk=user.pk).update(approved_until=START + timedelta(days=300))
    for key in KEYS:
        study = study_with(
            rubric="dialogue_safety", key=key, team={cast["sue"]: ["coordinator"]}, n_items=3
        )
        Round.objects.create(
            study=study,
            number=1,
            rubric_version=study.rubric_version,
            raters_per_item=3,
            opened_at=YESTERDAY,
            opened_by=cast["sue"],
        )
    for user in cast.values():
        Rater.objects.get_or_create(
            user=user, defaults={"key": f"r{user.pk}", "name": "x", "kind": "human"}
        )
    Grant.objects.update(since=YESTERDAY, until=START + timedelta(days=30))
    return cast


def in_sql(build):
    """run(person, at) gives the rows of the query that `build` makes of both: its SQL is worked out
    once, as that takes longer than to run it."""
    sql, params = build(SOMEBODY, SOME_DAY).query.sql_with_params()

    def run(person, at):
        now = {SOMEBODY: person, SOME_DAY: at}
        with connection.cursor() as cursor:
            cursor.execute(sql, [now.get(one, one) for one in params])
            return cursor.fetchall()

    return run


def allowed_actions(person, at):
    """(key of the study, whether they may, for each action)."""
    may = {
        action.name: ExpressionWrapper(
            permitted(action, person, study="study", at=at), BooleanField()
        )
        for action in OF_A_STUDY
    }
    return Round.objects.filter(study__key__in=KEYS).annotate(**may).values_list("study__key", *may)


def visible_items(person, at):
    somebody = Access(user_id=person, standing=Standing.APPROVED, missing=())
    return Item.objects.visible_to(somebody, at=at).values_list("pk")


def machine_for(cast):
    may_do, may_open = in_sql(allowed_actions), in_sql(visible_items)

    class Governance(RuleBasedStateMachine):
        """People ask, stewards decide, time goes on and is asked about; nothing is undone."""

        def __init__(self):
            super().__init__()
            self.now = START
            self.moments = [START]

        @initialize(roles=st.lists(TEAM_ROLES, min_size=6, max_size=6), gone=st.sets(A_LEVEL))
        def teams_lack_some_levels(self, roles, gone):
            for (who, where), wanted in zip(product(NAMES, KEYS), roles, strict=True):
                self.set_roles(who, where, wanted, None)
            Grant.objects.filter(person__in=map(cast.get, NAMES), level__in=gone).update(
                since=YESTERDAY, until=START
            )

        @rule(hours=st.integers(min_value=1, max_value=24 * 40))
        def time_passes(self, hours):
            self.now += timedelta(hours=hours)
            self.moments.append(self.now)

        @rule(who=PEOPLE, where=STUDIES, roles=TEAM_ROLES, by=DELIBERATE)
        def roles_are_set(self, who, where, roles, by):
            self.set_roles(who, where, roles, by)

        def set_roles(self, who, where, roles, by):
            self.try_to(
                teams.set_roles,
                study_id=Study.objects.get(key=where).pk,
                email=cast[who].email,
                roles=roles | {"coordinator"} if who == "ann" else roles,
                by=cast.get(by),
            )

        @rule(who=PEOPLE, where=STUDIES, levels=LEVELS)
        def somebody_asks(self, who, where, levels):
            self.try_to(
                grants.propose,
                data_set_id=Study.objects.get(key=where).data_set_id,
                person=cast[who],
                levels=levels,
                purpose="To see.",
                by=cast[who],
            )

        @rule(who=PEOPLE, where=STUDIES, by=DELIBERATE, days=st.integers(-1, 60))
        def a_steward_approves(self, who, where, by, days):
            self.try_to(
                grants.approve_all,
                data_set_id=Study.objects.get(key=where).data_set_id,
                person_id=cast[who].pk,
                until=self.now + timedelta(days=days),
                by=cast[by],
            )

        @rule(who=PEOPLE, by=DELIBERATE, which=st.integers(0, 20))
        def a_steward_revokes(self, who, by, which):
            held = list(Grant.objects.filter(person=cast[who], revoked_at=None).order_by("pk"))
            if held:
                one = held[which % len(held)]
                self.try_to(grants.revoke, grant_id=one.pk, reason="Left.", by=cast[by])

        @rule(who=st.sampled_from((*NAMES, *STEWARDS)), where=STUDIES)
        def the_glass_is_asked_for(self, who, where):
            data_set_id = Study.objects.get(key=where).data_set_id
            self.try_to(glass.ask, data_set_id=data_set_id, reason="Danger.", by=cast[who])

        @rule(by=DELIBERATE)
        def somebody_witnesses(self, by):
            waiting = BrokenGlass.objects.filter(witness=None).first()
            if waiting:
                self.try_to(glass.witness, glass_id=waiting.pk, by=cast[by])

        @rule(who=PEOPLE, by=DELIBERATE)
        def somebody_is_suspended(self, who, by):
            self.try_to(people.suspend, user_id=cast[who].pk, reason="Left.", by=cast[by])

        @rule(who=PEOPLE, by=DELIBERATE)
        def somebody_is_reinstated(self, who, by):
            self.try_to(people.reinstate, user_id=cast[who].pk, by=cast[by])

        @rule(who=PEOPLE, where=STUDIES, which=st.integers(0, 2))
        def an_item_is_handed_out(self, who, where, which):
            of = Round.objects.get(study__key=where)
            Assignment.objects.get_or_create(
                round=of,
                item=of.study.items.order_by("pk")[which],
                rater=Rater.objects.get(user=cast[who]),
                defaults={"slot": NAMES.index(who), "position": which},
            )

        @rule(where=STUDIES, percent=st.sampled_from((0, 34, 100)))
        def a_data_set_is_divided(self, where, percent):
            self.try_to(
                splits.divide,
                data_set_id=Study.objects.get(key=where).data_set_id,
                open_percent=percent,
                seed="hill and dale",
                by=cast["sue"],
            )

        @invariant()
        def both_decisions_agree(self):
            studies = Study.objects.filter(key__in=KEYS).prefetch_related("items__opened")
            given = {
                (one.user_id, one.study_id): frozenset(one.roles)
                for one in Membership.objects.filter(study__key__in=KEYS)
            }
            own = set(Assignment.objects.values_list("rater__user", "item"))
            users = User.objects.filter(pk__in=[user.pk for user in cast.values()])
            for user, at in product(users, {self.now, self.moments[len(self.moments) // 2]}):
                access = access_of(user, at=at)
                allowed = {key: may for key, *may in may_do(user.pk, at)}
                readable = {pk for (pk,) in may_open(user.pk, at)} if access.may_enter else set()
                for study in studies:
                    roles = given.get((user.pk, study.pk), frozenset())
                    asker = person_of(access, study.data_set_id, roles)
                    for action, in_sql in zip(OF_A_STUDY, allowed[study.key], strict=True):
                        may = access.may_enter and in_sql
                        told = reason_to_refuse(asker, action, at=at) is None
                        assert may == told, (action, at)
                    for item in study.items.all():
                        split = Split.OPEN if hasattr(item, "opened") else Split.RESTRICTED
                        thing = Thing(split=split, is_own_work=(user.pk, item.pk) in own)
                        told = reason_to_refuse(asker, Action.READ_ITEM, thing, at=at) is None
                        assert (item.pk in readable) == told, (thing, at)

        @invariant()
        def nobody_decided_about_themselves(self):
            approved_by = {}
            approvals = GrantDecision.objects.filter(
                what="approved", grant__stage=GrantStage.APPROVED
            )
            for grant, person, level, by in approvals.values_list(
                "grant", "grant__person", "grant__level", "by"
            ):
                assert by != person
                approved_by.setdefault((grant, level), set()).add(by)
            assert len(approved_by) == Grant.objects.filter(stage=GrantStage.APPROVED).count()
            for (_, level), by in approved_by.items():
                assert None in by or len(by) >= (2 if level == DataLevel.TEXT_AWAY else 1)

        def try_to(self, act, **arguments):
            with suppress(
                grants.CannotGrant, glass.CannotBreak, teams.CannotChangeTeam, people.CannotChange
            ):
                act(**arguments, at=self.now)

    return Governance


@pytest.mark.django_db
def test_python_and_sql_decide_alike_at_any_moment(two_studies):
    base = machine_for(two_studies)

    class Undone(base):
        """Each example begins with the same two studies."""

        def __init__(self):
            super().__init__()
            self.savepoint = transaction.savepoint()

        def teardown(self):
            transaction.savepoint_rollback(self.savepoint)

    run_state_machine_as_test(
        Undone, settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS)
    )
    assert timezone.now() > START
