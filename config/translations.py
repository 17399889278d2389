"""The strings of screens, and the catalogue that has them in Simplified Chinese.

python -m config.translations     add new strings to the catalogue and drop those no longer used
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation import templatize

from analytics.stats.estimates import Note
from analytics.stats.reasons import LineReason

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
APPS = ["accounts", "annotation", "judging", "analytics", "config"]
SINGLE = {"_", "gettext", "gettext_lazy", "gettext_noop", "sentence", "mistaken"}
PLURAL = {"ngettext", "ngettext_lazy"}
CONTEXTUAL = {"pgettext", "pgettext_lazy"}
LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
CALL = re.compile(rf"(n?p?gettext|\b_)\(({LITERAL}(?:\s*,\s*{LITERAL})*)")


class Found(NamedTuple):
    """A string to translate and where it stands."""

    file: Path
    message: str
    plural: str | None = None
    context: str | None = None

    @property
    def id(self) -> str | tuple[str, str]:
        return (self.message, self.plural) if self.plural else self.message


def in_python() -> Iterator[Found]:
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            yield from _calls_in(file.read_text(encoding="utf-8"), file.relative_to(ROOT))


def in_templates() -> Iterator[Found]:
    """Django rewrites a template as source for gettext; each call stands in it somewhere."""
    for file in sorted((ROOT / "templates").rglob("*.html")):
        for name, texts in CALL.findall(templatize(file.read_text(encoding="utf-8"))):
            yield from _calls_in(f"{name}({texts})", file.relative_to(ROOT))


def in_statistics() -> Iterator[Found]:
    """What a statistic or a verdict says of itself: the pure package knows no gettext."""
    for note in Note:
        yield Found(Path("analytics/stats/estimates.py"), note.sentence)
    for reason in LineReason:
        yield Found(Path("analytics/stats/verdicts.py"), reason.sentence)


def catalogue() -> Catalog:
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def update() -> int:
    """Rewrite the catalogue with the strings of today; return how many lack a translation."""
    known = catalogue() if CATALOGUE.exists() else Catalog(locale="zh_Hans")
    fresh = Catalog(locale="zh_Hans", project="Concord", charset="utf-8", fuzzy=False)
    for found in [*in_python(), *in_templates(), *in_statistics()]:
        old = known.get(found.message, found.context)
        fresh.add(found.id, old.string if old else "", context=found.context)
    CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
    with CATALOGUE.open("wb") as file:
        write_po(file, fresh, width=0, sort_output=True, omit_header=False)
    return sum(not message.string for message in fresh if message.id)


def _calls_in(source: str, file: Path) -> Iterator[Found]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        texts = [
            argument.value
            for argument in node.args
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        if name in SINGLE and texts:
            yield Found(file, texts[0])
        elif name in PLURAL and len(texts) > 1:
            yield Found(file, texts[0], plural=texts[1])
        elif name in CONTEXTUAL and len(texts) > 1:
            yield Found(file, texts[1], context=texts[0])


if __name__ == "__main__":
    settings.configure(USE_I18N=True)
    print(f"{update()} strings lack a translation: {CATALOGUE.relative_to(ROOT)}")
    sys.exit()
