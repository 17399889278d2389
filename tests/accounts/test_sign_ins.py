"""Who came in, who failed to, and who asked for what is not theirs stands in the trail."""

import pytest
from django.test import Client

from accounts.models import Event
from tests.cast import PASSWORD, bearer, study_with


def sign_in(client, email, password=PASSWORD):
    return client.post("/accounts/login/", {"login": email, "password": password})


def verbs(**about):
    return list(Event.objects.filter(**about).order_by("pk").values_list("verb", flat=True))


def test_coming_in_and_going_out_are_lines_of_the_trail(ben):
    browser = Client()
    sign_in(browser, ben.email)
    browser.post("/accounts/logout/")
    assert verbs(subject=f"account:{ben.pk}") == ["session.began", "session.ended"]


@pytest.mark.parametrize("known", [True, False])
def test_a_wrong_password_is_a_line_without_an_address(ben, known):
    email = ben.email if known else "nobody@example.org"
    sign_in(Client(), email, "not-the-password-at-all")
    line = Event.objects.get(verb="session.refused")
    assert line.subject == (f"account:{ben.pk}" if known else "account:unknown")
    assert (line.actor, line.facts) == (None, {})


def test_a_new_password_is_a_line_of_the_trail(as_user, ben):
    new = "another-long-enough-password"
    as_user(ben).post(
        "/accounts/password/change/",
        {"oldpassword": PASSWORD, "password1": new, "password2": new},
    )
    assert "password.changed" in verbs(actor=ben)


def test_asking_for_what_is_of_another_team_is_a_line_of_the_trail(as_user, ben, pond, gwen):
    study_with(rubric="dialogue_safety", key="lake", team={gwen: ["coordinator"]}, n_items=1)
    browser = as_user(ben)
    for _ in range(2):
        assert browser.get("/studies/lake/rate/").status_code == 404
    line = Event.objects.get(verb="gate.not_found")
    assert (line.actor, line.facts) == (ben, {"page": "rate", "key": "lake"})


def test_no_words_of_a_link_stand_in_the_trail(client, rated, gwen):
    for words in ("of-a-link-of-somebody-else", "%00"):
        path = f"/api/v1/studies/pond/releases/links/{words}/"
        assert client.get(path, headers=bearer(gwen)).status_code == 404
    assert {(*line.facts,) for line in Event.objects.filter(verb="gate.not_found")} == {
        ("key", "page")
    }


def test_asking_for_what_another_role_may_do_is_a_line_of_the_trail(as_user, ben):
    assert as_user(ben).get("/access/events/").status_code == 403
    assert Event.objects.get(verb="gate.forbidden").facts == {"page": "events"}


def test_a_page_that_there_is_not_leaves_no_line(as_user, ben):
    assert as_user(ben).get("/no/such/page/").status_code == 404
    assert not Event.objects.filter(verb__startswith="gate.").exists()
