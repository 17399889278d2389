"""Say where LLMs are asked and what they cost there, from the command line."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.asking import account_named, add_by
from judging.actions import endpoints as actions
from judging.forms.endpoints import EndpointForm, PriceForm
from judging.models import LLMEndpoint
from judging.queries import endpoints


class Command(BaseCommand):
    help = (
        "Add endpoints of LLMs, their prices, and end their use. The host must be listed in "
        "CONCORD_LLM_HOSTS, and a key is named by where it is, never written."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        verbs.add_parser("list", help="list the endpoints in use")
        add = verbs.add_parser("add", help="add an endpoint, or the next version of one")
        price = verbs.add_parser("price", help="say what a million tokens cost from a day on")
        retire = verbs.add_parser("retire", help="ask no LLM there any more")
        for verb in (add, price, retire):
            verb.add_argument("key", help="the endpoint's key")
            add_by(verb)
        _add_fields(add, EndpointForm())
        _add_fields(price, PriceForm())

    def handle(self, *args: object, verb: str, **options: Any) -> None:
        getattr(self, f"_{verb}")(**options)

    def _list(self, **options: Any) -> None:
        for one in endpoints.in_use():
            self.stdout.write(f"{one.key} {one.number}: {one.base_url} ({one.dialect})")

    def _add(self, *, by: str | None, **options: Any) -> None:
        form = _filled(EndpointForm, options)
        try:
            made = actions.add(described=form.described(), by=account_named(by), at=timezone.now())
        except actions.CannotAdd as refusal:
            raise CommandError("\n".join(map(str, refusal.args))) from None
        self.stdout.write(f"{made.key} {made.number} is in use.")

    def _price(self, *, key: str, by: str | None, **options: Any) -> None:
        form = _filled(PriceForm, options)
        actions.set_price(
            endpoint=_keyed(key), by=account_named(by), at=timezone.now(), **form.cleaned_data
        )
        self.stdout.write("The price is kept.")

    def _retire(self, *, key: str, by: str | None, **options: Any) -> None:
        actions.retire(endpoint_id=_keyed(key).pk, by=account_named(by), at=timezone.now())
        self.stdout.write(f"{key} is no longer in use.")


def _add_fields(parser: CommandParser, form: forms.Form) -> None:
    """An option for each field of the form of the page."""
    for name, field in form.fields.items():
        if name == "key":
            continue
        option = f"--{name.replace('_', '-')}"
        told = " ".join(filter(None, (f"{field.label}.", str(field.help_text)))).replace("%", "%%")
        if isinstance(field, forms.BooleanField):
            parser.add_argument(option, action="store_true", help=told)
            continue
        choices = getattr(field, "choices", None)
        parser.add_argument(
            option,
            required=field.required and field.initial is None,
            choices=[value for value, _words in choices] if choices else None,
            help=told,
        )


def _filled(kind: type[Any], options: dict[str, Any]) -> Any:
    """The form of the page with the options in it; CommandError names every mistake."""
    form = kind({name: options.get(name) or _initial(field) for name, field in _fields(kind)})
    if not form.is_valid():
        mistakes = [
            f"--{name.replace('_', '-')}: {' '.join(map(str, told))}"
            for name, told in form.errors.items()
        ]
        raise CommandError("\n".join(mistakes))
    return form


def _fields(kind: type[Any]) -> Iterator[tuple[str, forms.Field]]:
    yield from kind().fields.items()


def _initial(field: forms.Field) -> object:
    return field.initial() if callable(field.initial) else field.initial


def _keyed(key: str) -> LLMEndpoint:
    try:
        return endpoints.keyed(key)
    except endpoints.NoSuchEndpoint:
        raise CommandError(f"There is no endpoint {key} in use.") from None
