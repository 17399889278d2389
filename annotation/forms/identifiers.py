"""What is to become of the identifiers that a check has found in a file."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

TREATMENTS = [
    ("redact", _("Put the kind in its place")),
    ("keep", _("Keep it, with a reason")),
    ("drop", _("Leave the row out")),
]
KINDS = {
    "resident_id": _("Chinese resident ids"),
    "ssn": _("American social security numbers"),
    "card": _("Numbers of cards"),
    "email": _("Addresses of mail"),
    "chat": _("WeChat and QQ accounts"),
    "phone": _("Telephone numbers"),
    "address": _("Postal addresses"),
    "name": _("Names of people"),
}
_PREFIXES = {"by_kind": "kind_", "by_hit": "hit_", "reasons": "reason_"}


class IdentifiersForm(forms.Form):
    """One choice a kind, and another one for single hits; `found` is what the check says, `before` what
    was decided last, as `decisions` gives it."""

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        found: Mapping[str, Any],
        before: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        begun = {
            f"{prefix}{name}": said
            for part, prefix in _PREFIXES.items()
            for name, said in (before or {}).get(part, {}).items()
        }
        super().__init__(data, initial=begun)
        self._found = found
        for kind, _n in found.get("kinds", ()):
            self.fields[f"kind_{kind}"] = forms.ChoiceField(
                label=_("What is done"), choices=TREATMENTS, initial="redact"
            )
            self.fields[f"reason_{kind}"] = forms.CharField(
                label=_("Reason to keep some. Do not quote them"), required=False, max_length=500
            )
        for hit in found.get("hits", ()):
            self.fields[f"hit_{hit['number']}"] = forms.ChoiceField(
                label=_("This one"),
                choices=[("", _("As its kind")), *TREATMENTS],
                required=False,
            )

    def kinds(self) -> Iterator[tuple[Any, int, forms.BoundField, forms.BoundField]]:
        for kind, n in self._found.get("kinds", ()):
            yield KINDS[kind], n, self[f"kind_{kind}"], self[f"reason_{kind}"]

    def hits(self) -> Iterator[tuple[Mapping[str, Any], Any, forms.BoundField]]:
        for hit in self._found.get("hits", ()):
            yield hit, KINDS[hit["kind"]], self[f"hit_{hit['number']}"]

    def clean(self) -> dict[str, Any]:
        given = {**(super().clean() or {})}
        kinds = {f"hit_{hit['number']}": hit["kind"] for hit in self._found.get("hits", ())}
        for kind, _n in self._found.get("kinds", ()):
            chosen = [given.get(f"kind_{kind}")]
            chosen += [given.get(name) for name, its in kinds.items() if its == kind]
            if "keep" in chosen and not given.get(f"reason_{kind}"):
                self.add_error(f"reason_{kind}", _("Say why they may stay."))
        return given

    def decisions(self) -> dict[str, dict[str, str]]:
        given = self.cleaned_data

        def of(prefix: str) -> dict[str, str]:
            return {
                name.removeprefix(prefix): said
                for name, said in given.items()
                if name.startswith(prefix) and said
            }

        return {part: of(prefix) for part, prefix in _PREFIXES.items()}
