"""A whole class in a live session: devices that join, show what they are sent, and answer; remote and projector."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable
from html import unescape
from urllib.parse import quote

from tools.load.client import PATIENCE, Browser, Circle, Screen

_SEEN = re.compile(r'data-seen="([^"]*)"')
_FORM = re.compile(r'name="activity" value="(\d+)">\s*<input type="hidden" name="round" value="(\d+)"')
_STREAM_AND_PART = re.compile(r'data-stream="([^"]+)" data-part="([^"]+)"')
_COUNT = re.compile(r"(\d+) of (\d+) have answered")
_EVENT = re.compile(rb"event: (\w+)\ndata: ([^\n]*)\n\n")
_COUNT_LINE = re.compile(r'<p class="count.*?</p>')
_CLASS = {"name": "Load", "language": "en-us", "edition": "us", "authorised_by": "The head", "has_authority": "on"}


class Look(Screen):
    """A screen of a lesson, which shows what its stream brings, as session.js does."""

    def __init__(self, browser: Browser, page: str, lesson: Lesson) -> None:
        found = _STREAM_AND_PART.search(page)
        if not found:
            raise ValueError("the page has no stream")
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        super().__init__(unescape(found[1]), lesson, cookies=cookies)
        self.browser, self.part = browser, unescape(found[2])
        self.html = page
        self._news = asyncio.Event()
        self._asking: asyncio.Task[None] | None = None
        self._is_stale = False

    def take(self, message: bytes) -> None:
        for name, data in _EVENT.findall(message):
            if name == b"part":
                self._show(data.decode())
            elif name == b"news":
                self._update(data.decode())
            elif name == b"changed":
                self._is_stale = True
                if self._asking is None or self._asking.done():
                    self._asking = asyncio.create_task(self._look())

    def _show(self, part: str) -> None:
        """A whole picture: what's older than the one that is shown says nothing new."""
        if _seen(part) > _seen(self.html):
            self.circle.notes.pushes += 1
            self.html = part
            self._news.set()

    def _update(self, piece: str) -> None:
        """The count anew, for the picture that is shown."""
        seen, count = _seen(piece), _COUNT_LINE.search(piece)
        if count and seen > _seen(self.html) and seen[0] == _seen(self.html)[0]:
            self.circle.notes.pushes += 1
            html = _COUNT_LINE.sub(count[0], self.html)
            self.html = _SEEN.sub(f'data-seen="{".".join(map(str, seen))}"', html, count=1)
            self._news.set()

    async def _look(self) -> None:
        while self._is_stale:
            self._is_stale = False
            found = _SEEN.search(self.html)
            path = f"{self.part}?seen={quote(unescape(found[1]) if found else '')}"
            answer = await self.browser.send("GET", path, HX_Request="true")
            if answer.status == 200:
                self.show(answer.content)
            elif answer.status != 204:
                self.circle.notes.errors += 1

    def show(self, part: bytes) -> None:
        self.html = part.decode()
        self._news.set()

    async def until(self, is_so: Callable[[Look], object]) -> None:
        """Wait until it shows something."""
        deadline = time.perf_counter() + PATIENCE
        while not is_so(self):
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), deadline - time.perf_counter())

    @property
    def round(self) -> tuple[str, str] | None:
        """The activity and the round that it can answer."""
        found = _FORM.search(self.html)
        return (found[1], found[2]) if found else None


def _seen(html: str) -> tuple[int, ...]:
    """The version of a picture; the first page is none."""
    found = _SEEN.search(html)
    return tuple(map(int, found[1].split("."))) if found else ()


class Lesson(Circle):
    """A class of guests with a teacher, who leads them through rounds of "Is it a SET?"."""

    def __init__(self, number: int, ports: list[int], *, seed: int = 0) -> None:
        super().__init__()
        self.number, self.ports = number, ports
        self.rng = random.Random(f"lesson/{seed}/{number}")
        self.devices: list[Look] = []
        self.on_projector: list[float] = []
        """From the request of the last answer until the projector says that everybody has answered."""
        self.answers = 0

    async def open(self, devices: int) -> None:
        self.teacher = await Browser.at(self.ports[0], self.number)
        self.browsers.append(self.teacher)
        own = dict(self.teacher.cookies)
        await self.teacher.ask("POST", "/demo/teacher/", status=302)
        # Signing in brings a new token against forgery; the server only compares what it is sent twice.
        self.teacher.cookies |= own
        made = await self.teacher.ask("POST", "/teach/new/", _CLASS, status=302)
        classroom = made.header("location").strip("/").split("/")[1]
        opened = await self.teacher.ask("POST", f"/teach/session/open/{classroom}/", {"guests": "1"}, status=302)
        self.code = opened.header("location").strip("/").split("/")[2]
        self.projector, self.remote = [await self._staff(name) for name in ("screen", "remote")]
        for number in range(devices):
            await self._join(self.ports[number % len(self.ports)])
        self.round = 0

    async def _staff(self, name: str) -> Look:
        page = (await self.teacher.ask("GET", f"/teach/session/{self.code}/{name}/")).content.decode()
        screen = Look(self.teacher, page, self)
        await screen.open(self.teacher.port, self.number)
        return screen

    async def _join(self, port: int) -> None:
        browser = await Browser.at(port, self.number)
        self.browsers.append(browser)
        await browser.ask("POST", f"/session/{self.code}/join/", status=302)
        page = (await browser.ask("GET", f"/session/{self.code}/")).content.decode()
        device = Look(browser, page, self)
        await device.open(port, self.number)
        self.devices.append(device)

    async def next_round(self) -> None:
        """The teacher asks something new; noted is how long it takes until the last device shows it."""
        self.round += 1
        start = time.perf_counter()
        if self.round == 1:
            await self._lead("begin/triples/", {})
        else:
            await self._lead("steer/reveal/", {"round": self.round - 1})
            await self._lead("steer/next/", {"round": self.round - 1})
        await asyncio.gather(*(device.until(self._is_asked) for device in self.devices))
        self.notes.on_all.append(time.perf_counter() - start)
        # Who has only just connected is counted a moment later.
        await self.projector.until(self._counts_all)

    def _is_asked(self, device: Look) -> bool:
        return device.round == ("1", str(self.round))

    def _counts_all(self, projector: Look) -> bool:
        count = _COUNT.search(projector.html)
        return count is not None and int(count[2]) == len(self.devices)

    async def _lead(self, order: str, form: dict[str, object]) -> None:
        """The remote has a stream, so what was done comes by that."""
        path = f"/teach/session/{self.code}/{order}"
        await self.teacher.ask("POST", path, form, status=204, HX_Request="true", X_Live="1")

    async def answer(self, within: float) -> None:
        """All answer, each at a moment of their own within some seconds, and the projector says so."""
        sent: list[float] = []

        async def answer(device: Look, pause: float) -> None:
            await asyncio.sleep(pause)
            activity, number = device.round or ("", "")
            start = time.perf_counter()
            sent.append(start)
            form = {"activity": activity, "round": number, "yes": "1"}
            given = await device.browser.send("POST", f"/session/{self.code}/act/", form, HX_Request="true")
            self.notes.answered.append(time.perf_counter() - start)
            if given.status == 200:
                self.answers += 1
                device.show(given.content)
            else:
                self.notes.errors += 1

        await asyncio.gather(*(answer(device, self.rng.uniform(0, within)) for device in self.devices))
        await self.projector.until(lambda projector: "is-everybody" in projector.html)
        self.on_projector.append(time.perf_counter() - max(sent))
