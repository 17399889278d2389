"""Files and batches of a scripted endpoint, in its memory: what goes up, and what comes down.

A batch is answered when it has been looked at a few times. How it ends can be told otherwise, so that
tests see what real endpoints do now and then.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http import HTTPStatus
from itertools import count
from threading import RLock
from typing import Any
from urllib.parse import parse_qs, urlsplit

_MOST_LISTED = 100

BatchAnswer = Callable[[Mapping[str, Any]], tuple[int, Mapping[str, Any]]]
Shelved = tuple[HTTPStatus, bytes]


@dataclass(slots=True)
class BatchShelf:
    """Takes files and batches and answers what is in them with `answer`.

    `looks`: how often a batch is looked at before it ends; `ends_as`: its status then;
    `answers_only`: so many of its requests, the others are not answered; `copies`: so often each line
    is in the file of answers; `lists`: whether batches are taken at all.
    """

    answer: BatchAnswer
    looks: int = 1
    ends_as: str = "completed"
    problem: str = ""
    answers_only: int | None = None
    copies: int = 1
    lists: bool = True
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    _number: "count[int]" = field(default_factory=lambda: count(1))
    _lock: Any = field(default_factory=RLock)

    def respond(self, method: str, target: str, kind: str, body: bytes) -> Shelved | None:
        """Answer a request for files or batches; None where it is for something else.

        `kind` is the Content-Type of the body.
        """
        path = urlsplit(target).path
        parts = path.strip("/").split("/")
        known = {"files", "batches"} & set(parts)
        if not known:
            return None
        if not self.lists:
            return _refused(HTTPStatus.NOT_FOUND, "There is nothing at this path.")
        (what,) = known
        rest = parts[parts.index(what) + 1 :]
        query = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        with self._lock:
            if what == "files":
                return self._of_files(method, rest, kind, body)
            return self._of_batches(method, rest, query, body)

    def _of_files(self, method: str, rest: Sequence[str], kind: str, body: bytes) -> Shelved:
        match method, rest:
            case "POST", []:
                return self._keep(*_uploaded(kind, body))
            case "GET", []:
                return _told(_listed([self._file(one) for one in self.files]))
            case "GET", [name, "content"] if name in self.files:
                return HTTPStatus.OK, self.files[name][1]
            case "DELETE", [name] if name in self.files:
                del self.files[name]
                return _told({"id": name, "object": "file", "deleted": True})
        return _refused(HTTPStatus.NOT_FOUND, "There is no such file.")

    def _of_batches(
        self, method: str, rest: Sequence[str], query: Mapping[str, str], body: bytes
    ) -> Shelved:
        match method, rest:
            case "POST", []:
                return self._begin(json.loads(body))
            case "GET", []:
                return _told(self._page(query))
            case "GET", [name] if name in self.batches:
                return _told(self._look(name))
            case "POST", [name, "cancel"] if name in self.batches:
                return _told(self._cancel(name))
        return _refused(HTTPStatus.NOT_FOUND, "There is no such batch.")

    def _keep(self, name: str, content: bytes) -> Shelved:
        made = f"file-{next(self._number)}"
        self.files[made] = (name, content)
        return _told(self._file(made))

    def _file(self, made: str) -> dict[str, Any]:
        name, content = self.files[made]
        told = {"id": made, "object": "file", "bytes": len(content), "created_at": 0}
        return told | {"filename": name, "purpose": "batch", "status": "processed"}

    def _begin(self, asked: Mapping[str, Any]) -> Shelved:
        file = asked.get("input_file_id")
        if file not in self.files:
            return _refused(HTTPStatus.BAD_REQUEST, "There is no such file.")
        made = f"batch-{next(self._number)}"
        n_lines = len(self.files[str(file)][1].splitlines())
        self.looked[made] = 0
        self.batches[made] = {
            "id": made,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": 0,
            "input_file_id": file,
            "metadata": asked.get("metadata"),
            "status": "in_progress",
            "request_counts": {"total": n_lines, "completed": 0, "failed": 0},
        }
        return _told(self.batches[made])

    def _page(self, query: Mapping[str, str]) -> dict[str, Any]:
        """The newest first, as real endpoints list them."""
        newest = list(reversed(self.batches))
        after = query.get("after")
        begin = newest.index(after) + 1 if after in newest else 0
        end = begin + min(_MOST_LISTED, int(query.get("limit", "20")))
        return _listed([self.batches[one] for one in newest[begin:end]], more=end < len(newest))

    def _look(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        self.looked[name] += 1
        if batch["status"] == "cancelling":
            self._close(batch, "cancelled", self.answers_only or 0)
        elif batch["status"] == "in_progress" and self.looked[name] > self.looks:
            self._close(batch, self.ends_as, self.answers_only)
        return batch

    def _cancel(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        if batch["status"] == "in_progress":
            batch["status"] = "cancelling"
        return batch

    def _close(self, batch: dict[str, Any], status: str, n_answered: int | None) -> None:
        """Answer so many requests of a batch, all where None, and end it."""
        batch["status"] = status
        if status == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": self.problem, "message": "no"}]}
            return
        answers: list[str] = []
        errors: list[str] = []
        for line in self.files[batch["input_file_id"]][1].splitlines()[:n_answered]:
            asked = json.loads(line)
            status_code, body = self.answer(asked["body"])
            came = {"id": "r", "custom_id": asked["custom_id"], "error": None}
            response = {"status_code": status_code, "request_id": "r", "body": body}
            told = json.dumps({**came, "response": response}, ensure_ascii=False)
            (answers if status_code == HTTPStatus.OK else errors).extend([told] * self.copies)
            self.answered.append(asked["custom_id"])
        # Not in the order of the requests: real endpoints keep none.
        for name, lines in (("output_file_id", answers[::-1]), ("error_file_id", errors[::-1])):
            if lines:
                made = f"file-{next(self._number)}"
                self.files[made] = (name, ("\n".join(lines) + "\n").encode())
                batch[name] = made
        counts = {"completed": len(answers) // self.copies, "failed": len(errors) // self.copies}
        batch["request_counts"] |= counts
        batch[f"{status}_at"] = int(time.time())


def _uploaded(kind: str, body: bytes) -> tuple[str, bytes]:
    """Name and content of the file in a form."""
    form = BytesParser(policy=HTTP).parsebytes(
        b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body
    )
    for part in form.iter_parts():
        if part.get_filename():
            content = part.get_payload(decode=True)
            return part.get_filename() or "", content if isinstance(content, bytes) else b""
    return "", b""


def _listed(data: list[dict[str, Any]], *, more: bool = False) -> dict[str, Any]:
    return {"object": "list", "data": data, "has_more": more}


def _told(answer: Mapping[str, Any]) -> Shelved:
    return HTTPStatus.OK, json.dumps(answer, ensure_ascii=False).encode()


def _refused(status: HTTPStatus, message: str) -> Shelved:
    error = {"message": message, "type": "invalid_request_error", "code": None}
    return status, json.dumps({"error": error}).encode()
