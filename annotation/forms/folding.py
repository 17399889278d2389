"""Forms that keep what is rarely needed behind a fold."""

from typing import Any

from django import forms


class FoldedForm(forms.Form):
    """`folded` names the fields that are well as they are, most of the time; `apart` those that its
    page puts elsewhere, or nowhere."""

    folded: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.folded + self.apart]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in self.folded]

    @property
    def is_unfolded(self) -> bool:
        """Whether something behind the fold was filled in, or is to be mended."""
        touched = {*self.errors, *self.changed_data} if self.is_bound else set()
        return not touched.isdisjoint(self.folded)

    def get_context(self) -> dict[str, Any]:
        context = super().get_context()
        shown = {field.name for field in self.main_fields}
        context["fields"] = [one for one in context["fields"] if one[0].name in shown]
        return context
