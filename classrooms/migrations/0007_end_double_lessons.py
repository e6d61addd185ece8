"""A class has one running lesson: where there are several, the newest goes on and the others end."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import migrations
from django.db.models import Exists, OuterRef
from django.utils import timezone


def end_doubles(apps: Any, schema_editor: Any) -> None:
    session_model = apps.get_model("classrooms", "Session")
    newer = session_model.objects.filter(classroom=OuterRef("classroom"), ended_at=None, pk__gt=OuterRef("pk"))
    doubles = list(session_model.objects.filter(Exists(newer), ended_at=None).values_list("pk", flat=True))
    now = timezone.now()
    activities = apps.get_model("classrooms", "Activity").objects.filter(session__in=doubles, ended_at=None)
    activities.update(ended_at=now, stage="done")
    session_model.objects.filter(pk__in=doubles).update(ended_at=now, is_paused=False)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("classrooms", "0006_adults")]
    operations: ClassVar = [migrations.RunPython(end_doubles, migrations.RunPython.noop)]
