"""Accounts: visibility, signing in and out, and stored personal data."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth import get_user
from django.core.cache import cache
from django.core.management import call_command
from django.db import IntegrityError, transaction

from classrooms.accounts.sign_up import vouch_for
from classrooms.models import AccountKind, Classroom, Enrolment, Guardianship, User
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options, find_sets
from games.rules import commands as ask
from games.rules.state import Phase
from tests.builders.pages import main_text_of
from tests.scale.engines import run

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
    """A 27-card game in which the first player takes every SET."""
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
    """A game that everybody left: it's over and nobody won."""
    match = open_game(*players)
    for seat in range(len(players)):
        matches.command(match.code, ask.Leave(seat), now=NOW)
    return match


def page_for(client, user: User):
    client.force_login(user)
    return client.get("/account/")


def rows(response) -> list[tuple[str, str, int, int]]:
    """For each student in the teacher's table: real name, display name, games and wins."""
    cells = re.findall(
        r'<th scope="row">(.*?)</th>\s*<td>(.*?)</td>\s*<td class="number">(\d+)</td>\s*<td class="number">(\d+)</td>',
        response.text,
    )
    return [(real, name, int(games), int(won)) for real, name, games, won in cells]


def games_listed(response) -> int:
    return response.text.count('<span class="game-score">')


@pytest.fixture(autouse=True)
def nobody_has_guessed():
    cache.clear()


@dataclass(frozen=True)
class School:
    rivera: User
    classroom: Classroom
    mia: User
    noah: User


@pytest.fixture
def school() -> School:
    """A teacher's class of two students, who have played alone and together."""
    rivera = teacher()
    classroom = class_of(rivera)
    mia = student(classroom, "Mia", "Mia Okafor")
    noah = student(classroom, "Noah", "Noah Brandt")
    broken_off(mia)
    won_by(mia, noah)
    broken_off(noah)
    return School(rivera, classroom, mia, noah)


# Visibility


def test_anonymous_is_sent_to_sign_in_and_back(client):
    response = client.get("/account/?tab=games")
    assert response.status_code == 302
    assert response.headers["Location"] == "/account/login/?next=/account/%3Ftab%3Dgames"


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_the_account_is_only_looked_at(client, method):
    client.force_login(teacher())
    response = getattr(client, method)("/account/")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


def test_an_adult_finds_the_own_classes_and_children_and_nobody_elses(client, school):
    other = teacher("Mr. Stone", "stone@school.example")
    student(class_of(other, "Class 3A", "ALDER3A"), "Zoe", "Zoe Stern")
    Guardianship.objects.create(guardian=other, child=school.mia)
    text = main_text_of(page_for(client, other))
    assert "Class 3A" in text
    assert "Mia" in text
    for hidden in ("Class 2B", "Noah", "Okafor", "Brandt", "Zoe"):
        assert hidden not in text


def test_a_student_sees_own_games_only(client, school):
    response = page_for(client, school.noah)
    assert re.findall(r"<h2>(.*?)</h2>", response.text) == ["My games", "Who can see how I am doing"]
    assert games_listed(response) == 2
    for hidden in ("Mia Okafor", "Noah Brandt", "Brandt"):
        assert hidden not in main_text_of(response)


def test_who_has_played_nothing_is_told_so(client, school):
    newcomer = student(school.classroom, "Lina", "Lina Haddad")
    response = page_for(client, newcomer)
    assert "No finished game yet." in main_text_of(response)
    assert games_listed(response) == 0


def test_a_game_is_told_with_points_rivals_and_who_won(client, school):
    won = Match.objects.get(seats__user=school.noah, seats__number=1)
    points = won.state.seats[0].points
    rival = won.seats.get(number=1).name
    assert rival != "Noah", "a table for all has no names of its own"
    assert f"together {points} points · {rival} 0 won" in main_text_of(page_for(client, school.mia))
    assert f"together 0 points · {won.seats.get(number=0).name} {points}" in main_text_of(page_for(client, school.noah))
    assert "won" not in main_text_of(page_for(client, school.noah))


def test_the_newest_game_comes_first(client, school):
    later = NOW + 40 * 86_400
    match = open_game(school.noah)
    matches.command(match.code, ask.Leave(0), now=later)
    about = page_for(client, school.noah).context["about"]
    assert about.games[0].code == match.code
    assert about.games[0].ended.timestamp() == later


def test_names_are_written_as_names_and_not_as_markup(client):
    text = page_for(client, teacher("<i>Eve</i>")).text
    assert "<i>Eve" not in text
    assert "&lt;i&gt;Eve&lt;/i&gt;" in text


# Signing in and out


@pytest.fixture
def rivera() -> User:
    user = teacher(password=PASSWORD)
    vouch_for(user)
    return user


