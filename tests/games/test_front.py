"""The front page: a board determined by its number, and the verdict on three picked cards."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from games.boards import front_board
from games.rules import FULL_DECK, explain, find_sets
from games.words import THE_FEATURES, card_name, verdict_line
from tests.builders.cards import a_set, indices, no_set

HTMX = {"HX-Request": "true"}
NUMBER = 7
BOARD = front_board(NUMBER)


def look(client, *, board=NUMBER, **more):
    return client.get("/", {"board": board, **more})


def pick(client, cards, **more):
    return client.get("/", {"board": NUMBER, "card": cards}, **more)


def shown(response) -> list[int]:
    """The cards of the board, in page order."""
    return [int(index) for index in re.findall(r'name="card" value="(\d+)"', response.text)]


def ticked(response) -> list[int]:
    return [int(index) for index in re.findall(r'name="card" value="(\d+)" checked', response.text)]


def triple_judged(response) -> list[int]:
    """The cards of the verdict, or of the example."""
    found = re.search(r'data-cards="([\d ]+)"', response.text)
    return [int(index) for index in found[1].split()] if found else []


def hinted(response) -> list[int]:
    """The cards of the board that are ringed as a hint."""
    found = re.findall(r'is-hint">\s*<input type="checkbox" name="card" value="(\d+)"', response.text)
    return [int(index) for index in found]


def answer(response) -> str:
    """The verdict, as it's read out."""
    text = response.text.partition('id="answer"')[2].partition("<form")[0].partition('<p class="front-actions')[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text.partition(">")[2])).split())


def complaint(response) -> str:
    return re.search(r'<p class="front-told" data-told="again">(.*?)</p>', response.text)[1]


# The board


def test_anybody_sees_six_cards_and_that_one_set_is_among_them(client):
    response = client.get("/")
    assert response.status_code == 200
    assert len(set(shown(response))) == 6
    assert "There's one here. Tap three cards." in unescape(response.text)
    assert ticked(response) == []
    assert answer(response) == ""


def test_the_board_follows_from_its_number(client):
    response = look(client)
    assert shown(response) == indices(BOARD)
    assert shown(look(client, board=8)) == indices(front_board(8)) != indices(BOARD)


def test_every_card_is_named(client):
    text = look(client).text
    for card in BOARD:
        assert f'<span class="visually-hidden">{card_name(card)}</span>' in text


def shows_the_board_of_the_day(client, **asked) -> bool:
    """Whether it's today's board; midnight may pass during the test."""
    before = datetime.now(UTC).toordinal()
    response = client.get("/", asked)
    after = datetime.now(UTC).toordinal()
    return response.status_code == 200 and shown(response) in (indices(front_board(day)) for day in (before, after))


def test_without_a_number_it_is_the_board_of_the_day(client):
    assert shows_the_board_of_the_day(client)


@pytest.mark.parametrize("garbage", ["", "x", "-1", "1.5", "1000000", "²", "\u0667", "7 ", "0x7", "' OR 1=1"])
def test_a_board_that_is_no_number_falls_back_to_the_one_of_the_day(client, garbage):
    assert shows_the_board_of_the_day(client, board=garbage)


def test_a_board_of_very_many_digits_falls_back_too(client):
    assert shows_the_board_of_the_day(client, board="9" * 5000)


def test_the_last_board_is_followed_by_the_first(client):
    response = look(client, board=999_999)
    assert shown(response) == indices(front_board(999_999))
    assert 'href="/?board=0"' in response.text
    assert 'href="/?board=8"' in look(client).text


def test_a_front_board_is_six_different_cards_with_one_set():
    for number in range(300):
        board = front_board(number)
        assert len(set(board)) == 6
        assert len(find_sets(board)) == 1, number


def test_neighbouring_numbers_have_boards_of_their_own():
    assert len({front_board(number) for number in range(300)}) == 300


# Three picked cards


def test_a_set_is_told_to_be_one_with_a_row_for_each_feature(client):
    response = pick(client, indices(a_set(BOARD)))
    assert response.status_code == 200
    assert "Yes, that's the SET!" in answer(response)
    for verdict in explain(*a_set(BOARD)).features:
        line = verdict_line(verdict)
        assert f"{line.feature}: {line.text}" in answer(response)
    assert answer_rows(response) == [False] * 4
    assert sorted(ticked(response)) == sorted(indices(a_set(BOARD)))
    assert triple_judged(response) == indices(sorted(a_set(BOARD), key=BOARD.index))


