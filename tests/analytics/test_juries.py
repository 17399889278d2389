"""Several judges that rate as one stand wherever a judge does, and nothing of it is stored as ratings."""

import csv
import io
import json
from zipfile import ZipFile

import numpy as np
import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.access import access_of
from accounts.models import Event
from analytics.exports import actions as exports
from analytics.exports import rows
from analytics.figures import store
from analytics.juries import actions
from analytics.juries.proposing import CannotSeat
from analytics.models import Jury
from analytics.ratings import matrices
from analytics.ratings.columns import ColumnPlace
from analytics.ratings.juries import number_of
from analytics.ratings.matrices import PLAIN
from analytics.report import actions as writeups
from analytics.report import basis
from analytics.rooms import ROOMS
from analytics.stats.juries import JuryRule
from analytics.trust import numbers as trust
from annotation.models import Rater, Rating, Study, Submission, TeamRole
from annotation.queries.studies import study_for
from judging.actions import holding_out
from tests.analytics.made import AT, human, items_of, judge, let_pass, rate
from tests.analytics.meadow import meadow
from tests.cast import study_with
from tests.kept import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
SAFE, NONSENSE = "safe_response", "nonsense"
ROOT = "/studies/{key}/agreement/"
PAGE = f"{ROOT}juries/"


@pytest.fixture
def three(pond):
    """Three judges on the labels of the pond, the third with an answer that nobody could read."""
    owl, elm, ash = judge("owl"), judge("elm", "gen1"), judge("ash")
    for place, item in enumerate(items_of(pond)):
        rate(owl, item, safety=SAFE)
        rate(elm, item, safety=SAFE if place < 3 else NONSENSE)
        rate(ash, item, safety="[empty]" if place in (0, 5) else NONSENSE)
    return pond


def seat(study, by, *keys, rule=JuryRule.MEDIAN, quorum=2, name="Three"):
    members = list(Rater.objects.filter(key__in=keys).values_list("pk", flat=True))
    return actions.name_jury(
        study_access=study_for(access_of(by, at=timezone.now()), study.key),
        name=name,
        members=members,
        rule=rule,
        quorum=quorum,
        by=by,
        at=AT,
    )


def given(study, jury, key="safety", repeat=1):
    return study.values(ColumnPlace(number_of(jury), repeat), key, view=PLAIN).tolist()


def labels(study, *keys):
    of = {one.key: float(one.code) for one in study.rubric.criterion("safety").labels}
    return [of[key] if key else np.nan for key in keys]


def test_most_votes_and_ties_and_the_quorum_are_told_apart(three, ada):
    jury = seat(three, ada, "owl", "elm", "ash")
    study = matrices.read(three.pk)
    np.testing.assert_array_equal(
        given(study, jury), labels(study, SAFE, SAFE, SAFE, NONSENSE, NONSENSE, "")
    )
    column = next(one for one in study.judges if one.is_jury)
    assert (column.key, column.name, column.own_generators) == ("jury_1", "Three", {"gen1"})
    assert matrices.tally(study, column).unscored == {"jury_tied": 1}
    strict = seat(three, ada, "owl", "elm", "ash", quorum=3, name="Strict")
    study = matrices.read(three.pk)
    column = next(one for one in study.judges if one.id == number_of(strict))
    assert matrices.tally(study, column).unscored == {"jury_below_quorum": 2}


def test_nothing_of_it_is_stored_as_ratings_or_counted_as_one(three, ada):
    def held():
        study = matrices.read(three.pk)
        return Submission.objects.count(), Rating.objects.count(), matrices.digest(study)

    before, revision = held(), matrices.read(three.pk).revision
    seat(three, ada, "owl", "elm", "ash")
    assert held() == before
    assert matrices.read(three.pk).revision > revision, "so that figures are computed anew"


def test_on_scales_it_is_the_median_and_groups_are_made_of_that(ada):
    study = meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=6, n_rated=4)
    ash = judge("ash")
    for item in study.items.all():
        values = dict.fromkeys((one.key for one in study.rubric_version.content.criteria), 2)
        rate(ash, item, **values)
    jury = seat(study, ada, "oak", "elm", "ash")
    read = matrices.read(study.pk)
    raters = {one.key: one for one in read.judges}
    for key in ("safety", "empathy"):
        table = matrices.matrix(read, key)
        of_members = np.stack([table.of(raters[name]) for name in ("oak", "elm", "ash")])
        np.testing.assert_array_equal(table.of(raters["jury_1"]), np.median(of_members, axis=0))
    for group in read.rubric.groups:
        parts = [given(read, jury, key) for key in group.criteria]
        assert given(read, jury, group.key) == pytest.approx(np.mean(parts, axis=0))


