"""How a call at a table fares while slow work is under way, against the same call on the quiet site.

`python -m tools.bench.slow` runs it by itself; `make bench` runs it on both setups. Quiet and busy spells alternate
within one run, because a shared machine is noisier from minute to minute than the difference that counts.
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
from tools.bench.loads import HOST, Answer, Audience, Player, Table, version_in
from tools.load.client import Browser, percentile
from tools.load.sites import Embedded, Scaled, Site

SIGN_INS, UPLOADS, PDFS, SIGN_UPS = 40, 4, 10, 2
REPORTS, FULL_CLASS, REPORTED_TASKS = 3, 400, 5
SPELLS = 4
SECONDS = 8.0
WARM_UP_SECONDS = 2.0
PAUSE = 0.02
"""Between two calls: people think, and the limit of moves allows six a second for each of them."""
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
"""Two megabytes each, of what a parser finds hardest: rows without a name, and a quote that never ends."""


class StandsStill(Exception):
    """The site doesn't answer while slow work is under way."""


def _ratio(busy: list[float], quiet: list[float]) -> float:
    return percentile(busy, 0.95) / percentile(quiet, 0.95)


@dataclass
class Spell:
    """Seconds of each call while the site was quiet, and right afterwards while it was busy."""

    quiet: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return _ratio(self.busy, self.quiet)


@dataclass
class Samples:
    """What was measured in each spell, and what became of the slow requests."""

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
    def usual_call(self) -> float:
        """A usual call while busy, in 95th percentiles of the quiet site, where others disturbed least."""
        return min(percentile(spell.busy, 0.5) / percentile(spell.quiet, 0.95) for spell in self.spells)

    def note(self) -> str:
        quiet, busy = (f"{1_000 * percentile(each, 0.5):.3g}" for each in (self.quiet, self.busy))
        fates = ", ".join(f"{count} {fate}" for fate, count in sorted(self.slow.items()))
        ratios = ", ".join(f"{spell.ratio:.2g}" for spell in self.spells)
        return (
            f"{len(self.busy)} calls against {len(self.quiet)}, in alternating spells with ratios of {ratios}; medians "
            f"{busy} against {quiet} ms; under way at once: {SIGN_INS} sign-ins, {UPLOADS} pathological uploads, "
            f"{PDFS} PDFs and {SIGN_UPS} sign-ups with a mail server that never answers; these ended as: {fates}"
        )


@contextlib.asynccontextmanager
async def silent_mail_server(port: int) -> AsyncIterator[list[float]]:
    """Takes connections and says nothing, for as long as anybody waits; gives the times at which somebody came."""
    came: list[float] = []

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(time.time())
        with contextlib.suppress(asyncio.CancelledError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, HOST, port)
    try:
        yield came
    finally:
        server.close()


class Work:
    """One person who does something slow, again and again."""

    def __init__(self, port: int, number: int, fates: Counter[str]) -> None:
        self.port, self.number, self.fates = port, number, fates
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
                self.fates[f"{type(self).__name__} {_fate(answer.status)}"] += 1
                if answer.status in {_BUSY, _TOO_MANY}:
                    await asyncio.sleep(1.0)


def _fate(status: int) -> str:
    if status == _BUSY:
        return "asked to come back"
    return "limited" if status == _TOO_MANY else f"answered {status}"


class SignIn(Work):
    async def once(self) -> Answer:
        # An address nobody has costs a hash, too. From many schools, so that no limit makes it cheap.
        self.browser.school = random.randrange(200, 50_000)
        self.browser.close()
        form = {"login": f"nobody{random.random()}@school.example", "password": "correct horse battery"}
        return await self.browser.send("POST", "/account/login/", form)


class SignUp(Work):
    async def once(self) -> Answer:
        self.browser.school = random.randrange(200, 50_000)
        self.browser.close()
        self.browser.cookies.pop("sessionid", None)
        address = f"new{random.random()}@school.example"
        form = {"display_name": "New", "email": address, "password1": "correct horse battery", "is_adult": "yes"}
        return await self.browser.send("POST", "/account/signup/", form)


class Teacher(Work):
    async def prepare(self) -> None:
        await super().prepare()
        own = dict(self.browser.cookies)
        await self.browser.ask("POST", "/demo/teacher/", status=302)
        self.browser.cookies |= own
        made = await self.browser.ask("POST", "/teach/new/", _CLASS, status=302)
        self.classroom = made.header("location").strip("/").split("/")[1]


class Upload(Teacher):
    async def once(self) -> Answer:
        content = ROWS if self.number % 2 else QUOTE
        return await self.browser.connection.ask(self.upload(content))

    def upload(self, content: bytes) -> bytes:
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="list.csv"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode()
        bare = self.browser.request("POST", f"/teach/{self.classroom}/students/import/", None)
        bare = bare.replace(b"application/x-www-form-urlencoded", f"multipart/form-data; boundary={_BOUNDARY}".encode())
        return bare.replace(b"Content-Length: 0", b"Content-Length: %d" % len(body)) + body


class Download(Teacher):
    async def prepare(self) -> None:
        await super().prepare()
        opened = await self.browser.ask("POST", f"/teach/session/open/{self.classroom}/", {"guests": "1"}, status=302)
        self.code = opened.header("location").strip("/").split("/")[2]
        await self.browser.ask("POST", f"/teach/session/{self.code}/begin/board/", _BOARD, HX_Request="true")

    async def once(self) -> Answer:
        return await self.browser.send("GET", f"/teach/session/{self.code}/paper.pdf")


