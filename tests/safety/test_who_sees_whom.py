"""Visibility of people, while people invite, remove, hand over, delete, undo, archive and link one another over HTTP.

The expected visibility is computed here from plain sets of names, without asking the site. After each step, everybody
concerned opens every page whose answer should have changed, plus a few random others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import count
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from classrooms.classes.service import accept, invitation_token, invite, remove_teacher
from classrooms.classes.students import make_home_child
from classrooms.live import leading
from classrooms.models import Classroom, Enrolment, Guardianship, HandOver, Session, TeacherInvitation, User
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.seeds import how_to_repeat, run_seed

ADULTS = ("Rivera", "Stone", "Park", "Okafor", "Green")
FOUNDERS = {"Class Heron": "Rivera", "Class Kestrel": "Stone"}
CLASSES = tuple(FOUNDERS)
HOME_CHILD = "Leonidas"
PLACES = {"Class Heron": {"Miabelle", "Noahlia"}, "Class Kestrel": {"Zoeline"}}
CHILDREN = ("Miabelle", "Noahlia", "Zoeline", HOME_CHILD)
STRANGER = "nobody"
VIEWERS = (*ADULTS, *CHILDREN, STRANGER)
OTHERS_A_STEP = 25
"""Unchanged pages, opened after each step all the same."""
STEPS, RUNS = 20, 14
CLASS_PAGES = (
    "teach:class",
    "teach:print",
    "teach:report-csv",
    "teach:report-xlsx",
    "teach:ledger",
    "teach:assignments",
    "teach:roster",
    "teach:settings",
    "privacy:log",
    "privacy:export-class",
    "privacy:delete-class",
)
STUDENT_PAGES = ("teach:student", "teach:student-edit", "teach:student-remove")
LESSON_PAGES = ("lead:remote", "lead:remote-part", "lead:projector", "lead:report", "lead:report-csv")
FAMILY_PAGES = ("family:child", "family:activity", "family:unlink")


@dataclass
class Truth:
    """The model: who belongs to whom."""

    teachers: dict[str, list[str]] = field(default_factory=lambda: {name: [by] for name, by in FOUNDERS.items()})
    """In the order they joined."""
    places: dict[str, set[str]] = field(default_factory=lambda: {name: set(who) for name, who in PLACES.items()})
    """Students of each class, including deleted ones who may come back."""
    guardians: dict[str, set[str]] = field(default_factory=lambda: {each: set() for each in CHILDREN})
    deleted_classes: set[str] = field(default_factory=set)
    archived: set[str] = field(default_factory=set)
    deleted: dict[str, str] = field(default_factory=dict)
    """Children whose account is deleted, with the class they were deleted with, if any."""
    seated: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in CLASSES})
    """Who has a seat in the class's lesson."""

    def teaching(self, classroom: str) -> set[str]:
        return set() if classroom in self.deleted_classes else set(self.teachers[classroom])

    def caring(self, child: str) -> set[str]:
        """Adults whose family page shows the child."""
        return set() if child in self.deleted else set(self.guardians[child])

    def teaching_child(self, child: str) -> set[str]:
        """Teachers of any class of a child whose account the school manages."""
        here = [self.teaching(name) for name in CLASSES if child in self.places[name]]
        return set().union(*here) if child != HOME_CHILD else set()

    def exporting(self, child: str) -> set[str]:
        return set() if child in self.deleted else self.caring(child) | self.teaching_child(child)

    def deciding(self, child: str) -> set[str]:
        """Who may delete and restore the account: the family for its own, the school for its own."""
        return set(self.guardians[child]) if child == HOME_CHILD else self.teaching_child(child)

    def attending(self, classroom: str) -> set[str]:
        gone = classroom in self.deleted_classes
        return set() if gone else (self.seated[classroom] & self.places[classroom]) - set(self.deleted)

    def may_take_out(self, by: str, teacher: str, classroom: str) -> bool:
        order = self.teachers[classroom]
        return len(order) > 1 and order.index(by) <= order.index(teacher)


