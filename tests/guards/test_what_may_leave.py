"""Nothing leaves in an export that nobody has decided on."""

import pytest
from django.apps import apps

from analytics.exports.columns import FILES
from tests.guards.fields import MODELS

OURS = {"accounts", "annotation", "judging", "analytics"}
MODELS_OF_OURS = [
    model for model in apps.get_models(include_auto_created=True) if model._meta.app_label in OURS
]


@pytest.mark.parametrize("model", MODELS_OF_OURS, ids=lambda model: model._meta.label)
def test_every_field_is_listed_as_leaving_or_staying(model):
    listed = MODELS.get(model._meta.label)
    assert listed, f"List the fields of {model._meta.label} in tests/guards/fields.py."
    fields = {field.name for field in model._meta.concrete_fields}
    assert fields == listed.exported | listed.withheld, (
        "tests/guards/fields.py must name each field, as exported or withheld."
    )
    assert not listed.exported & listed.withheld


def test_no_model_is_listed_that_there_is_not():
    assert set(MODELS) == {model._meta.label for model in MODELS_OF_OURS}


@pytest.mark.parametrize("name", FILES)
def test_every_column_comes_from_fields_that_may_leave(name):
    for column in FILES[name]:
        for source in column.sources:
            model, field = source.rsplit(".", 1)
            assert field in MODELS[model].exported, f"{column.name} takes {source}, which stays"
