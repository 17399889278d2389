"""{% fold "repeats" _("The same again") %}…{% endfold %}: a part of a page under its heading.

{% unless_shut "quality" %}…{% endunless_shut %}: the content of one that is lazy, to who may see it.
"""

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from analytics.present import folds

register = template.Library()
_OPEN_IF_WIDE = mark_safe(' data-narrow="shut" open')
_DRAWN_IF_OPEN = mark_safe(' data-drawn="open"')


@register.simple_block_tag
def fold(
    content: str,
    key: str,
    title: str,
    said: str = "",
    *,
    is_open: object = False,
    is_lazy: bool = False,
    is_wide: bool = False,
) -> SafeString:
    """What is `said` of it stands beside the heading, folded too; one that `is_wide` is shut on a
    phone alone."""
    return format_html(
        '<details id="fold-{}"{}><summary><h2 id="{}">{}</h2>{}</summary>'
        '<div class="stack stack--tight">{}</div></details>',
        key,
        _DRAWN_IF_OPEN if is_lazy else _OPEN_IF_WIDE if is_wide else " open" if is_open else "",
        key,
        title,
        format_html(" <span>{}</span>", said) if said else "",
        content,
    )


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
        if f"fold-{self.fold.resolve(context)}" in folds.shut_by(context["request"]):
            return render_to_string("analytics/_left_out.html")
        return str(self.nodelist.render(context))
