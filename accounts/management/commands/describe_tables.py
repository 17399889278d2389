"""Print the tables of a database that was migrated just now, as accounts/ledger/tables.txt has them."""

from django.core.management.base import BaseCommand

from accounts.ledger import catalogue


class Command(BaseCommand):
    help = "Print accounts/ledger/tables.txt: redirect it there when a migration is new."

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(catalogue.described(), ending="")
