"""Reading and signing the agreement."""

import hashlib
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from accounts.access import AccessStep, access_of
from accounts.actions import terms as actions
from accounts.models import Event, TermsAcceptance
from tests.accounts.conftest import publish_another, sign
from tests.cast import PASSWORD

GOOD = {
    "language": "en",
    "typed_name": "Eli",
    "affiliation": "Hill University",
    "agree": "on",
}


def test_the_agreement_is_shown_in_the_readers_language(as_user, eli):
    page = as_user(eli).get("/access/sign/", headers={"accept-language": "zh-hans"})
    assert "请对所读内容保密" in page.content.decode()
    shown = Event.objects.get(verb="terms.shown")
    assert (shown.actor, shown.facts) == (eli, {"language": "zh-hans"})


def test_one_signs_the_language_one_read_whatever_another_tab_chose(as_user, eli, terms):
    browser = as_user(eli)
    text = browser.get("/access/sign/", headers={"accept-language": "zh-hans"}).content.decode()
    assert 'name="language" value="zh-hans"' in text
    form = GOOD | {"number": terms.number, "language": "zh-hans"}
    browser.post("/access/sign/", form, headers={"accept-language": "en"})
    assert TermsAcceptance.objects.get(user=eli).text().startswith(terms.title_zh_hans)


def test_a_signature_keeps_who_signed_what_and_when(as_user, eli, terms):
    answer = as_user(eli).post("/access/sign/", GOOD | {"number": terms.number})
    signature = TermsAcceptance.objects.get(user=eli)
    assert answer.url == f"/access/receipts/{signature.pk}/"
    assert (signature.typed_name, signature.affiliation) == ("Eli", "Hill University")
    assert signature.effective_until - signature.accepted_at == timedelta(days=365)
    assert Event.objects.get(verb="terms.signed").facts["sha256"] == signature.text_sha256


@pytest.mark.parametrize(
    "typed",
    ["eli", "  ELI ", "Ｅｌｉ", "\u3000eli\u00a0"],
    ids=["case", "spaces", "width", "blanks"],
)
def test_a_name_is_the_same_name_in_any_case_width_and_spacing(as_user, eli, terms, typed):
    as_user(eli).post("/access/sign/", GOOD | {"number": terms.number, "typed_name": typed})
    assert TermsAcceptance.objects.filter(user=eli).exists()


@pytest.mark.parametrize(
    "change",
    [
        {"typed_name": "Ely"},
        {"typed_name": ""},
        {"agree": ""},
        {"affiliation": ""},
        {"language": "fr"},
        {"number": "one"},
    ],
    ids=["another name", "no name", "no tick", "no affiliation", "no such language", "no number"],
)
def test_a_form_that_is_not_complete_signs_nothing(as_user, eli, terms, change):
    answer = as_user(eli).post("/access/sign/", GOOD | {"number": terms.number} | change)
    assert answer.status_code == 422
    assert not TermsAcceptance.objects.filter(user=eli).exists()


def test_who_read_an_edition_that_is_no_longer_in_force_reads_the_new_one(as_user, eli, terms):
    browser = as_user(eli)
    browser.get("/access/sign/")
    publish_another()
    answer = browser.post("/access/sign/", GOOD | {"number": terms.number})
    assert answer.status_code == 409
    assert "A new edition was published" in answer.content.decode()
    assert not TermsAcceptance.objects.filter(user=eli).exists()


def test_a_server_without_an_edition_lets_nobody_sign(as_user, django_user_model):
    zoe = django_user_model.objects.create_user("zoe@example.org", full_name="Zoe")
    browser = as_user(zoe)
    assert "No agreement has been published" in browser.get("/access/sign/").content.decode()
    assert browser.post("/access/sign/", GOOD | {"number": 1}).status_code == 422
    assert not TermsAcceptance.objects.exists()


def test_without_a_second_factor_nobody_signs_where_one_is_required(as_user, eli, settings):
    settings.MFA_REQUIRED = True
    assert as_user(eli).get("/access/sign/").url == "/access/"
    with pytest.raises(actions.CannotSign):
        sign(eli)


def test_a_suspended_account_signs_nothing(suspended):
    with pytest.raises(actions.CannotSign):
        sign(suspended)


def test_a_signature_leads_to_the_request(signed):
    assert access_of(signed, at=timezone.now()).missing == (AccessStep.REQUEST,)


def test_the_receipt_computes_to_the_same_fingerprint(as_user, signed):
    signature = signed.acceptances.get()
    browser = as_user(signed)
    file = browser.get(f"/access/receipts/{signature.pk}/text/")
    assert hashlib.sha256(file.content).hexdigest() == signature.text_sha256
    assert (
        signature.text_sha256 in browser.get(f"/access/receipts/{signature.pk}/").content.decode()
    )


def test_a_receipt_holds_when_the_account_changes_afterwards(signed):
    signed.full_name, signed.affiliation, signed.email = "Ellis", "Elsewhere", "ellis@example.org"
    signed.save()
    signature = TermsAcceptance.objects.get(user=signed)
    assert signature.computed_sha256() == signature.text_sha256


@pytest.mark.parametrize("reader", ["sam", "signed"])
def test_signer_and_steward_read_a_receipt(request, as_user, signed, reader):
    signature = signed.acceptances.get()
    page = as_user(request.getfixturevalue(reader)).get(f"/access/receipts/{signature.pk}/")
    assert page.status_code == 200


def test_nobody_else_reads_a_receipt(as_user, signed, ben):
    signature = signed.acceptances.get()
    assert as_user(ben).get(f"/access/receipts/{signature.pk}/").status_code == 404
    assert as_user(ben).get(f"/access/receipts/{signature.pk}/text/").status_code == 404


def test_earlier_editions_stay_readable(as_user, eli, terms):
    newer = publish_another()
    page = as_user(eli).get(f"/access/terms/{terms.number}/").content.decode()
    assert terms.title_en in page
    assert f"/access/terms/{newer.number}/" in page
    assert as_user(eli).get("/access/terms/99/").status_code == 404


def test_signing_asks_who_it_is(eli, terms):
    EmailAddress.objects.create(user=eli, email=eli.email, primary=True, verified=True)
    browser = Client()
    browser.post("/accounts/login/", {"login": eli.email, "password": PASSWORD})
    answer = browser.post("/access/sign/", GOOD | {"number": terms.number})
    assert answer.url.startswith("/accounts/reauthenticate/")
    assert not TermsAcceptance.objects.filter(user=eli).exists()
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": "/access/sign/"})
    assert TermsAcceptance.objects.filter(user=eli).exists()
