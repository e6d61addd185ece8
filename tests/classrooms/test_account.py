"""Accounts: who sees what of whom, signing in and out, and what is kept of a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import pytest
from django.contrib.auth import get_user
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from classrooms.models import Classroom, Enrolment, Guardianship, Kind, User
from games import matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options, find_sets
from games.rules import commands as ask
from games.rules.state import Phase

pytestmark = pytest.mark.django_db

NOW = 1_800_000_000.0
PASSWORD = "under the third oval"  # noqa: S105 (nobody's)


def teacher(name: str = "Ms. Rivera", email: str = "rivera@school.example", password: str | None = None) -> User:
    return User.objects.create_adult(email=email, display_name=name, password=password)


def class_of(owner: User, name: str = "Class 2B", code: str = "MAPLE2B") -> Classroom:
    classroom = Classroom.objects.create(name=name, code=code, edition="us")
    classroom.teachers.add(owner)
    return classroom


def student(classroom: Classroom, name: str, real_name: str) -> User:
    user = User.objects.create_student(display_name=name)
    Enrolment.objects.create(classroom=classroom, student=user, real_name=real_name)
    return user


def guardian_of(child: User) -> User:
    guardian = teacher("Mr. Green", f"of-{child.pk}@home.example")
    Guardianship.objects.create(guardian=guardian, child=child)
    return guardian


def open_game(*players: User) -> Match:
    first, *others = [Player(name=player.display_name, user=player) for player in players]
    options = Options.of("us", easy=True, quick=True)
    match = matches.open_match(way=Way.TOGETHER, options=options, player=first, seed="account", now=NOW)
    for player in others:
        matches.join(match.code, player, now=NOW)
    matches.command(match.code, ask.Deal(0), now=NOW)
    return match


def won_by(winner: User, *others: User) -> Match:
    """A game of 27 cards in which the first takes every SET."""
    match = open_game(winner, *others)
    state = match.state
    while state.phase is not Phase.OVER:
        state = Match.objects.get(pk=match.pk).state
        if sets := find_sets(state.table):
            orders = [ask.Pick(0, sets[0])]
        else:
            orders = [ask.AgreeNoSet(seat) for seat in sorted(state.voters)]
        for order in orders:
            state = matches.command(match.code, order, now=NOW).state
    return match


def broken_off(*players: User) -> Match:
    """A game that all have left: over, and nobody's win."""
    match = open_game(*players)
    for seat in range(len(players)):
        matches.command(match.code, ask.Leave(seat), now=NOW)
    return match


def page_for(client, user: User):
    client.force_login(user)
    return client.get("/account/")


def text_of(response) -> str:
    main = response.text.partition("<main")[2].partition("</main>")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def rows(response) -> list[tuple[str, str, int, int]]:
    """Of each student in the teacher's table: real name, name on screens, games and wins."""
    cells = re.findall(
        r'<th scope="row">(.*?)</th>\s*<td>(.*?)</td>\s*<td class="number">(\d+)</td>\s*<td class="number">(\d+)</td>',
        response.text,
    )
    return [(real, name, int(games), int(won)) for real, name, games, won in cells]


def games_listed(response) -> int:
    return response.text.count('<span class="game-score">')


@dataclass(frozen=True)
class School:
    rivera: User
    classroom: Classroom
    mia: User
    noah: User


@pytest.fixture
def school() -> School:
    """A teacher's class of two, who have played alone and together."""
    rivera = teacher()
    classroom = class_of(rivera)
    mia = student(classroom, "Mia", "Mia Okafor")
    noah = student(classroom, "Noah", "Noah Brandt")
    broken_off(mia)
    won_by(mia, noah)
    broken_off(noah)
    return School(rivera, classroom, mia, noah)


# Who sees what


def test_anonymous_is_sent_to_sign_in_and_back(client):
    response = client.get("/account/?tab=games")
    assert response.status_code == 302
    assert response.headers["Location"] == "/account/sign-in/?next=/account/%3Ftab%3Dgames"


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_the_account_is_only_looked_at(client, method):
    client.force_login(teacher())
    response = getattr(client, method)("/account/")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


