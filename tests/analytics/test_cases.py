"""Items behind a figure: which are listed, for whom they open, and what stays blinded."""

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts.access import access_of
from accounts.models import Event
from analytics.items import page as cases
from annotation.models import Grant, TeamRole
from annotation.queries.studies import study_for
from annotation.rules.visibility import STILL_OPEN
from tests.analytics.made import decide, human, items_of, judge, rate
from tests.cast import study_with

KEY = "safety"


def access_to(study, user):
    return study_for(access_of(user, at=timezone.now()), study.key)


def keep_texts_from(user):
    Grant.objects.filter(person=user, level="item_text").update(revoked_at=timezone.now())


def listed(study, user, page="1"):
    found = {item.pk: ("Nonsense", "Safe Response") for item in items_of(study)}
    return cases.listed(
        access_to(study, user), found, first_name="People", second_name="Echo", page=page
    )


def rendered(study, user, page="1"):
    request = RequestFactory().get("/", {"page": page, "cut": "unsafe"})
    words = {"cases": listed(study, user, page), "study_access": access_to(study, user)}
    return render_to_string("analytics/_cases.html", words, request=request)


def test_an_item_is_listed_with_what_either_side_gave_it(pond, ada):
    first = listed(pond, ada).cases[0]
    assert (first.key, first.dialogue, first.first, first.second, first.may_open) == (
        "d1.1",
        "d1",
        "Nonsense",
        "Safe Response",
        True,
    )
    assert f"/studies/pond/agreement/items/{first.id}/" in rendered(pond, ada)


def test_who_may_not_read_items_sees_keys_without_links(pond, gwen, ada):
    lake = study_with(
        rubric="dialogue_safety",
        key="lake",
        team={ada: ["coordinator"], gwen: [TeamRole.RESEARCHER]},
    )
    keep_texts_from(gwen)
    text = rendered(lake, gwen)
    assert "d1.1" in text
    assert "/items/" not in text


def test_no_text_of_an_item_is_in_a_list(pond, ada):
    text = rendered(pond, ada)
    assert "Frogs" not in text
    assert "quiet" not in text


def test_a_long_list_comes_in_pages_that_keep_the_choices(ada):
    lake = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=52
    )
    assert [len(listed(lake, ada, page).cases) for page in ("1", "2")] == [50, 2]
    assert "?page=2&amp;cut=unsafe" in rendered(lake, ada)


def test_items_of_an_open_round_are_counted_but_not_listed(pond, pond_round, ada):
    made = listed(pond, ada)
    assert (made.cases, made.n_hidden) == ((), 6)
    assert "6 items are not listed: their round is still open" in rendered(pond, ada)


def test_an_item_opens_with_its_text_and_the_values_of_all(pond, as_user, ada):
    item = items_of(pond)[0]
    rate(human("ruth"), item, **{KEY: "nonsense"})
    rate(judge("echo"), item, **{KEY: "safe_response"})
    rate(judge("mute"), item, **{KEY: "[missing]"})
    decide(item, **{KEY: "toxic_language"})
    text = as_user(ada).get(f"/studies/pond/agreement/items/{item.pk}/").content.decode()
    assert Event.objects.filter(verb="item.opened", subject=f"item:{item.pk}", actor=ada).exists()
    for words in ("Frogs come back", "Ruth", "Nonsense", "Echo", "Safe Response", "missing"):
        assert words in text
    assert text.index("Toxic Language") < text.index("Nonsense"), "gold stands first"


@pytest.mark.parametrize(
    ("name", "status"),
    [("ada", 200), ("gwen", 200), ("ben", 403), ("dora", 403), ("sam", 404), ("eli", 403)],
)
def test_an_item_opens_for_those_who_see_figures_and_items(pond, as_user, request, name, status):
    client = as_user(request.getfixturevalue(name))
    page = f"/studies/pond/agreement/items/{items_of(pond)[0].pk}/"
    assert client.get(page).status_code == status


def test_a_researcher_who_may_not_read_items_finds_none(ada, gwen, as_user):
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    lake = study_with(rubric="dialogue_safety", key="lake", team=team)
    page = f"/studies/lake/agreement/items/{items_of(lake)[0].pk}/"
    assert as_user(gwen).get(page).status_code == 200
    keep_texts_from(gwen)
    assert as_user(gwen).get(page).status_code == 404


@pytest.mark.parametrize(
    ("came_from", "back"),
    [
        ("http://testserver/studies/pond/quarantine/?page=2", "/studies/pond/quarantine/?page=2"),
        ("http://elsewhere.example.org/studies/pond/rounds/", "/studies/pond/agreement/"),
        ("http://testserver/studies/lake/rounds/", "/studies/pond/agreement/"),
        ("", "/studies/pond/agreement/"),
    ],
)
def test_from_an_item_there_is_a_way_back_to_where_it_was_listed(
    pond, as_user, ada, came_from, back
):
    address = reverse("agreement_item", args=["pond", items_of(pond)[0].pk])
    page = as_user(ada).get(address, headers={"referer": came_from}).text
    assert f'<a href="{back}">Back</a>' in page


def test_an_item_of_another_study_is_not_found(pond, ada, as_user):
    lake = study_with(rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]})
    page = f"/studies/pond/agreement/items/{items_of(lake)[0].pk}/"
    assert as_user(ada).get(page).status_code == 404


def test_no_value_is_told_of_an_item_in_an_open_round(pond, pond_round, as_user, ada):
    item = items_of(pond)[0]
    rate(judge("echo"), item, **{KEY: "toxic_language"})
    text = as_user(ada).get(f"/studies/pond/agreement/items/{item.pk}/").content.decode()
    assert Event.objects.filter(verb="item.opened", subject=f"item:{item.pk}", actor=ada).exists()
    assert STILL_OPEN in text
    assert "Toxic" not in text


def test_an_annotator_who_coordinates_too_sees_no_judge(as_user, ada):
    lake = study_with(
        rubric="dialogue_safety",
        key="lake",
        team={ada: [TeamRole.COORDINATOR, TeamRole.ANNOTATOR]},
    )
    item = items_of(lake)[0]
    rate(human("ruth"), item, **{KEY: "nonsense"})
    rate(judge("echo"), item, **{KEY: "toxic_language"})
    text = as_user(ada).get(f"/studies/lake/agreement/items/{item.pk}/").content.decode()
    assert "Ruth" in text
    assert "Echo" not in text
