"""Who plays with whom in a team activity. If the teacher has made no teams, everybody is one team."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from classrooms.models import Activity, Attendee

EVERYBODY = 0


@dataclass(frozen=True, slots=True)
class Team:
    """Those who play together, in the order of their seats. Students without a device can't play."""

    number: int
    """Zero for everybody."""
    members: tuple[Attendee, ...]

    @property
    def there(self) -> tuple[Attendee, ...]:
        """The connected members, or all if none is: without JavaScript nobody ever counts as connected."""
        return tuple(each for each in self.members if each.is_connected) or self.members


def teams(activity: Activity) -> list[Team]:
    """The present teams, ordered by number."""
    members: dict[int, list[Attendee]] = {}
    for each in _players(activity):
        members.setdefault(each.team or EVERYBODY, []).append(each)
    return [Team(number, tuple(members[number])) for number in sorted(members)]


def own_team(activity: Activity, attendee: Attendee) -> Team:
    """Somebody's team. Only its members are read."""
    return Team(attendee.team or EVERYBODY, tuple(_players(activity).filter(team=attendee.team)))


def give_teams(activity: Activity) -> None:
    """Put each player without a team into the smallest one, unless nobody has a team."""
    players = list(_players(activity))
    sizes = {each.team: 0 for each in players if each.team}
    for each in players:
        if each.team:
            sizes[each.team] += 1
    for each in players:
        if sizes and not each.team:
            smallest = min(sizes, key=lambda team: (sizes[team], team))
            Attendee.objects.filter(pk=each.pk).update(team=smallest)
            sizes[smallest] += 1


def _players(activity: Activity) -> QuerySet[Attendee]:
    return activity.session.attendees.filter(removed_at=None, is_on_paper=False)
