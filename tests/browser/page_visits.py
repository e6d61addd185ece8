"""Every page of the site with its visitors; URLs that aren't pages are listed at the end.

The URLs are checked against the resolver, so none can be forgotten. The same visits are used by axe, the HTML parser,
the gallery and the audit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from copy import copy
from datetime import timedelta
from itertools import combinations
from types import SimpleNamespace
from typing import Any
from unittest import mock

from django.core import mail
from django.core.mail import EmailMessage
from django.db.models import Model
from django.test import Client, override_settings
from django.utils import timezone

from classrooms.accounts.devices import fingerprint, remember
from classrooms.accounts.picture_guard import TOLD_FROM
from classrooms.accounts.signing_in import card_token
from classrooms.demo import PASSWORD
from classrooms.live import leading
from classrooms.live.activities import kinds
from classrooms.live.wall import wall_key
from classrooms.models import Classroom, Consent, DeviceStanding, PictureTry, Session, User
from classrooms.privacy.undo_mail import undo_token
from classrooms.reports.mailings import stop_token
from core.clients import browser_of
from core.help.topics import TOPICS
from core.mail import OutboxBackend
from core.models import OutgoingMail
from core.offload import OffloadFailed
from games import limits
from games.boards import front_board
from games.models import Way
from games.puzzles import PuzzleDeck, board_of
from games.rules import Card, Options, find_sets, is_set
from games.rules import commands as ask
from lessons.course.units import find_step
from lessons.models import LearningEvent
from lessons.progress.origins import PRACTICE, Origin
from lessons.questions import Exercise
from lessons.questions.course import Drill
from lessons.skills import ExerciseKind, Wanted
from lessons.tickets import Ticket
from setsite.admin.models import operators
from tests.browser.players import Game, open_game
from tests.browser.visits import Form, Visit
from tests.browser.world import Who, World, answer_triples
from tests.classrooms.live.lesson import Lesson
from tests.classrooms.people import prove_second_factor
from tests.lessons.test_learning import right_answer, wrong_answer
from tests.lessons.test_practice import forms_of

# The front page and pages about the site

BOARD = 7


def _no_set(board: Iterable[Card]) -> tuple[Card, ...]:
    return next(triple for triple in combinations(board, 3) if not is_set(*triple))


def _indices(cards: Iterable[Card]) -> list[int]:
    return [card.index for card in cards]


def _picked(cards: Iterable[Card]) -> str:
    return f"?board={BOARD}" + "".join(f"&card={index}" for index in _indices(cards))


def as_demo() -> AbstractContextManager[Any]:
    return override_settings(DEMO=True)


FRONT = [
    Visit("front"),
    Visit("front", state="in a demo", within=as_demo),
    Visit("front", state="a SET", query=_picked(find_sets(front_board(BOARD))[0])),
    Visit("front", state="not a SET", query=_picked(_no_set(front_board(BOARD)))),
    Visit("front", state="an example", query=f"?board={BOARD}&show=1"),
    Visit("front", state="too few cards", query=_picked(front_board(BOARD)[:2]), status=422),
    Visit("front", Who.STUDENT, state="signed in"),
    Visit("help"),
    *(Visit("help-topic", args=lambda world, slug=topic.slug: [slug], state=topic.slug) for topic in TOPICS),
    Visit("look"),
    Visit("look", state="a wrong form", sends=lambda world: {"theme": "plaid"}, status=422),
    Visit("style"),
    Visit("offline"),
    Visit("privacy:page"),
    Visit("privacy:children"),
]

# Learning

# One step for each kind of question, one that ends its unit with a game, and a page that isn't an exercise.
STEPS: dict[str, Callable[[Any], Form] | None] = {
    "same-or-different/not-a-set": lambda question: {},
    "cards/color-green": lambda question: {"value": "red"},
    "cards/number-changed": lambda question: {"feature": "color"},
    "cards/shape-squiggle": lambda question: {"cards": _indices(question.cards[:1])},
    "five-examples/fourth-decide": None,
    "magic-rule/say-it": None,
    "five-examples/fifth-tell": None,
    "third-card/first-try": None,
    "easy-start/with-hints": None,
    "full-deck/find-all": None,
    "full-deck/any-set": None,
    "the-play/pick": lambda question: {"cards": _indices(_no_set(question.played()[0].table))},
    "the-play/the-score": lambda question: {},
    "odds/twelve-cards": lambda question: {},
    "beyond/four-of-nine": lambda question: {"cards": _indices(question.deck[:2])},
    "beyond/magic-square": lambda question: {"cards": _indices(_no_set(question.cards))},
}
LARGEST_STEPS = ("beyond/sixteen-of-81", "the-play/fifteen-cards", "the-play/not-a-set", "five-examples/fifth-look")


def _step(place: str, answer: Callable[[Any], Form] | None) -> list[Visit]:
    unit, step = place.split("/")
    question = find_step(unit, step)[1].question

    def form(world: World) -> Form:
        if answer:
            return answer(question)
        is_drill = isinstance(question, Drill)
        wanted = question.wanted[0] if is_drill else question.exercise.wanted
        return _answer(
            Ticket(origin=Origin.of_place(place), wanted=wanted, seed="pages" if is_drill else "", **_SHOWN),
            wrong_answer,
        )

    arguments = lambda world: [unit, step]  # noqa: E731
    return [
        Visit("learn:step", args=arguments, state=place),
        Visit("learn:step", args=arguments, state=f"{place}, answered", sends=form),
    ]


_SHOWN = {"shown_at": time.time(), "hints": 1}


def _answer(ticket: Ticket, answer: Callable[[Exercise], Form]) -> Form:
    """The last form sent when answering an exercise."""
    *before, last = forms_of(ticket.question, answer(ticket.question))
    for form in before:
        ticket = ticket.with_found(tuple(form["cards"]))
    return {"ticket": ticket.sealed(), **last}


def _practice(kind: ExerciseKind) -> Visit:
    ticket = Ticket(origin=PRACTICE, wanted=Wanted(kind, 3), seed="pages", **_SHOWN)
    form = lambda world: _answer(ticket, right_answer)  # noqa: E731
    return Visit("learn:practice", Who.STUDENT, state=f"{kind}, right", sends=form)


LEARN = [
    Visit("learn:home", state="of a newcomer"),
    Visit("learn:home", Who.STUDENT),
    Visit("learn:me", state="of a newcomer"),
    Visit("learn:me", Who.STUDENT),
    Visit("learn:sheet", args=lambda world: ["is-set", "apple-6-fair"]),
    *(visit for place, answer in STEPS.items() for visit in _step(place, answer)),
    *(Visit("learn:step", args=lambda world, at=place: at.split("/"), state=place) for place in LARGEST_STEPS),
    Visit("learn:practice"),
    *map(_practice, ExerciseKind),
]

# Playing


def _board_today() -> tuple[Card, ...]:
    return board_of(timezone.now().date(), PuzzleDeck.FULL)


def _find(cards: Iterable[Card]) -> Form:
    return {"card": _indices(cards), "day": timezone.now().date().isoformat()}


def find_all_but_one(world: World, client: Client) -> None:
    for triple in find_sets(_board_today())[:-1]:
        client.post("/play/daily/full/find/", _find(triple))


def table(*moves: Callable[[Game], object], dealt: bool = True) -> Callable[[World], list[str]]:
    """A new match of Mia and Noah after these moves."""

    def made(world: World) -> list[str]:
        players = [world.player(0), world.player(1)]
        game = open_game("", players, options=Options.of("us", easy=True, window=60.0), dealt=dealt)
        for move in moves:
            move(game)
        return [game.code]

    return made


def orders(*each: ask.Command) -> Callable[[Game], None]:
    return lambda game: [game.do(order) for order in each] and None


def reveal(seat: int, *, right: bool) -> Callable[[Game], None]:
    """Make a pick with a time in the near future, so that it stays shown long enough to look at."""

    def pick(game: Game) -> None:
        soon = time.time() + 50
        game.do(ask.Call(seat), now=soon)
        game.do(ask.Pick(seat, game.a_set() if right else game.no_set()), now=soon)

    return pick


def practice_table(world: World) -> list[str]:
    options = Options.of("us", window=None, quick=True, relaxed=True)
    return [open_game("", [world.player()], options=options, way=Way.PRACTICE).code]


def replayed(world: World) -> list[str]:
    return [world.replayed.code]


PLAY = [
    Visit("play:lobby"),
    Visit("play:lobby", Who.STUDENT, state="with games of mine", args=lambda world: table()(world) and []),
    Visit("play:find", state="a wrong code", sends=lambda world: {"code": "XXXXX"}, status=422),
    Visit("play:open", args=lambda world: ["computer"], state="a wrong form", sends=lambda world: {}, status=422),
    Visit("play:table", Who.STUDENT, table(dealt=False), "waiting"),
    Visit("play:table", Who.STUDENT, table(), "playing"),
    Visit("play:table", Who.STUDENT, table(orders(ask.AgreeNoSet(0))), "agreed"),
    Visit("play:table", Who.STUDENT, table(orders(ask.Call(1))), "called by another"),
    Visit("play:table", Who.STUDENT, table(orders(ask.Call(0))), "called by me"),
    Visit("play:table", Who.STUDENT, table(reveal(1, right=False)), "a wrong pick"),
    Visit("play:table", Who.STUDENT, table(reveal(0, right=True)), "a right pick"),
    Visit("play:table", Who.STUDENT, table(Game.play_out), "over"),
    Visit("play:table", Who.GUEST, table(), "watched"),
    Visit("play:call", Who.STUDENT, table(), "a call too late", sends=lambda world: {"version": "999"}, status=422),
    Visit("play:hint", Who.STUDENT, practice_table, "the last hint", query="?stage=4"),
    Visit("play:replay", Who.STUDENT, replayed, "the deal", query="?step=1"),
    Visit("play:replay", Who.STUDENT, replayed, "a wrong pick", query="?step=3"),
    Visit("play:replay", Who.STUDENT, replayed, "a right pick", query="?step=5"),
    Visit("play:replay", Who.STUDENT, replayed, "the end", query="?step=100"),
    Visit("play:daily", args=lambda world: ["full"]),
    Visit("play:daily", args=lambda world: ["easy"], state="nine cards"),
    Visit(
        "play:daily-find",
        args=lambda world: ["full"],
        state="not a SET",
        sends=lambda world: _find(_no_set(_board_today())),
    ),
    Visit(
        "play:daily-find",
        args=lambda world: ["full"],
        state="all found",
        first=find_all_but_one,
        sends=lambda world: _find(find_sets(_board_today())[-1]),
    ),
    Visit("lab:lab"),
    Visit("lab:lab", state="a wrong form", sends=lambda world: {"what": "games", "cards": "13"}, status=422),
    Visit("jobs:jobs"),
    Visit("jobs:jobs", Who.STUDENT, state="with jobs of mine"),
    Visit("jobs:job", Who.STUDENT, lambda world: [world.waiting_job.pk], "waiting"),
    Visit("jobs:job", Who.STUDENT, lambda world: [world.job.pk], "done"),
    Visit("print:home"),
    Visit("print:home", Who.TEACHER),
    Visit("print:deck"),
    Visit("print:worksheet"),
    Visit("print:certificate", state="none yet"),
    Visit("print:certificate", Who.STUDENT),
]

# A class and its lessons


def in_class(world: World) -> list[Any]:
    return [world.classroom.pk]


def in_empty_class(world: World) -> list[Any]:
    return [world.empty_class.pk]


def of_student(world: World) -> list[Any]:
    return [world.classroom.pk, world.mia.pk]


def door(world: World) -> list[Any]:
    return [world.classroom.code, world.mia.pk]


def taps(*pictures: str) -> Callable[[World], Form]:
    return lambda world: {"tapped": pictures[:-1], "picture": pictures[-1]}


def wrong_codes(world: World, client: Client) -> None:
    for _each in range(11):
        client.post("/join/", {"code": "XXXXXXX"})


def within_a_minute() -> AbstractContextManager[Any]:
    """Avoid the end of a minute, because codes are counted per minute."""
    moment = time.time()
    return mock.patch.object(limits, "time", SimpleNamespace(time=lambda: moment))


def on_a_new_device() -> AbstractContextManager[Any]:
    return mock.patch("classrooms.accounts.devices.lets_new_devices_in", return_value=False)


def after_many_tries() -> AbstractContextManager[Any]:
    return mock.patch("classrooms.accounts.picture_guard.Budget.allows", return_value=False)


def is_known_here(world: World, client: Client) -> None:
    client.get("/join/")
    cookies = SimpleNamespace(COOKIES={name: morsel.value for name, morsel in client.cookies.items()})
    remember(world.mia.student, fingerprint(browser_of(cookies)))


def scans_card(world: World, client: Client) -> None:
    client.get(f"/join/card/{card_token(world.mia.student)}/")


JOIN = [
    Visit("join:home"),
    Visit("join:home", state="a device of the class", first=is_known_here),
    Visit("join:home", state="away for too long", query="?away=1"),
    Visit("join:home", state="a wrong code", sends=lambda world: {"code": "XXXXXXX"}, status=422),
    Visit(
        "join:home",
        state="many codes",
        first=wrong_codes,
        sends=lambda world: {"code": "XXXXXXX"},
        status=429,
        within=within_a_minute,
    ),
    Visit("join:class", args=lambda world: [world.classroom.code]),
    Visit("join:pictures", args=door),
    Visit("join:pictures", args=door, state="two tapped", sends=taps("sun", "sun")),
    Visit("join:pictures", args=door, state="wrong pictures", sends=taps("sun", "sun", "sun"), status=422),
    Visit("join:pictures", args=door, state="a new device", within=on_a_new_device),
    Visit(
        "join:pictures",
        args=door,
        state="too many tries",
        sends=taps("sun", "sun", "sun"),
        status=429,
        within=after_many_tries,
    ),
    Visit("join:card", args=lambda world: ["none"], state="an old card", status=404),
    Visit("join:card-tap", first=scans_card),
]


def lesson(
    kind: str = "", then: Callable[[Lesson], object] | None = None, **options: str
) -> Callable[[World], list[Any]]:
    """Start the class's lesson with an activity that has just begun."""

    def made(world: World) -> list[Any]:
        session = world.lesson.session
        leading.resume(session)
        if kind:
            form = kinds()[kind].form(options)
            assert form.is_valid(), form.errors
            leading.begin(session, kind, form.cleaned_data)
        if then:
            then(world.lesson)
        return [session.code]

    return made


