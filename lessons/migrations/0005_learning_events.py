"""An answer is a learning event with a typed origin; progress is one row for each learner. Here come the columns."""

from django.db import migrations, models

SOURCES = [(source, source) for source in ("course", "practice", "sheet", "lesson")]


def question_columns(model_name):
    return [
        migrations.AddField(model_name, "source", models.CharField(choices=SOURCES, default="", max_length=10)),
        migrations.AddField(model_name, "unit", models.CharField(blank=True, default="", max_length=40)),
        migrations.AddField(model_name, "step", models.CharField(blank=True, default="", max_length=40)),
    ]


class Migration(migrations.Migration):
    dependencies = [("lessons", "0004_one_first_try_and_help")]

    operations = [
        migrations.RenameModel("Attempt", "LearningEvent"),
        *question_columns("LearningEvent"),
        *question_columns("HelpGiven"),
        migrations.AddField("Progress", "states", models.JSONField(default=dict)),
        migrations.AddField("Progress", "events", models.PositiveIntegerField(default=0)),
        migrations.AddField("Progress", "last_at", models.DateTimeField(null=True)),
        migrations.AddField("Progress", "last_event", models.BigIntegerField(default=0)),
        migrations.AddField("Progress", "version", models.PositiveIntegerField(default=1)),
        # The rows of a learner become one.
        migrations.RemoveConstraint("Progress", "a_user_has_a_skill_once"),
        migrations.RemoveConstraint("Progress", "a_guest_has_a_skill_once"),
    ]
