"""The daily puzzle: the same board for everybody, the player's finds, and a picture to share."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from games.models import PuzzleResult
from games.puzzles import PuzzleDeck, board_of
from games.rules import Card, find_sets, is_set
from games.views import daily

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
DECKS = pytest.mark.parametrize("deck", PuzzleDeck)


@pytest.fixture(autouse=True)
def _noon(monkeypatch):
    """Set the time to noon, so that the day doesn't change during a test."""
    monkeypatch.setattr(daily, "timezone", SimpleNamespace(now=lambda: NOON))


def board(deck: PuzzleDeck = PuzzleDeck.FULL) -> tuple[Card, ...]:
    return board_of(NOON.date(), deck)


def sets(deck: PuzzleDeck = PuzzleDeck.FULL) -> list[tuple[Card, Card, Card]]:
    return find_sets(board(deck))


def go(page: Page, site: str, deck: PuzzleDeck = PuzzleDeck.FULL) -> None:
    page.goto(f"{site}/play/daily/{deck}/")


def tap(page: Page, cards) -> None:
    for card in cards:
        page.locator(f"#puzzle label.card:has(input[value='{card.index}'])").click()


def try_three(page: Page, cards) -> None:
    with page.expect_response(lambda response: response.url.endswith("/find/")):
        tap(page, cards)


def shown(page: Page) -> list[int]:
    return page.locator("#puzzle input[name=card]").evaluate_all("boxes => boxes.map((box) => Number(box.value))")


def found(page: Page):
    return page.locator(".found li:not(.is-empty)")


def picture(page: Page, site: str, deck: PuzzleDeck = PuzzleDeck.FULL) -> bytes:
    answer = page.request.get(f"{site}/play/daily/{deck}/picture.png")
    assert answer.status == 200
    assert answer.headers["content-type"] == "image/png"
    return answer.body()


@DECKS
def test_everybody_has_the_same_board_today(site, new_context, deck):
    pages = [new_context().new_page() for _visitor in range(2)]
    for page in pages:
        go(page, site, deck)
        assert shown(page) == [card.index for card in board(deck)]
    assert len(board(deck)) == deck.laid
    assert len(sets(deck)) == deck.sets_there


def test_the_lobby_leads_to_both_boards(site, page):
    for name, deck in (("Twelve cards", PuzzleDeck.FULL), ("Easy: nine cards", PuzzleDeck.EASY)):
        page.goto(f"{site}/play/")
        page.get_by_role("link", name=name).click()
        expect(page.locator("#puzzle input[name=card]")).to_have_count(deck.laid)


@DECKS
def test_sets_are_found_one_by_one_kept_over_a_reload_and_shared_at_the_end(site, page, deck):
    go(page, site, deck)
    there = sets(deck)
    score = page.locator(".answer-title").first
    expect(score).to_have_text(f"0 of {len(there)} SETs")
    for number, triple in enumerate(there, 1):
        try_three(page, triple)
        expect(score).to_have_text(f"{number} of {len(there)} SETs")
        expect(found(page)).to_have_count(number)
        expect(page.locator("#puzzle input:checked")).to_have_count(0)
        if number == 2:
            expect(page.get_by_text("Yes, that is a SET!")).to_be_visible()
            page.reload()
            expect(found(page)).to_have_count(number)
            expect(score).to_have_text(f"{number} of {len(there)} SETs")
    expect(page.get_by_text("All found!")).to_be_visible()
    expect(page.locator("#puzzle input:enabled[name=card]")).to_have_count(0)

    link = page.get_by_role("link", name="A picture to share")
    with page.expect_download() as download:
        link.click()
    assert re.fullmatch(r"setsite-\d{4}-\d\d-\d\d\.png", download.value.suggested_filename)
    image = Image.open(io.BytesIO(picture(page, site, deck)))
    assert (image.format, image.size) == ("PNG", (1200, 630))
    page.reload()
    expect(page.get_by_text("All found!")).to_be_visible()


def test_the_picture_tells_how_many_and_never_which(site, new_context):
    ann, ben, cleo = (new_context().new_page() for _visitor in range(3))
    triples = sets()
    for page, triple in ((ann, triples[0]), (ben, triples[1])):
        go(page, site)
        try_three(page, triple)
        expect(found(page)).to_have_count(1)
    go(cleo, site)
    for triple in triples[:2]:
        try_three(cleo, triple)
        expect(cleo.get_by_text("Yes, that is a SET!")).to_be_visible()
    expect(found(cleo)).to_have_count(2)
    assert picture(ann, site) == picture(ben, site), "another SET, the same picture"
    assert picture(ann, site) != picture(cleo, site)
    assert not Image.open(io.BytesIO(picture(ann, site))).info, "nor is anything written beside the picture"


def test_one_that_is_found_again_is_said_and_not_counted(site, page):
    go(page, site)
    try_three(page, sets()[0])
    expect(found(page)).to_have_count(1)
    try_three(page, reversed(sets()[0]))
    expect(page.get_by_text("You have found this one already.")).to_be_visible()
    expect(found(page)).to_have_count(1)
    assert PuzzleResult.objects.get().wrong == 0


def test_a_wrong_one_is_explained(site, page):
    go(page, site)
    first, second, *others = board()
    try_three(page, (first, second, next(card for card in others if not is_set(first, second, card))))
    expect(page.get_by_text("Not a SET, and here is why.")).to_be_visible()
    expect(page.locator(".verdict-lines li")).to_have_count(4)
    expect(page.locator(".is-broken").first).to_contain_text(re.compile("two (are|show) .* and one (is|shows) "))
    expect(page.locator("#puzzle .magic")).to_contain_text("The Magic Rule")
    expect(found(page)).to_have_count(0)
    assert PuzzleResult.objects.get().wrong == 1


def test_the_keyboard_stays_on_the_card_after_an_answer(site, page):
    go(page, site)
    for card in sets()[0]:
        page.locator(f"#puzzle input[value='{card.index}']").focus()
        page.keyboard.press("Space")
    expect(found(page)).to_have_count(1)
    expect(page.locator(f"#puzzle input[value='{sets()[0][2].index}']")).to_be_focused()


@pytest.mark.console_errors(r"status of 422 .*/play/daily/")
def test_with_scripts_off_it_works_by_its_form(site, new_context):
    page = new_context(java_script_enabled=False).new_page()
    go(page, site)
    tap(page, sets()[0])
    page.get_by_role("button", name="Check my three").click()
    expect(page.get_by_text("Yes, that is a SET!")).to_be_visible()
    expect(found(page)).to_have_count(1)
    tap(page, sets()[1][:2])
    page.get_by_role("button", name="Check my three").click()
    expect(page.get_by_text("Pick three cards.")).to_be_visible()
    expect(found(page)).to_have_count(1)


def test_a_deck_that_is_not_there_is_not_found(site, page):
    for path in ("hard/", "hard/picture.png"):
        assert page.request.get(f"{site}/play/daily/{path}").status == 404
