"""What is kept about people: as little as the site can do its work with."""

from classrooms.models.assignments import Assignment, Task
from classrooms.models.classes import Classroom, Enrolment, Group, RosterImport, TeacherInvitation
from classrooms.models.people import GuardianCode, Guardianship, Kind, User
from classrooms.models.records import Action, AuditEntry, Letter, Post
from classrooms.models.sessions import Activity, Answer, Attendee, Session, Stage

__all__ = [
    "Action",
    "Activity",
    "Answer",
    "Assignment",
    "Attendee",
    "AuditEntry",
    "Classroom",
    "Enrolment",
    "Group",
    "GuardianCode",
    "Guardianship",
    "Kind",
    "Letter",
    "Post",
    "RosterImport",
    "Session",
    "Stage",
    "Task",
    "TeacherInvitation",
    "User",
]
