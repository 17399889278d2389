"""Identifiers in texts that leave are replaced, unless somebody else said why they may stay."""

import hashlib
import json
import re

import pytest
from django.utils import timezone

from accounts.models import Event
from analytics.exports import actions as exports
from analytics.models import DisclosureRuling
from annotation.models import Dialogue, FileJob, Grant, Item
from judging.models import Judge, JudgeCall, JudgeRun
from judging.recorded import RECORDED
from tests.analytics.made import items_of, judge, rate
from tests.analytics.test_exporting import (
    export_folder,  # noqa: F401 -- a fixture that is asked for by itself
    exported,
    lines,
    table,
)

PHONE, MAIL = "13812345678", "frog@example.org"
DISCLOSURE = "/studies/pond/export/disclosure/"
IDENTIFIERS = "/studies/pond/export/identifiers/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def named(pond):
    """An item with a telephone number and an address of mail in it, which a judge quoted."""
    turns = [{"speaker": "seeker", "text": f"Write to {MAIL}, please."}]
    dialogue = Dialogue.objects.create(study=pond, key="d7", turns=turns)
    reply = f"Call me: {PHONE}."
    item = Item.objects.create(
        study=pond,
        dialogue=dialogue,
        key="d7.1",
        position=7,
        reply=reply,
        content_sha256=hashlib.sha256(reply.encode()).hexdigest(),
    )
    rater, now = judge("echo"), timezone.now()
    for one in items_of(pond):
        rate(rater, one, safety="safe_response")
    asked = Judge.objects.create(
        rater=rater,
        llm="echo-1",
        base_url="http://127.0.0.1/v1",
        prompt_edition=RECORDED,
        created_at=now,
    )
    run = JudgeRun.objects.create(
        study=pond, judge=asked, rubric_version=pond.rubric_version, started_at=now
    )
    JudgeCall.objects.create(
        run=run,
        item=item,
        repeat=1,
        position=1,
        state="done",
        outcome="empty",
        exchanges=[{"text": f"It gives {PHONE} away.", "raw": "", "finish": "stop"}],
        answered_at=now,
    )
    return item


def rule(client, said, reason="It is the number of the hotline."):
    return client.post(DISCLOSURE, {"identifiers": said, "reason": reason})


def taken(client):
    """The texts of the item, what its judge said of it, and what the manifest says."""
    found = exported(client, with_texts="on")
    [text] = [row for row in lines(found, "texts.jsonl") if row["item"] == "d7.1"]
    [call] = lines(found, "judge_calls.jsonl")
    assert [row["item"] for row in table(found, "items.csv")][-1] == "d7.1"
    told = json.loads(found.read("manifest.json"))["identifiers"]
    return text["turns"][0]["text"], text["reply"], call["exchanges"][0]["text"], told


def test_what_is_found_is_replaced_by_its_kind(named, as_user, gwen):
    turn, reply, quoted, told = taken(as_user(gwen))
    assert turn == "Write to [email], please."
    assert (reply, quoted) == ("Call me: [phone].", "It gives [phone] away.")
    assert told == {
        "edition": 1,
        "found": {"email": 1, "phone": 2},
        "kept": {},
        "texts_left_out": 0,
        "decided": None,
    }
    named.refresh_from_db()
    assert PHONE in named.reply, "what is stored stays as it is"


def test_it_stays_where_somebody_else_said_why(named, as_user, ada, gwen):
    assert rule(as_user(ada), "stay").status_code == 302
    turn, reply, _quoted, told = taken(as_user(gwen))
    assert (MAIL in turn, PHONE in reply) == (True, True)
    assert told["kept"] == {"email": 1, "phone": 2}
    assert told["decided"]["by"] == "Ada"
    assert told["decided"]["reason"] == "It is the number of the hotline."
    assert Event.objects.get(verb="identifiers.ruled").facts["stay"] is True
    page = as_user(gwen).get(DISCLOSURE).text
    assert "Ada let some or all of them stay" in page
    rule(as_user(ada), "redact", "They asked us to.")
    assert PHONE not in taken(as_user(gwen))[1]


def test_nobody_lets_them_stay_for_themselves(named, as_user, gwen):
    assert rule(as_user(gwen), "stay").status_code == 302
    assert PHONE not in taken(as_user(gwen))[1]


def test_a_reason_is_asked_for(named, as_user, ada):
    page = rule(as_user(ada), "stay", " ")
    assert page.status_code == 422
    area = page.text.partition('<textarea id="identifiers-reason"')[2].partition("</textarea>")[0]
    assert 'aria-invalid="true"' in area, "a browser leads to it"
    assert not Event.objects.filter(verb="identifiers.ruled").exists()