def wall(kind: str = "") -> Callable[[World], list[Any]]:
    """The projector's own URL, for a browser where nobody is signed in."""
    return lambda world: [*lesson(kind)(world), wall_key(world.lesson.session)]


def was_never_asked(world: World, client: Client) -> None:
    Consent.objects.filter(child=world.home_child).delete()


def past_lesson(world: World) -> list[Any]:
    return [world.past_lesson.code]


def trying_lesson(world: World) -> list[Any]:
    return [world.trying_lesson.code]


def at_the_door(
    then: Callable[[Lesson, Client], object] | None = None, **session: bool
) -> Callable[[World, Client], None]:
    """Somebody comes to a lesson whose entry is in this state."""

    def come(world: World, client: Client) -> None:
        rows = Session.objects.filter(code=world.trying_lesson.code)
        rows.update(**{"is_locked": False, "guests_wait": False, **session})
        if then:
            then(world.trying_lesson, client)

    return come


def asks_as_guest(lesson: Lesson, client: Client) -> None:
    client.post(f"/session/{lesson.code}/join/")


def is_taken_out(lesson: Lesson, client: Client) -> None:
    asks_as_guest(lesson, client)
    lesson.seat(len(lesson.seats) - 1, "remove")


def make_teams(lesson: Lesson) -> None:
    leading.make_teams(lesson.session, 3)


