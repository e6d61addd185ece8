"""Every writing service function, grouped by what it writes, and a small world for it to write in.

`tests/scale/test_pairs.py` fails where a function of the site writes and no writer here calls it, unless that test
excuses it with a reason.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")
django.setup()

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.mail import send_mail
from django.http import HttpResponse, QueryDict
from django.test import RequestFactory, override_settings
from django.utils import timezone

from classrooms import audit, consents
from classrooms.accounts import devices, guardians, picture_guard, signing_in
from classrooms.accounts import sign_up as accounts
from classrooms.accounts.second_factors import PURPOSE
from classrooms.classes import assignments, students
from classrooms.classes import service as classes
from classrooms.classes.rosters import proposals
from classrooms.classes.rosters.oneroster import ListedClass
from classrooms.classes.rosters.row_form import Row
from classrooms.live import joining, leading, seats
from classrooms.live.activities import relay, unit
from classrooms.live.activities.silent_board import Arrangement
from classrooms.live.activities.teams import own_team
from classrooms.live.store import place_at
from classrooms.models import (
    Action,
    Activity,
    Attendee,
    Classroom,
    DeviceStanding,
    Guardianship,
    Session,
    StudentDevice,
    Task,
    User,
)
from classrooms.privacy import archives, deleting, purging, renewing
from classrooms.reports import letters, summary
from core import mail
from core.actors import merge_guest
from core.encryption import encrypt
from core.jobs import queue
from core.jobs.kinds import JobResult
from core.models import Job, OutgoingMail
from games import puzzles
from games.matches import service as matches
from games.models import Match, Seat, Way
from games.players import Player
from games.rules import Options, find_sets
from games.rules import commands as ask
from games.rules.triples import third_card
from lessons.models import LearningEvent
from lessons.progress import snapshots
from lessons.progress.origins import PRACTICE
from lessons.progress.recording import (
    Answered,
    Asked,
    finish_step,
    forget_help,
    give_help,
    rebuild,
    record_event,
)
from lessons.progress.snapshots import skill_states
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted
from tests.classrooms.people import enrol, make_adult, make_classroom

NOW = 1_800_000_000.0
DAY = timedelta(days=1)
OLD_KEY = "the key before the present one, which is long enough"
settings.SECRET_KEY_FALLBACKS = [OLD_KEY]
# Makes a list of three students take two steps.
proposals.CHUNK = 2
# Makes every reader of progress write a snapshot.
snapshots.MOST_SINCE = 0
TODAY = date(2027, 1, 15)
BOARD = puzzles.board_of(TODAY, puzzles.PuzzleDeck.EASY)
SENT_AS = UUID(int=7)
RULES = {"deck": "full", "window": "10", "penalty": True}
ACTIVITIES: dict[str, dict[str, Any]] = {
    "tables": {**RULES, "size": 2, "how": "chance"},
    "box": {**RULES, "teams": True},
    "unit": {"unit": "third-card"},
    "relay": {"deck": "full", "links": 5},
    "builder": {"deck": "full", "teams": True, "dims": False},
    "board": {"deck": "full", "size": 12, "own": False},
}
"""The other activity kinds besides the main lesson's, each with the teacher's options."""


@dataclass
class Room:
    """A class during an activity: two students take part, one works on paper, and one hasn't joined yet."""

    session: Session
    activity: Activity
    seats: list[Attendee]
    on_paper: Attendee
    late: Player