def sign_in(client, *, email="rivera@school.example", password=PASSWORD, query=""):
    return client.post(f"/account/login/{query}", {"login": email, "password": password})


def test_an_address_and_its_password_sign_in(client, rivera):
    assert client.get("/account/login/").status_code == 200
    response = sign_in(client)
    assert (response.status_code, response.headers["Location"]) == (302, "/account/next/")
    assert get_user(client) == rivera
    assert client.cookies["sessionid"]["httponly"]


def test_signing_in_leads_to_where_one_wanted_to_go_but_to_no_other_site(client, rivera):
    assert sign_in(client, query="?next=/%3Fboard%3D7").headers["Location"] == "/?board=7"
    client.logout()
    assert sign_in(client, query="?next=https://elsewhere.example/").headers["Location"] == "/account/next/"


@pytest.mark.parametrize(
    "wrong", [{"password": "twelve cards"}, {"email": "somebody@school.example"}, {"password": PASSWORD.upper()}]
)
def test_a_wrong_password_or_address_is_told_with_the_form_and_without_saying_which(client, rivera, wrong):
    response = sign_in(client, **wrong)
    assert "The email address and/or password you specified are not correct." in main_text_of(response)
    assert 'type="password"' in response.text
    assert get_user(client).is_anonymous


def test_a_student_has_no_password_to_sign_in_with(client, school):
    for email in ("", "Mia"):
        assert sign_in(client, email=email, password="").status_code == 200
    assert get_user(client).is_anonymous


def test_who_is_no_longer_active_does_not_get_in(client, rivera):
    rivera.is_active = False
    rivera.save()
    assert sign_in(client).headers["Location"] == "/account/inactive/"
    assert get_user(client).is_anonymous


def test_sign_out_is_a_post(client, rivera):
    client.force_login(rivera)
    assert client.get("/account/logout/").status_code == 200
    assert get_user(client) == rivera
    response = client.post("/account/logout/")
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert get_user(client).is_anonymous


@pytest.mark.parametrize(
    ("who", "where"),
    [("teacher", "/teach/"), ("guardian", "/family/"), ("student", "/learn/"), ("newcomer", "/account/")],
)
def test_everybody_lands_on_the_page_that_shows_what_to_do_next(client, school, who, where):
    people = {
        "teacher": lambda: school.rivera,
        "guardian": lambda: guardian_of(school.mia),
        "student": lambda: school.mia,
        "newcomer": lambda: teacher("Mr. New", "new@home.example"),
    }
    client.force_login(people[who]())
    assert client.get("/account/next/").headers["Location"] == where


# Signing up


def sign_up(client, **changes):
    form = {"display_name": "Ms. Lund", "email": "Lund@school.example", "password1": PASSWORD, "is_adult": "yes"}
    return client.post("/account/signup/", form | changes)


def code_in(mail) -> str:
    return re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", mail.body, re.MULTILINE)[0]


def test_an_adult_signs_up_with_a_name_an_address_and_a_password_and_confirms_the_address(client, mailoutbox):
    response = sign_up(client)
    assert response.status_code == 302
    assert get_user(client).is_anonymous, "not before the address is confirmed"
    (mail,) = mailoutbox
    assert mail.to == ["lund@school.example"]
    assert client.get(response.headers["Location"]).status_code == 200
    response = client.post(response.headers["Location"], {"code": code_in(mail)})
    assert response.headers["Location"] == "/account/next/"
    user = get_user(client)
    assert (user.kind, user.display_name, user.email) == (AccountKind.ADULT, "Ms. Lund", "lund@school.example")
    assert user.declared_adult_at is not None
    assert user.password.startswith("argon2")


def test_sign_up_asks_neutrally_whether_one_is_an_adult(client):
    page = client.get("/account/signup/").text
    assert "Are you an adult?" in page
    answers = re.findall(r'<input type="radio" name="is_adult" value="(\w+)"[^>]*>', page)
    assert answers == ["yes", "no"]
    assert not re.search(r'name="is_adult"[^>]*checked', page), "no answer is suggested"


def test_somebody_who_is_no_adult_is_kindly_shown_the_way_on_and_nothing_is_kept(client, mailoutbox):
    page = sign_up(client, is_adult="no")
    assert "play and learn right now" in main_text_of(page)
    assert "ask a grown-up" in main_text_of(page)
    assert 'href="/learn/"' in page.text
    assert 'type="password"' not in page.text
    assert not User.objects.exists()
    assert not mailoutbox


def test_without_an_answer_there_is_no_account(client, mailoutbox):
    assert "errorlist" in sign_up(client, is_adult="").text
    assert not User.objects.exists()


