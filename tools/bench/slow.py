"""How long a call at a table takes while slow work is running, compared with the same call on the quiet site.

`make bench` runs it on both setups, `python -m tools.bench.slow` runs it alone. Quiet and busy spells alternate within
one run, because a shared machine varies more from minute to minute than the difference being measured.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection

from tools.bench.figures import Figure, Goal
from tools.bench.http_client import HOST, Answer, Audience, Player, Table, version_in
from tools.load.client import Browser, percentile
from tools.load.sites import Embedded, Scaled, Site

SIGN_INS, UPLOADS, PDFS, SIGN_UPS = 40, 4, 10, 2
REPORTS, FULL_CLASS, REPORTED_TASKS = 3, 400, 5
SPELLS = 4
SECONDS = 8.0
WARM_UP_SECONDS = 2.0
PAUSE = 0.02
"""Seconds between two calls: people think, and the move limit allows each of them six a second."""
PATIENCE = 30.0
TABLES, SEATS = 3, 8
MOST_RATIO = 2.0
_BUSY, _TOO_MANY = 503, 429
_BOUNDARY = "setsite-bench"
_CLASS = {
    "name": "Slow",
    "language": "en-us",
    "edition": "us",
    "authorised_by": "The head of school",
    "has_authority": "on",
}
_BOARD = {"board-size": 12, "board-deck": "full"}
ROWS, QUOTE = b"name\n" + b",1\n" * 660_000, b"name\n" + b'"' + b"a,1\n" * 490_000
"""Two megabytes each of the worst cases for the parser: rows without a name, and a quote that's never closed."""


class NotResponding(Exception):
    """The site doesn't answer while slow work is running."""


def _ratio(busy: list[float], quiet: list[float]) -> float:
    return percentile(busy, 0.95) / percentile(quiet, 0.95)


@dataclass
class Spell:
    """Durations of calls, in seconds, while the site was quiet and right afterwards while it was busy."""

    quiet: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return _ratio(self.busy, self.quiet)


@dataclass
class Samples:
    """The measurements of each spell, and the outcomes of the slow requests."""

    spells: list[Spell] = field(default_factory=list)
    slow: Counter[str] = field(default_factory=Counter)

    @property
    def quiet(self) -> list[float]:
        return [each for spell in self.spells for each in spell.quiet]

    @property
    def busy(self) -> list[float]:
        return [each for spell in self.spells for each in spell.busy]

    @property
    def ratio(self) -> float:
        return _ratio(self.busy, self.quiet)

    @property
    def median_busy_call(self) -> float:
        """The median busy call relative to the quiet site's 95th percentile, in the spell with the least noise."""
        return min(percentile(spell.busy, 0.5) / percentile(spell.quiet, 0.95) for spell in self.spells)

    def note(self) -> str:
        quiet, busy = (f"{1_000 * percentile(each, 0.5):.3g}" for each in (self.quiet, self.busy))
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.slow.items()))
        ratios = ", ".join(f"{spell.ratio:.2g}" for spell in self.spells)
        return (
            f"{len(self.busy)} calls against {len(self.quiet)}, in alternating spells with ratios of {ratios}; medians "
            f"{busy} against {quiet} ms; running at once: {SIGN_INS} sign-ins, {UPLOADS} pathological uploads, "
            f"{PDFS} PDFs and {SIGN_UPS} sign-ups with a mail server that never answers; outcomes: {outcomes}"
        )


