"""Whose ratings a file holds: raters that are known, or made for it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accounts.models import User
from annotation.actions.imports.refusals import CannotImport
from annotation.models import (
    Item,
    Membership,
    Origin,
    Rater,
    RaterKind,
    Study,
    Submission,
    TeamRole,
)
from annotation.readers.names import is_named_as_llm
from annotation.rubric.sentences import sentence

_PART = re.compile(r"[a-z]+|\d+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterGiven:
    """The rater of a whole file; what is None stays as it is, or is taken from the file.

    `key` is "" where each row names its rater: then `kind` is that of all of them but `judges`.
    """

    key: str = ""
    judges: Collection[str] = ()
    name: str | None = None
    kind: RaterKind | None = None
    own_generators: Sequence[str] | None = None


class Raters:
    """The raters of a file, made where they are new; `by` None is the server's own console.

    `new` are those that were made, `llms_as_people` those of them who are people though they are
    called as an LLM is, and nobody has said so. `called_alike` are keys that differ by case, signs or
    leading noughts alone. `redescribed` counts those whose name or own sources change.
    """

    def __init__(
        self, study: Study, given: RaterGiven | None, *, kind_in_file: str | None, by: User | None
    ) -> None:
        self._study = study
        self._by = by
        self._given = given or RaterGiven()
        self._kind = RaterKind(kind_in_file) if kind_in_file else None
        self._ids: dict[str, int] = {}
        self.new: list[Rater] = []
        self.redescribed = 0
        if self._given.key:
            self.id_of(self._given.key)

    @property
    def count(self) -> int:
        return len(self._ids)

    @property
    def known(self) -> list[str]:
        """Those of the file who had ratings here before it."""
        return sorted(self._ids.keys() - {one.key for one in self.new})

    @property
    def without_family(self) -> list[str]:
        """Judges of whom nobody has said which of the study's sources are their own."""
        if not _generators(self._study):
            return []
        judges = Rater.objects.filter(pk__in=self._ids.values(), kind=RaterKind.JUDGE)
        return sorted(judges.filter(own_generators=[]).values_list("key", flat=True))

    @property
    def llms_as_people(self) -> list[str]:
        new = (one.key for one in self.new if one.kind == RaterKind.HUMAN)
        return sorted(filter(is_named_as_llm, new)) if self._given.kind is None else []

    @property
    def called_alike(self) -> list[tuple[str, ...]]:
        """Of new raters and those who came into the study before, whoever may be one and the same."""
        imports = Submission.objects.filter(study=self._study, origin=Origin.IMPORT)
        there = Rater.objects.filter(pk__in=imports.values("rater"))
        alike: dict[tuple[str, ...], set[str]] = {}
        for key in {*self._ids, *there.values_list("key", flat=True)}:
            alike.setdefault(_parts(key), set()).add(key)
        new = {_parts(one.key) for one in self.new}
        return sorted(tuple(sorted(alike[one])) for one in new if len(alike[one]) > 1)

    def check_judges(self) -> None:
        """CannotImport where the file has no ratings of one that was said to be a judge in it."""
        if strangers := sorted({*self._given.judges} - self._ids.keys()):
            raise CannotImport(
                sentence(
                    "The file has no ratings of “{key}”, which was said to be a judge in it.",
                    key=strangers[0][:60],
                )
            )

    def id_of(self, key: str) -> int:
        """The rater with this key; "" is the rater of the whole file."""
        key = key or self._given.key
        if key not in self._ids:
            kind = RaterKind.JUDGE if key in self._given.judges else self._given.kind
            self._ids[key] = self._made_as_given(replace(self._given, key=key, kind=kind))
        return self._ids[key]

    def _made_as_given(self, given: RaterGiven) -> int:
        rater = self._made(given)
        wanted = given.kind or self._kind
        if wanted is not None and rater.kind != wanted:
            raise CannotImport(
                sentence(
                    "These are the ratings of a {wanted}, and the rater “{key}” is a {kind}. "
                    "Take another key for the rater of this file.",
                    wanted=wanted.value,
                    key=given.key,
                    kind=rater.kind,
                )
            )
        changes: dict[str, Any] = {}
        if given.name is not None and rater.name != given.name:
            changes["name"] = given.name
        if given.own_generators is not None:
            self._check_generators(given.own_generators)
            if sorted(rater.own_generators) != sorted(given.own_generators):
                changes["own_generators"] = sorted(given.own_generators)
        if changes:
            self.redescribed += 1
            Rater.objects.filter(pk=rater.pk).update(**changes)
        return rater.pk

    def _made(self, given: RaterGiven) -> Rater:
        rater, is_new = Rater.objects.get_or_create(
            key=given.key,
            defaults={
                "name": given.name or given.key,
                "kind": given.kind or self._kind or RaterKind.HUMAN,
            },
        )
        if is_new:
            self.new.append(rater)
        given_by = Submission.objects.filter(rater=rater)
        came_in = is_new or given_by.filter(origin=Origin.IMPORT).exists()
        # Who is known and has no import is to rate here: a judge whose first answer is on its way.
        if rater.user_id or not came_in or given_by.exclude(origin=Origin.IMPORT).exists():
            raise CannotImport(
                sentence(
                    "“{key}” rates in Concord itself, and imported ratings would mix with that. "
                    "Take another key for the rater of this file.",
                    key=given.key,
                )
            )
        if self._rates_for_strangers(rater):
            raise CannotImport(
                sentence(
                    "The key “{key}” belongs to a rater of another study. Take another key for "
                    "the rater of this file.",
                    key=given.key,
                )
            )
        return rater

    def _rates_for_strangers(self, rater: Rater) -> bool:
        """Does the rater, whose name is the same everywhere, rate in a study of somebody else?"""
        if self._by is None:
            return False
        own = Membership.objects.filter(user=self._by, roles__contains=[TeamRole.COORDINATOR])
        elsewhere = Submission.objects.filter(rater=rater).exclude(study=self._study)
        return elsewhere.exclude(study__in=own.values("study")).exists()

    def _check_generators(self, named: Sequence[str]) -> None:
        known = _generators(self._study)
        if strangers := sorted(set(named) - known):
            raise CannotImport(
                sentence(
                    "No reply of the study is by “{source}”. Its sources are: {sources}.",
                    source=strangers[0],
                    sources=", ".join(sorted(known)) or "none",
                )
            )


def _parts(key: str) -> tuple[str, ...]:
    """Words and numbers of a key, as they are in “Rater-1”, “rater_01” and “rater1”."""
    return tuple(part.lstrip("0") or "0" for part in _PART.findall(key.casefold()))


def _generators(study: Study) -> set[str]:
    found = Item.objects.filter(study=study).exclude(generator="")
    return set(found.values_list("generator", flat=True).distinct())
