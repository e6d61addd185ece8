"""Guests of a lesson who signed in and aren't of its class stay guests in its report."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classrooms", "0019_guests_of_lessons")]

    operations = [
        migrations.AddField(
            model_name="attendee", name="is_visitor", field=models.BooleanField(default=False)
        ),
    ]
