"""docs/lifecycle.md shows the moves that the code allows."""

from io import StringIO
from pathlib import Path

from django.core.management import call_command

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "lifecycle.md"


def test_the_page_is_what_the_command_prints():
    printed = StringIO()
    call_command("lifecycle", stdout=printed)
    assert PAGE.read_text(encoding="utf-8") == printed.getvalue(), (
        "Run: python manage.py lifecycle > docs/lifecycle.md"
    )
