"""What criteria and raters are called, by people and by programs, and where pages about them are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from analytics.present.tables import Plain, Table
from analytics.ratings import blinding, juries
from annotation.models import Rater, RaterKind
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric


class Named(Protocol):
    """A rater as figures know it."""

    @property
    def id(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """`study`, `values` and the slice that a page is `within` are of the addresses that it leads to;
    paper leads nowhere."""

    rubric: Rubric
    raters: Mapping[int, Plain]
    study: str = ""
    values: str = ""
    within: str = ""

    def criterion(self, key: str) -> Plain:
        name = next((part.name for part in self.rubric.scored if part.key == key), None)
        return Plain(said(name) if name else _("Every criterion"), key)

    def rater(self, number: int) -> Plain:
        return self.raters[number]

    def link(
        self, page: str, query: Mapping[str, str | Sequence[str]] | None = None, **place: object
    ) -> str:
        """The address of a page of this study, with the reader's choice of values and slice."""
        if not self.study:
            return ""
        kept = {"values": self.values, "slice": self.within}
        asked = dict(query or {}) | {name: value for name, value in kept.items() if value}
        address = reverse(page, kwargs={"key": self.study, **place})
        return f"{address}?{urlencode(asked, doseq=True)}" if asked else address

    def file(self, part: str, table: Table, kind: str, asked: Mapping[str, str]) -> str:
        """The address of a table of a part, as far as it is chosen, as a file."""
        place = {"part": part, "table": table.key, "kind": kind}
        chosen: dict[str, str | list[str]] = dict(asked)
        for name in dict.fromkeys(name for name, _value in table.chosen):
            chosen[name] = [value for one, value in table.chosen if one == name]
        return self.link("agreement_figures_file", chosen, **place)


class _AlsoOfOthers(dict[int, Plain]):
    """Names by raters, those of the figures of one part. Other parts are of another revision, and
    may know whom that one does not know yet, or does no longer: they are `called` as on pages."""

    def __init__(self, names: Mapping[int, Plain], called: Callable[[int], str] | None) -> None:
        super().__init__(names)
        self._called = called

    def __missing__(self, rater: int) -> Plain:
        self[rater] = _called_now([rater], self._called)[rater]
        return self[rater]


def of_raters(rubric: Rubric, raters: Iterable[Named]) -> Naming:
    """For paper: these raters, as the figures name them."""
    return Naming(rubric=rubric, raters=_names(raters))


def of_parts(
    rubric: Rubric, raters: Iterable[Named], *, called: Callable[[int], str] | None = None
) -> Naming:
    """For tables of several parts: these raters, as the figures of one name them."""
    return Naming(rubric=rubric, raters=_AlsoOfOthers(_names(raters), called))


def _names(raters: Iterable[Named]) -> dict[int, Plain]:
    return {one.id: Plain(one.name, one.key) for one in raters}


def of_page(
    rubric: Rubric,
    raters: Iterable[int],
    *,
    study: str,
    values: str,
    within: str = "",
    called: Callable[[int], str] | None = None,
) -> Naming:
    """For a page: these raters, as they are called now; people, who have other ids for who sees no
    single raters, as they are `called` by those; judges by their letters while they are blinded."""
    names = _AlsoOfOthers(_called_now(list(raters), called), called)
    return Naming(rubric=rubric, raters=names, study=study, values=values, within=within)


def _called_now(raters: Sequence[int], called: Callable[[int], str] | None) -> dict[int, Plain]:
    drawn = {pk: blinding.alias(pk) for pk in raters if blinding.is_alias(pk)}
    drawn_or_seated: dict[int, Named] = {**drawn, **juries.numbered(raters)}
    known = Rater.objects.filter(pk__in=raters)
    if called:
        known = known.filter(kind=RaterKind.JUDGE)
    found = {pk: Plain(name, key) for pk, name, key in known.values_list("pk", "name", "key")}
    found |= {pk: Plain(one.name, one.key) for pk, one in drawn_or_seated.items()}
    people = (
        {pk: Plain(called(pk), called(pk)) for pk in raters if pk not in found} if called else {}
    )
    return found | people