class World:
    """A class with a lesson, its students and teachers; a family; tables; jobs; and expired things."""

    def __init__(self) -> None:
        # The database may contain earlier worlds.
        own = os.urandom(4).hex()
        self.now = timezone.now()
        self.teacher, self.colleague, self.guardian, self.partner = (
            make_adult(f"{name}-{own}") for name in ("Ada", "Ben", "Cleo", "Dora")
        )
        self._make_classes()
        # Two teachers without other classes, so that each may leave while the other stays.
        self.eva, self.fay = make_adult("Eva"), make_adult("Fay")
        self.shared = make_classroom(self.eva, "Class 5E")
        self.shared.teachers.add(self.fay)
        self._make_family()
        self._make_lesson()
        self._make_rooms()
        self._make_tables()
        self._make_jobs()
        self._make_what_is_over()

    def _make_classes(self) -> None:
        self.classroom, self.other = make_classroom(self.teacher), make_classroom(self.teacher, "Class 3A")
        self.theirs = make_classroom(self.colleague, "Class 4D")
        self.classroom.teachers.add(self.colleague)
        self.places = enrol(self.classroom, "Mia Okafor", "Noah Brandt", "Lina Haddad", "Omar Said")
        self.mia, self.noah, self.lina, self.omar = (place.student for place in self.places)
        # Noah is in two classes, and each other student has a namesake in the class they may move to.
        self.elsewhere = self.other.enrolments.create(student=self.noah, real_name="Noah Brandt")
        enrol(self.theirs, "Lina Haddad", "Omar Said")
        enrol(self.other, "Mia Okafor")
        self.offer = students.offer_student(self.places[2], self.theirs, by=self.teacher)
        self.offer_too = students.offer_student(self.places[3], self.theirs, by=self.teacher)
        self.invitation = classes.invite(self.classroom, self.guardian.email or "", by=self.teacher)
        self.proposal = proposals.propose(
            self.classroom,
            [
                Row(line=1, real_name="Ines Lopez"),
                Row(line=2, real_name="Mia Okafor", group="Reds"),
                Row(line=3, real_name="Lina Haddad", display_name="Theo"),
            ],
            by=self.teacher,
        )
        listed = [ListedClass(name, name, (Row(line=1, real_name="Ines Lopez"),)) for name in ("a", "b")]
        self.choice = proposals.propose(self.classroom, listed, by=self.colleague)
        self.task = assignments.assign(self.classroom, by=self.teacher, task=Task.DAILY, now=NOW)

    def _make_family(self) -> None:
        self.code = guardians.make_code(self.noah, by=self.teacher)
        self.child = students.make_home_child("Zoe", by=self.guardian)
        self.links = [
            Guardianship.objects.get(child=self.child),
            Guardianship.objects.create(child=self.child, guardian=self.partner),
        ]
        answer(Player(name="Zoe", user=self.child), "before", self.now.timestamp() - 7 * DAY.total_seconds())

    def _make_lesson(self) -> None:
        self.learner = Player(name="Mia", user=self.mia)
        self.guest = Player(name="Badger", guest=os.urandom(16).hex())
        self.session = leading.open_session(self.classroom, by=self.teacher, allows_guests=True)
        self.seat = joining.attend(self.session, self.learner)
        self.guests_seat = joining.attend(self.session, Player(name="Otter", guest=os.urandom(16).hex()))
        joining.attend(self.session, self.guest)
        self.activity = leading.begin(self.session, "triples", {})
        self.sent_out = joining.attend(self.session, Player(name="Omar", user=self.omar))
        leading.remove(self.sent_out)
        self.visitor = Player(name="Heron", guest=os.urandom(16).hex())
        seats.wait(self.session, self.visitor)
        self.late = Player(name="Stoat", guest=os.urandom(16).hex())
        self.rosa = enrol(self.classroom, "Rosa Vidal")[0].student
        seats.add_paper_seats(self.session, [self.rosa.pk])
        self.on_paper = self.session.attendees.get(user=self.rosa)

    def _make_rooms(self) -> None:
        """Put the same four students in every room, so that two activities may write about the same learner."""
        four: list[User] = []
        self.rooms: dict[str, Room] = {}
        for kind, options in ACTIVITIES.items():
            classroom = make_classroom(self.teacher, f"Class {kind}")
            four = four or [each.student for each in enrol(classroom, "Ivo", "Jana", "Kim", "Lou")]
            for student in four:
                classroom.enrolments.get_or_create(student=student, defaults={"real_name": student.display_name})
            session = leading.open_session(classroom, by=self.teacher)
            players = [Player(name=each.display_name, user=each) for each in four]
            there = [joining.attend(session, each) for each in players[:2]]
            seats.add_paper_seats(session, [four[2].pk])
            leading.make_teams(session, 2)
            # Each of the two is a team of one, so nobody waits for others.
            for team, seat in enumerate(there, 1):
                leading.set_team(seat, team)
            activity = leading.begin(session, kind, options)
            if kind == "unit":
                _go_to_question(session)
            on_paper = session.attendees.get(user=four[2])
            for seat in there:
                seat.refresh_from_db()
            self.rooms[kind] = Room(session, session.activities.get(pk=activity.pk), there, on_paper, players[3])

    def _make_tables(self) -> None:
        self.match = self._table(self.learner, self.guest)
        self.alone = self._table(self.learner)
        # Somebody called there and let the time run out.
        self.timed = self._table(self.learner, self.guest, window=5.0)
        matches.command(self.timed, ask.Call(0), now=NOW)
        self.guests_table = self._table(self.guest)
        for who in (self.guest, self.learner):
            find_set(self, 2, who)
        queue.enqueue("odds", self.guest.key, {}, address="192.0.2.7")
        answer(self.guest, "before", NOW - 10)
        answer(self.learner, "before", NOW - 5)
        # The same one the learner will do.
        finish_step(self.guest, "cards", "any", now=NOW - 10)
        give_help(self.guest, PRACTICE, "s1", stages=3, now=NOW - 10)

    def _table(self, player: Player, *others: Player, at: float = NOW, window: float | None = None) -> str:
        # With this seed there's a SET on the table.
        options = Options(window=window)
        match = matches.open_match(
            way=Way.TOGETHER, options=options, player=player, others=others, seed="pairs", now=at
        )
        matches.command(match.code, ask.Deal(0), now=at)
        return match.code

    def _make_jobs(self) -> None:
        self.waiting = self._job()
        self.running = queue.claim(self._job().pk)
        self.silent = queue.claim(self._job().pk)
        Job.objects.filter(pk=self.silent.pk).update(beat_at=self.now - DAY)
        self.old = queue.claim(self._job().pk)
        queue.complete(self.old, JobResult(file=b"old", name="old.pdf"))
        Job.objects.filter(pk=self.old.pk).update(ended_at=self.now - 60 * DAY)
        for subject in ("Hello", "Too late"):
            send_mail(subject, "A mail", None, [str(self.guardian.email)])
        late = OutgoingMail.objects.filter(content__subject="Too late")
        late.update(made_at=self.now - mail.LONGEST_STAY - DAY, due_at=self.now - DAY)

    def _job(self, owner: User | None = None) -> Job:
        return queue.enqueue("odds", {"user": owner or self.teacher}, {})

    def _make_what_is_over(self) -> None:
        """Create expired things at the moment when they can still be saved."""
        self.edge = self.now - DAY
        gone_at = self.edge - timedelta(days=settings.UNDO_DAYS)
        # A deleted class, student, and adult with a child.
        self.gone = make_classroom(self.teacher, "Class 1Z")
        self.otto = enrol(self.gone, "Otto Weber")[0].student
        leading.end(leading.open_session(self.gone, by=self.teacher))
        deleting.delete_class(self.gone, by=self.teacher, now=gone_at)
        self.uma = enrol(self.classroom, "Uma Nkosi")[0].student
        self.left = Player(name="Uma", user=self.uma)
        answer(self.left, "before", gone_at.timestamp() - 5)
        self.left_table = self._table(self.left)
        self.left_job = queue.claim(self._job(self.uma).pk)
        deleting.delete_child(self.uma, by=self.teacher, now=gone_at)
        self.gus = make_adult("Gus")
        self.hal = students.make_home_child("Hal", by=self.gus)
        deleting.delete_adult(self.gus, now=gone_at)
        # A class whose deletion was interrupted before its student's.
        self.half = make_classroom(self.teacher, "Class 1Y")
        self.pia = enrol(self.half, "Pia Lind")[0].student
        Classroom.objects.filter(pk=self.half.pk).update(deleted_at=self.now)
        # An archived class about to end, and an idle class.
        self.archived, self.idle = make_classroom(self.teacher, "Class 8A"), make_classroom(self.teacher, "Class 8B")
        classes.archive(self.archived, by=self.teacher)
        Classroom.objects.filter(pk=self.archived.pk).update(
            archived_at=self.now - 400 * DAY, notices=2, ends_at=self.now - DAY
        )
        Classroom.objects.filter(pk=self.idle.pk).update(used_at=self.now - 300 * DAY)
        self.untold = make_classroom(self.teacher, "Class 8C")
        classes.archive(self.untold, by=self.teacher)
        Classroom.objects.filter(pk=self.untold.pk).update(archived_at=self.now - 400 * DAY)
        # A guest who was long away, with an abandoned table.
        long_ago = (self.now - 200 * DAY).timestamp()
        self.stale = Player(name="Vole", guest=os.urandom(16).hex())
        answer(self.stale, "before", long_ago)
        give_help(self.stale, PRACTICE, "h1", stages=3, now=long_ago)
        self.stale_table = self._table(self.stale, at=long_ago)
        self.stale_job = queue.enqueue("odds", self.stale.key, {}, address="192.0.2.1")
        Job.objects.filter(pk=self.stale_job.pk).update(made_at=self.now - 200 * DAY)
        # Encrypted with a former key of the site.
        with override_settings(SECRET_KEY=OLD_KEY):
            self.omar.save(update_fields=["pictures"])
            secret = {"secret": encrypt("a second factor", purpose=PURPOSE)}
        Authenticator.objects.create(user=self.teacher, type="totp", data=secret)
        self.mia.picture_tries.create(classroom=self.classroom, standing=DeviceStanding.NEW, at=self.now - 100 * DAY)
        # An account whose address is confirmed on creation.
        self.unconfirmed = User.objects.create_adult(email=f"{os.urandom(4).hex()}@people.example", display_name="Ike")
        StudentDevice.objects.create(student=self.mia, browser="old", used_at=self.now - 500 * DAY)
        for thing in (self.gone, self.uma, self.otto, self.gus, self.hal, self.archived, self.idle):
            thing.refresh_from_db()

    @property
    def just_in_time(self) -> datetime:
        return self.edge - timedelta(seconds=1)

    @property
    def too_late(self) -> datetime:
        return self.edge + timedelta(seconds=1)

    @property
    def table(self) -> Match:
        return Match.objects.get(code=self.match)


