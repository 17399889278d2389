"""Under which letters judges stand in figures until their names are told (ADR 36).

What is computed from a blinded study never holds a name, a key or an id of a judge: not as it is
kept, and so on no page and in no file that is made of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from django.db.models import Min

from analytics.models import Jury
from analytics.ratings import juries
from annotation.models import Rater, RaterKind, Study, Submission
from annotation.rules.shuffling import shuffled

_FIRST = 2**52  # above every id of a row and every number of a pseudonym or a jury
_OF_JURIES = _FIRST + 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """What a judge is called instead: a number for figures, a key for addresses, a name."""

    id: int
    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """The aliases of a study's judges, by rater, and what sources are called, by name.

    Sources keep their names where no judge is left out on those of its own family.
    """

    judges: Mapping[int, Alias]
    sources: Mapping[str, str]


def is_alias(rater: int) -> bool:
    """Whether figures name a judge by this number and no row of the database does."""
    return rater >= _FIRST


def alias(number: int) -> Alias:
    """The alias with this number, in words that are the same in every language, as pseudonyms are."""
    kind, first = ("Jury", _OF_JURIES) if number >= _OF_JURIES else ("Judge", _FIRST)
    block, place = divmod(number - first, len(ascii_uppercase))
    letter = ascii_uppercase[place] + (str(block + 1) if block else "")
    return Alias(id=number, key=f"{kind.lower()}-{letter.lower()}", name=f"{kind} {letter}")


def cover_of(study_id: int) -> Cover | None:
    """What judges are called in the figures of a study; None once their names are told.

    Letters are drawn, and stay: a judge that comes later takes one that is left. Juries have letters
    of their own, which say nothing of their members.
    """
    study = Study.objects.get(pk=study_id)
    if not study.judges_are_blinded:
        return None
    given = Submission.objects.filter(study=study, rater__kind=RaterKind.JUDGE)
    judges = list(
        given.values("rater")
        .annotate(first=Min("pk"))
        .order_by("first")
        .values_list("rater", flat=True)
    )
    named = [juries.number_of(jury) for jury in Jury.objects.filter(study=study).order_by("pk")]
    return Cover(
        judges=_lettered(judges, _FIRST, f"judges:{study.release_key}")
        | _lettered(named, _OF_JURIES, f"juries:{study.release_key}"),
        sources=_sources(study, judges),
    )


def _lettered(raters: Sequence[int], first: int, seed: str) -> dict[int, Alias]:
    """{rater: its alias}, in the order in which they came."""
    letters = shuffled(range(len(ascii_uppercase)), seed)
    return {
        rater: alias(first + len(letters) * (place // len(letters)) + letters[place % len(letters)])
        for place, rater in enumerate(raters)
    }


def hides_sources(study_id: int) -> bool:
    """Whether a slice by source would show which judge is left out on it."""
    cover = cover_of(study_id)
    return cover is not None and bool(cover.sources)


def _sources(study: Study, judges: Iterable[int]) -> dict[str, str]:
    found = Rater.objects.filter(pk__in=list(judges)).values_list("own_generators", flat=True)
    if not any(found):
        return {}
    names = sorted(set(study.items.exclude(generator="").values_list("generator", flat=True)))
    drawn = shuffled(range(len(names)), f"sources:{study.release_key}")
    return {names[place]: f"Source {number}" for number, place in enumerate(drawn, start=1)}
