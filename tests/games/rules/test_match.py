"""The referee, rule by rule: calls, picks, votes, seats, deals and endings."""

import pytest

from games.rules import FULL_DECK, Card, Options, decide, find_sets, has_set, new_match, replay
from games.rules import commands as ask
from games.rules import events as did
from games.rules.editions import Votes
from games.rules.errors import BadOption, RefusalReason
from games.rules.state import Ending, Failing, Phase
from tests.games.rules.tables import Table, has_no_set, table_where

# The deal


def test_the_dealer_lays_twelve_cards_from_a_shuffled_deck():
    match = Table().match
    assert (len(match.table), len(match.deck), match.dealer, match.phase) == (12, 69, 0, Phase.PLAYING)
    assert sorted(match.table + match.deck) == list(FULL_DECK)
    assert match.table != FULL_DECK[:12]


def test_the_shuffle_comes_from_the_seed():
    assert Table(seed=5).match == Table(seed="5").match
    assert Table(seed=5).match.table != Table(seed=6).match.table


def test_a_match_needs_a_seed():
    with pytest.raises(BadOption):
        new_match(Options(), seed="")


def test_nobody_plays_before_the_deal():
    table = Table(dealt=False)
    for command in (ask.Call(0), ask.Pick(0, FULL_DECK[:3]), ask.AgreeNoSet(0), ask.TakeBack(0), ask.Withdraw(0)):
        table.refuses(command, RefusalReason.NOT_STARTED)


def test_a_deal_that_is_on_is_not_dealt_again():
    Table().refuses(ask.Deal(1), RefusalReason.ALREADY_STARTED)


def test_the_same_state_command_and_moment_give_the_same_events():
    match = Table().match
    assert decide(match, ask.Call(1), 7.0) == decide(match, ask.Call(1), 7.0)


def test_an_unknown_command_is_a_programming_error():
    with pytest.raises(TypeError):
        decide(Table().match, "call", 1.0)


# Calls


def test_the_first_call_gets_control_with_a_deadline():
    table = Table()
    table.do(ask.Call(1))
    assert (table.match.control.seat, table.match.control.deadline) == (1, 105.0)
    table.refuses(ask.Call(0), RefusalReason.BOARD_HELD)


def test_calling_again_while_in_control_changes_nothing():
    table = Table()
    table.do(ask.Call(1))
    assert table.do(ask.Call(1)) == ()


def test_without_a_window_control_does_not_run_out():
    table = Table(Options(window=None))
    table.do(ask.Call(0))
    table.now += 10_000
    assert table.do(ask.Tick()) == ()
    assert table.match.control.seat == 0


def test_no_three_cards_in_time_cost_a_point():
    table = Table()
    table.do(ask.Call(0))
    table.now = 104.99
    assert table.do(ask.Tick()) == ()
    table.now = 105.0
    assert table.do(ask.Tick()) == (did.CallFailed(at=105.0, seat=0, why=Failing.LATE, cost=1),)
    assert table.points() == [-1, 0]
    assert table.do(ask.Tick()) == ()


def test_a_pick_after_the_window_is_told_so_whether_or_not_the_clock_was_enforced_before():
    table = Table()
    table.do(ask.Call(0))
    table.now = 106.0
    late = ask.Pick(0, table.a_set())
    table.refuses(late, RefusalReason.WINDOW_OVER)
    table.do(ask.Tick())
    table.refuses(late, RefusalReason.WINDOW_OVER)
    assert table.points() == [-1, 0]


def test_whoever_touches_the_match_after_a_deadline_enforces_it_first():
    table = Table()
    table.do(ask.Call(0))
    table.now = 109.0
    failed, called = table.do(ask.Call(1))
    assert (failed.why, failed.at, called.seat, called.deadline) == (Failing.LATE, 105.0, 1, 114.0)


def test_a_caller_may_give_control_back_at_the_price_of_a_wrong_pick():
    table = Table()
    table.do(ask.Call(0))
    table.refuses(ask.Withdraw(1), RefusalReason.NOT_YOUR_CONTROL)
    table.do(ask.Withdraw(0))
    assert table.match.control is None
    assert table.points() == [-1, 0]


# Picks


def test_a_set_is_kept_for_a_point_and_replaced_in_place():
    table = Table()
    before, cards = table.match.table, table.a_set()
    (taken,) = table.take(1, cards)
    after = table.match.table
    assert taken.laid == tuple(card for card in after if card not in before)
    assert [place for place, card in enumerate(after) if card not in before] == sorted(map(before.index, cards))
    assert all(after[place] is card for place, card in enumerate(before) if card not in cards)
    assert table.points() == [0, 1]
    assert table.match.seats[1].sets[0].cards == cards
    assert table.match.control is None