def test_a_teacher_sees_the_class_with_real_names_and_numbers(client, school):
    response = page_for(client, school.rivera)
    assert "Class 2B" in text_of(response)
    assert rows(response) == [("Mia Okafor", "Mia", 2, 1), ("Noah Brandt", "Noah", 2, 0)]


def test_a_game_that_is_still_on_does_not_count(client, school):
    open_game(school.noah)
    assert rows(page_for(client, school.rivera))[1] == ("Noah Brandt", "Noah", 2, 0)


def test_a_teacher_does_not_see_the_class_of_another(client, school):
    other = teacher("Mr. Stone", "stone@school.example")
    student(class_of(other, "Class 3A", "ALDER3A"), "Zoe", "Zoe Stern")
    text = text_of(page_for(client, other))
    assert "Class 3A" in text
    assert "Zoe Stern" in text
    for hidden in ("Class 2B", "Mia", "Noah", "Okafor", "Brandt"):
        assert hidden not in text


def test_a_guardian_sees_the_games_of_the_own_child_only(client, school):
    guardian_of(school.noah)
    response = page_for(client, guardian_of(school.mia))
    assert re.findall(r"<h2>(.*?)</h2>", response.text) == ["Mia"]
    assert games_listed(response) == 2
    assert "Noah" in text_of(response), "whom the child has played with has a name on screens"


def test_a_guardian_sees_no_real_names_and_no_class(client, school):
    text = text_of(page_for(client, guardian_of(school.mia)))
    for hidden in ("Class 2B", "Mia Okafor", "Noah Brandt", "Brandt"):
        assert hidden not in text


def test_a_student_sees_own_games_only(client, school):
    response = page_for(client, school.noah)
    assert re.findall(r"<h2>(.*?)</h2>", response.text) == ["My games"]
    assert games_listed(response) == 2
    for hidden in ("Class 2B", "Mia Okafor", "Noah Brandt"):
        assert hidden not in text_of(response)


def test_who_has_played_nothing_is_told_so(client, school):
    newcomer = student(school.classroom, "Lina", "Lina Haddad")
    response = page_for(client, newcomer)
    assert "You have not finished a game yet." in text_of(response)
    assert games_listed(response) == 0


def test_a_game_is_told_with_points_rivals_and_who_won(client, school):
    won = Match.objects.get(seats__user=school.noah, seats__number=1)
    points = won.state.seats[0].points
    assert f"together {points} points · Noah 0 won" in text_of(page_for(client, school.mia))
    assert f"together 0 points · Mia {points}" in text_of(page_for(client, school.noah))
    assert "won" not in text_of(page_for(client, school.noah))


def test_the_newest_game_comes_first(client, school):
    later = NOW + 40 * 86_400
    match = open_game(school.noah)
    matches.command(match.code, ask.Leave(0), now=later)
    about = page_for(client, school.noah).context["about"]
    assert about.own.games[0].code == match.code
    assert about.own.games[0].ended.timestamp() == later


def test_names_are_written_as_names_and_not_as_markup(client, school):
    student(school.classroom, "<i>Eve</i>", "<script>alert(1)</script>")
    text = page_for(client, school.rivera).text
    assert "<script>alert" not in text
    assert "&lt;i&gt;Eve&lt;/i&gt;" in text


def test_a_class_of_thirty_takes_as_many_queries_as_a_class_of_three(client):
    rivera = teacher()
    classroom = class_of(rivera)

    def grow(names) -> None:
        for name in names:
            broken_off(student(classroom, f"S{name}", f"Student {name:02}"))

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            response = client.get("/account/")
        assert len(rows(response)) == classroom.enrolments.count()
        assert all(games == 1 for _, _, games, _ in rows(response))
        return len(asked)

    client.force_login(rivera)
    grow(range(3))
    with_three = queries()
    grow(range(3, 30))
    assert queries() == with_three


# Signing in and out


