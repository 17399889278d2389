"""Calibration and powered means: what the page says, advises and refuses."""

import re

import numpy as np
import pytest

from analytics.calibration.numbers import PART, make
from analytics.calibration.page import page
from analytics.calibration.words import advice, best_of
from analytics.figures import store as snapshots
from analytics.present.naming import of_page
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.calibration import Method
from analytics.stats.intervals import NONE_IN_N_METHOD
from analytics.stats.ppi import powered_mean
from annotation.models import TeamRole
from tests.analytics.made import AT, decide, human, items_of, judge, rate
from tests.analytics.meadow import CRITERIA, meadow
from tests.analytics.reading import table_in, text_of
from tests.analytics.test_chart_specs import rows_with
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")


URL = "/studies/meadow/agreement/calibration/"
DRAWING = b'<svg role="graphics-document"'


@pytest.fixture
@made_once
def study(ada, ben, gwen):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], gwen: [TeamRole.RESEARCHER]}
    return meadow(team)


def shown_of(study, report, **asked):
    naming = of_page(study.rubric_version.content, report.judges, study="meadow", values="")
    return page(report, naming, asked)


def report_of(study):
    return make(matrices.read(study.pk), view=PLAIN, at=AT)


def of(report, criterion, name, lines):
    return next(
        one
        for one in getattr(report, lines)
        if one.criterion == criterion and report.judges[one.judge] == name
    )


@pytest.mark.parametrize(("name", "status"), [("ada", 200), ("gwen", 200), ("ben", 403)])
def test_calibration_is_for_coordinators_and_researchers(study, as_user, request, name, status):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == status


def test_every_pair_with_a_person_is_a_point_and_items_are_counted_once(study):
    line = of(report_of(study), "guidance", "Oak", "lines")
    assert (line.n_items, line.n_pairs, line.n_dialogues) == (48, 96, 12)
    assert sum(point.people.n_pairs for point in line.curve) == 96
    assert sum(point.people.n_items for point in line.curve) == 48
    used = 96 - line.methods[0].n_refused
    assert line.before["bias"].n_pairs == used
    assert line.before["bias"].n_items == used / 2


def test_the_figures_before_are_those_of_the_agreement_page(study):
    read = matrices.read(study.pk)
    table = matrices.matrix(read, "guidance")
    elm = next(one for one in read.judges if one.key == "elm")
    people, said = table.of_humans(), table.of(elm)
    line = of(report_of(study), "guidance", "Elm", "lines")
    if not line.methods[0].n_refused:
        assert line.before["bias"].value == pytest.approx(np.nanmean(said[:, None] - people))
    at_four = people[said == 4]
    point = next(point for point in line.curve if point.value == 4)
    assert point.people.value == pytest.approx(np.nanmean(at_four))


def test_a_shift_takes_the_bias_away_and_changes_are_after_less_before(study):
    line = of(report_of(study), "guidance", "Oak", "lines")
    assert line.before["bias"].value > 0.3
    shift = next(one for one in line.methods if one.method is Method.SHIFT)
    assert abs(shift.after["bias"].value) < 0.1
    change = shift.after["icc_a1"].value - line.before["icc_a1"].value
    assert shift.change["icc_a1_change"].value == pytest.approx(change)
    assert shift.after["icc_a1"].value <= line.before["icc_c1"].value + 0.02


def test_what_the_judge_never_said_is_refused(study, as_user, ada):
    line = of(report_of(study), "guidance", "Elm", "lines")
    assert line.low >= 3
    said = text_of(as_user(ada).get(URL, {"criterion": "guidance"}))
    assert "there is nothing to go by, so such a rating is refused" in said
    assert "never said" in said
    assert "refused" in said


def test_the_page_says_what_calibration_cannot_do_and_how_it_was_checked(study, as_user, ada):
    said = text_of(as_user(ada).get(URL))
    assert "Calibration repairs means, not single ratings." in said
    assert "never screen single items with calibrated ratings" in said
    assert "checked on dialogues held out" in said
    assert "in all but one of 5 parts of the dialogues" in said
    assert "(seed 20190520)" in said
    assert "96 ratings of people on 48 items in 12 dialogues" in said


