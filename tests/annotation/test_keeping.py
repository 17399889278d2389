"""Files are kept in the database in pieces, and come out as they went in."""

import secrets

import pytest

from annotation.actions.jobs import keeping
from annotation.actions.jobs.keeping import PIECE
from annotation.models import FilePiece

pytestmark = pytest.mark.django_db

SIZES = [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 5]


def in_chunks(content, size):
    return (content[start : start + size] for start in range(0, len(content), size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("chunk", [64 * 1024 + 1, 3 * PIECE])
def test_a_file_comes_out_as_it_went_in(size, chunk, tmp_path):
    content = secrets.token_bytes(size)
    assert keeping.keep("one", in_chunks(content, chunk)) == size
    assert keeping.size_of("one") == size
    keeping.bring("one", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == content
    assert keeping.keep_file("two", tmp_path / "file") == size
    assert b"".join(keeping.read("two", range(size))) == content


PARTS = [range(1), range(10, 20), range(PIECE - 1, PIECE + 1), range(PIECE, 2 * PIECE + 5)]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_that_part(part):
    content = secrets.token_bytes(2 * PIECE + 5)
    keeping.keep("one", [content])
    assert b"".join(keeping.read("one", part)) == content[part.start : part.stop]


def test_what_is_removed_while_it_is_read_is_not_taken_for_its_end():
    keeping.keep("one", [bytes(2 * PIECE)])
    reading = keeping.read("one", range(2 * PIECE))
    assert len(next(reading)) == PIECE
    keeping.discard("one")
    with pytest.raises(keeping.NoSuchFileKept):
        next(reading)


def test_nothing_is_brought_of_a_file_that_is_not_kept(tmp_path):
    keeping.bring("one", tmp_path / "file")
    assert keeping.size_of("one") is None
    assert not (tmp_path / "file").exists()
    assert not FilePiece.objects.exists()
