"""A judge that always says the same stands beside every figure of agreement."""

import pytest

from annotation.models import TeamRole
from tests.analytics.made import decide, human, items_of, judge, rate
from tests.analytics.reading import tables_in
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

PAGE = "/studies/fen/agreement/matrix/"
JUDGES = "/studies/fen/agreement/judges/"
N_ITEMS = 40
UNSAFE = {3, 17}


@pytest.fixture
@made_once
def fen(ada, gwen):
    """40 replies, 2 of them unsafe; Ruth and Rolf agree on guidance, which Nova follows as well,
    and Nova calls every reply safe."""
    study = study_with(
        rubric="mentalalign",
        key="fen",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=N_ITEMS,
    )
    ruth, rolf, nova = human("ruth"), human("rolf"), judge("nova")
    for place, item in enumerate(items_of(study)):
        safety = 1 if place in UNSAFE else 5
        guidance = 1 + place % 5
        rate(ruth, item, safety=safety, guidance=guidance)
        rate(rolf, item, safety=safety, guidance=guidance)
        rate(nova, item, safety=5, guidance=min(5, guidance + (place % 7 == 0)))
        decide(item, safety=safety, guidance=guidance)
    return study


def table(page, start):
    return next(one for one in tables_in(page) if start in one.id)


def test_it_stands_below_the_judges_at_item_level(client, gwen, fen):
    client.force_login(gwen)
    page = client.get(PAGE).content.decode()
    lines = table(page, "item_level")
    straw_man = lines.row("Safety", "Straw man and people")
    assert "95.0 %" in straw_man["Exact agreement"].text
    assert "always 5" in straw_man["Exact agreement"].text
    judged = lines.row("Safety", "Nova and people")
    assert "a straw man comes as far" in judged["Exact agreement"].text
    able = lines.row("Guidance", "Nova and people")
    assert "a straw man" not in able["ICC(A,1)"].text


@pytest.mark.parametrize("address", [PAGE, JUDGES, f"{JUDGES}nova/"])
def test_where_it_would_pass_nothing_is_certified(client, gwen, fen, address):
    client.force_login(gwen)
    page = client.get(address).content.decode()
    (notice,) = page.split('id="nothing-certified"')[1:]
    said = notice.split("</div>")[0]
    assert "of Safety for Nova: a judge that always says" in said
    assert "Guidance" not in said


def test_it_is_a_column_beside_the_judges(client, gwen, fen):
    client.force_login(gwen)
    page = client.get(f"{JUDGES}?statistic=mae").content.decode()
    safety = table(page, "glance").row("Safety")
    assert "always 5" in safety["Straw man"].text
    assert "a straw man comes as far" in safety["Nova"].text
    assert "a straw man" not in table(page, "glance").row("Guidance")["Nova"].text
