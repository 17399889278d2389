"""What is asked to open a round, and to hand on the work of a rater who leaves."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.actions.rounds import DEFAULT_GATE
from annotation.queries.rounds import RoundStatus, annotators_of, n_fresh_items
from annotation.queries.studies import StudyAccess
from annotation.rules.lifecycle import RoundState
from annotation.rules.remarks import LONGEST
from annotation.rules.repeating import MOST_PERCENT

NEW_ITEMS = "new"


class OpenRoundForm(forms.Form):
    """Which items, by whom, how many raters each."""

    items = forms.ChoiceField(label=_("Items"), widget=forms.RadioSelect)
    n_items = forms.IntegerField(
        label=_("How many new items"),
        help_text=_("Leave it empty to take all that were in no round yet."),
        required=False,
        min_value=1,
    )
    panel = forms.MultipleChoiceField(
        label=_("Panel"),
        help_text=_("Each rater of the panel gets the same number of items, give or take one."),
        widget=forms.CheckboxSelectMultiple,
    )
    raters_per_item = forms.IntegerField(label=_("Raters an item"), min_value=1, initial=2)
    gate = forms.FloatField(
        label=_("Gate"),
        help_text=_("The Fleiss kappa that the round should reach."),
        min_value=-1,
        max_value=1,
        initial=DEFAULT_GATE,
    )
    repeat_percent = forms.IntegerField(
        label=_("Hidden repeats, in percent of the items"),
        help_text=_(
            "So many of each rater’s items come back to the same rater later in the round and look "
            "like any other. They show how steady each rater is, and count for nothing else: not "
            "as another rating of the item, not in agreement, not in gold. 5 to 10 is usual, 0 is "
            "none. Tell your raters that a round may hold repeats, not which."
        ),
        min_value=0,
        max_value=MOST_PERCENT,
        initial=0,
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
        closed = study.rounds.filter(state=RoundState.CLOSED).order_by("-number")
        items = cast(forms.ChoiceField, self.fields["items"])
        items.choices = [
            (NEW_ITEMS, _("New items (%(count)s left)") % {"count": fresh}),
            *(
                (
                    str(one.pk),
                    _("The items of round %(number)s again, independently")
                    % {"number": one.number},
                )
                for one in closed
            ),
        ]
        items.initial = NEW_ITEMS
        panel = cast(forms.MultipleChoiceField, self.fields["panel"])
        panel.choices = [
            (str(annotator.account_id), annotator.name) for annotator in annotators_of(study)
        ]

    def arguments(self) -> dict[str, Any]:
        """The same as actions.rounds.open_round takes it."""
        data = self.cleaned_data
        is_new = data["items"] == NEW_ITEMS
        return {
            "panel": [int(account) for account in data["panel"]],
            "raters_per_item": data["raters_per_item"],
            "n_items": data["n_items"] if is_new else None,
            "re_review_of": None if is_new else int(data["items"]),
            "gate": data["gate"],
            "repeat_percent": data["repeat_percent"] or 0,
            "override_reason": data["override_reason"],
        }


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
