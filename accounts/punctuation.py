"""How words are strung together in the language of the page: Chinese has marks of its own.

Templates take the same marks from the catalogue: `{% translate ": " %}`, `names|join:_(", ")`.
"""

import re
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

OF_ALLAUTH = (  # whose own Chinese has marks and words of English
    gettext_noop("Enter your password:"),
    gettext_noop("Already have an account? Then please %(link)ssign in%(end_link)s."),
    gettext_noop("Hello from %(site_name)s!"),
    gettext_noop(
        "If you do not recognize this change then please take proper security precautions "
        "immediately. The change to your account originates from:\n\n- IP address: %(ip)s\n- Browser: "
        "%(user_agent)s\n- Date: %(timestamp)s"
    ),
    gettext_noop("Please Confirm Your Email Address"),
    gettext_noop("Email Changed"),
    gettext_noop("Email Confirmation"),
    gettext_noop("Your email has been confirmed."),
    gettext_noop("Email Removed"),
    gettext_noop("Email address %(deleted_email)s has been removed from your account."),
    gettext_noop("Email Addresses"),
    gettext_noop("Email Address"),
    gettext_noop("The following email addresses are associated with your account:"),
    gettext_noop("Current email"),
    gettext_noop("Add Email Address"),
    gettext_noop("Add Email"),
    gettext_noop("Change Email"),
    gettext_noop("Confirm Email Address"),
    gettext_noop("Verify Your Email Address"),
    gettext_noop("Do you really want to remove the selected email address?"),
    gettext_noop("You have confirmed %(email)s."),
    gettext_noop("Removed email address %(email)s."),
    gettext_noop("Primary email address set."),
    gettext_noop("Re-send Verification"),
    gettext_noop(
        "You cannot activate two-factor authentication until you have verified your email address."
    ),
)

_NO_SPACE = re.compile(r"(?<=[。；：，！？]) +|(?<=[\u2e80-\uffef]) +(?=[\u2e80-\uffef])")


def running(parts: Iterable[str]) -> str:
    """Sentences or words one after the other, in Chinese without spaces."""
    return _NO_SPACE.sub("", " ".join(parts))


def listed(names: Iterable[str]) -> str:
    """Names or values, side by side."""
    return _(", ").join(names)


def clauses(parts: Iterable[str]) -> str:
    """Words that are no list: the second says more of the first."""
    return pgettext("between clauses", ", ").join(parts)


def in_turn(parts: Iterable[str]) -> str:
    """Parts of a sentence that may hold lists."""
    return _("; ").join(parts)


def labelled(label: object, words: object) -> str:
    """What a label stands before."""
    return f"{label}{_(': ')}{words}"


def bracketed(words: object, aside: object) -> str:
    """Words with an aside to them."""
    return _("%(words)s (%(aside)s)") % {"words": words, "aside": aside}


def headed(title: object, words: object) -> str:
    """A title that goes on as text."""
    return f"{title}{_('. ')}{words}"
