from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("classrooms", "0014_wall_number"),
    ]

    operations = [
        migrations.AddField(
            model_name="picturetry",
            name="is_forgiven",
            field=models.BooleanField(default=False),
        ),
    ]
