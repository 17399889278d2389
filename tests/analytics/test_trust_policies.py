"""Rules that a team brings itself: kept word for word, shown in words, fixed, handed back."""

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import Event
from analytics.models import BroughtPolicy, FixedPolicy
from analytics.policies.loading import MOST_BYTES, shipped
from analytics.trust import policies
from analytics.trust.actions import CannotFix, bring_policy, fix_policy
from annotation.models import TeamRole
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import text_of
from tests.analytics.test_cases import access_to
from tests.cast import study_with
from tests.kept import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
URL = "/studies/lake/agreement/trust/"
OWN = (
    shipped()["default"]
    .text.replace('title.en = "Default"', 'title.en = "Our clinic"')
    .replace('title.zh_hans = "默认规则"', "")
    .replace("least_items = 100", "least_items = 5")
    .replace("agreement = { trusted = 0.75", "agreement = { trusted = 0.66")
    .encode()
)
SHA = hashlib.sha256(OWN).hexdigest()
KEY = SHA[:12]


@pytest.fixture
@made_once
def lake(ada, gwen):
    """Ten items under the MentalAlign rubric that a person and a judge have rated for safety."""
    study = study_with(
        rubric="mentalalign",
        key="lake",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=10,
    )
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(study)):
        rate(ruth, item, safety=1 + place % 5)
        rate(echo, item, safety=1 + place % 5)
    return study


def brought(study, account, content=OWN, name="clinic.toml"):
    return bring_policy(
        study_access=access_to(study, account), file_name=name, content=content, by=account, at=AT
    )


def upload(client, content=OWN, name="clinic.toml"):
    return client.post(f"{URL}policy/file/", {"file": SimpleUploadedFile(name, content)})


def ran(*arguments) -> str:
    out = StringIO()
    call_command("trust_policy", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_a_file_is_kept_word_for_word_with_who_brought_it_and_when(lake, ada):
    assert brought(lake, ada) == KEY
    kept = BroughtPolicy.objects.get()
    assert (kept.text.encode(), kept.sha256, kept.file_name) == (OWN, SHA, "clinic.toml")
    assert (kept.brought_by, kept.brought_at) == (ada, AT)
    assert Event.objects.get(verb="trust.policy_brought").facts == {"sha256": SHA}
    assert not FixedPolicy.objects.exists()


@pytest.mark.parametrize("model", [BroughtPolicy, FixedPolicy])
def test_the_database_keeps_rules_as_they_are(lake, ada, model):
    brought(lake, ada)
    fix_policy(study_access=access_to(lake, ada), key=KEY, by=ada, at=AT)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        model.objects.update(text="title.en = 'Kinder'")
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        model.objects.all().delete()


def test_an_upload_is_looked_at_before_it_is_fixed(lake, as_user, ada):
    client = as_user(ada)
    response = upload(client)
    assert response.headers["Location"] == f"{URL}?policy={KEY}"
    said = text_of(client.get(response.headers["Location"]))
    for words in (
        "Preview: Our clinic",
        "What “Our clinic” asks",
        "at least 5 items and 20 dialogues",
        "ICC(A,1), agreement: whole interval from 0.66 up; not to be used below 0.50",
        "the same LLM in every answer",
        "wins against at least half of the people (ε = 0.15)",
        "Sensitivity is asked on: Safety. The rules also name risk_assessment, which this study",
        "Your own: clinic.toml, brought on",
        f"SHA-256 {KEY}",
    ):
        assert words in said, words


def test_the_form_that_brings_a_file_carries_its_token(lake, ada):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    form = re.search(r'<form[^>]*policy/file/".*?</form>', client.get(URL).content.decode(), re.S)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form.group())
    sent = {"file": SimpleUploadedFile("clinic.toml", OWN), "csrfmiddlewaretoken": token.group(1)}
    assert client.post(f"{URL}policy/file/", sent).status_code == 302


