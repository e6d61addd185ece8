"""The front page as visitors see it."""

import pytest
from playwright.sync_api import Page, expect

from games.boards import front_board
from games.rules import find_sets, is_set


def tap(page: Page, cards) -> None:
    for card in cards:
        page.locator(f"label.card:has(input[value='{card.index}'])").click()


def a_set(number: int):
    return find_sets(front_board(number))[0]


def no_set(number: int):
    board = front_board(number)
    return next((board[0], board[1], card) for card in board[2:] if not is_set(board[0], board[1], card))


def test_the_third_tap_tells_that_it_is_a_set(site, page):
    page.goto(f"{site}/?board=7")
    tap(page, a_set(7))
    expect(page.get_by_text("Yes, that's the SET!")).to_be_visible()
    expect(page.locator("#answer .strip-row")).to_have_count(4)
    assert page.url.endswith("?board=7"), "the answer came without leaving the page"


def test_a_wrong_pick_is_told_why(site, page):
    page.goto(f"{site}/?board=7")
    tap(page, no_set(7))
    expect(page.get_by_text("Two are alike and one isn't")).to_be_visible()
    expect(page.locator("#answer .is-broken").first).to_contain_text("two ")


def test_the_next_tap_after_a_verdict_begins_a_new_try(site, page):
    page.goto(f"{site}/?board=7")
    tap(page, no_set(7))
    expect(page.locator("#answer .strip-row")).to_have_count(4)
    fourth = next(card for card in front_board(7) if card not in no_set(7))
    tap(page, [fourth])
    expect(page.locator("input[name=card]:checked")).to_have_count(1)
    expect(page.locator("#answer .strip-row")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()


@pytest.mark.parametrize("picked", [a_set, no_set])
def test_the_cards_stay_where_they_are_when_the_verdict_comes(site, new_context, picked):
    for width, height in SIZES:
        page = new_context(viewport={"width": width, "height": height}).new_page()
        page.goto(f"{site}/?board=7")
        before = page.locator(".front-six").bounding_box()
        tap(page, picked(7))
        expect(page.locator("#answer .strip-row")).to_have_count(4)
        assert page.locator(".front-six").bounding_box() == before, (width, height)


SIZES = [(360, 640), (390, 844), (1366, 768), (1920, 1080)]


@pytest.mark.parametrize("language", ["en-US", "fr", "es"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_cards_and_doors_are_above_the_fold(site, new_context, language, width, height):
    page = new_context(viewport={"width": width, "height": height}, locale=language).new_page()
    page.goto(f"{site}/?board=7")
    boxes = [each.bounding_box() for each in page.locator(".front-six .card, .front-door, .front-actions a").all()]
    assert len(boxes) == 6 + 4 + 2
    for box in boxes:
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        assert min(box["width"], box["height"]) >= 44
    for door in page.locator(".front-door").all():
        assert door.evaluate("each => each.scrollWidth <= each.clientWidth"), "a door holds its word"


def test_a_phone_scrolls_little(site, new_context):
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"{site}/?board=7")
    assert page.evaluate("document.documentElement.scrollHeight") < 2_600


def test_it_works_with_the_keyboard_alone(site, page):
    page.goto(f"{site}/?board=7")
    for card in a_set(7):
        page.locator(f"input[value='{card.index}']").focus()
        page.keyboard.press("Space")
    expect(page.get_by_text("Yes, that's the SET!")).to_be_visible()


def test_it_works_with_scripts_off(site, new_context):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/?board=7")
    tap(page, a_set(7))
    page.get_by_role("button", name="Check my three").click()
    expect(page.get_by_text("Yes, that's the SET!")).to_be_visible()


def test_every_card_is_spoken_in_full(site, page):
    page.goto(f"{site}/?board=7")
    for card in front_board(7):
        expect(page.get_by_role("checkbox", name=str(card), exact=True)).to_have_count(1)


def test_nothing_comes_from_another_host_and_nothing_scrolls_sideways(site, new_context):
    for width, height in ((320, 568), (360, 640), (820, 1180), (1280, 800), (1920, 1080)):
        page = new_context(viewport={"width": width, "height": height}).new_page()
        hosts: set[str] = set()
        page.on("request", lambda request, hosts=hosts: hosts.add(request.url.split("/")[2]))
        page.goto(site)
        page.wait_for_load_state("networkidle")
        assert hosts == {site.removeprefix("http://")}
        assert page.evaluate("document.documentElement.scrollWidth") <= width
