"""Upgrading a site of an earlier release, or restoring its backup, loses nothing on either database.

`released/first.json.gz` holds the rows that the first release's own code made: its demo, and a class with a running
lesson, an invitation, a guardian's code and people who are deleted. Two faults of that release are planted on top: a
question with several first tries, and a class with two running lessons.

`released/previous.json.gz` holds the demo of the last release before learning events, with lessons in which students
and guests answered in every kind of activity, and what that release reported about it all.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from classrooms.accounts.devices import let_new_devices_in
from classrooms.models import Activity, Answer, Attendee, Classroom, Enrolment, Session, User
from games.models import Match
from games.players import Player
from games.rules import replay
from games.rules.records import event_from, match_from
from lessons.course.units import course
from lessons.models import LearningEvent
from lessons.progress.recording import rebuild
from lessons.progress.snapshots import skill_states
from tests.classrooms.people import signed_in
from tests.scale.engines import reading, run
from tests.scale.releases import Release, Tables, assert_all_there
from tests.scale.reports import differences, reports
from tools.scale.engines import PostgreSQL

FIRST = Release(
    "first",
    frozenset(
        {
            ("setsite", "0001_initial"),
            ("games", "0002_classes_play"),
            ("lessons", "0002_sent_as"),
            ("classrooms", "0005_look"),
        }
    ),
)
PREVIOUS = Release(
    "previous",
    frozenset(
        {
            ("setsite", "0003_job_client"),
            ("games", "0005_longer_codes"),
            ("lessons", "0004_one_first_try_and_help"),
            ("classrooms", "0015_forgiven_tries"),
        }
    ),
)
"""The last release in which answers in lessons and tries were separate."""
CARDS = {
    3: "3-1-5f6d682d71568c9a340048ba",
    4: "4-1-c4f76ebe8e8c45f7037c82a6",
    13: "d-1-b2123f6851ee15dc5836a376",
    18: "i-1-0f277957b76e73187b82f3ea",
}
"""What that release printed on the cards of Mia, Noah, the other class's Mia, and Leo, with the demo's secret key."""
CARD_OF_DELETED = "e-1-459cfe3c5a37cdc07045fa61"
DOUBLED = 1
"""The attempt to plant again, as another first try of the same user at the same question."""
GUEST = "a" * 32
ENCRYPTED = {("classrooms_user", "pictures")}
SETTLED = {
    ("lessons_attempt", "is_first"),
    ("lessons_progress", "state"),
    ("classrooms_session", "ended_at"),
    ("classrooms_activity", "ended_at"),
    ("classrooms_activity", "stage"),
}
"""Columns that the migrations correct, which have tests of their own."""
SETTLED_BY_RESTORE = {
    ("classrooms_guardiancode", "expires_at"),
    ("classrooms_teacherinvitation", "expires_at"),
}
RENEWED_BY_RESTORE = {("classrooms_user", "card_number"), ("classrooms_user", "password")}
"""Columns about revoked cards, which an old backup can't know."""


@dataclass(frozen=True)
class Site:
    """A site without a running process: commands are run like an operator's, and our models read its database."""

    engine: str
    folder: Path
    address: str

    @property
    def environment(self) -> dict[str, str]:
        named = {"SETSITE_DATABASE": self.address} if self.address else {}
        return {"SETSITE_VAR": str(self.folder), "SETSITE_DEMO": "0", "SETSITE_DEBUG": "1", **named}

    @property
    def database(self) -> dict[str, object]:
        if not self.address:
            return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(self.folder / "setsite.sqlite3")}
        host, _slash, name = self.address.partition("@")[2].partition("/")
        ours: dict[str, object] = {"ENGINE": "django.db.backends.postgresql", "NAME": name, "USER": "setsite"}
        return {**ours, "HOST": host.replace("%2F", "/"), "PASSWORD": "", "PORT": "", "OPTIONS": {}}

    def manage(self, *arguments: str) -> str:
        # A restore is refused while anything is connected.
        connection.close()
        return run(["manage.py", *arguments], self.environment)


