"""The pages of figures under the four questions that a reader has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePage:
    """`name` is that of its address; the pages `within` it are found through it."""

    name: str
    title: Promise
    within: tuple[str, ...] = ()
    is_for_exporters: bool = False

    def holds(self, name: str) -> bool:
        return name == self.name or name in self.within


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderQuestion:
    title: Promise
    pages: tuple[FigurePage, ...]

    def holds(self, name: str) -> bool:
        return any(page.holds(name) for page in self.pages)


QUESTIONS: Sequence[ReaderQuestion] = (
    ReaderQuestion(
        title=_("The answer"),
        pages=(
            FigurePage(name="agreement_overview", title=_("Overview")),
            FigurePage(
                name="agreement_trust",
                title=_("Trust"),
                within=(
                    *("agreement_trust_card", "agreement_trust_bring", "agreement_sealed"),
                    *("agreement_sentinels", "agreement_sentinels_place"),
                    *("agreement_sentinels_ask", "agreement_sentinels_bridge"),
                    *("agreement_sentinels_retire", "agreement_sentinels_decide"),
                ),
            ),
        ),
    ),
    ReaderQuestion(
        title=_("The evidence"),
        pages=(
            FigurePage(
                name="agreement",
                title=_("Matrix"),
                within=(
                    "agreement_criterion",
                    "agreement_comparison",
                    "agreement_comparison_items",
                    "agreement_item",
                ),
            ),
            FigurePage(
                name="agreement_judges",
                title=_("Judges"),
                within=(
                    "agreement_judge",
                    "agreement_caution",
                    "agreement_doubtful_judge",
                    *("agreement_juries", "agreement_juries_look", "agreement_juries_name"),
                ),
            ),
            FigurePage(
                name="agreement_safety", title=_("Safety"), within=("agreement_safety_items",)
            ),
            FigurePage(
                name="agreement_raters",
                title=_("Raters"),
                within=(
                    "agreement_raters_apart",
                    "agreement_raters_again",
                    "agreement_raters_week",
                    "agreement_doubtful",
                ),
            ),
        ),
    ),
    ReaderQuestion(
        title=_("What to do"),
        pages=(
            FigurePage(
                name="agreement_routing", title=_("Routing"), within=("agreement_routing_items",)
            ),
            FigurePage(name="agreement_calibration", title=_("Calibration")),
            FigurePage(name="agreement_plan", title=_("Plan")),
        ),
    ),
    ReaderQuestion(
        title=_("The report"),
        pages=(
            FigurePage(
                name="agreement_report", title=_("Report"), within=("agreement_report_file",)
            ),
            FigurePage(name="agreement_verification", title=_("Verification")),
            FigurePage(name="export", title=_("Export"), is_for_exporters=True),
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    title: str
    address: str
    is_current: bool


def tabs(
    study: str, current: str, kept: Mapping[str, str], *, may_export: bool
) -> tuple[str, list[Tab], list[Tab]]:
    """(the question of the current page, the questions, the pages of that question): a question
    leads to its first page, and the choices that are `kept` go along."""
    here = next((one for one in QUESTIONS if one.holds(current)), QUESTIONS[0])
    questions = [
        _tab(study, one.title, one.pages[0].name, kept, is_current=one is here) for one in QUESTIONS
    ]
    pages = [
        _tab(study, page.title, page.name, kept, is_current=page.holds(current))
        for page in here.pages
        if may_export or not page.is_for_exporters
    ]
    return str(here.title), questions, pages


def _tab(
    study: str, title: Promise, name: str, kept: Mapping[str, str], *, is_current: bool
) -> Tab:
    address = reverse(name, kwargs={"key": study}, query=kept or None)
    return Tab(title=str(title), address=address, is_current=is_current)