class Report(Teacher):
    """Opens the pages about everybody in a full class, one after the other."""

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


Kinds = Sequence[tuple[type[Work], int]]
SLOW_WORK: Kinds = ((SignIn, SIGN_INS), (Upload, UPLOADS), (Download, PDFS), (SignUp, SIGN_UPS))
CLASS_PAGES: Kinds = ((Report, REPORTS),)


class Game:
    """Some tables at which one call follows the other, each timed."""

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

    async def play(self, seconds: float, taken: list[float]) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            table = next(self._next)
            start = time.perf_counter()
            try:
                await asyncio.wait_for(table.move(), PATIENCE)
            except TimeoutError:
                raise StandsStill(f"a call wasn't answered within {PATIENCE:.0f} seconds") from None
            taken.append(time.perf_counter() - start)
            await asyncio.sleep(PAUSE)


async def measure(
    ports: list[int],
    *,
    spells: int = SPELLS,
    seconds: float = SECONDS,
    is_enough: Callable[[Samples], bool] = lambda samples: False,
    kinds: Kinds = SLOW_WORK,
) -> Samples:
    """Play in quiet and in busy spells by turns, so many of each unless it's enough before."""
    samples = Samples()
    game = Game(ports)
    crowd = await Crowd.at(ports, kinds)
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
            await _until_quiet(game)
    finally:
        game.close()
        await crowd.go_home()
    return samples


class Crowd:
    """Everybody who does something slow, in a process of their own.

    People's devices are no part of the site: beside the players they'd take time from them within one client, and on
    the same machine they'd take it from the server. So that process steps back from both.
    """

    def __init__(self, ports: list[int], kinds: Kinds) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_be_crowd, args=(ports, [(kind.__name__, n) for kind, n in kinds], theirs)
        )
        self._process.start()
        theirs.close()

    @classmethod
    async def at(cls, ports: list[int], kinds: Kinds) -> Crowd:
        crowd = cls(ports, kinds)
        await crowd._hear()
        return crowd

    async def begin(self) -> None:
        self._pipe.send("begin")

    async def end(self) -> Counter[str]:
        """Stop for now; what became of everything so far."""
        self._pipe.send("end")
        return await self._hear()

    async def go_home(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.send("go home")
        await asyncio.to_thread(self._process.join, PATIENCE)
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()

    async def _hear(self) -> Counter[str]:
        heard: Counter[str] = await asyncio.to_thread(self._pipe.recv)
        return heard


def _be_crowd(ports: list[int], kinds: list[tuple[str, int]], pipe: Connection) -> None:
    os.nice(19)
    workers = [globals()[name] for name, count in kinds for _one in range(count)]
    fates: Counter[str] = Counter()
    crowd = [kind(ports[number % len(ports)], 100 + number, fates) for number, kind in enumerate(workers)]
    asyncio.run(_follow_orders(crowd, fates, pipe))


async def _follow_orders(crowd: list[Work], fates: Counter[str], pipe: Connection) -> None:
    for worker in crowd:
        await worker.prepare()
    pipe.send(fates)
    busy: list[asyncio.Future[None]] = []
    while (order := await asyncio.to_thread(pipe.recv)) != "go home":
        if order == "begin":
            # Few come last in the crowd: behind forty sign-ins a sign-up would wait for longer than a spell.
            busy = [asyncio.ensure_future(worker.keep_going()) for worker in reversed(crowd)]
            continue
        for each in busy:
            each.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        for worker in crowd:
            worker.close()
            worker.browser = await _again(worker)
        pipe.send(fates)
    for worker in crowd:
        worker.close()


async def _again(worker: Work) -> Browser:
    """The same browser with its cookies, on a new connection."""
    fresh = await Browser.at(worker.port, worker.number)
    fresh.cookies = worker.browser.cookies
    return fresh


async def _until_quiet(game: Game) -> None:
    """Give what is still queued or running the time to end."""
    await game.play(2 * WARM_UP_SECONDS, [])


def figure_of(name: str, samples: Samples) -> Figure:
    quiet, busy = (1_000 * percentile(each, 0.95) for each in (samples.quiet, samples.busy))
    baseline = "the 95th percentile on the quiet site, same run"
    return Figure(
        f"call_under_slow_load_{name}", busy, "ms", baseline, quiet, samples.ratio, Goal(at_most=MOST_RATIO),
        samples.note(),
    )  # fmt: skip


async def _on(site: Site, measured: Callable[[list[int]], Awaitable[Samples]], mail_port: int) -> Samples:
    async with silent_mail_server(mail_port):
        return await measured(site.ports)


def main(names: list[str], *, spells: int, seconds: float) -> int:
    """Print a figure for each setup; 1 if any misses its goal."""
    is_missed = False
    for start in (Embedded, Scaled):
        if names and start.name not in names:
            continue
        mail_port = random.SystemRandom().randrange(11_000, 32_000)
        site = start(environment={"SETSITE_MAIL": f"smtp://{HOST}:{mail_port}"})
        try:
            samples = asyncio.run(_on(site, partial(measure, spells=spells, seconds=seconds), mail_port))
        except StandsStill as error:
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
