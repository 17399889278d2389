"""Every way out asks one rule who may see whose answers, and refuses with its sentence."""

from itertools import product

import pytest
from django.utils import timezone

from accounts.access import access_of
from analytics.agreement.readers import reason_to_keep_ratings
from analytics.exports import rows
from analytics.items import page as cases
from analytics.report import actions as writeups
from annotation.actions import rounds
from annotation.models import Assignment, Item, Submission, TeamRole
from annotation.queries.studies import study_for
from annotation.queries.visibility import reader_of, withheld_items
from annotation.rules.visibility import (
    COULD_SWAY,
    OPERATOR,
    RATED_AGAIN,
    STILL_OPEN,
    Author,
    Given,
    Reader,
    phase_of,
    reason_to_withhold,
    reason_to_withhold_item,
)
from tests.analytics.made import AT, human, items_of, judge, rate, submit
from tests.analytics.meadow import meadow

pytestmark = pytest.mark.usefixtures("empty_cache")

SAFE = "safe_response"
FIGURES = "/studies/pond/agreement/"


@pytest.fixture
def again(pond, pond_round, ada, ben, cleo, finn):
    """Ben and Cleo rated six items in a closed round; Cleo and Finn rate them again.

    Cleo has answered the first again. Ruth's ratings came in a file, Echo is a judge, and there
    are two more items in no round.
    """
    ruth, echo = human("ruth"), judge("echo")
    for item in items_of(pond):
        rate(ruth, item, safety=SAFE)
        rate(echo, item, safety=SAFE)
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, safety=SAFE)
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    rounds.record_kappa(round_id=pond_round.pk, kappa=None, at=AT)
    second = rounds.open_round(
        study_id=pond.pk,
        panel=[cleo.pk, finn.pk],
        raters_per_item=2,
        re_review_of=pond_round.pk,
        by=ada,
        at=AT,
    )
    submit(Assignment.objects.get(round=second, rater__user=cleo, position=1), safety=SAFE)
    pond.refresh_from_db()
    return pond


def access_to(study, user):
    return study_for(access_of(user, at=timezone.now()), study.key)


def said_by(response) -> str:
    return response.content.decode().replace("\n", " ")


def with_roles(user, *roles):
    user.memberships.update(roles=[*roles])
    return user


@pytest.fixture
def sunny(ada):
    """A coordinator who annotates and exports, and looks at what judges answered."""
    roles = [TeamRole.COORDINATOR, TeamRole.ANNOTATOR, TeamRole.EXPORTER]
    return meadow({ada: roles}, n_dialogues=6, n_rated=3)


def test_every_page_and_file_keeps_judges_answers_with_the_same_sentence(sunny, as_user, ada):
    oak = sunny.submissions.filter(rater__key="oak").first().rater_id
    root = f"/studies/{sunny.key}/agreement/"
    client = as_user(ada)
    refused = [
        f"criteria/relevance/judge_humans/{oak}/items/",
        f"criteria/relevance/judge_humans/{oak}/table.csv",
        f"routing/relevance/{oak}/",
        f"routing/relevance/{oak}/list.csv",
        f"safety/relevance/{oak}/missed/",
    ]
    for address in refused:
        answer = client.get(root + address)
        assert (answer.status_code, COULD_SWAY in said_by(answer)) == (403, True), address
    assert writeups.reason_to_keep_data(access_to(sunny, ada)) == COULD_SWAY
    reader = reader_of(access_to(sunny, ada), takes_away=True)
    assert list(rows.judge_calls(sunny, reader, order="")) == []


def test_every_page_and_file_waits_for_the_round_with_the_same_sentence(again, as_user, gwen):
    with_roles(gwen, TeamRole.COORDINATOR, TeamRole.EXPORTER)
    client = as_user(gwen)
    item = items_of(again)[0]
    refused = [
        f"items/{item.pk}/",
        "criteria/safety/humans/all/table.csv",
    ]
    for address in refused:
        assert STILL_OPEN in said_by(client.get(FIGURES + address)), address
    assert writeups.reason_to_keep_data(access_to(again, gwen)) == STILL_OPEN
    listed = client.get(f"{FIGURES}criteria/safety/humans/all/items/")
    assert listed.context["listing"].cases.cases == ()


