"""How the body of a request becomes a value."""

import io
import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class BoundedJSONParser(JSONParser):
    """JSON that is no larger than a form may be, has an end to its depth, and is Unicode."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(most + 1)
        if len(body) > most:
            raise ParseError
        try:
            value = super().parse(io.BytesIO(body), media_type, parser_context)
            # Halves of surrogate pairs can be neither stored nor sent back.
            json.dumps(value, ensure_ascii=False).encode()
        except (RecursionError, UnicodeEncodeError):
            raise ParseError from None
        return value
