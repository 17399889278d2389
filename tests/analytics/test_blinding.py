"""Judges stand under letters, wherever figures are told, until a verdict is sealed."""

import csv
import io
import json
import re
from base64 import b64encode
from collections import Counter, deque
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit
from zipfile import ZipFile

import pytest
import typst
from django.urls import resolve
from django.utils import timezone

from accounts.access import access_of
from accounts.models import Event
from analytics.exports import actions as exports
from analytics.models import Snapshot
from analytics.present.charts import drawing
from analytics.ratings import matrices
from analytics.ratings.blinding import cover_of
from analytics.report import actions as writeups
from analytics.rooms import ROOMS
from analytics.trust import blinding, sealing
from analytics.trust.actions import CannotFix
from annotation.models import Rater, Study, TeamRole
from annotation.queries.studies import study_for
from annotation.rules.visibility import BLINDED
from judging.models import CallState, Judge, JudgeCall, JudgeRun, Outcome, RunState
from tests.analytics.made import AT, human, items_of, judge, let_pass, rate
from tests.analytics.meadow import meadow
from tests.analytics.test_juries import seat
from tests.analytics.test_sealing import LOOKS, fixed
from tests.analytics.test_trust import truth
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")


ROOT = "/studies/meadow/agreement/"
WITHIN = (ROOT, "/studies/meadow/export/")
MARK = re.compile(r"zqmark|9876543[01]", re.IGNORECASE)
LETTER = re.compile(r"\bJudge [A-Z]\b")
LINK = re.compile(r'(?:href|hx-get|data-address|src)="([^"#]+)')
OAK = 98_765_430  # a number that nothing else has


@pytest.fixture
@made_once
def blinded(ada, gwen):
    """The meadow with two blinded judges, all of whose names, keys, numbers and LLMs are marked;
    oak wrote some of the replies itself, and was asked here."""
    team = {
        ada: [TeamRole.COORDINATOR, TeamRole.EXPORTER],
        gwen: [TeamRole.RESEARCHER],
    }
    study = meadow(
        team,
        n_dialogues=8,
        n_rated=6,
        repeats=2,
        judges=tuple(_marked()),
        criteria=("guidance", "safety", "empathy"),
    )
    Study.objects.update(judges_blinded_at=AT)
    oak = Rater.objects.get(key="zqmark-oak")
    owner = Judge.objects.create(
        rater=oak,
        llm="zqmark-llm",
        base_url="http://zqmark.test",
        prompt_edition="1",
        created_at=AT,
    )
    run = JudgeRun.objects.create(
        study=study,
        judge=owner,
        rubric_version=study.rubric_version,
        state=RunState.FINISHED,
        started_at=AT,
        finished_at=AT,
    )
    given = study.submissions.filter(rater=oak, repeat=1).select_related("item")
    JudgeCall.objects.bulk_create(
        JudgeCall(
            run=run,
            item=one.item,
            repeat=1,
            position=place,
            state=CallState.DONE,
            outcome=Outcome.RATED,
            submission=one,
            exchanges=[{"messages": [], "llm": "zqmark-answered", "fingerprint": "zqmark-fp"}],
            answered_at=AT,
        )
        for place, one in enumerate(given)
    )
    study.refresh_from_db()
    return study


def _marked():
    """With numbers that nothing else has."""
    for number, key in enumerate(("oak", "elm")):
        yield Rater.objects.create(
            pk=OAK + number,
            key=f"zqmark-{key}",
            name=f"Zqmark {key}",
            kind="judge",
            own_generators=["gen0"] if key == "oak" else [],
        )


@pytest.fixture
def jury(blinded, ada):
    """Of both, seated before they were blinded, with the mark in its name."""
    Study.objects.update(judges_blinded_at=None)
    seat(blinded, ada, "zqmark-oak", "zqmark-elm", name="Zqmark both", quorum=1)
    Study.objects.update(judges_blinded_at=AT)
    return next(one for one in matrices.read(blinded.pk).judges if one.is_jury)


def walked(browser, start):
    """{address: text} of what links lead to from a page of figures, each kind of it once."""
    found, seen, waiting, met = {}, Counter(), deque([start]), {start}
    while waiting:
        address = waiting.popleft()
        place = urlsplit(address)
        kind = resolve(place.path).url_name, *sorted(dict(parse_qsl(place.query)))
        if seen[kind]:
            continue
        seen[kind] += 1
        found[address] = browser.get(address).getvalue().decode("utf-8", "replace")
        links = {urljoin(address, unescape(link)): None for link in LINK.findall(found[address])}
        waiting.extend(to for to in links if to.startswith(WITHIN) and to not in met)
        met.update(links)
    return found


