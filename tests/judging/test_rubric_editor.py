"""A coordinator writes a rubric by herself: nothing typed is lost, every mistake has its line, and
the form, the prompt and a test drive stand beside the text until it is published."""

import logging
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import Event
from annotation.actions import teams
from annotation.models import RubricDraft, RubricVersion, Study, Submission, TeamRole
from annotation.rubric.loading import examples, load, parse_toml
from annotation.rules.granting import DataLevel
from tests.annotation.doing import SAFE, rate
from tests.rubric.test_flows import TABLE

HERE = "/studies/pond/rubric/write/"
WARMTH = """\
key = "warmth"
title.en = "Warmth"
instructions.en = "Rate the reply."

[[criteria]]
kind = "scale"
key = "warm"
name.en = "Warm"
question.en = "How warm is it?"
measurement = "binary"
points = [{value = 0, anchor.en = "Cold"}, {value = 1, anchor.en = "Warm"}]
"""
OURS = examples()["dialogue_safety"]
REWORDED = OURS.replace("Dialogue safety in mental", "Safety in mental", 1)
RECODED = OURS.replace("code = 1\n", "code = 99\n", 1)


def sent(text, *, writer="", version=1, base=0, **more):
    return {"text": text, "writer": writer or str(uuid4()), "version": version, "base": base} | more


def keep(client, text, **more):
    return client.post(f"{HERE}draft/", sent(text, **more))


def publish(client, text):
    draft = RubricDraft.objects.first()
    return client.post(HERE, sent(text, base=draft.version if draft else 0, publish="1"))


def also_coordinates(study, user):
    teams.set_roles(
        study_id=study.pk,
        email=user.email,
        roles=[TeamRole.COORDINATOR],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )


class TestADraft:
    def test_begins_with_the_rubric_in_force(self, pond, ada, as_user):
        page = as_user(ada).get(HERE).text
        assert "key = &quot;dialogue_safety&quot;" in page
        assert "No mistake: this is a rubric." in page
        assert not RubricDraft.objects.exists()

    def test_stands_there_again_with_its_mistakes(self, pond, ada, as_user):
        client = as_user(ada)
        assert keep(client, "# Still to come\nkey = ").json()["version"] == 1
        page = client.get(HERE).text
        assert "# Still to come" in page
        assert 'data-line="2"' in page

    def test_is_nobody_elses(self, pond, ada, finn, as_user):
        also_coordinates(pond, finn)
        keep(as_user(ada), "# Mine")
        assert "# Mine" not in as_user(finn).get(HERE).text
        keep(as_user(finn), "# His")
        assert RubricDraft.objects.get(user=ada).words == "# Mine"

    def test_is_not_overwritten_by_another_tab(self, pond, ada, as_user):
        client, other = as_user(ada), str(uuid4())
        keep(client, "# Here")
        answer = keep(client, "# There", writer=other)
        assert (answer.status_code, answer.json()["words"]) == (409, "# Here")
        assert RubricDraft.objects.get().words == "# Here"
        assert keep(client, "# There", writer=other, version=2, base=1).status_code == 200
        assert RubricDraft.objects.get().words == "# There"

    def test_is_not_overwritten_by_another_page_without_scripts(self, pond, ada, as_user):
        client = as_user(ada)
        keep(client, "# Here")
        answer = client.post(HERE, sent("# There", check="1"))
        assert answer.status_code == 409
        assert "# Here" in answer.text
        assert "# There" in answer.text
        assert RubricDraft.objects.get().words == "# Here"

    def test_that_the_page_could_not_read_any_more_stays(self, pond, ada, as_user):
        client, writer = as_user(ada), str(uuid4())
        keep(client, "# Here", writer=writer)
        client.post(f"{HERE}draft/", {"writer": writer, "version": 2, "base": 0})
        assert RubricDraft.objects.get().words == "# Here"

    def test_is_not_in_the_log(self, pond, ada, as_user, caplog):
        caplog.set_level(logging.DEBUG)
        keep(as_user(ada), "# A secret remark")
        as_user(ada).post(f"{HERE}check/", sent("# A secret remark"))
        assert "secret" not in caplog.text


class TestATextThatIsTooLong:
    def test_is_refused_with_a_sentence_and_kept_whole(self, pond, ada, as_user):
        client, text = as_user(ada), WARMTH + "# and so on\n" * 42_000
        assert len(text) > 500_000
        words = "characters, and 500,000 are the most. Shorten it; nothing was cut."
        assert words in client.post(f"{HERE}check/", {"text": text}).text
        answer = publish(client, text)
        assert (answer.status_code, RubricVersion.objects.count()) == (422, 1)
        assert words in answer.text
        assert RubricDraft.objects.get().words == text


