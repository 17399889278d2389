"""{% figure_tabs %}: the four questions, and the pages of the one that is asked."""

from typing import Any

from django import template

from analytics.present.tabs import tabs

register = template.Library()

_KEPT = ("values", "slice")  # the choices of a reader that every page of figures knows


@register.inclusion_tag("analytics/_figure_tabs.html", takes_context=True)
def figure_tabs(context: dict[str, Any]) -> dict[str, object]:
    study_access, asked = context["study_access"], context["request"].GET
    question, questions, pages = tabs(
        study_access.study.key,
        context["request"].resolver_match.url_name,
        {name: asked[name] for name in _KEPT if asked.get(name)},
        may_export=study_access.may_export,
    )
    return {"question": question, "questions": questions, "pages": pages}
