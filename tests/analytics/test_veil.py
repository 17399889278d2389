"""Who sees figures but no single raters reads pseudonyms, and nothing of few people."""

import json
import re
from html import unescape

import pytest
from django.db import connection
from django.utils import timezone

from accounts.access import access_of
from analytics.exports.pseudonyms import page_name, pseudonym
from analytics.parts import PARTS
from analytics.present.typesetting import FILES
from analytics.present.veil import veil_of
from analytics.rooms import ROOMS
from annotation.models import Grant, TeamRole
from annotation.queries.studies import study_for
from annotation.rules.granting import Action
from tests.analytics.made import let_pass
from tests.analytics.meadow import computed_meadow

pytestmark = pytest.mark.usefixtures("empty_cache")

ROOT = "/studies/meadow/agreement/"
PAGES = (
    "",
    "matrix/",
    "criteria/relevance/",
    "judges/",
    "judges/oak/",
    "safety/",
    "plan/",
    "calibration/",
    "trust/",
    "routing/",
    "report/",
    "verification/",
)
NAME = re.compile(r"person\d", re.IGNORECASE)
LINK = re.compile(r'href="(/studies/meadow/agreement/[^"#]*)')
PAIR = re.compile(r"/studies/meadow/agreement/criteria/relevance/human_pair/\d+-\d+/(?=[\"?])")
PSEUDONYM = re.compile(r"\bP-[A-Z2-7]{10}\b")


@pytest.fixture
def of(ada, gwen):
    """of(5) is a study that five people have rated, with ids that nothing else has; gwen has its
    figures and no single raters."""

    def made(n_people):
        team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
        with connection.cursor() as cursor:
            cursor.execute("ALTER SEQUENCE annotation_rater_id_seq RESTART 71920001")
        study = computed_meadow(team, PARTS, n_dialogues=6, n_rated=3, n_people=n_people, repeats=1)
        Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
        let_pass(study, by=ada)
        return study

    return made


def read(browser, address):
    answer = browser.get(ROOT + address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def files(browser):
    """Every table of every room that there is for this reader, in every kind of file."""
    for key, room in ROOMS.items():
        if room.action is Action.SEE_RATERS:
            continue
        answer = browser.get(f"/api/v1/studies/meadow/figures/{key}/")
        yield key, answer.content.decode()
        for table in answer.json()["tables"][:4]:
            for kind in FILES:
                name = f"tables/{key}/{table['key']}.{kind}"
                yield name, read(browser, name)


def told_to(browser):
    """Every page and file, and what the interface tells of the whole study."""
    yield from ((page, read(browser, page)) for page in PAGES)
    yield from files(browser)
    for part in ("agreement", "trust"):
        yield part, browser.get(f"/api/v1/studies/meadow/{part}/").content.decode()


def test_of_few_people_no_page_and_no_file_names_one(of, as_user, gwen):
    of(2)
    assert not [name for name, text in told_to(as_user(gwen)) if NAME.search(text)]


def test_who_holds_ratings_by_rater_reads_names(of, as_user, ada):
    of(2)
    assert NAME.search(read(as_user(ada), "criteria/relevance/"))


def test_five_people_are_told_of_one_by_one_under_pseudonyms(of, as_user, gwen):
    study = of(5)
    browser = as_user(gwen)
    on_page = set(PSEUDONYM.findall(read(browser, "criteria/relevance/")))
    assert len(on_page) == 5
    for kind in FILES:
        told = read(browser, f"tables/agreement/single_raters.{kind}")
        assert set(PSEUDONYM.findall(told)) == on_page, kind
    people = study.submissions.filter(rater__kind="human").values_list("rater", flat=True)
    in_releases = {pseudonym(study.release_key, rater)[2:] for rater in people}
    assert not in_releases & {name[2:] for name in on_page}


def test_of_fewer_than_five_no_single_person_is_told_of(of, as_user, gwen):
    of(4)
    browser = as_user(gwen)
    assert "/judge_human/" not in read(browser, "criteria/relevance/")
    assert not PSEUDONYM.search(read(browser, "judges/oak/"))
    assert browser.get(f"{ROOT}tables/agreement/single_raters.csv").status_code == 404
    report = browser.get("/api/v1/studies/meadow/agreement/").json()
    kinds = {one["kind"] for one in report["comparisons"]}
    assert kinds == {"humans", "judge_humans"}
    assert all(one["table"] is None for one in report["comparisons"])
    assert {one["rater"] for one in report["quality"]} == {
        one["id"] for one in report["raters"] if one["is_judge"]
    }


def test_of_five_no_page_and_no_file_holds_a_name_or_an_id(of, as_user, gwen):
    study = of(5)
    browser = as_user(gwen)
    told = list(told_to(browser))
    seen = {name for name, _text in told}
    for _page, text in list(told):
        for link in {one for one in LINK.findall(text) if "relevance" in one} - seen:
            seen.add(link)
            answer = browser.get(unescape(link))
            if answer.status_code == 200 and not answer.streaming:
                told.append((link, answer.content.decode()))
    people = study.submissions.filter(rater__kind="human").values_list("rater", flat=True)
    ids = re.compile("|".join(map(str, set(people))))
    assert not [name for name, text in told if ids.search(text) or NAME.search(text)]
    assert len([name for name in seen if "/judge_human/" in name]) >= 5
    raters = json.loads(dict(told)["agreement"])["raters"]
    named = {one["id"]: one["name"] for one in raters if not one["is_judge"]}
    assert named == {number: page_name(number) for number in named}


def test_the_address_of_a_person_is_not_one_behind_the_veil(of, as_user, ada, gwen):
    of(5)
    [pair, *_others] = sorted(set(PAIR.findall(read(as_user(ada), "criteria/relevance/"))))
    veiled_pairs = set(PAIR.findall(read(as_user(gwen), "criteria/relevance/")))
    assert pair not in veiled_pairs
    assert as_user(ada).get(pair).status_code == 200
    assert as_user(gwen).get(pair).status_code == 404
    assert as_user(gwen).get(veiled_pairs.pop()).status_code == 200


def test_a_data_set_says_how_many_people_are_enough(of, as_user, gwen):
    study = of(3)
    study.data_set.least_raters = 3
    study.data_set.save()
    assert PSEUDONYM.search(read(as_user(gwen), "criteria/relevance/"))


def test_the_page_says_what_is_missing_and_where_to_ask(of, as_user, ada, gwen):
    of(2)
    assert "People have pseudonyms here" in read(as_user(gwen), "matrix/")
    assert "People have pseudonyms here" not in read(as_user(ada), "matrix/")


def test_no_file_of_the_report_is_handed_out_without_the_level(of, as_user, gwen):
    of(5)
    answer = as_user(gwen).get(f"{ROOT}report/files/report.zip")
    assert answer.status_code == 403
    assert "What single raters answered is not granted" in answer.content.decode()


def test_pseudonyms_of_two_data_sets_are_others(of, gwen, ada, pond):
    of(2)
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    access = access_of(gwen, at=timezone.now())
    veils = [veil_of(study_for(access, key)) for key in ("meadow", "pond")]
    assert veils[0].name(7) != veils[1].name(7)
    assert veil_of(study_for(access_of(ada, at=timezone.now()), "pond")) is None
