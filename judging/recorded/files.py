"""Which layout a file of recorded answers has, and its completions one after the other."""

import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path

from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.records import (
    Record,
    Source,
    check_size,
    each,
    first_sign,
    json_list_records,
    jsonl_records,
    limited,
)
from annotation.readers.tables import FileTable
from annotation.rubric.sentences import sentence
from judging.recorded import completions
from judging.recorded.completions import Completion, Fields

_OF_ANOTHER_PROMPT = Flaw(
    "promptId",
    FileReason.WRONG_SHAPE,
    sentence(
        "It answers another prompt than the first row, and so would count as a second answer. Bring "
        "the answers to each prompt in by themselves."
    ),
)
_LARGEST_SAMPLE = 20 * 1024 * 1024  # bytes, unpacked


class RecordedLayout(StrEnum):
    REPLAY = "replay"
    OPENAI_BATCH = "openai-batch"
    ANTHROPIC_BATCH = "anthropic-batch"
    GEMINI_BATCH = "gemini-batch"
    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
    LANGFUSE = "langfuse"
    PROMPTFOO = "promptfoo"
    VERA_MH = "vera-mh"


_READ: Mapping[RecordedLayout, Callable[[Fields, FilePlace], Completion]] = {
    RecordedLayout.REPLAY: completions.of_replay,
    RecordedLayout.OPENAI_BATCH: completions.of_openai_batch,
    RecordedLayout.ANTHROPIC_BATCH: completions.of_anthropic_batch,
    RecordedLayout.GEMINI_BATCH: completions.of_gemini_batch,
    RecordedLayout.INSPECT: completions.of_inspect,
    RecordedLayout.LM_EVAL: completions.of_lm_eval,
    RecordedLayout.LANGFUSE: completions.of_langfuse,
    RecordedLayout.PROMPTFOO: completions.of_promptfoo,
    RecordedLayout.VERA_MH: completions.of_vera,
}
_KNOWN_BY = {
    RecordedLayout.OPENAI_BATCH: {"custom_id", "response"},
    RecordedLayout.ANTHROPIC_BATCH: {"custom_id", "result"},
    RecordedLayout.GEMINI_BATCH: {"key", "response"},
    RecordedLayout.REPLAY: {"item", "content"},
    RecordedLayout.LANGFUSE: {"output", "traceId"},
    RecordedLayout.PROMPTFOO: {"promptIdx", "vars"},
    RecordedLayout.INSPECT: {"output", "epoch"},
    RecordedLayout.LM_EVAL: {"doc_id", "resps"},
    RecordedLayout.VERA_MH: {"filename", "run_id"},
}


def completions_in(
    source: Source, layout: RecordedLayout | None = None
) -> Iterator[Completion | FileProblem]:
    """Every answer of a file, or what is wrong with its row; CannotRead where it is no such file."""
    known = layout or layout_of(source)
    records = _answers(limited(_records(source)), known)
    read = _READ[known]
    if known is RecordedLayout.REPLAY:
        rows = (one.fields for one in _records(source) if isinstance(one, Record))
        read = partial(completions.of_replay, first_run=completions.first_run_of(rows))
    return each(records, lambda record: read(record.fields, record.place))


def layout_of(source: Source) -> RecordedLayout:
    """Told from the names of the first rows."""
    check_size(source)
    for record in islice(_records(source), 20):
        if isinstance(record, Record):
            names = record.fields.keys()
            found = next((one for one, by in _KNOWN_BY.items() if by <= names), None)
            if found:
                return found
    raise CannotRead(
        sentence(
            "This is no file of answers that is known: {known}. Name the layout if it is one of "
            "these; if not, say which fields are item and content: NAME = item, NAME = content.",
            known=", ".join(RecordedLayout),
        )
    )


def _answers(
    records: Iterator[Record | FileProblem], layout: RecordedLayout
) -> Iterator[Record | FileProblem]:
    """The records that hold an answer, each once. Of a Langfuse export these are generations, and not
    spans; lm-eval writes an answer as often as there are filters, and promptfoo those to all prompts."""
    first: Fields = {}
    for record in records:
        if isinstance(record, FileProblem):
            yield record
            continue
        fields = record.fields
        first = first or fields
        if layout is RecordedLayout.LANGFUSE and fields.get("type", "GENERATION") != "GENERATION":
            continue
        if layout is RecordedLayout.LM_EVAL and fields.get("filter") != first.get("filter"):
            continue
        if layout is RecordedLayout.PROMPTFOO and fields.get("promptId") != first.get("promptId"):
            yield _OF_ANOTHER_PROMPT.at(record.place)
            continue
        yield record


def _records(source: Source) -> Iterator[Record | FileProblem]:
    if source.suffix == ".eval":
        return _inspect_archive(source.path)
    if source.suffix in {".csv", ".tsv"}:
        return _table(source)
    if first_sign(source.path) == "[":
        return json_list_records(source)
    log = _log(source.path)
    return jsonl_records(source) if log is None else log


def _table(source: Source) -> Iterator[Record | FileProblem]:
    """Rows by the names of their columns as they stand there: they are part of the answer."""
    table = FileTable(source, set())
    table.check_names()
    names = [  # one without a name holds the number of its row
        "" if name == f"column {number}" else name
        for number, name in enumerate(table.columns, start=1)
    ]
    for row in table.rows():
        if isinstance(row, FileProblem):
            yield row
        else:
            place, cells = row
            yield Record(place, dict(zip(names, cells, strict=True)))


def _log(path: Path) -> Iterator[Record | FileProblem] | None:
    """The samples of inspect_ai, or the results of promptfoo, in a log that is one JSON object; None
    where the file is not one."""
    try:
        log = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    results = log.get("results") if isinstance(log, dict) else None
    within = results.get("results") if isinstance(results, dict) else None
    samples = within or (log.get("samples") if isinstance(log, dict) else None)
    if not isinstance(samples, list):
        return None
    return (_sample(number, sample) for number, sample in enumerate(samples, start=1))


def _inspect_archive(path: Path) -> Iterator[Record | FileProblem]:
    """The samples of an .eval file, which is a ZIP archive with a file for each."""
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [
                one
                for one in archive.infolist()
                if one.filename.startswith("samples/") and one.filename.endswith(".json")
            ]
            for number, one in enumerate(inside, start=1):
                if one.file_size > _LARGEST_SAMPLE:
                    raise CannotRead(
                        sentence("{name} in the archive is too large.", name=one.filename)
                    )
                yield _sample(number, json.loads(archive.read(one)))
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
    ):
        raise CannotRead(sentence("This is not an .eval file of inspect_ai.")) from None


def _sample(number: int, sample: object) -> Record | FileProblem:
    place = FilePlace(number, "entry", 1)
    if isinstance(sample, dict):
        return Record(place, sample)
    return Flaw("", FileReason.WRONG_SHAPE, sentence("It is not an object.")).at(place)
