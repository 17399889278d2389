"""Every sentence on a screen exists in Simplified Chinese."""

import re

import pytest

from config import translations

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%[sd]")


@pytest.fixture(scope="module")
def catalogue():
    return translations.catalogue()


def strings_of(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)


@pytest.mark.parametrize(
    "where", [translations.in_python, translations.in_templates, translations.in_statistics]
)
def test_every_string_is_translated(catalogue, where):
    found = list(where())
    missing = set()
    for one in found:
        message = catalogue.get(one.message, one.context)
        if message is None or message.fuzzy or not all(strings_of(message)):
            missing.add(f"{one.file}: {one.message!r}")
    assert len(found) > 20, "the strings of the screens were not found"
    assert not missing, "Not in the Chinese catalogue:\n" + "\n".join(sorted(missing))


def test_a_translation_has_no_placeholder_that_its_source_lacks(catalogue):
    wrong = []
    for message in catalogue:
        sources = message.id if isinstance(message.id, tuple) else (message.id,)
        known = {name for source in sources for name in PLACEHOLDER.findall(source)}
        for string in strings_of(message):
            if message.id and set(PLACEHOLDER.findall(string)) - known:
                wrong.append(message.id)
    assert not wrong


class Anything:
    """What a template hands to a translation: whatever it asks for."""

    def __getitem__(self, name: str) -> int:
        return 1


def test_a_translation_in_a_template_can_be_filled_in(catalogue):
    """Where it cannot, Django shows the English without a word: a percent sign is written %%."""
    wrong = set()
    for found in translations.in_templates():
        message = catalogue.get(found.message, found.context)
        for string in strings_of(message) if message else ():
            try:
                string % Anything()
            except (TypeError, ValueError):
                wrong.add(found.message)
    assert not wrong


def test_the_catalogue_compiles(catalogue):
    """A percent sign before a letter reads as a placeholder: write it otherwise in the source."""
    assert [message.id for message, errors in catalogue.check() if errors] == []
