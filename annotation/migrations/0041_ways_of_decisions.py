"""What is decided on a graph of questions keeps the way that led to it."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of

MAY_CHANGE = "'decided_by_id', 'decided_at', 'values', 'reason', 'code', 'is_overturned'"


def _ways(model: str) -> migrations.AddField:
    return migrations.AddField(
        model_name=model,
        name="ways",
        field=models.JSONField(blank=True, default=dict, db_default={}),
    )


def _keep_row(may_change: str) -> str:
    return (
        "CREATE OR REPLACE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_goldaudit"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({may_change})"
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0040_item_attributes")]

    operations = [
        migrations.AddField(
            model_name="gold",
            name="path",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        _ways("opinion"),
        _ways("goldaudit"),
        migrations.RunSQL(_keep_row(f"{MAY_CHANGE}, 'ways'"), _keep_row(MAY_CHANGE)),
        *edition_of("annotation_gold", 2),
        *edition_of("annotation_opinion", 2),
        *edition_of("annotation_goldaudit", 2),
    ]