def looked_through(client):
    """The page of identifiers, once a worker has gone through the texts."""
    assert client.post(IDENTIFIERS, {"look": "yes"}).status_code == 302
    job = FileJob.objects.latest("pk")
    exports.build_asked(job_id=job.pk, clock=timezone.now)
    return client.get(IDENTIFIERS)


def decide(client, **said):
    kinds = {"kind_email": "redact", "kind_phone": "redact"}
    return client.post(IDENTIFIERS, {"decide": "each", "reason": "Looked at.", **kinds, **said})


def test_each_is_decided_about_by_itself(named, as_user, ada, gwen):
    page = looked_through(as_user(ada))
    found = page.context["found"]["hits"]
    assert [(hit["key"], hit["turn"], hit["found"]) for hit in found] == [
        ("d7.1", 1, MAIL),
        ("d7.1", 0, PHONE),
    ]
    assert Event.objects.filter(verb="items.listed", facts={"items": [named.pk]}).exists()
    said = {"hit_1": "keep", "reason_phone": "It is the hotline."}
    assert decide(as_user(ada), **said).status_code == 302
    turn, reply, quoted, told = taken(as_user(gwen))
    assert (turn, reply) == ("Write to [email], please.", f"Call me: {PHONE}.")
    assert quoted == "It gives [phone] away.", "raw answers follow the kind"
    assert told["kept"] == {"phone": 1}
    assert told["decided"]["reasons_to_keep"] == {"phone": "It is the hotline."}
    ruled = Event.objects.filter(verb="identifiers.ruled").latest("pk")
    assert (ruled.facts["places"], ruled.facts["stay"]) == (1, True)
    assert PHONE not in str(DisclosureRuling.objects.latest("pk").findings)


def test_who_comes_back_goes_on_from_what_was_decided(named, as_user, ada):
    looked_through(as_user(ada))
    decide(as_user(ada), kind_email="drop", hit_1="keep", reason_phone="It is the hotline.")
    form = as_user(ada).get(IDENTIFIERS).context["form"]
    begun = {name: form[name].value() for name in ("kind_email", "kind_phone", "hit_0", "hit_1")}
    assert begun == {
        "kind_email": "drop",
        "kind_phone": "redact",
        "hit_0": None,
        "hit_1": "keep",
    }
    assert form["reason_phone"].value() == "It is the hotline."


def test_each_choice_says_about_what_it_is(named, as_user, ada):
    page = looked_through(as_user(ada)).text
    labels = [
        " ".join(one.split()) for one in re.findall(r"<label[^>]*>(.*?)</label\s*>", page, re.S)
    ]
    assert f"What is done: d7.1 Telephone numbers {PHONE}" in labels
    assert 'role="group" aria-label="Telephone numbers"' in page
    refused = as_user(ada).post(IDENTIFIERS, {"kind_email": "redact", "kind_phone": "redact"})
    assert 'aria-invalid="true"' in refused.text.partition('<textarea id="reason"')[2]


def test_a_text_is_left_out_for_what_it_holds(named, as_user, ada, gwen):
    looked_through(as_user(ada))
    assert decide(as_user(ada), hit_0="drop").status_code == 302
    turn, reply, _quoted, told = taken(as_user(gwen))
    assert (turn, reply, told["texts_left_out"]) == ("[left out]", "Call me: [phone].", 1)


def test_one_is_kept_for_a_reason_only(named, as_user, ada):
    looked_through(as_user(ada))
    page = decide(as_user(ada), hit_1="keep")
    assert page.status_code == 422
    assert "Say why they may stay." in page.text
    assert not DisclosureRuling.objects.exists()


def test_who_may_not_read_the_texts_is_not_shown_what_is_in_them(named, as_user, gwen, ada):
    Grant.objects.filter(person=gwen, level="item_text").update(revoked_at=timezone.now())
    assert as_user(gwen).get(IDENTIFIERS).status_code == 403
    page = looked_through(as_user(ada))
    assert MAIL in page.text
    Grant.objects.filter(person=ada, level="item_text").update(revoked_at=timezone.now())
    page = as_user(ada).get(IDENTIFIERS)
    assert page.status_code == 403
    assert MAIL not in page.text


def test_what_is_in_a_split_that_is_not_granted_is_not_listed(named, as_user, ada):
    looked_through(as_user(ada))
    Grant.objects.filter(person=ada, level="restricted_split").update(revoked_at=timezone.now())
    page = as_user(ada).get(IDENTIFIERS)
    assert (page.status_code, page.context["found"]["hits"]) == (200, [])
    assert MAIL not in page.text


def test_without_texts_nothing_is_looked_through(named, as_user, gwen):
    Grant.objects.filter(person=gwen, level="text_away").update(revoked_at=timezone.now())
    assert "identifiers" not in json.loads(exported(as_user(gwen)).read("manifest.json"))