def tables_of(browser):
    """Every table as CSV, the first of each room in every form, and all that the API answers."""
    found = {}
    for key in ROOMS:
        api = f"/api/v1/studies/meadow/figures/{key}/"
        found[api] = browser.get(api).content.decode()
        for place, table in enumerate(json.loads(found[api])["tables"]):
            for kind in ("csv", "json", "tex", "md") if not place else ("csv",):
                name = f"{ROOT}tables/{key}/{table['key']}.{kind}"
                found[name] = browser.get(name).content.decode()
    for name in ("agreement/", "trust/", "ratings/", "gold/", "disclosure/"):
        found[name] = browser.get(f"/api/v1/studies/meadow/{name}").content.decode()
    return found


def marked(found):
    return [address for address, text in found.items() if MARK.search(address + text)]


def test_no_way_out_of_figures_names_a_judge_before_and_each_does_after(
    blinded, jury, as_user, ada
):
    browser = as_user(ada)
    before = walked(browser, ROOT) | tables_of(browser)
    assert len(before) > 50
    assert marked(before) == []
    assert sum(bool(LETTER.search(text)) for text in before.values()) > 20
    assert sum(jury.name in text for text in before.values()) > 20
    named_early(blinded, ada)
    after = walked(browser, ROOT)
    assert len(marked(after)) > 10
    assert not [address for address, text in after.items() if LETTER.search(text)]


def named_early(study, by, reason="The funder asks."):
    study_access = study_for(access_of(by, at=timezone.now()), study.key)
    blinding.name_early(study_access=study_access, reason=reason, by=by, at=AT)


def test_nothing_that_is_kept_of_figures_names_a_judge(blinded, as_user, ada):
    as_user(ada).get(ROOT)
    as_user(ada).get(f"{ROOT}trust/")
    kept = [json.dumps(one.report) for one in Snapshot.objects.filter(study=blinded)]
    assert kept
    assert not any(map(MARK.search, kept))
    assert not any("gen0" in report for report in kept), "the source that tells who is left out"


@pytest.fixture
def words_stay_legible(monkeypatch):
    """Pictures and pages of paper are what they would be made from: dots hide words, and what is
    drawn says no more than that."""
    drawing.has_chinese()  # is told once a process, of real ones

    def ask(order, **_how):
        told = json.dumps(order, ensure_ascii=False)
        return told if order["as"] == "svg" else b64encode(told.encode()).decode()

    monkeypatch.setattr(drawing._drawer, "ask", ask)
    monkeypatch.setattr(typst, "compile", lambda source, root: Path(source).read_bytes())


def test_neither_does_the_report_which_says_that_they_are_blinded(
    blinded, jury, words_stay_legible
):
    written = writeups.write_for_command(study=blinded, by=None, at=AT)
    assert written.reason is BLINDED
    texts = [content.decode() for content in written.files.values()]
    assert not any(map(MARK.search, texts))
    assert any(map(LETTER.search, texts))
    assert any(jury.name in text for text in texts)
    assert any("Judges have been blinded since" in text for text in texts)
    for kind in ("png", "pdf"):
        assert LETTER.search(written.files[f"figures/forest_icc_a1.{kind}"].decode()), kind
    assert jury.name in written.files["report.pdf"].decode()


