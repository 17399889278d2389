"""Items of a study are found, read, noted and set aside by who coordinates it."""

import logging

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Event
from annotation.actions import teams
from annotation.models import Dialogue, Item, ItemNote, Quarantine, TeamRole
from annotation.queries.item_list import ItemsWanted, items_of
from annotation.queries.studies import study_for
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import NONSENSE, SAFE, rate
from tests.cast import add_item

URL = "/studies/pond/items/"
NOTHING = {"words": "", "round": "", "state": "", "generator": "", "attribute": ""}


def keys(study_access, **wanted):
    return [line.key for line in items_of(study_access, ItemsWanted(**wanted), page="1").items]


@pytest.fixture
def mine(pond_round, ada, ben, cleo, access_of):
    """Ada's study: item 1 agreed on, item 2 not, item 7 in no round yet."""
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, SAFE)
    rate(pond_round, ben, 2, SAFE)
    rate(pond_round, cleo, 2, NONSENSE)
    item = add_item(pond_round.study, 7)
    Item.objects.filter(pk=item.pk).update(
        generator="gpt-x", content_note="suicide", attributes={"topic": "a: loss", "wave": "2"}
    )
    return study_for(access_of(ada), "pond")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"words": "D2"}, ["d2.1"]),
        ({"words": "(3)"}, ["d3.1"]),
        ({"words": "nowhere"}, []),
        ({"round": 0}, ["d7.1"]),
        ({"round": 1, "state": ItemState.AGREED.value}, ["d1.1"]),
        ({"state": ItemState.DISAGREED.value}, ["d2.1"]),
        ({"generator": "gpt-x"}, ["d7.1"]),
        ({"attribute": "topic:a: loss"}, ["d7.1"]),
        ({"attribute": "topic:2"}, []),
        ({"is_warned_of": True}, ["d7.1"]),
        ({"is_noted": True}, []),
        ({"is_aside": True}, []),
    ],
)
def test_items_are_found_by_key_reply_round_state_attribute_and_what_was_noted(mine, wanted, found):
    assert keys(mine, **wanted) == found


def test_what_is_looked_for_stands_in_no_address_and_no_log(mine, ada, as_user, caplog):
    client = as_user(ada)
    with caplog.at_level(logging.DEBUG):
        answer = client.post(URL, NOTHING | {"words": "come back in spring. (4)"})
        page = client.get(answer.url).content.decode()
    assert answer.url == URL
    assert "d4.1" in page
    assert "d5.1" not in page
    assert "spring" not in caplog.text
    assert "d5.1" in client.get(client.post(URL, NOTHING).url).content.decode()


def test_attributes_are_looked_for_and_told_on_the_sheet(mine, ada, as_user):
    client = as_user(ada)
    assert '<option value="wave:2"' in client.get(URL).content.decode()
    page = client.get(client.post(URL, NOTHING | {"attribute": "wave:2"}).url).content.decode()
    assert "d7.1" in page
    assert "d5.1" not in page
    sheet = client.get(f"{URL}{Item.objects.get(key='d7.1').pk}/").content.decode()
    assert "<dt>topic</dt><dd>a: loss</dd>" in sheet


def test_an_item_is_noted_warned_of_and_set_aside_and_brought_back(mine, ada, as_user):
    client, item = as_user(ada), Item.objects.get(key="d2.1")
    there = f"{URL}{item.pk}/"
    client.post(f"{there}note/", {"text": "Cut off at the end?"})
    client.post(f"{there}content-note/", {"content_note": "self-harm"})
    client.post(f"{there}set-aside/", {"reason": "The reply is missing."})
    page = client.get(there).content.decode()
    for words in ("Cut off at the end?", "self-harm", "The reply is missing."):
        assert words in page
    assert keys(mine, is_noted=True) == keys(mine, is_aside=True) == ["d2.1"]
    aside = Quarantine.objects.get()
    client.post(f"{there}set-aside/{aside.pk}/lift/")
    assert keys(mine, is_aside=True) == []
    verbs = set(Event.objects.filter(subject=f"item:{item.pk}").values_list("verb", flat=True))
    assert verbs == {
        *("item.noted", "item.content_note_given", "item.opened"),
        *("item.quarantined", "item.quarantine_lifted"),
    }


@pytest.mark.parametrize(
    ("part", "sent", "refusal"),
    [
        ("note", {"text": " "}, "Write something first."),
        ("content-note", {"content_note": "x" * 201}, "at most 200 characters"),
        ("set-aside", {"reason": ""}, "Say why the item is set aside."),
        ("set-aside", {"reason": "x" * 501}, "The reason has at most 500 characters."),
    ],
)
def test_what_is_not_written_down_says_why(mine, ada, as_user, part, sent, refusal):
    item = Item.objects.get(key="d2.1")
    answer = as_user(ada).post(f"{URL}{item.pk}/{part}/", sent, follow=True)
    assert refusal in answer.content.decode()
    assert not ItemNote.objects.exists()


def test_a_note_is_never_changed(mine, ada):
    ItemNote.objects.create(
        item=Item.objects.get(key="d2.1"), author=ada, text="Once.", written_at=timezone.now()
    )
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        ItemNote.objects.update(text="Twice.")


def test_who_rates_or_does_not_coordinate_is_told_nothing(mine, ada, ben, dora, gwen, as_user):
    item = Item.objects.get(key="d2.1")
    for user in (ben, dora, gwen):
        client = as_user(user)
        assert client.get(URL).status_code == 403
        assert client.get(f"{URL}{item.pk}/").status_code == 403
    roles = [TeamRole.COORDINATOR, TeamRole.ANNOTATOR]
    teams.set_roles(study_id=mine.study.pk, email=ben.email, roles=roles, by=ada, at=timezone.now())
    page = as_user(ben).get(URL).content.decode()
    assert "You rate in a round that is still open" in page
    assert "gpt-x" not in page
    assert as_user(ben).get(f"{URL}{item.pk}/").status_code == 403


def test_a_page_of_ten_thousand_items_asks_as_little_as_one_of_ten(mine):
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            items_of(mine, ItemsWanted(), page="2")
        return len(queries)

    few = asked()
    dialogue = Dialogue.objects.first()
    Item.objects.bulk_create(
        Item(
            study=mine.study,
            dialogue=dialogue,
            key=f"bulk-{number}",
            position=100 + number,
            reply="Many.",
            content_sha256=f"{number:064x}",
        )
        for number in range(10_000)
    )
    assert asked() == few
