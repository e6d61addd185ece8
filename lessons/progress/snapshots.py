"""The state of each of a learner's skills: the latest snapshot, plus the events since then.

Appending an event updates no summary. A reader folds in the events since the snapshot, and writes a new one once there
are many. A snapshot stores its last event and the number of its events. So if an event arrives late, because it was
answered offline or committed after a later one, the count doesn't match, and everything is read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple

from django.db.models import Count, F, Q

from core.db.chunks import chunks
from core.db.inserts import insert_unless_there
from games.players import Player
from lessons.models import LearningEvent, Progress
from lessons.progress.mastery import Try, new_states, update
from lessons.progress.records import TRY_COLUMNS, state_from, state_record, try_from
from lessons.progress.tracing import SkillState
from lessons.skills import Skill

MOST_SINCE: Final = 20
"""A new snapshot is written once more events than this have come since the latest one."""
_MANY = 500
"""How many learners are queried at once: SQLite takes conditions with up to a thousand terms."""

States = dict[Skill, SkillState]
Whose = tuple[int | None, str]
"""The key of a user or of a guest."""


class _Event(NamedTuple):
    """An event with its position in the order, and what it says about skills."""

    at: datetime
    key: int
    said: Try | None


def skill_states(player: Player | None) -> States:
    """The state of every skill of the learner, as of when it was last seen."""
    return next(iter(_states_of(player.key).values()), new_states()) if player else new_states()


def skill_states_of(users: Iterable[Any]) -> dict[int, States]:
    """`skill_states` for many users at once, by the user's key."""
    states = {user.pk: new_states() for user in users}
    found = _states_of({"user__in": list(states)})
    return states | {user: each for (user, _guest), each in found.items() if user}


def rebuild(player: Player) -> None:
    """Write a new snapshot from all events. The learner must be locked."""
    events = next(iter(_read_events([Q(**player.key)]).values()), [])
    if not events:
        Progress.objects.filter(**player.key).delete()
        return
    row = _columns(_fold(new_states(), events), len(events), events[-1])
    # A reader may be saving a snapshot of older data. Its update misses the new version; if it inserts first, we retry.
    for _time in range(2):
        if Progress.objects.filter(**player.key).update(**row, version=F("version") + 1):
            return
        if insert_unless_there(Progress(**player.key, **row)):
            return


def _states_of(whose: Mapping[str, Any]) -> dict[Whose, States]:
    rows = {(row.user_id, row.guest): row for row in Progress.objects.filter(**whose)}
    counted = LearningEvent.objects.filter(**whose).order_by().values_list("user", "guest").annotate(Count("pk"))
    counts = {(user, guest): count for user, guest, count in counted}
    since = _events_since({each: rows.get(each) for each, count in counts.items() if not _is_fresh(rows, each, count)})
    late = [each for each in since if each in rows and rows[each].events + len(since[each]) != counts[each]]
    since |= _events_since(dict.fromkeys(late))
    states = {}
    # Always in the same order, so that two readers writing snapshots of the same learners don't deadlock.
    for each in sorted(counts, key=lambda whose: (whose[0] or 0, whose[1])):
        row = None if each in late else rows.get(each)
        before = _states_in(row) if row else new_states()
        events = since.get(each, [])
        states[each] = _fold(before, events)
        if events and (each in late or len(events) > MOST_SINCE):
            _save(each, rows.get(each), _columns(states[each], (row.events if row else 0) + len(events), events[-1]))
    return states


def _is_fresh(rows: Mapping[Whose, Progress], whose: Whose, count: int) -> bool:
    return whose in rows and rows[whose].events == count


def _events_since(snapshots: Mapping[Whose, Progress | None]) -> dict[Whose, list[_Event]]:
    """Each learner's events after their snapshot, or all events if there's none, in order."""
    since: dict[Whose, list[_Event]] = {each: [] for each in snapshots}
    for some in chunks(snapshots.items(), _MANY):
        since |= _read_events([_after_snapshot(whose, row) for whose, row in some])
    return since


def _after_snapshot(whose: Whose, snapshot: Progress | None) -> Q:
    user, guest = whose
    own = Q(user=user) if user else Q(guest=guest)
    if snapshot is None:
        return own
    return own & (Q(at__gt=snapshot.last_at) | Q(at=snapshot.last_at, pk__gt=snapshot.last_event))


def _read_events(conditions: Sequence[Q]) -> dict[Whose, list[_Event]]:
    found: dict[Whose, list[_Event]] = defaultdict(list)
    rows = LearningEvent.objects.filter(reduce(or_, conditions)).order_by("at", "pk")
    for user, guest, key, is_first, *values in rows.values_list("user", "guest", "pk", "is_first", *TRY_COLUMNS):
        said = try_from(values) if is_first else None
        found[user, guest].append(_Event(values[0], key, said))
    return dict(found)


def _fold(states: States, events: Iterable[_Event]) -> States:
    return reduce(update, _tries(events), states)


def _tries(events: Iterable[_Event]) -> Iterator[Try]:
    return (each.said for each in events if each.said)


def _states_in(row: Progress) -> States:
    return new_states() | {Skill(skill): state_from(skill, record) for skill, record in row.states.items()}


def _columns(states: States, events: int, last: _Event) -> dict[str, Any]:
    new = new_states()
    records = {skill.value: state_record(state) for skill, state in states.items() if state != new[skill]}
    return {"states": records, "events": events, "last_at": last.at, "last_event": last.key}


def _save(whose: Whose, before: Progress | None, columns: Mapping[str, Any]) -> None:
    """Write a snapshot, unless another request has written one since `before` was read."""
    if before is None:
        user, guest = whose
        insert_unless_there(Progress(user_id=user, guest=guest, **columns))
        return
    same = Progress.objects.filter(pk=before.pk, version=before.version)
    same.update(**columns, version=before.version + 1)
