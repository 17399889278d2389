"""The rules that a study's trust cards are held against: bring some, and fix which ones hold."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts import events
from accounts.models import User
from analytics.models import BroughtPolicy, FixedPolicy
from analytics.policies.loading import Policy, own_key, read_own
from analytics.stats.looks import Lacking, unreachable
from analytics.trust import policies
from analytics.trust.policies import TOPICS, NoSuchPolicy
from annotation.actions.studies import note_change
from annotation.models import RaterKind, Study, Submission
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, sentence

_LONGEST_NAME = 200


LACKING: Mapping[Lacking, Promise] = {
    Lacking.ITEMS: gettext_lazy("items"),
    Lacking.PEOPLE: gettext_lazy("people an item"),
    Lacking.REPEATS: gettext_lazy("answers of the judge an item"),
    Lacking.FLAGGED: gettext_lazy("flagged items"),
}


class CannotFix(Exception):
    """A sentence that says why these rules cannot be brought or fixed."""

    @property
    def problems(self) -> tuple[Sentence, ...]:
        return self.args


@transaction.atomic
def bring_policy(
    *, study_access: StudyAccess, file_name: str, content: bytes, by: User, at: datetime
) -> str:
    """Keep rules that a team wrote, word for word; their key. PolicyError names every mistake."""
    refuse_others(study_access)
    policy = read_own(content)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    others = policies.of_study(study).values()
    for known in others:
        if known.sha256 == policy.sha256:
            raise CannotFix(
                sentence("The study has these rules already: “{title}”.", title=known.title)
            )
    taken = {words for known in others for words in known.title.words}
    for tag, words in policy.title.words:
        if (tag, words) in taken:
            raise CannotFix(
                sentence(
                    "Other rules are called “{title}” too, and cards name rules by their title: write "
                    "another title.{language}.",
                    title=words,
                    language=tag,
                )
            )
    BroughtPolicy.objects.create(
        study=study,
        file_name=file_name[-_LONGEST_NAME:],
        text=policy.text,
        sha256=policy.sha256,
        brought_at=at,
        brought_by=by,
    )
    events.record(
        "trust.policy_brought",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"sha256": policy.sha256},
    )
    return own_key(policy.text)


@transaction.atomic
def fix_policy(*, study_access: StudyAccess, key: str, by: User, at: datetime) -> FixedPolicy:
    """Let these rules hold from now on, word for word; what held before is kept."""
    refuse_others(study_access)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    try:
        policy = policies.named(study, key)
    except NoSuchPolicy:
        raise CannotFix(sentence("There are no rules “{key}”.", key=key)) from None
    if missing := out_of_reach(policy):
        raise CannotFix(*missing)
    held = FixedPolicy.objects.filter(study=study).order_by("-pk").first()
    if held is not None and held.sha256 == policy.sha256:
        raise CannotFix(sentence("These rules are fixed already."))
    judged = Submission.objects.filter(study=study, is_current=True, rater__kind=RaterKind.JUDGE)
    fixed = FixedPolicy.objects.create(
        study=study,
        key=policy.key,
        text=policy.text,
        sha256=policy.sha256,
        n_judged=judged.count(),
        fixed_at=at,
        fixed_by=by,
    )
    events.record(
        "trust.policy_fixed",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "policy": policy.key,
            "sha256": policy.sha256,
            "judged": fixed.n_judged,
            "instead_of": held.sha256 if held else None,
        },
    )
    # Verdicts are figures too: pages that are open follow the new rules.
    note_change(study_id=study.pk)
    return fixed


def out_of_reach(policy: Policy) -> list[Sentence]:
    """Why verdicts of these rules could never all occur at the looks that they plan themselves,
    and what would make them."""
    if policy.looks is None:
        return []
    found = {}
    for level in policy.by_level:
        for criterion in (*policy.sensitivity_of, ""):
            rules = policy.rules(level, criterion)
            for one in unreachable(rules, policy.looks):
                found[one.topic, one.lacks] = one
    return [
        sentence(
            "By this plan no judge could ever be trusted: “{line}” needs {needed} {what}, and "
            "the last look has {planned}. Plan for more, or ask less.",
            line=str(TOPICS[one.topic]),
            what=str(LACKING[one.lacks]),
            needed=one.needed,
            planned=one.planned,
        )
        for one in found.values()
    ]


def refuse_others(study_access: StudyAccess) -> None:
    """The rules of a study, and its verdicts, are its coordinators' to fix."""
    if not study_access.may_coordinate:
        raise CannotFix(sentence("The rules of a study are fixed by its coordinators."))
