"""Files that unpack to floods, that multiply themselves or that never end: every one is refused."""

import io
import resource
import sys
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

import openpyxl
import pytest

from annotation.readers.items import ItemFile
from annotation.readers.problems import CannotRead, FileProblem
from annotation.readers.records import Source
from annotation.rubric.loading import load, shipped

pytestmark = pytest.mark.pure
SCALES = load(shipped()["mentalalign"])
PARTS = ("xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml", "docProps/any.name")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
ENTITIES = {
    "laughs": '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>',
    "blow-up": f'<!DOCTYPE x [<!ENTITY a "{"ha" * 5_000}">]><x>{"&a;" * 5_000}</x>',
    "file": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
    "address": '<!DOCTYPE x [<!ENTITY a SYSTEM "http://127.0.0.1/">]><x>&a;</x>',
    "parameter": '<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><x/>',
    "declared elsewhere": '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>',
}
FILLS = {"zeros": bytes(2**20), "rows": b"<row><c><v>1</v></c></row>" * 40_000}
AT_A_TIME = 64 << 20  # bytes that any of them may take


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["ConvID", "context", "human_response_a"])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


class Flood(NamedTuple):
    """What a megabyte many times over is deflated to."""

    content: bytes
    crc: int
    size: int

    def put_into(self, archive: zipfile.ZipFile, name: str) -> None:
        """As if it had been deflated there."""
        info = zipfile.ZipInfo(name, time.localtime()[:6])
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
        info.CRC, info.compress_size, info.file_size = self.crc, len(self.content), self.size
        info.header_offset = archive.fp.tell()
        archive.fp.write(info.FileHeader(zip64=False) + self.content)
        archive.start_dir = archive.fp.tell()
        archive.filelist.append(info)


@cache
def flood(fill: str, n: int) -> Flood:
    """So many of this megabyte: deflated once for every place in which it may stand."""
    deflating, crc = zlib.compressobj(wbits=-zlib.MAX_WBITS), 0
    content = bytearray()
    for _ in range(n):
        content += deflating.compress(FILLS[fill])
        crc = zlib.crc32(FILLS[fill], crc)
    return Flood(bytes(content + deflating.flush()), crc, n * len(FILLS[fill]))


def packed(parts: Mapping[str, Iterator[bytes] | Flood]) -> bytes:
    """A workbook in which these parts stand as well, or instead."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as honest,
        zipfile.ZipFile(made, "w", 8) as archive,
    ):
        for name in honest.namelist():
            if name not in parts:
                archive.writestr(name, honest.read(name))
        for name, pieces in parts.items():
            if isinstance(pieces, Flood):
                pieces.put_into(archive, name)
                continue
            with archive.open(name, "w") as part:
                for piece in pieces:
                    part.write(piece)
    return made.getvalue()


def bombs() -> Iterator[tuple[str, str, bytes]]:
    """(kind, name of the file, content)."""
    for part, (text, encoding) in product(PARTS, product(ENTITIES.values(), ENCODINGS)):
        yield "entities", "b.xlsx", packed({part: iter([text.encode(encoding)])})
    for part, text in product(PARTS, ENTITIES.values()):
        across = ("<!--" + "-" * (2**20 - 8) + "-->" + text).encode()
        yield "entities behind a megabyte", "b.xlsx", packed({part: iter([across])})
    for part, fill, n in product(PARTS, FILLS, (60, 190)):
        yield "floods", "b.xlsx", packed({part: flood(fill, n)})
    for n in (9_000, 30_000):
        yield "parts", "b.xlsx", packed({f"xl/{one}{'x' * 80}": iter([b""]) for one in range(n)})
    zeros = flood("zeros", 190)
    inner = packed({"xl/a.xml": zeros})
    yield "nested", "b.xlsx", packed({"xl/b.xml": iter([inner]), "xl/c.xml": zeros})
    for ending in ("jsonl", "csv", "json"):
        yield "lines without end", f"b.{ending}", b"x" * 5_000_000
    yield "nesting", "b.json", b"[" * 100_000
    yield "nesting", "b.jsonl", b'{"a":' * 100_000


def is_refused(source: Source) -> bool:
    """In a sentence about the file, or about its only line."""
    try:
        return all(isinstance(one, FileProblem) for one in ItemFile(source, SCALES))
    except CannotRead:
        return True


def test_every_bomb_is_refused_with_a_sentence_and_little_memory(tmp_path, capsys):
    refused: Counter[str] = Counter()
    let_through = []
    made = []
    for number, (kind, name, content) in enumerate(bombs()):
        path = tmp_path / f"{number}-{name}"
        path.write_bytes(content)
        made.append((kind, Source(path=path, name=name)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for kind, source in made:
        if is_refused(source):
            refused[kind] += 1
        else:
            let_through.append((kind, source.path.name))
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    with capsys.disabled():
        told = ", ".join(f"{n} {kind}" for kind, n in refused.items())
        sys.stdout.write(
            f"\n{refused.total()} bombs refused ({told}), {len(let_through)} let through,"
            f" {more / 2**20:.0f} MB at most\n"
        )
    assert not let_through
    assert more < AT_A_TIME
