"""Nobody helps themselves to a role."""

import pytest

from annotation.rules.teaming import OWN_ROLE, reason_not_to_set_roles

ADA, SAM = 1, 2


@pytest.mark.parametrize(
    ("by", "has", "wanted", "reason"),
    [
        (ADA, [], ["coordinator"], OWN_ROLE),
        (ADA, ["coordinator"], ["coordinator", "exporter"], OWN_ROLE),
        (ADA, ["coordinator", "exporter"], ["coordinator"], None),
        (ADA, ["coordinator"], [], None),
        (SAM, [], ["coordinator"], None),
        (None, [], ["coordinator"], None),
    ],
)
def test_nobody_gives_themselves_a_role(by, has, wanted, reason):
    assert reason_not_to_set_roles(by=by, account=ADA, has=has, wanted=wanted) == reason
