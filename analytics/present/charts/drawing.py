"""From a description to a drawing: by a process that only draws, and once for everybody.

A drawing is kept by the content of its description, so it is never out of date.
"""

import atexit
import base64
import html
import json
import os
import re
import select
import subprocess
import sys
import time
import zlib
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import IO, Any, Final, Literal, cast

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from analytics.present.charts.looks import FONT, on_paper
from analytics.present.charts.parts import Spec, as_text

Kind = Literal["svg", "png", "pdf", "json"]
KINDS: Final[tuple[Kind, ...]] = ("svg", "png", "pdf", "json")
TYPES: Final[Mapping[Kind, str]] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "json": "application/json",
}
KEEP = 3600  # seconds
SLOW = 90.0  # seconds: more than any chart takes where others have all cores
_PIECE = 65_536  # bytes
# What vl-convert puts before an address that names no host.
_BASE = 'xlink:href="https://vega.github.io/vega-datasets/'
_SMALL = f'xmlns="http://www.w3.org/2000/svg" width="24" height="24" font-family="{FONT}"'
_IDS = re.compile(r'\bid="([^"]+)"')
_ROLES = re.compile(r' aria-roledescription="[^"]*"')
_LINKS = re.compile(r'<a href="[^"]*"')


class CannotDraw(Exception):
    """The process that draws did not do it; the text says why."""


class Busy(Exception):
    """It is drawing for somebody else."""


class Drawer:
    """The process that draws for this one: started when it is first needed, and again once it has
    ended. It ends with this process, or when it has had nothing to do for a while."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, order: Mapping[str, Any], *, patience: float = SLOW) -> str:
        """What the drawer answers to an order; Busy when it is not free after so many seconds."""
        if not self._turn.acquire(timeout=patience) if patience else not self._turn.acquire(False):
            raise Busy
        try:
            line = json.dumps(order).encode() + b"\n"
            answer = self._exchange(line)
            if not answer:
                # It may end for want of work in the moment in which it is asked.
                self.end()
                answer = self._exchange(line)
        finally:
            self._turn.release()
        if not answer:
            raise CannotDraw("The process that draws has ended.")
        told = json.loads(answer)
        if "problem" in told:
            raise CannotDraw(told["problem"])
        drawn: str = told[order["as"]]
        return drawn

    def end(self) -> None:
        if self._child:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def _exchange(self, line: bytes) -> bytes:
        """The line that comes for a line; nothing where the process has ended."""
        child, until = self._running(), time.monotonic() + SLOW
        # Popen has both, as it is asked for pipes.
        stdin, stdout = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
        try:
            for begin in range(0, len(line), select.PIPE_BUF):
                self._wait([], [stdin], until)
                os.write(stdin.fileno(), line[begin : begin + select.PIPE_BUF])
        except BrokenPipeError:
            return b""
        answer = bytearray()
        while not answer.endswith(b"\n"):
            self._wait([stdout], [], until)
            if not (piece := os.read(stdout.fileno(), _PIECE)):
                return b""
            answer += piece
        return bytes(answer)

    def _wait(self, read: list[IO[bytes]], written: list[IO[bytes]], until: float) -> None:
        """Until one can be read from or written to; CannotDraw, and an end to it, where that takes
        too long."""
        if not any(select.select(read, written, [], max(0.0, until - time.monotonic()))):
            self.end()
            raise CannotDraw(f"A drawing took longer than {SLOW:g} seconds.")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.end()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "analytics.present.charts.drawer"],
                cwd=settings.BASE_DIR,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        return self._child


_drawer = Drawer()
atexit.register(_drawer.end)


def digest_of(spec: Spec) -> str:
    """What names a drawing: the same for the same description."""
    return blake2b(as_text(spec).encode(), digest_size=8).hexdigest()


def kept(spec: Spec) -> str | None:
    """The drawing as it was made before, for whomever."""
    try:
        content = cache.get(_name(spec))
    except RedisError:
        return None
    return zlib.decompress(content).decode() if content else None


def drawn(spec: Spec, *, patience: float = SLOW) -> str:
    """The drawing for a page, as SVG; Busy or CannotDraw."""
    found = kept(spec)
    if found is None:
        found = _finished(_drawer.ask({"spec": spec, "as": "svg"}, patience=patience), spec)
        try:
            cache.set(_name(spec), zlib.compress(found.encode()), timeout=KEEP)
        except RedisError:
            return found
    return found


def as_file(spec: Spec, kind: Kind) -> bytes:
    """The chart as a file for paper; Busy or CannotDraw."""
    if kind == "json":
        return on_paper(json.dumps(spec, ensure_ascii=False, indent=1)).encode() + b"\n"
    svg = on_paper(on_screen(spec))
    if kind == "svg":
        return svg.encode()
    answer = _drawer.ask({"svg": svg, "says": spec["description"], "as": kind})
    return base64.b64decode(answer)


def on_screen(spec: Spec) -> str:
    """The chart as SVG for a page of a file: colours by name, and no addresses; Busy or CannotDraw."""
    return _LINKS.sub("<a", drawn(spec))


@lru_cache(1)
def has_chinese() -> bool:
    """Whether a font here has Chinese letters: without one, two of them look the same."""
    first, second = (
        _drawer.ask({"svg": f'<svg {_SMALL}><text y="20">{one}</text></svg>', "as": "png"})
        for one in "一龙"
    )
    return first != second


def _name(spec: Spec) -> str:
    return f"drawing:{digest_of(spec)}"


def _finished(svg: str, spec: Spec) -> str:
    """With a name for the whole, addresses of this site, and ids that no other chart has.

    vl-convert counts ids within its process, and names the roles of marks in English.
    """
    digest = digest_of(spec)
    label = html.escape(spec["description"])
    svg = svg.replace("<svg ", f'<svg role="graphics-document" aria-label="{label}" ', 1)
    svg = _ROLES.sub("", svg.replace(_BASE, 'href="'))
    for place, old in enumerate(dict.fromkeys(_IDS.findall(svg))):
        new = f"c{digest}-{place}"
        svg = svg.replace(f'id="{old}"', f'id="{new}"').replace(f"url(#{old})", f"url(#{new})")
    return svg
