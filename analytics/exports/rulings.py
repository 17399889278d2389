"""Somebody else looks at what the disclosure tests found, and says why it may leave, or not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts import events
from accounts.models import User
from analytics.exports.classes import Classes, K
from analytics.exports.crowd import crowd, dialogues_alike, people_alike
from analytics.exports.disclosing import Crowd, DisclosureFinding, digest, findings
from analytics.models import DisclosureRuling
from annotation.models import Study, TeamRole
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, as_json, sentence
from annotation.rules.remarks import LONGEST, tidied

MAY_RULE = frozenset({TeamRole.COORDINATOR.value, TeamRole.EXPORTER.value})


class CannotRule(Exception):
    """A sentence that says why nothing is ruled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What a release of a study would tell of single people now, and what was ruled on that.

    `rulings`: on the same findings, newest first; `digest`: what they are of.
    """

    people: Classes
    dialogues: Classes
    crowd: Crowd
    findings: tuple[DisclosureFinding, ...]
    rulings: tuple[DisclosureRuling, ...]
    digest: str

    def ruling_for(self, recipient: int) -> DisclosureRuling | None:
        """The newest by another person than who receives the release."""
        return next((one for one in self.rulings if one.ruled_by_id != recipient), None)

    def reason_to_wait(self, recipient: int) -> Sentence | None:
        """Say why no release is built for this account yet, or None."""
        if not self.findings:
            return None
        return _reason_to_wait(self.ruling_for(recipient))


def disclosure(study: Study) -> Disclosure:
    """Run the tests on what could leave now."""
    counted = crowd(study)
    found = tuple(findings(counted))
    told = digest(found)
    return Disclosure(
        people=people_alike(study),
        dialogues=dialogues_alike(study),
        crowd=counted,
        findings=found,
        rulings=tuple(_ruled(study, told)),
        digest=told,
    )


def reason_to_wait(study: Study, *, recipient: int) -> Sentence | None:
    """Say why neither release nor figures leave for this account yet, or None."""
    found = findings(crowd(study))
    if not found:
        return None
    ruled = _ruled(study, digest(found)).exclude(ruled_by=recipient)
    return _reason_to_wait(ruled.first())


def _ruled(study: Study, told: str) -> QuerySet[DisclosureRuling, Any]:
    """What was ruled on these findings, newest first."""
    ruled = DisclosureRuling.objects.filter(study=study, digest=told).select_related("ruled_by")
    return ruled.order_by("-pk")


def _reason_to_wait(ruling: DisclosureRuling | None) -> Sentence | None:
    if ruling is None:
        return sentence(
            "The disclosure tests found something. A coordinator or exporter other than you "
            "has to look at it first, and to say why it may leave."
        )
    if not ruling.passes:
        return sentence("It may not leave as it is: “{reason}”.", reason=ruling.reason)
    return None


def reason_not_to_rule(study_access: StudyAccess) -> Sentence | None:
    """Say why this account has no say in what leaves, or None."""
    if study_access.roles & MAY_RULE:
        return None
    return sentence("What leaves is looked at by coordinators and exporters of the study.")


@transaction.atomic
def rule(
    *,
    study_access: StudyAccess,
    digest: str,
    passes: bool,
    reason: str,
    by: User,
    at: datetime,
) -> DisclosureRuling:
    """Say that what was found may leave, or may not, and why. CannotRule."""
    if barred := reason_not_to_rule(study_access):
        raise CannotRule(barred)
    found = disclosure(study_access.study)
    if not found.findings:
        raise CannotRule(sentence("Nothing is found any more: it may leave without a ruling."))
    if found.digest != digest:
        raise CannotRule(sentence("Meanwhile something else is found. Look at it again."))
    ruling = DisclosureRuling(
        study=study_access.study,
        digest=digest,
        findings=list(told_of(found.findings)),
        passes=passes,
        reason=reason,
        ruled_at=at,
        ruled_by=by,
    )
    return keep(ruling, "disclosure.ruled", passes=passes, findings=len(found.findings))


def keep(ruling: DisclosureRuling, event: str, **facts: object) -> DisclosureRuling:
    """Keep what was ruled with its reason, and note it in the ledger. CannotRule."""
    ruling.reason = tidied(ruling.reason)
    if not 0 < len(ruling.reason) <= LONGEST:
        raise CannotRule(sentence("Write down the reason: it goes into the release."))
    ruling.save()
    events.record(
        event,
        subject=f"study:{ruling.study_id}",
        by=ruling.ruled_by,
        at=ruling.ruled_at,
        facts={"ruling": ruling.pk, **facts},
    )
    return ruling


def told_of(found: tuple[DisclosureFinding, ...]) -> Iterator[dict[str, object]]:
    """Findings as JSON keeps them."""
    for one in found:
        yield {"test": one.test.value, "about": one.about, "why": as_json(one.why)}


def in_manifest(found: Disclosure, *, recipient: int) -> dict[str, Any]:
    """What a manifest says of it, in English: the classes, the findings, and who looked at them."""
    ruling = found.ruling_for(recipient)
    return {
        "k": K,
        "people": _classes(found.people),
        "dialogues": _classes(found.dialogues),
        "findings": [
            {"test": one.test.value, "about": one.about, "why": str(one.why)}
            for one in found.findings
        ],
        "checked": ruling
        and {
            "by": ruling.ruled_by.full_name,
            "at": ruling.ruled_at.isoformat(),
            "passes": ruling.passes,
            "reason": ruling.reason,
        },
        "answers": dict(sorted(found.crowd.answers.items())),
    }


def _classes(found: Classes) -> Mapping[str, object]:
    return {
        "attributes": found.attributes,
        "n": found.n,
        "classes": found.n_classes,
        "smallest": found.smallest,
        "in_classes_smaller_than_k": found.n_in_small,
        "enough_without": found.enough_without,
    }