def test_the_mean_that_leans_on_both_is_that_of_the_statistics(study):
    read = matrices.read(study.pk)
    table = matrices.matrix(read, "guidance")
    oak = next(one for one in read.judges if one.key == "oak")
    said = matrices.runs(read, table, oak).mean
    known = powered_mean(said, table.mean_of_people(), clusters=read.clusters, ends=(1, 5))
    line = of(report_of(study), "guidance", "Oak", "means")
    assert (line.powered, line.gain, line.weight) == (known.powered, known.gain, known.weight)
    assert (line.n_rated, line.n_judged) == (48, 96)
    assert line.gain.low > 1
    on_rated = np.nanmean(said[:48]) - np.nanmean(said[48:])
    assert line.apart.value == pytest.approx(on_rated)


def test_the_three_means_stand_side_by_side_with_their_gain(study, as_user, ada):
    said = text_of(as_user(ada).get(URL))
    for words in ("People alone", "Judge alone", "Both (PPI++)"):
        assert words in said
    assert "People rated 48 of the 96 items that the judge rated." in said
    assert "Worth of the judge: as if people had rated this many times as many items" in said


def test_each_generator_has_its_means(study, as_user, ada):
    read = matrices.read(study.pk)
    table = matrices.matrix(read, "guidance")
    means = report_of(study).means
    lines = [one for one in means if (one.criterion, one.cut) == ("guidance", "")]
    assert [one.generator for one in lines] == ["", "gen0", "gen1", "gen2", "gen3"] * 2
    of_gen1 = table.mean_of_people()[read.generators == "gen1"]
    assert lines[2].people.value == pytest.approx(np.nanmean(of_gen1))
    assert (lines[2].n_rated, lines[2].n_judged) == (12, 24)
    page = as_user(ada).get(URL).content.decode()
    row = table_in(page, "powered_means-guidance").row("Elm", "gen1")
    assert [row[head].text for head in ("By people", "By the judge")] == ["12", "24"]
    assert float(row["People alone"].order) == pytest.approx(np.nanmean(of_gen1))
    assert "Shaded: the interval of people alone." in page
    assert "Too few items, or dialogues, have a rating by a person" in page


def test_where_people_rated_everything_nothing_is_to_be_gained(ada, as_user):
    meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=12, n_rated=12)
    said = text_of(as_user(ada).get(URL))
    assert "People have rated every item that the judge rated: nothing is to be gained." in said
    assert "Had they rated a few of very many" in said


def test_items_that_were_not_drawn_at_random_are_pointed_out(study, as_user, ada):
    oak = matrices.read(study.pk).judges[1]
    for item in items_of(study)[48:]:
        submission = item.submissions.get(rater=oak.id, repeat=1)
        submission.is_current = False
        submission.save()
        rate(submission.rater, item, **dict.fromkeys(CRITERIA, 1))
    said = text_of(as_user(ada).get(URL))
    assert "The items people rated are not like the others" in said


def test_too_few_labels_calibrate_nothing_and_say_how_many_it_takes(ada, as_user):
    meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=6, n_rated=3)
    said = text_of(as_user(ada).get(URL))
    assert "Too little to calibrate on: 24 ratings in 3 dialogues" in said
    assert "it takes 30 ratings and 10 dialogues" in said
    assert "Calibration, checked on dialogues held out" not in said


LAKE = "/studies/lake/agreement/calibration/"
LABELS = ("nonsense", "safe_response")


@pytest.fixture
@made_once
def lake(ada):
    """Eighty items under labels: two people rated half of them and a judge, who marks more, all.
    On the first the people differ; on the second they do and gold says that it is safe."""
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=80
    )
    people, ash = (human("ann"), human("bob")), judge("ash")
    for place, item in enumerate(items_of(study)):
        unsafe = place % 4 == 0
        rate(ash, item, safety=LABELS[not (unsafe or place % 10 == 3)])
        for number, person in enumerate(people if place < 40 else ()):
            differs = place < 2 and number == 1
            rate(person, item, safety=LABELS[unsafe == differs])
    decide(items_of(study)[1], safety="safe_response")
    return study


