"""Rosters: what a list of students would change in a class, shown first and then written, some at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from classrooms.audit import note
from classrooms.models import Action, Classroom, Enrolment, RosterImport, User
from classrooms.names import display_name_for
from classrooms.rosters import files as roster_files
from classrooms.rosters.files import ListedClass, Row, Upload
from classrooms.students import NewStudent, add_students, change_students, groups_of

CHUNK = 250


class What(TextChoices):
    """What becomes of a row."""

    ADDED = "added", _("added")
    CHANGED = "changed", _("changed")
    SAME = "same", _("left alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A row of a list, and what it would do."""

    row: Row
    what: What
    enrolment: int | None = None
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What was and what would be, by `real_name`, `display_name`, `group` and `source_id`."""

    @property
    def cells(self) -> list[tuple[str, str, bool]]:
        """What was, what will be, and whether that is a change, column by column."""
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
    """What the files hold; one that is too large is refused before it is read. Of many, those of an export count."""
    if len(files) > 1:
        files = [file for file in files if roster_files.belongs_to_export(file.name or "")] or files[:1]
    if any((file.size or 0) > roster_files.MOST_BYTES for file in files):
        raise roster_files.too_big()
    return roster_files.read_files([Upload(file.name or "", file.read()) for file in files])


# Planning


class _Register:
    """Who is in a class, to find the students of a list among them."""

    def __init__(self, classroom: Classroom) -> None:
        self.enrolments = {each.pk: each for each in classroom.enrolments.present()}
        self.by_id = {each.source_id: each for each in self.enrolments.values() if each.source_id}
        self.by_name: dict[str, list[Enrolment]] = {}
        for each in self.enrolments.values():
            self.by_name.setdefault(each.real_name, []).append(each)
        self.how_many = Counter(each.real_name for each in self.enrolments.values())
        # With those who were removed: they may come back.
        self.shown = Counter(classroom.enrolments.values_list("student__display_name", flat=True))

    def find(self, row: Row) -> Enrolment | None:
        """By the school's own id, else by the exact name; nobody is found twice, and no other id is overwritten."""
        found = self.by_id.pop(row.source_id, None) if row.source_id else None
        if found:
            self.by_name[found.real_name].remove(found)
            return found
        same_name = self.by_name.get(row.real_name, [])
        found = next((each for each in same_name if not (row.source_id and each.source_id)), None)
        if found:
            same_name.remove(found)
            self.by_id.pop(found.source_id, None)
        return found

    def changes(self, row: Row, found: Enrolment) -> dict[str, tuple[str, str]]:
        """What a row says anew about a student; nothing, where two have the name and no id tells which is meant."""
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
    """What a list would do to a class, row by row. Nobody is ever removed by a list."""
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
    # Names are given out last, so that none is one that another student is about to get.
    taken = set(register.shown)
    for place, row in new:
        name = display_name_for(row.display_name, row.real_name, taken, generated=generated)
        taken.add(name)
        planned[place] = Planned(row=replace(row, display_name=name), what=What.ADDED)
    return planned


def _filled(row: Row, found: Enrolment) -> Row:
    """With what is known of the student and the list does not say."""
    return replace(
        row,
        display_name=found.student.display_name,
        group=row.group or (found.group.name if found.group else ""),
        source_id=row.source_id or found.source_id,
    )


def propose(
    classroom: Classroom, rows: Sequence[Row] | Sequence[ListedClass], *, by: User, generated: bool = False
) -> RosterImport:
    """Keep what a list would do, to be looked at; of several classes in a file, the teacher chooses one first."""
    records: list[dict[str, Any]]
    match rows:
        case [ListedClass() as only]:
            roster_files.check_class(only)
            records = [each.record() for each in plan(classroom, only.rows, generated=generated)]
        case [ListedClass(), *_others]:
            records = [asdict(each) for each in rows]
        case _:
            records = [each.record() for each in plan(classroom, rows, generated=generated)]  # type: ignore[arg-type]
    with transaction.atomic():
        classroom.imports.filter(made_by=by, done=0).delete()
        return classroom.imports.create(made_by=by, rows=records)


def has_choice(proposal: RosterImport) -> bool:
    """Whether it holds several classes of which one is still to be chosen."""
    return bool(proposal.rows) and "what" not in proposal.rows[0]


def listed_classes(proposal: RosterImport) -> list[ListedClass]:
    return [
        ListedClass(each["source_id"], each["title"], tuple(Row(**row) for row in each["rows"]))
        for each in proposal.rows
    ]


def choose(proposal: RosterImport, listed: ListedClass, *, generated: bool = False) -> None:
    """Go on with one of the classes; the students of the others are forgotten at once."""
    roster_files.check_class(listed)
    planned = plan(proposal.classroom, listed.rows, generated=generated)
    proposal.rows = [each.record() for each in planned]
    proposal.save(update_fields=["rows"])


def planned_rows(proposal: RosterImport) -> list[Planned]:
    return [Planned.from_record(record) for record in proposal.rows]


# Writing


def write_next(proposal: RosterImport, *, by: User) -> bool:
    """Write the next rows, and where they end in the same transaction. Says whether there are more."""
    with transaction.atomic():
        # Two lists for one class take turns, or both would add the same student.
        classroom = Classroom.objects.select_for_update().get(pk=proposal.classroom_id)
        kept = RosterImport.objects.select_for_update().filter(pk=proposal.pk).first()
        if kept is None or has_choice(kept):
            return False
        planned = planned_rows(kept)
        _write(classroom, planned[kept.done : kept.done + CHUNK], by)
        proposal.done = kept.done = min(kept.done + CHUNK, len(planned))
        if kept.done < len(planned):
            kept.save(update_fields=["done"])
            return True
        note(by, Action.IMPORTED_ROSTER, classroom=classroom, amount=len(planned))
        kept.delete()
        return False


def write_all(proposal: RosterImport, *, by: User) -> None:
    while write_next(proposal, by=by):
        pass


def _write(classroom: Classroom, planned: Sequence[Planned], by: User) -> None:
    """Looks again before it writes: since the plan was shown, somebody may have come or gone."""
    register = _Register(classroom)
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
                    found.student.display_name = will
                else:
                    setattr(found, name, groups[will] if name == "group" else will)
            changed.append(found)
    change_students(classroom, changed, by=by)
    add_students(classroom, new, by=by)


def forget_imports(before: datetime) -> int:
    """Drop lists that nobody has written since: they hold real names. Says how many."""
    old = RosterImport.objects.filter(made_at__lt=before)
    count = old.count()
    old.delete()
    return count