# A site of the first release


def new_site(request: pytest.FixtureRequest, folder: Path) -> Site:
    folder.mkdir()
    server: PostgreSQL | None = request.getfixturevalue("postgresql") if request.param == "postgresql" else None
    return Site(request.param, folder, server.new_database() if server else "")


@contextmanager
def opened(site: Site, blocker: Any) -> Iterator[Site]:
    with blocker.unblock(), reading(site.database):
        yield site


def fill() -> None:
    """Fill the first release's tables with its rows and its faults."""
    FIRST.fill([plant_first_tries, plant_lessons])
    with connection.cursor() as cursor:
        # Adjust dates, so that the deletions can still be undone.
        for table in ("classrooms_user", "classrooms_classroom"):
            now = datetime.now(UTC)
            cursor.execute(f"UPDATE {table} SET deleted_at = %s WHERE deleted_at IS NOT NULL", [now])


def plant_first_tries() -> None:
    """A user and a guest with overtaking requests, all of whose tries counted as first."""
    for pk in (9001, 9002):
        FIRST.copy_row("lessons_attempt", DOUBLED, id=pk, is_right=False, evidence='[["is-set", false]]')
    for pk in (9003, 9004):
        FIRST.copy_row("lessons_attempt", DOUBLED, id=pk, user_id=None, guest=GUEST)
    for pk, skill in ((9001, "is-set"), (9002, "differs-1")):
        FIRST.copy_row("lessons_progress", 1, id=pk, user_id=None, guest=GUEST, skill=skill)
    counted = {**json.loads(FIRST.tables["lessons_progress"]["rows"][0][3]), "tries": 51}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE lessons_progress SET state = %s WHERE id = 1", [json.dumps(counted)])


def plant_lessons() -> None:
    """Give the class with a running lesson an older one whose activity never ended."""
    FIRST.copy_row("classrooms_session", 1, id=-1, code="OLDER2", ended_at=None)
    FIRST.copy_row("classrooms_activity", 1, id=-1, session_id=-1, ended_at=None, stage="answering")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def _upgraded(request, tmp_path_factory, django_db_blocker) -> tuple[Site, Tables, Tables]:
    with opened(new_site(request, tmp_path_factory.mktemp("upgrade") / "var"), django_db_blocker) as site:
        fill()
        before = FIRST.rows_now()
        site.manage("prepare")
        return site, before, FIRST.rows_now()


@pytest.fixture
def upgraded(_upgraded, django_db_blocker) -> Iterator[tuple[Tables, Tables]]:
    """The upgraded site, with its data before and right after."""
    site, before, after = _upgraded
    with opened(site, django_db_blocker):
        yield before, after


@pytest.fixture(params=["sqlite", "postgresql"])
def old_site(request, tmp_path, django_db_blocker) -> Iterator[Site]:
    with opened(new_site(request, tmp_path / "var"), django_db_blocker) as site:
        fill()
        yield site


# After the upgrade


def test_a_site_of_the_first_release_is_brought_up_to_date_and_nothing_is_lost(upgraded):
    before, after = upgraded
    assert {table: len(rows) for table, rows in after.items()} == {table: len(rows) for table, rows in before.items()}
    assert_all_there(before, after, but=ENCRYPTED | SETTLED)
    assert not MigrationExecutor(connection).migration_plan(MigrationExecutor(connection).loader.graph.leaf_nodes())


def test_pictures_of_the_first_release_are_encrypted_and_still_let_in(upgraded):
    before, after = upgraded
    kept = {row["id"]: row["pictures"] for row in after["classrooms_user"]}
    for row in before["classrooms_user"]:
        assert User.objects.get(pk=row["id"]).pictures == json.loads(row["pictures"])
        assert not any(picture in kept[row["id"]] for picture in json.loads(row["pictures"]))
    enrolments = Enrolment.objects.present().filter(classroom__in=Classroom.objects.not_deleted())
    assert enrolments.count() == 8
    for enrolment in enrolments:
        let_new_devices_in(enrolment.classroom, by=enrolment.classroom.teachers.all()[0])
        first, second, third = enrolment.student.pictures
        client, page = Client(), f"/join/{enrolment.classroom.code}/{enrolment.pk}/"
        assert client.post(page, {"tapped": [first, second], "picture": third}).status_code == 302
        assert client.session[SESSION_KEY] == str(enrolment.student.pk)


