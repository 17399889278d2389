"""{% pairs_of status as compared %}: whose replies a run prefers, of as much as its page may tell."""

from dataclasses import replace

from django import template

from analytics.pairs import numbers, tables
from analytics.present.grid import Grid, grid
from analytics.present.naming import of_raters
from analytics.present.tables import only
from judging.queries.showing import RunStatus

register = template.Library()


@register.simple_tag
def pairs_of(status: RunStatus) -> list[Grid]:
    """Its files, which stand alone, say also whose answers they are."""
    run, asked = status.run, status.run.comparison
    if asked is None:
        return []
    found = numbers.compared(asked, run.judge.rater, status.preferred)
    every = tables.tables([found], of_raters(run.rubric_version.content, []))
    own = {"comparison": str(found.number), "judge": found.judge}
    return [replace(grid(only(one, **own), by_page=True), table=one) for one in every]