def without_room() -> AbstractContextManager[Any]:
    return mock.patch("classrooms.live.seats.has_room", return_value=False)


LESSON_STATES = {
    "nothing begun": lesson("triples", then=lambda lesson: lesson.steer("finish")),
    "triples": lesson("triples"),
    "triples, revealed": lesson("triples", then=answer_triples),
    "paused": lesson("triples", then=lambda lesson: lesson.order("pause")),
    "silent board": lesson("board", deck="full", size="12"),
    "silent board, revealed": lesson("board", deck="full", size="12", then=lambda lesson: lesson.steer("reveal")),
    "box": lesson("box", window="10"),
    "box, called": lesson("box", window="", then=lambda lesson: lesson.act(0, do="call")),
    "tables": lesson("tables", size="2", how="chance"),
    "relay": lesson("relay", deck="full", links="5"),
    "builder": lesson("builder", deck="easy"),
    "unit": lesson("unit", unit="magic-rule"),
    "over": past_lesson,
}
LESSON = [
    Visit("session:device", args=lesson(), state="the door"),
    Visit("session:device", Who.NEWCOMER, lesson(), "not of the class"),
    *(
        Visit(name, who, args, state)
        for state, args in LESSON_STATES.items()
        for name, who in (
            ("session:device", Who.STUDENT),
            ("lead:remote", Who.TEACHER),
            ("lead:projector", Who.TEACHER),
        )
    ),
    Visit(
        "session:device",
        args=trying_lesson,
        state="waits to be let in",
        first=at_the_door(asks_as_guest, guests_wait=True),
    ),
    Visit("session:device", args=trying_lesson, state="taken out", first=at_the_door(is_taken_out)),
    Visit("session:device", args=trying_lesson, state="the door is closed", first=at_the_door(is_locked=True)),
    Visit("session:device", args=trying_lesson, state="full", first=at_the_door(), within=without_room),
    Visit("lead:remote", Who.TEACHER, trying_lesson, "who comes and goes", first=at_the_door(guests_wait=True)),
    Visit("lead:open", Who.TEACHER, in_class, "a lesson is running"),
    Visit("lead:end", Who.TEACHER, lesson("triples")),
    Visit("teach:archive", Who.TEACHER, in_class, "a lesson is running"),
    Visit("session:paper", Who.STUDENT, lesson("triples", then=lambda lesson: lesson.seat(0, "paper"))),
    Visit("lead:remote", Who.TEACHER, lesson(then=make_teams), "teams"),
    Visit("wall:screen", args=wall(), state="nobody is signed in"),
    Visit("lead:report", Who.TEACHER, past_lesson),
]


