"""Whatever is written to these tables leaves its digests in the ledger."""

from django.db import migrations

from accounts.ledger.governed import first_editions


TABLES = (
    *("annotation_rubricversion", "annotation_rater", "annotation_membership"),
    *("annotation_dialogue", "annotation_item", "annotation_quarantine", "annotation_round"),
    *("annotation_submission", "annotation_rating", "annotation_adjudication", "annotation_gold"),
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_file_jobs"), ("accounts", "0005_governed_rows")]

    operations = first_editions("annotation", *TABLES)
