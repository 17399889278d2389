"""What may stand in the address of a page: it is kept by browsers, proxies and their logs."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from django import forms

import accounts
import analytics
import annotation
import judging

FROM_AN_ADDRESS = re.compile(r"\b(\w+Form)\(\s*request\.(?:GET|query_params)")


def forms_from_addresses():
    """(module, form) for each form that is filled in from an address."""
    for app in (accounts, annotation, judging, analytics):
        for found in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
            if ".migrations" in found.name or ".management" in found.name:
                continue
            module = importlib.import_module(found.name)
            for name in FROM_AN_ADDRESS.findall(Path(module.__file__).read_text()):
                yield pytest.param(getattr(module, name), id=f"{found.name}.{name}")


def takes_a_mail_address(field):
    return isinstance(field, forms.EmailField) or isinstance(field.widget, forms.EmailInput)


@pytest.mark.parametrize("form", [*forms_from_addresses()])
def test_no_address_asks_for_a_person_by_mail_or_name(form):
    named = {
        name
        for name, field in form.base_fields.items()
        if takes_a_mail_address(field)
        or (name in {"person", "actor", "name", "who"} and isinstance(field, forms.CharField))
    }
    assert not named
