"""Routing: what is promised of a judge, what is refused, and which items go to a person."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from accounts.models import Event
from analytics.figures import store as snapshots
from analytics.policies.loading import DEFAULT, shipped
from analytics.present.naming import of_page
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.routing.numbers import PART, Signal, Target, Why, answers, for_people, make
from analytics.routing.page import page
from analytics.routing.promises import NOT_ASKED, Refusal, rule, terms
from analytics.routing.words import Promising, verdict
from analytics.stats.promises import Risk, Tries
from analytics.stats.verdicts import Verdict
from annotation.actions import rounds, teams
from annotation.models import Rater, TeamRole
from annotation.queries import wording
from annotation.rubric.loading import dump, load
from annotation.rubric.loading import shipped as shipped_rubrics
from annotation.rules.visibility import COULD_SWAY
from tests.analytics.made import (
    AT,
    decide,
    decide_all,
    human,
    items_of,
    judge,
    rate,
    rate_all,
)
from tests.analytics.meadow import computed_meadow, meadow
from tests.analytics.reading import table_in, text_of
from tests.analytics.test_chart_specs import rows_with
from tests.cast import add_item, add_items, study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

URL = "/studies/meadow/agreement/routing/"
SAFE, BAD = "safe_response", "nonsense"
SHOWN = ("routing", "trust")  # what the page is made from


@pytest.fixture
def study(ada, ben, gwen):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], gwen: [TeamRole.RESEARCHER]}
    return computed_meadow(team, SHOWN, n_dialogues=60, n_rated=40, replies=2)


@pytest.fixture
@made_once
def lake(ada):
    return lake_with(ada)


def is_unsure(position):
    return position % 8 == 0


def is_bad(position):
    return position % 5 == 0


def lake_with(ada, *, gold=None, n_wrong=0, n_gold=120):
    """160 items with gold on 120, a fifth of them bad. Echo, asked twice, says what is true; one
    time in eight the opposite first. `gold` for all, or the first `n_wrong` turned."""
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=0
    )
    echo = judge("echo")
    said, decided = [], []
    for position, item in enumerate(add_items(study, range(1, 161)), start=1):
        true, other = (BAD, SAFE) if is_bad(position) else (SAFE, BAD)
        said.append((echo, item, 1, {"safety": other if is_unsure(position) else true}))
        said.append((echo, item, 2, {"safety": true}))
        if position <= n_gold:
            decided.append((item, {"safety": gold or (other if position <= n_wrong else true)}))
    rate_all(study, said)
    decide_all(study, decided)
    study.refresh_from_db()
    return study


def report_of(study):
    return make(matrices.read(study.pk), view=PLAIN, at=AT)


def asked(verdicts=None, **choices):
    return terms(choices, policy=shipped()[DEFAULT], verdicts=verdicts or {})


def line_of(report, name, criterion, target, signal):
    return next(
        one
        for one in report.lines
        if report.judges[one.judge] == name
        and (one.criterion, one.target, one.signal) == (criterion, target, signal)
    )


@pytest.mark.parametrize("rest", ["", "relevance/{judge}/", "relevance/{judge}/list.csv"])
@pytest.mark.parametrize(("name", "status"), [("ada", 200), ("gwen", 200), ("ben", 403)])
def test_routing_is_for_coordinators_and_researchers(study, as_user, request, name, status, rest):
    oak = next(one for one in matrices.read(study.pk).judges if one.key == "oak")
    client = as_user(request.getfixturevalue(name))
    assert client.get(URL + rest.format(judge=oak.id)).status_code == status


@pytest.mark.parametrize("rest", ["", "list.csv"])
def test_an_annotator_who_coordinates_too_is_not_told_where_a_judge_is_sure(as_user, ada, rest):
    study = meadow({ada: [TeamRole.COORDINATOR, TeamRole.ANNOTATOR]}, n_dialogues=6, n_rated=3)
    oak = next(one for one in matrices.read(study.pk).judges if one.key == "oak")
    client = as_user(ada)
    assert client.get(URL).status_code == 200
    refused = client.get(f"{URL}relevance/{oak.id}/{rest}")
    assert refused.status_code == 403
    assert COULD_SWAY in text_of(refused)


def test_items_of_an_open_round_are_in_neither_list(lake, as_user, ada, ben, cleo):
    """Whoever watches the list would see which of them was rated, and when."""
    (echo,) = matrices.read(lake.pk).judges
    client = as_user(ada)
    address = f"/studies/lake/agreement/routing/safety/{echo.id}/"

    def in_file() -> set[str]:
        text = client.get(address + "list.csv").content.decode()
        return {row["item"] for row in csv.DictReader(io.StringIO(text))}

    before = in_file()
    for user in (ben, cleo):
        teams.set_roles(
            study_id=lake.pk, email=user.email, roles=[TeamRole.ANNOTATOR], by=None, at=AT
        )
    panel = [ben.pk, cleo.pk]
    rounds.open_round(study_id=lake.pk, panel=panel, raters_per_item=2, n_items=150, by=ada, at=AT)
    during = in_file()
    assert during == {key for key in before if int(key.split(".")[0][1:]) > 150}
    assert 0 < len(during) < len(before)
    page = client.get(address)
    assert len(page.context["listing"].cases.cases) == len(during)
    assert "their round is still open" in text_of(page)
    trail = Event.objects.filter(verb="agreement.routing_downloaded").order_by("pk")
    assert [event.facts["n_items"] for event in trail] == [len(before), len(during)]


def test_one_item_of_each_dialogue_is_checked(study):
    line = line_of(report_of(study), "Oak", "relevance", Target.WITHIN_ONE, Signal.REPEATS)
    assert (line.n_checked, line.n_answers) == (40, 120)
    read = matrices.read(study.pk)
    oak = next(one for one in read.judges if one.key == "oak")
    found = answers(
        read,
        matrices.matrix(read, "relevance"),
        oak,
        target=Target.WITHIN_ONE,
        signal=Signal.REPEATS,
    )
    owners = read.dialogues[found.is_checked]
    assert np.unique(owners).size == owners.size == 40


def test_how_near_other_judges_are_does_not_hang_on_which_of_them_is_far(ada):
    """Sums of thirds and sixths differ in the last digit by their order; thresholds must not."""
    definition = dump(load(shipped_rubrics()["mentalalign"]))
    for criterion in definition["criteria"]:
        anchors = [{"value": value, "anchor": {"en": f"{value}"}} for value in range(1, 8)]
        criterion["points"] = anchors
    study = study_with(rubric=definition, key="fen", team={ada: [TeamRole.COORDINATOR]}, n_items=5)
    first, *others = (judge(key) for key in ("ash", "elm", "fir", "oak", "yew", "box"))
    away = (0, 1, 2, 3, 5)
    for turn, item in enumerate(items_of(study)):
        rate(first, item, safety=1)
        for other, far in zip(others, (*away[turn:], *away[:turn]), strict=True):
            rate(other, item, safety=1 + far)
    read = matrices.read(study.pk)
    ash = next(one for one in read.judges if one.key == "ash")
    asked = {"target": Target.WITHIN_ONE, "signal": Signal.JUDGES}
    found = answers(read, matrices.matrix(read, "safety"), ash, **asked)
    assert np.unique(found.confidence).size == 1
    assert found.confidence[0] == pytest.approx(1 - 11 / 30)


def test_answers_are_checked_on_what_no_prompt_was_written_by(ada):
    """Echo has the first 80 by heart, and of the others it is wrong in a quarter."""
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=200
    )
    echo, items = judge("echo"), items_of(study)
    is_known = np.arange(200) < 80
    said = [BAD if place % 4 == 0 else SAFE for place in range(200)]
    true = [BAD if place >= 80 and place % 4 == 1 else one for place, one in enumerate(said)]
    rate_all(
        study,
        [
            (echo, item, n, {"safety": said[place]})
            for place, item in enumerate(items)
            for n in (1, 2)
        ],
    )
    decide_all(study, [(item, {"safety": true[place]}) for place, item in enumerate(items)])
    read = matrices.read(study.pk)
    held = replace(read, held_out=~is_known)
    lines = [
        line_of(make(one, view=PLAIN, at=AT), "Echo", "safety", Target.SAME, Signal.REPEATS)
        for one in (read, held)
    ]
    assert [line.every.tries[Risk.WRONG] for line in lines] == [Tries(30, 200), Tries(30, 120)]


def test_the_descent_ends_above_the_first_threshold_that_breaks_the_promise(lake):
    report = report_of(lake)
    line = line_of(report, "Echo", "safety", Target.SAME, Signal.REPEATS)
    step = rule(report, line, asked()).accepted
    assert (step.threshold, step.n_items, step.n_wrong) == (1.0, 105, 0)
    assert line.steps[1].n_wrong == 15
    assert line.n_unsure == 0


def test_each_risk_is_counted_on_its_own_items(lake):
    line = line_of(report_of(lake), "Echo", "safety", Target.SAME, Signal.REPEATS)
    sure, every = line.steps
    assert sure.tries == {
        Risk.WRONG: Tries(0, 105),
        Risk.PASSED: Tries(0, 84),
        Risk.SLIPPED: Tries(0, 24),
    }
    assert every.tries == {
        Risk.WRONG: Tries(15, 120),
        Risk.PASSED: Tries(3, 87),
        Risk.SLIPPED: Tries(3, 24),
    }
    assert (sure.alarms, every.alarms) == (0, 12)
    assert line.every == every


def test_of_the_flagged_items_one_of_each_dialogue_is_counted(study):
    read = matrices.read(study.pk)
    oak = next(one for one in read.judges if one.key == "oak")
    found = answers(
        read,
        matrices.matrix(read, "safety"),
        oak,
        target=Target.WITHIN_ONE,
        signal=Signal.REPEATS,
    )
    chosen = found.stands_for_marked
    assert found.is_marked[chosen].all()
    owners = read.dialogues[chosen]
    assert np.unique(owners).size == owners.size
    marked = found.is_marked & found.is_answered & ~np.isnan(found.confidence)
    assert set(owners) == set(read.dialogues[marked])


def test_accepted_answers_come_with_their_promise(lake, as_user, ada):
    page = as_user(ada).get("/studies/lake/agreement/routing/")
    said = text_of(page)
    assert (
        "Accept 140 of 160 answers (87.5 %): those where at least 100 % of the judge’s other "
        "answers agree. Of such answers, one of each dialogue, at most 10 % do not agree with "
        "people, with 95 % confidence: 0 of 105 checked ones did not, which bounds the share at 3.8 %. Of the "
        "answers that stand without a flag at most 10 % are to items that people flag: 0 of 84 "
        "checked ones were (at most 4.8 %). Of all items that people flag at most 20 % slip "
        "through, accepted without a flag: 0 of 24 checked ones did (at most 15.7 %). The three "
        "bounds hold together."
    ) in said
    assert "Of the 40 items that nobody has rated, 35 are accepted and 5 go to a person" in said
    assert (
        "Beside it, a judge that always says Safe Response is wrong in 20 % of 120 checked items"
    ) in said
    tests = table_in(page.content.decode(), "routing_thresholds-safety-echo-same-repeats")
    sure, *others = [row[tests.heads.index("Bound that holds")] for row in tests.rows]
    assert (sure.text, float(sure.order)) == ("3.8 %", pytest.approx(1 - (0.05 / 3) ** (1 / 105)))
    assert all(float(other.order) > 0.1 for other in others)
    assert tests.column("Wrong")[:2] == ["0", "15"]
    assert tests.column("Slip")[:2] == ["0", "3"]
    assert "Choose criterion, target and signal before you look" in said


def test_what_a_thousand_items_cost_is_told_of_every_way(lake, as_user, ada):
    content = as_user(ada).get("/studies/lake/agreement/routing/", {"miss": "50", "alarm": "2"})
    found = table_in(content.content.decode(), "routing_costs-safety-echo-same-repeats")
    ways = dict(zip([row[0].text for row in found.rows], found.rows, strict=True))
    misses, looks = (found.heads.index(head) for head in ("Misses", "Looks by people"))
    assert [ways[way][misses].text for way in ("the judge alone", "routing", "people alone")] == [
        "25.0",
        "0.0",
        "0.0",
    ]
    assert [ways[way][looks].text for way in ways] == ["0.0", "125.0", "1,000.0", "0.0"]
    cost = found.heads.index("Cost")
    assert float(ways["the judge alone"][cost].order) == pytest.approx(
        1000 * (3 * 50 + 12 * 2) / 120
    )
    assert float(ways["routing"][cost].order) == pytest.approx(125)
    assert float(ways["always Nonsense"][cost].order) == pytest.approx(1000 * 96 * 2 / 120)


def test_a_cost_that_is_no_number_is_refused_and_the_usual_one_used(lake, as_user, ada):
    said = text_of(as_user(ada).get("/studies/lake/agreement/routing/", {"miss": "dear"}))
    assert "A miss costs, in looks: give a number from 0 to 100000, with a point." in said


def test_items_that_go_to_a_person_are_listed_with_the_reason(lake, as_user, ada):
    echo = matrices.read(lake.pk).judges[0]
    address = f"/studies/lake/agreement/routing/safety/{echo.id}/"
    response = as_user(ada).get(address, {"audit": "0.1"})
    said = text_of(response)
    assert "5: the judge is not sure enough" in said
    assert "d128.1" in said
    assert "d121.1" not in said or "audit" in said
    assert "Frogs come back" not in said, "no text of an item"


def test_the_list_can_be_taken_along_and_that_is_recorded(lake, as_user, ada):
    echo = matrices.read(lake.pk).judges[0]
    address = f"/studies/lake/agreement/routing/safety/{echo.id}/list.csv"
    response = as_user(ada).get(address)
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    unsure = [row for row in rows if row["why"] == "unsure"]
    assert [row["item"] for row in unsure] == [f"d{place}.1" for place in (128, 136, 144, 152, 160)]
    assert {row["how_sure"] for row in unsure} == {"0"}
    assert {row["why"] for row in rows} <= {"unsure", "audit"}
    event = Event.objects.get(verb="agreement.routing_downloaded")
    assert event.facts["n_items"] == len(rows)
    assert event.facts["alpha"] == 0.1


def test_the_list_keeps_with_what_probability_an_audited_item_was_drawn(lake, as_user, ada):
    echo = matrices.read(lake.pk).judges[0]
    for position in range(161, 361):
        item = add_item(lake, position)
        for repeat in (1, 2):
            rate(Rater.objects.get(pk=echo.id), item, repeat=repeat, safety=SAFE)
    address = f"/studies/lake/agreement/routing/safety/{echo.id}/list.csv"
    content = as_user(ada).get(address, {"audit": "0.1"}).content.decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert {row["probability"] for row in rows if row["why"] == "audit"} == {"0.1"}
    assert {row["probability"] for row in rows if row["why"] == "unsure"} == {"1"}


def test_the_audit_slice_stays_drawn_whatever_is_added(lake):
    def audited():
        read = matrices.read(lake.pk)
        table = matrices.matrix(read, "safety")
        found = answers(read, table, read.judges[0], target=Target.SAME, signal=Signal.REPEATS)
        whys = for_people(read, found, threshold=0.0, audited=0.5)
        return {item for item, why in whys.items() if why is Why.AUDIT}

    before = audited()
    assert 0 < len(before) < 40
    item = add_item(lake, 161)
    rate(judge("nova"), item, safety=SAFE)
    assert audited() == before


def test_without_a_threshold_every_unrated_item_goes_to_a_person(lake):
    read = matrices.read(lake.pk)
    table = matrices.matrix(read, "safety")
    found = answers(read, table, read.judges[0], target=Target.SAME, signal=Signal.REPEATS)
    whys = for_people(read, found, threshold=None, audited=0.0)
    assert len(whys) == 40
    assert set(whys.values()) == {Why.UNSURE}


def test_an_item_without_an_answer_goes_to_a_person(lake):
    add_item(lake, 161)
    item = add_item(lake, 162)
    read = matrices.read(lake.pk)
    rate(judge("nova"), item, safety=SAFE)
    table = matrices.matrix(read, "safety")
    found = answers(read, table, read.judges[0], target=Target.SAME, signal=Signal.REPEATS)
    whys = for_people(read, found, threshold=0.0, audited=0.0)
    assert list(whys.values()) == [Why.NO_ANSWER, Why.NO_ANSWER]


def test_too_few_checked_answers_promise_nothing_and_say_what_to_collect(ada, as_user):
    meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=20, n_rated=10)
    said = text_of(as_user(ada).get(URL, {"alpha": "0.05"}))
    assert "Nothing can be promised: only 10 answers could be checked, one a dialogue" in said
    assert "it takes 80. Have people rate items of 70 more dialogues" in said


def test_a_judge_that_is_wrong_where_it_is_sure_is_not_helped_by_more_items(ada, as_user):
    lake_with(ada, gold=BAD)
    said = text_of(as_user(ada).get("/studies/lake/agreement/routing/"))
    assert "Nothing can be promised, and more items will not help" in said
    assert "All 40 items that nobody has rated go to a person." in said


def test_a_judge_that_may_do_is_told_how_many_more_it_takes(ada, as_user):
    lake_with(ada, n_wrong=3)
    said = text_of(as_user(ada).get("/studies/lake/agreement/routing/", {"alpha": "0.05"}))
    assert "Nothing can be promised yet" in said
    assert "3 of 105 checked answers (2.9 %) do not agree with people" in said
    assert "have people rate items of 378 more dialogues" in said


def test_surer_answers_that_are_too_few_are_told_of(ada, as_user):
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=80
    )
    echo = judge("echo")
    for place, item in enumerate(items_of(study)):
        true, other = (BAD, SAFE) if place >= 50 else (SAFE, BAD)
        rate(echo, item, repeat=1, safety=true if place < 20 else other)
        rate(echo, item, repeat=2, safety=true)
        decide(item, safety=true)
    said = text_of(as_user(ada).get("/studies/lake/agreement/routing/"))
    assert "Surer answers may do better, but too few were checked" in said
    assert "20 of them (0 do not agree), and it takes 39" in said


REFUSED = {
    "too few checked": (
        {"n_gold": 30},
        {},
        Refusal.TOO_FEW,
        "only 30 answers could be checked, one a dialogue, and it takes 39.",
    ),
    "too few flagged": (
        {"gold": SAFE},
        {},
        Refusal.FEW_FLAGGED,
        (
            "among the checked items are only 0 that people flag, one a dialogue. To rule out that "
            "more than 20 % of them slip takes 19, not one of which slips. Have people rate more "
            "items, until 19 more are flagged."
        ),
    ),
    "fewer may slip": (
        {},
        {"misses": "0.1"},
        Refusal.FEW_FLAGGED,
        "takes 39, not one of which slips. Have people rate more items, until 15 more are flagged.",
    ),
    "often wrong": (
        {"gold": BAD},
        {},
        Refusal.BROKEN,
        "Nothing can be promised, and more items will not help",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_promise_is_refused_with_its_reason(ada, as_user, case):
    made, chosen, refusal, words = REFUSED[case]
    report = report_of(lake_with(ada, **made))
    line = line_of(report, "Echo", "safety", Target.SAME, Signal.REPEATS)
    ruling = rule(report, line, asked(**chosen))
    assert (ruling.accepted, ruling.refusal) == (None, refusal)
    assert words in text_of(as_user(ada).get("/studies/lake/agreement/routing/", chosen))


def test_what_must_not_be_used_accepts_nothing(lake):
    report = report_of(lake)
    line = line_of(report, "Echo", "safety", Target.SAME, Signal.REPEATS)
    place = ("safety", line.judge)
    refused = rule(report, line, asked({place: Verdict.DO_NOT_USE}))
    assert (refused.accepted, refused.refusal) == (None, Refusal.DO_NOT_USE)
    assert refused.kept == rule(report, line, asked({place: Verdict.TRUSTED})).accepted
    assert "its trust card says “Do not use”" in said_of(report, line, refused)


def said_of(report, line, ruling):
    """What a reader is told of a promise."""
    screened = next(one for one in report.screened if one.line.key == line.criterion)
    rubric = load(shipped_rubrics()["dialogue_safety"])
    return verdict(Promising(rubric=rubric, screened=screened, line=line, ruling=ruling))


def pool_of(ada, says, n=200):
    """Items of which people flag one in ten, and a judge that `says` of a place, asked twice."""
    study = study_with(
        rubric="dialogue_safety", key="pool", team={ada: [TeamRole.COORDINATOR]}, n_items=n
    )
    echo, items = judge("echo"), items_of(study)
    rate_all(
        study,
        [
            (echo, item, repeat, {"safety": value})
            for place, item in enumerate(items)
            for repeat, value in enumerate(says(place), start=1)
        ],
    )
    decide_all(
        study,
        [(item, {"safety": BAD if n % 10 == 0 else SAFE}) for n, item in enumerate(items)],
    )
    report = report_of(study)
    return report, line_of(report, "Echo", "safety", Target.SAME, Signal.REPEATS)


def test_a_judge_that_says_one_thing_only_is_never_accepted(ada, as_user):
    report, line = pool_of(ada, lambda place: (SAFE, SAFE))
    ruling = rule(report, line, asked(alpha="0.3"))
    assert (ruling.accepted, ruling.refusal) == (None, Refusal.ONE_ANSWER)
    said = text_of(as_user(ada).get("/studies/pool/agreement/routing/", {"alpha": "0.3"}))
    assert "Nothing is accepted: the judge says Safe Response to every item." in said
    assert "a judge that always says Safe Response passes too" in said
    assert "Misses too many" in said


def test_a_judge_that_misses_is_refused_although_it_is_hardly_ever_wrong(ada, as_user):
    report, line = pool_of(ada, lambda place: (BAD, BAD) if place == 1 else (SAFE, SAFE))
    ruling = rule(report, line, asked(alpha="0.2"))
    assert ruling.refusal is Refusal.BROKEN
    assert ruling.promise.broken(ruling.promise.limits(line.steps[0])) == (Risk.SLIPPED,)
    said = text_of(as_user(ada).get("/studies/pool/agreement/routing/", {"alpha": "0.2"}))
    assert "20 of the 20 checked items that people flag (100 %) would slip through" in said


def test_confidence_not_shown_to_tell_anything_chooses_nothing(ada):
    """Two of the hundred and fifty sure answers are false alarms, and two of the fifty unsure."""

    def says(place):
        true = BAD if place % 10 == 0 else SAFE
        first = BAD if place in (61, 103, 151, 197) else true
        return first, first if place < 150 else (SAFE if first == BAD else BAD)

    report, line = pool_of(ada, says)
    ruling = rule(report, line, asked(alpha="0.052"))
    assert (ruling.refusal, ruling.kept.n_items, ruling.kept.n_wrong) == (Refusal.NO_ORDER, 150, 2)
    said = said_of(report, line, ruling)
    assert "the bounds hold where at least 100 % of the judge’s other answers agree and not" in said
    assert "nothing shows that the judge is less sure where it is wrong or misses" in said
    assert f"on 200 checked answers, p = {line.chance_of_order:.2g})" in said
    assert 0.05 < line.chance_of_order < 0.2, "which is no proof that it tells nothing"


def test_a_judge_that_misses_half_is_refused_by_what_was_asked_or_else_by_the_panel(ada):
    """It flags ten of the twenty flagged items and nothing else, and is sure of all it says."""
    report, line = pool_of(ada, lambda place: (BAD if place % 20 == 0 else SAFE,) * 2)
    lenient = {"alpha": "0.3", "misses": "0.9"}
    ruling = rule(report, line, asked(**lenient))
    assert ruling.refusal is Refusal.MISSES
    assert "It finds 10 of the 20 items that people flag." in said_of(report, line, ruling)
    ruling = rule(report, line, asked(**lenient, passed="0.05"))
    assert ruling.refusal is Refusal.BROKEN
    bound = beta.ppf(1 - ruling.promise.delta_each, 11, 180)  # Clopper-Pearson of 10 in 190
    assert (
        "10 of the 190 checked answers without a flag (5.3 %) are to items that people flag, so at "
        f"most {100 * bound:.1f} %; 5 % may." in said_of(report, line, ruling)
    )


def test_a_promise_on_wrong_answers_alone_is_not_made_where_the_straw_man_would_pass(ada, as_user):
    """On a criterion of which the rules ask no sensitivity."""
    study = study_with(
        rubric="mentalalign", key="pool", team={ada: [TeamRole.COORDINATOR]}, n_items=120
    )
    echo, ruth = judge("echo"), human("ruth")
    said = []
    for place, item in enumerate(items_of(study)):
        said += [(echo, item, repeat, {"empathy": 4 if place % 2 else 5}) for repeat in (1, 2)]
        said.append((ruth, item, 1, {"empathy": 5 if place % 3 else 4}))
    rate_all(study, said)
    report = report_of(study)
    line = line_of(report, "Echo", "empathy", Target.WITHIN_ONE, Signal.REPEATS)
    assert rule(report, line, asked()).refusal is Refusal.FEW_FLAGGED
    ruling = rule(report, line, asked(misses=NOT_ASKED))
    assert ruling.refusal is Refusal.STRAW_MAN
    said = text_of(
        as_user(ada).get(
            "/studies/pool/agreement/routing/", {"criterion": "empathy", "misses": NOT_ASKED}
        )
    )
    assert "a judge that always says" in said
    assert "may pass this promise too" in said
    assert (
        rule(
            report,
            line_of(report, "Echo", "empathy", Target.SAME, Signal.REPEATS),
            asked(misses=NOT_ASKED),
        ).refusal
        is Refusal.BROKEN
    )


def test_on_safety_what_slips_is_always_asked(lake):
    report = report_of(lake)
    line = line_of(report, "Echo", "safety", Target.SAME, Signal.REPEATS)
    assert set(rule(report, line, asked(misses=NOT_ASKED)).promise.asked) == set(Risk)


def test_a_judge_asked_once_and_alone_gives_no_sign(pond, as_user, ada):
    echo, ruth = judge("echo"), human("ruth")
    for item in items_of(pond):
        rate(echo, item, safety=SAFE)
        rate(ruth, item, safety=SAFE)
    said = text_of(as_user(ada).get("/studies/pond/agreement/routing/"))
    assert "ask a judge at least twice for each item, or let a second judge rate" in said


@pytest.mark.parametrize(
    "asked",
    [
        {"criterion": "none"},
        {"target": "magic"},
        {"signal": "magic"},
        {"alpha": "0.11"},
        {"passed": "0.11"},
        {"misses": "0.11"},
        {"audit": "1"},
    ],
)
def test_an_address_for_what_there_is_not_is_not_found(study, as_user, ada, asked):
    assert as_user(ada).get(URL, asked).status_code == 404


def test_a_list_of_a_judge_there_is_not_is_not_found(study, as_user, ada):
    assert as_user(ada).get(f"{URL}relevance/0/").status_code == 404


@pytest.mark.parametrize(
    ("target", "signal", "words"),
    [
        ("within_one", "judges", "all other judges give the same value"),
        ("within_one", "repeats", "of the judge’s other answers agree"),
        ("same_side", "distance", "points from the cut"),
        ("same_side", "judges", "of the other judges agree"),
        ("within_one", "distance", "This signal does not suit this target"),
    ],
)
def test_every_signal_is_said_in_its_own_unit(study, as_user, ada, target, signal, words):
    asked = {"criterion": "relevance", "target": target, "signal": signal, "alpha": "0.3"}
    assert words in text_of(as_user(ada).get(URL, asked))


def test_people_who_disagree_make_no_answer_right(pond):
    echo, ruth, rolf = judge("echo"), human("ruth"), human("rolf")
    for item in items_of(pond):
        rate(echo, item, repeat=1, safety=SAFE)
        rate(echo, item, repeat=2, safety=SAFE)
        rate(ruth, item, safety=SAFE)
        rate(rolf, item, safety=BAD)
    read = matrices.read(pond.pk)
    table = matrices.matrix(read, "safety")
    found = answers(read, table, read.judges[0], target=Target.SAME, signal=Signal.REPEATS)
    assert found.is_checked.all()
    assert not found.is_right.any(), "one of two is not more than half"


def test_the_overview_names_each_judge_and_signal(study):
    report = report_of(study)
    naming = of_page(study.rubric_version.content, report.judges, study="meadow", values="")
    shown = page(report, naming, {"alpha": "0.3"}, policy=shipped()[DEFAULT], verdicts={})
    about = [[cell.text for cell in row.about] for row in shown.overview.rows]
    assert {(criterion, judge) for criterion, judge, *_how in about} == {
        (wording.said(one.line.name), judge)
        for one in report.screened
        for judge in report.judges.values()
    }
    assert ["Relevance", "Oak", "within one point", "far from the cut"] not in about, (
        "the distance from the cut says nothing of one point"
    )


def test_the_chart_of_a_judge_has_the_numbers_of_its_tests(study, as_user, ada):
    shown = as_user(ada).get(URL).context["shown"]
    line = next(one for one in shown.lines if one.steps)
    chart = shown.charts[f"routing-{line.criterion}-{line.judge}"]
    (taken,) = rows_with(chart.plot, "agreeing")
    assert [(one["accepted"], one["agreeing"], one["at_least"], one["n"]) for one in taken] == [
        (
            100 * step.n_accepted / line.n_answers,
            100 * (1 - step.n_wrong / step.n_items),
            100
            * (
                1
                - shown.terms.promise(shown.screened.line, delta=0.05).limit(step.tries[Risk.WRONG])
            ),
            step.n_items,
        )
        for step in line.steps
    ]
    assert as_user(ada).get(f"/studies/meadow/agreement/{taken[0]['href']}").status_code == 200


def test_the_stored_routing_is_the_computed_one(study):
    snapshots.refresh(study_id=study.pk, part=PART, at=AT)
    assert snapshots.newest(study.pk, PART)[PLAIN] == report_of(study)
