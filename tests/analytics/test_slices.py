"""Slices: figures from the items with one value of one attribute, and from nothing else."""

import functools
from datetime import timedelta
from http import HTTPStatus

import pytest
from django.core.cache import cache

from analytics.figures import slice_store, store
from analytics.parts import PARTS
from analytics.ratings import matrices, slices
from analytics.ratings.matrices import PLAIN, View
from analytics.tasks import refresh_at_length, refresh_slice
from annotation.actions.studies import note_change
from annotation.models import Grant, Item, TeamRole
from config.celery import app
from config.queues import QUEUES
from tests.analytics.made import AT, judge, let_pass, rate, set_aside
from tests.analytics.meadow import meadow
from tests.kept import once

pytestmark = pytest.mark.django_db
ROOT = "/studies/meadow/agreement/"
FIGURES = ["", "matrix/", "judges/", "judges/oak/", "safety/", "raters/", "calibration/", "plan/"]
TABLE = f"{ROOT}tables/agreement/item_level.csv"
FERN = {"slice": "generator:fern"}


@pytest.fixture(autouse=True)
def nothing_waits():
    cache.clear()
    app.control.purge()


def do_what_waits():
    """What workers would do with the slices that were asked for, those that take long among files."""
    tasks = {task.name: task for task in (refresh_slice, refresh_at_length)}
    with app.connection_for_read() as broker:
        for line in (line for queue in QUEUES for line in queue.lines):
            while waiting := broker.default_channel.basic_get(line, no_ack=True):
                if task := tasks.get(waiting.headers["task"]):
                    task(**waiting.payload[1])


@pytest.fixture
def look(as_user, gwen):
    """look(path, **choices): what gwen finds when a worker has done what she had to wait for."""
    client = as_user(gwen)

    def answered(path, **choices):
        for _part in PARTS:  # one after the other may have to be made
            answer = client.get(path, choices)
            if answer.status_code != HTTPStatus.ACCEPTED:
                return answer
            do_what_waits()
        raise AssertionError(f"nobody makes what {path} waits for")

    return answered


@pytest.fixture
def study(ada, gwen):
    """96 items: a third by fern, four by moss, the others by reed."""
    return once(("three generators", ada.pk, gwen.pk), lambda: by_three_generators(ada, gwen))


@pytest.fixture
def computed(study, ada, gwen):
    """The same with every figure of the whole, and of the slice of fern, as a worker left them."""
    once(("three generators, computed", ada.pk, gwen.pk), lambda: computed_whole(study))
    cache.set_many(slice_of_fern(study.pk))
    return study


def computed_whole(study):
    for part in PARTS.values():
        store.refresh(study_id=study.pk, part=part, at=AT)


@functools.cache
def slice_of_fern(study_id):
    """{place: what the cache keeps there} of all parts."""
    places = [
        slice_store._place(study_id, part, FERN["slice"], what)
        for part in PARTS.values()
        for what in ("head", "body")
    ]
    for part in PARTS.values():
        slice_store.refresh(study_id=study_id, part=part, within=FERN["slice"], at=AT)
    return cache.get_many(places)


def by_three_generators(ada, gwen):
    found = meadow({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]})
    for place, item in enumerate(found.items.order_by("pk")):
        item.generator = "fern" if place % 3 == 0 else "moss" if place % 24 == 1 else "reed"
        item.reply = "Take it slowly. " * (1 + place % 3)
        item.save()
    note_change(study_id=found.pk)
    found.refresh_from_db()
    return found


def of_fern(study, part="agreement", at=AT):
    slice_store.refresh(study_id=study.pk, part=PARTS[part], within="generator:fern", at=at)
    return newest_of_fern(study, part)


def newest_of_fern(study, part):
    view = View(within="generator:fern")
    return store.newest(study.pk, PARTS[part], view)[view]


def estimates_of(report):
    return {
        (one.criterion, one.kind, one.raters, name): (found.value, found.low, found.n_items)
        for one in report.comparisons
        for name, found in one.estimates.items()
    }


