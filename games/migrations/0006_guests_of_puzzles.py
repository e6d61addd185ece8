"""A guest's daily puzzles are looked up when the guest signs in."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_OWNER = models.ForeignKey(
    blank=True,
    null=True,
    on_delete=django.db.models.deletion.CASCADE,
    related_name="+",
    to=settings.AUTH_USER_MODEL,
)


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0005_longer_codes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="puzzleresult",
            name="guest",
            field=models.CharField(blank=True, db_index=True, max_length=32),
        ),
        migrations.AlterField(model_name="puzzleresult", name="user", field=_OWNER),
        migrations.AlterField(model_name="seat", name="user", field=_OWNER.clone()),
    ]