def _go_to_question(session: Session) -> None:
    """Go to the unit's next step with a question."""
    while not unit.KIND.asked_step(activity := session.activities.get()).question.is_asked:
        leading.steer(session, "next", QueryDict(), round_seen=activity.round)


def answer(who: Player, seed: str, at: float, sent_as: UUID | None = None) -> LearningEvent:
    evidence = [Evidence(Skill.COLOR, True), Evidence(Skill.THIRD_CARD, True)]
    asked = Asked(origin=PRACTICE, kind=ExerciseKind.THIRD_CARD, wanted=Wanted(ExerciseKind.THIRD_CARD), seed=seed)
    answered = Answered(answer={}, is_right=True, missed=(), evidence=evidence)
    return record_event(who, asked, answered, now=at, sent_as=sent_as)


def act(world: World) -> None:
    send(world.seat, world.activity, "yes=1")


def send(seat: Attendee, activity: Activity, form: str) -> None:
    """Send a device's form for the activity it shows."""
    joining.act(place_at(seat), QueryDict(f"activity={activity.number}&round={activity.round}&{form}"))


def play(room: Room, seat: int) -> None:
    """Take part as a student."""
    who, activity = room.seats[seat], room.activity
    if room.activity.kind == "tables":
        table = Match.objects.get(code=activity.state["tables"][0]["codes"][0])
        player = Player(name=who.name, user=who.user)
        matches.act(table.code, player, ask.Call, now=time.time(), seen=table.version)
        return
    if room.activity.kind == "box":
        send(who, activity, "do=call")
        triple = find_sets(Match.objects.get(code=activity.state["match"]).state.table)[0]
        send(who, activity, "&".join(f"cards={card.index}" for card in triple))
        return
    send(who, activity, _answer_of(room, who))