def test_login_cards_of_the_first_release_still_let_in(upgraded):
    for pk, card in CARDS.items():
        assert signs_in(card) == str(pk)
    assert Client().get(f"/join/card/{CARD_OF_DELETED}/").status_code == 404


def signs_in(card: str) -> str:
    """The user a card signs in."""
    client = Client()
    assert client.get(f"/join/card/{card}/").status_code == 302
    client.post("/join/card/")
    return client.session[SESSION_KEY]


def test_logs_of_the_first_release_replay_to_their_snapshots(upgraded):
    matches = Match.objects.all()
    assert len(matches) == 13
    for match in matches:
        events = [event_from(row.record) for row in match.events.order_by("number")]
        assert len(events) == match.version
        assert replay(match_from(match.start), events) == match.state


def test_of_doubled_first_tries_the_earliest_stays_the_first(upgraded):
    before, _after = upgraded
    firsts = LearningEvent.objects.filter(is_first=True)
    assert not firsts.filter(pk__in=[9001, 9002, 9004]).exists()
    assert firsts.filter(pk__in=[DOUBLED, 9003]).count() == 2
    assert firsts.count() == sum(row["is_first"] for row in before["lessons_attempt"]) - 3


def test_progress_is_what_a_rebuild_makes_of_the_answers(upgraded):
    learners = [Player(name=user.display_name, user=user) for user in User.objects.filter(kind="student")]
    for learner in [*learners, Player(name="guest", guest=GUEST)]:
        before = skill_states(learner)
        with transaction.atomic():
            rebuild(learner)
            assert skill_states(learner) == before
            transaction.set_rollback(True)
    assert any(LearningEvent.objects.filter(**learner.key).counted().exists() for learner in learners)


def test_of_two_running_lessons_of_a_class_the_newest_goes_on(upgraded):
    assert [session.pk for session in Session.objects.filter(ended_at=None)] == [2]
    assert Session.objects.get(code="OLDER2").ended_at
    ended = Activity.objects.get(session__code="OLDER2")
    assert ended.ended_at
    assert ended.stage == "done"


def test_the_pages_of_an_old_class_open(upgraded):
    for classroom in Classroom.objects.not_deleted():
        teacher, page = signed_in(classroom.teachers.all()[0]), f"/teach/{classroom.pk}/"
        students = [f"{page}students/{each.pk}/" for each in classroom.enrolments.present()]
        pages = [page, f"{page}students/", f"{page}report.csv", f"{page}print/", f"{page}ledger/", f"{page}settings/"]
        for address in [*pages, *students]:
            assert teacher.get(address).status_code == 200, address
    for student in User.objects.filter(kind="student", deleted_at=None):
        assert signed_in(student).get("/learn/me/").status_code == 200
    guardian = signed_in(User.objects.get(email="okafor@demo.example"))
    assert guardian.get("/family/").status_code == 200


# After the upgrade from the release before learning events


@pytest.fixture(params=["sqlite", "postgresql"])
def site_with_lessons(request, tmp_path, django_db_blocker) -> Iterator[Site]:
    with opened(new_site(request, tmp_path / "var"), django_db_blocker) as site:
        PREVIOUS.fill()
        yield site


