"""Rows of a statement as they come."""

from collections.abc import Mapping
from typing import Any

from django.db import connection


def fetched(statement: str, asked: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
