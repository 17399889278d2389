"""Replies that may be held against each other."""

from accounts.models import User
from annotation.models import Quarantine, Study
from judging.queries.runs import granted_to, items_to_judge
from judging.rules.comparing import ReplyToPair


def replies_of(
    study: Study, round_number: int | None, *, by: User | None, of_hold_out: bool
) -> list[ReplyToPair]:
    """The replies in a study, or in one of its rounds, whose source is known, that somebody may have
    judged; none that is set aside."""
    found = granted_to(by, study, items_to_judge(study, round_number, of_hold_out=of_hold_out))
    aside = Quarantine.objects.filter(lifted_at=None).values("item")
    found = found.exclude(generator="").exclude(pk__in=aside)
    return [
        ReplyToPair(item=pk, conversation=dialogue, source=generator)
        for pk, dialogue, generator in found.values_list("pk", "dialogue", "generator")
    ]
