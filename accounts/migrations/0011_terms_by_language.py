"""The agreement has its texts by language; what was published before stays as it was signed."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_scope_of_adjudicating")]

    operations = [
        migrations.AddField(
            model_name="terms", name="texts", field=models.JSONField(default=dict)
        ),
        *(
            migrations.AlterField(
                model_name="terms", name=name, field=models.CharField(blank=True, max_length=200)
            )
            for name in ("title_en", "title_zh_hans")
        ),
        *(
            migrations.AlterField(
                model_name="terms", name=name, field=models.TextField(blank=True)
            )
            for name in ("body_en", "body_zh_hans")
        ),
        migrations.AlterField(
            model_name="termsacceptance", name="language", field=models.CharField(max_length=35)
        ),
        *edition_of("accounts_terms", 3),
    ]
