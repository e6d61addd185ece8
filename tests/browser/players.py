"""Players for browser tests: signed-in users, matches with known cards, and manual moves."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import BrowserContext, Locator, Page, Response, expect

from games.live.topic import hub as tables
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Card, Options, decide, find_sets, replay
from games.rules import commands as ask
from games.rules import state as rules
from tests.builders.cards import a_set, no_set
from tests.conftest import PATIENCE


def session_of(name: str) -> tuple[Player, str]:
    """Create a user and a signed-in session; return both the player and the session key."""
    user = get_user_model().objects.create_student(display_name=name)
    return Player(name=name, user=user), session_key_of(user)


def session_key_of(user: AbstractBaseUser) -> str:
    """Create a session in which this user is signed in; return its key."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session.session_key


def sign_in(context: BrowserContext, site: str, name: str) -> Player:
    player, key = session_of(name)
    give_session(context, site, key)
    return player


def give_session(context: BrowserContext, site: str, key: str) -> None:
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": site}])


class Game:
    """A match on the running site as the referee stores it, to compare screens with."""

    def __init__(self, site: str, code: str) -> None:
        self.code = code
        self.url = f"{site}/play/{code}/"

    @property
    def match(self) -> Match:
        return Match.objects.get(code=self.code)

    @property
    def state(self) -> rules.MatchState:
        return self.match.state

    @property
    def version(self) -> int:
        return self.match.version

    def do(self, order: ask.Command, *, now: float | None = None) -> None:
        """Make a move that isn't made on this test's screens."""
        matches.command(self.code, order, now=time.time() if now is None else now)

    def a_set(self) -> tuple[Card, ...]:
        return a_set(self.state.table)

    def no_set(self, *, with_cards: Iterable[Card] = ()) -> tuple[Card, ...]:
        return no_set(self.state.table, with_cards=with_cards)

    def points(self) -> list[int]:
        return [seat.points for seat in self.state.seats]

    def take(self, seat: int) -> None:
        """Call and pick a SET on the table."""
        self.do(ask.Call(seat))
        self.do(ask.Pick(seat, self.a_set()))

    def play_out(self, seat: int = 0, *, leave: int = 0) -> None:
        """Let one seat take SETs until the match is over, or until `leave` are left to take."""
        for _each in range(_picks_left(self.state, seat) - leave):
            self.take(seat)


def _picks_left(state: rules.MatchState, seat: int) -> int:
    """How many SETs one seat could still take, always taking the first one found."""
    count = 0
    while state.phase is rules.Phase.PLAYING:
        triple = find_sets(state.table)[0]
        state = replay(state, decide(state, ask.Call(seat), 0.0))
        state = replay(state, decide(state, ask.Pick(seat, triple), 0.0))
        count += 1
    return count


def open_game(
    site: str,
    players: Sequence[Player],
    *,
    options: Options,
    way: Way = Way.TOGETHER,
    seed: str = "browser",
    dealt: bool = True,
    computers: Sequence[str] = (),
) -> Game:
    """Open a match of these players with known cards."""
    now = time.time()
    match = matches.open_match(way=way, options=options, player=players[0], computers=computers, seed=seed, now=now)
    for other in players[1:]:
        matches.join(match.code, other, now=now)
    game = Game(site, match.code)
    if dealt:
        game.do(ask.Deal(0))
    return game


def seat_people(
    site: str, new_context: Callable[..., BrowserContext], names: Sequence[str], *, options: Options, **more: object
) -> tuple[Game, list[Page]]:
    """Open a match of new users, each with their own browser showing it."""
    contexts = [new_context() for _name in names]
    players = [sign_in(context, site, name) for context, name in zip(contexts, names, strict=True)]
    game = open_game(site, players, options=options, **more)
    pages = [context.new_page() for context in contexts]
    for page in pages:
        enter(page, game)
    # A page whose stream has brought no table yet could leave without being missed.
    deadline = time.monotonic() + PATIENCE / 1_000
    while not all(tables._is_here((game.code, seat)) for seat in range(len(pages))):
        assert time.monotonic() < deadline, "a stream brought no table"
        pages[0].wait_for_timeout(20)
    return game, pages


def enter(page: Page, game: Game) -> None:
    """Open the table and wait for its stream."""
    with page.expect_response(lambda response: "/stream/" in response.url):
        page.goto(game.url)


def card_of(page: Page, card: Card) -> Locator:
    return page.locator(f"#table input[name=card][value='{card.index}']")


def tap(page: Page, cards: Iterable[Card]) -> None:
    for card in cards:
        page.locator(f"label.card:has(input[name=card][value='{card.index}'])").click()


def marked(page: Page) -> Locator:
    return page.locator("#table input[name=card]:checked")


def say_set(page: Page) -> None:
    with answered(page, "call"):
        page.get_by_role("button", name="SET!", exact=True).click()


def say_set_in_vain(page: Page) -> None:
    """Press the button while it's disabled, as a finger can."""
    with answered(page, "call"):
        page.get_by_role("button", name="SET!", exact=True).click(force=True)


def pick(page: Page, cards: Iterable[Card]) -> None:
    """Tap the cards of a pick once the screen shows it's this player's turn; the last tap sends it."""
    expect(page.locator("#play:is([data-mine], [data-quick])")).to_be_attached()
    with answered(page, "pick"):
        tap(page, cards)


def answered(page: Page, action: str) -> AbstractContextManager[Response]:
    """Wait in a `with` until the site has answered this action."""
    return page.expect_response(lambda response: response.url.endswith(f"/{action}/"))


def seat(page: Page, name: str) -> Locator:
    whole = re.compile(rf"^\s*{re.escape(name)}\s*$")
    return page.locator("#table .seat", has=page.locator(".seat-name", has_text=whole))


def expect_points(pages: Iterable[Page], name: str, points: int) -> None:
    for page in pages:
        expect(seat(page, name).locator(".seat-points")).to_contain_text(f"points:{points}")


def stop_clock(page: Page) -> None:
    """Freeze this screen's clock a minute ago, so that what it shows for two seconds stays."""
    page.clock.set_fixed_time(time.time() - 60)


def move_clock(page: Page) -> None:
    """Let a frozen clock continue."""
    page.clock.fast_forward("02:00")


def expect_in_step(pages: Iterable[Page], game: Game) -> None:
    """Wait until every screen shows the current table."""
    match = game.match
    for page in pages:
        state = page.locator("#table .state")
        expect(state).to_have_attribute("data-version", str(match.version))
        assert cards_on(page) == [card.index for card in match.state.table]


def cards_on(page: Page) -> list[int]:
    return page.locator("#table input[name=card]").evaluate_all("boxes => boxes.map((box) => Number(box.value))")


def forge(page: Page, game: Game, action: str, **values: object) -> None:
    """Send an action that no button on the page sends, the way the page sends one."""
    send = "([url, values]) => htmx.ajax('POST', url, {target: '#table', swap: 'innerHTML', values})"
    with answered(page, action):
        page.evaluate(send, [f"/play/{game.code}/{action}/", values])
