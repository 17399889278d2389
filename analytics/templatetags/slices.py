"""{% slice_choice %}: which items the figures of a page are made from."""

from typing import Any

from django import template

from analytics.present.slicing import slice_choice as choice_of

register = template.Library()


@register.inclusion_tag("analytics/_slice_choice.html", takes_context=True)
def slice_choice(context: dict[str, Any]) -> dict[str, object]:
    request = context["request"]
    study = context["study_access"].study
    page = request.resolver_match.url_name
    return {"choice": choice_of(study.pk, request.GET.dict(), page)}
