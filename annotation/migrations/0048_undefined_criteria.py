"""A round says how many criteria had no agreement for its gate to look at."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of

GOES_ON = (
    *("state", "step", "closed_at", "closed_by_id", "verdict"),
    *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
    *("due_on", "cancel_reason"),
)
MORE = (*GOES_ON, "kappa_undefined")


def keep_row(columns: tuple[str, ...]) -> str:
    may_change = ", ".join(f"'{column}'" for column in columns)
    return (
        "CREATE OR REPLACE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_round"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({may_change})"
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0047_pieces_stay")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="kappa_undefined",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        *edition_of("annotation_round", 5),
        migrations.RunSQL(keep_row(MORE), keep_row(GOES_ON)),
    ]
