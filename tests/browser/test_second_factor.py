"""A passkey, under the content security policy, in a real browser."""

import pytest
from allauth.account.models import EmailAddress

from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


def with_authenticator(page):
    """Give the browser a security key that always says yes."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_a_passkey_is_the_first_step_and_then_the_way_in(visitor, keep, settings, eli):
    settings.MFA_REQUIRED = True
    EmailAddress.objects.create(user=eli, email=eli.email, primary=True, verified=True)
    page = visitor()
    with_authenticator(page)
    page.goto("/accounts/login/")
    page.fill("[name=login]", eli.email)
    page.fill("[name=password]", PASSWORD)
    page.click("main form .button--primary")
    page.click("text=Set up a second factor")
    keep(page, "second-factor")
    page.click("a[href='/accounts/2fa/webauthn/add/']")
    page.fill("[name=password]", PASSWORD)
    page.click("main form .button--primary")
    page.fill("[name=name]", "My phone")
    page.check("[name=passwordless]")
    keep(page, "passkey-add")
    page.click("#mfa_webauthn_add")
    page.wait_for_url("**/accounts/2fa/recovery-codes/**")
    keep(page, "recovery-codes")

    page.goto("/access/")
    assert page.locator("a.button--primary").inner_text() == "Read and sign"
    page.click("[popovertarget=account-menu]")
    page.click("#account-menu button:has-text('Sign out')")
    page.wait_for_url("**/accounts/login/")

    page.click("#passkey_login")
    page.wait_for_url("**/access/")
    assert page.locator("a.button--primary").inner_text() == "Read and sign"
