"""An answer in a live lesson points at its learning event."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classrooms", "0015_forgiven_tries"), ("lessons", "0007_one_origin_one_progress")]

    operations = [
        migrations.AlterModelOptions("Answer", options={}),
        migrations.AddField(
            "Answer",
            "event",
            models.OneToOneField(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="lessons.learningevent"
            ),
        ),
    ]
