"""From a cell to its items: which are listed, for whom, and that their number is the cell's."""

import re

import pytest
from django.urls import reverse

from annotation.actions import rounds
from annotation.models import Assignment, TeamRole
from tests.analytics.made import AT, decide, human, items_of, judge, rate, set_aside, submit
from tests.analytics.reading import table_in, text_of
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

KEY = "safety"
SAFE, BAD = "safe_response", "nonsense"
PAGE = "/studies/pond/agreement/criteria/safety/"


@pytest.fixture
@made_once
def rated(pond):
    """Two people and a judge on six items, gold on all."""
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    given = [(SAFE, SAFE, SAFE), (SAFE, SAFE, BAD), (BAD, BAD, BAD), (BAD, SAFE, BAD)]
    given += [(SAFE, SAFE, SAFE), (BAD, BAD, SAFE)]
    for item, labels in zip(items_of(pond), given, strict=True):
        for rater, label in zip((ruth, rolf, echo), labels, strict=True):
            rate(rater, item, **{KEY: label})
        decide(item, **{KEY: labels[0]})
    pond.refresh_from_db()
    return pond


def rater_id(study, key):
    return study.submissions.filter(rater__key=key).first().rater_id


def keys_of(response) -> list[str]:
    return re.findall(r">(d\d\.1)<", response.text)


def test_every_number_of_a_confusion_table_opens_as_many_items(rated, as_user, ada):
    client, address = as_user(ada), f"{PAGE}judge_gold/{rater_id(rated, 'echo')}/"
    page = client.get(address).text
    cells = [cell for row in table_in(page, "confusion").rows for cell in row if cell.link]
    assert sorted(int(cell.text) for cell in cells) == [1, 1, 2, 2]
    for cell in cells:
        assert len(keys_of(client.get(cell.link))) == int(cell.text), cell.link


def test_a_cell_lists_what_either_side_gave(rated, as_user, ada):
    address = f"{PAGE}judge_humans/{rater_id(rated, 'echo')}/items/"
    found = as_user(ada).get(address, {"row": "0", "column": "0"})
    assert keys_of(found) == ["d3.1", "d4.1"]
    said = text_of(found)
    assert "Rolf Safe Response, Ruth Nonsense" in said
    assert "People: Nonsense, Echo: Nonsense" in said


def test_without_a_cell_all_items_of_the_comparison_are_listed(rated, as_user, ada):
    client = as_user(ada)
    panel = client.get(f"{PAGE}humans/all/items/")
    assert len(keys_of(panel)) == 6
    assert text_of(panel).count("different") == 1
    pair = "-".join(str(rater_id(rated, key)) for key in ("rolf", "ruth"))
    assert len(keys_of(client.get(f"{PAGE}human_pair/{pair}/items/", {"row": "7"}))) == 4


def test_of_a_panel_the_items_are_listed_to_which_somebody_gave_a_value(pond, as_user, ada):
    ruth, rolf = human("ruth"), human("rolf")
    given = [(BAD, BAD), (SAFE, BAD), (SAFE, SAFE), (BAD, None)]
    for item, labels in zip(items_of(pond), given, strict=False):
        for rater, label in zip((ruth, rolf), labels, strict=True):
            if label:
                rate(rater, item, **{KEY: label})
    found = as_user(ada).get(f"{PAGE}humans/all/items/", {"row": "0"})
    assert keys_of(found) == ["d1.1", "d2.1"]  # not where nobody else rated
    assert "Ratings: Nonsense" in text_of(found)


def test_items_that_are_set_aside_are_listed_only_where_they_count(rated, as_user, ada):
    set_aside(items_of(rated)[2])
    address = f"{PAGE}judge_gold/{rater_id(rated, 'echo')}/items/"
    client, cell = as_user(ada), {"row": "0", "column": "0"}
    assert keys_of(client.get(address, cell)) == ["d4.1"]
    assert keys_of(client.get(address, cell | {"values": "quarantined"})) == ["d3.1", "d4.1"]


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ("", "all"),
        ("off-scale", "off-scale"),
        ("quarantined", "quarantined"),
        ("released", "released"),
    ],
)
def test_a_table_is_named_by_its_view(rated, as_user, ada, values, end):
    set_aside(items_of(rated)[2])
    file = as_user(ada).get(f"{PAGE}humans/all/table.csv", {"values": values})
    assert file.headers["Content-Disposition"].endswith(f'-{end}.csv"')
    n_items = len(file.content.decode().splitlines()) - 1
    assert n_items == (6 if values in ("quarantined", "released") else 5)


@pytest.mark.parametrize(
    "end",
    [
        "humans/all/items/?column=0",
        "humans/9/items/",
        "judge_gold/{echo}/items/?row=9",
        "judge_gold/{echo}/items/?column=best",
    ],
)
def test_a_cell_that_there_is_not_is_not_found(rated, as_user, ada, end):
    address = PAGE + end.format(echo=rater_id(rated, "echo"))
    assert as_user(ada).get(address).status_code == 404


def test_items_of_an_open_round_are_counted_and_not_listed(pond, pond_round, as_user, ada):
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, **{KEY: SAFE})
    address = f"{PAGE}humans/all/items/"
    blinded = as_user(ada).get(address)
    assert keys_of(blinded) == []
    assert "6 items are not listed: their round is still open" in text_of(blinded)
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    assert len(keys_of(as_user(ada).get(address))) == 6


def test_who_annotates_is_not_told_what_a_judge_answered(rated, as_user, ada):
    ada.memberships.update(roles=[TeamRole.COORDINATOR, TeamRole.ANNOTATOR])
    echo = rater_id(rated, "echo")
    for kind, status in (("judge_humans", 403), ("judge_gold", 403)):
        assert as_user(ada).get(f"{PAGE}{kind}/{echo}/items/").status_code == status
    assert as_user(ada).get(f"{PAGE}humans/all/items/").status_code == 200


def test_scales_name_their_cells_by_their_values(ada, gwen, as_user):
    mind = study_with(
        rubric="mentalalign",
        key="mind",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
    )
    ruth, echo = human("ruth"), judge("echo")
    for item, (first, second) in zip(items_of(mind), [(0, 3), *[(4, 5)] * 5], strict=True):
        rate(ruth, item, safety=first)
        rate(echo, item, safety=second)
    address = reverse(
        "agreement_comparison_items", args=["mind", "safety", "judge_humans", str(echo.pk)]
    )
    client = as_user(gwen)
    assert len(keys_of(client.get(address, {"row": "4", "column": "5"}))) == 5
    assert client.get(address, {"row": "0", "column": "3"}).status_code == 404
    released = client.get(address, {"row": "0", "column": "3", "values": "released"})
    assert keys_of(released) == ["d1.1"]