def test_a_wrong_pick_costs_a_point_and_the_cards_stay():
    table = Table()
    before = table.match.table
    (failed,) = table.take(1, table.no_set())
    assert (failed.why, failed.cost) == (Failing.WRONG, 1)
    assert table.match.table == before
    assert table.points() == [0, -1]


def test_when_practice_is_relaxed_a_wrong_pick_costs_nothing():
    table = Table(Options(relaxed=True))
    table.take(0, table.no_set())
    assert table.points() == [0, 0]


def test_a_pick_needs_control():
    table = Table()
    pick = ask.Pick(0, table.a_set())
    table.refuses(pick, RefusalReason.CALL_FIRST)
    table.do(ask.Call(1))
    table.refuses(pick, RefusalReason.NOT_YOUR_CONTROL)


def test_a_pick_is_three_different_cards_of_the_table():
    table = Table()
    a, b, c = table.a_set()
    table.do(ask.Call(0))
    table.refuses(ask.Pick(0, ()), RefusalReason.FEWER_THAN_THREE)
    table.refuses(ask.Pick(0, (a, b)), RefusalReason.FEWER_THAN_THREE)
    table.refuses(ask.Pick(0, table.match.table[:4]), RefusalReason.MORE_THAN_THREE)
    table.refuses(ask.Pick(0, (a, b, a)), RefusalReason.SAME_CARD_TWICE)
    table.refuses(ask.Pick(0, (a, b, table.match.deck[0])), RefusalReason.NOT_ON_TABLE)
    assert table.match.control.seat == 0
    table.do(ask.Pick(0, (c, a, b)))
    assert table.points() == [1, 0]


def test_a_card_of_another_deck_is_not_on_the_table():
    table = Table(Options.of("us", easy=True))
    foreign = next(card for card in FULL_DECK if card not in table.match.options.deck)
    table.do(ask.Call(0))
    table.refuses(ask.Pick(0, (*table.match.table[:2], foreign)), RefusalReason.NOT_ON_TABLE)


def test_cards_that_another_has_just_taken_are_taken_and_cost_nothing():
    table = Table(Options(quick=True))
    cards = table.a_set()
    table.do(ask.Pick(1, cards))
    table.refuses(ask.Pick(0, cards), RefusalReason.TAKEN)
    other = next(card for card in table.match.table if card not in cards)
    table.refuses(ask.Pick(0, (cards[0], cards[1], other)), RefusalReason.TAKEN)
    assert table.points() == [0, 1]


def test_in_quick_play_the_third_card_is_call_and_pick_in_one_but_not_over_another_caller():
    table = Table(Options(quick=True))
    table.do(ask.Call(1))
    table.refuses(ask.Pick(0, table.a_set()), RefusalReason.NOT_YOUR_CONTROL)
    table.do(ask.Pick(1, table.no_set()))
    table.do(ask.Pick(0, table.a_set()))
    assert table.points() == [1, -1]


# Fifteen cards and more


def test_when_all_agree_three_more_cards_are_laid():
    table = table_where(has_no_set)
    table.do(ask.AgreeNoSet(0))
    assert table.match.votes == {0}
    (_, carried) = table.do(ask.AgreeNoSet(1))
    assert table.match.table[12:] == carried.laid
    assert (len(table.match.table), table.match.votes) == (15, frozenset())


def test_fifteen_cards_go_back_to_twelve_and_the_last_ones_close_the_gaps():
    table = table_where(lambda match: has_no_set(match) and has_set(match.table + match.deck[:3]))
    table.all_agree()
    before, cards = table.match.table, table.a_set()
    (taken,) = table.take(0, cards)
    after = table.match.table
    assert (taken.laid, len(after), len(table.match.deck)) == ((), 12, 66)
    assert all(after[place] is card for place, card in enumerate(before[:12]) if card not in cards)
    assert set(after) == set(before) - set(cards)


def test_at_fifteen_without_a_set_there_come_eighteen():
    table = table_where(lambda match: not has_set(match.table + match.deck[:3]))
    table.all_agree()
    table.all_agree()
    assert len(table.match.table) == 18


def test_a_checked_vote_is_refused_when_there_is_a_set_and_says_so():
    table = Table()
    assert has_set(table.match.table)
    assert isinstance(table.all_agree()[-1], did.VoteRefused)
    assert (len(table.match.table), table.match.votes) == (12, frozenset())


def test_a_vote_on_paper_is_taken_at_its_word():
    table = Table(Options(votes=Votes.PAPER))
    assert has_set(table.match.table)
    table.all_agree()
    assert len(table.match.table) == 15


def test_even_on_paper_no_more_cards_are_laid_where_there_must_be_a_set():
    table = Table(Options(votes=Votes.PAPER))
    for _ in range(3):
        table.all_agree()
    assert len(table.match.table) == 21
    assert isinstance(table.all_agree()[-1], did.VoteRefused)
    assert len(table.match.table) == 21


