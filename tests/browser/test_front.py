"""The front page as visitors see it."""

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
    expect(page.get_by_text("Yes, that is a SET!")).to_be_visible()
    expect(page.locator("#answer .verdict-lines li")).to_have_count(4)
    assert page.url.endswith("?board=7"), "the answer came without leaving the page"


def test_a_wrong_pick_is_told_why(site, page):
    page.goto(f"{site}/?board=7")
    tap(page, no_set(7))
    expect(page.get_by_text("The Magic Rule")).to_be_visible()
    expect(page.locator("#answer .is-broken").first).to_contain_text("two ")


def test_a_fourth_card_lets_the_first_go(site, page):
    page.goto(f"{site}/?board=7")
    cards = front_board(7)[:4]
    tap(page, cards)
    expect(page.locator("input[name=card]:checked")).to_have_count(3)
    expect(page.locator(f"input[value='{cards[0].index}']")).not_to_be_checked()


def test_it_works_with_the_keyboard_alone(site, page):
    page.goto(f"{site}/?board=7")
    for card in a_set(7):
        page.locator(f"input[value='{card.index}']").focus()
        page.keyboard.press("Space")
    expect(page.get_by_text("Yes, that is a SET!")).to_be_visible()


def test_it_works_with_scripts_off(site, new_context):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/?board=7")
    tap(page, a_set(7))
    page.get_by_role("button", name="Check my three").click()
    expect(page.get_by_text("Yes, that is a SET!")).to_be_visible()


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