def test_its_repeats_are_those_that_enough_members_were_asked(ada):
    study = meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=6, n_rated=4, repeats=3)
    jury = seat(study, ada, "oak", "elm", quorum=2)
    lone = seat(study, ada, "oak", "elm", quorum=1, name="Lone")
    read = matrices.read(study.pk)
    repeats = {one: [] for one in (number_of(jury), number_of(lone))}
    for place in read.columns:
        repeats.get(place.rater, []).append(place.repeat)
    assert repeats[number_of(jury)] == [1]
    assert repeats[number_of(lone)] == [1, 2, 3]
    oak = Rater.objects.get(key="oak")
    for repeat in (2, 3):
        assert (
            given(read, lone, repeat=repeat)
            == read.values(ColumnPlace(oak.pk, repeat), "safety", view=PLAIN).tolist()
        )


def test_it_stands_on_every_page_of_figures_and_in_every_table(ada, as_user):
    study = meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=8, n_rated=6, repeats=2)
    ash = judge("ash")
    for item in study.items.all():
        rate(ash, item, **dict.fromkeys(("safety", "empathy", "guidance"), 3))
    jury = seat(study, ada, "oak", "elm", "ash")
    browser, root = as_user(ada), ROOT.format(key="meadow")
    for page in (
        *("", "matrix/", "judges/", "judges/jury_1/", "safety/", "calibration/", "routing/"),
        *("trust/", "raters/", "plan/", f"trust/safety/{number_of(jury)}/"),
        *(f"safety/safety/{number_of(jury)}/missed/", f"doubtful/safety/{number_of(jury)}/"),
        f"criteria/safety/judge_humans/{number_of(jury)}/",
    ):
        answer = browser.get(root + page)
        assert answer.status_code == 200, page
        assert "Three" in answer.content.decode(), page
    for room in ROOMS:
        if room not in ("raters", "plan"):
            told = browser.get(f"/api/v1/studies/meadow/figures/{room}/").content.decode()
            assert "jury_1" in told, room
    judges = browser.get(f"{root}judges/").content.decode()
    assert "jury of " in judges
    table = browser.get(f"{root}tables/judges/juries_answers.csv").content.decode()
    (line,) = [
        row
        for row in csv.DictReader(io.StringIO(table))
        if row["criterion"] == "safety" and row["column"] == "items"
    ]
    assert (line["jury"], int(line["value"])) == ("jury_1", study.items.count())


def test_its_card_says_whether_it_was_chosen_after_looking(three, ada, as_user):
    for person in (human("ruth"), human("rolf")):
        for item in items_of(three):
            rate(person, item, safety=SAFE)
    late = seat(three, ada, "owl", "elm", "ash")
    assert late.n_seen == 18
    page = f"{ROOT.format(key='pond')}trust/safety/{{}}/"
    told = as_user(ada).get(page.format(number_of(late))).content.decode()
    assert "Chosen after looking: 18 answers of its members" in told
    cards = as_user(ada).get("/api/v1/studies/pond/trust/").json()["cards"]
    (card,) = [one for one in cards if one["judge"] == "jury_1"]
    assert card["jury"]["members"] == ["ash", "elm", "owl"]
    assert card["jury"]["answers_seen"] == 18
    assert [one["jury"] for one in cards if one["judge"] == "owl"] == [None]


def test_it_is_fixed_beforehand_where_no_member_has_answered_the_hold_out(pond, ada, as_user):
    for key in ("owl", "elm"):
        judge(key)
    holding_out.draw(study=pond, percent=50, seed="s", by=ada, at=AT)
    apart = set(matrices.read(pond.pk).items[matrices.read(pond.pk).held_out].tolist())
    for item in items_of(pond):
        if item.pk not in apart:
            for rater in Rater.objects.filter(kind="judge"):
                rate(rater, item, safety=SAFE)
    early = seat(pond, ada, "owl", "elm")
    assert early.n_seen == 0
    assert "Fixed beforehand" in as_user(ada).get(PAGE.format(key="pond")).content.decode()
    rate(Rater.objects.get(key="owl"), pond.items.get(pk=min(apart)), safety=SAFE)
    assert seat(pond, ada, "owl", "elm", name="Late").n_seen == 1