def test_an_agreement_can_be_taken_back():
    table = table_where(has_no_set)
    table.do(ask.AgreeNoSet(0))
    assert table.do(ask.AgreeNoSet(0)) == ()
    table.do(ask.TakeBack(0))
    assert table.do(ask.TakeBack(0)) == ()
    table.do(ask.AgreeNoSet(1))
    assert len(table.match.table) == 12


def test_calling_takes_the_callers_agreement_back_and_a_wrong_pick_keeps_the_others():
    table = table_where(has_no_set, players=3)
    table.do(ask.AgreeNoSet(0))
    table.do(ask.AgreeNoSet(1))
    table.do(ask.Call(1))
    assert table.match.votes == {0}
    table.refuses(ask.AgreeNoSet(2), RefusalReason.BOARD_HELD)
    table.do(ask.Pick(1, table.no_set()))
    assert table.match.votes == {0}


def test_a_new_table_starts_without_agreements():
    table = Table(players=3)
    table.do(ask.AgreeNoSet(0))
    table.take(1)
    assert table.match.votes == frozenset()


def test_only_seated_and_connected_players_count_in_a_vote():
    table = table_where(has_no_set, players=3)
    table.do(ask.AgreeNoSet(0))
    table.do(ask.Disconnect(1))
    assert len(table.match.table) == 12
    assert isinstance(table.do(ask.Leave(2))[-1], did.VoteCarried)
    assert len(table.match.table) == 15


def test_a_vote_that_is_complete_while_the_board_is_held_is_counted_when_it_is_free():
    table = table_where(has_no_set)
    table.do(ask.AgreeNoSet(0))
    table.do(ask.Call(1))
    table.do(ask.Disconnect(1))
    assert (len(table.match.table), table.match.control.seat) == (12, 1)
    table.now += 5
    failed, carried = table.do(ask.Tick())
    assert (failed.why, type(carried)) == (Failing.LATE, did.VoteCarried)


# Easy start


@pytest.mark.parametrize(("edition", "laid"), [("us", 12), ("fr", 9), ("es", 9)])
def test_an_easy_start_lays_what_its_sheet_says(edition, laid):
    table = Table(Options.of(edition, easy=True))
    assert (len(table.match.table), len(table.match.table + table.match.deck)) == (laid, 27)
    assert {card.shading for card in table.match.table + table.match.deck} == {"solid"}


def test_nine_cards_without_a_set_become_twelve_and_go_back_to_nine():
    table = table_where(has_no_set, Options.of("fr", easy=True))
    table.all_agree()
    assert len(table.match.table) == 12
    table.take(0)
    assert len(table.match.table) == 9


# Seats


def test_up_to_eight_sit_and_one_alone_at_solitaire():
    Table(players=8).refuses(ask.Join(), RefusalReason.TABLE_FULL)
    Table(Options.of("us", alone=True), players=1).refuses(ask.Join(), RefusalReason.TABLE_FULL)


def test_a_player_may_join_late():
    table = Table()
    table.take(0)
    table.do(ask.Join())
    table.take(2)
    assert table.points() == [1, 0, 1]


def test_who_leaves_keeps_the_score_and_may_come_back_to_the_seat():
    table = Table()
    table.take(1)
    table.do(ask.Leave(1))
    table.refuses(ask.Call(1), RefusalReason.SEAT_LEFT)
    table.do(ask.Join(1))
    assert table.do(ask.Join(1)) == ()
    assert table.points() == [0, 1]
    table.do(ask.Call(1))


def test_a_caller_who_leaves_gives_up_control_and_the_point():
    table = Table()
    table.do(ask.Call(1))
    failed, left = table.do(ask.Leave(1))
    assert (failed.why, left.seat, table.match.control) == (Failing.LEFT, 1, None)
    assert table.points() == [0, -1]


def test_a_caller_whose_network_drops_keeps_the_window_but_never_an_endless_one():
    table = Table()
    table.do(ask.Call(1))
    table.do(ask.Disconnect(1))
    assert table.match.control.seat == 1
    endless = Table(Options(window=None))
    endless.do(ask.Call(1))
    endless.do(ask.Disconnect(1))
    assert endless.match.control is None


def test_who_plays_is_connected_whatever_the_network_last_said():
    table = Table()
    table.do(ask.Disconnect(1))
    assert table.do(ask.Disconnect(1)) == ()
    connected, called = table.do(ask.Call(1))
    assert (type(connected), called.seat) == (did.Connected, 1)
    assert table.do(ask.Connect(1)) == ()


@pytest.mark.parametrize("seat", [2, -1, 99, None, "0"])
def test_a_seat_that_is_not_there_is_refused(seat):
    table = Table()
    for command in (ask.Call(seat), ask.Leave(seat), ask.Deal(seat), ask.AgreeNoSet(seat), ask.Connect(seat)):
        table.refuses(command, RefusalReason.NO_SUCH_SEAT)
    if seat is not None:
        table.refuses(ask.Join(seat), RefusalReason.NO_SUCH_SEAT)


