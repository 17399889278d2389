"""Who sits in a round, in what order they rate, which rubric it is, and care are noted in the ledger."""

from django.db import migrations

from accounts.ledger.governed import edition_of, first_editions


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0049_studies_are_governed"),
    ]

    operations = [
        *first_editions("annotation", "annotation_rubric", "annotation_seat", "annotation_care"),
        *edition_of("annotation_assignment", 2),
    ]