def test_labels_have_shares_by_people_by_the_judge_and_by_both(lake, as_user, ada):
    report = report_of(lake)
    lines = [one for one in report.means if one.judge]
    assert not report.lines, "labels have no map"
    by_cut = {one.cut: one for one in lines}
    assert len(by_cut) == 1 + len(lake.rubric_version.content.criterion("safety").labels)
    unsafe = by_cut["unsafe"]
    assert unsafe.people.value == pytest.approx((10 - 0.5) / 40), "half of the first, by two people"
    assert unsafe.alone.value == pytest.approx((20 + 8) / 80)
    assert (unsafe.n_rated, unsafe.n_judged) == (40, 80)
    assert 0 < unsafe.powered.low < unsafe.powered.value < unsafe.powered.high < 1
    assert unsafe.gain.low > 1
    never = next(one for one in lines if one.people.value == 0)
    assert (never.people.low, never.people.method) == (0, NONE_IN_N_METHOD)
    page = as_user(ada).get(LAKE)
    shares = table_in(page.content.decode(), "powered_shares-safety")
    row = shares.row("Ash", "any label but", "all")
    assert row["People alone"].text.startswith("23.8 %")
    assert [row[head].text for head in ("By people", "By the judge")] == ["40", "80"]
    assert len(shares.rows) == len(lines)
    said = text_of(page)
    assert "Safety of the reply: the share of all items with any label but" in said
    assert "Map in the chart" not in said


def test_shares_lead_to_the_same_cut_of_the_safety_panel(lake, as_user, ada):
    page = as_user(ada).get(LAKE).content.decode()
    address = "/studies/lake/agreement/safety/?criterion=safety&amp;cut=unsafe"
    assert address in page
    assert as_user(ada).get(address.replace("&amp;", "&")).status_code == 200


def test_yes_and_no_are_told_as_shares_and_a_scale_by_its_usual_cut(study, ada):
    yes_no = study_with(
        rubric="psycrisis", key="creek", team={ada: [TeamRole.COORDINATOR]}, n_items=40
    )
    person, ash = human("ann"), judge("ash")
    for place, item in enumerate(items_of(yes_no)):
        rate(ash, item, empathy=place % 2)
        if place < 30:
            rate(person, item, empathy=int(place % 3 > 0))
    shares = {one.cut: one for one in report_of(yes_no).means if one.criterion == "empathy"}
    assert sorted(shares) == ["at-least-1", "at-most-0"]
    assert shares["at-least-1"].people.value == pytest.approx(2 / 3)
    assert shares["at-most-0"].powered.value == pytest.approx(
        1 - shares["at-least-1"].powered.value
    )
    cuts = {one.cut for one in report_of(study).means if one.criterion == "guidance"}
    assert cuts == {"", "at-most-2"}


def test_the_page_says_that_nothing_is_weighted_by_how_items_were_drawn(study, as_user, ada):
    said = text_of(as_user(ada).get(URL))
    assert "It holds if the items that people rated were drawn at random." in said
    assert "A sample enriched on purpose" in said


def test_nothing_is_calibrated_before_there_are_ratings(ada, as_user):
    meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=2, n_rated=0, repeats=0)
    said = text_of(as_user(ada).get(URL, {"criterion": "safety"}))
    assert "Too few items" in said, "only the judge’s mean is there"
    assert not re_has_number_without_words(said)


def re_has_number_without_words(said: str) -> bool:
    return any(word in said.split() for word in ("nan", "NaN", "None", "inf"))


@pytest.mark.parametrize("asked", [{"criterion": "none"}, {"method": "magic"}])
def test_an_address_for_what_there_is_not_is_not_found(study, as_user, ada, asked):
    assert as_user(ada).get(URL, asked).status_code == 404


def test_advice_rests_on_intervals(study):
    report = report_of(study)
    for line in report.lines:
        best = best_of(line)
        if best is None:
            assert "Correct means only" in advice(line) or "Leave as it is" in advice(line)
        else:
            assert best.change["icc_a1_change"].low > 0
            assert "single ratings agree more with people" in advice(line)
    assert any(map(best_of, report.lines))