@contextlib.asynccontextmanager
async def silent_mail_server(port: int) -> AsyncIterator[list[float]]:
    """A mail server that accepts connections and never answers; yields the times at which clients connected."""
    connected_at: list[float] = []

    async def stay_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected_at.append(time.time())
        with contextlib.suppress(asyncio.CancelledError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(stay_silent, HOST, port)
    try:
        yield connected_at
    finally:
        server.close()


class SlowUser:
    """A user who does something slow again and again."""

    def __init__(self, port: int, number: int, outcomes: Counter[str]) -> None:
        self.port, self.number, self.outcomes = port, number, outcomes
        self.browser: Browser

    async def prepare(self) -> None:
        self.browser = await Browser.at(self.port, self.number)

    def close(self) -> None:
        if hasattr(self, "browser"):
            self.browser.close()

    async def once(self) -> Answer:
        raise NotImplementedError

    async def keep_going(self) -> None:
        while True:
            with contextlib.suppress(ConnectionError):
                answer = await self.once()
                self.outcomes[f"{type(self).__name__} {_outcome(answer.status)}"] += 1
                if answer.status in {_BUSY, _TOO_MANY}:
                    await asyncio.sleep(1.0)


def _outcome(status: int) -> str:
    if status == _BUSY:
        return "told to retry"
    return "rate limited" if status == _TOO_MANY else f"answered {status}"


class SignIn(SlowUser):
    async def once(self) -> Answer:
        # An unknown email address costs a password hash too. Use many schools, so that no rate limit makes it cheap.
        self.browser.school = random.randrange(200, 50_000)
        self.browser.close()
        form = {"login": f"nobody{random.random()}@school.example", "password": "correct horse battery"}
        return await self.browser.send("POST", "/account/login/", form)


class SignUp(SlowUser):
    async def once(self) -> Answer:
        self.browser.school = random.randrange(200, 50_000)
        self.browser.close()
        self.browser.cookies.pop("sessionid", None)
        address = f"new{random.random()}@school.example"
        form = {"display_name": "New", "email": address, "password1": "correct horse battery", "is_adult": "yes"}
        return await self.browser.send("POST", "/account/signup/", form)


class Teacher(SlowUser):
    async def prepare(self) -> None:
        await super().prepare()
        own = dict(self.browser.cookies)
        await self.browser.ask("POST", "/demo/teacher/", status=302)
        self.browser.cookies |= own
        created = await self.browser.ask("POST", "/teach/new/", _CLASS, status=302)
        self.classroom = created.header("location").strip("/").split("/")[1]


class Upload(Teacher):
    async def once(self) -> Answer:
        content = ROWS if self.number % 2 else QUOTE
        return await self.browser.connection.ask(self.upload(content))

    def upload(self, content: bytes) -> bytes:
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="list.csv"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode()
        request = self.browser.request("POST", f"/teach/{self.classroom}/students/import/", None)
        request = request.replace(
            b"application/x-www-form-urlencoded", f"multipart/form-data; boundary={_BOUNDARY}".encode()
        )
        return request.replace(b"Content-Length: 0", b"Content-Length: %d" % len(body)) + body


class Download(Teacher):
    async def prepare(self) -> None:
        await super().prepare()
        opened = await self.browser.ask("POST", f"/teach/session/open/{self.classroom}/", {"guests": "1"}, status=302)
        self.code = opened.header("location").strip("/").split("/")[2]
        await self.browser.ask("POST", f"/teach/session/{self.code}/begin/board/", _BOARD, HX_Request="true")

    async def once(self) -> Answer:
        return await self.browser.send("GET", f"/teach/session/{self.code}/paper.pdf")


class Report(Teacher):
    """Opens the pages that show everybody in a full class, one after another."""

    async def prepare(self) -> None:
        await super().prepare()
        names = "\n".join(f"Pupil {number}" for number in range(FULL_CLASS))
        home = f"/teach/{self.classroom}/"
        shown = await self.browser.ask("POST", f"{home}students/paste/", {"names": names, "shown": "first"}, status=302)
        await self.browser.ask("POST", f"{shown.header('location')}apply/", status=302)
        for number in range(REPORTED_TASKS):
            await self.browser.ask("POST", f"{home}assignments/new/boards/", {"amount": number + 1}, status=302)
        self.pages = itertools.cycle([home, f"{home}assignments/", f"{home}ledger/", f"{home}students/", "/teach/"])

    async def once(self) -> Answer:
        return await self.browser.send("GET", next(self.pages))


UserCounts = Sequence[tuple[type[SlowUser], int]]
SLOW_WORK: UserCounts = ((SignIn, SIGN_INS), (Upload, UPLOADS), (Download, PDFS), (SignUp, SIGN_UPS))
CLASS_PAGES: UserCounts = ((Report, REPORTS),)


class Game:
    """A few tables at which one call follows another, each timed."""

    def __init__(self, ports: list[int]) -> None:
        self.ports = ports
        self._browsers: list[Browser] = []
        self._audiences: list[Audience] = []

    async def open(self) -> None:
        self.tables = [await self._table(number) for number in range(TABLES)]
        self._next = itertools.cycle(self.tables)
        for table in self.tables:
            audience = await table.audience(self.ports[0])
            self._audiences.append(audience)
            await audience.grow(1, table.version)

    def close(self) -> None:
        for browser in self._browsers:
            browser.close()
        for audience in self._audiences:
            audience.close()

    async def _table(self, number: int) -> Table:
        seats = [await Browser.at(self.ports[0], number) for _seat in range(SEATS)]
        self._browsers += seats
        options = {"edition": "us", "deck": "full", "window": "15", "votes": "checked"}
        opened = await seats[0].ask("POST", "/play/open/together/", options, status=302)
        code = opened.header("location").strip("/").split("/")[-1]
        for guest in seats[1:]:
            await guest.ask("POST", f"/play/{code}/join/", status=302)
        page = await seats[0].ask("GET", f"/play/{code}/")
        players = [Player(seat, code) for seat in seats]
        return Table(players, await players[0].deal(version_in(page.content)))

    async def play(self, seconds: float, durations: list[float]) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            table = next(self._next)
            start = time.perf_counter()
            try:
                await asyncio.wait_for(table.move(), PATIENCE)
            except TimeoutError:
                raise NotResponding(f"a call wasn't answered within {PATIENCE:.0f} seconds") from None
            durations.append(time.perf_counter() - start)
            await asyncio.sleep(PAUSE)


async def measure(
    ports: list[int],
    *,
    spells: int = SPELLS,
    seconds: float = SECONDS,
    is_enough: Callable[[Samples], bool] = lambda samples: False,
    users: UserCounts = SLOW_WORK,
) -> Samples:
    """Play alternating quiet and busy spells, `spells` of each unless `is_enough` says to stop earlier."""
    samples = Samples()
    game = Game(ports)
    crowd = await Crowd.at(ports, users)
    try:
        await game.open()
        await game.play(WARM_UP_SECONDS, [])
        while len(samples.spells) < spells and not (samples.spells and is_enough(samples)):
            spell = Spell()
            await game.play(seconds, spell.quiet)
            await crowd.begin()
            await game.play(WARM_UP_SECONDS, [])
            await game.play(seconds, spell.busy)
            samples.slow = await crowd.end()
            samples.spells.append(spell)
            await _wait_until_quiet(game)
    finally:
        game.close()
        await crowd.stop()
    return samples


class Crowd:
    """All slow users, in a process of their own.

    Their devices aren't part of the site. In one process with the simulated players they'd take time from those, and on
    the same machine they take it from the server. So this process runs at the lowest priority.
    """

    def __init__(self, ports: list[int], users: UserCounts) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_run_crowd, args=(ports, [(user_class.__name__, n) for user_class, n in users], theirs)
        )
        self._process.start()
        theirs.close()

    @classmethod
    async def at(cls, ports: list[int], users: UserCounts) -> Crowd:
        crowd = cls(ports, users)
        await crowd._receive()
        return crowd

    async def begin(self) -> None:
        self._pipe.send("begin")

    async def end(self) -> Counter[str]:
        """Stop for now, and return the outcomes of everything so far."""
        self._pipe.send("end")
        return await self._receive()

    async def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.send("stop")
        await asyncio.to_thread(self._process.join, PATIENCE)
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()

    async def _receive(self) -> Counter[str]:
        received: Counter[str] = await asyncio.to_thread(self._pipe.recv)
        return received


