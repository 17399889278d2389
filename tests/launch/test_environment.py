"""`.env.example` tells of every variable."""

import re

from tests.services import ROOT

READ = re.compile(r"""(?:environment\.\w+|os\.environ\.get|os\.environ)[(\[]\s*"([A-Z_]+)""")
OF_THE_SYSTEM = {"MAKELEVEL", "PATH", "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}


def test_every_variable_that_is_read_is_in_the_example():
    folders = ("accounts", "analytics", "annotation", "config", "judging", "tests")
    read = {
        name
        for folder in folders
        for source in (ROOT / folder).rglob("*.py")
        for name in READ.findall(source.read_text())
    }
    explained = re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)

    assert read - OF_THE_SYSTEM <= set(explained)
