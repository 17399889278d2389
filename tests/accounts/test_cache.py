"""What Redis keeps for a while is written under the server's keys."""

import pickle

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import override_settings

pytestmark = pytest.mark.usefixtures("empty_cache")


KEPT = {"rater": "Ben Okafor", "kappa": 0.52}


def raw(name: str) -> bytes:
    return cache._cache.get_client().get(cache.make_key(name))


def test_redis_sees_no_name():
    cache.set("figures", KEPT)
    assert cache.get("figures") == KEPT
    assert b"Okafor" not in raw("figures")


def test_redis_counts_with_whole_numbers():
    cache.set("tries", 2)
    cache.incr("tries")
    assert (cache.get("tries"), raw("tries")) == (3, b"3")
    cache.set("is_known", value=True)
    assert cache.get("is_known") is True


def test_what_somebody_else_has_put_there_is_not_opened():
    cache._cache.get_client().set(cache.make_key("figures"), pickle.dumps(KEPT))
    assert cache.get("figures") is None


def test_what_was_kept_under_another_name_is_not_opened():
    """Who writes to Redis cannot show the figures of one study as those of another."""
    cache.set("figures_of_owl", KEPT)
    cache._cache.get_client().set(cache.make_key("figures_of_heron"), raw("figures_of_owl"))
    assert cache.get("figures_of_heron") is None
    assert cache.get_many(["figures_of_heron", "figures_of_owl"]) == {"figures_of_owl": KEPT}


def test_many_are_kept_and_added_as_one_is():
    cache.set_many({"ada": KEPT, "n": 3})
    assert cache.get_many(["ada", "n", "ben"]) == {"ada": KEPT, "n": 3}
    assert cache.add("ben", KEPT)
    assert not cache.add("ben", "others")
    assert cache.get("ben") == KEPT
    assert cache.get("cleo", "nobody") == "nobody"


def test_what_was_kept_under_an_earlier_key_is_read_as_long_as_that_is_known():
    cache.set("figures", KEPT)
    with override_settings(SECRET_KEY="another one", SECRET_KEY_FALLBACKS=[]):
        assert cache.get("figures") is None
    earlier = [settings.SECRET_KEY]
    with override_settings(SECRET_KEY="another one", SECRET_KEY_FALLBACKS=earlier):
        assert cache.get("figures") == KEPT
