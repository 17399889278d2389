"""Refusals in the reader's language, and a rubric as the form of its page takes it."""

from functools import partial

from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.api import answering
from annotation.queries.wording import said

refusing = partial(answering.refusing, said=said)


def as_upload(text: str) -> SimpleUploadedFile:
    """A rubric as the form of the page takes it: a file."""
    return SimpleUploadedFile("rubric.toml", text.encode())