def test_rules_of_a_team_hold_once_they_are_fixed(lake, as_user, ada):
    client = as_user(ada)
    upload(client)
    client.post(f"{URL}policy/", {"policy": KEY})
    held = policies.held(lake)
    assert (held.policy.key, held.policy.text.encode()) == (KEY, OWN)
    assert Event.objects.get(verb="trust.policy_fixed").facts["sha256"] == SHA
    said = text_of(client.get(URL))
    assert "Rules: Our clinic" in said
    assert "Which rules held since when" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (OWN.replace(b"least_items = 5", b"least_items = 0"), "must be a whole number from 1 to"),
        (OWN.replace(b"[binary]", b"[binry]"), "binry is not known here; check its spelling."),
        (OWN + b"]", "This is not TOML: "),
        (b"#" * (MOST_BYTES + 5), "The file is larger than 32 kB"),
        (shipped()["strict"].text.encode(), "The study has these rules already: “Strict”."),
        (
            shipped()["strict"].text.replace("0.95", "0.90").encode(),
            "Other rules are called “Strict” too, and cards name rules by their title: write another title.en.",
        ),
        (
            shipped()["strict"].text.replace('"Strict"', '"Our clinic"').encode(),
            "write another title.zh_hans.",
        ),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_in_words(lake, as_user, ada, content, words):
    response = upload(as_user(ada), content)
    said = text_of(response)
    assert response.status_code == 422
    assert "clinic.toml was not taken." in said
    assert words in said
    assert not BroughtPolicy.objects.exists()


def test_no_file_at_all_is_refused_in_words(lake, as_user, ada):
    response = as_user(ada).post(f"{URL}policy/file/")
    assert response.status_code == 422
    assert "Choose a file first." in text_of(response)


@pytest.mark.parametrize(("who", "status"), [("gwen", 403), ("ben", 404), ("eli", 403)])
def test_only_a_coordinator_brings_rules(lake, as_user, request, who, status):
    assert upload(as_user(request.getfixturevalue(who))).status_code == status
    assert not BroughtPolicy.objects.exists()


def test_the_same_rules_are_not_brought_twice(lake, ada):
    brought(lake, ada)
    with pytest.raises(CannotFix, match="Our clinic"):
        brought(lake, ada, name="again.toml")


def test_rules_stay_with_the_study_that_brought_them(lake, pond, ada):
    brought(lake, ada)
    assert KEY in policies.of_study(lake)
    assert KEY not in policies.of_study(pond)
    with pytest.raises(CannotFix, match="There are no rules"):
        fix_policy(study_access=access_to(pond, ada), key=KEY, by=ada, at=AT)


@pytest.mark.parametrize("key", [*shipped(), KEY])
def test_any_rules_can_be_downloaded_word_for_word(lake, as_user, ada, gwen, key):
    brought(lake, ada)
    response = as_user(gwen).get(f"{URL}policy/{key}.toml")
    assert response.content.decode() == policies.of_study(lake)[key].text
    assert response.headers["Content-Disposition"] == f'attachment; filename="rules-{key}.toml"'


@pytest.mark.parametrize(("who", "key", "status"), [("gwen", "moon", 404), ("ben", "strict", 404)])
def test_rules_that_there_are_not_cannot_be_downloaded(lake, as_user, request, who, key, status):
    client = as_user(request.getfixturevalue(who))
    assert client.get(f"{URL}policy/{key}.toml").status_code == status


def test_rules_that_concord_has_changed_since_stay_as_they_were_fixed(lake, as_user, ada):
    earlier = shipped()["strict"].text + "# as it was\n"
    sha = hashlib.sha256(earlier.encode()).hexdigest()
    FixedPolicy.objects.create(
        study=lake,
        key="strict",
        text=earlier,
        sha256=sha,
        n_judged=0,
        fixed_at=AT,
        fixed_by=ada,
    )
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    client = as_user(ada)
    assert client.get(f"{URL}policy/{sha[:12]}.toml").content.decode() == earlier
    assert "Concord has changed it since" in text_of(client.get(URL))


def test_a_card_says_whether_its_rules_came_before_the_answers_of_its_judge(lake, as_user, ada):
    echo = lake.submissions.get(rater__key="echo", item__position=1).rater
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT + timedelta(days=1))
    client = as_user(ada)
    assert "No: 10 answers of this judge were in when the rules were fixed." in text_of(
        client.get(f"{URL}safety/{echo.pk}/")
    )
    assert "Rules fixed beforehand" not in text_of(
        client.get(f"{URL}safety/{echo.pk}/?policy=default")
    )