def answer_rows(response) -> list[bool]:
    """For each row of the verdict, whether it's broken."""
    rows = response.text.partition('id="answer"')[2].partition("<form")[0].split('<li class="strip-row')[1:]
    return ["is-broken" in row.partition(">")[0] for row in rows]


def test_a_wrong_pick_is_told_what_to_look_at_and_why(client):
    response = pick(client, indices(no_set(BOARD)))
    assert response.status_code == 200
    broken = explain(*no_set(BOARD)).broken
    assert f"Look at {THE_FEATURES[broken[0].feature]}." in answer(response)
    assert "Two are alike and one isn't, so it's no SET." in answer(response)
    assert answer_rows(response) == [verdict.is_broken for verdict in explain(*no_set(BOARD)).features]
    for verdict in broken:
        assert verdict_line(verdict).text in answer(response)


def test_the_order_of_the_picks_does_not_matter(client):
    there, back = pick(client, indices(no_set(BOARD))), pick(client, indices(no_set(BOARD))[::-1])
    assert answer(there) == answer(back)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_other_than_three_cards_are_asked_for_again(client, count):
    response = pick(client, indices(BOARD[:count]))
    assert (response.status_code, complaint(response)) == (422, "Pick three cards.")
    assert shown(response) == indices(BOARD)


def test_one_card_three_times_is_not_three_cards(client):
    response = pick(client, [BOARD[0].index] * 3)
    assert (response.status_code, complaint(response)) == (422, "Pick three cards.")


def test_a_card_that_is_not_on_the_board_is_refused(client):
    elsewhere = next(card for card in FULL_DECK if card not in BOARD)
    response = pick(client, [*indices(BOARD[:2]), elsewhere.index])
    assert (response.status_code, complaint(response)) == (422, "One of these cards is not on the table.")


@pytest.mark.parametrize("garbage", ["", "x", "-1", "81", "1.0", "<script>", "9" * 5000])
def test_what_is_no_card_is_refused(client, garbage):
    response = pick(client, [*indices(BOARD[:2]), garbage])
    assert (response.status_code, complaint(response)) == (422, "One of these cards is not on the table.")
    assert "<script>" not in response.text


def test_show_me_rings_and_explains_the_set_of_the_board(client):
    response = look(client, show="1")
    assert response.status_code == 200
    assert "Here it is." in answer(response)
    assert sorted(hinted(response)) == sorted(triple_judged(response)) == sorted(indices(a_set(BOARD)))
    assert ticked(response) == triple_judged(look(client)) == hinted(look(client)) == []


# The doors


def doors(response) -> list[str]:
    nav = response.text.partition('<nav class="front-doors')[2].partition("</nav>")[0]
    return re.findall(r'href="([^"]+)"', nav)


def test_the_doors_lead_to_the_four_parts_of_the_site(client):
    assert doors(client.get("/")) == ["/learn/", "/play/", "/join/", "/teach/"]


# With and without htmx


@pytest.mark.parametrize(
    ("cards", "status", "said"),
    [
        (indices(a_set(BOARD)), 200, "Yes, that's the SET!"),
        (indices(no_set(BOARD)), 200, "Look at the "),
        (indices(BOARD[:2]), 422, "Pick three cards."),
        (["x"], 422, "One of these cards is not on the table."),
    ],
)
def test_htmx_gets_only_the_answer_and_the_page_has_the_same_one_in_it(client, cards, status, said):
    page, fragment = pick(client, cards), pick(client, cards, headers=HTMX)
    assert (page.status_code, fragment.status_code) == (status, status)
    assert said in unescape(fragment.text)
    assert "<html" in page.text
    assert not re.search(r"<(html|main|form|input)\b", fragment.text)
    assert " ".join(fragment.text.split()) in " ".join(page.text.split())


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_the_front_page_is_only_looked_at(client, method):
    response = getattr(client, method)("/")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


def test_a_look_at_the_heading_only_is_fine(client):
    response = client.head("/")
    assert (response.status_code, response.content) == (200, b"")