def in_trying_class(world: World) -> list[Any]:
    return [world.trying_class.pk]


def in_archived_class(world: World) -> list[Any]:
    return [world.archived_class.pk]


def of_offered_student(world: World) -> list[Any]:
    return [world.trying_class.pk, world.trying_class.enrolments.get(hand_over__isnull=False).pk]


def somebody_guesses(world: World, client: Client) -> None:
    student = world.trying_class.enrolments.get(real_name="Ida Berg").student
    tried = PictureTry(student=student, classroom=world.trying_class, standing=DeviceStanding.NEW)
    PictureTry.objects.bulk_create([copy(tried) for _try in range(TOLD_FROM)])


def keeps_new_devices_out(world: World, client: Client) -> None:
    Classroom.objects.filter(pk=world.empty_class.pk).update(new_devices_until=None, code="ZZZZZ")


def makes_archive_old(world: World, client: Client) -> None:
    ends_at = timezone.now() + timedelta(days=20)
    Classroom.objects.filter(pk=world.archived_class.pk).update(ends_at=ends_at)


TEACH = [
    Visit("teach:home", Who.TEACHER),
    Visit("teach:home", Who.NEWCOMER, state="no class yet"),
    Visit("teach:new", Who.TEACHER),
    Visit("teach:new", Who.TEACHER, state="a wrong form", sends=lambda world: {"name": ""}, status=422),
    Visit("teach:invitation", Who.NEWCOMER, lambda world: [world.invitation]),
    Visit("teach:invitation", Who.NEWCOMER, lambda world: ["none"], "over", status=404),
    Visit("teach:invitation", Who.GUARDIAN, lambda world: [world.invitation], "for another address", status=403),
    Visit("teach:renew-access", Who.TEACHER, in_class),
    Visit("teach:settings", Who.TEACHER, in_class),
    Visit("teach:settings", Who.TEACHER, in_empty_class, "somebody is invited"),
    Visit("teach:settings", Who.TEACHER, in_trying_class, "two teachers"),
    Visit("teach:invite", Who.TEACHER, in_class, "a wrong form", sends=lambda world: {"email": "?"}, status=422),
    Visit("teach:roster", Who.TEACHER, in_class),
    Visit("teach:roster", Who.TEACHER, in_empty_class, "no students yet"),
    Visit(
        "teach:roster-paste", Who.TEACHER, in_class, "refused", sends=lambda w: {"names": "=HYPERLINK(1)"}, status=422
    ),
    Visit("teach:roster-import", Who.TEACHER, in_class, "no file", sends=lambda world: {}, status=422),
    Visit("teach:roster-plan", Who.TEACHER, lambda world: [world.classroom.pk, world.plan.pk]),
    Visit("teach:roster-plan", Who.TEACHER, lambda world: [world.empty_class.pk, world.choice.pk], "several classes"),
    Visit(
        "teach:roster-choose",
        Who.TEACHER,
        lambda world: [world.empty_class.pk, world.choice.pk],
        "none chosen",
        sends=lambda world: {},
        status=422,
    ),
    Visit("teach:codes", Who.TEACHER, in_class, "slips for guardians", sends=lambda world: {}),
    Visit("teach:student-code", Who.TEACHER, of_student, "one slip", sends=lambda world: {}),
    Visit("teach:student", Who.TEACHER, of_student),
    Visit("teach:student-edit", Who.TEACHER, of_student),
    Visit("teach:student-edit", Who.TEACHER, of_student, "a wrong form", sends=lambda world: {}, status=422),
    Visit("teach:student-edit", Who.TEACHER, of_offered_student, "offered to another class"),
    Visit("teach:student-pictures", Who.TEACHER, of_student),
    Visit("teach:student-move", Who.TEACHER, of_student, "a wrong code", sends=lambda w: {"code": "X"}, status=422),
    Visit("teach:student-remove", Who.TEACHER, of_student),
    Visit("teach:class", Who.TEACHER, in_class),
    Visit("teach:class", Who.TEACHER, in_empty_class, "no students yet"),
    Visit("teach:class", Who.TEACHER, in_trying_class, "guessed pictures and an offer", first=somebody_guesses),
    Visit("teach:class", Who.TEACHER, in_empty_class, "new devices wait", first=keeps_new_devices_out),
    Visit("teach:class", Who.TEACHER, in_archived_class, "in the archive", first=makes_archive_old),
    Visit("teach:print", Who.TEACHER, in_class),
    Visit("teach:ledger", Who.TEACHER, in_class),
    Visit("teach:ledger", Who.TEACHER, in_empty_class, "nothing yet"),
    Visit("teach:assignments", Who.TEACHER, in_class),
    Visit("teach:assignments", Who.TEACHER, in_empty_class, "nobody to ask yet"),
    Visit(
        "teach:assign",
        Who.TEACHER,
        lambda world: [world.classroom.pk, "boards"],
        "a wrong form",
        sends=lambda world: {},
        status=422,
    ),
    Visit("print:certificates", Who.TEACHER, in_class),
    Visit("print:certificates", Who.TEACHER, in_empty_class, "none yet"),
    Visit("privacy:log", Who.TEACHER, in_class),
    Visit("privacy:export-class", Who.TEACHER, in_class),
    Visit("privacy:delete-class", Who.TEACHER, in_class),
]

