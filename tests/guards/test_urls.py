"""Every URL of the server has a name and an audience; who enters where is in test_access_matrix.py."""

import pytest

from accounts.gate import MARKED_BY_NAME
from tests.cast import approved
from tests.guards.world import PAGES

# Opening a page to more than the approved is a decision: it is written down here as well.
OPEN_TO_ANYONE = {"first_run", "healthz", "home", "metrics", "readyz"}
OPEN_TO_SIGNED_IN = {
    *("access", "ask", "receipt", "receipt_text", "receipt_verifier", "sign", "signed_receipt"),
    *("styleguide", "terms", "copies", "copies_statement", "again", "again_there"),
}
OURS = [page for page in PAGES if not page.is_of_a_package]


def test_every_url_has_a_name():
    unnamed = [page for page in PAGES if page.name.endswith("None")]
    assert not unnamed, "Name every URL, so that the trail can say which page was refused."


def test_what_is_marked_by_name_exists():
    assert set(MARKED_BY_NAME) <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    ("audience", "names"), [("anyone", OPEN_TO_ANYONE), ("signed_in", OPEN_TO_SIGNED_IN)]
)
def test_only_what_is_listed_is_open(audience, names):
    assert {page.name for page in OURS if page.audience == audience} == names


def test_every_view_has_an_audience_that_the_gate_knows():
    assert {page.audience for page in PAGES} == {"anyone", "signed_in", "approved"}


def test_an_account_that_is_switched_off_is_a_visitor(as_user, terms):
    browser = as_user(approved("off", terms, is_active=False))
    assert browser.get("/access/").url.startswith("/accounts/login/")
