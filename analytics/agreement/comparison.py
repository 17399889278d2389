"""What the page of one comparison shows: its statistics, which values meet, and by question."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from analytics.agreement import tables, words
from analytics.agreement.detail import as_asked
from analytics.agreement.page import AgreementPage
from analytics.comparisons.kinds import Comparison
from analytics.present.grid import Grid
from analytics.present.page import Choice, NoSuchPage, choices
from analytics.present.places import ComparisonPlace, comparison_at, place_of
from analytics.present.tables import Table
from analytics.present.veil import Veil, veiled_ratings
from analytics.present.words import who
from analytics.ratings import slices
from analytics.ratings.matrices import StudyRatings


@dataclass(frozen=True, kw_only=True)
class ComparisonPage(AgreementPage):
    """One comparison; with an `interval_kind` all its statistics are computed now, else those that
    suit it are shown as they are kept."""

    study_id: int
    veil: Veil | None
    comparison: Comparison
    interval_kind: str

    @property
    def asked(self) -> Mapping[str, str]:
        return {"intervals": self.interval_kind} if self.interval_kind else {}

    @property
    def who(self) -> str:
        return who(self.comparison, self.report)

    @property
    def place(self) -> ComparisonPlace:
        return place_of(self.comparison)

    @property
    def address(self) -> str:
        return "/".join(self.place)

    @property
    def criterion_address(self) -> str:
        return self.naming.link("agreement_criterion", criterion=self.criterion)

    @property
    def items_address(self) -> str:
        return self.naming.link("agreement_comparison_items", **self.place._asdict())

    @property
    def table_address(self) -> str:
        """Of the file with the ratings behind it."""
        return self.naming.link("agreement_table", **self.place._asdict())

    @property
    def choices(self) -> list[Choice]:
        """Which statistics there can be, and how their intervals can be made."""
        return choices(words.INTERVALS.items(), self.interval_kind)

    @property
    def is_f_based(self) -> bool:
        return self.interval_kind == "f"

    @property
    def own_items(self) -> str:
        return words.own_items(self.comparison)

    @cached_property
    def _ratings(self) -> StudyRatings:
        found = slices.read(self.study_id, self.report.view.within)
        return veiled_ratings(found, self.veil)

    @cached_property
    def values(self) -> Grid | None:
        """Every statistic."""
        made = as_asked(self._ratings, self.report, self.comparison, self.interval_kind)
        return self._of_this(tables.statistics(self.report, self.naming, [made]))

    @cached_property
    def confusion(self) -> Grid | None:
        found = (
            self._of_this(table, "raters") for table in tables.confusions(self.report, self.naming)
        )
        return next((grid for grid in found if grid), None)

    @cached_property
    def questions(self) -> Grid | None:
        made = tables.questions(self.report, self.naming, self._ratings, [self.comparison])
        return self._of_this(made)

    @property
    def questions_revision(self) -> str:
        """From which ratings the questions were computed, where newer ones have come."""
        revision = self._ratings.revision
        if revision == self.report.revision:
            return ""
        return _("Computed from revision %(revision)s.") % {"revision": revision}

    def _of_this(self, whole: Table, who_column: str = "who") -> Grid | None:
        key = tables.key_of(self.naming, self.comparison)
        return self.grid(whole, criterion=self.criterion, **{who_column: key})


def page(
    shared: AgreementPage,
    place: ComparisonPlace,
    *,
    study_id: int,
    veil: Veil | None,
    intervals: str,
) -> ComparisonPage:
    """The comparison with this address and these statistics, or NoSuchPage."""
    if intervals not in words.INTERVALS:
        raise NoSuchPage
    return ComparisonPage(
        report=shared.report,
        reports=shared.reports,
        naming=shared.naming,
        criterion=shared.criterion,
        statistic=shared.statistic,
        study_id=study_id,
        veil=veil,
        comparison=comparison_at(shared.report, place),
        interval_kind=intervals,
    )