def test_when_everybody_has_left_the_match_is_abandoned():
    table = Table()
    table.do(ask.Leave(0))
    table.do(ask.Leave(1))
    assert (table.match.phase, table.match.outcome.why, table.match.outcome.winners) == (
        Phase.OVER,
        Ending.ABANDONED,
        (),
    )


# Endings


def test_a_deal_ends_when_the_deck_is_used_up_and_no_set_is_left():
    table = Table()
    table.play_deal_out(seat=1)
    match = table.match
    assert (match.phase, match.outcome.why, match.outcome.winners) == (Phase.OVER, Ending.PLAYED_OUT, (1,))
    assert match.deck == ()
    assert not find_sets(match.table)
    assert table.points() == [0, (81 - len(match.table)) // 3]


def test_after_the_end_everything_is_refused():
    table = Table()
    table.play_deal_out()
    cards = FULL_DECK[:3]
    for command in (ask.Call(0), ask.Pick(0, cards), ask.Deal(0), ask.AgreeNoSet(0), ask.Leave(0), ask.Join()):
        table.refuses(command, RefusalReason.MATCH_OVER)


def test_ties_are_shared_and_those_who_left_do_not_win():
    table = Table(players=4)
    table.take(3)
    table.take(3)
    table.do(ask.Leave(3))
    turn = 0
    while table.match.phase is Phase.PLAYING:
        if not find_sets(table.match.table):
            table.all_agree()
            continue
        table.take(turn % 2)
        turn += 1
    points = table.points()
    best = max(points[:3])
    assert table.match.outcome.winners == tuple(seat for seat in range(3) if points[seat] == best)


def test_a_shared_win_names_every_winner():
    rehearsal = Table()
    rehearsal.play_deal_out(seat=0)
    (sets, _) = rehearsal.points()
    table = Table()
    if sets % 2:
        table.take(1, table.no_set())
    while table.match.phase is Phase.PLAYING:
        if find_sets(table.match.table):
            table.take(0 if len(table.match.seats[0].sets) < sets // 2 else 1)
        else:
            table.all_agree()
    assert table.points() == [sets // 2, sets // 2]
    assert table.match.outcome.winners == (0, 1)


def test_scores_may_fall_below_zero_and_the_least_bad_wins():
    table = Table()
    for _ in range(40):
        table.take(1, table.no_set())
    table.play_deal_out(seat=1)
    assert table.points()[1] < 0
    assert table.match.outcome.winners == (0,)


# The longer game


def test_in_the_longer_game_the_deal_passes_left_until_everyone_has_dealt():
    table = Table(Options.of("1990s"), players=3)
    dealers, first_tables = [], []
    while table.match.phase is not Phase.OVER:
        if table.match.phase is Phase.WAITING:
            table.do(ask.Deal(2))
        dealers.append(table.match.dealer)
        first_tables.append(table.match.table)
        table.play_deal_out(seat=1)
    assert dealers == [0, 1, 2]
    assert len(set(first_tables)) == 3
    assert table.points()[1] > 60
    assert table.match.outcome.winners == (1,)
    assert sum(isinstance(event, did.DealEnded) for event in table.log) == 3


def test_those_who_left_do_not_deal_and_late_joiners_do():
    table = Table(Options.of("1990s"), players=3)
    table.do(ask.Leave(1))
    table.do(ask.Join())
    dealers = []
    while table.match.phase is not Phase.OVER:
        if table.match.phase is Phase.WAITING:
            table.do(ask.Deal(0))
        dealers.append(table.match.dealer)
        table.play_deal_out(seat=0)
    assert dealers == [0, 2, 3]


def test_a_longer_game_ends_when_the_last_who_had_to_deal_leaves():
    table = Table(Options.of("1990s"), players=2)
    table.play_deal_out()
    assert table.match.phase is Phase.WAITING
    table.do(ask.Leave(1))
    assert (table.match.phase, table.match.outcome.winners) == (Phase.OVER, (0,))


# The log


def test_the_log_replays_to_the_state():
    table = Table(Options.of("1990s"), players=2)
    table.take(0, table.no_set())
    table.play_deal_out(seat=1)
    table.do(ask.Deal(1))
    assert replay(table.start, table.log) == table.match


def test_a_card_taken_in_an_earlier_deal_is_not_taken_in_this_one():
    table = Table(Options(everyone_deals=True, quick=True))
    table.play_deal_out()
    table.do(ask.Deal(0))
    hidden: list[Card] = list(table.match.deck[:3])
    table.refuses(ask.Pick(0, tuple(hidden)), RefusalReason.NOT_ON_TABLE)
