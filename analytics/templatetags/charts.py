"""{% chart it %}: a chart with its drawing, its text alternative and its files."""

from typing import Any

from django import template

from analytics.present import leaving
from analytics.present.charts import showing
from analytics.present.charts.showing import Chart

register = template.Library()


@register.inclusion_tag("analytics/_chart.html", takes_context=True)
def chart(context: dict[str, Any], it: Chart) -> dict[str, Any]:
    study_access = context["study_access"]
    return showing.on_page(
        context["request"],
        it,
        key=study_access.study.key,
        mark=context["live"]["mark"],
        kept=leaving.chart_kept(it.spec, study_access),
    )
