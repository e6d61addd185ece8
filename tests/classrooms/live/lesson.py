"""A lesson for tests: a class with its teacher and a device for each student, using the site's pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.test import Client

from classrooms.models import Activity, Attendee, Session, User
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

NAMES = ("Mia Okafor", "Noah Brandt", "Lina Haddad", "Theo Martin", "Ines Lopez", "Sam Lee", "Zoe Stern", "Ben Adler")


@dataclass
class Lesson:
    code: str
    teacher: Client
    devices: list[Client]

    @property
    def session(self) -> Session:
        return Session.objects.get(code=self.code)

    @property
    def seats(self) -> list[Attendee]:
        return list(self.session.attendees.all())

    @property
    def activity(self) -> Activity:
        return self.session.activities.get(number=self.session.activities.count())

    def begin(self, kind: str, **options: Any):
        """Start an activity from the remote."""
        form = {f"{kind}-{name}": value for name, value in options.items()}
        return self.teacher.post(f"/teach/session/{self.code}/begin/{kind}/", form, headers={"HX-Request": "true"})

    def steer(self, order: str, **form: Any):
        form = {"round": self.activity.round, **form}
        return self.teacher.post(f"/teach/session/{self.code}/steer/{order}/", form, headers={"HX-Request": "true"})

    def order(self, order: str):
        return self.teacher.post(f"/teach/session/{self.code}/do/{order}/", headers={"HX-Request": "true"})

    def give_paper(self, *students: User):
        """Switch students to paper with the remote's checkboxes."""
        form = {"student": [each.pk for each in students]}
        return self.teacher.post(f"/teach/session/{self.code}/paper-seats/", form, headers={"HX-Request": "true"})

    def seat(self, place: int, order: str, **form: Any):
        """Send a seat command; places count from 0, like devices."""
        path = f"/teach/session/{self.code}/seat/{place + 1}/{order}/"
        return self.teacher.post(path, form, headers={"HX-Request": "true"})

    def act(self, place: int, **form: Any):
        """Send an answer from a device, by default for the current activity and round."""
        activity = self.activity
        form = {"activity": activity.number, "round": activity.round, **form}
        return self.devices[place].post(f"/session/{self.code}/act/", form, headers={"HX-Request": "true"})

    def device(self, place: int) -> str:
        """The content of a device's screen."""
        return self.devices[place].get(f"/session/{self.code}/part/").text

    def projector(self) -> str:
        return self.teacher.get(f"/teach/session/{self.code}/screen/part/").text

    def remote(self) -> str:
        return self.teacher.get(f"/teach/session/{self.code}/remote/part/").text

    def join(self, client: Client) -> Client:
        client.get(f"/session/{self.code}/")
        self.devices.append(client)
        return client

    def connect(self) -> None:
        """Open streams for everybody in the lesson."""
        self.session.attendees.filter(removed_at=None).update(is_connected=True)


def a_lesson(students: int = 3, *, guests: bool = False) -> Lesson:
    """A session that this many students of the class have joined, with open streams."""
    teacher = make_adult("Rivera")
    classroom = make_classroom(teacher)
    enrolments = enrol(classroom, *NAMES[:students])
    client = signed_in(teacher)
    form = {"guests": "1"} if guests else {}
    response = client.post(f"/teach/session/open/{classroom.pk}/", form)
    code = response.headers["Location"].split("/")[3]
    lesson = Lesson(code, client, [])
    for enrolment in enrolments:
        lesson.join(signed_in(enrolment.student))
    lesson.connect()
    return lesson
