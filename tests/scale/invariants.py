"""Invariants of the world of `tests.scale.writers`, whatever two writers have done to it simultaneously."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from django.core.files.storage import default_storage
from django.db.models import Model, Q
from django.utils import timezone

from classrooms.models import (
    Action,
    Activity,
    Attendee,
    AuditEntry,
    Classroom,
    Enrolment,
    GuardianCode,
    Guardianship,
    Session,
    Stage,
    TeacherInvitation,
    User,
)
from classrooms.privacy import deleting
from core.models import Job, JobState
from games.models import Event, Match, Seat
from games.players import Player
from games.rules import replay
from games.rules.records import event_from, match_from
from games.rules.state import Phase
from lessons.models import LearningEvent, Progress
from lessons.progress.mastery import mastery, new_states
from lessons.progress.records import try_of
from lessons.progress.snapshots import skill_states
from tests.scale.writers import World

_TEACHING = Classroom.teachers.through


def broken(world: World, written: Collection[str]) -> Iterator[str]:
    """Yield the violated invariants, of those about the written tables."""
    for check, models in CHECKS.items():
        if any(model._meta.db_table in written for model in models):
            yield from check(world)


def _learning(world: World) -> Iterator[str]:
    in_rooms = [Player(name=seat.name, user=seat.user) for seat in world.rooms["unit"].seats]
    for who in (world.learner, world.guest, world.stale, world.left, *in_rooms):
        tries = [try_of(row) for row in LearningEvent.objects.filter(**who.key).counted()]
        rebuilt = mastery(tries, max(each.at for each in tries)) if tries else new_states()
        if skill_states(who) != rebuilt:
            yield f"{who.name}'s progress isn't what a rebuild makes of the tries"
    sent = list(LearningEvent.objects.filter(sent_as__isnull=False).values_list("sent_as", "user", "guest"))
    if len(set(sent)) != len(sent):
        yield "an answer that was sent twice is kept twice"


def _lessons(world: World) -> Iterator[str]:
    running = list(Session.objects.filter(ended_at=None).values_list("classroom", flat=True))
    if len(running) != len(set(running)):
        yield "two lessons are running in one class"


def _teachers(world: World) -> Iterator[str]:
    taught = _TEACHING.objects.filter(user__deleted_at=None).values("classroom")
    for name in Classroom.objects.not_deleted().exclude(pk__in=taught).values_list("name", flat=True):
        yield f"{name} has no teacher"


def _invitations(world: World) -> Iterator[str]:
    if TeacherInvitation.objects.exclude(accepted_at=None).exclude(cancelled_at=None).exists():
        yield "an invitation is accepted and canceled"
    invitation = TeacherInvitation.objects.filter(pk=world.invitation.pk).first()
    teaches = _TEACHING.objects.filter(classroom=world.classroom, user=world.guardian).exists()
    # An account purged long after acceptance doesn't count.
    if invitation and (invitation.accepted_at is not None) != teaches:
        yield "whoever accepted doesn't teach, or the other way round"
    twice = TeacherInvitation.objects.open(timezone.now()).values_list("classroom", "email")
    if len(twice) != len(set(twice)):
        yield "two invitations of a class to one address are open"


def _names(world: World) -> Iterator[str]:
    names = list(Enrolment.objects.values_list("classroom", "student__display_name"))
    if len(set(names)) != len(names):
        yield f"two students of a class have the same name: {sorted(names)}"


def _deletions(world: World) -> Iterator[str]:
    """Nobody is active only in deleted classes, and undoing restores what was deleted together."""
    # Students whose class was deleted before, or who were restored separately, stay.
    back = AuditEntry.objects.filter(action=Action.UNDELETED, at__gt=world.now).values("person")
    alive = Enrolment.objects.filter(classroom__deleted_at=None).values("student")
    active = User.objects.filter(kind="student", is_home=False, is_active=True).exclude(pk=world.pia.pk)
    for name in active.exclude(pk__in=back).exclude(pk__in=alive).values_list("display_name", flat=True):
        yield f"{name} is in no class and not deleted"
    if User.objects.filter(Q(deleted_at=None, is_active=False) | Q(deleted_at__isnull=False, is_active=True)).exists():
        yield "somebody is deleted and active"
    gone = Classroom.objects.filter(pk=world.classroom.pk, deleted_at__isnull=False).first()
    if gone:
        deleting.undo_class(gone, by=world.teacher, now=timezone.now())
        here = Enrolment.objects.filter(classroom=gone, student=world.omar).exists()
        if here and not User.objects.get(pk=world.omar.pk).is_active:
            yield "the class was undone and its student wasn't"


def _family(world: World) -> Iterator[str]:
    if User.objects.filter(pk=world.child.pk, deleted_at=None).exists():
        links = Guardianship.objects.filter(child=world.child, guardian__deleted_at=None)
        if not links.exists():
            yield "the home account has no guardian"
    codes = world.noah.guardian_codes.filter(used_at=None, expires_at__gt=timezone.now())
    if codes.count() > 1:
        yield "two codes for one child are open"
    if User.objects.filter(pk=world.guardian.pk, deleted_at__isnull=False).exists():
        guardian = User.objects.get(pk=world.guardian.pk)
        alone = User.objects.filter(pk=world.child.pk, deleted_at=guardian.deleted_at).exists()
        deleting.undo_adult(guardian, now=timezone.now())
        if alone and not User.objects.get(pk=world.child.pk).is_active:
            yield "the guardian was undone and the child wasn't"


def _seats(world: World) -> Iterator[str]:
    seats = list(Attendee.objects.values_list("session", "number", "user", "guest"))
    numbers = {(session, number) for session, number, *_who in seats}
    owners = {(session, *who) for session, _number, *who in seats}
    if not len(numbers) == len(owners) == len(seats):
        yield "a seat in a lesson isn't unique"


def _activities(world: World) -> Iterator[str]:
    """One activity at a time, and the lesson's tables match the lesson's state."""
    for session in Session.objects.prefetch_related("activities"):
        on = [each for each in session.activities.all() if each.stage != Stage.DONE]
        if len(on) > bool(session.ended_at is None):
            yield "an activity goes on beside another, or after its lesson"
        playing = _tables_of(on[0]) if on else {}
        for match in Match.objects.filter(place=f"session/{session.code}").exclude(phase=Phase.OVER):
            if match.code not in playing:
                yield "a table goes on after its activity"
            elif session.is_paused != (match.state.paused_at is not None):
                yield "the lesson is paused and its table isn't, or the other way round"
            else:
                yield from _at_table(session, match, playing[match.code])


def _tables_of(activity: Activity) -> dict[str, set[int]]:
    """The running tables, each with the numbers of the people playing there on their own devices."""
    if activity.kind == "tables":
        return {table["codes"][-1]: set(table["people"]) for table in activity.state["tables"]}
    return {activity.state["match"]: set()} if activity.kind == "box" else {}


def _at_table(session: Session, match: Match, people: set[int]) -> Iterator[str]:
    """Exactly the people with a device sit there."""
    with_device = session.attendees.filter(number__in=people, removed_at=None, is_on_paper=False)
    rows = {seat.number: (seat.user_id, seat.guest) for seat in match.seats.all()}
    sitting = {rows[seat.number] for seat in match.state.seated}
    if people and sitting != set(with_device.values_list("user", "guest")):
        yield "somebody who was taken out sits at the table, or somebody who is there doesn't"


def _tables(world: World) -> Iterator[str]:
    for match in Match.objects.prefetch_related("events", "seats"):
        rows = list(match.events.all())
        if [row.number for row in rows] != list(range(1, match.version + 1)):
            yield "the log has gaps"
        if replay(match_from(match.start), [event_from(row.record) for row in rows]) != match_from(match.snapshot):
            yield "the log doesn't replay to the state"
        if len(match.seats.all()) != len(match.state.seats):
            yield "a seat is missing at the table"


def _jobs(world: World) -> Iterator[str]:
    files = set(default_storage.listdir("jobs")[1]) if default_storage.exists("jobs") else set()
    known = {name.removeprefix("jobs/") for name in Job.objects.exclude(file="").values_list("file", flat=True)}
    if files != known:
        yield f"files of jobs and their rows aren't the same: {files ^ known}"
    if Job.objects.filter(state=JobState.DONE, file="").exists():
        yield "a job is done without its file"


def _ends(world: World) -> Iterator[str]:
    """Expired things are either complete or gone."""
    people = (world.otto, world.uma, world.gus, world.hal)
    active = set(User.objects.filter(pk__in=[each.pk for each in people], is_active=True).values_list("pk", flat=True))
    classes = {each.pk: each for each in Classroom.objects.filter(pk__in=[world.gone.pk, world.archived.pk])}
    gone, archived = classes.get(world.gone.pk), classes[world.archived.pk]
    if gone and gone.deleted_at is None and not (world.otto.pk in active and gone.sessions.exists()):
        yield "a class was undone while it was purged, and isn't whole"
    if world.uma.pk in active and not (
        LearningEvent.objects.filter(user=world.uma, seed="before").exists()
        and Match.objects.filter(code=world.left_table).exists()
    ):
        yield "a student was undone while they were purged, and isn't whole"
    if world.gus.pk in active and world.hal.pk not in active:
        yield "an adult was undone while they were purged, and the child wasn't"
    if archived.deleted_at and archived.archived_at is None:
        yield "a class was taken out of the archive and deleted"


CHECKS: dict[Callable[[World], Iterator[str]], tuple[type[Model], ...]] = {
    _learning: (LearningEvent, Progress),
    _lessons: (Session,),
    _teachers: (Classroom, _TEACHING, User),
    _invitations: (TeacherInvitation, _TEACHING),
    _names: (Enrolment, User),
    _deletions: (Classroom, Enrolment, User),
    _family: (Guardianship, GuardianCode, User),
    _seats: (Attendee,),
    _activities: (Session, Activity, Attendee, Match, Seat, Event),
    _tables: (Match, Seat, Event),
    _jobs: (Job,),
    _ends: (Classroom, User, Enrolment, Session, LearningEvent, Match),
}
"""Each invariant with the tables it depends on: it holds while nobody writes those."""
