"""Twenty readers of the same figures have them drawn once; nobody gets what is another's."""

import gzip
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.http import Http404, HttpResponse
from django.middleware.csrf import get_token
from django.test import RequestFactory
from django.urls import reverse
from redis.exceptions import ConnectionError as RedisConnectionError

from analytics.figures.store import KeptFigures
from analytics.present import fragments
from annotation.actions import teams
from annotation.models import TeamRole
from tests.analytics.made import AT, human, items_of, rate


@pytest.fixture(autouse=True)
def none_kept():
    cache.clear()
    fragments._kept.clear()


NEW, NEWER = KeptFigures(8), KeptFigures(9)
NOTHING = KeptFigures(None)


def asked(draw, place="a", figures=NEW, shown=NOTHING, patience=0.0, **headers):
    request = RequestFactory().get("/", headers=headers)
    told = fragments.drawn_once(request, place, figures, draw, shown=shown, patience=patience)
    return told.response


def says(text):
    return lambda: HttpResponse(text)


def test_a_fragment_is_drawn_once_a_place_and_revision():
    found = [
        asked(says(text), place, figures).content
        for text, place, figures in [
            ("1", "a", NEW), ("2", "b", NEW), ("3", "a", NEW), ("4", "a", NEWER)
        ]
    ]  # fmt: skip
    assert found == [b"1", b"2", b"1", b"4"]


def test_of_those_who_ask_at_once_one_draws_and_nobody_waits_for_that():
    drawing, is_drawn = threading.Event(), threading.Event()

    def draw():
        drawing.set()
        assert is_drawn.wait(60)
        return HttpResponse("newer")

    asked(says("old"), figures=KeptFigures(7))
    with ThreadPoolExecutor(1) as readers:
        first = readers.submit(asked, draw, figures=NEW)
        assert drawing.wait(60)
        behind = asked(says("never"), figures=NEW)
        level = asked(says("never"), figures=NEW, shown=KeptFigures(7))
        is_drawn.set()
    assert first.result().content == b"newer"
    assert behind.content == b"old", "what was drawn last is newer than nothing"
    assert level.status_code == 204
    assert asked(says("never"), figures=NEW, shown=KeptFigures(7)).content == b"newer"


def test_a_page_never_goes_back_to_figures_that_are_older_than_its_own():
    asked(says("old"), figures=NEW)
    cache.set(f"{fragments._name('a')}:{NEWER.mark}", 1)  # another process draws
    assert asked(says("never"), figures=NEWER, shown=NEWER).status_code == 204
    assert asked(says("never"), figures=NEWER, shown=KeptFigures(7)).content == b"old"


def test_figures_that_are_whole_are_newer_than_those_with_some_of_earlier_ratings():
    partly = KeptFigures(8, has_earlier=True)
    assert (partly.mark, NEW.mark) == ("8~", "8")
    assert KeptFigures.marked("8~") == partly
    assert KeptFigures.marked("") == NOTHING
    asked(says("partly"), figures=partly)
    assert asked(says("whole"), figures=NEW, shown=partly).content == b"whole"


def test_what_one_process_has_drawn_another_hands_out():
    asked(says("theirs"))
    fragments._kept.clear()  # as it is in another process
    assert asked(says("ours")).content == b"theirs"


def test_while_another_process_draws_nobody_waits():
    cache.set(f"{fragments._name('a')}:{NEW.mark}", 1)
    assert asked(says("ours")).status_code == 204


def test_who_has_waited_for_figures_waits_for_their_drawing_by_another_process():
    name = fragments._name("a")
    cache.set(f"{name}:{NEW.mark}", 1)
    with ThreadPoolExecutor(1) as readers:
        waiting = readers.submit(asked, says("ours"), patience=60)
        cache.set(name, (tuple(NEW), gzip.compress(b"theirs")))
    assert waiting.result().content == b"theirs"


def test_without_redis_each_process_draws(monkeypatch):
    def away(*_given, **_more):
        raise RedisConnectionError

    for name in ("get", "add", "set", "delete"):
        monkeypatch.setattr(cache, name, away)
    assert asked(says("x")).content == b"x"
    assert asked(says("y")).content == b"x"


def test_a_browser_that_reads_gzip_gets_it_compressed():
    text = b"<p>kappa</p>" * 100
    packed = asked(says(text), **{"Accept-Encoding": "gzip, br"})
    plain = asked(says("x"))
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == text == plain.content
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_after_a_page_that_failed_the_next_reader_draws():
    def fail():
        raise Http404

    with pytest.raises(Http404):
        asked(fail)
    assert asked(says("x")).content == b"x"


def opened(draw, figures=NEW):
    return fragments.within_page(RequestFactory().get("/"), "a", figures, draw)


def test_of_pages_that_open_at_once_one_is_drawn_and_the_others_wait_for_it():
    drawing, is_drawn = threading.Event(), threading.Event()

    def draw():
        drawing.set()
        assert is_drawn.wait(60)
        return HttpResponse("<p>new</p>")

    with ThreadPoolExecutor(2) as readers:
        first = readers.submit(opened, draw)
        assert drawing.wait(60)
        second = readers.submit(opened, says("never"))
        is_drawn.set()
    assert first.result() == second.result() == "<p>new</p>"
    assert opened(says("newer"), NEWER) == "newer"
    assert opened(says("never")) == "newer", "and never older than what it asks for"


def test_what_holds_a_form_token_is_not_kept():
    request = RequestFactory().get("/")

    def draw():
        return HttpResponse(get_token(request))

    assert fragments.drawn_once(request, "a", NEW, draw, shown=NOTHING).response.content
    assert not fragments._kept


def test_only_so_many_are_kept():
    for number in range(fragments.MOST + 5):
        asked(says("x"), number)
    assert len(fragments._kept) == fragments.MOST


def test_readers_with_other_roles_or_languages_get_their_own(pond, ada, gwen, sam, as_user):
    rate(human("ruth"), items_of(pond)[0], safety="nonsense")
    teams.set_roles(study_id=pond.pk, email=sam.email, roles=[TeamRole.COORDINATOR], by=None, at=AT)
    address = reverse("agreement_overview", kwargs={"key": pond.key})
    by_script = {"HX-Request": "true"}
    for reader, language, kept in [
        (ada, "en", 1), (gwen, "en", 2), (ada, "en", 2), (ada, "zh-hans", 3), (sam, "en", 4)
    ]:  # fmt: skip
        answer = as_user(reader).get(address, headers=by_script | {"Accept-Language": language})
        assert answer.status_code == 200
        assert len(fragments._kept) == kept
