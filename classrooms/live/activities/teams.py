"""Who plays with whom in an activity of teams; where the teacher has made none, everybody is one team."""

from __future__ import annotations

from dataclasses import dataclass

from classrooms.models import Activity, Attendee

EVERYBODY = 0


@dataclass(frozen=True, slots=True)
class Team:
    """Those who play together, in the order of their seats; who has no device cannot."""

    number: int
    """Zero for everybody."""
    members: tuple[Attendee, ...]

    @property
    def there(self) -> tuple[Attendee, ...]:
        """The members who are connected; without scripts nobody ever is, and then all of them count."""
        return tuple(each for each in self.members if each.is_connected) or self.members


def teams(activity: Activity) -> list[Team]:
    """The teams as they are now, by their numbers."""
    members: dict[int, list[Attendee]] = {}
    for each in _players(activity):
        members.setdefault(each.team or EVERYBODY, []).append(each)
    return [Team(number, tuple(members[number])) for number in sorted(members)]


def own_team(activity: Activity, attendee: Attendee) -> Team:
    number = attendee.team or EVERYBODY
    members = (each for each in _players(activity) if (each.team or EVERYBODY) == number)
    return Team(number, tuple(members))


def give_teams(activity: Activity) -> None:
    """Put those who have no team into the smallest, one by one; unless nobody has one."""
    players = _players(activity)
    sizes = {each.team: 0 for each in players if each.team}
    for each in players:
        if each.team:
            sizes[each.team] += 1
    for each in players:
        if sizes and not each.team:
            smallest = min(sizes, key=lambda team: (sizes[team], team))
            Attendee.objects.filter(pk=each.pk).update(team=smallest)
            sizes[smallest] += 1


def _players(activity: Activity) -> list[Attendee]:
    return list(activity.session.attendees.filter(removed_at=None, is_on_paper=False))
