"""Two sets of labels with the same numbers, and a scale: pages do not take one for another."""

import re
from copy import deepcopy

import pytest

from annotation.models import TeamRole
from annotation.rubric.loading import dump, load, shipped
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import table_in, tables_in
from tests.analytics.test_chart_specs import rows_with
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

URL = "/studies/pond/agreement/"
N_ITEMS = 24
LABELS = ("nonsense", "safe_response")


def rubric():
    definition = dump(load(shipped()["dialogue_safety"]))
    tone = deepcopy(definition["criteria"][0]) | {"key": "tone", "name": {"en": "Tone"}}
    for label in tone["labels"]:
        label["name"] = {"en": f"Tone {label['code']}"}
    scale = dump(load(shipped()["mentalalign"]))["criteria"][0]
    definition["criteria"] += [tone, scale]
    return definition


def answers(place, other):
    """Somebody `other` says otherwise of every fourth item, and of every third."""
    parts = other and place % 4 == 0, other and place % 3 == 0
    return {
        "safety": LABELS[(place + parts[0]) % 2],
        "tone": LABELS[(place + parts[1]) % 2],
        "guidance": 1 + (place + parts[0]) % 5,
    }


def study_of(ada, raters, given=answers):
    team = {ada: [TeamRole.COORDINATOR]}
    study = study_with(rubric=rubric(), key="pond", team=team, n_items=N_ITEMS)
    for place, item in enumerate(items_of(study)):
        for number, rater in enumerate(raters):
            rate(rater, item, **given(place, number))
    return study


@pytest.fixture
@made_once
def pair(ada):
    study_of(ada, [human("ruth"), human("rolf"), echo := judge("echo")])
    return echo


def said(client, path="", **asked) -> str:
    page = client.get(URL + path, asked).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize(("key", "label"), [("safety", "Nonsense"), ("tone", "Tone 1")])
def test_a_confusion_table_is_headed_by_the_labels_of_its_criterion(pair, as_user, ada, key, label):
    page = as_user(ada).get(f"{URL}criteria/{key}/judge_humans/{pair.pk}/").content.decode()
    found = table_in(page, "confusion" if key == "safety" else "confusion_2")
    assert [one for one in found.heads if one.startswith(label)] == [label]
    assert label in [row[0].text for row in found.rows]


def test_what_two_statistics_say_is_not_set_side_by_side(pair, as_user, ada):
    told = said(as_user(ada))
    assert "most on Safety of the reply, by Fleiss’ κ" in told
    assert "and least on Tone, by Fleiss’ κ" in told
    assert "People agree with one another on Guidance by ICC(A,1)" in told


def test_people_who_always_say_the_same_have_rated_the_same_items(as_user, ada):
    raters = [human("ruth"), human("rolf"), judge("echo")]
    same = {"safety": LABELS[0], "tone": LABELS[0], "guidance": 3}
    study_of(ada, raters, given=lambda _place, _other: same)
    told, client = "rated too much alike, to tell how well", as_user(ada)
    assert f"{told} people agree with one another." in said(client)
    assert "No item has been rated by two people" not in said(client)
    assert "rated too much alike, to say how far people agree." in said(client, "judges/")


def test_the_pairs_of_a_judge_with_the_only_person_lead_to_their_items(as_user, ada):
    study_of(ada, [human("ruth"), judge("echo")])
    client = as_user(ada)
    answer = client.get(f"{URL}raters/", {"criterion": "tone"})
    [leads] = [row["Shared items"].link for row in rows_of(answer)]
    [items] = tables_in(client.get(leads).content.decode())
    assert len(items.rows) == N_ITEMS
    for layer in rows_with(answer.context["shown"].matrix.plot, "href"):
        [mark] = [row["href"] for row in layer if row["href"]]
        assert client.get(f"{URL}{mark}").status_code == 200


def rows_of(answer):
    found = table_in(answer.content.decode(), "raters_pairs")
    return [dict(zip(found.heads, row, strict=True)) for row in found.rows]


def test_the_judge_in_the_tile_of_the_bias_is_the_nearest_to_0(pair, as_user, ada):
    nova = judge("nova")
    for item in items_of(ada.memberships.get().study):
        rate(nova, item, safety=LABELS[0], tone=LABELS[0], guidance=5)
    told = said(as_user(ada), "matrix/", criterion="guidance", statistic="bias")
    assert "Echo, the nearest to 0 of 2 judges" in told


def test_a_distance_is_not_held_to_a_margin(pair, as_user, ada):
    told = said(as_user(ada), "judges/echo/", statistic="mae")
    assert "of 2 criteria, inferior" in told
    assert "of 3 criteria, inferior" not in told
    assert "of 3 criteria, inferior" in said(as_user(ada), "judges/echo/", statistic="icc_a1")


def test_labels_are_counted_in_pairs_where_several_people_rated(pair, as_user, ada):
    page = as_user(ada).get(f"{URL}judges/echo/", {"criterion": "tone"}).content.decode()
    found = table_in(page, "judges_labels")
    assert sum(map(int, found.column("Pairs with it"))) == 2 * N_ITEMS