# Families, and one's own account


def of_mia(world: World) -> list[Any]:
    return [world.mia.student_id]


def of_home_child(world: World) -> list[Any]:
    return [world.home_child.pk]


FAMILY = [
    Visit("family:home", Who.GUARDIAN),
    Visit("family:home", Who.NEWCOMER, state="no child yet"),
    Visit("family:home", Who.GUARDIAN, state="consent is missing", first=was_never_asked),
    Visit("family:code", Who.GUARDIAN, state="a wrong code", sends=lambda world: {"code": "WRONG-CODES"}, status=422),
    Visit("family:new-child", Who.GUARDIAN, state="no name", sends=lambda world: {}, status=422),
    Visit("family:child", Who.GUARDIAN, of_mia),
    Visit("family:child", Who.GUARDIAN, of_home_child, "an account at home"),
    Visit("family:activity", Who.GUARDIAN, of_mia),
    Visit("family:unlink", Who.GUARDIAN, of_mia),
    Visit("family:unlink", Who.GUARDIAN, of_home_child, "the last guardian", sends=lambda world: {}, status=422),
    Visit("family:invite", Who.GUARDIAN, of_home_child, "a code", sends=lambda world: {}),
    Visit("family:card", Who.GUARDIAN, of_home_child, "the login card", sends=lambda world: {}),
    Visit("family:letters-stop", args=lambda world: [stop_token(world.users[Who.GUARDIAN])]),
    Visit("privacy:export-child", Who.GUARDIAN, of_mia),
    Visit("privacy:export-child", Who.TEACHER, of_mia),
    Visit("privacy:delete-child", Who.GUARDIAN, of_home_child),
]


