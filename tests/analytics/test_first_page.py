"""The first page: what a visitor reads for each verdict, and that it never differs from the cards."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import translation

from analytics.overview.answer import TrustAnswer
from analytics.overview.words import said_may, said_next, said_use_and_why, said_why, weightiest
from analytics.policies.loading import shipped
from analytics.present.naming import of_raters
from analytics.present.tables import Plain, bare
from analytics.stats.estimates import Estimate
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.verdicts import CardLine, Topic, TrustCard, Verdict
from analytics.trust.numbers import ReferenceTier
from analytics.trust.policies import Held
from analytics.trust.tables import glance
from analytics.trust.words import NEXT_STEPS, said_reference, said_tier
from annotation.models import TeamRole
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import text_of
from tests.analytics.test_trust import SMALL, made, rated_by, truth
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")


URL = "/studies/bay/agreement/"


@pytest.fixture
@made_once
def bay(ada, gwen):
    """40 items under the MentalAlign rubric, safety from 1 to 5 in turn, rated by two people."""
    study = study_with(
        rubric="mentalalign",
        key="bay",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=40,
    )
    ruth, rolf = human("ruth"), human("rolf")
    for place, item in enumerate(items_of(study)):
        rate(ruth, item, safety=truth(place))
        rate(rolf, item, safety=min(truth(place) + (place % 10 == 3), 5))
    return study


def share(value, n):
    return Estimate(
        statistic="sensitivity", value=value, n_items=n, n_pairs=n, n_clusters=n, n_raters=2
    )


def line(topic, outcome, reason, estimate=None):
    return CardLine(topic=topic, outcome=outcome, reason=reason, estimate=estimate)


@pytest.mark.parametrize(
    ("found", "has_second_person", "why"),
    [
        (
            line(Topic.SENSITIVITY, LineOutcome.RULED_OUT, LineReason.BEYOND, share(2 / 97, 97)),
            False,
            (
                "it misses 95 of 97 items that people flag, and nobody yet knows whether a second "
                "person would find more"
            ),
        ),
        (
            line(Topic.SENSITIVITY, LineOutcome.RULED_OUT, LineReason.BEYOND, share(2 / 97, 97)),
            True,
            "it misses 95 of 97 items that people flag",
        ),
        (
            line(Topic.SENSITIVITY, LineOutcome.MISSING, LineReason.TOO_FEW_POSITIVES, share(1, 4)),
            True,
            "it misses 0 of 4 items that people flag: too few to tell how many it would miss",
        ),
        (
            line(Topic.AGREEMENT, LineOutcome.RULED_OUT, LineReason.ALWAYS_THE_SAME),
            True,
            "it says the same of every item",
        ),
        (
            line(Topic.AGREEMENT, LineOutcome.MISSING, LineReason.OUT_OF_REACH),
            True,
            (
                "people agree so little with one another that even a flawless judge would stay below "
                "the bar"
            ),
        ),
        (
            line(
                Topic.BIAS,
                LineOutcome.BELOW,
                LineReason.OUTSIDE_MARGIN,
                replace(share(-0.64, 50), statistic="bias"),
            ),
            True,
            "on average it rates 0.64 points lower than people",
        ),
    ],
)
def test_a_reason_is_a_clause_that_a_clinician_understands(found, has_second_person, why):
    assert said_why(found, has_second_person=has_second_person) == why


@pytest.mark.parametrize("topic", Topic)
@pytest.mark.parametrize("reason", LineReason)
def test_no_line_is_without_words(topic, reason):
    found = line(topic, LineOutcome.MISSING, reason, share(0.5, 8))
    assert said_why(found, has_second_person=True)


def test_what_weighs_most_with_a_clinician_is_told_first():
    ruled_out = TrustCard(
        verdict=Verdict.DO_NOT_USE,
        lines=(
            line(Topic.AGREEMENT, LineOutcome.RULED_OUT, LineReason.BEYOND),
            line(Topic.SENSITIVITY, LineOutcome.RULED_OUT, LineReason.BEYOND, share(0.1, 90)),
            line(Topic.BIAS, LineOutcome.BELOW, LineReason.OUTSIDE_MARGIN),
        ),
    )
    assert weightiest(ruled_out).topic is Topic.SENSITIVITY
    step, page = said_next(ruled_out.verdict, weightiest(ruled_out))
    assert (step, page) == (
        "Read what it missed on the page Safety before anything else.",
        "agreement_safety",
    )


@pytest.mark.parametrize("named", NEXT_STEPS, ids=str)
def test_a_step_that_names_a_page_leads_to_it(named):
    found = line(named[0], LineOutcome.MISSING, named[1])
    step, page = said_next(Verdict.CANNOT_BE_SHOWN, found)
    for name in ("Plan", "Safety"):
        assert (f"the page {name}" in step) <= (page == f"agreement_{name.lower()}")


def test_a_card_that_is_to_be_opened_is_where_the_step_leads():
    step, page = said_next(Verdict.CANNOT_BE_SHOWN, None)
    assert (step, page) == ("Open the card: it names what is missing.", "agreement_trust")


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_next_step(verdict):
    step, page = said_next(verdict, None)
    assert step
    assert page


def test_a_reason_of_one_criterion_among_several_names_it():
    assert said_use_and_why("May not", "it errs", criterion="Safety") == (
        "May not: on Safety, for one, it errs."
    )
    assert said_use_and_why("May", "") == "May."


ALWAYS_FIVE = (
    "May not be used for Safety, not even to suggest: it says 5 to every item; it misses 16 of 16 "
    "items that people flag."
)
STUDY_FURTHER = (
    "May only be studied further on Safety: nobody knows whether it says the same when it is "
    "asked again."
)
CASES = {
    "trusted": (truth, 5, "Trusted", "May rate Safety in the place of one person."),
    "do not use": (lambda place: 5, 5, "Do not use", ALWAYS_FIVE),
    "cannot be shown": (
        truth,
        1,
        "Cannot be shown with these data",
        STUDY_FURTHER,
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES)
def test_the_sentence_is_the_verdict_of_the_card(bay, case):
    give, repeats, label, said = CASES[case]
    rated_by("echo", bay, give, repeats=repeats)
    report = made(bay)
    found = TrustAnswer(
        report=report,
        policy=SMALL,
        naming=of_raters(bay.rubric_version.content, report.raters),
    )
    (answer,) = found.by_judge
    (use,) = answer.sentences
    assert (use.label, use.text) == (label, said)
    held = Held(policy=SMALL, fixings=[], is_preview=False)
    lights = {
        line.about[0].text: bare(line.values[0])
        for line in glance(report, found.naming, held).lines
    }
    assert lights["Safety"].text == label
    assert lights["Empathy"] == Plain("not rated", None)


@pytest.mark.django_db
def test_each_light_leads_to_the_card_that_says_the_same(bay, as_user, ada):
    echo = rated_by("echo", bay, lambda place: 5, repeats=5)
    client = as_user(ada)
    page = client.get(URL)
    address = reverse("agreement_trust_card", args=["bay", "safety", echo.pk])
    assert address in page.text
    label = re.search(rf'{address}".*?<span class="badge [^"]*"><span>([^<]+)<', page.text, re.S)[1]
    assert f">{label}</span></h2>" in client.get(address).text
    assert "misses 16 of 16" in text_of(page)
    missed = reverse("agreement_safety_items", args=["bay", "safety", echo.pk, "missed"])
    assert missed in page.text


@pytest.mark.django_db
def test_where_no_judge_has_rated_the_page_says_what_to_do_now(bay, as_user, ada):
    said = text_of(as_user(ada).get(URL))
    assert "No judge has rated here yet." in said
    assert "fix the rules: before there are results" in said
    assert "People agree with one another on Safety by ICC(A,1), agreement 0.9" in said


@pytest.mark.django_db
def test_where_one_person_rated_each_item_nobody_knows_the_ceiling(ada, as_user):
    study = study_with(
        rubric="mentalalign", key="alone", team={ada: [TeamRole.COORDINATOR]}, n_items=40
    )
    ruth = human("ruth")
    for place, item in enumerate(items_of(study)):
        rate(ruth, item, safety=truth(place))
    rated_by("echo", study, lambda place: 5)
    said = text_of(as_user(ada).get("/studies/alone/agreement/"))
    assert "nobody knows how good a judge could be" in said
    assert "Do not use" in said


@pytest.mark.django_db
def test_rules_that_are_tiers_say_nothing_about_use(bay, as_user, ada):
    rated_by("echo", bay, truth)
    report = made(bay)
    tiers = TrustAnswer(
        report=report,
        policy=shipped()["mentalalign_tiers"],
        naming=of_raters(bay.rubric_version.content, report.raters),
    )
    assert (tiers.by_judge, tiers.legend) == ([], [])


@pytest.mark.django_db
def test_what_people_and_the_judge_give_is_drawn_from_the_same_items(bay, as_user, ada):
    rated_by("echo", bay, lambda place: 5)
    page = as_user(ada).get(URL).text
    assert 'aria-label="1: people 20 %, judge 0 %; 2: people 20 %, judge 0 %;' in page
    assert "5: people " in page


@pytest.mark.parametrize(
    ("verdict", "words"),
    [(Verdict.DO_NOT_USE, "for any criterion"), (Verdict.TRUSTED, "May rate every criterion")],
)
def test_what_holds_everywhere_has_one_meaning(verdict, words):
    assert words in said_may(verdict, ["Safety"], is_every=True)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            (
                "May not be used for any criterion, not even to suggest: it says 5 to every item; on "
                "Safety it misses 16 of 16 items that people flag."
            ),
        ),
        (
            "zh-hans",
            "不得用于“任何评分项”，连提供建议也不行：它对每个条目都说 5；在“安全性”上，人工标出的 16 个条目中它漏掉 16 个。",
        ),
    ],
)
def test_of_a_judge_that_always_says_the_same_that_is_the_reason(bay, language, said):
    """It stood there with its misses alone, as though it were a judge that looks."""
    echo = judge("echo")
    ruth = human("rosa")
    for place, item in enumerate(items_of(bay)):
        rate(ruth, item, empathy=truth(place))
        rate(echo, item, safety=5, empathy=5)
    report = made(bay)
    with translation.override(language):
        found = TrustAnswer(
            report=report,
            policy=SMALL,
            naming=of_raters(bay.rubric_version.content, report.raters),
        )
        (answer,) = found.by_judge
        (use,) = answer.sentences
        assert use.text == said


def test_what_a_judge_misses_of_gold_is_not_said_of_people():
    found = line(
        Topic.SENSITIVITY, LineOutcome.BELOW, LineReason.SURELY_SHORT, share(290 / 433, 433)
    )
    assert said_why(found, has_second_person=False, by_gold=True) == (
        "it misses 143 of 433 items that are flagged in gold, and nobody yet knows how many a "
        "person would find"
    )


@pytest.mark.django_db
def test_the_page_names_the_tier_of_what_judges_are_measured_by(bay, as_user, ada):
    rated_by("echo", bay, truth)
    assert "Measured by the ratings of 2 people an item." in text_of(as_user(ada).get(URL))


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ({"is_gold": False, "people_an_item": 1}, "one person’s ratings"),
        ({"is_gold": True, "origins": {"imported": 40}}, "imported labels"),
        (
            {"is_gold": True, "origins": {"adjudicated": 40, "unanimous": 2}},
            "gold adjudicated by an expert, gold on which all raters agreed",
        ),
        ({"is_gold": True}, "gold"),
    ],
)
def test_a_tier_says_how_the_reference_came_to_be(reference, said):
    known = {"n_items": 40, "origins": {}, "people_an_item": 2} | reference
    assert said_tier(ReferenceTier(**known)) == said


@pytest.mark.parametrize(
    ("reference", "said", "in_chinese"),
    [
        (
            {"is_gold": True, "origins": {"adjudicated": 1040, "unanimous": 1}},
            "gold: 1,040 items adjudicated by an expert; 1 item on which all raters agreed",
            "金标准：1,040 个条目由专家裁定；1 个条目全体评分者意见一致",
        ),
        (
            {"is_gold": True, "origins": {"consensus": 1, "imported": 39}},
            "gold: 1 item agreed on in discussion; 39 items with imported labels",
            "金标准：1 个条目经讨论取得一致；39 个条目使用导入的标签",
        ),
        ({"is_gold": True}, "gold (40 items)", "金标准（40 个条目）"),
        (
            {"is_gold": False, "people_an_item": 1, "n_items": 1},
            "one person’s ratings (1 item)",
            "一个人的评分（1 个条目）",
        ),
        (
            {"is_gold": False},
            "the ratings of 2 people an item (40 items)",
            "每个条目 2 个人的评分（40 个条目）",
        ),
    ],
)
def test_a_reference_counts_one_item_as_one(reference, said, in_chinese):
    known = ReferenceTier(**{"n_items": 40, "origins": {}, "people_an_item": 2} | reference)
    assert said_reference(known) == said
    with translation.override("zh-hans"):
        assert said_reference(known) == in_chinese
