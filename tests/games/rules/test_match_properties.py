"""Property tests: the rules hold whatever players do, legal or not."""

import json
from dataclasses import replace

from hypothesis import event, given, settings
from hypothesis import strategies as st

from games.rules import EDITIONS, FULL_DECK, Options, decide, find_sets, new_match, replay
from games.rules import commands as ask
from games.rules import events as did
from games.rules.editions import Votes
from games.rules.errors import Refused
from games.rules.records import event_from, event_record, match_from, match_record, options_from, options_record
from games.rules.state import Ending, MatchState, Phase

SEATS = range(9)  # one more than can sit
PLAYED = did.DealBegan | did.Called | did.SetTaken | did.Agreed | did.TookBack | did.GaveUp


@st.composite
def all_options(draw) -> Options:
    options = Options.of(draw(st.sampled_from(list(EDITIONS))), easy=draw(st.booleans()), alone=draw(st.booleans()))
    return replace(
        options,
        window=draw(st.sampled_from([None, 1.0, 5.0])),
        votes=draw(st.sampled_from(Votes)),
        quick=draw(st.booleans()),
        relaxed=draw(st.booleans()),
    )


seats = st.sampled_from(SEATS)
# A pick is generated as numbers, and mapped to cards on the table when it's made.
wishes = st.tuples(st.sampled_from(["a SET", "any of the table", "any of the deck", "too few"]), st.randoms())
commands = st.one_of(
    st.builds(ask.Join, st.none() | seats),
    st.builds(ask.Leave, seats),
    st.builds(ask.Connect, seats),
    st.builds(ask.Disconnect, seats),
    st.builds(ask.Deal, seats),
    st.builds(ask.Call, seats),
    st.tuples(seats, wishes),
    st.tuples(st.just("caller"), wishes),
    st.builds(ask.Withdraw, seats),
    st.just("all agree"),
    st.builds(ask.AgreeNoSet, seats),
    st.builds(ask.TakeBack, seats),
    st.just(ask.Pause()),
    st.just(ask.Resume()),
    st.just(ask.LayThree()),
    st.builds(ask.GiveTime, seats, st.sampled_from([1.0, 1.5, 3.0])),
    st.builds(ask.Rename, seats),
    st.just(ask.Tick()),
)
steps = st.lists(st.tuples(commands, st.sampled_from([0.0, 0.5, 6.0])), max_size=120)


def wished_cards(match: MatchState, wish) -> tuple:
    kind, rng = wish
    found = find_sets(match.table)
    if kind == "a SET" and found:
        return rng.choice(found)
    if kind == "any of the deck" or len(match.table) < 3:
        return tuple(rng.choices(FULL_DECK, k=3))
    return tuple(rng.sample(match.table, 3 if kind == "any of the table" else 2))


def real_commands(match: MatchState, drawn) -> list:
    if drawn == "all agree":
        return [ask.AgreeNoSet(seat) for seat in sorted(match.voters)]
    if isinstance(drawn, tuple):
        who, wish = drawn
        if who == "caller":
            who = match.control.seat if match.control else 0
        return [ask.Pick(who, wished_cards(match, wish))]
    return [drawn]


class Play:
    """A match with its log; every step checks the invariants."""

    def __init__(self, options: Options) -> None:
        self.start = self.match = new_match(options, seed="property")
        self.log: list = []
        self.now = 0.0

    def attempt(self, command) -> None:
        before = match_record(self.match)
        try:
            events = decide(self.match, command, self.now)
        except Refused as refused:
            event(f"refused: {refused.reason}")
            events = ()
        else:
            assert decide(self.match, command, self.now) == events
            if self.match.paused_at is not None:
                assert not any(isinstance(each, PLAYED) for each in events), "nobody plays while the clocks stand"
        assert match_record(self.match) == before
        self.match = replay(self.match, events)
        self.log += events
        check_always(self.match)

    def finish(self) -> None:
        """Everybody plays legal moves until the end."""
        for _ in range(1_000):
            if self.match.phase is Phase.OVER:
                return
            self.now += 100.0
            self.attempt(ask.Tick())
            self.attempt(ask.Resume())
            for command in self.sensible():
                self.attempt(command)
        raise AssertionError("the game does not end")

    def sensible(self) -> list:
        match = self.match
        if not match.seated:
            return [ask.Join()]
        seat = match.control.seat if match.control else match.seated[0].number
        if match.phase is Phase.WAITING:
            return [ask.Deal(seat)]
        found = find_sets(match.table)
        if found:
            return [ask.Call(seat), ask.Pick(seat, found[0])]
        return [ask.AgreeNoSet(number) for number in sorted(match.voters) or [seat]]


def check_always(match: MatchState) -> None:
    options = match.options
    if match.deal:
        cards = match.deck + match.table + match.taken
        assert sorted(cards) == sorted(options.deck), "every card is accounted for once"
    for seat in match.seats:
        assert seat.points == len(seat.sets) - seat.penalties
        assert seat.lost >= 0
        assert seat.owed >= 0
    assert len(match.table) <= options.most_cards
    assert len(match.seated) <= options.most_seats
    if match.control:
        assert match.phase is Phase.PLAYING
        assert match.seats[match.control.seat].is_seated
        assert match.control.deadline is None or match.paused_at is None or match.paused_at < match.control.deadline
    assert match.votes <= match.voters
    assert (match.phase is Phase.OVER) is (match.outcome is not None)
    if match.outcome and match.outcome.why is Ending.PLAYED_OUT:
        assert match.deck == ()
        assert not find_sets(match.table)
        assert len(match.table) % 3 == 0
        assert options.left_out or len(match.table) != 3


@settings(max_examples=400, deadline=None)
@given(all_options(), st.integers(0, 8), steps)
def test_any_sequence_of_commands_keeps_the_rules_and_every_game_ends(options, players, drawn_steps):
    play = Play(options)
    for _ in range(players):
        play.attempt(ask.Join())
    play.attempt(ask.Deal(0))
    for drawn, wait in drawn_steps:
        play.now += wait
        for command in real_commands(play.match, drawn):
            play.attempt(command)
    assert replay(play.start, play.log) == play.match
    play.finish()
    event(f"ended: {play.match.outcome.why}")
    assert replay(play.start, play.log) == play.match
    stored = json.loads(json.dumps([event_record(each) for each in play.log]))
    assert [event_from(each) for each in stored] == play.log
    assert match_from(json.loads(json.dumps(match_record(play.match)))) == play.match
    assert options_from(json.loads(json.dumps(options_record(options)))) == options