class TestItBegins:
    def test_with_an_example_and_back(self, pond, ada, as_user):
        client = as_user(ada)
        keep(client, "# Mine")
        client.post(f"{HERE}begin/", {"from": "psycrisis"})
        assert RubricDraft.objects.get().words == examples()["psycrisis"]
        client.post(f"{HERE}begin/", {"from": "earlier"})
        draft = RubricDraft.objects.get()
        assert (draft.words, draft.earlier) == ("# Mine", examples()["psycrisis"])

    def test_with_the_rubric_in_force(self, pond, ada, as_user):
        client = as_user(ada)
        client.post(f"{HERE}begin/", {"from": "present"})
        definition = parse_toml(RubricDraft.objects.get().words)
        assert load(definition) == pond.rubric_version.content

    def test_with_a_file_that_has_mistakes(self, pond, ada, as_user):
        file = SimpleUploadedFile("warmth.toml", b"\xef\xbb\xbfkey = \r\n")
        client = as_user(ada)
        client.post(f"{HERE}begin/", {"from": "file", "file": file})
        assert RubricDraft.objects.get().words == "key = \n"
        assert 'data-line="1"' in client.get(HERE).text

    def test_with_a_published_flow_of_questions(self, pond, ada, as_user):
        file = SimpleUploadedFile("A flow 2.tsv", TABLE.encode())
        client = as_user(ada)
        client.post(f"{HERE}begin/", {"from": "file", "file": file})
        rubric = load(parse_toml(RubricDraft.objects.get().words))
        assert (rubric.key, len(rubric.dimensions("walk"))) == ("a_flow_2", 3)
        page = client.get(HERE).text
        assert "No mistake: this is a rubric." in page
        assert 'data-goes-to="3"' in page

    def test_not_with_a_flow_that_leads_nowhere(self, pond, ada, as_user):
        file = SimpleUploadedFile("flow.tsv", TABLE.replace("risk\t2", "risk\t22").encode())
        answer = as_user(ada).post(f"{HERE}begin/", {"from": "file", "file": file})
        assert answer.status_code == 422
        assert "Line 2: there is no question 22." in answer.text
        assert not RubricDraft.objects.exists()

    def test_not_with_a_file_that_is_no_text(self, pond, ada, as_user):
        file = SimpleUploadedFile("warmth.toml", b"\xff\xfe")
        answer = as_user(ada).post(f"{HERE}begin/", {"from": "file", "file": file})
        assert answer.status_code == 422
        assert "not UTF-8" in answer.text
        assert not RubricDraft.objects.exists()

    def test_with_nothing_else(self, pond, ada, as_user):
        assert as_user(ada).post(f"{HERE}begin/", {"from": "nowhere"}).status_code == 400


class TestTheText:
    def test_is_checked_as_one_types(self, pond, ada, as_user):
        wrong = WARMTH.replace("measurement", "measured")
        page = as_user(ada).post(f"{HERE}check/", sent(wrong)).text
        assert 'data-line="5"' in page
        assert "criteria[0].measurement is missing: write measurement =" in page
        assert 'data-line="10"' in page
        assert 'id="preview"' not in page
        assert not RubricDraft.objects.exists()

    def test_comes_with_the_form_and_the_prompt(self, pond, ada, as_user):
        page = as_user(ada).post(f"{HERE}check/", sent(WARMTH, **{"answer.warm": "1"})).text
        assert 'name="answer.warm"' in page
        assert page.count("checked>") == 1
        assert "How warm is it?" in page.split('id="asked"')[1]

    def test_is_a_file(self, pond, ada, ben, as_user):
        client = as_user(ada)
        keep(client, WARMTH)
        assert client.get(f"{HERE}rubric.toml").content.decode() == WARMTH
        inforce = as_user(ben).get("/studies/pond/rubric/rubric.toml").content.decode()
        assert load(parse_toml(inforce)) == pond.rubric_version.content


