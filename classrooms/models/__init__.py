"""The models about people, with as little data as the site can work with."""

from classrooms.models.assignments import Assignment, Task
from classrooms.models.classes import Classroom, Enrolment, Group, HandOver, RosterImport, TeacherInvitation
from classrooms.models.consents import Consent
from classrooms.models.devices import DeviceStanding, PictureTry, StudentDevice
from classrooms.models.people import AccountKind, GuardianCode, Guardianship, User
from classrooms.models.records import Action, AuditEntry, Letter, LetterKind
from classrooms.models.sessions import Activity, Answer, Attendee, Session, Stage, WaitingGuest

__all__ = [
    "AccountKind",
    "Action",
    "Activity",
    "Answer",
    "Assignment",
    "Attendee",
    "AuditEntry",
    "Classroom",
    "Consent",
    "DeviceStanding",
    "Enrolment",
    "Group",
    "GuardianCode",
    "Guardianship",
    "HandOver",
    "Letter",
    "LetterKind",
    "PictureTry",
    "RosterImport",
    "Session",
    "Stage",
    "StudentDevice",
    "Task",
    "TeacherInvitation",
    "User",
    "WaitingGuest",
]
