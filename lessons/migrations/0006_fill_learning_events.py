"""Places become origins, and the progress of each learner one row, which goes up to their last event."""

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Concat, StrIndex, Substr

_PLACES = ("practice", "sheet")
_LESSON = "session/"


def fill(apps, schema_editor):
    for name in ("LearningEvent", "HelpGiven"):
        rows = apps.get_model("lessons", name).objects.using(schema_editor.connection.alias)
        rows.filter(place__in=_PLACES).update(source=F("place"))
        # The seed says which lesson it was.
        rows.filter(place__startswith=_LESSON).update(source="lesson")
        slash = StrIndex("place", Value("/"))
        rows.filter(source="", place__contains="/").update(
            source="course", unit=Substr("place", 1, slash - 1), step=Substr("place", slash + 1)
        )
        # No release has kept anything else.
        rows.filter(source="").update(source="course", unit=Substr("place", 1, 40))
    _gather_progress(apps, schema_editor.connection.alias)


def _gather_progress(apps, alias):
    progress = apps.get_model("lessons", "Progress").objects.using(alias)
    events = apps.get_model("lessons", "LearningEvent").objects.using(alias)
    for user, guest in list(progress.order_by().values_list("user", "guest").distinct()):
        rows = progress.filter(user=user, guest=guest).order_by("pk")
        states = {skill: (pk, state) for pk, skill, state in rows.values_list("pk", "skill", "state")}
        first = min(pk for pk, _state in states.values())
        own = events.filter(user=user, guest=guest)
        last = own.order_by("at", "pk").values_list("at", "pk").last()
        rows.exclude(pk=first if last else None).delete()
        if last:
            rows.update(
                states={skill: state for skill, (_pk, state) in states.items()},
                events=own.count(),
                last_at=last[0],
                last_event=last[1],
            )


def take_back(apps, schema_editor):
    for name in ("LearningEvent", "HelpGiven"):
        rows = apps.get_model("lessons", name).objects.using(schema_editor.connection.alias)
        rows.filter(source__in=_PLACES).update(place=F("source"))
        rows.filter(source="course").update(place=Concat("unit", Value("/"), "step"))
        code = Substr("seed", 1, StrIndex("seed", Value("-")) - 1)
        rows.filter(source="lesson").update(place=Concat(Value(_LESSON), code))
    _spread_progress(apps, schema_editor.connection.alias)


def _spread_progress(apps, alias):
    model = apps.get_model("lessons", "Progress")
    for row in model.objects.using(alias).all():
        for skill, state in row.states.items():
            whose = {"user_id": row.user_id, "guest": row.guest, "last_at": row.last_at}
            model.objects.using(alias).create(skill=skill, state=state, **whose)
        row.delete()


class Migration(migrations.Migration):
    dependencies = [("lessons", "0005_learning_events")]

    operations = [migrations.RunPython(fill, take_back)]