def _answer_of(room: Room, who: Attendee) -> str:
    activity = room.activity
    activity.session = room.session
    match activity.kind:
        case "unit":
            choice = unit.KIND.asked_step(activity).question.choices_with_one_tap()[0]
            return f"{choice.name}={choice.value}"
        case "relay":
            pair = relay.KIND.exercise(activity, relay.KIND.track(activity, own_team(activity, who))).cards
            return f"link=0&card={third_card(pair[0], pair[1]).index}"
        case "builder":
            return f"card={who.number}"
    triple = find_sets(Arrangement(activity, who).cards)[0]
    return "&".join(f"cards={card.index}" for card in triple)


def agree_and_take_back(world: World) -> None:
    matches.command(world.match, ask.AgreeNoSet(0), now=NOW + 1)
    matches.command(world.match, ask.TakeBack(0), now=NOW + 2)


def sign_in(world: World, *, by_card: bool) -> None:
    """Write what signing a student in writes."""
    request = RequestFactory().post("/")
    SessionMiddleware(lambda request: HttpResponse()).process_request(request)
    request.user = AnonymousUser()
    place = world.places[2]
    if by_card:
        signing_in.keep_card(request, signing_in.card_token(place.student))
        signing_in.sign_in_by_card(request)
    else:
        signing_in.sign_in_by_pictures(request, place, place.student.pictures)
    signing_in.remember_here(request, HttpResponse(), place.student)
    request.session.save()


def try_pictures(world: World, *, right: bool) -> None:
    """Write what signing in with pictures writes."""
    tried = picture_guard.take_try(world.places[0], "a" * 64, "192.0.2.1", DeviceStanding.NEW, "")
    if right:
        picture_guard.forgive(tried, "192.0.2.1")
        devices.remember(world.mia, "a" * 64)
        signing_in.touch(world.classroom)


def fresh(classroom: Classroom) -> Classroom:
    """The classroom as loaded by a page."""
    return Classroom.objects.get(pk=classroom.pk)


def find_set(world: World, number: int, who: Player | None = None) -> None:
    triple = find_sets(BOARD)[number]
    deck = puzzles.PuzzleDeck.EASY
    puzzles.find_set(TODAY, deck, who or world.learner, triple, shown=world.now, now=world.now)


def delete_then_undo(world: World) -> None:
    deleting.delete_child(world.mia, by=world.teacher, now=world.now)
    deleting.undo_child(User.objects.get(pk=world.mia.pk), by=world.teacher, now=world.now)


def delete_class_then_undo(world: World) -> None:
    deleting.delete_class(world.classroom, by=world.teacher, now=world.now)
    deleting.undo_class(fresh(world.classroom), by=world.teacher, now=world.now)


def put_mail_off(world: World) -> None:
    """Write what a worker writes when it takes a mail and the mail server is down."""
    if found := mail._claim(timezone.now()):
        mail._put_off(found, OSError("away"))


def run_job(world: World) -> None:
    """Write everything a job's run writes."""
    job = queue.claim_next()
    if job and queue.beat(job, progress=0.5):
        queue.complete(job, JobResult(file=b"made", name="made.pdf"))
    elif job:
        queue.mark_cancelled(job)


