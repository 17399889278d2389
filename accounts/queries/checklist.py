"""What stands between an account and the studies."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.conf import settings

from accounts import rules
from accounts.access import Access, AccessStep, Facts, current_terms, facts_of
from accounts.models import AccessRequest, Terms, TermsAcceptance


class StepState(StrEnum):
    DONE = "done"
    NOW = "now"
    WAITING = "waiting"
    LATER = "later"
    BARRED = "barred"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistStep:
    step: AccessStep
    state: StepState


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklist:
    """What stands between an account and the studies, with the facts that explain it."""

    steps: tuple[ChecklistStep, ...]
    facts: Facts
    terms: Terms | None
    signature: TermsAcceptance | None
    request: AccessRequest | None
    may_renew_signature: bool
    may_renew_request: bool


def checklist_for(access: Access, *, at: datetime) -> Checklist:
    facts = facts_of(access.user_id)
    in_force, signature = current_terms(), _newest_signature(facts.user_id)
    return Checklist(
        steps=tuple(_checklist_steps(access, facts)),
        facts=facts,
        terms=in_force,
        signature=signature,
        request=_newest_request(facts.user_id),
        may_renew_signature=access.may_sign
        and (rules.may_renew(facts.signed_until, at=at) or _is_of_before(signature, in_force)),
        may_renew_request=(
            access.may_request
            and not facts.has_asked
            and rules.may_renew(facts.approved_until, at=at)
        ),
    )


def _checklist_steps(access: Access, facts: Facts) -> Iterator[ChecklistStep]:
    """The steps in order; of those that are missing, the first is the one to do now."""
    if AccessStep.REINSTATEMENT in access.missing:
        yield ChecklistStep(step=AccessStep.REINSTATEMENT, state=StepState.BARRED)
    yield ChecklistStep(step=AccessStep.SIGN_IN, state=StepState.DONE)
    steps = [AccessStep.SIGNATURE, AccessStep.REQUEST, AccessStep.DECISION]
    if settings.MFA_REQUIRED or facts.has_second_factor:
        owes = AccessStep.FACTOR_SHOWN in access.missing
        steps.insert(0, AccessStep.FACTOR_SHOWN if owes else AccessStep.SECOND_FACTOR)
    missing = set(access.missing)
    if AccessStep.REQUEST in missing:
        missing.add(AccessStep.DECISION)
    is_blocked = AccessStep.REINSTATEMENT in missing
    for step in steps:
        if step not in missing:
            yield ChecklistStep(step=step, state=StepState.DONE)
        elif is_blocked:
            yield ChecklistStep(step=step, state=StepState.LATER)
        else:
            is_blocked = True
            waits = step == AccessStep.DECISION
            yield ChecklistStep(step=step, state=StepState.WAITING if waits else StepState.NOW)


def _is_of_before(signature: TermsAcceptance | None, in_force: Terms | None) -> bool:
    """Whether a newer edition waits to be signed."""
    return bool(signature and in_force and signature.terms_id != in_force.pk)


def _newest_signature(user_id: int) -> TermsAcceptance | None:
    return (
        TermsAcceptance.objects.filter(user=user_id).select_related("terms").order_by("-pk").first()
    )


def _newest_request(user_id: int) -> AccessRequest | None:
    return AccessRequest.objects.filter(user=user_id).order_by("-pk").first()
