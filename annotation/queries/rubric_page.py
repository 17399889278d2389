"""A rubric as its page tells it: every text, its languages side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import get_language_info, gettext

from annotation.queries.wording import said
from annotation.rubric.languages import languages_of, untranslated
from annotation.rubric.schema import Criterion, Rubric, Scale, Shown, Taxonomy, Text


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricPart:
    """A part of a rubric under a heading of its own."""

    key: str
    name: str
    lines: tuple[TextLine, ...]


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
            _part(criterion.key, said(criterion.name), languages, _lines(criterion))
            for criterion in rubric.criteria
        ),
    ]
    if rubric.groups:
        named = [(group.key, group.name, False) for group in rubric.groups]
        parts.append(_part("groups", gettext("Derived scores"), languages, iter(named)))
    return RubricRead(
        title=said(rubric.title),
        languages=languages,
        parts=tuple(parts),
        missing=tuple((gap.place, _language(gap.language).name) for gap in untranslated(rubric)),
    )


Line = tuple[str, Text, bool]


def _head(rubric: Rubric) -> Iterator[Line]:
    yield gettext("Title"), rubric.title, False
    yield gettext("Instructions"), rubric.instructions, False


def _lines(criterion: Criterion) -> Iterator[Line]:
    yield gettext("Name"), criterion.name, False
    yield from _of_scale(criterion) if isinstance(criterion, Scale) else _of_taxonomy(criterion)


def _of_scale(scale: Scale) -> Iterator[Line]:
    yield gettext("Question"), scale.question, False
    yield gettext("Help"), scale.help, False
    for point in scale.points:
        yield str(point.value), point.anchor, False
        yield from _shown(point.shown)


def _of_taxonomy(taxonomy: Taxonomy) -> Iterator[Line]:
    for number, node in enumerate(taxonomy.nodes, start=1):
        yield gettext("Question %(number)s") % {"number": number}, node.question, False
        yield gettext("Help"), node.help, True
        for option in node.options:
            ends_at = taxonomy.label(option.label).name if option.label else None
            leads_to = said(ends_at) if ends_at else gettext("the next question")
            yield f"→ {leads_to}", option.text, True
    for label in taxonomy.labels:
        yield f"{label.code}", label.name, False
        yield gettext("Definition"), label.definition, True
        yield from _shown(label.shown)


def _shown(shown: Shown) -> Iterator[Line]:
    yield gettext("For example:"), shown.example, True
    yield gettext("But not:"), shown.non_example, True


def _part(
    key: str, name: str, languages: tuple[Language, ...], lines: Iterator[Line]
) -> RubricPart:
    return RubricPart(
        key=key,
        name=name,
        lines=tuple(
            TextLine(
                what=what,
                words=tuple((one, dict(text.words).get(one.key, "")) for one in languages),
                is_deep=is_deep,
            )
            for what, text, is_deep in lines
            if text
        ),
    )


def _language(key: str) -> Language:
    tag = key.replace("_", "-")
    try:
        name = get_language_info(tag)["name_local"]
    except KeyError:
        name = tag
    return Language(key=key, tag=tag, name=name)