def signs_up(world: World, client: Client) -> None:
    form = {"display_name": "Ada", "email": f"ada{time.time()}@people.example", "password1": PASSWORD}
    client.post("/account/signup/", form | {"is_adult": "yes"})


def asks_for_password(world: World, client: Client) -> None:
    client.post("/account/password/reset/", {"email": "new@people.example"})


def proves_address(world: World, client: Client) -> None:
    asks_for_password(world, client)
    code = next(line for line in mail.outbox[-1].body.splitlines() if len(line) == 9 and line[4] == "-")
    client.post("/account/password/reset/confirm/", {"code": code})


def signs_in_halfway(world: World, client: Client) -> None:
    client.post("/account/login/", {"login": "careful@people.example", "password": PASSWORD})


ACCOUNT = [
    Visit("account", Who.TEACHER),
    Visit("account", Who.GUARDIAN),
    Visit("account", Who.STUDENT),
    Visit("account", Who.NEWCOMER, state="new"),
    Visit("account_login"),
    Visit(
        "account_login",
        state="a wrong password",
        sends=lambda world: {"login": "nobody@people.example", "password": "wrong, all wrong"},
    ),
    Visit("account_logout", Who.TEACHER),
    Visit("account_inactive"),
    Visit("account_signup"),
    Visit("account_signup", state="a wrong form", sends=lambda world: {"email": "?"}),
    Visit("account_signup", state="no adult", sends=lambda world: {"is_adult": "no"}),
    Visit("account_email_verification_sent", state="a code in the mail", first=signs_up),
    Visit("account_reset_password"),
    Visit("account_confirm_password_reset_code", first=asks_for_password),
    Visit("account_complete_password_reset", first=proves_address),
    Visit("account_password_reset_completed"),
    Visit("account_reauthenticate", Who.TEACHER),
    Visit("account_email", Who.TEACHER),
    Visit("account_change_password", Who.TEACHER),
    Visit("mfa_index", Who.TEACHER),
    Visit("mfa_index", Who.CAREFUL, state="two steps"),
    Visit("mfa_authenticate", first=signs_in_halfway),
    Visit("mfa_reauthenticate", Who.CAREFUL),
    Visit("mfa_activate_totp", Who.TEACHER),
    Visit("mfa_deactivate_totp", Who.CAREFUL),
    Visit("mfa_view_recovery_codes", Who.CAREFUL),
    Visit("mfa_generate_recovery_codes", Who.CAREFUL),
    Visit("privacy:export-me", Who.TEACHER),
    Visit("privacy:delete-me", Who.TEACHER),
    Visit("privacy:delete-me", Who.TEACHER, state="still needed", sends=lambda world: {}, status=422),
    Visit("privacy:undo", Who.TEACHER),
    Visit("privacy:undo", Who.NEWCOMER, state="nothing deleted"),
    Visit("privacy:undo-me", args=lambda world: [undo_token(world.gone_adult)]),
    Visit("privacy:undo-me", args=lambda world: ["none"], state="over", status=404),
    Visit("mail"),
]

