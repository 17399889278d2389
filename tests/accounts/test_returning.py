"""Where a button leads back to: pages of this site, by the way in which it was asked."""

import pytest
from django.test import RequestFactory

from accounts.views.returning import way_back

HERE = "https://testserver/studies/pond/"


@pytest.mark.parametrize(
    ("asked", "is_secure", "stays"),
    [
        ("/studies/pond/", True, True),
        (HERE, True, True),
        (HERE.replace("https", "http"), True, False),
        (HERE.replace("https", "http"), False, True),
        ("https://elsewhere.example/", True, False),
        ("", True, False),
        ("pond", True, False),
    ],
)
def test_a_page_that_was_asked_for_over_https_leads_back_over_nothing_else(asked, is_secure, stays):
    request = RequestFactory().post("/", {"next": asked}, secure=is_secure)
    assert way_back(request, otherwise="/home/") == (asked if stays else "/home/")
