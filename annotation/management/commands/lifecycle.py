"""Print the states of rounds, assignments and items, as docs/lifecycle.md shows them."""

from django.core.management.base import BaseCommand

from annotation.rules.lifecycle import diagrams


class Command(BaseCommand):
    help = "Print docs/lifecycle.md: redirect it there when a state or a move has changed."

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(diagrams(), ending="")