def test_tries_and_answers_become_learning_events_and_reports_stay_as_they_were(site_with_lessons):
    before = PREVIOUS.rows_now()
    site_with_lessons.manage("prepare")
    after = PREVIOUS.rows_now()
    assert {table: len(rows) for table, rows in after.items()} == {table: len(rows) for table, rows in before.items()}
    assert_all_there(before, after, but=set())
    # The lesson was deleted, but what its students learned stays.
    lessons = {f"session/{row['code']}" for row in before["classrooms_session"]}
    tries = [row for row in before["lessons_attempt"] if row["place"] in lessons]
    of_tries = Answer.objects.exclude(event__kind="", event__evidence=[])
    assert of_tries.count() == len(tries) > 200
    assert set(of_tries.values_list("event", flat=True)) == {row["id"] for row in tries}
    # Events of guests, and events without a skill.
    assert Answer.objects.filter(event__kind="", event__evidence=[]).count() > 100
    assert all(each.event.user_id == each.attendee.user_id for each in Answer.objects.select_related("attendee"))
    assert all(each.event.guest == each.attendee.guest for each in Answer.objects.select_related("attendee"))
    assert_reports_are_the_same()


def assert_reports_are_the_same() -> None:
    """The same except for the titles of tries, which were lesson codes."""
    now, expected = PREVIOUS.kept["now"], PREVIOUS.kept["reports"]
    found, titles = reports(now), {"Lesson together", *(str(unit.title) for unit in course())}
    assert found.keys() == expected.keys()
    for name, report in expected.items():
        if name.startswith("student"):
            for try_, same in zip(report[1], found[name][1], strict=True):
                if try_["title"].startswith("session/"):
                    assert same["title"] in titles
                    same["title"] = try_["title"]
    assert not list(differences(expected, found))


def test_progress_after_the_upgrade_is_what_a_rebuild_makes_of_the_events(site_with_lessons):
    site_with_lessons.manage("migrate", "--verbosity", "0")
    learners = [Player(name=user.display_name, user=user) for user in User.objects.filter(kind="student")]
    guests = [Player(name=each.name, guest=each.guest) for each in Attendee.objects.exclude(guest="")]
    for learner in (*learners, *guests):
        before = skill_states(learner)
        rebuild(learner)
        assert skill_states(learner) == before


# Backups of the first release


def test_a_backup_made_by_this_release_just_before_the_upgrade_brings_everything_back(old_site, tmp_path):
    before = FIRST.rows_now()
    old_site.manage("backup", str(tmp_path / "backup"))
    old_site.manage("migrate", "--verbosity", "0")
    User.objects.update(display_name="wrecked")
    old_site.manage("restore", str(tmp_path / "backup"), "--no-input")
    old_site.manage("prepare")
    assert_all_there(before, FIRST.rows_now(), but=ENCRYPTED | SETTLED | SETTLED_BY_RESTORE)
    assert signs_in(CARDS[3]) == "3"


def test_a_backup_that_the_first_release_made_is_restored_with_new_cards(old_site, tmp_path):
    before = FIRST.rows_now()
    back_up_as_the_first_release_did(old_site, tmp_path / "backup")
    old_site.manage("migrate", "--verbosity", "0")
    User.objects.update(display_name="wrecked")
    said = old_site.manage("restore", str(tmp_path / "backup"), "--no-input")
    old_site.manage("prepare")
    assert "every student has new pictures" in said
    assert_all_there(before, FIRST.rows_now(), but=ENCRYPTED | SETTLED | SETTLED_BY_RESTORE | RENEWED_BY_RESTORE)
    # That release had no ledger, so revoked cards are unknown.
    assert Client().get(f"/join/card/{CARDS[3]}/").status_code == 404
    # It's a working site again: a new row gets a number of its own.
    assert User.objects.create_adult(email="new@people.example", display_name="New").pk > 18


def back_up_as_the_first_release_did(site: Site, file: Path) -> None:
    """Its command wrote the whole database with the engine's own tools, and nothing else."""
    connection.close()
    if site.engine == "sqlite":
        file.write_bytes(Path(str(site.database["NAME"])).read_bytes())
        return
    address = ["-h", str(site.database["HOST"]), "-U", "setsite", "-d", str(site.database["NAME"])]
    command = ["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={file}", *address]
    subprocess.run(command, check=True)
