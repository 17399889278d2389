"""A table of ratings as a file, and what it is called."""

from dataclasses import dataclass

from django.utils.text import slugify

from analytics.present.viewing import values_of
from analytics.ratings.matrices import View
from annotation.models import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    name: str
    text: str


def file_name(study: Study, revision: int, what: str, view: View) -> str:
    """What a table is called: by study and revision, by the view unless it is the plain one, and by
    the slice where there is one."""
    parts = [
        study.key,
        f"r{revision}",
        what,
        values_of(view),
        slugify(view.within.replace(":", "-")),
    ]
    return "-".join(filter(None, parts)) + ".csv"
