"""Third-card relay: team members take turns to find the card that completes a pair to a SET.

Whoever gets it wrong sees why, and can try again or pass the pair on: it would hurt to be sent away after a mistake,
but also to be left alone with it. After a wrong try there are fewer cards to choose from, so only first tries count as
evidence of a skill.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.live.activities.base import FINISH, ActivityType, Order, Screen
from classrooms.live.activities.decks import DeckOptionsForm, is_easy
from classrooms.live.activities.teams import Team, give_teams, own_team, teams
from classrooms.live.answering import record_answer
from classrooms.live.changes import changed
from classrooms.live.errors import LessonRefusal
from classrooms.models import Activity, Attendee
from games.rules import Card, explain
from games.rules.triples import Verdict, third_card
from lessons.questions import Exercise, make_exercise
from lessons.skills import ExerciseKind, Wanted

GOALS = (5, 8, 10)
FIRST_DIFFICULTY, HARDEST, HARDEST_OF_EASY = 2, 4, 3
"""From difficulty 2 on, there are six cards to choose from."""
PAIRS_OF_A_DIFFICULTY = 2


class RelayForm(DeckOptionsForm):
    links = forms.TypedChoiceField(
        label=gettext_lazy("How many pairs"), choices=[(goal, goal) for goal in GOALS], coerce=int, initial=5
    )


@dataclass(frozen=True, slots=True)
class Track:
    """A team's progress."""

    team: Team
    done: int
    goal: int
    turn: Attendee | None
    """Whose turn it is; None if the team is empty or has arrived."""

    @property
    def has_arrived(self) -> bool:
        return self.done >= self.goal

    @property
    def steps(self) -> list[str]:
        """A CSS class for each pair: done, present, or still to come."""
        return ["is-done" if step < self.done else "is-now" if step == self.done else "" for step in range(self.goal)]


