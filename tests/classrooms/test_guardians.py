"""Guardians: codes on paper, links and their end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from classrooms.accounts import guardians
from classrooms.accounts.guardians import BadCode, LastGuardian, Why, make_code, unlink, use_code
from classrooms.classes.students import make_home_child
from classrooms.models import Action, AuditEntry, GuardianCode, Guardianship, User
from tests.classrooms.people import enrol, make_adult, make_classroom

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]


@pytest.fixture
def teacher() -> User:
    return make_adult("Rivera")


@pytest.fixture
def child(teacher) -> User:
    return enrol(make_classroom(teacher), "Mia Okafor")[0].student


def refusal(text: str, by: User) -> Why:
    with pytest.raises(BadCode) as error:
        use_code(text, by=by)
    return error.value.why


def test_a_code_is_two_groups_of_five_and_only_its_fingerprint_is_kept(child, teacher):
    code = make_code(child, by=teacher)
    first, second = code.split("-")
    assert (len(first), len(second)) == (5, 5)
    kept = GuardianCode.objects.get()
    assert first not in str(vars(kept))
    assert second not in str(vars(kept))
    assert kept.expires_at - kept.made_at == timedelta(days=guardians.CODE_DAYS)


def test_a_code_links_a_guardian_however_it_is_typed(child, teacher):
    parent = make_adult("Ada")
    code = make_code(child, by=teacher)
    link = use_code("  " + code.lower().replace("-", " \u2013 ") + " ", by=parent)
    assert (link.guardian, link.child) == (parent, child)


def test_a_code_works_once(child, teacher):
    code = make_code(child, by=teacher)
    use_code(code, by=make_adult("Ada"))
    assert refusal(code, make_adult("Bea")) is Why.USED
    assert Guardianship.objects.count() == 1


def test_of_two_who_use_a_code_at_once_one_is_linked(child, teacher, monkeypatch):
    code = make_code(child, by=teacher)
    bea, real = make_adult("Bea"), Guardianship.objects.filter

    def meanwhile(**wanted):
        # Bea finishes between the other request's read and write.
        monkeypatch.undo()
        use_code(code, by=bea)
        return real(**wanted)

    monkeypatch.setattr(Guardianship.objects, "filter", meanwhile)
    assert refusal(code, make_adult("Ada")) is Why.USED
    assert [link.guardian for link in Guardianship.objects.all()] == [bea]


def test_a_code_that_nobody_made_is_unknown(child):
    assert refusal("BCDFG-HJKLM", make_adult("Ada")) is Why.UNKNOWN
    assert refusal("", make_adult("Ada")) is Why.UNKNOWN


def test_a_code_is_too_old_after_its_days(child, teacher):
    code = make_code(child, by=teacher)
    GuardianCode.objects.update(expires_at=timezone.now())
    assert refusal(code, make_adult("Ada")) is Why.TOO_OLD


def test_a_new_code_ends_the_older_ones_of_that_child_only(child, teacher):
    sister = make_home_child("Zoe", by=teacher)
    old, of_sister = make_code(child, by=teacher), make_code(sister, by=teacher)
    new = make_code(child, by=teacher)
    parent = make_adult("Ada")
    assert refusal(old, parent) is Why.TOO_OLD
    use_code(new, by=parent)
    use_code(of_sister, by=parent)
    assert parent.children_links.count() == 2


def test_a_code_for_a_deleted_child_is_unknown(child, teacher):
    code = make_code(child, by=teacher)
    User.objects.filter(pk=child.pk).update(deleted_at=timezone.now())
    assert refusal(code, make_adult("Ada")) is Why.UNKNOWN


def test_who_is_linked_already_leaves_the_code_for_somebody_else(child, teacher):
    ada, bea = make_adult("Ada"), make_adult("Bea")
    first = use_code(make_code(child, by=teacher), by=ada)
    code = make_code(child, by=teacher)
    assert use_code(code, by=ada) == first
    assert use_code(code, by=bea).guardian == bea


def test_many_wrong_codes_hold_up_that_guardian_only(child, teacher):
    ada, bea = make_adult("Ada"), make_adult("Bea")
    code = make_code(child, by=teacher)
    for _try in range(guardians.WRONG_CODES.most):
        assert refusal("BCDFG-HJKLM", ada) is Why.UNKNOWN
    assert refusal(code, ada) is Why.TOO_MANY
    assert use_code(code, by=bea).guardian == bea


def test_a_guardian_can_leave_and_the_child_stays(child, teacher):
    parent = make_adult("Ada")
    unlink(use_code(make_code(child, by=teacher), by=parent), by=parent)
    assert not Guardianship.objects.exists()
    assert User.objects.filter(pk=child.pk).exists()


def test_a_teacher_can_end_a_link(child, teacher):
    link = use_code(make_code(child, by=teacher), by=make_adult("Ada"))
    unlink(link, by=teacher, classroom=child.classrooms_joined.get())
    entry = AuditEntry.objects.get(action=Action.UNLINKED_GUARDIAN)
    assert (entry.actor, entry.person) == (teacher.pk, child.pk)


def test_the_last_guardian_of_a_home_child_cannot_leave(teacher):
    ada, bea = make_adult("Ada"), make_adult("Bea")
    child = make_home_child("Zoe", by=ada)
    link = child.guardian_links.get()
    with pytest.raises(LastGuardian):
        unlink(link, by=ada)
    use_code(make_code(child, by=ada), by=bea)
    unlink(link, by=ada)
    assert [each.guardian for each in child.guardian_links.all()] == [bea]


def test_a_deleted_guardian_does_not_count_as_another():
    ada, bea = make_adult("Ada"), make_adult("Bea")
    child = make_home_child("Zoe", by=ada)
    use_code(make_code(child, by=ada), by=bea)
    User.objects.filter(pk=bea.pk).update(deleted_at=timezone.now())
    with pytest.raises(LastGuardian):
        unlink(child.guardian_links.get(guardian=ada), by=ada)


def test_codes_and_links_are_noted(child, teacher):
    parent = make_adult("Ada")
    unlink(use_code(make_code(child, by=teacher), by=parent), by=parent)
    actions = [Action.MADE_CODE, Action.LINKED_GUARDIAN, Action.UNLINKED_GUARDIAN]
    noted = AuditEntry.objects.filter(person=child.pk, action__in=actions).order_by("pk")
    assert [(entry.action, entry.actor) for entry in noted] == [
        (actions[0], teacher.pk),
        (actions[1], parent.pk),
        (actions[2], parent.pk),
    ]