@pytest.mark.django_db(transaction=True)
def test_a_release_holds_what_people_gave_and_nothing_of_judges(blinded, ada, settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    let_pass(blinded, by=ada)
    built = exports.build(study_key="meadow", with_texts=False, by=ada, at=timezone.now())
    with ZipFile(built.path) as archive:
        texts = {name: archive.read(name).decode("latin-1") for name in archive.namelist()}
    assert not [name for name, text in texts.items() if MARK.search(text)]
    assert set(csv_column(texts["ratings.csv"], "rater_kind")) == {"human"}
    assert json.loads(texts["manifest.json"])["filters"]["judges"] is False


def csv_column(text, name):
    return [row[name] for row in csv.DictReader(io.StringIO(text))]


def test_single_answers_of_judges_are_told_to_nobody_under_any_name(blinded, as_user, ada):
    browser = as_user(ada)
    run, call = JudgeRun.objects.get(), JudgeCall.objects.first()
    item = browser.get(f"{ROOT}items/{call.item_id}/").content.decode()
    assert "Person0" in item
    assert not LETTER.search(item)
    read = browser.get(f"/studies/meadow/judges/{run.pk}/calls/{call.pk}/").content.decode()
    assert str(BLINDED) in read
    letter = next(one.id for one in matrices.read(blinded.pk).judges)
    for behind in (
        f"criteria/safety/judge_humans/{letter}/items/",
        f"criteria/safety/judge_humans/{letter}/table.csv",
    ):
        assert browser.get(ROOT + behind).status_code == 403, behind


def test_who_runs_judges_reads_names_where_no_figure_is_and_nobody_else(
    blinded, as_user, ada, gwen
):
    run = JudgeRun.objects.get()
    for page in ("", f"{run.pk}/", f"{run.pk}/calls/"):
        told = as_user(ada).get(f"/studies/meadow/judges/{page}").content.decode()
        assert MARK.search(told), page
        assert not LETTER.search(told), page
        assert "Unscored ratings" not in told
        assert as_user(gwen).get(f"/studies/meadow/judges/{page}").status_code == 403, page


def test_letters_stay_as_judges_come_and_their_order_says_nothing(blinded):
    def lettered():
        return {
            one.key: set(the_values(study, one))
            for study in [matrices.read(blinded.pk)]
            for one in study.judges
        }

    before = lettered()
    rate(judge("ash"), items_of(blinded)[0], safety=1)
    after = lettered()
    assert before.items() <= after.items()
    assert len(after) == 3
    firsts = set()
    for number in range(8):
        Study.objects.filter(pk=blinded.pk).update(release_key=f"{number:064x}")
        cover = cover_of(blinded.pk)
        firsts.add(min(cover.judges, key=lambda rater: cover.judges[rater].id))
    assert len(firsts) > 1


def the_values(study, one):
    return matrices.matrix(study, "safety").of(one).tolist()[:3]


def test_only_a_coordinator_blinds_and_only_before_a_judge_has_rated(pond, as_user, ada, gwen):
    address = "/studies/pond/agreement/trust/blind/"
    assert as_user(gwen).post(address).status_code == 403
    as_user(ada).post(address)
    pond.refresh_from_db()
    assert pond.judges_are_blinded
    assert Event.objects.filter(verb="judges.blinded", subject=f"study:{pond.pk}").count() == 1
    assert "blinded already" in as_user(ada).post(address, follow=True).content.decode()
    other = study_with(
        rubric="mentalalign", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=2
    )
    rate(judge("echo"), items_of(other)[0], safety=1)
    with pytest.raises(CannotFix, match="before the first of them rates"):
        blinding.blind(study_access=study_for(access_of(ada, at=AT), "lake"), by=ada, at=AT)


def test_naming_judges_early_takes_a_reason_that_is_printed_from_then_on(
    blinded, as_user, ada, gwen
):
    address = f"{ROOT}trust/name/"
    assert as_user(gwen).post(address, {"reason": "I want to know."}).status_code == 403
    assert "Say why" in as_user(ada).post(address, {"reason": " "}, follow=True).content.decode()
    as_user(ada).post(address, {"reason": "The funder\x00 asks."})
    event = Event.objects.get(verb="judges.unblinded")
    assert event.facts == {"look": None, "before_the_look": True, "reason": "The funder asks."}
    assert "“The funder asks.”" in as_user(ada).get(f"{ROOT}trust/").content.decode()
    with pytest.raises(CannotFix, match="not blinded"):
        named_early(blinded, ada)


@pytest.fixture
@made_once
def lake(ada):
    """Twenty items and more that two people and a blinded judge have rated."""
    study = study_with(
        rubric="mentalalign", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=24
    )
    raters = [human("ruth"), human("rolf"), judge("echo")]
    for place, item in enumerate(items_of(study)):
        for rater in raters:
            rate(rater, item, safety=truth(place))
    Study.objects.update(judges_blinded_at=AT)
    study.refresh_from_db()
    return study


def test_sealing_names_the_judges_and_says_that_they_were_blinded(lake, as_user, ada):
    study_access = fixed(lake, ada)
    sealed = sealing.seal(study_access=study_access, by=ada, at=AT)
    content = json.loads(sealed.content)
    assert [card["judge"] for card in content["cards"]] == ["echo"]
    assert content["blinding"]["named_early_because"] == ""
    assert content["data_sha256"] == matrices.digest(matrices.read(lake.pk))
    assert Event.objects.get(verb="judges.unblinded").facts["look"] == 1
    page = as_user(ada).get(f"/studies/lake/agreement/verdicts/{sealed.sha256}/").content.decode()
    assert "Yes: the judges were named as this was sealed." in page


def test_a_verdict_says_that_its_judges_were_named_before(lake, as_user, ada):
    study_access = fixed(lake, ada)
    named_early(lake, ada)
    sealed = sealing.seal(study_access=study_access, by=ada, at=AT)
    page = as_user(ada).get(f"/studies/lake/agreement/verdicts/{sealed.sha256}/").content.decode()
    assert "The funder asks." in page


def test_a_look_that_is_not_due_names_nobody(lake, ada):
    study_access = fixed(lake, ada, looks=LOOKS.replace("[20, 40]", "[30, 40]"))
    with pytest.raises(sealing.CannotSeal):
        sealing.seal(study_access=study_access, by=ada, at=AT)
    lake.refresh_from_db()
    assert lake.judges_are_blinded
