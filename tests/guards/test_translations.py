"""Every sentence on a screen exists in Simplified Chinese."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils.translation import templatize

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
APPS = ["accounts", "annotation", "judging", "analytics", "config"]
SINGLE = {"_", "gettext", "gettext_lazy", "gettext_noop", "sentence"}
PLURAL = {"ngettext", "ngettext_lazy"}
CONTEXTUAL = {"pgettext", "pgettext_lazy"}
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%[sd]")


def calls_in(source: str):
    """The (context, message) pairs of every translating call in Python source."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if (name in SINGLE and texts) or (name in PLURAL and len(texts) >= 2):
            yield None, texts[0]
        elif name in CONTEXTUAL and len(texts) >= 2:
            yield texts[0], texts[1]


def calls_in_template(source: str):
    """Django rewrites a template as source for gettext; each call stands in a line of it."""
    for call in re.findall(r"n?p?gettext\((?:u?'(?:[^'\\]|\\.)*'|[^()])*\)", templatize(source)):
        yield from calls_in(re.sub(r",\s*count\)", ", 1)", call))


def python_strings():
    for app in APPS:
        for file in (ROOT / app).rglob("*.py"):
            for context, message in calls_in(file.read_text(encoding="utf-8")):
                yield file.relative_to(ROOT), context, message


def template_strings():
    for file in (ROOT / "templates").rglob("*.html"):
        for context, message in calls_in_template(file.read_text(encoding="utf-8")):
            yield file.relative_to(ROOT), context, message


@pytest.fixture(scope="module")
def catalogue():
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def translation_of(catalogue, message, context):
    found = catalogue.get(message, context) or catalogue.get(message.strip(), context)
    if found is None or found.fuzzy:
        return None
    strings = found.string if isinstance(found.string, tuple) else (found.string,)
    return strings if all(strings) else None


@pytest.mark.parametrize("strings", [python_strings, template_strings])
def test_every_string_is_translated(catalogue, strings):
    found = list(strings())
    missing = {
        f"{file}: {message!r}"
        for file, context, message in found
        if translation_of(catalogue, message, context) is None
    }
    assert len(found) > 50, "the strings of the screens were not found"
    assert not missing, "Not in the Chinese catalogue:\n" + "\n".join(sorted(missing))


def test_a_translation_keeps_the_placeholders_of_its_source(catalogue):
    wrong = []
    for message in catalogue:
        if not message.id:
            continue
        sources = message.id if isinstance(message.id, tuple) else (message.id,)
        wanted = {name for source in sources for name in PLACEHOLDER.findall(source)}
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        for string in strings:
            if set(PLACEHOLDER.findall(string)) - wanted:
                wrong.append(message.id)
    assert not wrong