def _run_crowd(ports: list[int], users: list[tuple[str, int]], pipe: Connection) -> None:
    os.nice(19)
    workers = [globals()[name] for name, count in users for _one in range(count)]
    outcomes: Counter[str] = Counter()
    crowd = [
        user_class(ports[number % len(ports)], 100 + number, outcomes) for number, user_class in enumerate(workers)
    ]
    asyncio.run(_follow_orders(crowd, outcomes, pipe))


async def _follow_orders(crowd: list[SlowUser], outcomes: Counter[str], pipe: Connection) -> None:
    for worker in crowd:
        await worker.prepare()
    pipe.send(outcomes)
    busy: list[asyncio.Future[None]] = []
    while (order := await asyncio.to_thread(pipe.recv)) != "stop":
        if order == "begin":
            # Rare users first: behind forty sign-ins a sign-up would wait longer than a spell.
            busy = [asyncio.ensure_future(worker.keep_going()) for worker in reversed(crowd)]
            continue
        for each in busy:
            each.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        for worker in crowd:
            worker.close()
            worker.browser = await _reconnect(worker)
        pipe.send(outcomes)
    for worker in crowd:
        worker.close()


async def _reconnect(worker: SlowUser) -> Browser:
    """The same browser, cookies included, on a new connection."""
    fresh = await Browser.at(worker.port, worker.number)
    fresh.cookies = worker.browser.cookies
    return fresh


async def _wait_until_quiet(game: Game) -> None:
    """Wait for queued and running work to end."""
    await game.play(2 * WARM_UP_SECONDS, [])


def figure_of(name: str, samples: Samples) -> Figure:
    quiet, busy = (1_000 * percentile(each, 0.95) for each in (samples.quiet, samples.busy))
    baseline = "the 95th percentile on the quiet site, same run"
    return Figure(
        f"call_under_slow_load_{name}", busy, "ms", baseline, quiet, samples.ratio, Goal(at_most=MOST_RATIO),
        samples.note(),
    )  # fmt: skip


async def _measure_on(site: Site, measured: Callable[[list[int]], Awaitable[Samples]], mail_port: int) -> Samples:
    async with silent_mail_server(mail_port):
        return await measured(site.ports)


def main(names: list[str], *, spells: int, seconds: float) -> int:
    """Print a figure for each setup; return 1 if any misses its goal."""
    is_missed = False
    for start in (Embedded, Scaled):
        if names and start.name not in names:
            continue
        mail_port = random.SystemRandom().randrange(11_000, 32_000)
        site = start(environment={"SETSITE_MAIL": f"smtp://{HOST}:{mail_port}"})
        try:
            samples = asyncio.run(_measure_on(site, partial(measure, spells=spells, seconds=seconds), mail_port))
        except NotResponding as error:
            print(f"{start.name}: {error}", file=sys.stderr, flush=True)
            is_missed = True
            continue
        finally:
            site.stop()
        figure = figure_of(start.name, samples)
        print(figure.as_json(), flush=True)
        is_missed |= samples.ratio > MOST_RATIO
    return 1 if is_missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.bench.slow", description=__doc__)
    parser.add_argument("setups", nargs="*", choices=[[], "embedded", "scaled"])
    parser.add_argument("--spells", type=int, default=SPELLS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    asked = parser.parse_args()
    sys.exit(main(asked.setups, spells=asked.spells, seconds=asked.seconds))