SIGN_UP_ELSEWHERE = """
import django; django.setup()
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import complete_social_login
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.management import call_command
from django.test import Client, RequestFactory
from classrooms.models import User

call_command("migrate", verbosity=0)
request = RequestFactory(headers={"host": "localhost"}).get("/account/elsewhere/google/login/callback/")
SessionMiddleware(lambda request: None).process_request(request)
request.user, request._messages = AnonymousUser(), FallbackStorage(request)
provider = get_adapter().get_provider(request, "google")
address = EmailAddress(email="lund@school.example", verified=True, primary=True)
account = SocialAccount(provider="google", uid="1")
login = SocialLogin(User(email=address.email), account, email_addresses=[address], provider=provider)
with context.request_context(request):
    answer = complete_social_login(request, login)
request.session.save()
client = Client(headers={"host": "localhost"})
client.cookies["sessionid"] = request.session.session_key
print("Are you an adult?" in client.get(answer["Location"]).text, User.objects.count())
for said in ("no", "", "yes"):
    client.post(answer["Location"], {"display_name": "Ms. Lund", "email": address.email, "is_adult": said})
    print(said, User.objects.count(), User.objects.exclude(declared_adult_at=None).count())
"""


def test_whoever_signs_up_by_another_site_is_asked_whether_they_are_an_adult_too(tmp_path):
    environment = {
        "DJANGO_SETTINGS_MODULE": "setsite.settings",
        # Serve static files from their folders, not from collected files.
        "SETSITE_DEBUG": "1",
        "SETSITE_DEMO": "0",
        "SETSITE_VAR": str(tmp_path),
        "SETSITE_SIGN_IN_GOOGLE": "google-id:secret",
    }
    said = run(["-c", SIGN_UP_ELSEWHERE], environment).splitlines()
    assert said == ["True 0", "no 0 0", " 0 0", "yes 1 1"]


def test_what_a_guest_has_learned_is_the_new_accounts(client, mailoutbox):
    client.post("/learn/cards/four-features/")
    response = sign_up(client)
    client.post(response.headers["Location"], {"code": code_in(mailoutbox[0])})
    assert client.get("/learn/").context["path"][0].done == 1


def test_signing_up_with_an_address_that_is_taken_does_not_tell_so_and_writes_to_its_owner(client, rivera, mailoutbox):
    response = sign_up(client, email=rivera.email)
    assert response.status_code == 302
    assert User.objects.count() == 1
    assert mailoutbox[0].to == [rivera.email]


@pytest.mark.parametrize(
    "bad", [{"email": "no address"}, {"password1": "short"}, {"display_name": ""}, {"display_name": "\u200b\u200b"}]
)
def test_a_sign_up_that_cannot_be_is_told_with_the_form_and_what_was_typed(client, bad, mailoutbox):
    response = sign_up(client, **bad)
    assert response.status_code == 200
    assert "errorlist" in response.text
    assert not User.objects.exists()
    assert not mailoutbox


@pytest.mark.parametrize("name", ["Fuck Face", "f.u-ck", "BigDick", "sh1t"])
def test_an_adult_gets_no_name_that_a_child_could_not_have(client, name, mailoutbox):
    response = sign_up(client, display_name=name)
    assert "Children will see this name. Please choose another." in response.text
    assert not User.objects.exists()
    assert not mailoutbox


def test_a_forgotten_password_is_made_anew_by_a_code_in_the_mail(client, rivera, mailoutbox):
    response = client.post("/account/password/reset/", {"email": rivera.email})
    response = client.post(response.headers["Location"], {"code": code_in(mailoutbox[0])})
    new = "under the second diamond"
    response = client.post(response.headers["Location"], {"password1": new, "password2": new})
    assert response.status_code == 302
    client.logout()
    sign_in(client, password=new)
    assert get_user(client) == rivera


def test_a_second_step_at_sign_in_can_be_switched_on_and_is_asked_for(client, rivera):
    sign_in(client)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    page = client.get("/account/2fa/totp/activate/")
    assert page.status_code == 200
    secret = page.context["form"].secret
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    assert client.post("/account/2fa/totp/activate/", {"code": code}).status_code == 302
    client.logout()
    assert sign_in(client).headers["Location"].startswith("/account/2fa/authenticate/")
    assert get_user(client).is_anonymous


# Stored personal data


def refused_by_the_database(make) -> str:
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        make()
    return str(refused.value)


ADDRESS_RULE = "an_adult_has_an_address_and_a_student_has_none"


def test_an_adult_without_an_address_is_refused():
    nobody = User(kind=AccountKind.ADULT, display_name="Nobody", email=None)
    assert ADDRESS_RULE in refused_by_the_database(nobody.save)


def test_a_student_with_an_address_is_refused():
    child = User(kind=AccountKind.STUDENT, display_name="Mia", email="mia@home.example")
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
    assert (user.kind, user.display_name, user.is_staff, user.is_superuser) == (AccountKind.ADULT, "root", True, True)
    assert user.check_password(PASSWORD)
    assert user.password.startswith("argon2")