@pytest.fixture
def rivera() -> User:
    return teacher(password=PASSWORD)


def sign_in(client, *, email="rivera@school.example", password=PASSWORD, query=""):
    return client.post(f"/account/sign-in/{query}", {"username": email, "password": password})


def test_an_address_and_its_password_sign_in(client, rivera):
    assert client.get("/account/sign-in/").status_code == 200
    response = sign_in(client)
    assert (response.status_code, response.headers["Location"]) == (302, "/account/")
    assert get_user(client) == rivera
    assert client.cookies["sessionid"]["httponly"]


def test_signing_in_leads_to_where_one_wanted_to_go_but_to_no_other_site(client, rivera):
    assert sign_in(client, query="?next=/%3Fboard%3D7").headers["Location"] == "/?board=7"
    assert sign_in(client, query="?next=https://elsewhere.example/").headers["Location"] == "/account/"


@pytest.mark.parametrize(
    "wrong", [{"password": "twelve cards"}, {"email": "somebody@school.example"}, {"password": PASSWORD.upper()}]
)
def test_a_wrong_password_or_address_is_told_with_the_form_and_without_saying_which(client, rivera, wrong):
    response = sign_in(client, **wrong)
    assert response.status_code == 422
    assert "Please enter a correct email and password." in text_of(response)
    assert 'type="password"' in response.text
    assert get_user(client).is_anonymous


def test_a_student_has_no_password_to_sign_in_with(client, school):
    for email in ("", "Mia"):
        assert sign_in(client, email=email, password="").status_code == 422
    assert get_user(client).is_anonymous


def test_who_is_no_longer_active_does_not_get_in(client, rivera):
    rivera.is_active = False
    rivera.save()
    assert sign_in(client).status_code == 422
    assert get_user(client).is_anonymous


def test_sign_out_is_a_post(client, rivera):
    client.force_login(rivera)
    assert client.get("/account/sign-out/").status_code == 405
    assert get_user(client) == rivera
    response = client.post("/account/sign-out/")
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert get_user(client).is_anonymous


# What is kept of a person


def refused_by_the_database(make) -> str:
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        make()
    return str(refused.value)


ADDRESS_RULE = "an_adult_has_an_address_and_a_student_has_none"


def test_an_adult_without_an_address_is_refused():
    nobody = User(kind=Kind.ADULT, display_name="Nobody", email=None)
    assert ADDRESS_RULE in refused_by_the_database(nobody.save)


def test_a_student_with_an_address_is_refused():
    child = User(kind=Kind.STUDENT, display_name="Mia", email="mia@home.example")
    assert ADDRESS_RULE in refused_by_the_database(child.save)


def test_a_person_who_is_neither_is_refused():
    cat = User(kind="cat", display_name="Tom", email="tom@home.example")
    assert ADDRESS_RULE in refused_by_the_database(cat.save)


@pytest.mark.parametrize("email", ["", None])
def test_an_empty_address_is_none(email):
    with pytest.raises((ValueError, IntegrityError)), transaction.atomic():
        User.objects.create_adult(email=email, display_name="Nobody")


def test_students_need_no_addresses_to_differ_and_adults_do():
    for _ in range(2):
        User.objects.create_student(display_name="Mia")
    teacher()
    refused_by_the_database(teacher)


def test_a_student_is_once_in_a_class_and_a_guardian_once_linked(school):
    enrol_again = Enrolment(classroom=school.classroom, student=school.mia)
    refused_by_the_database(enrol_again.save)
    guardian = guardian_of(school.mia)
    refused_by_the_database(Guardianship(guardian=guardian, child=school.mia).save)


def test_a_superuser_is_an_adult_with_every_right(monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", interactive=False, email="root@school.example", verbosity=0)
    user = User.objects.get(email="root@school.example")
    assert (user.kind, user.display_name, user.is_staff, user.is_superuser) == (Kind.ADULT, "root", True, True)
    assert user.check_password(PASSWORD)
    assert user.password.startswith("argon2")
