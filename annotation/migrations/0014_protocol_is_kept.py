"""The database refuses to change what a round was opened with, and what was said and voted."""

from django.db import migrations

from accounts.ledger.governed import edition_of, first_editions

GOES_ON = (
    *("state", "step", "closed_at", "closed_by_id", "verdict"),
    *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
)
MAY_CHANGE = {
    "annotation_round": ", ".join(f"'{column}'" for column in GOES_ON),
    "annotation_discussionremark": "",
    "annotation_secondvote": "",
}


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_protocol")]

    operations = [
        *(
            migrations.RunSQL(
                f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {table}"
                f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({columns})",
                f"DROP TRIGGER keep_row ON {table}",
            )
            for table, columns in MAY_CHANGE.items()
        ),
        *first_editions("annotation", "annotation_discussionremark", "annotation_secondvote"),
        *edition_of("annotation_round", 2),
    ]
