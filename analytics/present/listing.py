"""The items behind a mark, listed on a page of their own; the trail knows who saw which."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from accounts.gate import Request
from accounts.punctuation import listed
from analytics.items import page as items
from analytics.items.page import CaseList
from analytics.present.page import NoSuchPage
from analytics.present.viewing import Side, doubtful, switches, view_asked
from analytics.present.words import point_names
from analytics.ratings import matrices, slices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from annotation.actions.viewing import items_listed
from annotation.queries.studies import StudyAccess
from annotation.rubric.schema import Scored


@dataclass(frozen=True, kw_only=True)
class ListAsked:
    """A list of items as a reader asks for it, made from what the study holds now: the `choices` in the
    address, and which `page` of it. What there is not is NoSuchPage."""

    study_access: StudyAccess
    choices: Mapping[str, str]
    page: str

    @cached_property
    def view(self) -> View:
        return view_asked(self.choices)

    @cached_property
    def study(self) -> StudyRatings:
        return slices.read(self.study_access.study.pk, self.view.within)

    def judge(self, number: int) -> RaterColumn:
        return _known(number, self.study.judges)

    def person(self, number: int) -> RaterColumn:
        return _known(number, self.study.humans)

    def part(self, criterion: str, among: Iterable[Scored]) -> Scored:
        found = next((one for one in among if one.key == criterion), None)
        if found is None:
            raise NoSuchPage
        return found

    def table(self, criterion: str) -> Matrix:
        """What all raters gave."""
        return matrices.matrix(self.study, criterion, view=self.view)

    def words(self, criterion: str, values: Iterable[float]) -> str:
        """Values as people read them, without those that are missing."""
        given = [value for value in values if not np.isnan(value)]
        return listed(point_names(self.study.rubric, criterion, given))

    def address(self, page: str, *place: object, at: str | None = None, **more: str | None) -> str:
        """A page of this study for the same reader, `at` a part of it: with their choices and `more`,
        None for what is chosen no longer."""
        asked = {name: one for name, one in {**self.choices, **more}.items() if one is not None}
        return reverse(page, args=[self.study_access.study.key, *place], query=asked, fragment=at)

    def cases(
        self,
        found: Mapping[int, tuple[str, str]],
        first_name: str,
        second_name: str,
        *,
        is_ranked: bool = False,
    ) -> CaseList:
        """What two sides gave, {item id: (the first, the second)}, as far as this reader may see it."""
        return items.listed(
            self.study_access,
            found,
            first_name=first_name,
            second_name=second_name,
            page=self.page,
            is_ranked=is_ranked,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList:
    """The items behind a mark: which, in a heading and a sentence; where the mark stands, and what that
    page is called; and lists `beside` this one."""

    title: str
    says: str
    back: str
    back_to: str
    cases: CaseList
    beside: tuple[Side, ...] = ()


def item_list(
    request: Request,
    study_access: StudyAccess,
    made: Callable[[ListAsked], ItemList],
    template: str = "analytics/items_behind.html",
) -> HttpResponse:
    """The page of a list that is `made` as it is asked for."""
    choices = request.GET.dict()
    page = choices.pop("page", "1")
    listing = made(ListAsked(study_access=study_access, choices=choices, page=page))
    study = study_access.study.pk
    items_listed(study_id=study, items=listing.cases.shown, by=request.user, at=timezone.now())
    context = {
        "study_access": study_access,
        "listing": listing,
        "switches": switches(choices, doubtful(study)),
    }
    return render(request, template, context)


def _known(number: int, among: Iterable[RaterColumn]) -> RaterColumn:
    found = next((one for one in among if one.id == number), None)
    if found is None:
        raise NoSuchPage
    return found
