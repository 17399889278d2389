"""What the export page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from analytics.models import Export
from annotation.models import Item, Rating, Study

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportContents:
    """How much an export of a study would hold now."""

    revision: int
    n_items: int
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An export that was made: by whom, when, of what."""

    by: str
    at: datetime
    revision: int
    n_ratings: int
    with_texts: bool
    sha256: str


def contents(study: Study) -> ExportContents:
    ratings = Rating.objects.filter(submission__study=study, submission__is_current=True)
    return ExportContents(
        revision=study.revision,
        n_items=Item.objects.filter(study=study).count(),
        n_ratings=ratings.count(),
    )


def earlier(study: Study) -> Sequence[Earlier]:
    """The newest exports of a study."""
    made = Export.objects.filter(study=study).select_related("exported_by").order_by("-pk")
    return [
        Earlier(
            by=one.exported_by.full_name,
            at=one.exported_at,
            revision=one.revision,
            n_ratings=one.manifest["counts"]["ratings"],
            with_texts=one.manifest["filters"]["texts"],
            sha256=one.sha256,
        )
        for one in made[:SHOWN]
    ]