def test_a_judge_that_answers_after_its_rules_were_fixed_is_judged_by_rules_fixed_beforehand(
    lake, as_user, ada
):
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT - timedelta(days=1))
    echo = lake.submissions.get(rater__key="echo", item__position=1).rater
    assert "Yes: no answer of this judge was in when the rules were fixed." in text_of(
        as_user(ada).get(f"{URL}safety/{echo.pk}/")
    )


def test_the_command_fixes_a_file_and_prints_it_again(lake, ada, tmp_path):
    file = tmp_path / "clinic.toml"
    file.write_bytes(OWN)
    assert SHA in ran("check", file)
    assert SHA in ran("fix", "lake", file, "--by", ada.email)
    assert f"* {KEY}" in ran("list", "lake")
    assert ran("print", "lake", KEY).encode() == OWN
    ran("fix", "lake", "strict", "--by", ada.email)
    ran("fix", "lake", file, "--by", ada.email)  # known already, so not brought again
    assert BroughtPolicy.objects.count() == 1
    assert "They replaced earlier rules, 2 times." in ran("list", "lake")


def test_cards_as_json_name_their_rules_with_their_fingerprint(lake, as_user, ada):
    brought(lake, ada)
    fix_policy(study_access=access_to(lake, ada), key=KEY, by=ada, at=AT)
    printed = json.loads(ran("cards", "lake"))
    assert as_user(ada).get("/api/v1/studies/lake/trust/").json() == printed
    assert printed["policy"] == {
        "key": KEY,
        "title": "Our clinic",
        "sha256": SHA,
        "fixed_at": AT.isoformat(),
        "ratings_by_judges_then": 10,
        "policies_before": 0,
    }
    (card,) = printed["cards"]
    assert (card["judge"], card["criterion"], card["verdict"]) == (
        "echo",
        "safety",
        "cannot be shown with these data",
    )
    agreement = next(line for line in card["lines"] if line["topic"] == "agreement")
    assert agreement["estimate"]["n_items"] == 10


def test_rules_that_are_only_looked_at_are_not_called_fixed(lake, as_user, ada):
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    plain = as_user(ada).get("/api/v1/studies/lake/trust/?policy=default").json()
    assert (plain["policy"]["key"], plain["policy"]["fixed_at"]) == ("default", None)


@pytest.mark.parametrize(
    ("who", "query", "status"), [("gwen", "", 200), ("gwen", "?policy=moon", 404), ("ben", "", 404)]
)
def test_cards_as_json_are_for_whom_the_page_is(lake, as_user, request, who, query, status):
    client = as_user(request.getfixturevalue(who))
    assert client.get(f"/api/v1/studies/lake/trust/{query}").status_code == status


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("check", "moon.toml"), "moon.toml cannot be opened: No such file or directory."),
        (("fix", "lake", "moon", "--by", "ada@example.org"), "There are no rules “moon”."),
        (("fix", "lake", "strict", "--by", "gwen@example.org"), "fixed by its coordinators"),
        (("fix", "lake", "strict", "--by", "ben@example.org"), "has no part in the study"),
        (("fix", "lake", "strict", "--by", "moon@example.org"), "No account has the email"),
        (("print", "lake", "moon"), "The study knows: default, mentalalign_tiers, strict."),
        (("cards", "lake", "--policy", "moon"), "There are no rules “moon”."),
        (("list", "moon"), "There is no study “moon”."),
    ],
)
def test_the_command_refuses_in_words(lake, ben, arguments, sentence):
    with pytest.raises(CommandError, match=re.escape(sentence)):
        ran(*arguments)


def test_the_command_names_the_file_with_each_mistake(tmp_path):
    file = tmp_path / "clinic.toml"
    file.write_bytes(OWN.replace(b"least_items = 5", b"least_items = 0"))
    with pytest.raises(CommandError) as refusal:
        ran("check", file)
    assert str(refusal.value).splitlines() == [
        f"{file}: {level}.least_items must be a whole number from 1 to 1000000."
        for level in ("nominal", "binary", "ordinal")
    ]
