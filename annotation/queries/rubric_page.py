"""A rubric as its page tells it: every text, its languages side by side."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.translation import get_language_info, gettext

from annotation.queries.severities import SeverityShown, severity_shown
from annotation.queries.wording import said
from annotation.rubric.grounds import IN_WORDS
from annotation.rubric.languages import languages_of, untranslated
from annotation.rubric.schema import (
    Criterion,
    Node,
    Option,
    Rubric,
    Scale,
    Shown,
    Taxonomy,
    Text,
)
from annotation.rubric.taxonomy import after


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language of a rubric; `tag` is its BCP 47 tag, as `key` is in the rubric."""

    key: str
    tag: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One text, in each language of the rubric; "" where that has none. A `deep` one belongs to
    the choice above it."""

    what: str
    words: tuple[tuple[Language, str], ...]
    is_deep: bool = False
    severity: SeverityShown | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricPart:
    """A part of a rubric under a heading of its own; `beside` is what raters may say beside the value."""

    key: str
    name: str
    lines: tuple[TextLine, ...]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricRead:
    """A rubric to be read, with what it does not say in some of its languages."""

    title: str
    languages: tuple[Language, ...]
    parts: tuple[RubricPart, ...]
    missing: tuple[tuple[str, str], ...]


def rubric_read(rubric: Rubric) -> RubricRead:
    """All that a rubric says, in the order in which it asks."""
    languages = tuple(_language(key) for key in languages_of(rubric))
    parts = [
        _part("rubric", gettext("All criteria"), languages, _head(rubric)),
        *(
            replace(
                _part(criterion.key, said(criterion.name), languages, _lines(rubric, criterion)),
                beside=tuple(said(IN_WORDS[ground]) for ground in criterion.grounds),
            )
            for criterion in rubric.criteria
        ),
    ]
    if rubric.groups:
        named = [RubricLine(group.key, group.name, is_deep=False) for group in rubric.groups]
        parts.append(_part("groups", gettext("Derived scores"), languages, iter(named)))
    return RubricRead(
        title=said(rubric.title),
        languages=languages,
        parts=tuple(parts),
        missing=tuple((gap.place, _language(gap.language).name) for gap in untranslated(rubric)),
    )


class RubricLine(NamedTuple):
    """A text and what it is, before it is said in any language."""

    what: str
    text: Text
    is_deep: bool
    severity: SeverityShown | None = None


def _head(rubric: Rubric) -> Iterator[RubricLine]:
    yield RubricLine(gettext("Title"), rubric.title, is_deep=False)
    yield RubricLine(gettext("Instructions"), rubric.instructions, is_deep=False)


def _lines(rubric: Rubric, criterion: Criterion) -> Iterator[RubricLine]:
    yield RubricLine(gettext("Name"), criterion.name, is_deep=False)
    if isinstance(criterion, Scale):
        if walk := rubric.walk_of(criterion):
            yield RubricLine(
                gettext("Nobody is asked: it follows from the answers to"), walk.name, is_deep=False
            )
        yield from _of_scale(criterion)
    else:
        yield from _of_taxonomy(rubric, criterion)


def _of_scale(scale: Scale) -> Iterator[RubricLine]:
    yield RubricLine(gettext("Question"), scale.question, is_deep=False)
    yield RubricLine(gettext("Help"), scale.help, is_deep=False)
    for point in scale.points:
        yield RubricLine(str(point.value), point.anchor, is_deep=False)
        yield from _shown(point.shown)


def _of_taxonomy(rubric: Rubric, taxonomy: Taxonomy) -> Iterator[RubricLine]:
    for number, node in enumerate(taxonomy.nodes, start=1):
        question = gettext("Question %(number)s") % {"number": number}
        about = rubric.criterion(node.dimension) if node.dimension else None
        head = f"{question} · {said(about.name)}" if about else question
        yield RubricLine(head, node.question, is_deep=False)
        yield RubricLine(gettext("Help"), node.help, is_deep=True)
        for option in node.options:
            leads_to = f"→ {_leads_to(taxonomy, node, option)}"
            severity = (
                severity_shown(about, about.walked, option.severity)
                if isinstance(about, Scale) and about.walked and option.severity is not None
                else None
            )
            yield RubricLine(leads_to, option.text, is_deep=True, severity=severity)
    for label in taxonomy.labels:
        yield RubricLine(f"{label.code}", label.name, is_deep=False)
        yield RubricLine(gettext("Definition"), label.definition, is_deep=True)
        yield from _shown(label.shown)


def _leads_to(taxonomy: Taxonomy, node: Node, option: Option) -> str:
    if option.label is not None:
        return said(taxonomy.label(option.label).name)
    onward = after(taxonomy, node, option)
    if not taxonomy.is_graph or onward is None:
        return gettext("the next question")
    return gettext("Question %(number)s") % {"number": taxonomy.nodes.index(onward) + 1}


def _shown(shown: Shown) -> Iterator[RubricLine]:
    yield RubricLine(gettext("For example:"), shown.example, is_deep=True)
    yield RubricLine(gettext("But not:"), shown.non_example, is_deep=True)


def _part(
    key: str, name: str, languages: tuple[Language, ...], lines: Iterator[RubricLine]
) -> RubricPart:
    return RubricPart(
        key=key,
        name=name,
        lines=tuple(
            TextLine(
                what=line.what,
                words=tuple((one, dict(line.text.words).get(one.key, "")) for one in languages),
                is_deep=line.is_deep,
                severity=line.severity,
            )
            for line in lines
            if line.text
        ),
    )


def _language(key: str) -> Language:
    tag = key.replace("_", "-")
    try:
        name = get_language_info(tag)["name_local"]
    except KeyError:
        name = tag
    return Language(key=key, tag=tag, name=name)
