"""The admin: who gets in, what's shown, what can be changed, and what the audit log says afterward."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from classrooms.models import (
    Action,
    AuditEntry,
    Classroom,
    GuardianCode,
    PictureTry,
    StudentDevice,
    User,
)
from core.models import Job, OutgoingMail
from games.models import Match
from setsite.admin.base import CappedPaginator
from setsite.admin.models import operators
from setsite.admin.site import PAGES, SECOND_FACTOR_SECONDS
from tests.classrooms.people import (
    enrol,
    make_adult,
    make_classroom,
    make_operator,
    operating,
    prove_second_factor,
    signed_in,
)
from tests.test_permissions import Role, World, make_world, names, row_of

pytestmark = pytest.mark.django_db
PASSWORD = "over the fourth diamond"  # noqa: S105 (nobody's)
USERS = "/admin/classrooms/user/"


@pytest.fixture
def operator() -> User:
    return make_operator()


@pytest.fixture
def browser(operator: User) -> Client:
    return operating(operator)


@pytest.fixture
def teacher() -> User:
    return make_adult("Rivera")


@pytest.fixture
def mia(teacher: User) -> User:
    return enrol(make_classroom(teacher), "Mia Okafor")[0].student


# Who gets in


def code_now(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def test_an_operator_made_in_the_terminal_gets_in_with_a_code_and_not_before(settings):
    settings.MFA_TOTP_TOLERANCE = 1
    call_command("createsuperuser", "--no-input", "--email=Ops@School.example", stdout=StringIO())
    user = User.objects.get(email="ops@school.example")
    user.set_password(PASSWORD)
    user.save()
    client = Client()
    assert client.get("/admin/").headers["Location"] == "/account/login/?next=/admin/"
    client.post("/account/login/", {"login": user.email, "password": PASSWORD})
    (code,) = re.findall(r"^\s*([A-Z0-9]{3,}-?[A-Z0-9]{3,})\s*$", mail.outbox[-1].body, re.MULTILINE)
    client.post("/account/confirm-email/", {"code": code})
    page = client.get("/admin/")
    assert page.status_code == 403
    assert reverse("mfa_activate_totp") in page.text
    secret = client.get(reverse("mfa_activate_totp")).context["form"].secret
    assert client.post(reverse("mfa_activate_totp"), {"code": code_now(secret)}).status_code == 302
    page = client.get("/admin/")
    assert page.status_code == 403, "this session began before there was a second factor"
    path = reverse("mfa_reauthenticate") + "?next=%2Fadmin%2F"
    assert path in page.text
    Authenticator.objects.filter(user=user, type="totp").update(last_used_at=None)
    assert client.post(path, {"code": "000000"}).status_code == 200
    assert client.get("/admin/").status_code == 403
    response = client.post(path, {"code": code_now(secret)})
    assert response.headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("kind", ["student", "teacher", "staff"])
def test_nobody_else_learns_that_there_is_an_admin(kind, mia, teacher):
    if kind == "staff":
        teacher.is_staff = True
        teacher.save()
    client = signed_in(mia if kind == "student" else teacher)
    for path in ("/admin/", USERS, f"{USERS}{mia.pk}/"):
        assert client.get(path).status_code == 404
        assert client.post(path).status_code == 404
    assert not AuditEntry.objects.filter(action__in=[Action.LISTED, Action.VIEWED, Action.CHANGED]).exists()


def test_a_second_factor_counts_for_its_owner_and_for_half_a_day(operator):
    client = signed_in(operator)
    prove_second_factor(client, operator, seconds_ago=SECOND_FACTOR_SECONDS - 60)
    assert client.get("/admin/").status_code == 200
    prove_second_factor(client, operator, seconds_ago=SECOND_FACTOR_SECONDS + 60)
    assert client.get("/admin/").status_code == 403
    other = make_operator("Other")
    thief = signed_in(other)
    prove_second_factor(thief, operator)
    assert thief.get("/admin/").status_code == 403


def test_a_second_factor_that_was_removed_or_set_up_again_opens_nothing(operator, browser):
    assert browser.get("/admin/").status_code == 200
    factor = Authenticator.objects.get(user=operator)
    factor.delete()
    assert "Set up two-step sign-in" in browser.get("/admin/").text
    Authenticator.objects.create(user=operator, type=factor.type, data=factor.data)
    assert "Enter a code" in browser.get("/admin/").text


@pytest.mark.parametrize("change", [{"is_superuser": False}, {"is_active": False}, {"deleted_at": timezone.now()}])
def test_an_operator_who_is_one_no_more_is_out_at_once(operator, browser, change):
    User.objects.filter(pk=operator.pk).update(**change)
    assert browser.get("/admin/").status_code in {302, 404}


def test_a_password_alone_opens_nothing_and_writes_nothing(teacher):
    superuser = User.objects.create_superuser("hasty@people.example", PASSWORD)
    client = signed_in(superuser)
    for path in ("/admin/", USERS, f"{USERS}{teacher.pk}/"):
        assert client.get(path).status_code == 403
    assert client.post(f"{USERS}{teacher.pk}/", {}).status_code == 403
    teacher.refresh_from_db()
    assert teacher.is_active
    assert not AuditEntry.objects.filter(actor=superuser.pk).exists()


def test_a_stolen_session_cannot_copy_everything(browser, operator, clock_of_limits):
    for _page in range(PAGES.windows[0].most):
        PAGES.take(str(operator.pk))
    assert browser.get(USERS).status_code == 429
    assert operating(make_operator("Other")).get(USERS).status_code == 200, "others have limits of their own"


# What isn't there


def test_there_is_nothing_but_an_index_lists_and_rows(browser):
    in_admin = [name for name in names() if name.startswith("admin:")]
    assert all(name == "admin:index" or name.endswith(("_changelist", "_change")) for name in in_admin)
    assert len(in_admin) == 1 + 2 * len(operators._registry)
    assert "admin" in get_resolver().namespace_dict
    gone = ["login/", "logout/", "password_change/", "autocomplete/", "jsi18n/", "r/1/1/", "classrooms/", "auth/group/"]
    for path in gone:
        assert browser.get(f"/admin/{path}").status_code == 404, path
    query = "?app_label=classrooms&model_name=enrolment&field_name=student&term=Mia"
    assert browser.get(f"/admin/autocomplete/{query}").status_code == 404


@pytest.mark.parametrize("path", ["add/", "{mia}/delete/", "{mia}/history/", "{mia}/password/", "{mia}/change/"])
def test_nothing_is_added_deleted_or_given_a_password(browser, mia, path):
    for method in ("get", "post"):
        assert getattr(browser, method)(USERS + path.format(mia=mia.pk), {"post": "yes"}).status_code == 404
    assert User.objects.filter(pk=mia.pk).exists()


def test_no_row_is_written_by_a_form(browser):
    world = make_world()
    before = {model: list(model._default_manager.order_by("pk").values()) for model in operators._registry}
    for model in operators._registry:
        if model is User:
            continue
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_change"
        assert browser.post(reverse(name, args=[row_of(model, world)]), {"is_active": "on"}).status_code == 405
    for model, rows in before.items():
        if model is not AuditEntry:
            assert list(model._default_manager.order_by("pk").values()) == rows, model


def test_many_rows_cannot_be_deleted_at_once(browser, mia):
    form = {"action": "delete_selected", "_selected_action": [mia.pk], "post": "yes", "index": "0"}
    assert browser.post(USERS, form).status_code == 405
    assert User.objects.filter(pk=mia.pk).exists()


# What's shown


def secrets_planted(world: World) -> list[str]:
    """Give every secret column a text that's found if it's on a page."""
    User.objects.update(password="argon2$planted-hash")  # noqa: S106
    for user in User.objects.filter(kind="student"):
        user.pictures = ["planted-owl", "planted-fox", "planted-bee"]
        user.save()
    student = world.mia.student
    GuardianCode.objects.create(child=student, fingerprint="planted-print", expires_at=timezone.now())
    StudentDevice.objects.create(student=student, browser="planted-browser")
    PictureTry.objects.create(student=student, classroom=world.classroom, browser="planted-try", standing="new")
    Classroom.objects.filter(pk=world.classroom.pk).update(code="PLANTEDCLASS")
    type(world.lesson).objects.update(code="PLANTEDTALK")
    Match.objects.update(code="PLANTEDGAME", snapshot={"deck": "planted-deck"}, start={"deck": "planted-deck"})
    Job.objects.update(client="planted-client", result={"x": "planted-job"}, file="planted-file")
    OutgoingMail.objects.update(content={"body": "planted-mail"})
    factors = [each.data["secret"] for each in Authenticator.objects.filter(type="totp")]
    assert factors
    return [r"(?i)planted", *map(re.escape, factors)]


def test_no_page_shows_a_secret():
    world = make_world()
    secrets = secrets_planted(world)
    browser = operating(User.objects.get(pk=world.users[Role.OPERATOR].pk))
    for model in operators._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        rows = [row_of(model, world), *model._default_manager.values_list("pk", flat=True)[:5]]
        if model is User:
            rows.append(world.mia.student_id)
        for path in (reverse(f"{name}_changelist"), *(reverse(f"{name}_change", args=[row]) for row in rows)):
            page = browser.get(path)
            assert page.status_code == 200
            assert not [each for each in secrets if re.search(each, page.text)], path


def test_lists_have_no_names_of_children(browser):
    world = make_world()
    student = world.mia.student
    User.objects.filter(pk=student.pk).update(display_name="Philomena")
    type(world.mia).objects.update(real_name="Philomena Fotheringay")
    for model in operators._registry:
        page = browser.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        assert "Philomena" not in page.text, model
    assert "Philomena" in browser.get(f"{USERS}{student.pk}/").text


@pytest.mark.parametrize(
    "query",
    [
        "x=1",
        "password__startswith=argon2",
        "password=x",
        "pictures__contains=owl",
        "display_name__startswith=M",
        "enrolments__real_name__startswith=M",
        "guardian_codes__fingerprint__startswith=a",
        "authenticator__data__contains=a",
        "is_active__exact=1&password__startswith=argon2",
    ],
)
def test_a_hash_is_not_found_letter_by_letter(browser, mia, query):
    response = browser.get(f"{USERS}?{query}")
    assert response.status_code in {302, 400}
    assert str(mia.pk) not in response.headers.get("Location", "")


def test_the_search_finds_whole_addresses_and_numbers_only(browser, mia, teacher):
    User.objects.filter(pk=teacher.pk).update(password="argon2$hash-of-teacher")  # noqa: S106

    def found(words: str) -> set[int]:
        return {int(number) for number in re.findall(rf'href="{USERS}(\d+)/"', browser.get(USERS, {"q": words}).text)}

    assert found(teacher.email.upper()) == {teacher.pk}
    assert found(str(mia.pk)) == {mia.pk}
    for words in ("argon2", "hash-of-teacher", "Mia", teacher.email[:-1], "%", "_", "²", "9" * 40, "'", '"'):
        assert found(words) == set(), words


@pytest.mark.parametrize("query", ["p=99999", "p=x", "o=1.2.-3", "all=1", "e=1", "_popup=1", "_to_field=id"])
def test_odd_queries_break_nothing(browser, mia, query):
    assert browser.get(f"{USERS}?{query}", follow=True).status_code == 200


@pytest.mark.parametrize("query", ["_to_field=password", "_to_field=email", "_to_field=pictures"])
def test_a_row_is_found_by_its_key_only(browser, teacher, query):
    assert browser.get(f"{USERS}{teacher.email}/?{query}").status_code in {400, 404}
    assert browser.get(f"{USERS}{teacher.email}/").status_code == 404


def test_a_long_table_is_not_counted_to_its_end(monkeypatch):
    monkeypatch.setattr(CappedPaginator, "MOST", 3)
    for number in range(5):
        make_adult(f"Adult{number}")
    assert CappedPaginator(User.objects.order_by("pk"), 2).count == 3


# What can be changed


def test_an_operator_can_keep_another_adult_from_signing_in(browser, operator, teacher):
    theirs = signed_in(teacher)
    assert theirs.get("/teach/").status_code == 200
    page = browser.get(f"{USERS}{teacher.pk}/").text
    assert 'name="is_active"' in page
    assert page.count('<input type="checkbox"') == 1, "there's nothing else to change"
    forged = {"is_superuser": "on", "email": "thief@people.example", "password": "x", "kind": "student"}
    assert browser.post(f"{USERS}{teacher.pk}/", forged).status_code == 302
    assert theirs.get("/teach/").status_code == 302, "signed out"
    after = User.objects.get(pk=teacher.pk)
    assert not after.is_active
    assert (after.email, after.is_superuser, after.kind) == (teacher.email, False, "adult")
    assert after.password == teacher.password
    noted = AuditEntry.objects.get(action=Action.CHANGED)
    assert (noted.actor, noted.person, noted.what) == (operator.pk, teacher.pk, "classrooms.User")
    browser.post(f"{USERS}{teacher.pk}/", {"is_active": "on"})
    assert User.objects.get(pk=teacher.pk).is_active


def test_neither_children_nor_oneself_can_be_changed(browser, operator, mia):
    for user in (mia, operator):
        assert 'name="is_active"' not in browser.get(f"{USERS}{user.pk}/").text
        assert browser.post(f"{USERS}{user.pk}/", {}).status_code == 403
        assert User.objects.get(pk=user.pk).is_active
    assert not AuditEntry.objects.filter(action=Action.CHANGED).exists()


@pytest.mark.parametrize("more", [{"_saveasnew": "1"}, {"_popup": "1"}, {"_continue": "1"}, {"_addanother": "1"}])
def test_djangos_other_buttons_do_no_more_than_save(browser, teacher, more):
    count = User.objects.count()
    response = browser.post(f"{USERS}{teacher.pk}/", {"is_active": "on", **more})
    assert response.status_code in {302, 403, 404}
    assert User.objects.count() == count


# What's noted


def test_every_look_is_in_the_log_and_the_teacher_sees_whose_data_it_was(browser, operator, mia, teacher):
    enrolment = mia.enrolments.get()
    browser.get("/admin/classrooms/enrolment/")
    browser.get(f"/admin/classrooms/enrolment/{enrolment.pk}/")
    browser.get(f"{USERS}{mia.pk}/")
    browser.get("/admin/classrooms/auditentry/")
    mine = AuditEntry.objects.filter(actor=operator.pk).order_by("pk")
    assert list(mine.values_list("action", "person", "classroom", "what", "amount")) == [
        ("listed", None, None, "classrooms.Enrolment", 1),
        ("viewed", mia.pk, enrolment.classroom_id, "classrooms.Enrolment", 1),
        ("viewed", mia.pk, None, "classrooms.User", 1),
        ("listed", None, None, "classrooms.AuditEntry", AuditEntry.objects.count() - 1),
    ]
    log = signed_in(teacher).get(f"/privacy/class/{enrolment.classroom_id}/log/").text
    assert log.count("looked at data as an operator of the site") == 2
    assert not LogEntry.objects.exists()


def test_what_is_not_found_is_not_noted(browser, operator):
    for path in (f"{USERS}999999/", f"{USERS}?password__startswith=a", f"{USERS}{9**40}/"):
        assert browser.get(path).status_code in {302, 400, 404}
    assert not AuditEntry.objects.filter(actor=operator.pk).exists()


def test_admin_pages_are_kept_in_no_cache(browser):
    response = browser.get(USERS)
    assert response.headers["Cache-Control"] == "private, no-store"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