Writer = Callable[[World], Any]


def _writers_in_room(kind: str) -> dict[str, Writer]:
    """The writers that may run simultaneously in a lesson with this activity."""

    def steer(world: World, *orders: str) -> None:
        room = world.rooms[kind]
        for order in orders:
            leading.steer(room.session, order, QueryDict(), round_seen=room.activity.round)

    found: dict[str, Writer] = {
        "begin": lambda w: leading.begin(w.rooms[kind].session, kind, ACTIVITIES[kind]),
        "play": lambda w: play(w.rooms[kind], 0),
        "play as the other": lambda w: play(w.rooms[kind], 1),
        "attend": lambda w: joining.attend(w.rooms[kind].session, w.rooms[kind].late),
        "come with a device": lambda w: joining.attend(
            w.rooms[kind].session, Player(name="Kim", user=w.rooms[kind].on_paper.user)
        ),
        "remove": lambda w: leading.remove(w.rooms[kind].seats[0]),
        "remove and let back in": lambda w: (
            leading.remove(w.rooms[kind].seats[0]),
            seats.readmit(w.rooms[kind].seats[0]),
        ),
        "work on paper": lambda w: seats.put_on_paper(w.rooms[kind].seats[0]),
        "connect": lambda w: joining.set_connected(w.rooms[kind].session.code, 1, True),
        "rename": lambda w: leading.rename(w.rooms[kind].seats[0], "Ivo the Great"),
        "give time": lambda w: leading.extend_time(w.rooms[kind].seats[0], 2.0),
        "no team": lambda w: leading.set_team(w.rooms[kind].seats[0], None),
        "pause": lambda w: leading.pause(w.rooms[kind].session),
        "pause and resume": lambda w: (leading.pause(w.rooms[kind].session), leading.resume(w.rooms[kind].session)),
        "finish": lambda w: steer(w, "finish"),
        "end": lambda w: leading.end(w.rooms[kind].session),
    }
    more: dict[str, tuple[str, ...]] = {
        "box": ("more",),
        "unit": ("reveal", "next"),
        "board": ("reveal", "next"),
    }
    if kind in more:
        found[" and ".join(more[kind])] = lambda w: steer(w, *more[kind])
    return found


