"""The agreement is written in the languages of who publishes it: one or more, any of them."""

import json

import pytest
from django.utils import timezone

from accounts import editions
from accounts.actions import terms
from accounts.models import Event, Terms, TermsAcceptance
from accounts.receipts.verify_receipt import is_sealed
from tests.accounts.conftest import sign

GERMAN = """
title_de = "Vertraulichkeit"
valid_days = 30
[[clauses]]
heading_de = "Stillschweigen"
text_de = "Behalte alles\\nfür dich."
"""
WITH_THAI = """
title_th = "ความลับ"
title_en = "Quiet"
valid_days = 30
[[clauses]]
heading_en = "Quiet"
text_en = "Keep it to yourself."
heading_th = "ความลับ"
text_th = "เก็บไว้\\nกับตัว"
"""
SIGNATURE = {"typed_name": "Eli", "affiliation": "Hill University", "agree": "on"}


@pytest.fixture
def publish(tmp_path, db):
    def published(text: str) -> Terms:
        file = tmp_path / "terms.toml"
        file.write_text(text, encoding="utf-8")
        return terms.publish(edition=editions.read(file), by=None, at=timezone.now())[0]

    return published


def test_an_edition_in_one_language_is_shown_in_it_and_says_so(as_user, eli, publish):
    publish(GERMAN)
    page = as_user(eli).get("/access/sign/", headers={"accept-language": "zh-hans"})
    text = page.content.decode()
    assert 'lang="de"' in text
    assert "Behalte alles für dich." in text
    assert "Deutsch" in text  # which language it is shown in
    assert Event.objects.get(verb="terms.shown").facts == {"language": "de"}


def test_the_language_that_was_read_is_signed(as_user, eli, publish):
    in_force = publish(WITH_THAI)
    browser = as_user(eli)
    page = browser.get("/access/sign/", headers={"accept-language": "en"}).content.decode()
    assert 'href="?in=th"' in page
    assert "Keep it to yourself." in page
    page = browser.get("/access/sign/?in=th", headers={"accept-language": "en"}).content.decode()
    assert "เก็บไว้กับตัว" in page
    assert "not written in your language" not in page
    form = SIGNATURE | {"number": in_force.number, "language": "th"}
    assert browser.post("/access/sign/", form).status_code == 302
    signature = TermsAcceptance.objects.get(user=eli)
    assert signature.text().startswith("ความลับ\n\n## 1. ความลับ\n\nเก็บไว้กับตัว\n\n---\n")
    assert "\nlanguage: th\n" in signature.text()
    receipt = json.loads(browser.get(f"/access/receipts/{signature.pk}/signed/").content)
    key, seal = bytes.fromhex(receipt["key"]), bytes.fromhex(receipt["seal"])
    assert is_sealed(receipt["text"].encode(), key=key, seal=seal)


def test_a_language_that_it_is_not_in_is_not_signed(as_user, eli, publish):
    in_force = publish(GERMAN)
    form = SIGNATURE | {"number": in_force.number, "language": "en"}
    answer = as_user(eli).post("/access/sign/", form)
    assert answer.status_code == 422
    assert "not written in that language" in answer.content.decode()
    assert not TermsAcceptance.objects.exists()


@pytest.mark.parametrize("asked", ["?in=", "?in=%00", "?in=xx", "?in=" + "a-" * 99])
def test_what_names_no_language_of_it_falls_back(as_user, eli, publish, asked):
    publish(WITH_THAI)
    page = as_user(eli).get("/access/sign/" + asked, headers={"accept-language": "en"})
    assert page.status_code == 200
    assert "Keep it to yourself." in page.content.decode()


def test_the_shipped_edition_has_the_fingerprint_that_it_was_published_under():
    edition = editions.read(editions.SHIPPED / "2026-11.toml")
    assert edition.sha256 == "9494646e8a6abd3c86a3ef18761ab6eb36cf3dba385f3718918023631ceaf4fe"


def test_what_was_signed_before_is_the_same_to_the_byte(eli):
    """Its row is as the first editions are: with its texts in columns of their own."""
    first = Terms.objects.get()
    assert first.texts == {}
    signature = sign(eli)
    assert signature.text().startswith(
        "Confidentiality\n\nKeep what you read here to yourself.\n\n---\nedition: 1\n"
    )
    assert first.languages == ("en", "zh-hans")
    assert signature.computed_sha256() == signature.text_sha256
