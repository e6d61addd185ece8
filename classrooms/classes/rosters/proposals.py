"""What a list of students would change in a class: shown first, and then written a few rows at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Q, TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from classrooms.accounts.names import TakenNames, display_name_for
from classrooms.audit import note
from classrooms.classes.rosters.files import MOST_BYTES, read_files
from classrooms.classes.rosters.oneroster import ListedClass, belongs_to_export, check_class
from classrooms.classes.rosters.row_form import Row
from classrooms.classes.rosters.tables import BadFile, Fault, too_big
from classrooms.classes.students import MOST_IN_CLASS, NewStudent, add_students, change_students, groups_of
from classrooms.models import Action, Classroom, Enrolment, RosterImport, User
from core.db.chunks import delete_in_chunks
from core.db.locks import LockLevel, lock_rows
from core.offload import OffloadFailed, offload

CHUNK = 40
"""Rows per transaction. Creating an account takes half a millisecond, and games have to wait meanwhile."""

_LISTS = 10


class What(TextChoices):
    """What happens to a row's student."""

    ADDED = "added", _("added")
    CHANGED = "changed", _("changed")
    SAME = "same", _("left alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A row of a list and what it would change."""

    row: Row
    what: What
    enrolment: int | None = None
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Old and new values by field: `real_name`, `display_name`, `group` and `source_id`."""

    @property
    def cells(self) -> list[tuple[str, str, bool]]:
        """For each column the old value, the new one, and whether they differ."""
        cells = []
        for column in ("real_name", "display_name", "group", "source_id"):
            was, will = self.changes.get(column, ("", getattr(self.row, column)))
            cells.append((was, will, column in self.changes))
        return cells

    def record(self) -> dict[str, Any]:
        return {**asdict(self), "what": self.what.value}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Planned:
        changes = {name: (was, will) for name, (was, will) in record["changes"].items()}
        return cls(
            row=Row(**record["row"]),
            what=What(record["what"]),
            enrolment=record["enrolment"],
            changes=changes,
        )


# Reading


def read_uploads(files: Sequence[UploadedFile[bytes]]) -> list[Row] | list[ListedClass]:
    """Read uploaded files, refusing too large ones first. If there are several, only those of an export count."""
    if len(files) > 1:
        files = [file for file in files if belongs_to_export(file.name or "")] or files[:1]
    if any((file.size or 0) > MOST_BYTES for file in files):
        raise too_big(MOST_BYTES)
    try:
        return offload(read_files, {file.name or "": file.read() for file in files})
    except OffloadFailed as error:
        raise BadFile(Fault(gettext("This file takes too long to read. Save it again as CSV and try that."))) from error


# Planning


class _Register:
    """The students of a class, indexed to find those of a list among them."""

    def __init__(self, classroom: Classroom, only: Q | None = None) -> None:
        """`only` filters out enrolments that can't match, so that less is read while others wait for the lock."""
        self.enrolments = {each.pk: each for each in classroom.enrolments.present().filter(only or Q())}
        self.by_id = {each.source_id: each for each in self.enrolments.values() if each.source_id}
        # By name and by whether there's an id, in order of joining. Dictionaries, since removing from lists is slow.
        self.by_name: dict[tuple[str, bool], dict[int, Enrolment]] = {}
        for each in self.enrolments.values():
            self._namesakes(each.real_name, has_id=bool(each.source_id))[each.pk] = each
        self.how_many = Counter(each.real_name for each in self.enrolments.values())
        # Deleted students' names count, too, because they may come back.
        self.shown = Counter(classroom.enrolments.values_list("student__display_name", flat=True))

    def find(self, row: Row) -> Enrolment | None:
        """Find a row's student by the school's id, or else by exact name. Nobody is found twice.

        A row with an id never matches by name a student with another id.
        """
        found = self.by_id.get(row.source_id) if row.source_id else None
        if found is None:
            first = [next(iter(self._namesakes(row.real_name, has_id=False).values()), None)]
            if not row.source_id:
                first.append(next(iter(self._namesakes(row.real_name, has_id=True).values()), None))
            # The one who was added first, as if they were all in one list.
            found = min(filter(None, first), key=lambda each: each.pk, default=None)
        if found:
            self._namesakes(found.real_name, has_id=bool(found.source_id)).pop(found.pk, None)
            self.by_id.pop(found.source_id, None)
        return found

    def _namesakes(self, name: str, *, has_id: bool) -> dict[int, Enrolment]:
        return self.by_name.setdefault((name, has_id), {})

    def changes(self, row: Row, found: Enrolment) -> dict[str, tuple[str, str]]:
        """The changes that a row makes to a student. None if several have the name and there's no id to tell which."""
        if not row.source_id and self.how_many[row.real_name] > 1:
            return {}
        shown = found.student.display_name
        wanted = "" if found.student.is_home or self.shown[row.display_name] else row.display_name
        both = {
            "real_name": (found.real_name, row.real_name),
            "display_name": (shown, wanted),
            "group": (found.group.name if found.group else "", row.group),
            "source_id": (found.source_id, row.source_id),
        }
        changes = {name: (was, will) for name, (was, will) in both.items() if will and will != was}
        if "display_name" in changes:
            self.shown[wanted] += 1
        return changes


def plan(classroom: Classroom, rows: Iterable[Row], *, generated: bool = False) -> list[Planned]:
    """What a list would change in a class, row by row. A list never removes anybody."""
    register = _Register(classroom)
    planned: list[Planned] = []
    new: list[tuple[int, Row]] = []
    for row in rows:
        found = register.find(row)
        if found is None:
            new.append((len(planned), row))
            planned.append(Planned(row=row, what=What.ADDED))
            continue
        changes = register.changes(row, found)
        what = What.CHANGED if changes else What.SAME
        planned.append(Planned(row=_filled(row, found), what=what, enrolment=found.pk, changes=changes))
    # Display names are chosen last, so that none collides with one that another student is about to get.
    taken = TakenNames(register.shown)
    for place, row in new:
        name = display_name_for(row.display_name, row.real_name, taken, generated=generated)
        taken.add(name)
        planned[place] = Planned(row=replace(row, display_name=name), what=What.ADDED)
    return planned


def _filled(row: Row, found: Enrolment) -> Row:
    """Complete a row with what's known about the student and isn't in the list."""
    return replace(
        row,
        display_name=found.student.display_name,
        group=row.group or (found.group.name if found.group else ""),
        source_id=row.source_id or found.source_id,
    )


def propose(
    classroom: Classroom, rows: Sequence[Row] | Sequence[ListedClass], *, by: User, generated: bool = False
) -> RosterImport:
    """Save what a list would change for review. If a file has several classes, the teacher chooses one first."""
    records: list[dict[str, Any]]
    match rows:
        case [ListedClass() as only]:
            check_class(only)
            records = _records(classroom, only.rows, generated=generated)
        case [ListedClass(), *_others]:
            records = [asdict(each) for each in rows]
        case _:
            records = _records(classroom, rows, generated=generated)  # type: ignore[arg-type]
    with transaction.atomic():
        classroom.imports.filter(made_by=by, done=0).delete()
        return classroom.imports.create(made_by=by, rows=records)


def _records(classroom: Classroom, rows: Sequence[Row], *, generated: bool) -> list[dict[str, Any]]:
    """The plan as it's stored. Raises `BadFile` if the class would get too large."""
    planned = plan(classroom, rows, generated=generated)
    there = classroom.enrolments.filter(student__deleted_at=None).count()
    total = there + sum(each.what is What.ADDED for each in planned)
    if total > MOST_IN_CLASS and total > there:
        words = {"count": total, "most": MOST_IN_CLASS}
        why = gettext("With this list the class would have %(count)s students. A class has room for %(most)s.") % words
        raise BadFile(Fault(why))
    return [each.record() for each in planned]


def has_choice(proposal: RosterImport) -> bool:
    """Whether the teacher still has to choose one of several classes."""
    return bool(proposal.rows) and "what" not in proposal.rows[0]


def listed_classes(proposal: RosterImport) -> list[ListedClass]:
    return [
        ListedClass(each["source_id"], each["title"], tuple(Row(**row) for row in each["rows"]))
        for each in proposal.rows
    ]


def choose(proposal: RosterImport, listed: ListedClass, *, generated: bool = False) -> None:
    """Continue with one of the classes, and delete the others' students at once."""
    check_class(listed)
    records = _records(proposal.classroom, listed.rows, generated=generated)
    with transaction.atomic():
        stored = RosterImport.objects.select_for_update().get(pk=proposal.pk)
        # The teacher may have already chosen in another tab and begun to write.
        if has_choice(stored):
            stored.rows = records
            stored.save(update_fields=["rows"])
    proposal.rows = stored.rows


def planned_rows(proposal: RosterImport) -> list[Planned]:
    return [Planned.from_record(record) for record in proposal.rows]


# Writing


def write_next(proposal: RosterImport, *, by: User) -> bool:
    """Write the next rows and the progress in one transaction. Returns whether there are more.

    Raises `ClassFull` if the class has filled up since the list was shown; rows already written stay.
    """
    with transaction.atomic():
        # Two lists for one class take turns, or both would add the same student.
        classroom = lock_rows(Classroom.objects.not_deleted(), LockLevel.CLASSROOM).get(pk=proposal.classroom_id)
        stored = RosterImport.objects.select_for_update().filter(pk=proposal.pk).first()
        if stored is None or has_choice(stored):
            return False
        _write(classroom, [Planned.from_record(each) for each in stored.rows[stored.done : stored.done + CHUNK]], by)
        proposal.done = stored.done = min(stored.done + CHUNK, len(stored.rows))
        if stored.done < len(stored.rows):
            stored.save(update_fields=["done"])
            return True
        note(by, Action.IMPORTED_ROSTER, classroom=classroom, amount=len(stored.rows))
        stored.delete()
        return False


def write_all(proposal: RosterImport, *, by: User) -> None:
    while write_next(proposal, by=by):
        pass


def _write(classroom: Classroom, planned: Sequence[Planned], by: User) -> None:
    """Write rows, after matching them again: somebody may have come or gone since the plan was made."""
    names = Q(real_name__in={each.row.real_name for each in planned})
    ids = Q(source_id__in={each.row.source_id for each in planned} - {""})
    register = _Register(classroom, names | ids | Q(pk__in={each.enrolment for each in planned if each.enrolment}))
    wanted = {each.row.group for each in planned if each.what is not What.SAME}
    groups = groups_of(classroom, wanted)
    new: list[NewStudent] = []
    changed: list[Enrolment] = []
    for each in planned:
        row, is_here = each.row, register.find(each.row) is not None
        if each.what is What.ADDED and not is_here:
            new.append(
                NewStudent(
                    real_name=row.real_name, display_name=row.display_name, group=row.group, source_id=row.source_id
                )
            )
        elif each.what is What.CHANGED and each.enrolment in register.enrolments:
            found = register.enrolments[each.enrolment]
            for name, (_was, will) in each.changes.items():
                if name == "display_name":
                    if register.shown[will]:
                        continue
                    register.shown[will] += 1
                    found.student.display_name = will
                else:
                    setattr(found, name, groups[will] if name == "group" else will)
            changed.append(found)
    change_students(classroom, changed, by=by)
    add_students(classroom, new, by=by)


def forget_imports(before: datetime) -> int:
    """Delete lists that weren't written, because they contain real names. Returns how many."""
    # Each contains a whole list, so only a few at a time.
    return delete_in_chunks(RosterImport.objects.filter(made_at__lt=before), _LISTS)
