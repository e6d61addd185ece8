"""The columns that everything was read from go."""

from django.db import migrations, models
from django.db.models import Q

QUESTION = ["source", "unit", "step", "seed"]
SOURCES = [(source, source) for source in ("course", "practice", "sheet", "lesson")]
ONE_LEARNER = Q(Q(("guest", ""), ("user__isnull", False)), Q(("user__isnull", True), ~Q(guest="")), _connector="OR")


def one_question(model_name, users, guests, **condition):
    """A constraint is about the place, and then about the origin."""
    of_users, of_guests = Q(user__isnull=False, **condition), ~Q(guest="") & Q(**condition)
    return [
        migrations.RemoveConstraint(model_name, users),
        migrations.RemoveConstraint(model_name, guests),
        # With a default, so that it can come back.
        migrations.AlterField(model_name, "place", models.CharField(default="", max_length=80)),
        migrations.RemoveField(model_name, "place"),
        migrations.AlterField(model_name, "source", models.CharField(choices=SOURCES, max_length=10)),
        migrations.AlterField(model_name, "unit", models.CharField(blank=True, max_length=40)),
        migrations.AlterField(model_name, "step", models.CharField(blank=True, max_length=40)),
        migrations.AddConstraint(
            model_name, models.UniqueConstraint(fields=["user", *QUESTION], condition=of_users, name=users)
        ),
        migrations.AddConstraint(
            model_name, models.UniqueConstraint(fields=["guest", *QUESTION], condition=of_guests, name=guests)
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("lessons", "0006_fill_learning_events")]

    operations = [
        *one_question("LearningEvent", "a_user_has_one_first_try", "a_guest_has_one_first_try", is_first=True),
        *one_question("HelpGiven", "a_user_has_help_once", "a_guest_has_help_once"),
        migrations.RemoveConstraint("LearningEvent", "an_attempt_is_one_learners"),
        migrations.AddConstraint(
            "LearningEvent", models.CheckConstraint(condition=ONE_LEARNER, name="an_event_is_one_learners")
        ),
        migrations.RenameIndex("LearningEvent", "lessons_lea_user_id_a7f2f5_idx", "lessons_att_user_id_d8f843_idx"),
        migrations.RenameIndex("LearningEvent", "lessons_lea_guest_a4bee2_idx", "lessons_att_guest_d72e6c_idx"),
        migrations.AlterField("Progress", "skill", models.CharField(default="", max_length=20)),
        migrations.RemoveField("Progress", "skill"),
        migrations.AlterField("Progress", "state", models.JSONField(default=dict)),
        migrations.RemoveField("Progress", "state"),
        migrations.AlterField("Progress", "events", models.PositiveIntegerField()),
        migrations.AlterField("Progress", "last_at", models.DateTimeField()),
        migrations.AlterField("Progress", "last_event", models.BigIntegerField()),
        migrations.AddConstraint(
            "Progress",
            models.UniqueConstraint(
                fields=["user"], condition=Q(user__isnull=False), name="a_user_has_progress_once"
            ),
        ),
        migrations.AddConstraint(
            "Progress",
            models.UniqueConstraint(fields=["guest"], condition=~Q(guest=""), name="a_guest_has_progress_once"),
        ),
    ]
