"""Who a request comes from is looked up every time: nothing that ended goes on."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import close_old_connections, connection
from django.db.models import Value
from django.utils import timezone

from accounts.models import User
from accounts.models.prepared import Prepared
from accounts.tasks import clear_sessions

A_MINUTE = timedelta(minutes=1)


def is_let_in(client) -> bool:
    return client.get("/studies/pond/").status_code == 200


@pytest.fixture
def browser(pond, ben, as_user):
    client = as_user(ben)
    assert is_let_in(client)
    return client


def test_a_session_ends_to_the_moment(browser):
    Session.objects.update(expire_date=timezone.now() + timedelta(minutes=1))
    assert is_let_in(browser)
    Session.objects.update(expire_date=timezone.now())
    assert not is_let_in(browser)


def test_nobody_brings_an_old_session_back_who_writes_another_end_beside_it(settings, browser):
    kept = Session.objects.get()
    settings.SESSION_COOKIE_AGE = 0.0
    Session.objects.filter(pk=kept.pk).update(expire_date=timezone.now() + timedelta(hours=1))
    assert not is_let_in(browser)


def minutes_left() -> float:
    return (Session.objects.get().expire_date - timezone.now()) / A_MINUTE


def left(minutes: float) -> None:
    Session.objects.update(expire_date=timezone.now() + minutes * A_MINUTE)


def test_who_signs_in_may_do_nothing_for_half_an_hour(browser):
    assert minutes_left() == pytest.approx(30, abs=1)


def test_how_long_is_the_server_s_choice(settings, pond, ben, as_user):
    settings.SESSION_IDLE_AGE = 5 * 60
    as_user(ben)
    assert minutes_left() == pytest.approx(5, abs=1)


def test_a_visitor_s_form_waits_longer(client, db):
    client.get("/accounts/login/")
    assert minutes_left() == pytest.approx(12 * 60, abs=1)


DOINGS = [
    ("GET", {}, 30),
    ("POST", {"HX-Request": "true"}, 30),
    ("GET", {"HX-Request": "true"}, 10),  # a page that asks for newer figures
    ("HEAD", {"HX-Request": "true"}, 10),
]


@pytest.mark.parametrize(("method", "headers", "minutes"), DOINGS)
def test_what_somebody_does_puts_the_end_off_and_a_page_by_itself_does_not(
    browser, method, headers, minutes
):
    left(10)
    browser.generic(method, "/studies/pond/my-work/", headers=headers)
    assert minutes_left() == pytest.approx(minutes, abs=1)


def test_the_end_is_written_now_and_then_only(browser, django_assert_num_queries):
    left(29)
    with django_assert_num_queries(2):
        browser.get("/styleguide/")
    left(27)
    with django_assert_num_queries(3):
        browser.get("/styleguide/")


def test_after_twelve_hours_it_is_over_in_any_case(browser):
    left(10)
    session = browser.session
    signed_in_at = timezone.now() - timedelta(hours=11, minutes=45)
    session["signed_in_at"] = signed_in_at.isoformat()
    session.save()
    assert minutes_left() == pytest.approx(15, abs=1)
    left(10)
    assert is_let_in(browser)
    assert minutes_left() == pytest.approx(15, abs=1)


def test_a_session_that_was_taken_away_is_none(browser):
    Session.objects.all().delete()
    assert not is_let_in(browser)


@pytest.mark.parametrize("key", ['"\\000aaaaaaaaaaaaa"', "a" * 5000, "%00aaaaaaaaaaa"])
def test_a_key_that_is_none_is_a_visitor_s(client, db, key):
    answer = client.get("/accounts/login/", headers={"Cookie": f"sessionid={key}"})
    assert answer.status_code == 200


def test_a_new_password_ends_the_sessions_of_the_old_one(browser, ben):
    ben.set_password("another long password")
    ben.save()
    assert not is_let_in(browser)


def test_a_deactivated_account_is_out_at_once(browser, ben):
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert not is_let_in(browser)


def test_an_approval_that_is_taken_back_counts_at_once(browser, ben):
    User.objects.filter(pk=ben.pk).update(approved_until=timezone.now())
    assert not is_let_in(browser)


def test_a_request_takes_two_look_ups_to_know_the_account(browser, django_assert_num_queries):
    with django_assert_num_queries(2):
        browser.get("/styleguide/")


def test_a_prepared_look_up_keeps_what_never_differs(ben):
    def named(email: str):
        return User.objects.filter(email=email).values_list("pk", Value("100 % 'so'"))

    look_up = Prepared(named)
    assert look_up.first(email=ben.email) == (ben.pk, "100 % 'so'")
    assert look_up.first(email="nobody@example.org") is None


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_server_ended_is_replaced():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (ended,) = cursor.fetchone()
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [ended])
    other.close()
    close_old_connections()
    assert not User.objects.exists()


def test_sessions_that_ended_are_forgotten(browser, cleo, as_user):
    left(-1)
    assert is_let_in(as_user(cleo))
    clear_sessions()
    assert Session.objects.count() == 1
