"""{% unless_shut "fold-quality" %}…{% endunless_shut %}: the content of a fold, to who may see it."""

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.template.loader import render_to_string

from analytics.present import folds

register = template.Library()


@register.tag
def unless_shut(parser: Parser, token: Token) -> "FoldNode":
    _tag, fold = token.split_contents()
    content = parser.parse(("endunless_shut",))
    parser.delete_first_token()
    return FoldNode(parser.compile_filter(fold), content)


class FoldNode(template.Node):
    """Where it is shut, words that stand there until its content has come."""

    def __init__(self, fold: FilterExpression, content: NodeList) -> None:
        self.fold, self.nodelist = fold, content

    def render(self, context: Context) -> str:
        if self.fold.resolve(context) in folds.shut_by(context["request"]):
            return render_to_string("analytics/_left_out.html")
        return str(self.nodelist.render(context))
