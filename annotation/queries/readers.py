"""Who may see the figures of a study now."""

from annotation.queries import cases
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import NOT_YOUR_ROLE, Action

FOR_OTHERS = sentence("Agreement is for the coordinators and researchers of this study.")


def reason_not_to_see(
    study_access: StudyAccess, action: Action = Action.SEE_FIGURES
) -> Sentence | None:
    """Say why this account may not see the agreement of a study, or of its raters, now, or None.

    Figures change with each submission and name the raters: who rates in an open round would read
    the others' answers off them, and an adjudicator who gave which answer to a case.
    """
    if reason := study_access.reason_not_to(action):
        is_of_roles = reason == NOT_YOUR_ROLE
        return FOR_OTHERS if is_of_roles else reason
    if reader_of(study_access).rates_now:
        return sentence(
            "You rate in a round that is still open, and figures would tell you what others "
            "answered: agreement is shown to you once the round is closed."
        )
    if study_access.may_adjudicate and cases.next_case(study_access) is not None:
        return sentence(
            "Items wait for your decision, and figures would tell you who gave which answer: "
            "decide them under “Adjudicate”, then agreement is shown to you again."
        )
    return None
