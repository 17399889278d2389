"""Many models made by one operation of a migration that stands for many."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateTogether(Operation):
    """Models that may point at each other, in any order.

    Django draws every class that a new one is bound to anew, and so each of some hundred models a
    hundred times. Here they are drawn once, when all are known.
    """

    reversible = False

    def __init__(self, *creations: CreateModel) -> None:
        self.creations = creations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # what was drawn, which is drawn anew when it is asked for
        for creation in self.creations:
            creation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for creation in self.creations:
            creation.database_forwards(app_label, schema_editor, from_state, to_state)