@pytest.fixture
@made_once
def weighed(ada):
    """Forty of eighty items are held out; owl is right, elm mostly, and ash says the same to all."""
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=80
    )
    holding_out.draw(study=study, percent=50, seed="s", by=ada, at=AT)
    owl, elm, ash, ruth = judge("owl"), judge("elm"), judge("ash"), human("ruth")
    for place, item in enumerate(items_of(study)):
        truth, other = (SAFE, NONSENSE) if place % 2 else (NONSENSE, SAFE)
        rate(ruth, item, safety=truth)
        rate(owl, item, safety=truth)
        rate(elm, item, safety=truth if place % 5 else other)
        rate(ash, item, safety=SAFE)
    return study


def test_weights_are_made_on_what_is_not_held_out_and_measured_on_the_rest(weighed, ada):
    jury = seat(weighed, ada, "owl", "elm", "ash", rule=JuryRule.WEIGHTED)
    keys = dict(Rater.objects.values_list("pk", "key"))
    weights = {keys[int(one)]: found for one, found in jury.weights["safety"].items()}
    assert weights["owl"]["weight"] > weights["elm"]["weight"] > 0
    assert weights["ash"]["weight"] == 0
    study = matrices.read(weighed.pk)
    assert set(jury.made_on) == set(study.items[~study.held_out].tolist())
    has_answer = np.isfinite(given(study, jury))
    np.testing.assert_array_equal(has_answer, study.held_out)
    owl = next(one for one in study.judges if one.key == "owl")
    np.testing.assert_array_equal(
        np.array(given(study, jury))[study.held_out],
        matrices.matrix(study, "safety").of(owl)[study.held_out],
    )
    holding_out.end(study=weighed, reason="Done.", by=ada, at=AT)
    later = matrices.read(weighed.pk)
    np.testing.assert_array_equal(np.isfinite(given(later, jury)), has_answer)


def test_weights_are_looked_at_before_they_are_kept_and_never_change(weighed, ada, as_user):
    browser, page = as_user(ada), PAGE.format(key="lake")
    members = list(Rater.objects.filter(kind="judge").values_list("pk", flat=True))
    sent = {"name": "Wise", "members": members, "rule": "weighted", "quorum": ""}
    looked = browser.post(f"{page}look/", sent).content.decode()
    assert "Nothing is named yet." in looked
    assert "What votes weigh" in looked
    assert not Jury.objects.exists()
    assert browser.post(f"{page}name/", sent).status_code == 302
    jury = Jury.objects.get()
    assert jury.quorum == 2
    (event,) = Event.objects.filter(verb="jury.named")
    assert event.facts["jury"] == jury.pk
    with pytest.raises(DatabaseError), transaction.atomic():
        Jury.objects.filter(pk=jury.pk).update(weights={})
    with pytest.raises(DatabaseError), transaction.atomic():
        jury.delete()


def test_without_a_hold_out_no_votes_are_weighed(three, ada):
    with pytest.raises(CannotSeat, match="Hold items out first"):
        seat(three, ada, "owl", "elm", rule=JuryRule.WEIGHTED)


def test_nor_by_too_few_items(weighed, ada):
    Submission.objects.filter(rater__kind="human", item__in=list(items_of(weighed)[:60])).update(
        is_current=False
    )
    with pytest.raises(CannotSeat, match="too few items"):
        seat(weighed, ada, "owl", "elm", rule=JuryRule.WEIGHTED)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"keys": ("owl",)}, "at least two"),
        ({"quorum": 3}, "quorum lies between"),
        ({"name": " "}, "needs a name"),
        ({"name": "Owl"}, "is called"),
        ({"keys": ("owl", "ruth")}, "Only judges of this study"),
        ({"keys": ("owl", "stranger")}, "Only judges of this study"),
    ],
)
def test_what_makes_no_jury_gets_a_sentence_and_changes_nothing(three, ada, changes, words):
    human("ruth")
    judge("stranger")
    keys = changes.pop("keys", ("owl", "elm"))
    with pytest.raises(CannotSeat, match=words):
        seat(three, ada, *keys, **changes)
    assert not Jury.objects.exists()


def test_it_is_ended_with_a_reason_and_not_deleted(three, ada, gwen, as_user):
    jury = seat(three, ada, "owl", "elm", "ash")
    page = PAGE.format(key="pond")
    address = f"{page}{jury.pk}/end/"
    assert as_user(gwen).post(address, {"reason": "No."}).status_code == 403
    assert "Say why" in as_user(ada).post(address, {"reason": " "}, follow=True).content.decode()
    assert any(one.is_jury for one in matrices.read(three.pk).judges)
    told = as_user(ada).post(address, {"reason": "One drifted."}, follow=True).content.decode()
    assert "One drifted." in told
    assert not any(one.is_jury for one in matrices.read(three.pk).judges)
    assert Event.objects.filter(verb="jury.ended").count() == 1
    assert as_user(ada).post(address, {"reason": "Again."}).status_code == 404


