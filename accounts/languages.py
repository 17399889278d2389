"""Languages of texts that people write: BCP 47 tags, of which the interface knows only some."""

import re
from collections.abc import Collection

from django.utils.translation import get_language_info

# A language, and what narrows it: script, region, variant, private use (RFC 5646, section 2.1).
_TAG = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8})*")
LONGEST_TAG = 35  # RFC 5646, section 4.4.1


def tag_of(written: str) -> str | None:
    """A tag in lower case with hyphens ("zh-hans"), also of "zh_Hans"; None: it is none."""
    tag = written.strip().lower().replace("_", "-")
    return tag if len(tag) <= LONGEST_TAG and _TAG.fullmatch(tag) else None


def spoken_for(wanted: str, spoken: Collection[str]) -> str:
    """The one of the languages `spoken` that who reads `wanted` is shown: that one, another form
    of it, English, or the first there is."""
    near = sorted(tag for tag in spoken if tag.split("-")[0] == wanted.split("-")[0])
    every = (wanted, *near, "en", *sorted(spoken))
    return next((tag for tag in every if tag in spoken), "")


def named(tag: str) -> str:
    """What a language calls itself, where that is known, or else its tag."""
    try:
        name: str = get_language_info(tag)["name_local"]
    except KeyError:
        return tag
    return name
