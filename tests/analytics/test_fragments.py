"""Twenty readers of the same figures have them drawn once; nobody gets what is another's."""

import gzip
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.http import Http404, HttpResponse
from django.middleware.csrf import get_token
from django.test import RequestFactory
from django.urls import reverse
from redis.exceptions import ConnectionError as RedisConnectionError

from analytics.present import fragments
from annotation.actions import teams
from annotation.models import TeamRole
from tests.analytics.made import AT, human, items_of, rate


@pytest.fixture(autouse=True)
def none_kept():
    cache.clear()
    fragments._kept.clear()


def test_a_fragment_is_drawn_once_a_key():
    drawn = []

    def draw():
        drawn.append(1)
        return HttpResponse(f"<p>{len(drawn)}</p>")

    request = RequestFactory().get("/")
    found = [fragments.drawn_once(request, key, draw).content for key in ("a", "b", "a")]
    assert found == [b"<p>1</p>", b"<p>2</p>", b"<p>1</p>"]


def test_of_those_who_ask_at_once_the_first_draws_for_all():
    drawn, asked = [], threading.Barrier(3)
    request = RequestFactory().get("/")

    def draw():
        drawn.append(1)
        time.sleep(0.2)
        return HttpResponse(f"<p>{len(drawn)}</p>")

    def ask(_number):
        asked.wait()
        return fragments.drawn_once(request, "a", draw).content

    with ThreadPoolExecutor(3) as readers:
        assert list(readers.map(ask, range(3))) == [b"<p>1</p>"] * 3


def test_what_one_process_has_drawn_another_hands_out():
    request = RequestFactory().get("/")
    fragments.drawn_once(request, "a", lambda: HttpResponse("<p>theirs</p>"))
    fragments._kept.clear()  # as it is in another process
    found = fragments.drawn_once(request, "a", lambda: HttpResponse("<p>ours</p>"))
    assert found.content == b"<p>theirs</p>"


def test_while_another_process_draws_it_is_waited_for():
    name = fragments._name("a")
    cache.set(f"{name}:turn", 1)
    theirs = gzip.compress(b"<p>theirs</p>")
    drawing = threading.Timer(0.2, cache.set, [name, theirs])
    drawing.start()
    request = RequestFactory().get("/")
    found = fragments.drawn_once(request, "a", lambda: HttpResponse("<p>ours</p>"))
    drawing.join()
    assert found.content == b"<p>theirs</p>"


def test_without_redis_each_process_draws(monkeypatch):
    def away(*_given, **_more):
        raise RedisConnectionError

    for name in ("get", "add", "set", "delete"):
        monkeypatch.setattr(cache, name, away)
    request = RequestFactory().get("/")
    assert fragments.drawn_once(request, "a", lambda: HttpResponse("x")).content == b"x"
    assert fragments.drawn_once(request, "a", lambda: HttpResponse("y")).content == b"x"


def test_a_browser_that_reads_gzip_gets_it_compressed():
    text = b"<p>kappa</p>" * 100
    asked = RequestFactory().get("/", headers={"Accept-Encoding": "gzip, br"})
    packed = fragments.drawn_once(asked, "a", lambda: HttpResponse(text))
    plain = fragments.drawn_once(RequestFactory().get("/"), "a", lambda: HttpResponse("x"))
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == text == plain.content
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_after_a_page_that_failed_the_next_reader_draws():
    request = RequestFactory().get("/")

    def fail():
        raise Http404

    with pytest.raises(Http404):
        fragments.drawn_once(request, "a", fail)
    assert fragments.drawn_once(request, "a", lambda: HttpResponse("x")).content == b"x"


def test_what_holds_a_form_token_is_not_kept():
    request = RequestFactory().get("/")

    def draw():
        return HttpResponse(get_token(request))

    assert fragments.drawn_once(request, "a", draw).content
    assert not fragments._kept


def test_only_so_many_are_kept():
    request = RequestFactory().get("/")
    for number in range(fragments.MOST + 5):
        fragments.drawn_once(request, number, lambda: HttpResponse("x"))
    assert len(fragments._kept) == fragments.MOST


def test_readers_with_other_roles_or_languages_get_their_own(pond, ada, gwen, sam, as_user):
    rate(human("ruth"), items_of(pond)[0], safety="nonsense")
    teams.set_roles(study_id=pond.pk, email=sam.email, roles=[TeamRole.COORDINATOR], by=None, at=AT)
    address = reverse("agreement_overview", kwargs={"key": pond.key})
    asked = {"HX-Request": "true"}
    for reader, language, kept in [
        (ada, "en", 1), (gwen, "en", 2), (ada, "en", 2), (ada, "zh-hans", 3), (sam, "en", 4)
    ]:  # fmt: skip
        answer = as_user(reader).get(address, headers=asked | {"Accept-Language": language})
        assert answer.status_code == 200
        assert len(fragments._kept) == kept