@dataclass
class Offer:
    pk: int
    by: str
    """Students whose removal from the class deletes their account."""


@dataclass
class Invitation:
    classroom: str
    by: str
    whom: str
    token: str
    is_open: bool = True


_RUN_NUMBERS = count(1)


class Site(RuleBasedStateMachine):
    """Every action that changes visibility, done by people who may and by people who may not."""

    def __init__(self) -> None:
        super().__init__()
        self.undone = transaction.atomic()
        # Code inside runs its own transactions, as in any other test.
        self.undone._from_testcase = True
        self.undone.__enter__()
        cache.clear()
        self.truth = Truth()
        self.people: dict[str, User] = {name: make_adult(name) for name in ADULTS}
        self.classes: dict[str, Classroom] = {
            name: make_classroom(self.people[by], name) for name, by in FOUNDERS.items()
        }
        for name, children in PLACES.items():
            for child in sorted(children):
                self.people[child] = enrol(self.classes[name], f"{child} Okonkwo")[0].student
        self.people[HOME_CHILD] = make_home_child(HOME_CHILD, by=self.people["Okafor"])
        self.truth.guardians[HOME_CHILD].add("Okafor")
        self.clients = {name: Client() for name in VIEWERS}
        for name, person in self.people.items():
            assert person.display_name == name
            self.clients[name].force_login(person)
        self.invitations: list[Invitation] = []
        self.codes: list[tuple[str, str]] = []
        """A child, and a code that makes somebody their guardian."""
        self.offers: dict[str, Offer] = {}
        """Children offered to the other class."""
        self.lessons: dict[str, str] = {}
        self.over: set[str] = set()
        """Classes whose lesson ended when they were archived."""
        self.removed: set[tuple[str, str]] = set()
        """Classes and their just removed teachers: the page says so instead of 404, and does nothing."""
        self.retired: set[str] = set()
        """Pages of enrolments in deleted classes."""
        self.before: dict[tuple[str, str], bool] = {}
        self.rng = random.Random(f"{run_seed()} {next(_RUN_NUMBERS)}")

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.undone.__exit__(None, None, None)

    # Actions

    def post(self, who: str, page: str, *args: Any, **form: object) -> HttpResponse:
        cache.clear()
        return self.clients[who].post(reverse(page, args=args), form)

    def attempt(self, who: str, allowed: set[str], page: str, *args: Any, **form: object) -> bool:
        """Try an action; return whether it was allowed, which the response must match."""
        answer = self.post(who, page, *args, **form)
        assert answer.status_code < 500
        is_refused = answer.status_code in {403, 404}
        assert is_refused == (who not in allowed), f"{page} by {who}: {answer.status_code}"
        return not is_refused

    def somebody(self, who: str, rightly: int, allowed: set[str]) -> str:
        """Choose somebody who's allowed in three out of four cases."""
        return sorted(allowed)[VIEWERS.index(who) % len(allowed)] if rightly and allowed else who

    def place(self, child: str, classroom: str) -> Enrolment:
        return Enrolment.objects.get(student=self.people[child], classroom=self.classes[classroom])

    # Teachers

    @rule(
        who=st.sampled_from(ADULTS),
        rightly=st.integers(0, 3),
        name=st.sampled_from(CLASSES),
        whom=st.sampled_from(ADULTS),
    )
    def invite(self, who: str, rightly: int, name: str, whom: str) -> None:
        may = self.truth.teaching(name)
        who = self.somebody(who, rightly, may)
        if whom in self.truth.teachers[name]:
            return
        if self.attempt(who, may, "teach:invite", self.classes[name].pk, email=self.people[whom].email):
            for older in self.invitations:
                older.is_open = older.is_open and (older.classroom, older.whom) != (name, whom)
            made = TeacherInvitation.objects.filter(classroom=self.classes[name]).latest("pk")
            self.invitations.append(Invitation(name, who, whom, invitation_token(made)))

    @precondition(lambda self: self.invitations)
    @rule(data=st.data(), somebody_else=st.sampled_from([None, None, None, *ADULTS]))
    def accept(self, data: st.DataObject, somebody_else: str | None) -> None:
        """The invited person opens the link, or somebody it was forwarded to."""
        found = data.draw(st.sampled_from(self.invitations), "invitation")
        self._accept(found, somebody_else or found.whom)

    def _accept(self, found: Invitation, who: str) -> None:
        is_good = found.is_open and found.classroom not in self.truth.deleted_classes
        if self.attempt(who, {found.whom} if is_good else set(), "teach:invitation", found.token):
            found.is_open = False
            if who not in self.truth.teachers[found.classroom]:
                self.truth.teachers[found.classroom].append(who)

    @rule(
        who=st.sampled_from(ADULTS),
        rightly=st.integers(0, 3),
        name=st.sampled_from(CLASSES),
        whom=st.sampled_from(ADULTS),
    )
    def remove_teacher(self, who: str, rightly: int, name: str, whom: str) -> None:
        teachers = self.truth.teachers[name]
        may = self.truth.teaching(name)
        who = self.somebody(who, rightly, may)
        known = whom in teachers or (name, whom) in self.removed
        gone = {each for each in ADULTS if (name, each) in self.removed and each not in teachers}
        allowed = (may if known else set()) | (set() if name in self.truth.deleted_classes else gone)
        done = self.attempt(who, allowed, "teach:remove-teacher", self.classes[name].pk, self.people[whom].pk)
        if done and {who, whom} <= set(teachers) and self.truth.may_take_out(who, whom, name):
            teachers.remove(whom)
            self.removed.add((name, whom))
            for made in self.invitations:
                made.is_open = made.is_open and (made.classroom, made.by) != (name, whom)

    # Classes

    @rule(
        who=st.sampled_from(ADULTS),
        rightly=st.integers(0, 3),
        name=st.sampled_from(CLASSES),
        what=st.sampled_from(["archive", "restore", "delete", "undo", "undo"]),
    )
    def change_class(self, who: str, rightly: int, name: str, what: str) -> None:
        pk, gone = self.classes[name].pk, name in self.truth.deleted_classes
        may = set(self.truth.teachers[name]) if what == "undo" and gone else self.truth.teaching(name)
        may = set() if what == "undo" and not gone else may
        who = self.somebody(who, rightly, may)
        page = {"delete": "privacy:delete-class", "undo": "privacy:undo-class"}.get(what, f"teach:{what}")
        lesson = {"ending": self.lessons.get(name, "")} if what == "archive" else {}
        if not self.attempt(who, may, page, pk, **lesson):
            return
        if what == "archive":
            self.truth.archived.add(name)
            self.over.update({name} & set(self.lessons))
        elif what == "restore":
            self.truth.archived.discard(name)
        elif what == "delete":
            self._class_is_deleted(name)
        else:
            self.truth.deleted_classes.discard(name)
            for child in [child for child, went_with in self.truth.deleted.items() if went_with == name]:
                del self.truth.deleted[child]

    def _class_is_deleted(self, name: str) -> None:
        self.truth.deleted_classes.add(name)
        for child in self.truth.places[name] - set(self.truth.deleted):
            self.truth.deleted[child] = name

    # Students

    @rule(
        who=st.sampled_from(ADULTS),
        rightly=st.integers(0, 3),
        child=st.sampled_from(CHILDREN),
        what=st.sampled_from(["delete", "undo", "undo", "remove"]),
    )
    def change_student(self, who: str, rightly: int, child: str, what: str) -> None:
        if what == "remove":
            self._take_out(who, rightly, child)
            return
        is_gone = child in self.truth.deleted
        may = self.truth.deciding(child) if is_gone == (what == "undo") else set()
        who = self.somebody(who, rightly, may)
        if self.attempt(who, may, f"privacy:{what}-child", self.people[child].pk):
            if what == "delete":
                self.truth.deleted[child] = ""
            else:
                del self.truth.deleted[child]

    def _take_out(self, who: str, rightly: int, child: str) -> None:
        """Removing a student from their only class deletes their account."""
        for name in [name for name in CLASSES if child in self.truth.places[name]]:
            may = set() if child in self.truth.deleted else self.truth.teaching(name)
            who = self.somebody(who, rightly, may)
            page = "teach:student-remove"
            if self.attempt(who, may, page, self.classes[name].pk, self.place(child, name).pk):
                self.truth.deleted[child] = ""

    @rule(who=st.sampled_from(ADULTS), rightly=st.integers(0, 3), child=st.sampled_from(CHILDREN[:3]))
    def hand_over(self, who: str, rightly: int, child: str) -> None:
        (name,) = [name for name in CLASSES if child in self.truth.places[name]]
        (to,) = set(CLASSES) - {name}
        may = set() if child in self.truth.deleted else self.truth.teaching(name)
        who = self.somebody(who, rightly, may)
        place = self.place(child, name)
        done = self.attempt(who, may, "teach:student-move", self.classes[name].pk, place.pk, code=self.classes[to].code)
        if not done or to in self.truth.deleted_classes | self.truth.archived:
            return
        if who in self.truth.teachers[to]:
            self._has_moved(child, name, to, place)
        else:
            self.offers[child] = Offer(HandOver.objects.get(enrolment=place).pk, by=who)

    @precondition(lambda self: self.offers)
    @rule(who=st.sampled_from(ADULTS), rightly=st.integers(0, 3), data=st.data())
    def accept_hand_over(self, who: str, rightly: int, data: st.DataObject) -> None:
        """Nothing changes until a teacher of the other class accepts."""
        self._accept_hand_over(who, rightly, data.draw(st.sampled_from(sorted(self.offers)), "child"))

    def _accept_hand_over(self, who: str, rightly: int, child: str) -> None:
        (name,) = [name for name in CLASSES if child in self.truth.places[name]]
        (to,) = set(CLASSES) - {name}
        offer, may = self.offers[child], self.truth.teaching(to)
        who = self.somebody(who, rightly, may)
        place = self.place(child, name)
        done = self.attempt(who, may, "teach:hand-over-accept", self.classes[to].pk, offer.pk)
        is_open = child not in self.truth.deleted and offer.by in self.truth.teaching(name)
        if done and is_open and to not in self.truth.archived:
            self._has_moved(child, name, to, place)

    def _has_moved(self, child: str, name: str, to: str, place: Enrolment) -> None:
        self.truth.places[name].discard(child)
        self.truth.places[to].add(child)
        self.retired |= {reverse(page, args=[self.classes[name].pk, place.pk]) for page in STUDENT_PAGES}
        self.offers.pop(child, None)
        # New pictures and a new card sign the student out.
        self.clients[child].force_login(User.objects.get(pk=self.people[child].pk))

    # Guardians

    @rule(who=st.sampled_from(ADULTS), rightly=st.integers(0, 3), child=st.sampled_from(CHILDREN))
    def make_guardian_code(self, who: str, rightly: int, child: str) -> None:
        if child == HOME_CHILD:
            may = self.truth.caring(child)
            who = self.somebody(who, rightly, may)
            page, args = "family:invite", [self.people[child].pk]
        else:
            (name,) = [name for name in CLASSES if child in self.truth.places[name]]
            may = set() if child in self.truth.deleted else self.truth.teaching(name)
            who = self.somebody(who, rightly, may)
            page, args = "teach:student-code", [self.classes[name].pk, self.place(child, name).pk]
        answer = self.post(who, page, *args)
        assert (answer.status_code == 404) == (who not in may)
        if who in may:
            self.codes = [(whose, code) for whose, code in self.codes if whose != child]
            self.codes.append((child, re.search(r"\b[A-Z0-9]{5}-[A-Z0-9]{5}\b", answer.content.decode())[0]))

    @precondition(lambda self: self.codes)
    @rule(who=st.sampled_from(ADULTS), data=st.data())
    def use_guardian_code(self, who: str, data: st.DataObject) -> None:
        self._use(who, *data.draw(st.sampled_from(self.codes), "code"))

    def _use(self, who: str, child: str, code: str) -> None:
        answer = self.post(who, "family:code", code=code)
        if child in self.truth.deleted:
            assert answer.status_code == 422
            return
        assert answer.status_code == 302
        if who not in self.truth.guardians[child]:
            self.truth.guardians[child].add(who)
            self.codes.remove((child, code))

    @rule(
        who=st.sampled_from(ADULTS),
        rightly=st.integers(0, 3),
        child=st.sampled_from(CHILDREN),
        whom=st.sampled_from(ADULTS),
    )
    def unlink(self, who: str, rightly: int, child: str, whom: str) -> None:
        """A guardian leaves."""
        may = self.truth.caring(child)
        who = self.somebody(who, rightly, may)
        done = self.attempt(who, may, "family:unlink", self.people[child].pk)
        if done and (child != HOME_CHILD or len(self.truth.guardians[child]) > 1):
            self.truth.guardians[child].discard(who)

    @rule(who=st.sampled_from(ADULTS), rightly=st.integers(0, 3), child=st.sampled_from(CHILDREN[:3]))
    def unlink_as_teacher(self, who: str, rightly: int, child: str) -> None:
        (name,) = [name for name in CLASSES if child in self.truth.places[name]]
        link = Guardianship.objects.filter(child=self.people[child]).order_by("pk").first()
        if link is None:
            return
        may = set() if child in self.truth.deleted else self.truth.teaching(name)
        who = self.somebody(who, rightly, may)
        args = [self.classes[name].pk, self.place(child, name).pk, link.pk]
        if self.attempt(who, may, "teach:student-unlink", *args):
            guardian = next(each for each in ADULTS if self.people[each].pk == link.guardian_id)
            self.truth.guardians[child].discard(guardian)

    # Sequences that chance would seldom produce

    @rule(who=st.sampled_from(ADULTS), whom=st.sampled_from(ADULTS), child=st.sampled_from(CHILDREN))
    def become_a_guardian_and_try_to_delete(self, who: str, whom: str, child: str) -> None:
        """A guardian can't delete an account managed by the school."""
        self.make_guardian_code(who, 1, child)
        for code in [code for whose, code in self.codes if whose == child]:
            self._use(whom, child, code)
        if child != HOME_CHILD:
            self.change_student(whom, 0, child, "delete")

    @rule(child=st.sampled_from(CHILDREN[:3]), whom=st.sampled_from(ADULTS), is_removed=st.sampled_from([True, False]))
    def offer_as_a_new_teacher(self, child: str, whom: str, is_removed: bool) -> None:
        """An offer by a teacher who was removed from the class since is invalid."""
        (name,) = [name for name in CLASSES if child in self.truth.places[name]]
        first, *_others = self.truth.teachers[name]
        self.invite(first, 0, name, whom)
        for made in [each for each in self.invitations if (each.classroom, each.whom) == (name, whom)][-1:]:
            self._accept(made, whom)
        self.hand_over(whom, 0, child)
        if is_removed and child in self.offers and child in self.truth.places[name]:
            self.remove_teacher(first, 0, name, whom)
        if child in self.offers:
            self._accept_hand_over(ADULTS[0], 1, child)

    @rule(who=st.sampled_from(ADULTS), name=st.sampled_from(CLASSES), data=st.data())
    def delete_a_class_and_bring_one_student_back(self, who: str, name: str, data: st.DataObject) -> None:
        """A deleted class gives nobody rights over its students."""
        before = sorted(self.truth.teaching(name))
        self.change_class(who, 1, name, "delete")
        if before and self.truth.places[name]:
            child = data.draw(st.sampled_from(sorted(self.truth.places[name])), "child")
            self.change_student(before[0], 0, child, "undo")

    # A live lesson

    @rule(who=st.sampled_from(ADULTS), rightly=st.integers(0, 3), name=st.sampled_from(CLASSES))
    def open_lesson(self, who: str, rightly: int, name: str) -> None:
        if name in self.lessons:
            return
        may = set() if name in self.truth.archived else self.truth.teaching(name)
        who = self.somebody(who, rightly, may)
        if self.attempt(who, may, "lead:open", self.classes[name].pk):
            self.lessons[name] = Session.objects.filter(classroom=self.classes[name]).latest("pk").code

    @precondition(lambda self: self.lessons)
    @rule(child=st.sampled_from(CHILDREN), data=st.data())
    def attend(self, child: str, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.lessons)), "lesson")
        cache.clear()
        self.clients[child].get(reverse("session:device", args=[self.lessons[name]]))
        if name in self.over:
            return
        if name not in self.truth.deleted_classes and child in self.truth.places[name] - set(self.truth.deleted):
            self.truth.seated[name].add(child)

    # Checks

    def pages(self) -> Iterator[tuple[str, set[str]]]:
        """Every page about somebody, and who may see it."""
        truth = self.truth
        yield reverse("account"), set(VIEWERS) - {STRANGER} - set(truth.deleted)
        yield from ((path, set()) for path in self.retired)
        for name, classroom in self.classes.items():
            for page in CLASS_PAGES:
                yield reverse(page, args=[classroom.pk]), truth.teaching(name)
            for child in truth.places[name]:
                may = set() if child in truth.deleted else truth.teaching(name)
                place = self.place(child, name)
                for page in STUDENT_PAGES:
                    yield reverse(page, args=[classroom.pk, place.pk]), may
                (other,) = set(self.classes.values()) - {classroom}
                yield reverse("teach:student", args=[other.pk, place.pk]), set()
        for name, code in self.lessons.items():
            for page in LESSON_PAGES:
                yield reverse(page, args=[code]), truth.teaching(name)
            yield reverse("session:part", args=[code]), truth.attending(name)
        for child in CHILDREN:
            pk = self.people[child].pk
            for page in FAMILY_PAGES:
                yield reverse(page, args=[pk]), truth.caring(child)
            yield reverse("privacy:export-child", args=[pk]), truth.exporting(child)
            yield reverse("privacy:delete-child", args=[pk]), set() if child in truth.deleted else truth.deciding(child)

    @invariant()
    def everybody_sees_what_is_theirs_and_nothing_else(self) -> None:
        now = {(who, path): who in may for path, may in self.pages() for who in VIEWERS}
        changed = [each for each, sees in now.items() if self.before.get(each, False) != sees]
        others = self.rng.sample(sorted(now), OTHERS_A_STEP)
        for who, path in [*changed, *others]:
            assert self.sees(who, path) == now[who, path], f"{who} {path}"
        self.before = now

    def sees(self, who: str, path: str) -> bool:
        cache.clear()
        answer = self.clients[who].get(path)
        if answer.status_code == 302:
            # A request for the password counts as allowed, a redirect to sign-in doesn't.
            assert answer.headers["Location"].startswith("/account/"), answer.headers["Location"]
            return "reauthenticate" in answer.headers["Location"]
        assert answer.status_code in {200, 204, 404}, f"{who} {path}: {answer.status_code}"
        return answer.status_code != 404

    @invariant()
    def lists_name_nobody_else(self) -> None:
        who = self.rng.choice(ADULTS)
        truth = self.truth
        taught = {name for name in CLASSES if who in truth.teaching(name)}
        pupils = set().union(*(truth.places[name] for name in taught))
        self.assert_names(who, "teach:home", taught, CLASSES)
        self.assert_names(who, "family:home", {child for child in CHILDREN if who in truth.caring(child)}, CHILDREN)
        gone = {name for name in truth.deleted_classes if who in truth.teachers[name]}
        children = {child for child in truth.deleted if who in truth.deciding(child)}
        self.assert_names(who, "privacy:undo", gone | children, [*CLASSES, *CHILDREN], but=taught if children else ())
        assert children - {HOME_CHILD} <= pupils

    def assert_names(
        self, who: str, page: str, wanted: set[str], among: tuple[str, ...] | list[str], but: Any = ()
    ) -> None:
        """The page names exactly these people; `but` are names that may also appear."""
        # Messages about the last action name people only once; what's permanent is still there the second time.
        self.clients[who].get(reverse(page))
        text = unescape(self.clients[who].get(reverse(page)).content.decode())
        named = {name for name in among if name in text}
        assert wanted <= named <= wanted | set(but), f"{page} of {who} names {named}, not {wanted}"


