"""What pages about people read."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch

from classrooms.models import Classroom, Enrolment, User
from games.queries import PlayedMatch, played_matches


@dataclass(frozen=True, slots=True)
class PersonGames:
    """One person and the games they have finished, the newest first."""

    name: str
    real_name: str
    games: tuple[PlayedMatch, ...]

    @property
    def won(self) -> int:
        return sum(game.is_won for game in self.games)


@dataclass(frozen=True, slots=True)
class TaughtClass:
    classroom: Classroom
    students: tuple[PersonGames, ...]


@dataclass(frozen=True, slots=True)
class About:
    """Everything the account page shows."""

    user: User
    taught: tuple[TaughtClass, ...]
    children: tuple[PersonGames, ...]
    own: PersonGames | None


def about(user: User) -> About:
    enrolments = Enrolment.objects.select_related("student").order_by("real_name")
    taught = list(user.classrooms_taught.prefetch_related(Prefetch("enrolments", enrolments)).order_by("name"))
    children = list(User.objects.filter(guardian_links__guardian=user).order_by("display_name"))
    students = [enrolment.student for classroom in taught for enrolment in classroom.enrolments.all()]
    played = played_matches([user, *children, *students])
    return About(
        user=user,
        taught=tuple(
            TaughtClass(
                classroom,
                tuple(
                    PersonGames(each.student.display_name, each.real_name, played.get(each.student_id, ()))
                    for each in classroom.enrolments.all()
                ),
            )
            for classroom in taught
        ),
        children=tuple(PersonGames(child.display_name, "", played.get(child.pk, ())) for child in children),
        own=PersonGames(user.display_name, "", played[user.pk]) if user.pk in played else None,
    )
