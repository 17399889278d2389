"""The rules that trust cards are held against: list, check, fix and print them."""

import json
from datetime import datetime
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.access import access_of
from accounts.management.refusing import refusing
from accounts.models import User
from analytics.figures import store as snapshots
from analytics.policies.loading import MOST_BYTES, Policy, PolicyError, read_own
from analytics.policies.prml import NotPrml
from analytics.ratings.matrices import PLAIN
from analytics.trust import actions as actions
from analytics.trust import cards as verdicts
from analytics.trust import plans, policies, sealing
from analytics.trust.numbers import PART
from analytics.trust.policies import NoSuchPolicy
from annotation.management.asking import account_given, study_named
from annotation.models import Study
from annotation.queries.studies import NotOnTheTeam, StudyAccess, study_for


class Command(BaseCommand):
    help = (
        "Choose the rules of a study's trust cards: those that come with Concord or a TOML file of "
        "your own. The account named by --by passes the same gate as in the browser: it "
        "coordinates the study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        listed = verbs.add_parser("list", help="the rules that a study can choose from")
        check = verbs.add_parser(
            "check", help="say what is wrong with a file of rules, if anything"
        )
        fix = verbs.add_parser(
            "fix", help="let rules hold from now on; a file is kept word for word"
        )
        sealed = verbs.add_parser("seal", help="seal the verdicts at the planned look that is due")
        plan = verbs.add_parser(
            "plan",
            help="write the fixed rules down as PRML 0.1 manifests, known to the audit trail",
        )
        verify = verbs.add_parser("verify", help="say since when a manifest has been known")
        shown = verbs.add_parser("print", help="the text of rules, to start from")
        cards = verbs.add_parser("cards", help="every verdict with its lines, as JSON")
        for verb in (listed, fix, shown, cards, sealed, plan, verify):
            verb.add_argument("study", help="the study's key")
        check.add_argument("file", help="a .toml file")
        fix.add_argument("rules", help="the key of rules from the list, or a .toml file")
        fix.add_argument("--by", required=True, metavar="EMAIL", help="a coordinator's account")
        sealed.add_argument("--by", required=True, metavar="EMAIL", help="a coordinator's account")
        plan.add_argument("folder", help="where the manifests go")
        plan.add_argument("--by", required=True, metavar="EMAIL", help="a coordinator's account")
        verify.add_argument("files", nargs="+", help="manifests, as .prml.yaml")
        shown.add_argument("rules", help="the key of rules from the list")
        cards.add_argument("--policy", default="", metavar="RULES", help="others than those fixed")

    def handle(self, *args: object, verb: str, **options: object) -> None:
        getattr(self, f"_{verb}")(**options)

    def _list(self, *, study: str, **options: object) -> None:
        studied = study_named(study)
        held = policies.held(studied)
        for one in policies.choices(studied, held):
            mark = "*" if one.is_fixed else " "
            self.stdout.write(f"{mark} {one.key:<18} {one.sha256[:16]}  {one.title}. {one.origin}")
        self.stdout.write(held.since)

    def _check(self, *, file: str, **options: object) -> None:
        policy = _own(file)
        self.stdout.write(f"{file}: rules “{policy.title.in_('en')}”, SHA-256 {policy.sha256}")

    def _fix(self, *, study: str, rules: str, by: str, **options: object) -> None:
        account, at = account_given(by), timezone.now()
        study_access = _coordinated(study_named(study), account)
        with refusing(actions.CannotFix):
            key = self._brought(study_access, rules, account, at) if _is_file(rules) else rules
            fixed = actions.fix_policy(study_access=study_access, key=key, by=account, at=at)
        self.stdout.write(f"Fixed: {fixed.key}, SHA-256 {fixed.sha256}")
        self.stdout.write(policies.held(study_access.study).since)

    def _seal(self, *, study: str, by: str, **options: object) -> None:
        account, at = account_given(by), timezone.now()
        study_access = _coordinated(study_named(study), account)
        with refusing(sealing.CannotSeal, actions.CannotFix):
            found = sealing.seal(study_access=study_access, by=account, at=at)
        self.stdout.write(f"Sealed at look {found.look}: SHA-256 {found.sha256}")

    def _plan(self, *, study: str, folder: str, by: str, **options: object) -> None:
        account, at = account_given(by), timezone.now()
        study_access = _coordinated(study_named(study), account)
        with refusing(actions.CannotFix):
            plan = plans.commit_plan(study_access=study_access, by=account, at=at)
        into = Path(folder)
        into.mkdir(parents=True, exist_ok=True)
        for name, content in plan.every_file.items():
            (into / name).write_bytes(content)
        self.stdout.write(f"{len(plan.files)} claims are in {folder}, known since {at:%Y-%m-%d}.")

    def _verify(self, *, study: str, files: list[str], **options: object) -> None:
        studied, unknown = study_named(study), 0
        for file in files:
            try:
                since = plans.committed_at(studied, Path(file).read_bytes())
            except OSError as error:
                raise CommandError(f"{file} cannot be opened: {error.strerror}.") from None
            except NotPrml as problem:
                raise CommandError(f"{file}: {problem}") from None
            unknown += since is None
            said = f"known since {since:%Y-%m-%d %H:%M} UTC" if since else "not known: changed?"
            self.stdout.write(f"{file}: {said}")
        if unknown:
            raise CommandError(f"{unknown} of {len(files)} were never written down like this.")

    def _print(self, *, study: str, rules: str, **options: object) -> None:
        self.stdout.write(_named(study_named(study), rules).text, ending="")

    def _cards(self, *, study: str, policy: str, **options: object) -> None:
        studied = study_named(study)
        try:
            held = policies.held(studied, preview=policy)
        except NoSuchPolicy:
            raise _unknown(studied, policy) from None
        found = snapshots.up_to_date(study_id=studied.pk, part=PART, at=timezone.now())
        plain = verdicts.as_json(found[PLAIN], held)
        self.stdout.write(json.dumps(plain, ensure_ascii=False, indent=2))

    def _brought(self, study_access: StudyAccess, file: str, account: User, at: datetime) -> str:
        """The key of the rules in a file, which the study may know already."""
        own = _own(file)
        known = policies.of_study(study_access.study).items()
        same = next((key for key, policy in known if policy.sha256 == own.sha256), None)
        return same or actions.bring_policy(
            study_access=study_access,
            file_name=Path(file).name,
            content=own.text.encode(),
            by=account,
            at=at,
        )


def _coordinated(study: Study, account: User) -> StudyAccess:
    try:
        return study_for(access_of(account, at=timezone.now()), study.key)
    except NotOnTheTeam:
        raise CommandError(f"{account.email} has no part in the study “{study.key}”.") from None


def _is_file(rules: str) -> bool:
    return rules.endswith(".toml")


def _own(file: str) -> Policy:
    try:
        with Path(file).open("rb") as opened:
            return read_own(opened.read(MOST_BYTES + 1))
    except OSError as error:
        raise CommandError(f"{file} cannot be opened: {error.strerror}.") from None
    except PolicyError as error:
        raise CommandError("\n".join(f"{file}: {one}" for one in error.problems)) from None


def _named(study: Study, key: str) -> Policy:
    try:
        return policies.named(study, key)
    except NoSuchPolicy:
        raise _unknown(study, key) from None


def _unknown(study: Study, key: str) -> CommandError:
    known = ", ".join(policies.of_study(study))
    return CommandError(f"There are no rules “{key}”. The study knows: {known}.")
