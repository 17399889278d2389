"""How words are strung together in the language of the page: Chinese has marks of its own.

Templates take the same marks from the catalogue: `{% translate ": " %}`, `names|join:_(", ")`.
"""

import re
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

OF_ALLAUTH = gettext_noop("Enter your password:")  # its own Chinese ends in a mark of English

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