@pytest.mark.django_db
def test_everybody_sees_what_is_theirs_and_nothing_else_whatever_people_do_to_one_another():
    machine = settings(
        max_examples=RUNS,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        derandomize=False,
        # No shrinking, which would take minutes; the printed steps are few enough to read.
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(seed(run_seed())(Site), settings=machine)
    except BaseException as error:
        error.add_note(how_to_repeat())
        raise


@pytest.mark.django_db
def test_a_student_who_is_handed_over_leaves_the_old_lesson_behind():
    teacher, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom, other = make_classroom(teacher), make_classroom(colleague, "Class 3A")
    (place,) = enrol(classroom, "Mia Okafor")
    lesson = leading.open_session(classroom, by=teacher)
    client = signed_in(place.student)
    part = reverse("session:part", args=[lesson.code])
    client.get(reverse("session:device", args=[lesson.code]))
    assert client.get(part).status_code == 200
    Enrolment.objects.filter(pk=place.pk).update(classroom=other)
    assert client.get(part).status_code == 404
    assert client.post(reverse("session:act", args=[lesson.code])).status_code == 404


# Guards that random steps seldom reach


@pytest.mark.django_db
def test_a_guardian_takes_a_school_childs_data_out_and_does_not_delete_the_account():
    teacher, guardian = make_adult("Rivera"), make_adult("Okafor")
    (place,) = enrol(make_classroom(teacher), "Mia Okafor")
    Guardianship.objects.create(guardian=guardian, child=place.student)
    client, pk = signed_in(guardian), place.student_id
    assert client.get(reverse("privacy:export-child", args=[pk])).status_code == 200
    assert client.get(reverse("privacy:delete-child", args=[pk])).status_code == 404
    assert client.post(reverse("privacy:delete-child", args=[pk])).status_code == 404
    assert User.objects.get(pk=pk).is_active
    assert signed_in(teacher).post(reverse("privacy:delete-child", args=[pk])).status_code == 302
    assert client.post(reverse("privacy:undo-child", args=[pk])).status_code == 404
    assert not User.objects.get(pk=pk).is_active


@pytest.mark.django_db
def test_what_a_removed_teacher_offered_is_not_handed_over():
    founder, helper, receiver = make_adult("Rivera"), make_adult("Stone"), make_adult("Park")
    classroom, other = make_classroom(founder), make_classroom(receiver, "Class 3A")
    accept(invite(classroom, str(helper.email), by=founder), helper)
    (place,) = enrol(classroom, "Mia Okafor")
    args = [classroom.pk, place.pk]
    assert signed_in(helper).post(reverse("teach:student-move", args=args), {"code": other.code}).status_code == 302
    offer = HandOver.objects.get(enrolment=place)
    remove_teacher(classroom, helper, by=founder)
    signed_in(receiver).post(reverse("teach:hand-over-accept", args=[other.pk, offer.pk]))
    assert list(Enrolment.objects.filter(student=place.student)) == [place]
    assert signed_in(receiver).get(reverse("teach:student", args=[other.pk, place.pk])).status_code == 404
