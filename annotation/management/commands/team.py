"""Show and change who takes part in a study."""

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from annotation.actions import teams
from annotation.management.asking import account_named, add_by, study_named
from annotation.models import TeamRole
from annotation.queries.teams import members_of
from annotation.rules.granting import DataLevel


class Command(BaseCommand):
    help = (
        "Print the team of a study; with --member give an account exactly the roles that are "
        "named, none of which takes it off the team."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        parser.add_argument("--member", metavar="EMAIL", help="the account whose roles are set")
        parser.add_argument(
            "--role",
            action="append",
            default=[],
            choices=TeamRole.values,
            help="a role that it has from now on; repeat it for several",
        )
        parser.add_argument(
            "--also",
            action="append",
            default=[],
            choices=[level.value for level in DataLevel],
            help="a level of the data set that is asked for with them; repeat it for several",
        )
        add_by(parser)

    def handle(
        self,
        *args: object,
        study: str,
        member: str | None,
        role: list[str],
        also: list[str],
        by: str | None,
        **options: object,
    ) -> None:
        found = study_named(study)
        if (role or also) and not member:
            raise CommandError("Say whose roles these are with --member.")
        if member:
            with refusing(teams.CannotChangeTeam):
                teams.set_roles(
                    study_id=found.pk,
                    email=member,
                    roles=role,
                    also=[DataLevel(level) for level in also],
                    by=account_named(by),
                    at=timezone.now(),
                )
        for one in members_of(found):
            self.stdout.write(f"{one.email:<40} {', '.join(one.roles)}")
