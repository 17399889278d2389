"""The drill: a running server is backed up, and comes back elsewhere as it was."""

import pytest

pytestmark = pytest.mark.untraced

FIGURES = """
from analytics.agreement import numbers as agreement
from analytics.figures import store
from annotation.models import Rating, Study
from django.utils import timezone
from dataclasses import replace
import hashlib

print("ratings", Rating.objects.count())
for study in Study.objects.order_by("key"):
    found = store.up_to_date(study_id=study.pk, part=agreement.PART, at=timezone.now())
    told = [(view, replace(report, computed_at=None)) for view, report in found.items()]
    told = repr(sorted(told, key=repr)) + str(study.revision)
    print(study.key, hashlib.sha256(told.encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def servers(launchers):
    return launchers("here"), launchers("elsewhere")


def manage(server, *arguments: str) -> str:
    process = server.start("exec", "python", "manage.py", *arguments)
    printed, _ = process.communicate()
    assert process.returncode == 0, printed
    return printed


def figures_of(server) -> str:
    return manage(server, "shell", "--verbosity=0", "--command", FIGURES)


def test_a_backup_of_a_running_server_is_restored_on_another_port(servers, tmp_path):
    here, elsewhere = servers
    running = here.run()
    assert "rows and" in manage(here, "backup", str(tmp_path / "backup"))
    before = figures_of(here)
    running.terminate()
    here.wait_until_all_have_gone()

    manage(elsewhere, "migrate", "--verbosity=0")
    manage(elsewhere, "restore", str(tmp_path / "backup"))
    assert "All of it is as it was written." in manage(elsewhere, "verify_audit")
    assert "ratings 0" not in before
    assert figures_of(elsewhere) == before
    again = elsewhere.start("exec", "python", "manage.py", "restore", str(tmp_path / "backup"))
    assert "There are accounts here." in again.communicate()[0]

    running = elsewhere.run()
    assert elsewhere.status_of("/readyz") == 200
    running.terminate()
    elsewhere.wait_until_all_have_gone()
