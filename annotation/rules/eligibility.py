"""Who may adjudicate an item."""

from collections.abc import Collection

from annotation.rubric.sentences import Sentence, sentence


def reason_not_to_adjudicate(
    rater_ids: Collection[int], candidate: int | None, roles: Collection[str]
) -> Sentence | None:
    """Say why the candidate may not decide an item that `rater_ids` rated, or None.

    `candidate` is a rater id, None for an account that never rates; `roles` are the candidate's
    in the study.
    """
    if "adjudicator" not in roles:
        return sentence("You are not an adjudicator of this study.")
    if candidate in rater_ids:
        return sentence("You rated this item yourself; another adjudicator must decide it.")
    return None