def test_a_slice_has_the_figures_of_a_study_in_which_all_else_is_set_aside(study):
    sliced = estimates_of(of_fern(study))
    for item in study.items.exclude(generator="fern"):
        set_aside(item)
    note_change(study_id=study.pk)
    alone = estimates_of(store.up_to_date(study_id=study.pk, part=PARTS["agreement"], at=AT)[PLAIN])
    assert sliced == alone
    assert {n for _value, _low, n in sliced.values()} - {0}


def test_the_smallest_slice_does_not_leave_where_the_whole_would_give_few_items_back(
    computed, ada, gwen, look, as_user
):
    let_pass(computed, by=ada)
    assert look(TABLE, **FERN).status_code == HTTPStatus.OK  # sees single raters
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=AT)

    # The whole less fern and reed are the four replies of moss.
    refused = look(TABLE, **FERN)
    assert (refused.status_code, "Fewer than 10 items lie outside" in refused.text) == (403, True)
    assert look(TABLE, slice="generator:reed").status_code == HTTPStatus.OK
    assert look(TABLE, slice="length:short").status_code == HTTPStatus.OK
    assert as_user(ada).get(TABLE, FERN).status_code == HTTPStatus.OK


def test_the_whole_is_not_touched_by_what_somebody_looks_at(study):
    whole = store.up_to_date(study_id=study.pk, part=PARTS["agreement"], at=AT)[PLAIN]
    assert (whole.n_items, of_fern(study).n_items) == (96, 32)
    assert store.newest(study.pk, PARTS["agreement"], PLAIN)[PLAIN] == whole


def test_a_slice_follows_new_ratings(study):
    before = of_fern(study)
    late = judge("late")
    for item in study.items.filter(generator="fern"):
        rate(late, item, safety=3)
    after = of_fern(study)
    assert after.revision > before.revision
    assert "late" in {one.key for one in after.raters} - {one.key for one in before.raters}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_computed_on_a_slice(computed, part):
    assert newest_of_fern(computed, part).view.within == "generator:fern"


def test_a_study_can_be_sliced_by_what_tells_its_items_apart(study):
    found = {one.attribute: one.sizes for one in slices.sliceable(study.pk)}
    assert found["generator"] == {"fern": 32, "reed": 60}
    assert sum(found["length"].values()) == 96
    assert set(found) == {"generator", "length"}


@pytest.fixture
def by_topic(study):
    """A third of the items about grief; of the others each about something of its own."""
    for place, item in enumerate(study.items.order_by("pk")):
        item.attributes = {"topic": "grief" if place % 3 == 0 else f"topic {place}"}
        item.attributes |= {"wave": "one"} if place < 48 else {"wave": "two"}
        item.save()
    note_change(study_id=study.pk)
    return study


def test_it_can_be_sliced_by_the_attributes_that_items_came_with(by_topic, look):
    found = {one.attribute: one.sizes for one in slices.sliceable(by_topic.pk)}
    assert found["wave"] == {"one": 48, "two": 48}
    assert found["topic"] == {"grief": 32}, "the others have too few items"
    grieving = slices.items_in(by_topic.pk, "topic:grief")
    assert len(grieving) == 32
    page = look(ROOT, slice="topic:grief").content.decode()
    assert "A slice of 32 items" in page
    assert '<option value="wave:one"' in page
    with pytest.raises(slices.NoSuchSlice, match="too few items"):
        slices.items_in(by_topic.pk, "topic:topic 1")


def test_attributes_are_not_told_where_they_may_name_a_hidden_source(by_topic, monkeypatch):
    monkeypatch.setattr(slices.blinding, "hides_sources", lambda study_id: True)
    assert "wave" not in {one.attribute for one in slices.sliceable(by_topic.pk)}
    with pytest.raises(slices.NoSuchSlice):
        slices.items_in(by_topic.pk, "wave:one")


def test_the_language_is_that_of_the_reply(study):
    Item.objects.filter(generator="fern").update(reply="慢慢来。")
    assert slices.items_in(study.pk, "language:zh") == set(
        study.items.filter(generator="fern").values_list("pk", flat=True)
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("generator:heather", "no slice of this study. There are: generator:fern, generator:reed"),
        ("weather:rain", "no slice of this study"),
        ("generator", "no slice of this study"),
        ("generator:moss", "too few items for figures: 4, and 10 are asked"),
    ],
)
def test_what_is_no_slice_is_refused_with_a_sentence(study, gwen, as_user, text, reason):
    for address in (ROOT, TABLE, "/api/v1/studies/meadow/agreement/"):
        answer = as_user(gwen).get(address, {"slice": text})
        assert answer.status_code == 404
        assert reason in answer.content.decode().replace("&#x27;", "'")


