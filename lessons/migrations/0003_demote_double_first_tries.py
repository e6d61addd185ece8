"""Two requests at once could both be the first try at a question. The earliest stays the first.

Both counted, so the progress of those learners is made anew from their tries.
"""

from dataclasses import asdict

from django.db import migrations

from lessons.progress.mastery import mastery, new_states
from lessons.progress.records import try_of

_MANY = 500


def demote_doubles(apps, schema_editor):
    attempts = apps.get_model("lessons", "Attempt").objects.using(schema_editor.connection.alias)
    firsts = attempts.filter(is_first=True).order_by("user", "guest", "place", "seed", "at", "pk")
    doubles, learners, last = [], set(), None
    for pk, *question in firsts.values_list("pk", "user", "guest", "place", "seed").iterator():
        if question == last:
            doubles.append(pk)
            learners.add((question[0], question[1]))
        last = question
    for start in range(0, len(doubles), _MANY):
        attempts.filter(pk__in=doubles[start : start + _MANY]).update(is_first=False)
    for user, guest in learners:
        rebuild(apps, schema_editor, {"user_id": user, "guest": guest})


def rebuild(apps, schema_editor, learner):
    alias = schema_editor.connection.alias
    attempts = apps.get_model("lessons", "Attempt").objects.using(alias)
    progress = apps.get_model("lessons", "Progress").objects.using(alias)
    tries = [try_of(row) for row in attempts.filter(is_first=True, **learner).exclude(evidence=[]).order_by("at", "pk")]
    states = mastery(tries, max(each.at for each in tries)) if tries else new_states()
    known = set()
    for skill, state in states.items():
        if state != new_states()[skill]:
            record = {**asdict(state), "path": list(state.path)}
            del record["skill"]
            progress.update_or_create(skill=skill.value, **learner, defaults={"state": record})
            known.add(skill.value)
    progress.filter(**learner).exclude(skill__in=known).delete()


class Migration(migrations.Migration):
    dependencies = [("lessons", "0002_sent_as")]

    operations = [migrations.RunPython(demote_doubles, migrations.RunPython.noop)]
