"""A round may have a day on which it is due, and may be cancelled for a reason."""

import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models

from accounts.ledger.governed import edition_of

STATES = ["open", "closed", "cancelled"]
GOES_ON = (
    *("state", "step", "closed_at", "closed_by_id", "verdict"),
    *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
)
MORE = (*GOES_ON, "due_on", "cancel_reason")


def keep_row(columns: tuple[str, ...]) -> str:
    may_change = ", ".join(f"'{column}'" for column in columns)
    return (
        "CREATE OR REPLACE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_round"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({may_change})"
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_notes_on_items")]

    operations = [
        migrations.RemoveConstraint(model_name="round", name="round_state_is_known"),
        migrations.RemoveConstraint(model_name="round", name="closed_at_and_by_go_with_closed"),
        migrations.AddField(
            model_name="round",
            name="due_on",
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="cancel_reason",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="round",
            name="state",
            field=models.CharField(
                choices=[(state, state) for state in STATES], default="open", max_length=20
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", STATES)), name="round_state_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("closed_at__isnull", False),
                        ("closed_by__isnull", False),
                        ("state__in", ["closed", "cancelled"]),
                    ),
                    models.Q(
                        ("closed_at__isnull", True),
                        ("closed_by__isnull", True),
                        ("state", "open"),
                    ),
                    _connector="OR",
                ),
                name="closed_at_and_by_go_with_its_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        models.Q(("cancel_reason", ""), _negated=True), ("state", "cancelled")
                    ),
                    models.Q(
                        ("cancel_reason", ""), models.Q(("state", "cancelled"), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="a_round_is_cancelled_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.LessThanOrEqual(
                    django.db.models.functions.text.Length("cancel_reason"), 10000
                ),
                name="a_cancel_reason_has_an_end",
            ),
        ),
        migrations.RunSQL(keep_row(MORE), keep_row(GOES_ON)),
        *edition_of("annotation_round", 3),
    ]