def test_who_annotates_is_told_nothing_earlier_of_items_that_are_rated_again(
    again, as_user, ben, ada
):
    """Ben is not on the panel, but Cleo's work could be handed on to him."""
    with_roles(ben, TeamRole.COORDINATOR, TeamRole.ANNOTATOR, TeamRole.EXPORTER)
    reader = reader_of(access_to(again, ben), takes_away=True)
    assert not reader.rates_now
    told = {
        row["rater"]
        for given in rows.ratings(
            again, again.rubric_version.content, reader, rows.ExportTally(), order=""
        )
        for row in given
    }
    assert len(told) == 1, "his own"
    assert list(rows.gold(again, reader, order="")) == []
    ruth = set(again.submissions.filter(rater__key="ruth").values_list("rater", flat=True))
    assert reason_to_keep_ratings(again, reader, raters=ruth, with_gold=False) == RATED_AGAIN
    mine = f"/studies/pond/my-work/{Assignment.objects.filter(rater=reader.rater).first().pk}/"
    assert "Gold" not in said_by(as_user(ben).get(mine))


READERS = [
    Reader(rater=None, roles=frozenset(roles), rates_now=rates_now, takes_away=takes_away)
    for roles, rates_now, takes_away in product(
        [{"annotator"}, {"coordinator"}, {"exporter", "annotator"}, set()],
        [False, True],
        [False, True],
    )
] + [OPERATOR]


def test_an_export_holds_the_rows_that_the_rule_lets_out(again, cleo):
    rated_now = set(Item.objects.filter(round_items__round__state="open").values_list("pk"))
    cleos = Submission.objects.filter(rater__user=cleo).values_list("rater", flat=True)[0]
    own = [
        Reader(rater=cleos, roles=frozenset({"annotator"}), rates_now=True, takes_away=takes_away)
        for takes_away in (False, True)
    ]
    let_out = set()
    for reader in READERS + own:
        allowed = 0
        for one in again.submissions.filter(is_current=True).select_related("rater", "round"):
            state = one.round.state if one.round else None
            phase = phase_of(state, is_rated_now=(one.item_id,) in rated_now)
            given = Given(author=Author(one.rater.kind), rater=one.rater_id, phase=phase)
            allowed += reason_to_withhold(reader, given) is None
        found = rows.ratings(
            again, again.rubric_version.content, reader, rows.ExportTally(), order=""
        )
        assert len(list(found)) == allowed, reader
        let_out.add(allowed)
    assert len(let_out) > 2, "some get all, some a part, some nothing"


def test_the_items_withheld_are_those_that_the_rule_withholds_one_by_one(again):
    rated_now = set(
        again.items.filter(round_items__round__state="open").values_list("pk", flat=True)
    )
    outside = again.items.exclude(pk__in=rated_now)
    assert len(rated_now) == 6
    for reader in READERS:
        one_by_one = {
            item
            for item in again.items.values_list("pk", flat=True)
            if reason_to_withhold_item(reader, is_rated_now=item in rated_now)
        }
        assert withheld_items(again, reader) == one_by_one, reader
    assert not outside.exists()


def test_a_list_and_an_item_withhold_the_same(again, gwen):
    with_roles(gwen, TeamRole.COORDINATOR)
    study_access = access_to(again, gwen)
    found = {item.pk: ("", "") for item in items_of(again)}
    listed = cases.listed(study_access, found, first_name="", second_name="", page=1)
    assert listed.n_hidden == 6
    for item in items_of(again):
        whole = cases.whole_item(study_access, item.pk)
        assert (whole.withheld, whole.answers) == (STILL_OPEN, None)


FACTS = [
    ("ada", False, False),
    ("ben", True, False),
    ("cleo", True, True),
    ("finn", True, True),
    ("gwen", False, False),
]


@pytest.mark.parametrize(("name", "is_a_rater", "rates_now"), FACTS)
def test_the_facts_of_a_reader(again, request, name, is_a_rater, rates_now):
    user = request.getfixturevalue(name)
    for takes_away in (False, True):
        reader = reader_of(access_to(again, user), takes_away=takes_away)
        assert (reader.rater is not None, reader.rates_now) == (is_a_rater, rates_now)
        assert reader.takes_away is takes_away
