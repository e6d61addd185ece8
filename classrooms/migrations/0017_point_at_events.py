"""Each answer finds the event that was written with it.

Answers of guests, and those that say nothing about skills, had none, and get one. It says nothing about skills either.
"""

import json
import re
from collections import defaultdict

from django.db import migrations
from django.db.models import OuterRef, Q, Subquery

MOVED = ("at", "answer", "is_right", "missed")


def point(apps, schema_editor):
    alias = schema_editor.connection.alias
    answers = apps.get_model("classrooms", "Answer").objects.using(alias)
    for session in apps.get_model("classrooms", "Session").objects.using(alias).order_by("pk").only("pk", "code"):
        rows = answers.filter(activity__session=session, event=None).select_related("activity", "attendee")
        rows = list(rows.order_by("pk"))
        if rows:
            _point_rows(apps, alias, session.code, rows)


def _point_rows(apps, alias, code, rows):
    model = apps.get_model("lessons", "LearningEvent")
    # Only users had events, unless the answers were taken back before; theirs are found by an index.
    whose = Q(user__in={row.attendee.user_id for row in rows if row.attendee.user_id})
    whose |= Q(guest__in={row.attendee.guest for row in rows if row.attendee.guest})
    events = model.objects.using(alias).filter(whose, source="lesson", seed__startswith=f"{code}-").order_by("pk")
    found, firsts = defaultdict(list), set()
    for event in events:
        found[_said(event, (event.user_id, event.guest))].append(event)
        firsts.add((event.user_id, event.guest, event.unit, event.step, event.seed))
    pointed, told = [], []
    for row in rows:
        base, unit = f"{code}-{row.activity.number}-{row.round}", _unit(row.activity)
        same = found[_said(row, (row.attendee.user_id, row.attendee.guest))]
        # Where several say the same at the same moment, by the seed, which begins with the round.
        event = next((each for each in same if re.match(rf"{base}(?!\d)", each.seed)), None)
        if event:
            same.remove(event)
            if unit and not event.unit:
                event.unit = unit
                told.append(event)
        else:
            event = _new_event(model, row, unit, f"{base}/{row.key}" if row.key else base, firsts)
            event.save(using=alias)
        row.event = event
        pointed.append(row)
    model.objects.using(alias).bulk_update(told, ["unit"], batch_size=200)
    apps.get_model("classrooms", "Answer").objects.using(alias).bulk_update(pointed, ["event"], batch_size=200)


def _said(row, whose):
    return whose, row.at, row.is_right, json.dumps(row.answer, sort_keys=True)


def _unit(activity):
    return activity.options.get("unit", "") if activity.kind == "unit" else ""


def _new_event(model, row, unit, seed, firsts):
    whose = row.attendee.user_id, row.attendee.guest
    question = (*whose, unit, "", seed)
    is_first = question not in firsts
    firsts.add(question)
    return model(
        user_id=whose[0],
        guest=whose[1],
        source="lesson",
        unit=unit,
        seed=seed,
        cards=row.cards,
        is_first=is_first,
        **{name: getattr(row, name) for name in MOVED},
    )


def take_back(apps, schema_editor):
    alias = schema_editor.connection.alias
    events = apps.get_model("lessons", "LearningEvent").objects.using(alias).filter(pk=OuterRef("event"))
    answers = apps.get_model("classrooms", "Answer").objects.using(alias)
    answers.update(**{name: Subquery(events.values(name)) for name in MOVED})


class Migration(migrations.Migration):
    dependencies = [("classrooms", "0016_answers_are_events")]

    operations = [migrations.RunPython(point, take_back)]