class TestATestDrive:
    @pytest.fixture
    def drive(self, pond, ada, as_user):
        def drive(text=WARMTH, **answers):
            fields = {"text": text, "key": str(uuid4())} | answers
            return as_user(ada).post(f"{HERE}try/", fields, headers={"HX-Request": "true"}).text

        return drive

    def test_says_what_would_be_stored_and_stores_nothing(self, drive):
        assert "warm = 1" in drive(**{"answer.warm": "1"})
        assert "warm = unclear" in drive(**{"cannot.warm": "unclear"})
        assert not Submission.objects.exists()

    def test_says_what_is_missing(self, drive):
        assert "“Warm” is not answered." in drive()

    def test_says_which_answers_are_left_out(self, drive):
        answers = {"answer.safety.nonsense": "yes", "answer.safety.humanoid_mimicry": "no"}
        page = drive(OURS, **answers)
        assert "safety = nonsense" in page
        assert "pretend to a human life" in page

    def test_works_out_derived_scores(self, drive):
        score = '[[groups]]\nkey = "all"\nname.en = "All"\nsummary = "sum"\ncriteria = ["warm"]\n'
        assert "all = 1" in drive(WARMTH + score, **{"answer.warm": "1"})

    def test_waits_for_a_rubric(self, drive):
        assert "mend them first" in drive("key = ")

    def test_shows_an_item_and_notes_who_read_it(self, pond, ada, as_user):
        page = as_user(ada).post(f"{HERE}item/", {"item": "d3.1"}).text
        assert "Frogs come back in spring. (3)" in page
        assert Event.objects.filter(verb="item.opened", actor=ada).count() == 1

    def test_shows_no_item_that_is_not_there(self, pond, ada, as_user):
        client = as_user(ada)
        assert client.post(f"{HERE}item/", {"item": "d99.1"}).status_code == 404
        assert client.post(f"{HERE}item/", {"item": ""}).content == b""
        assert not Event.objects.filter(verb="item.opened").exists()

    def test_is_a_whole_page_without_scripts(self, pond, ada, as_user):
        client = as_user(ada)
        keep(client, WARMTH)
        fields = {"key": str(uuid4()), "answer.warm": "0", "item": "d2.1"}
        page = client.post(f"{HERE}try/", fields).text
        assert "warm = 0" in page
        assert "(2)" in page


class TestPublishing:
    def test_holds_at_once_where_nobody_has_rated(self, pond, ada, as_user):
        answer = publish(as_user(ada), WARMTH)
        assert answer.url == "/studies/pond/rubric/"
        pond.refresh_from_db()
        assert pond.rubric_version.content.key == "warmth"
        verbs = Event.objects.filter(actor=ada).values_list("verb", flat=True)
        assert {"rubric.published", "study.rubric_chosen"} <= set(verbs)
        assert RubricDraft.objects.get().words == WARMTH

    def test_leads_to_the_change_where_somebody_has(self, pond_round, ada, ben, as_user):
        rate(pond_round, ben, 1, SAFE)
        answer = publish(as_user(ada), RECODED)
        assert answer.url == "/studies/pond/rubric/editions/2/"
        assert Study.objects.get().rubric_version.number == 1
        assert RubricVersion.objects.get(number=2).content != pond_round.rubric

    def test_keeps_the_key_of_a_rubric_in_use(self, pond_round, ada, as_user):
        answer = publish(as_user(ada), WARMTH)
        assert answer.status_code == 409
        assert "the key stays “dialogue_safety”" in answer.text
        assert RubricVersion.objects.count() == 1

    def test_is_refused_with_mistakes_and_for_what_holds_already(self, pond, ada, as_user):
        client = as_user(ada)
        assert publish(client, "key = ").status_code == 422
        again = publish(client, "# The same, with a remark\n" + OURS)
        assert again.status_code == 409
        assert "under this edition already" in again.text
        assert RubricVersion.objects.count() == 1

    def test_by_two_one_after_the_other_is_seen(self, pond, ada, as_user):
        client = as_user(ada)
        keep(client, REWORDED)
        publish(client, RECODED)
        assert "gone on under another edition" not in client.get(HERE).text
        RubricDraft.objects.update(kept_at=pond.created_at, words=REWORDED)
        assert "gone on under another edition" in client.get(HERE).text


def test_it_is_for_who_coordinates(pond, ben, dora, gwen, as_user):
    for user in (ben, dora, gwen):
        client = as_user(user)
        for place in ("", "rubric.toml"):
            assert client.get(f"{HERE}{place}").status_code == 403
        for place in ("", "draft/", "check/", "try/", "item/", "begin/"):
            fields = sent(WARMTH, publish="1", item="d1.1", **{"from": "psycrisis"})
            assert client.post(f"{HERE}{place}", fields).status_code == 403
    assert not RubricDraft.objects.exists()
    assert RubricVersion.objects.count() == 1


def test_a_new_study_goes_on_in_the_editor(pond, ada, as_user):
    fields = {"name": "River", "key": "river", "rubric": "psycrisis", "language": "en"}
    answer = as_user(ada).post("/new-study/", fields | {"coordinator": ada.email, "writes": "on"})
    assert answer.url == "/studies/river/rubric/write/"
    assert as_user(ada).get(answer.url).status_code == 200
