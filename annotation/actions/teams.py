"""Say who takes part in a study, and as what."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions import grants
from annotation.models import Membership, Rater, RaterKind, Study, TeamRole
from annotation.rubric.sentences import sentence
from annotation.rules.granting import DataLevel, usual_levels
from annotation.rules.teaming import reason_not_to_set_roles


class CannotChangeTeam(Exception):
    """A sentence that says why the team stays as it is."""


@transaction.atomic
def set_roles(
    *,
    study_id: int,
    email: str,
    roles: Collection[str],
    by: User | None,
    at: datetime,
    also: Collection[DataLevel] = (),
    purpose: str = "",
) -> None:
    """Give an account exactly these roles in a study; none at all takes it off the team.

    What the roles usually need of the data set, and `also` these levels, is asked for with it: the
    data steward approves that in one step, and until then the roles show nothing.
    """
    study = Study.objects.select_for_update().get(pk=study_id)
    account = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if account is None:
        raise CannotChangeTeam(
            sentence("No account has this email address. The person has to sign up first.")
        )
    wanted = [role.value for role in TeamRole if role in roles]
    others_coordinate = (
        study.memberships.filter(roles__contains=[TeamRole.COORDINATOR])
        .exclude(user=account)
        .exists()
    )
    if TeamRole.COORDINATOR not in wanted and not others_coordinate:
        raise CannotChangeTeam(sentence("A study needs at least one coordinator."))
    has = Membership.objects.filter(study=study, user=account).values_list("roles", flat=True)
    reason = reason_not_to_set_roles(
        by=by.pk if by else None, account=account.pk, has=has.first() or (), wanted=wanted
    )
    if reason:
        raise CannotChangeTeam(reason)
    if wanted:
        Membership.objects.update_or_create(study=study, user=account, defaults={"roles": wanted})
    else:
        Membership.objects.filter(study=study, user=account).delete()
    if TeamRole.ANNOTATOR in wanted:
        rater_of(account)
    events.record(
        "team.roles_set",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"account": account.pk, "roles": wanted},
    )
    if wanted:
        grants.propose(
            data_set_id=study.data_set_id,
            person=account,
            levels=[level for level in DataLevel if level in {*usual_levels(wanted), *also}],
            purpose=purpose or ", ".join(wanted),
            by=by,
            at=at,
        )


def rater_of(account: User) -> Rater:
    """The rater that an account is, in whatever study."""
    rater, _created = Rater.objects.get_or_create(
        user=account,
        defaults={
            "key": f"account-{account.pk}",
            "name": account.full_name,
            "kind": RaterKind.HUMAN,
        },
    )
    return rater
