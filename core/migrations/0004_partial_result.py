from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("setsite", "0003_job_client")]

    operations = [
        migrations.AlterField("job", "so_far", models.JSONField(default=dict, db_column="so_far")),
        migrations.RenameField("job", "so_far", "partial_result"),
    ]
