"""Logs as a JSON object a line, of which every value is allowed by name.

A message goes out as it stands in the code, without what was put into it; an exception as its
type and the lines of code that it came through, without what it said. So no text of a dialogue,
name or answer reaches a log, whoever logs it: libraries that make their messages up are named by
their logger and level alone.
"""

import json
import logging
import re
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from copy import copy
from datetime import UTC, datetime

REQUEST: ContextVar[str] = ContextVar("request", default="")
MESSAGES_OF = (
    *("accounts", "analytics", "annotation", "judging", "config", "django"),
    *("celery", "kombu", "gunicorn"),
)
# What may stand beside a message: whole numbers, and words that are no text of anybody's.
ALLOWED = ("method", "page", "status", "milliseconds", "account", "task", "queue", "process")
OF_TASKS = {"name": "task", "id": "task_id"}
_WORD = re.compile(r"[\w.:@/-]{1,120}", re.ASCII)
_TEMPLATE = re.compile(r"[\w\s.,:;'()\[\]%{}/=+*<>@!?“”’–-]{0,200}")


class PlainLine(logging.Formatter):
    """A record as a line for who runs the demo. What an exception says may quote what people wrote, so
    of it the type is there, and the lines of code that it came through."""

    def format(self, record: logging.LogRecord) -> str:
        told = copy(record)  # another formatter may have kept what its exception says
        told.exc_text = None
        if record.exc_info and record.exc_info[0]:
            through = "".join(traceback.format_tb(record.exc_info[2]))
            told.exc_text = f"{through}{record.exc_info[0].__qualname__}"
        return super().format(told)


class JsonLine(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        if request := REQUEST.get():
            line["request"] = request
        if message := _message(record):
            line["message"] = message
        line |= {
            name: value for name in ALLOWED if _is_allowed(value := getattr(record, name, None))
        }
        if isinstance(record.args, Mapping):
            given = {said: record.args.get(name) for name, said in OF_TASKS.items()}
            line |= {said: value for said, value in given.items() if _is_allowed(value)}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__qualname__
            line["through"] = [
                f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(record.exc_info[2], limit=-20)
            ]
        return json.dumps(line, ensure_ascii=False)


def _message(record: logging.LogRecord) -> str:
    """What stands in the code; nothing where the caller has put it together."""
    is_known = record.name.partition(".")[0] in MESSAGES_OF
    is_template = isinstance(record.msg, str) and bool(record.args)
    is_ours = record.name.partition(".")[0] in MESSAGES_OF[:5]
    if is_known and (is_template or is_ours) and _TEMPLATE.fullmatch(str(record.msg)):
        return str(record.msg)
    return ""


def _is_allowed(value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    return isinstance(value, int) or (isinstance(value, str) and bool(_WORD.fullmatch(value)))