class Relay(ActivityType):
    slug = "relay"
    title = gettext_lazy("Third-card relay")
    about = gettext_lazy("Two cards: who is next in the team finds the third. Make teams first, or the class is one.")
    form = RelayForm
    has_rounds = False
    answers_reach_devices = True

    def begin(self, activity: Activity) -> dict[str, Any]:
        give_teams(activity)
        return {**super().begin(activity), "teams": {}}

    def attendee_changed(self, activity: Activity, attendee: Attendee) -> None:
        give_teams(activity)

    def came_or_went(self, activity: Activity, attendee: Attendee) -> None:
        """Update the devices if the turn moves to somebody else."""
        team = own_team(activity, attendee)
        for each in team.members:
            each.is_connected = each.is_connected or each.pk == attendee.pk
        turn = _member_on_turn(team, self._team_state(activity, team)["turn"])
        if turn and turn.pk == attendee.pk:
            changed(activity.session)

    def orders(self, activity: Activity) -> list[Order]:
        return [FINISH]

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        track = self.track(activity, own_team(activity, attendee))
        if track.has_arrived:
            raise LessonRefusal(_("Your team has arrived already."))
        if form.get("link") != str(track.done):
            raise LessonRefusal(_("Your team is at the next pair already. Look again."))
        if track.turn is None or track.turn.pk != attendee.pk:
            raise LessonRefusal(_("It is not your turn. Help by looking along."))
        here = self._team_state(activity, track.team)
        if "pass" in form:
            here["turn"] = _seat_after(track.team, attendee)
        elif self._answer(activity, attendee, track, form, now):
            here.update(done=track.done + 1, tried=[], turn=_seat_after(track.team, attendee))

    def _answer(self, activity: Activity, attendee: Attendee, track: Track, form: QueryDict, now: float) -> bool:
        """Save the chosen card. Returns whether it's right."""
        exercise = self.exercise(activity, track)
        tried = self._team_state(activity, track.team)["tried"]
        answer = exercise.read(form)
        chosen = answer["card"]
        if chosen in tried:
            raise LessonRefusal(_("That one was tried already. Choose another."))
        pair = f"{track.team.number}/{track.done}"
        graded = record_answer(
            activity,
            attendee,
            exercise,
            answer,
            now,
            key=f"{pair}/{chosen}",
            asked_as=pair,
            is_evidence=lambda _evidence: not tried,
            if_unreadable=_("Choose one of the cards."),
        )
        tried.append(chosen)
        return graded.is_right

    def exercise(self, activity: Activity, track: Track) -> Exercise:
        """The pair that a team is at. Each team has pairs of its own, as hard as the others'."""
        easy = is_easy(activity)
        difficulty = min(HARDEST_OF_EASY if easy else HARDEST, FIRST_DIFFICULTY + track.done // PAIRS_OF_A_DIFFICULTY)
        wanted = Wanted(ExerciseKind.THIRD_CARD, difficulty, easy=easy)
        return make_exercise(wanted, f"{activity.state['seed']}/{track.team.number}/{track.done}")

    def track(self, activity: Activity, team: Team) -> Track:
        here = self._team_state(activity, team)
        goal = activity.options["links"]
        turn = None if here["done"] >= goal else _member_on_turn(team, here["turn"])
        return Track(team, here["done"], goal, turn)

    def _team_state(self, activity: Activity, team: Team) -> dict[str, Any]:
        """A team's saved state: how many pairs are done, whose turn it is, and what was tried at this pair."""
        of_teams: dict[str, dict[str, Any]] = activity.state["teams"]
        return of_teams.setdefault(str(team.number), {"done": 0, "turn": 0, "tried": []})

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, tuple[Team, bool]]:
        """Each attendee's team, and whether it's their turn."""
        team_of = {each.pk: team for team in teams(activity) for each in team.members}
        own = {each.pk: team_of.get(each.pk) or own_team(activity, each) for each in attendees}
        turns = {team.number: self.track(activity, team).turn for team in own.values()}
        return {pk: (team, (turn := turns[team.number]) is not None and turn.pk == pk) for pk, team in own.items()}

    def device(self, activity: Activity, own: tuple[Team, bool]) -> Screen:
        team, is_own_turn = own
        track = self.track(activity, team)
        context: dict[str, object] = {"track": track, "is_own_turn": is_own_turn, "may_pass": len(team.there) > 1}
        if not track.has_arrived:
            tried = self._team_state(activity, team)["tried"]
            exercise = self.exercise(activity, track)
            context |= {
                "exercise": exercise,
                "tried": [Card.from_index(index) for index in tried],
                "verdict": _verdict(exercise, tried),
            }
        if track.done:
            context["before"] = self._found_before(activity, track)
        return Screen("session/relay/device.html", context)

    def projector(self, activity: Activity) -> Screen:
        tracks = [self.track(activity, team) for team in teams(activity)]
        have_arrived = bool(tracks) and all(track.has_arrived for track in tracks)
        context: dict[str, object] = {"tracks": tracks, "have_arrived": have_arrived}
        if len(tracks) == 1 and not have_arrived:
            context["exercise"] = self.exercise(activity, tracks[0])
        return Screen("session/relay/projector.html", context)

    def _found_before(self, activity: Activity, track: Track) -> tuple[Card, ...]:
        """The SET that the team completed last."""
        exercise = self.exercise(activity, Track(track.team, track.done - 1, track.goal, None))
        first, second = exercise.cards
        return first, second, third_card(first, second)


def _member_on_turn(team: Team, number: int) -> Attendee | None:
    """The member in the seat with this number if they're there, otherwise the next one who is."""
    later = [each for each in team.there if each.number >= number]
    return next(iter(later or team.there), None)


def _seat_after(team: Team, attendee: Attendee) -> int:
    turn = _member_on_turn(team, attendee.number + 1)
    return turn.number if turn else 0


def _verdict(exercise: Exercise, tried: list[int]) -> Verdict | None:
    """Why the card that was chosen last doesn't fit."""
    if not tried:
        return None
    first, second = exercise.cards
    return explain(first, second, Card.from_index(tried[-1]))


KIND = Relay()
