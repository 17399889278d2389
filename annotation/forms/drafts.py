"""What a page sends of a form that is half filled in, and what it holds already."""

from collections.abc import Mapping
from uuid import UUID

from annotation.actions.drafts import HalfFilled
from annotation.forms.adjudicating import CODE
from annotation.forms.rating import ANSWER, CANNOT, GROUNDS, TAKE, NotAForm, number_in
from annotation.models import DraftForm
from annotation.rules.drafting import TYPED, problem_with_fields
from annotation.rules.remarks import LONGEST

PREFIXES = (ANSWER, CANNOT, GROUNDS, TAKE, CODE)
WORDS = ("comment", "reason", "text")
FORMS = {form.value: form for form in DraftForm}


def read(data: Mapping[str, str]) -> tuple[DraftForm, int, HalfFilled]:
    """Which form it is, of which place, and what stands in it; NotAForm.

    What is typed is cut where no form would take more: it is asked about when the form is sent.
    """
    values = {
        name: value.replace("\x00", "")[: 2 * LONGEST] if name.endswith(TYPED) else value
        for name, value in data.items()
        if name.startswith(PREFIXES) and value
    }
    form = FORMS.get(data.get("form", ""))
    if form is None or problem_with_fields(values):
        raise NotAForm
    words = next((data[name] for name in WORDS if name in data), None)
    words = None if words is None else words.replace("\x00", "")[: 2 * LONGEST]
    return form, number_in(data, "place"), half_filled(data, values, words)


def half_filled(
    data: Mapping[str, str], values: Mapping[str, str], words: str | None
) -> HalfFilled:
    """What stands in a form, with what a page says of its writer and versions; NotAForm."""
    return HalfFilled(
        values=values,
        words=words,
        writer=_uuid(data.get("writer", "")),
        version=_count(data, "version"),
        base=_count(data, "base"),
    )


def held(data: Mapping[str, str]) -> list[int]:
    """The assignments that a page holds; NotAForm."""
    ids = filter(None, data.get("held", "").split(","))
    return [number_in({"held": one}, "held") for one in ids]


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotAForm from None


def _count(data: Mapping[str, str], name: str) -> int:
    number = number_in(data, name)
    if number >= 2**31:
        raise NotAForm
    return number
