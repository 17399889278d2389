"""Who may see the figures of a study now."""

from annotation.queries.ratings import items_rated_now, rater_of
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, sentence


def reason_not_to_see(study_access: StudyAccess) -> Sentence | None:
    """Say why this account may not see the agreement of a study now, or None.

    Who rates in an open round would read the others' answers off figures that change with each
    submission.
    """
    if not study_access.may_see_agreement:
        return sentence("Agreement is for the coordinators and researchers of this study.")
    rated_now = items_rated_now(rater_of(study_access.access.user_id))
    if study_access.may_rate and rated_now.filter(round__study=study_access.study).exists():
        return sentence(
            "You rate in a round that is still open, and figures would tell you what others "
            "answered: agreement is shown to you once the round is closed."
        )
    return None
