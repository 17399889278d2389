"""What a study is called and what it is about, in the languages of its team."""

import pytest

from accounts.models import Event
from annotation.models import Study

ADDRESS = "/studies/pond/settings/"


def sent(*written: tuple[str, str], name="Pond"):
    """The fields of the page: a name, and (language, description) pairs."""
    fields = {"name": name, "language": "en"}
    fields |= {"in-TOTAL_FORMS": len(written), "in-INITIAL_FORMS": 0}
    for number, (language, text) in enumerate(written):
        fields |= {f"in-{number}-language": language, f"in-{number}-text": text}
    return fields


def test_it_is_described_in_any_languages_and_read_in_the_nearest(pond, ada, ben, as_user):
    both = sent(("pt-BR", "Sobre sapos."), ("zh_Hans", "关于青蛙。"), ("", ""), name="Frogs")
    assert as_user(ada).post(ADDRESS, both).status_code == 302
    pond.refresh_from_db()
    assert pond.name == "Frogs"
    assert pond.descriptions == {"pt-br": "Sobre sapos.", "zh-hans": "关于青蛙。"}
    page = as_user(ben).get("/studies/pond/").content.decode()
    assert '<p lang="pt-br"><p>Sobre' in page or "Sobre sapos." in page
    in_chinese = as_user(ben).get("/", headers={"Accept-Language": "zh-hans"}).content.decode()
    assert 'lang="zh-hans">关于青蛙。' in in_chinese
    facts = Event.objects.get(verb="study.described").facts
    assert facts == {"renamed": True, "dialogues": "en", "languages": ["pt-br", "zh-hans"]}


API = "/api/v1/studies/pond/settings/"
BY_PROGRAM = {
    "name": "Frogs",
    "language": "zh-hans",
    "descriptions": {"pt-BR": "Sobre sapos.", "zh_Hans": "关于青蛙。"},
}


def test_a_program_says_the_same_and_reads_it_back(pond, ada, ben, as_user):
    client = as_user(ada)
    answer = client.put(API, BY_PROGRAM, content_type="application/json")
    assert answer.status_code == 200
    told = BY_PROGRAM | {"descriptions": {"pt-br": "Sobre sapos.", "zh-hans": "关于青蛙。"}}
    assert answer.json() == client.get(API).json() == told
    pond.refresh_from_db()
    assert (pond.name, pond.language) == ("Frogs", "zh-hans")
    assert as_user(ben).put(API, BY_PROGRAM, content_type="application/json").status_code == 403


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"language": "tlh"}, "language"),
        ({"descriptions": {"frog language": "About frogs."}}, "not the tag of a language"),
        ({"descriptions": {"en": "Frogs.", "EN": "Toads."}}, "A language stands here twice."),
        ({"descriptions": {f"en-x-{n}": "Frogs." for n in range(41)}}, "40"),
    ],
)
def test_what_a_program_gets_wrong_is_said(pond, ada, as_user, change, why):
    answer = as_user(ada).put(API, BY_PROGRAM | change, content_type="application/json")
    assert answer.status_code == 422
    assert why in answer.content.decode()
    assert Study.objects.get().descriptions == {}


def test_a_description_left_empty_is_gone(pond, ada, as_user):
    Study.objects.update(descriptions={"en": "About frogs."})
    assert "About frogs." in as_user(ada).get(ADDRESS).content.decode()
    as_user(ada).post(ADDRESS, sent(("en", "")))
    assert Study.objects.get().descriptions == {}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (sent(("", "About frogs.")), "Say in which language this is."),
        (sent(("frog language", "About frogs.")), "This is not the tag of a language."),
        (sent(("en", "Frogs."), ("EN", "Toads.")), "A language stands here twice."),
        (sent(name=""), "This field is required."),
        (sent(("en", "x" * 10_001)), "at most 10000 characters"),
    ],
)
def test_what_is_wrong_is_said_and_kept_in_view(pond, ada, as_user, fields, why):
    answer = as_user(ada).post(ADDRESS, fields)
    assert answer.status_code == 422
    assert why in answer.content.decode()
    assert Study.objects.get().descriptions == {}


def test_who_does_not_coordinate_sets_nothing(pond, ben, as_user):
    assert as_user(ben).post(ADDRESS, sent(name="Mine")).status_code == 403


def test_a_new_study_is_described_in_the_language_of_the_page(pond, ada, as_user):
    fields = {
        "name": "Reeds",
        "key": "reeds",
        "description": "关于芦苇。",
        "rubric": "dialogue_safety",
        "language": "zh-hans",
        "coordinator": ada.email,
    }
    as_user(ada).post("/new-study/", fields, headers={"Accept-Language": "zh-hans"})
    assert Study.objects.get(key="reeds").descriptions == {"zh-hans": "关于芦苇。"}
