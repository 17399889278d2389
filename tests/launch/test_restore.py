"""The drill: a server is backed up while people rate, and comes back elsewhere as it was."""

import json
import sys
import threading
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from typing import Any
from uuid import uuid4

from analytics.rooms import ROOMS
from static import concord_client
from static.concord_client import Concord, ConcordStudy
from tests.launch.conftest import all_of, who_comes_again_gives_up
from tests.services import beside, came_of, wait_until

STUDY = "support-demo"
VIEWS = ("", "released")
LABELS = ("safe_response", "nonsense", "linguistic_neglect")
TOKENS = """
import json
from django.utils import timezone
from accounts.actions import tokens
from accounts.models import Scope, User

made = {}
for name in ("ada", "ben", "cleo", "finn"):
    user = User.objects.get(email=f"{name}@example.org")
    asked = {"name": "drill", "scopes": list(Scope), "days": 9, "by": user, "at": timezone.now()}
    made[name] = tokens.make(**asked)[1]
print(json.dumps(made))
"""


@dataclass
class PersonRating:
    """Somebody who rates some items and then corrects them again and again, and what was sent."""

    token: str
    sent: list[tuple[int, str, str]] = field(default_factory=list)

    def rate(self, url: str, end: threading.Event) -> None:
        """Until the end, each answer with a key of its own, as a browser sends it."""
        study, standing = Concord(url, token=self.token).study(STUDY), {}
        for label in islice(cycle(LABELS), 4):
            self._send(study, study.next_item()["assignment"], label, standing)
        for assignment, label in zip(cycle(list(standing)), cycle(LABELS), strict=False):
            if end.is_set():
                return
            self._send(study, assignment, label, standing)

    def send_again(self, url: str) -> None:
        """All of it to another server, in the same order and with the same keys."""
        study, standing = Concord(url, token=self.token).study(STUDY), {}
        for assignment, label, key in self.sent:
            answer(study, assignment, label, key, standing)

    def _send(
        self, study: ConcordStudy, assignment: int, label: str, standing: dict[int, int]
    ) -> None:
        key = str(uuid4())
        answer(study, assignment, label, key, standing)
        self.sent.append((assignment, label, key))


def answer(
    study: ConcordStudy, assignment: int, label: str, key: str, standing: dict[int, int]
) -> None:
    """For the first time, or in the place of what stands."""
    answers = {"safety": label}
    if assignment in standing:
        receipt = study.correct(assignment, answers, supersedes=standing[assignment], key=key)
    else:
        receipt = study.submit(assignment, answers, key=key)
    standing[assignment] = receipt["submission"]


def manage(server, *arguments: str) -> str:
    process = server.start("exec", "python", "manage.py", *arguments)
    printed = all_of(process)
    assert process.returncode == 0, printed
    return printed


def url_of(server) -> str:
    return f"http://127.0.0.1:{server.port}"


def figures_of(server, token: str) -> dict[str, Any]:
    """Every figure of every room of every study, plain and as released, as programs get them."""
    concord = Concord(url_of(server), token=token)
    return {
        f"{one['key']} {room} {values}": concord.get(
            f"studies/{one['key']}/figures/{room}/", values=values
        )
        for one in concord.every("studies/")
        for room in ROOMS
        for values in VIEWS
    }


def end_runs(server, token: str) -> None:
    """The demo's judge may be at work, and would go on elsewhere with other answers."""
    concord = Concord(url_of(server), token=token)
    for one in concord.every(f"studies/{STUDY}/runs/"):
        concord.study(STUDY).move_run(one["id"], "finish")


def test_a_backup_taken_while_people_rate_comes_back_on_another_port(
    launchers, tmp_path, capsys, monkeypatch
):
    who_comes_again_gives_up(concord_client, monkeypatch)
    here, elsewhere, backup = (
        launchers("here", is_filled=True),
        launchers("elsewhere"),
        str(tmp_path / "backup"),
    )
    running = here.run()
    tokens = json.loads(manage(here, "shell", "--verbosity=0", "--command", TOKENS))
    end_runs(here, tokens["ada"])
    people, end = (
        [PersonRating(tokens[name]) for name in ("ben", "cleo", "finn")],
        threading.Event(),
    )
    rating = [beside(partial(one.rate, url_of(here), end)) for one in people]
    try:
        wait_until(lambda: all(len(one.sent) > 6 for one in people), what="people to rate")
        before = sum(len(one.sent) for one in people)
        told = manage(here, "backup", backup)
        meanwhile = sum(len(one.sent) for one in people) - before
    finally:
        end.set()
    came_of(*rating)
    assert "rows and" in told
    assert meanwhile > 0, "nobody rated while it was backed up"
    found = figures_of(here, tokens["ada"])
    running.terminate()
    here.wait_until_all_have_gone()

    manage(elsewhere, "migrate", "--verbosity=0")
    manage(elsewhere, "restore", backup)
    assert "All of it is as it was written." in manage(elsewhere, "verify_audit")
    again = elsewhere.printed("exec", "python", "manage.py", "restore", backup)
    assert "There are accounts here." in again

    running = elsewhere.run()
    assert elsewhere.status_of("/readyz") == 200
    for one in people:
        one.send_again(url_of(elsewhere))
    back = figures_of(elsewhere, tokens["ada"])
    n_figures = sum(len(table["figures"]) for told in found.values() for table in told["tables"])
    with capsys.disabled():
        sys.stdout.write(f"\n{meanwhile} answers meanwhile, {n_figures:,} figures equal\n")
    assert [name for name in found if found[name] != back.get(name)] == []
    assert len(found) == len(back) > len(ROOMS) * len(VIEWS)
    assert "All of it is as it was written." in manage(elsewhere, "verify_audit")
    running.terminate()
    elsewhere.wait_until_all_have_gone()
