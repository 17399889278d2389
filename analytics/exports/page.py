"""What the export page shows."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from analytics.models import Export
from analytics.present.grid import Grid, grid
from analytics.present.tables import Column, Line, Plain, count, table
from annotation.models import Item, Rating, Study
from annotation.rules.lifecycle import RoundState

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportContents:
    """How much an export of a study would hold now."""

    revision: int
    n_items: int
    n_ratings: int


def contents(study: Study) -> ExportContents:
    ratings = Rating.objects.filter(submission__study=study, submission__is_current=True)
    ratings = ratings.exclude(submission__round__state=RoundState.OPEN)
    return ExportContents(
        revision=study.revision,
        n_items=Item.objects.filter(study=study).count(),
        n_ratings=ratings.count(),
    )


def earlier(study: Study) -> Grid | None:
    """The newest exports of a study: by whom, when, of what."""
    made = Export.objects.filter(study=study).select_related("exported_by").order_by("-pk")
    newest = made[:SHOWN]
    if not newest:
        return None
    return grid(
        table(
            "exports",
            _("Earlier exports"),
            "",
            about=[Column("when", _("When"))],
            columns=[
                Column("release", _("Release"), is_words=True),
                Column("by", _("For whom"), is_words=True),
                Column("revision", _("Revision")),
                Column("ratings", _("Ratings")),
                Column("texts", _("Texts"), is_words=True),
                Column("sha256", "SHA-256", is_words=True),
            ],
            lines=map(_line, newest),
        ),
        by_page=True,
    )


def _line(one: Export) -> Line:
    at = localtime(one.exported_at)
    has_texts = one.manifest["filters"]["texts"]
    name, release = one.exported_by.full_name, one.manifest.get("release", "")
    return Line(
        about=(Plain(date_format(at, "DATETIME_FORMAT"), at.isoformat()),),
        values=(
            Plain(release, release),
            Plain(name, name),
            count(one.revision),
            count(one.manifest["counts"]["ratings"]),
            Plain(_("with") if has_texts else _("without"), int(has_texts)),
            Plain(f"{one.sha256[:16]}…", one.sha256),
        ),
    )
