"""Who may see the figures of a study now."""

from annotation.queries import adjudicating
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.rubric.sentences import Sentence, sentence


def reason_not_to_see(study_access: StudyAccess) -> Sentence | None:
    """Say why this account may not see the agreement of a study now, or None.

    Figures change with each submission and name the raters: who rates in an open round would read
    the others' answers off them, and an adjudicator who gave which answer to a case.
    """
    if not study_access.may_see_agreement:
        return sentence("Agreement is for the coordinators and researchers of this study.")
    if reader_of(study_access).rates_now:
        return sentence(
            "You rate in a round that is still open, and figures would tell you what others "
            "answered: agreement is shown to you once the round is closed."
        )
    if study_access.may_adjudicate and adjudicating.next_case(study_access) is not None:
        return sentence(
            "Items wait for your decision, and figures would tell you who gave which answer: "
            "decide them under “Adjudicate”, then agreement is shown to you again."
        )
    return None
