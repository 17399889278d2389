"""Who may decide an item that its raters disagree on."""

import pytest

from annotation.rules.eligibility import reason_not_to_adjudicate

ADA, BEN, CLEO = 1, 2, 3
NO_ADJUDICATOR = "You are not an adjudicator of this study."
RATED_IT = "You rated this item yourself; another adjudicator must decide it."

CASES = [
    ([ADA, BEN], CLEO, {"adjudicator"}, None),
    ([ADA, BEN], CLEO, {"annotator", "adjudicator"}, None),
    ([ADA, BEN], None, {"adjudicator"}, None),
    ([], CLEO, {"adjudicator"}, None),
    ([ADA, BEN], BEN, {"annotator", "adjudicator"}, RATED_IT),
    ([ADA, BEN], CLEO, {"annotator"}, NO_ADJUDICATOR),
    ([ADA, BEN], CLEO, {"coordinator"}, NO_ADJUDICATOR),
    ([ADA, BEN], None, set(), NO_ADJUDICATOR),
    ([ADA, BEN], BEN, set(), NO_ADJUDICATOR),
]


@pytest.mark.parametrize(("rater_ids", "candidate", "roles", "reason"), CASES)
def test_an_adjudicator_decides_what_others_rated(rater_ids, candidate, roles, reason):
    assert reason_not_to_adjudicate(rater_ids, candidate, roles) == reason