WRITERS: dict[str, dict[str, Writer]] = {
    "match": {
        "open": lambda w: w._table(w.learner, w.guest),
        "call": lambda w: matches.command(w.match, ask.Call(0), now=NOW + 1),
        "call by the other": lambda w: matches.act(w.match, w.guest, ask.Call, now=NOW + 1, seen=w.table.version),
        "call and pick": lambda w: (
            matches.command(w.match, ask.Call(0), now=NOW + 1),
            matches.command(w.match, ask.Pick(0, find_sets(w.table.state.table)[0]), now=NOW + 2),
        ),
        "call and withdraw": lambda w: (
            matches.command(w.match, ask.Call(0), now=NOW + 1),
            matches.command(w.match, ask.Withdraw(0), now=NOW + 2),
        ),
        "leave": lambda w: matches.command(w.match, ask.Leave(1), now=NOW + 1),
        "stop": lambda w: matches.command(w.match, ask.Stop(), now=NOW + 1),
        "pause": lambda w: matches.command(w.match, ask.Pause(), now=NOW + 1),
        "pause and resume": lambda w: (
            matches.command(w.match, ask.Pause(), now=NOW + 1),
            matches.command(w.match, ask.Resume(), now=NOW + 2),
        ),
        "agree": lambda w: matches.act(w.match, w.guest, ask.AgreeNoSet, now=NOW + 1, seen=w.table.version),
        "agree and take back": agree_and_take_back,
        "lay three": lambda w: matches.command(w.match, ask.LayThree(), now=NOW + 1),
        "give time": lambda w: matches.command(w.match, ask.GiveTime(1, 2.0), now=NOW + 1),
        "disconnect": lambda w: matches.command(w.match, ask.Disconnect(1), now=NOW + 1),
        "disconnect and connect": lambda w: (
            matches.command(w.match, ask.Disconnect(1), now=NOW + 1),
            matches.command(w.match, ask.Connect(1), now=NOW + 2),
        ),
        "join": lambda w: matches.join(w.match, Player(name="Ben", user=w.noah), now=NOW + 1),
        "join who was alone": lambda w: matches.join(w.alone, Player(name="Ben", user=w.noah), now=NOW + 1),
        "rename": lambda w: matches.rename(w.match, Player(name="Vixen", guest=w.guest.guest), now=NOW + 1),
        "call in time": lambda w: matches.command(w.timed, ask.Call(1), now=NOW + 6),
        "catch up": lambda w: matches.catch_up(w.timed, now=NOW + 6),
        "catch up everywhere": lambda w: matches.catch_up_all(now=NOW + 7),
        "forget a player": lambda w: matches.forget_players(w.table.seats.filter(user=w.mia)),
        "forget who was alone": lambda w: matches.forget_players(Seat.objects.filter(match__code=w.alone)),
        "find a SET": lambda w: find_set(w, 0),
        "find another SET": lambda w: find_set(w, 1),
        "find a SET as a guest": lambda w: find_set(w, 0, w.guest),
        "call of a guest": lambda w: matches.act(w.guests_table, w.guest, ask.Call, now=NOW + 1, seen=0),
        "join the guest": lambda w: matches.join(w.guests_table, Player(name="Ben", user=w.noah), now=NOW + 1),
        "forget the guest": lambda w: matches.forget_players(Seat.objects.of(w.guest)),
        "sign in": lambda w: merge_guest(w.guest, w.learner),
        "sign in as another": lambda w: merge_guest(w.guest, Player(name="Ben", user=w.noah)),
    },
    "learning": {
        "answer": lambda w: answer(w.learner, "s1", NOW),
        "answer, sent again": lambda w: answer(w.learner, "s1", NOW, sent_as=SENT_AS),
        "the same as a guest": lambda w: answer(w.guest, "s1", NOW, sent_as=SENT_AS),
        "answer late": lambda w: answer(w.learner, "s0", NOW - 100),
        "answer as a guest": lambda w: answer(w.guest, "s1", NOW),
        "finish a step": lambda w: finish_step(w.learner, "cards", "any", now=NOW),
        "finish a step as a guest": lambda w: finish_step(w.guest, "cards", "all", now=NOW),
        "ask for help": lambda w: give_help(w.learner, PRACTICE, "s1", stages=3, now=NOW),
        "rebuild": lambda w: rebuild(w.learner),
        "read the progress": lambda w: skill_states(w.learner),
        "read the progress of a guest": lambda w: skill_states(w.guest),
        "sign in": lambda w: merge_guest(w.guest, w.learner),
    },
    "lesson": {
        "open": lambda w: leading.open_session(w.other, by=w.teacher),
        "open instead": lambda w: leading.open_session(w.classroom, by=w.colleague, instead_of=w.session.code),
        "end": lambda w: leading.end(w.session),
        "pause": lambda w: leading.pause(w.session),
        "resume": lambda w: (leading.pause(w.session), leading.resume(w.session)),
        "begin": lambda w: leading.begin(w.session, "triples", {}),
        "steer": lambda w: leading.steer(w.session, "reveal", QueryDict(), round_seen=w.activity.round),
        "reveal and go on": lambda w: [
            leading.steer(w.session, order, QueryDict(), round_seen=w.activity.round) for order in ("reveal", "next")
        ],
        "finish": lambda w: leading.steer(w.session, "finish", QueryDict(), round_seen=w.activity.round),
        "begin another kind": lambda w: leading.begin(w.session, "tables", ACTIVITIES["tables"]),
        "close the door": lambda w: leading.set_lock(w.session, True),
        "show scores": lambda w: leading.set_scores(w.session, True),
        "no guests": lambda w: leading.set_guests(w.session, False),
        "attend": lambda w: joining.attend(w.session, Player(name="Noah", user=w.noah)),
        "attend too": lambda w: joining.attend(w.session, Player(name="Lina", user=w.lina)),
        "act": act,
        "remove": lambda w: leading.remove(w.seat),
        "let back in": lambda w: seats.readmit(w.sent_out),
        "seat on paper": lambda w: seats.add_paper_seats(w.session, [w.noah.pk, w.lina.pk]),
        "come with a device after all": lambda w: joining.attend(w.session, Player(name="Rosa", user=w.rosa)),
        "take the seat on paper back": lambda w: leading.remove(w.on_paper),
        "wait at the door": lambda w: seats.wait(w.session, w.late),
        "admit": lambda w: seats.admit(w.session),
        "admit freely": lambda w: seats.admit_freely(w.session),
        "rename": lambda w: leading.rename(w.seat, "Mia the Great"),
        "give time": lambda w: leading.extend_time(w.seat, 2.0),
        "set a target": lambda w: leading.set_target(w.seat, 2),
        "set a team": lambda w: leading.set_team(w.seat, 1),
        "make teams": lambda w: leading.make_teams(w.session, 2),
        "work on paper": lambda w: seats.put_on_paper(w.seat),
        "connect": lambda w: joining.set_connected(w.session.code, w.seat.number, True),
        "end the forgotten": lambda w: leading.end_forgotten(w.now + DAY),
        "sign in": lambda w: merge_guest(w.guest, w.learner),
        "sign in as another": lambda w: merge_guest(w.guest, Player(name="Noah", user=w.noah)),
        "sign in as nobody of the class": lambda w: merge_guest(w.guest, Player(name="Pat", user=w.guardian)),
        "sign in while waiting": lambda w: merge_guest(w.visitor, Player(name="Lina", user=w.lina)),
    },
    **{kind: _writers_in_room(kind) for kind in ACTIVITIES},
    "class": {
        "make": lambda w: make_classroom(w.teacher, "Class 9Z"),
        "change": lambda w: classes.change_class(w.classroom, by=w.teacher, name="2C", authorised_by="Somebody"),
        "new code": lambda w: classes.new_code(w.classroom, by=w.teacher),
        "archive": lambda w: classes.archive(w.classroom, by=w.teacher, ending=w.session.code),
        "restore": lambda w: classes.restore(w.classroom, by=w.teacher),
        "let new devices in": lambda w: devices.let_new_devices_in(w.classroom, by=w.teacher),
        "no new devices": lambda w: devices.stop_new_devices(w.classroom),
        "invite": lambda w: classes.invite(w.classroom, "somebody@people.example", by=w.teacher),
        "accept": lambda w: classes.accept(w.invitation, w.guardian),
        "cancel the invitation": lambda w: classes.cancel_invitation(w.invitation, by=w.colleague),
        "founder leaves": lambda w: classes.remove_teacher(w.classroom, w.teacher, by=w.teacher),
        "remove the colleague": lambda w: classes.remove_teacher(w.classroom, w.colleague, by=w.teacher),
        "colleague leaves": lambda w: classes.remove_teacher(w.classroom, w.colleague, by=w.colleague),
        "assign": lambda w: assignments.assign(w.classroom, by=w.teacher, task=Task.DAILY, now=NOW),
        "withdraw a task": lambda w: assignments.withdraw(w.task),
        "delete": lambda w: deleting.delete_class(w.classroom, by=w.teacher, now=timezone.now()),
        "delete and undo": delete_class_then_undo,
        "delete a teacher": lambda w: deleting.delete_adult(w.eva, now=timezone.now()),
        "delete the other": lambda w: deleting.delete_adult(w.fay, now=timezone.now()),
        "teacher leaves": lambda w: classes.remove_teacher(w.shared, w.eva, by=w.eva),
        "finish deletions": lambda w: deleting.finish_deletions(),
        "open a lesson": lambda w: leading.open_session(w.classroom, by=w.teacher, instead_of=w.session.code),
    },
    "student": {
        "add": lambda w: students.add_students(w.classroom, [students.NewStudent(real_name="Theo")], by=w.teacher),
        "add to theirs": lambda w: students.add_students(
            w.theirs, [students.NewStudent(real_name="Lina Haddad")], by=w.colleague
        ),
        "change a student": lambda w: students.change_student(
            w.places[2], by=w.teacher, real_name="Lina H.", display_name="Theo", group="Reds"
        ),
        "reset": lambda w: students.reset_student(w.lina, by=w.teacher, classroom=w.classroom),
        "renew all cards": lambda w: students.renew_cards(w.classroom, by=w.teacher),
        "offer": lambda w: students.offer_student(w.places[0], w.theirs, by=w.teacher),
        "accept": lambda w: students.accept_student(w.offer, by=w.colleague),
        "accept another": lambda w: students.accept_student(w.offer_too, by=w.colleague),
        "decline": lambda w: students.decline_student(w.offer, by=w.colleague),
        "move": lambda w: students.move_student(w.places[2], w.other, by=w.teacher),
        "take out": lambda w: students.remove_student(w.places[2], by=w.teacher),
        "take out of one class": lambda w: students.remove_student(w.places[1], by=w.teacher),
        "take out of the other": lambda w: students.remove_student(w.elsewhere, by=w.teacher),
        "delete a student": lambda w: deleting.delete_child(w.lina, by=w.teacher, now=timezone.now()),
        "delete and undo": delete_then_undo,
        "delete the class": lambda w: deleting.delete_class(w.classroom, by=w.teacher, now=timezone.now()),
        "delete the other class": lambda w: deleting.delete_class(w.other, by=w.teacher, now=timezone.now()),
        "delete theirs": lambda w: deleting.delete_class(w.theirs, by=w.colleague, now=timezone.now()),
        "propose a roster": lambda w: proposals.propose(w.classroom, [Row(line=1, real_name="Theo")], by=w.teacher),
        "choose of a roster": lambda w: proposals.choose(w.choice, proposals.listed_classes(w.choice)[0]),
        "read a roster in": lambda w: proposals.write_all(w.proposal, by=w.teacher),
        "read some of a roster in": lambda w: proposals.write_next(w.proposal, by=w.teacher),
        "cancel a roster": lambda w: w.proposal.delete(),
        "drop a roster": lambda w: proposals.forget_imports(timezone.now() + DAY),
        "assign to a student": lambda w: assignments.assign(
            w.classroom, by=w.teacher, task=Task.DAILY, now=NOW, enrolment=w.places[2]
        ),
        "sign in by pictures": lambda w: try_pictures(w, right=True),
        "wrong pictures": lambda w: try_pictures(w, right=False),
        "sign in by one's own pictures": lambda w: sign_in(w, by_card=False),
        "sign in by card": lambda w: sign_in(w, by_card=True),
    },
    "family": {
        "make a code": lambda w: guardians.make_code(w.noah, by=w.teacher),
        "use the code": lambda w: guardians.use_code(w.code, by=w.guardian),
        "use the code too": lambda w: guardians.use_code(w.code, by=w.partner),
        "unlink": lambda w: guardians.unlink(w.links[0], by=w.guardian),
        "unlink the other": lambda w: guardians.unlink(w.links[1], by=w.partner),
        "delete the guardian": lambda w: deleting.delete_adult(w.guardian, now=timezone.now()),
        "delete the partner": lambda w: deleting.delete_adult(w.partner, now=timezone.now()),
        "delete the child": lambda w: deleting.delete_child(w.child, by=w.guardian, now=timezone.now()),
        "make a child": lambda w: students.make_home_child("Yan", by=w.guardian),
        "consent": lambda w: consents.consent_to_child(w.child, by=w.guardian),
        "want letters": lambda w: guardians.set_letter(w.links[0], True),
        "stop letters": lambda w: guardians.stop_letters(w.guardian),
        "want summaries": lambda w: summary.set_summary(w.teacher, False),
        "weekly letters": lambda w: letters.send_weekly_letters(w.now),
        "summaries": lambda w: summary.send_friday_summaries(w.now),
        "send mail": lambda w: mail.send_waiting(),
        "put a mail off": put_mail_off,
        "confirm an address": lambda w: accounts.vouch_for(w.unconfirmed),
        "tally": lambda w: audit.tally(Action.FAILED_SIGN_IN, person=w.guardian),
    },
    "job": {
        "ask": lambda w: w._job(),
        "claim": lambda w: queue.claim(w.waiting.pk),
        "claim the next": lambda w: queue.claim_next(),
        "run": run_job,
        "deliver": lambda w: queue.complete(w.running, JobResult(file=b"made", name="made.pdf")),
        "deliver after all": lambda w: queue.complete(w.silent, JobResult(file=b"made", name="made.pdf")),
        "fail": lambda w: queue.fail(w.running, "It failed."),
        "beat": lambda w: queue.beat(w.silent),
        "stop": lambda w: queue.cancel(w.waiting),
        "stop a run": lambda w: (queue.cancel(w.running), queue.mark_cancelled(w.running)),
        "stop a silent run": lambda w: queue.cancel(w.silent),
        "mend": lambda w: queue.requeue_stale(timezone.now()),
        "forget": lambda w: queue.delete_old(timezone.now() - 7 * DAY),
        "remove all": lambda w: queue.remove(Job.objects.filter(user=w.teacher)),
    },
    "time": {
        "purge": lambda w: purging.purge(w.too_late),
        "undo the class": lambda w: deleting.undo_class(w.gone, by=w.teacher, now=w.just_in_time),
        "undo the student": lambda w: deleting.undo_child(w.uma, by=w.teacher, now=w.just_in_time),
        "undo the adult": lambda w: deleting.undo_adult(w.gus, now=w.just_in_time),
        "deliver to the deleted": lambda w: queue.complete(w.left_job, JobResult(file=b"made", name="made.pdf")),
        "answer of the deleted": lambda w: answer(w.left, "s1", w.now.timestamp()),
        "purge guests": lambda w: purging.purge_guests(w.now),
        "guest answers": lambda w: answer(w.stale, "s1", w.now.timestamp()),
        "guest gets help": lambda w: give_help(w.stale, PRACTICE, "h1", stages=3, now=w.now.timestamp()),
        "guest plays": lambda w: matches.command(w.stale_table, ask.Call(0), now=w.now.timestamp()),
        "guest is joined": lambda w: matches.join(w.stale_table, w.learner, now=w.now.timestamp()),
        "forget help": lambda w: forget_help(w.now - 30 * DAY),
        "forget tables": lambda w: matches.forget_abandoned(w.now - 30 * DAY),
        "forget codes": lambda w: purging.forget_codes(w.now + 100 * DAY),
        "forget devices": lambda w: devices.forget_old(w.now),
        "forget tries": lambda w: picture_guard.forget_old(w.now),
        "archive idle classes": lambda w: purging.archive_idle_classes(w.now),
        "use the idle class": lambda w: signing_in.touch(w.idle),
        "end archived classes": lambda w: archives.end_archived_classes(w.now),
        "restore who was told nothing": lambda w: classes.restore(w.untold, by=w.teacher),
        "restore the archived": lambda w: classes.restore(w.archived, by=w.teacher),
        "renew encryption": lambda w: renewing.renew_encryption(),
        "keep promises": lambda w: purging.keep_promises(w.now),
    },
}