# The admin


def _prove_yesterday(world: World, client: Client) -> None:
    prove_second_factor(client, world.users[Who.OPERATOR], seconds_ago=86_400)


def _row(model: type[Model]) -> Callable[[World], list[Any]]:
    def key(world: World) -> list[Any]:
        if model is User:
            return [world.users[Who.TEACHER].pk]
        if model is OutgoingMail:
            OutboxBackend().send_messages([EmailMessage("A letter", "Words", to=["a@people.example"])])
        return [model._default_manager.order_by("pk").first().pk]

    return key


def _tables() -> Iterator[Visit]:
    for model in operators._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield Visit(f"{name}_changelist", Who.OPERATOR)
        yield Visit(f"{name}_change", Who.OPERATOR, _row(model))


TABLES = list(_tables())
"""The admin's pages, which come from two templates; `ADMIN` has one of each."""
ADMIN = [
    Visit("admin:index", Who.OPERATOR),
    Visit("admin:index", Who.HASTY, state="no second step", status=403),
    Visit("admin:index", Who.OPERATOR, state="too long ago", first=_prove_yesterday, status=403),
    *(each for each in TABLES if each.name.startswith("admin:classrooms_user_")),
    Visit("admin:lessons_learningevent_change", Who.OPERATOR, _row(LearningEvent)),
]
TABLES = [each for each in TABLES if each.name not in {visit.name for visit in ADMIN}]

