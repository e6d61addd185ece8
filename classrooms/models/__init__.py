"""What is kept about people: as little as the site can do its work with."""

from classrooms.models.assignments import Assignment, Task
from classrooms.models.classes import Classroom, Enrolment, Group, RosterImport, TeacherInvitation
from classrooms.models.people import GuardianCode, Guardianship, Kind, User
from classrooms.models.records import Action, AuditEntry, Letter

__all__ = [
    "Action",
    "Assignment",
    "AuditEntry",
    "Classroom",
    "Enrolment",
    "Group",
    "GuardianCode",
    "Guardianship",
    "Kind",
    "Letter",
    "RosterImport",
    "Task",
    "TeacherInvitation",
    "User",
]
