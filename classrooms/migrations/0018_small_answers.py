"""What the event of an answer says isn't said twice."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classrooms", "0017_point_at_events")]

    operations = [
        migrations.AlterField(
            "Answer",
            "event",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="lessons.learningevent"
            ),
        ),
        migrations.AlterModelOptions("Answer", options={"ordering": ["event__at", "pk"]}),
        # With a default, so that it can come back.
        migrations.AlterField("Answer", "is_right", models.BooleanField(default=False)),
        *(migrations.RemoveField("Answer", name) for name in ("at", "answer", "is_right", "missed")),
    ]