def test_a_card_expires_with_that_of_a_member(three, ada, monkeypatch):
    for item in items_of(three):
        rate(human(f"ruth{item.pk}"), item, safety=SAFE)
    seat(three, ada, "owl", "elm", "ash")
    owl = Rater.objects.get(key="owl").pk
    monkeypatch.setattr(trust.sentinels, "failing", lambda study_id: {owl})
    report = store.up_to_date(study_id=three.pk, part=trust.PART, at=AT)[PLAIN]
    failed = {
        one.key
        for one in report.raters
        for known in report.known
        if known.judge == one.id and known.is_failed
    }
    assert failed == {"owl", "jury_1"}


def test_other_judges_are_no_juries_so_that_nobody_votes_twice(three, ada):
    seat(three, ada, "owl", "elm", "ash")
    study = matrices.read(three.pk)
    assert len(study.judges) > 3
    for one in study.judges:
        names = {other.key for other in study.others(one)}
        assert names == {"owl", "elm", "ash"} - {one.key}


def test_a_release_says_which_judges_are_juries_of_whom_and_holds_none_of_their_answers(
    three, ada, gwen, settings, tmp_path
):
    seat(three, ada, "owl", "elm", "ash")
    told = {row["judge"]: row for row in rows.judges(three)}
    assert [row["is_jury"] for row in told.values()] == [False, False, False, True]
    row = told["jury_1"]
    assert row["jury_members"] == ["ash", "elm", "owl"]
    assert (row["jury_rule"], row["jury_quorum"], row["jury_answers_seen"]) == ("median", 2, 18)
    assert row["own_generators"] == ["gen1"]
    assert told["owl"]["jury_members"] is None


@pytest.mark.django_db(transaction=True)
def test_the_file_that_leaves_has_it_too(three, gwen, ada, settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    seat(three, ada, "owl", "elm", "ash")
    let_pass(three, by=ada)
    built = exports.build(study_key="pond", with_texts=False, by=gwen, at=timezone.now())
    with ZipFile(built.path) as archive:
        texts = {name: archive.read(name).decode("latin-1") for name in archive.namelist()}
    lines = [json.loads(line) for line in texts["judges.jsonl"].splitlines()]
    assert [one["jury_members"] for one in lines if one["is_jury"]] == [["ash", "elm", "owl"]]
    assert "jury_1" not in texts["ratings.csv"]


def test_the_report_names_it_and_can_be_computed_again(three, ada, without_figures):
    for person in (human("ruth"), human("rolf")):
        for item in items_of(three):
            rate(person, item, safety=SAFE)
    jury = seat(three, ada, "owl", "elm", "ash")
    files, _revision = writeups.write(study=three, at=AT)
    methods = files["methods.en.md"].decode()
    assert "jury of ash, elm, owl" in methods
    assert "Chosen after looking" in methods
    again = basis.read(files).ratings
    column = next(one for one in again.judges if one.is_jury)
    np.testing.assert_array_equal(
        again.values(ColumnPlace(column.id, 1), "safety", view=PLAIN),
        given(matrices.read(three.pk), jury),
    )


def test_under_letters_it_reveals_no_members(three, ada, gwen, as_user):
    """That no other page, table or file names them, `test_blinding.py` walks them all for."""
    Rater.objects.filter(key="owl").update(key="zqmark-owl", name="Zqmark owl")
    jury = seat(three, ada, "zqmark-owl", "elm", name="Zqmark both", quorum=1)
    Study.objects.update(judges_blinded_at=AT)
    three.refresh_from_db()
    with pytest.raises(CannotSeat, match="which letters are its members"):
        seat(three, ada, "zqmark-owl", "elm", name="Wise")
    column = next(one for one in matrices.read(three.pk).judges if one.is_jury)
    assert column.name.startswith("Jury ")
    assert column.id != number_of(jury)
    page = PAGE.format(key="pond")
    juries = as_user(gwen).get(page).content.decode()
    assert "Told once the judges are named." in juries
    assert column.name in juries
    for user in (gwen, ada):
        assert "qmark" not in as_user(user).get(page).content.decode()
    assert [row["jury_members"] for row in rows.judges(three)] == [None] * 4
    assert sum(bool(row["is_jury"]) for row in rows.judges(three)) == 1
    access = study_for(access_of(ada, at=timezone.now()), three.key)
    ending = {"study_access": access, "jury_id": jury.pk, "by": ada, "at": AT}
    actions.end_jury(**ending, reason="One drifted.")
    assert not any(row["is_jury"] for row in rows.judges(three))
