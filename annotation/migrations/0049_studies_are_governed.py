"""What a study is, who was let in to rate, what was given to whom, and files are noted in the ledger."""

from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0048_undefined_criteria"),
        ("accounts", "0015_who_somebody_is"),
    ]

    operations = first_editions(
        "annotation",
        *("annotation_study", "annotation_admission", "annotation_rounditem"),
        *("annotation_assignment", "annotation_filejob", "annotation_filepiece"),
    )
