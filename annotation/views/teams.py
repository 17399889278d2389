"""The team of a study."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from accounts.gate import Request, ask_again_who_it_is
from annotation.actions import teams as actions
from annotation.forms.teams import MemberForm
from annotation.queries import teams
from annotation.queries.wording import said
from annotation.rules.granting import DataLevel


@require_http_methods(["GET", "HEAD", "POST"])
def team(request: Request, key: str) -> HttpResponse:
    """Show who takes part, and give an account its roles."""
    study_access = teams.team_for(request.access, key)
    members = teams.members_of(study_access.study)
    form = MemberForm(request.POST or None, initial=_chosen(members, request.GET.get("member")))
    if request.method == "POST" and form.is_valid():
        if form.makes_an_exporter:
            ask_again_who_it_is(request)
        try:
            actions.set_roles(
                study_id=study_access.study.pk,
                email=form.cleaned_data["email"],
                roles=form.cleaned_data["roles"],
                also=[DataLevel(level) for level in form.cleaned_data["also"]],
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotChangeTeam as refusal:
            form.add_error("email", said(refusal.args[0]))
        else:
            messages.success(request, gettext("The team is changed."))
            if n := teams.n_waiting(study_access.study):
                messages.info(
                    request,
                    ngettext(
                        "%(n)s level waits for the data steward; until then it shows nothing.",
                        "%(n)s levels wait for the data steward; until then they show nothing.",
                        n,
                    )
                    % {"n": n},
                )
            return redirect("team", key=key)
    return render(
        request,
        "annotation/team.html",
        {
            "study_access": study_access,
            "members": members,
            "form": form,
        },
        status=422 if form.errors else 200,
    )


def _chosen(members: list[teams.Member], account_id: str | None) -> dict[str, object]:
    """What the form starts with: the member whose roles are to be changed."""
    for member in members:
        if str(member.account_id) == account_id:
            return {"email": member.email, "roles": member.roles}
    return {}
