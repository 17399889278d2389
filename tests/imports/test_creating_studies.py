"""`create_study` makes a study, or says in a sentence why not."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import RubricVersion, Study


def test_a_study_is_made_under_a_shipped_rubric(db, ada, capsys):
    call_command(
        *["create_study", "reeds", "--name", "Reeds", "--rubric", "psycrisis"],
        *["--language", "zh-hans", "--coordinator", ada.email, "--by", ada.email],
    )
    study = Study.objects.get(key="reeds")
    assert (study.name, study.language, study.created_by) == ("Reeds", "zh-hans", ada)
    assert study.memberships.get().user == ada
    assert capsys.readouterr().out == "Created the study “reeds”.\n"


def test_studies_under_the_same_text_share_its_edition(db):
    for key in ("one", "two"):
        call_command("create_study", key, "--name", key, "--rubric", "mentalalign")
    assert RubricVersion.objects.count() == 1


REFUSALS = {
    "a key that is taken": (["pond"], "dialogue_safety", "There is already a study “pond”."),
    "a key with blanks": (
        ["my pond"],
        "dialogue_safety",
        "A study's key is made of Latin letters, digits, hyphens and underscores.",
    ),
    "a rubric that is not there": (
        ["reeds"],
        "safety",
        (
            "There is no rubric “safety”. Name one of dialogue_safety, mentalalign, psycrisis, or "
            "a .toml file."
        ),
    ),
    "a file that is not there": (
        ["reeds"],
        "no.toml",
        "no.toml cannot be opened: No such file or directory.",
    ),
}


@pytest.mark.parametrize(("key", "rubric", "words"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_wrong_is_said_in_a_sentence(pond, key, rubric, words):
    with pytest.raises(CommandError) as refusal:
        call_command("create_study", *key, "--name", "Reeds", "--rubric", rubric)
    assert str(refusal.value) == words


def test_every_mistake_of_a_rubric_is_named(db, put):
    source = put("mine.toml", 'key = "mine"\ntitle.en = ""\n')
    with pytest.raises(CommandError) as refusal:
        call_command("create_study", "r", "--name", "R", "--rubric", str(source.path))
    assert "title.en is empty." in str(refusal.value)
    assert "criteria is missing." in str(refusal.value)
    assert not Study.objects.exists()
