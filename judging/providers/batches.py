"""Batches of an OpenAI-compatible endpoint: a file of requests goes up, files of answers come down.

As with single requests, nothing is retried here and nothing is logged.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import httpx2

from judging.providers import endpoint
from judging.providers.endpoint import Address, Answered, Body
from judging.providers.faults import Blocked, Fault, Missed, Transient, Withdrawn
from judging.providers.refusals import refusal_in
from judging.rules.batches import BatchEnd
from judging.rules.endpoints import version_of, without_version
from judging.rules.outcomes import Pause

if TYPE_CHECKING:
    from openai.types import Batch, FileObject

_KNOWN_AS = "concord_batch"  # the member of a batch's metadata that names it
_PATH = "/chat/completions"
_MOST_LISTED = 2000
_LARGEST = 512 * 2**20  # bytes of a file of answers
_ENDS = {
    "completed": BatchEnd.COMPLETED,
    "expired": BatchEnd.EXPIRED,
    "cancelled": BatchEnd.CANCELLED,
    "failed": BatchEnd.FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSeen:
    """A batch as its endpoint tells of it; `end` is None while it is at work.

    `ended_at`: seconds since 1970 by the endpoint's clock, 0 where it does not say; `files`: those of
    requests, of answers and of errors; "" where there is none.
    """

    remote_id: str
    end: BatchEnd | None
    is_being_cancelled: bool
    n_answered: int
    problem: str
    ended_at: int
    files: tuple[str, str, str]


class BatchDesk:
    """A client for one address; a context manager. Whatever goes wrong is a Fault."""

    def __init__(self, address: Address) -> None:
        import openai  # noqa: PLC0415 -- megabytes that only those need who ask an endpoint

        self._problem = openai.APIError
        headers: dict[str, str | openai.Omit] = {**endpoint.headers_of(address)}
        headers |= endpoint.left_out_for(address.dialect).get("headers", {})
        self._client = openai.OpenAI(
            base_url=without_version(address.base_url),
            default_query=version_of(address.base_url),
            api_key=address.api_key,
            max_retries=0,
            timeout=address.timeout,
            default_headers=cast(Mapping[str, str], headers),  # the client leaves out what it is to
            http_client=httpx2.Client(
                follow_redirects=False,
                trust_env=False,
                verify=endpoint.trusted(),
                timeout=address.timeout,
            ),
        )

    def __enter__(self) -> "BatchDesk":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def upload(self, key: str, lines: Sequence[bytes]) -> str:
        """Send a file of requests; return its name at the endpoint."""
        with self._faults():
            made = self._client.files.create(
                file=(_file_name(key), b"\n".join(lines) + b"\n"), purpose="batch"
            )
            return _named(made.id)

    def create(self, key: str, file: str) -> BatchSeen:
        """Have a file of requests answered within a day."""
        with self._faults():
            return _seen(
                self._client.batches.create(
                    completion_window="24h",
                    endpoint="/v1/chat/completions",
                    input_file_id=file,
                    metadata={_KNOWN_AS: key},
                )
            )

    def find(self, key: str) -> list[BatchSeen]:
        """The batches that were made under a key, the newest first: one, or none."""
        with self._faults():
            listed = islice(self._client.batches.list(limit=100), _MOST_LISTED)
            return [_seen(one) for one in listed if (one.metadata or {}).get(_KNOWN_AS) == key]

    def look(self, remote_id: str) -> BatchSeen | None:
        """A batch as it is now; None where the endpoint knows it no more."""
        try:
            with self._faults():
                return _seen(self._client.batches.retrieve(remote_id))
        except Blocked as fault:
            if fault.reason is Pause.NOT_FOUND:
                return None
            raise

    def cancel(self, remote_id: str) -> None:
        with self._faults():
            self._client.batches.cancel(remote_id)

    def lines(self, file: str) -> Iterator[Mapping[str, Any]]:
        """The lines of a file of answers, without those that are no object of JSON; none where the
        endpoint has no such file."""
        try:
            yield from self._lines(file)
        except Blocked as fault:
            if fault.reason is not Pause.NOT_FOUND:
                raise

    def _lines(self, file: str) -> Iterator[Mapping[str, Any]]:
        with self._faults(), self._client.files.with_streaming_response.content(file) as came:
            parts, size = [], 0
            for part in came.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > _LARGEST:
                    raise Transient("too large")
        for line in b"".join(parts).split(b"\n"):
            with contextlib.suppress(ValueError, RecursionError):
                read = json.loads(line)
                if isinstance(read, dict):
                    yield read

    def forget(self, files: Sequence[str]) -> None:
        """Have files deleted that nobody needs any more, if that can be done."""
        for file in filter(None, files):
            with contextlib.suppress(Fault), self._faults():
                self._client.files.delete(file)

    def forget_uploads(self, key: str) -> None:
        """The same for a file of requests whose name at the endpoint was never noted."""
        with contextlib.suppress(Fault), self._faults():
            listed: Iterator[FileObject] = iter(self._client.files.list(purpose="batch", limit=100))
            named = [
                one.id for one in islice(listed, _MOST_LISTED) if one.filename == _file_name(key)
            ]
            self.forget(named)

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn whatever the client raises into what it means."""
        try:
            yield
        except self._problem as error:
            raise endpoint.fault_of(error) from None
        except httpx2.HTTPError:
            raise Transient("connection") from None
        except (ValueError, TypeError, AttributeError):
            raise Transient("without an answer") from None


def request_line(custom: str, body: Body) -> bytes:
    """A request as a line of the file that goes up."""
    line = {"custom_id": custom, "method": "POST", "url": f"/v1{_PATH}", "body": body}
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")


def answer_in(line: Mapping[str, Any]) -> Answered:
    """The answer in a line of a file that came down, or the Fault that stands there instead."""
    error, response = line.get("error"), line.get("response")
    if not isinstance(response, Mapping):
        code = str(error.get("code") or "") if isinstance(error, Mapping) else ""
        raise Withdrawn(code) if code == "batch_cancelled" else Missed(code)
    status, body = response.get("status_code"), response.get("body")
    if not isinstance(status, int):
        raise Transient("without an answer")
    if status != 200:
        raise endpoint.fault_of_status(status, refusal_in(body), {})
    return endpoint.answered(status, json.dumps(body).encode())


def _file_name(key: str) -> str:
    return f"concord-{key}.jsonl"


def _named(name: object) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise Transient("without an answer")
    return name


def _seen(batch: "Batch") -> BatchSeen:
    counts = batch.request_counts
    problems = (batch.errors.data or []) if batch.errors else []
    return BatchSeen(
        remote_id=_named(batch.id),
        end=_ENDS.get(batch.status),
        is_being_cancelled=batch.status == "cancelling",
        n_answered=(counts.completed or 0) + (counts.failed or 0) if counts else 0,
        ended_at=batch.completed_at or batch.expired_at or batch.cancelled_at or 0,
        problem=next((one.code for one in problems if one.code), ""),
        files=(batch.input_file_id or "", batch.output_file_id or "", batch.error_file_id or ""),
    )