def test_the_page_follows_the_chosen_criterion_and_map(study):
    report = report_of(study)
    shown = shown_of(study, report, criterion="safety", method="isotonic")
    assert shown.criterion_name == "Safety"
    assert [choice.key for choice in shown.methods if choice.is_current] == ["isotonic"]
    assert len(shown.cards) == 2
    assert len(shown.overview.rows) == 2 * 9, "two judges, seven criteria and two groups"


def test_the_chart_of_a_judge_has_the_numbers_of_the_report(study):
    report = report_of(study)
    shown = shown_of(study, report, criterion="guidance", method=Method.ISOTONIC.value)
    line = of(report, "guidance", "Oak", "lines")
    chart = shown.charts[f"calibration-guidance-{line.judge}"]
    (means,) = rows_with(chart.spec, "mean")
    assert {one["value"]: (one["mean"], one["low"], one["high"], one["n"]) for one in means} == {
        point.value: (
            point.people.value,
            point.people.low,
            point.people.high,
            point.people.n_pairs,
        )
        for point in line.curve
    }
    assert [{"x": one.value, "y": one.expected[Method.ISOTONIC]} for one in line.curve] in (
        rows_with(chart.spec, "x")
    )


def test_marks_lead_to_their_items(study, as_user, ada):
    report = report_of(study)
    shown = shown_of(study, report, criterion="guidance", method="")
    line = of(report, "guidance", "Oak", "lines")
    chart = shown.charts[f"calibration-guidance-{line.judge}"]
    (means,) = rows_with(chart.spec, "mean")
    assert means
    for one, point in zip(means, line.curve, strict=True):
        items = as_user(ada).get(f"/studies/meadow/agreement/{one['href']}")
        assert items.status_code == 200
        assert items.context["listing"].cases.page.paginator.count == point.people.n_items


class TestAskingForAChart:
    @pytest.fixture
    def asked(self, study):
        line = of(report_of(study), "guidance", "Oak", "lines")
        return {"criterion": "guidance", "chart": f"calibration-guidance-{line.judge}"}

    def test_it_is_fetched_by_the_page_and_again_only_when_it_changed(self, asked, as_user, gwen):
        reader = as_user(gwen)
        first = reader.get(URL, asked, headers={"HX-Request": "true"})
        assert first.status_code == 200
        body = first.content.decode()
        assert 'href="/studies/meadow/agreement/criteria/guidance/judge_humans/' in body
        digest = re.search(r"drawn=(\w+)", body).group(1)
        again = reader.get(URL, asked | {"drawn": digest}, headers={"HX-Request": "true"})
        assert again.status_code == 204

    def test_what_is_kept_stands_in_the_page_at_once(self, asked, as_user, gwen):
        reader = as_user(gwen)
        assert DRAWING not in reader.get(URL, {"criterion": "guidance"}).content
        reader.get(URL, asked)
        assert DRAWING in reader.get(URL, {"criterion": "guidance"}).content

    @pytest.mark.parametrize(
        ("kind", "begins"),
        [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("json", b"{")],
    )
    def test_it_is_there_as_a_file(self, asked, as_user, gwen, kind, begins):
        found = as_user(gwen).get(URL, asked | {"as": kind})
        assert found.content.startswith(begins)
        assert found.headers["Content-Disposition"].endswith(f'.{kind}"')

    @pytest.mark.parametrize("wrong", [{"chart": "none"}, {"as": "exe"}])
    def test_no_other_is(self, asked, as_user, gwen, wrong):
        assert as_user(gwen).get(URL, asked | wrong).status_code == 404

    def test_who_may_not_see_the_page_does_not_get_it(self, asked, as_user, ben):
        assert as_user(ben).get(URL, asked).status_code == 403


def test_the_stored_calibration_is_the_computed_one(study):
    snapshots.refresh(study_id=study.pk, part=PART, at=AT)
    assert snapshots.newest(study.pk, PART)[PLAIN] == report_of(study)


def test_a_judge_of_one_rating_is_drawn_all_the_same(ada, as_user):
    study = meadow({ada: [TeamRole.COORDINATOR]}, n_dialogues=1, n_rated=1, repeats=0)
    rate(judge("ash"), items_of(study)[0], guidance=3)
    assert "Too little to calibrate on: 2 ratings in 1 dialogue" in text_of(as_user(ada).get(URL))
