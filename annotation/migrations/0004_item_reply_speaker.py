from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0003_immutable_rows'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='reply_speaker',
            field=models.CharField(default='supporter', max_length=20),
        ),
    ]