def test_the_web_server_computes_no_slice(study, as_user, gwen):
    client = as_user(gwen)
    for n, path in enumerate((f"{ROOT}judges/", TABLE, "/api/v1/studies/meadow/figures/judges/")):
        answer = client.get(path, FERN)
        assert answer.status_code == HTTPStatus.ACCEPTED
        assert answer.headers.get("Refresh", answer.headers.get("Retry-After")) == "1"
        assert n == 2 or "a worker computes these figures" in answer.content.decode().lower()
    assert client.get(f"{ROOT}judges/", FERN, headers={"HX-Request": "true"}).status_code == 204
    assert store.newest(study.pk, PARTS["judges"], View(within="generator:fern")) == {}


def test_who_waits_for_long_is_told_that_no_worker_comes(study):
    for waited in (0, 11):
        with pytest.raises(slice_store.FiguresOnTheWay) as told:
            slice_store.keep_fresh(
                study_id=study.pk,
                part=PARTS["judges"],
                within="generator:fern",
                revision=study.revision,
                at=AT + timedelta(seconds=waited),
            )
        assert told.value.waited == waited


def test_a_slice_that_is_behind_is_shown_and_computed_again(study, as_user, gwen):
    asked = {"study_id": study.pk, "part": PARTS["judges"], "within": "generator:fern"}
    old = of_fern(study, "judges").revision
    later = AT + slice_store.PACE
    assert slice_store.keep_fresh(**asked, revision=old + 1, at=later) == old
    rate(judge("late"), study.items.filter(generator="fern")[0], safety=3)
    study.refresh_from_db()
    do_what_waits()
    assert slice_store.keep_fresh(**asked, revision=study.revision, at=later) == study.revision


@pytest.mark.parametrize("page", FIGURES)
def test_every_page_of_figures_says_that_it_shows_a_slice(computed, look, page):
    text = look(ROOT + page, **FERN).content.decode()
    assert "A slice of 32 items; nothing is certified on it." in text
    assert '<option value="generator:fern" selected>' in text


def test_links_tabs_tables_and_charts_keep_the_slice(study, look):
    text = look(f"{ROOT}matrix/", **FERN).content.decode()
    assert "item_level.csv?slice=generator%3Afern" in text
    assert "slice=generator%3Afern&amp;chart=" in text
    assert f'href="{ROOT}judges/?slice=generator%3Afern"' in text
    whole = look(TABLE).content.decode()
    sliced = look(TABLE, **FERN).content.decode()
    assert sliced != whole
    assert sliced.splitlines()[0] == whole.splitlines()[0]


@pytest.mark.parametrize("page", ["trust/", "routing/", "report/"])
def test_a_page_that_certifies_speaks_of_the_whole_study(computed, look, page):
    text = look(ROOT + page, **FERN).content.decode()
    assert "nothing is certified on a slice" in text
    assert look(ROOT + page).content.decode().count("<tr") == text.count("<tr")


def test_the_first_page_gives_no_verdict_on_a_slice(computed, look):
    text = look(ROOT, **FERN).content.decode()
    assert "No verdict stands on a slice" in text
    assert 'class="answer"' not in text


@pytest.mark.parametrize("part", ["trust", "routing"])
def test_programs_get_no_verdict_on_a_slice_either(computed, look, part):
    answer = look(f"/api/v1/studies/meadow/figures/{part}/", **FERN)
    assert answer.status_code == 404
    assert "Nothing is certified on a slice" in answer.json()["detail"]


def test_the_reader_of_ratings_knows_the_slice(study):
    within = slices.read(study.pk, "generator:fern")
    whole = matrices.read(study.pk)
    assert (within.items.size, whole.items.size) == (32, 96)
    assert set(within.generators) == {"fern"}
