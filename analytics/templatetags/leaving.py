"""{% files_wait as reason %}: why nothing may be taken from a page of figures, before it is tried."""

from typing import Any

from django import template

from analytics.present import leaving
from annotation.queries.wording import said

register = template.Library()


@register.simple_tag(takes_context=True)
def files_wait(context: dict[str, Any]) -> str:
    reason = leaving.reason_to_wait(context["study_access"], by=context["request"].user)
    return said(reason) if reason else ""
