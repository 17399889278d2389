"""Who may put a team together, and how a study begins."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import Event
from annotation.actions import teams
from annotation.models import Membership, Rater, Study, TeamRole
from annotation.rules.protocol import WHOLE, from_data

TEAM = "/studies/pond/team/"


def roles_of(study, user):
    membership = Membership.objects.filter(study=study, user=user).first()
    return membership and membership.roles


def test_a_coordinator_gives_roles(pond, ada, sam, as_user):
    answer = as_user(ada).post(TEAM, {"email": sam.email.upper(), "roles": ["annotator"]})
    assert answer.status_code == 302
    assert roles_of(pond, sam) == ["annotator"]
    assert Rater.objects.get(user=sam).name == "Sam"
    assert Event.objects.filter(verb="team.roles_set", subject=f"study:{pond.pk}").exists()


def test_without_a_role_an_account_leaves_the_team(pond, ada, ben, as_user):
    as_user(ada).post(TEAM, {"email": ben.email})
    assert roles_of(pond, ben) is None
    assert as_user(ben).get("/studies/pond/").status_code == 404


@pytest.mark.parametrize(
    ("email", "roles", "reason"),
    [
        ("nobody@example.org", ["annotator"], "has to sign up first"),
        ("ada@example.org", ["annotator"], "at least one coordinator"),
        ("ada@example.org", [], "at least one coordinator"),
        ("not an address", ["annotator"], "valid email address"),
        ("ben@example.org", ["king"], "not one of the available choices"),
    ],
)
def test_what_a_team_cannot_be(pond, ada, ben, as_user, email, roles, reason):
    answer = as_user(ada).post(TEAM, {"email": email, "roles": roles})
    assert answer.status_code == 422
    assert reason in answer.content.decode()
    assert roles_of(pond, ada) == ["coordinator"]


def test_the_member_to_change_stands_in_the_form(pond, ada, gwen, as_user):
    page = as_user(ada).get(f"{TEAM}?member={gwen.pk}").content.decode()
    assert f'value="{gwen.email}"' in page
    assert page.count("checked") == 2


@pytest.mark.parametrize(("who", "status"), [("ben", 404), ("gwen", 404), ("dora", 404)])
def test_only_coordinators_see_the_team(pond, as_user, request, who, status):
    assert as_user(request.getfixturevalue(who)).get(TEAM).status_code == status


def test_a_steward_may_name_a_coordinator_and_sees_nothing_else(pond, sam, finn, as_user):
    client = as_user(sam)
    assert client.get(TEAM).status_code == 200
    client.post(TEAM, {"email": finn.email, "roles": ["coordinator", "annotator"]})
    assert roles_of(pond, finn) == ["coordinator", "annotator"]
    assert client.get("/studies/pond/").status_code == 404


def study_fields(by, **more):
    return {
        "name": "River",
        "key": "river",
        "rubric": "psycrisis",
        "language": "zh-hans",
        "coordinator": by.email,
    } | more


def test_a_steward_creates_a_study(pond, sam, ada, as_user):
    answer = as_user(sam).post("/new-study/", study_fields(ada))
    assert answer.url == "/studies/river/team/"
    river = Study.objects.get(key="river")
    assert (river.language, river.rubric_version.rubric.key) == ("zh-hans", "psycrisis")
    assert roles_of(river, ada) == ["coordinator"]
    first = as_user(ada).get("/studies/river/").content.decode()
    assert 'button--primary" href="/studies/river/items/import/"' in first


def test_two_studies_may_share_an_edition_of_a_rubric(pond, sam, ada, as_user):
    as_user(sam).post("/new-study/", study_fields(ada, rubric="dialogue_safety"))
    assert Study.objects.get(key="river").rubric_version == pond.rubric_version


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"key": "pond"}, "already a study"),
        ({"key": "a pond"}, "valid “slug”"),
        ({"coordinator": "nobody@example.org"}, "has to sign up first"),
        ({"rubric": "mood"}, "not one of the available choices"),
        ({"rubric": ""}, "Choose one rubric"),
    ],
)
def test_what_is_wrong_with_a_new_study_is_said(pond, sam, ada, as_user, more, reason):
    answer = as_user(sam).post("/new-study/", study_fields(ada, **more))
    assert answer.status_code == 422
    assert reason in answer.content.decode()
    assert Study.objects.count() == 1


def test_a_coordinator_begins_a_study_with_a_rubric_in_english_alone(pond, ada, as_user):
    definition = """
        key = "warmth"
        title.en = "Warmth"
        instructions.en = "Rate."
        [[criteria]]
        kind = "scale"
        key = "warm"
        name.en = "Warm"
        question.en = "How warm?"
        measurement = "binary"
        points = [{value = 0, anchor.en = "Cold"}, {value = 1, anchor.en = "Warm"}]
    """
    file = SimpleUploadedFile("warmth.toml", definition.encode())
    answer = as_user(ada).post("/new-study/", study_fields(ada, rubric="", rubric_file=file))

    assert answer.url == "/studies/river/team/"
    river = Study.objects.get(key="river")
    assert river.rubric_version.rubric.key == "warmth"
    assert from_data(river.protocol) == WHOLE


def test_a_rubric_with_mistakes_is_not_taken_and_each_is_named(pond, ada, as_user):
    file = SimpleUploadedFile("warmth.toml", b'key = "warmth"\ntitle.en = ""')
    answer = as_user(ada).post("/new-study/", study_fields(ada, rubric="", rubric_file=file))

    assert answer.status_code == 422
    assert "title.en is empty." in answer.text
    assert "criteria is missing." in answer.text


def test_who_coordinates_nothing_creates_no_study(pond, ben, as_user):
    assert as_user(ben).get("/new-study/").status_code == 403


def test_a_role_is_recorded_once_in_its_order(pond, ben):
    teams.set_roles(
        study_id=pond.pk,
        email=ben.email,
        roles=["adjudicator", "annotator", "annotator"],
        by=None,
        at=timezone.now(),
    )
    assert roles_of(pond, ben) == [TeamRole.ANNOTATOR, TeamRole.ADJUDICATOR]


def test_nobody_gives_themselves_a_role(pond, ada, sam, as_user):
    answer = as_user(ada).post(TEAM, {"email": ada.email, "roles": ["coordinator", "annotator"]})
    assert answer.status_code == 422
    assert "Nobody gives themselves a role" in answer.content.decode()
    assert (
        as_user(sam).post(TEAM, {"email": sam.email, "roles": ["coordinator"]}).status_code == 422
    )
    assert roles_of(pond, sam) is None