# Error pages


def very_busy() -> AbstractContextManager[Any]:
    return mock.patch("games.views.front.front_board", side_effect=OffloadFailed("as a visit asked for"))


def with_few_sign_ups() -> AbstractContextManager[Any]:
    return override_settings(ACCOUNT_RATE_LIMITS={"signup": "1/10m/ip"})


def broken() -> AbstractContextManager[Any]:
    return mock.patch("games.views.front.front_board", side_effect=RuntimeError("as a visit asked for"))


ERRORS = [
    Visit("/nowhere/", state="no such page", status=404),
    Visit("/play/find/", state="nothing to see", status=405),
    Visit("/look/language/", state="makes no sense", sends=lambda world: {"language": "x"}, status=422),
    Visit("/", state="something broke", within=broken, status=500),
    Visit("/", state="busy", within=very_busy, status=503),
    Visit(
        "/account/signup/",
        state="too many sign-ups",
        first=lambda world, client: client.post("/account/signup/"),
        sends=lambda world: {},
        within=with_few_sign_ups,
        status=429,
    ),
]

PAGES: dict[str, list[Visit]] = {
    "Front": FRONT,
    "Learn": LEARN,
    "Play": PLAY,
    "Join": JOIN,
    "Lesson": LESSON,
    "Teach": TEACH,
    "Family": FAMILY,
    "Account": ACCOUNT,
    "Admin": ADMIN,
    "Errors": ERRORS,
}

# URLs that aren't pages

ONLY_POSTED = {
    *(f"play:{deed}" for deed in ("join", "deal", "pick", "withdraw", "no-set", "take-back", "leave", "again")),
    *(f"teach:{deed}" for deed in ("summary", "code", "restore", "remove-teacher", "withdraw")),
    *(f"teach:{deed}" for deed in ("roster-apply", "roster-cancel", "student-reset", "student-unlink")),
    *(f"lead:{deed}" for deed in ("order", "teams", "paper-seats", "admit", "seat", "begin", "steer")),
    *(f"family:{deed}" for deed in ("letter", "reset", "consent")),
    "teach:cancel-invitation",
    *(f"teach:{deed}" for deed in ("new-devices", "new-devices-stop")),
    *(f"teach:hand-over-{deed}" for deed in ("cancel", "accept", "decline")),
    *(f"privacy:undo-{what}" for what in ("child", "class")),
    "session:join",
    "session:act",
    "jobs:stop",
    "language",
    "enter-demo",
}
FILES = [
    Visit("manifest"),
    Visit("worker"),
    Visit("learn:ahead"),
    Visit("learn:later"),
    Visit("play:daily-picture", args=lambda world: ["full"]),
    Visit("lab:data", Who.STUDENT, lambda world: [world.job.pk, "json"]),
    Visit("jobs:file", Who.STUDENT, lambda world: [world.print_job.pk]),
    Visit("teach:cards", Who.TEACHER, in_class),
    Visit("teach:report-csv", Who.TEACHER, in_class),
    Visit("teach:report-xlsx", Who.TEACHER, in_class),
    Visit("lead:report-csv", Who.TEACHER, past_lesson),
    Visit("lead:report-xlsx", Who.TEACHER, past_lesson),
    Visit("lead:paper", Who.TEACHER, past_lesson),
    Visit("mfa_download_recovery_codes", Who.CAREFUL),
]
PARTS = [
    Visit("session:part", Who.STUDENT, lesson("triples")),
    Visit("session:door", Who.NEWCOMER, lesson()),
    Visit("lead:remote-part", Who.TEACHER, lesson("triples")),
    Visit("lead:projector-part", Who.TEACHER, lesson("triples")),
    Visit("wall:part", args=wall("triples")),
]
LEADING_ON = [
    Visit("landing", Who.TEACHER),
    Visit("account_confirm_login_code"),
    Visit("account_set_password", Who.TEACHER),
]
