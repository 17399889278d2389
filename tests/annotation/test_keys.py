"""Everybody may change the keys that they work with."""

import pytest

from annotation.models import OwnKeys
from annotation.rules.keys import CHANGEABLE, problem_with_keys


def test_the_usual_keys_are_well():
    assert problem_with_keys({}) is None
    assert problem_with_keys({key: key for key in CHANGEABLE}) is None


@pytest.mark.parametrize(
    "own", [{"b": "u"}, {"b": "y"}, {"b": "1"}, {"b": "bb"}, {"b": ""}], ids=str
)
def test_a_key_does_one_thing_and_is_one_that_is_free(own):
    assert problem_with_keys(own)


def test_two_keys_may_change_places():
    assert problem_with_keys({"j": "k", "k": "j"}) is None


def test_keys_are_changed_for_one_person_and_taken_back(pond_round, ben, cleo, as_user):
    client = as_user(ben)
    assert client.post("/keys/", {"key.b": "z"}).status_code == 302
    assert OwnKeys.objects.get().keys == {"b": "z"}
    assert "&quot;b&quot;: &quot;z&quot;" in client.get("/studies/pond/rate/").content.decode()
    assert "&quot;z&quot;" not in as_user(cleo).get("/studies/pond/rate/").content.decode()
    assert client.post("/keys/", {"key.b": "u"}).status_code == 422
    client.post("/keys/", {"usual": "yes"})
    assert OwnKeys.objects.get().keys == {}
