"""What the page of juries shows: those of a study, those that ended, and one that is thought of."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from analytics.juries import tables
from analytics.juries.numbers import JuryLine, of_juries
from analytics.juries.proposing import BLINDED_JURIES, Proposal, candidates
from analytics.juries.words import said_chosen, said_jury
from analytics.models import Jury
from analytics.present.grid import Grid, grid
from analytics.present.naming import Named, Naming, of_raters
from analytics.present.tables import Table
from analytics.ratings import matrices
from analytics.ratings.blinding import cover_of
from analytics.ratings.juries import number_of
from analytics.ratings.matrices import PLAIN
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryShown:
    """A jury as the page lists it. While judges are blinded it stands under its letter, as its own
    name may tell of its members, and nothing else is told of these."""

    jury: Jury
    name: str
    how: str
    chosen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thought:
    """A jury that has no name yet, as tables name raters."""

    id: int
    key: str
    name: str


@dataclass(frozen=True, kw_only=True)
class JuriesPage:
    """The juries of a study, and one that is only looked at."""

    study_access: StudyAccess
    proposal: Proposal | None = None

    @property
    def is_blinded(self) -> bool:
        return self.study_access.study.judges_are_blinded

    @property
    def can_be_named(self) -> bool:
        """Whether this account can name a jury now: two judges were asked here, or rated."""
        if self.is_blinded or not self.study_access.may_coordinate:
            return False
        return candidates(self.study_access.study).count() > 1

    @property
    def why_not_now(self) -> str:
        return said(BLINDED_JURIES) if self.is_blinded else ""

    @cached_property
    def juries(self) -> list[JuryShown]:
        return [self._shown(one) for one in self._all if one.ended_at is None]

    @cached_property
    def ended(self) -> list[JuryShown]:
        return [self._shown(one) for one in self._all if one.ended_at is not None]

    @cached_property
    def answers(self) -> Grid | None:
        """How those in force come to their answers."""
        return self._grid(tables.answers(self._lines, self._naming))

    @cached_property
    def weights(self) -> Grid | None:
        return self._grid(tables.weights(self._lines, self._naming))

    @property
    def proposed_answers(self) -> Grid | None:
        return self._grid(self._of_proposal(tables.answers), prefix="proposed")

    @property
    def proposed_weights(self) -> Grid | None:
        return self._grid(self._of_proposal(tables.weights), prefix="proposed")

    @property
    def proposed(self) -> list[Table]:
        """The same tables as programs get them, where they have lines."""
        both = [self._of_proposal(tables.answers), self._of_proposal(tables.weights)]
        return [one for one in both if one and one.lines]

    @property
    def proposed_chosen(self) -> str:
        return said_chosen(self.proposal.n_seen) if self.proposal else ""

    def _of_proposal(self, made: Callable[[Sequence[JuryLine], Naming], Table]) -> Table | None:
        if self.proposal is None:
            return None
        thought = _Thought(id=0, key="", name=self.proposal.name)
        return made(self.proposal.lines, self._named([thought]))

    @cached_property
    def _all(self) -> list[Jury]:
        found = Jury.objects.filter(study=self.study_access.study)
        return list(found.select_related("named_by", "ended_by").order_by("-pk"))

    @cached_property
    def _ratings(self) -> matrices.StudyRatings:
        return matrices.read(self.study_access.study.pk)

    @cached_property
    def _lines(self) -> list[JuryLine]:
        return list(of_juries(self._ratings, view=PLAIN))

    @property
    def _naming(self) -> Naming:
        return self._named(self._ratings.raters)

    def _named(self, raters: Iterable[Named]) -> Naming:
        return of_raters(self.study_access.study.rubric_version.content, raters)

    @cached_property
    def _cover(self) -> dict[int, str]:
        """What juries are called while judges are blinded."""
        cover = cover_of(self.study_access.study.pk)
        return {number: one.name for number, one in cover.judges.items()} if cover else {}

    def _shown(self, jury: Jury) -> JuryShown:
        return JuryShown(
            jury=jury,
            name=self._cover.get(number_of(jury), jury.name),
            how="" if self.is_blinded else said_jury(jury),
            chosen=said_chosen(jury.n_seen),
        )

    def _grid(self, of: Table | None, prefix: str = "") -> Grid | None:
        if of is None or not of.lines:
            return None
        return grid(replace(of, key=f"{prefix}{of.key}"), by_page=not prefix)
