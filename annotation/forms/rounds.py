"""What is asked to open a round, and to hand on the work of a rater who leaves."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.actions.rounds import DEFAULT_GATE
from annotation.forms.folding import FoldedForm
from annotation.queries.qualified import qualified_in
from annotation.queries.rounds import (
    Annotator,
    RoundStatus,
    annotators_of,
    n_fresh_items,
)
from annotation.queries.rubric_changes import items_to_rate_again
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rubric.sentences import sentence
from annotation.rules.drawing import Listed, read_list
from annotation.rules.lifecycle import RoundState
from annotation.rules.qualifying import USUAL_PASS
from annotation.rules.remarks import LONGEST
from annotation.rules.repeating import MOST_PERCENT

NEW_ITEMS = "new"
LISTED_ITEMS = "listed"
RATED_AGAIN = "again"
TO_QUALIFY = "qualify"
LARGEST_LIST = 5_000_000


class OpenRoundForm(FoldedForm):
    """Which items, by whom, how many raters each."""

    folded = ("audit_percent", "repeat_percent", "n_gold", "pass_percent")

    items = forms.ChoiceField(label=_("Items"), widget=forms.RadioSelect)
    n_items = forms.IntegerField(
        label=_("How many new items"),
        help_text=_("Leave it empty to take all that were in no round yet."),
        required=False,
        min_value=1,
    )
    listed = forms.FileField(
        label=_("List of items (CSV)"),
        help_text=_(
            "With the column item, the keys; and probability, the chance that each had to be on the "
            "list, as the list of Routing has it. Left out, it is 1."
        ),
        required=False,
    )
    audit_percent = forms.IntegerField(
        label=_("Beside the list, in percent of the other items"),
        help_text=_(
            "So many of the items that are not on the list are drawn at random. If none are, and "
            "the list has no random part of its own, figures hold for the listed items only."
        ),
        min_value=0,
        max_value=100,
        initial=0,
        required=False,
    )
    panel = forms.MultipleChoiceField(
        label=_("Panel"),
        help_text=_("Each rater of the panel gets the same number of items, give or take one."),
        widget=forms.CheckboxSelectMultiple,
    )
    raters_per_item = forms.IntegerField(label=_("Raters an item"), min_value=1, initial=2)
    gate = forms.FloatField(
        label=_("Gate"),
        help_text=_("The agreement that the round should reach, by the measure of its protocol."),
        min_value=-1,
        max_value=1,
        initial=DEFAULT_GATE,
    )
    repeat_percent = forms.IntegerField(
        label=_("Hidden repeats, in percent of the items"),
        help_text=_(
            "So many of each rater’s items come back to the same rater later in the round and look "
            "like any other. They show how steady each rater is, and count for nothing else: not "
            "as another rating of the item, not in agreement, not in gold. Left empty it is 5, or "
            "none where somebody has ten items or fewer; 0 is none. Tell your raters that a round may "
            "hold repeats, not which."
        ),
        min_value=0,
        max_value=MOST_PERCENT,
        required=False,
    )
    n_gold = forms.IntegerField(
        label=_("Hidden items with gold"),
        help_text=_(
            "So many items whose gold is known, and that nobody of the panel has rated, are mixed in "
            "and look like any other. What is answered to them leaves gold as it is."
        ),
        min_value=0,
        initial=0,
        required=False,
    )
    pass_percent = forms.IntegerField(
        label=_("To qualify, in percent"),
        help_text=_("Only where raters are to qualify: so many answers have to be as gold has it."),
        min_value=1,
        max_value=100,
        initial=USUAL_PASS,
        required=False,
    )
    due_on = forms.DateField(
        label=_("Due on"),
        help_text=_("The day by which it should be rated; your raters see it. Nothing ends by it."),
        widget=forms.DateInput(attrs={"type": "date"}),
        required=False,
    )
    override_reason = forms.CharField(
        label=_("Reason to go on below the gate"),
        help_text=_("Needed only if the last round stayed below its gate and is not rated again."),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        required=False,
    )

    def __init__(self, *args: Any, study_access: StudyAccess, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        study = study_access.study
        fresh = n_fresh_items(study)
        self._again = items_to_rate_again(study)
        qualified = qualified_in(study)
        closed = study.rounds.filter(state=RoundState.CLOSED).order_by("-number")
        items = cast(forms.ChoiceField, self.fields["items"])
        items.choices = [
            (NEW_ITEMS, _("New items (%(count)s left)") % {"count": fresh}),
            (LISTED_ITEMS, _("New items of a list, such as that of Routing")),
            (TO_QUALIFY, _("Items with gold, to qualify raters: all of the panel rate the same")),
            *(
                [
                    (
                        RATED_AGAIN,
                        _("Those that the new rubric needs rated again (%(count)s)")
                        % {"count": len(self._again)},
                    )
                ]
                if self._again
                else []
            ),
            *(
                (
                    str(one.pk),
                    _("The items of round %(number)s again, independently")
                    % {"number": one.number},
                )
                for one in closed
            ),
        ]
        old = [RATED_AGAIN] if self._again else [str(one.pk) for one in closed[:1]]
        items.initial = NEW_ITEMS if fresh else next(iter(old), NEW_ITEMS)
        self.has_items = bool(fresh or self._again or closed)
        panel = cast(forms.MultipleChoiceField, self.fields["panel"])
        panel.choices = [
            (str(annotator.account_id), _with_mark(annotator, qualified))
            for annotator in annotators_of(study)
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("items") == LISTED_ITEMS:
            found = _read(data.get("listed"))
            if found.problem:
                self.add_error("listed", said(found.problem))
            data["chances"] = found.chances
        return data

    def arguments(self) -> dict[str, Any]:
        """The same as actions.rounds.open_round takes it."""
        data = self.cleaned_data
        is_new = data["items"] in (NEW_ITEMS, LISTED_ITEMS, RATED_AGAIN, TO_QUALIFY)
        qualifies = data["items"] == TO_QUALIFY
        return {
            "panel": [int(account) for account in data["panel"]],
            "raters_per_item": data["raters_per_item"],
            "n_items": data["n_items"] if is_new else None,
            "re_review_of": None if is_new else int(data["items"]),
            "gate": data["gate"],
            "repeat_percent": data["repeat_percent"],
            "override_reason": data["override_reason"],
            "listed": data.get("chances"),
            "audit_percent": data["audit_percent"] or 0,
            "due_on": data["due_on"],
            "n_gold": data["n_gold"] or 0,
            "pass_percent": (data["pass_percent"] or USUAL_PASS) if qualifies else None,
            "chosen": self._again if data["items"] == RATED_AGAIN else (),
        }


def _with_mark(annotator: Annotator, qualified: Mapping[int | None, tuple[int, bool]]) -> str:
    """The name, and how the annotator did when they were last to qualify."""
    if annotator.account_id not in qualified:
        return annotator.name
    percent, has_passed = qualified[annotator.account_id]
    words = (
        _("%(name)s (qualified: %(percent)s %%)")
        if has_passed
        else _("%(name)s (not qualified: %(percent)s %%)")
    )
    return words % {"name": annotator.name, "percent": percent}


def _read(file: "UploadedFile[bytes] | None") -> Listed:
    if file is None or not file.size or file.size > LARGEST_LIST:
        return Listed(chances={}, problem=sentence("Choose a list of at most 5 MB."))
    try:
        return read_list(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Listed(chances={}, problem=sentence("The list is not text in UTF-8."))


class ReassignForm(forms.Form):
    """Whose open work goes to whom."""

    from_rater = forms.ChoiceField(label=_("Open work of"))
    to = forms.MultipleChoiceField(
        label=_("goes to"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("It is shared out between those who do not rate the item yet."),
    )

    def __init__(
        self, *args: Any, status: RoundStatus, study_access: StudyAccess, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        from_rater = cast(forms.ChoiceField, self.fields["from_rater"])
        from_rater.choices = [
            (
                str(place.rater_id),
                _("%(name)s (%(count)s open)") % {"name": place.name, "count": place.n_open},
            )
            for place in status.panel
            if place.n_open
        ]
        to = cast(forms.MultipleChoiceField, self.fields["to"])
        to.choices = [
            (str(annotator.account_id), annotator.name)
            for annotator in annotators_of(study_access.study)
        ]

    def arguments(self) -> dict[str, Any]:
        """The same as actions.assignments.reassign takes it."""
        return {
            "from_rater": int(self.cleaned_data["from_rater"]),
            "to": [int(account) for account in self.cleaned_data["to"]],
        }


class JoinForm(forms.Form):
    """Who joins the panel of an open round."""

    accounts = forms.MultipleChoiceField(
        label=_("Who joins"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each takes over as much as every other still owes. What is begun stays."),
    )

    def __init__(
        self, *args: Any, status: RoundStatus, study_access: StudyAccess, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        accounts = cast(forms.MultipleChoiceField, self.fields["accounts"])
        seated = {
            place.account_id for place in status.panel if place.n_assigned and not place.stands_in
        }
        accounts.choices = [
            (str(annotator.account_id), annotator.name)
            for annotator in annotators_of(study_access.study)
            if annotator.account_id not in seated
        ]


class DueForm(forms.Form):
    """Until when a round should be rated."""

    due_on = forms.DateField(
        label=_("Due on"), widget=forms.DateInput(attrs={"type": "date"}), required=False
    )
