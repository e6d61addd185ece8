"""Simulate a whole class in a live session: devices that join, show what they receive and answer, remote, projector."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable
from html import unescape
from urllib.parse import quote

from tools.load.client import PATIENCE, Browser, Screen, ScreenGroup

_SEEN = re.compile(r'data-seen="([^"]*)"')
_FORM = re.compile(r'name="activity" value="(\d+)">\s*<input type="hidden" name="round" value="(\d+)"')
_STREAM_AND_PART = re.compile(r'data-stream="([^"]+)" data-part="([^"]+)"')
_COUNT = re.compile(r"(\d+) of (\d+) have answered")
_EVENT = re.compile(rb"event: (\w+)\ndata: ([^\n]*)\n\n")
_COUNT_LINE = re.compile(r'<p class="count.*?</p>')
_CLASS = {"name": "Load", "language": "en-us", "edition": "us", "authorised_by": "The head", "has_authority": "on"}


class LessonScreen(Screen):
    """A screen in a lesson, which shows what its stream brings, the way live-lesson/screen.js does."""

    def __init__(self, browser: Browser, page: str, lesson: Lesson) -> None:
        found = _STREAM_AND_PART.search(page)
        if not found:
            raise ValueError("the page has no stream")
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        super().__init__(unescape(found[1]), lesson, cookies=cookies)
        self.browser, self.part = browser, unescape(found[2])
        self.html = page
        self._changed = asyncio.Event()
        self._fetching: asyncio.Task[None] | None = None
        self._is_stale = False

    def handle(self, message: bytes) -> None:
        for name, data in _EVENT.findall(message):
            if name == b"part":
                self._show(data.decode())
            elif name == b"news":
                self._update(data.decode())
            elif name == b"changed":
                self._is_stale = True
                if self._fetching is None or self._fetching.done():
                    self._fetching = asyncio.create_task(self._fetch_part())

    def _show(self, part: str) -> None:
        """Show a complete picture, unless the one shown is newer."""
        if _version(part) > _version(self.html):
            self.group.measurements.pushes += 1
            self.html = part
            self._changed.set()

    def _update(self, piece: str) -> None:
        """Update the answer count in the current picture."""
        version, count = _version(piece), _COUNT_LINE.search(piece)
        if count and version > _version(self.html) and version[0] == _version(self.html)[0]:
            self.group.measurements.pushes += 1
            html = _COUNT_LINE.sub(count[0], self.html)
            self.html = _SEEN.sub(f'data-seen="{".".join(map(str, version))}"', html, count=1)
            self._changed.set()

    async def _fetch_part(self) -> None:
        while self._is_stale:
            self._is_stale = False
            found = _SEEN.search(self.html)
            path = f"{self.part}?seen={quote(unescape(found[1]) if found else '')}"
            answer = await self.browser.send("GET", path, HX_Request="true")
            if answer.status == 200:
                self.show(answer.content)
            elif answer.status != 204:
                self.group.measurements.errors += 1

    def show(self, part: bytes) -> None:
        self.html = part.decode()
        self._changed.set()

    async def wait_until(self, is_so: Callable[[LessonScreen], object]) -> None:
        """Wait until the condition holds for this screen."""
        deadline = time.perf_counter() + PATIENCE
        while not is_so(self):
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), deadline - time.perf_counter())

    @property
    def round(self) -> tuple[str, str] | None:
        """The activity and round in the form, if this screen can answer."""
        found = _FORM.search(self.html)
        return (found[1], found[2]) if found else None


def _version(html: str) -> tuple[int, ...]:
    """The version of a picture, or () if it's a page that has none."""
    found = _SEEN.search(html)
    return tuple(map(int, found[1].split("."))) if found else ()


class Lesson(ScreenGroup):
    """A class of guests with a teacher, who leads them through rounds of "Is it a SET?"."""

    def __init__(self, number: int, ports: list[int], *, seed: int = 0) -> None:
        super().__init__()
        self.number, self.ports = number, ports
        self.rng = random.Random(f"lesson/{seed}/{number}")
        self.devices: list[LessonScreen] = []
        self.on_projector: list[float] = []
        """Times from sending the last answer until the projector shows that everybody has answered."""
        self.answers = 0

    async def open(self, devices: int) -> None:
        self.teacher = await Browser.at(self.ports[0], self.number)
        self.browsers.append(self.teacher)
        own = dict(self.teacher.cookies)
        await self.teacher.ask("POST", "/demo/teacher/", status=302)
        # Signing in sets a new CSRF cookie. Keep our own: the server only compares cookie and header.
        self.teacher.cookies |= own
        created = await self.teacher.ask("POST", "/teach/new/", _CLASS, status=302)
        classroom = created.header("location").strip("/").split("/")[1]
        opened = await self.teacher.ask("POST", f"/teach/session/open/{classroom}/", {"guests": "1"}, status=302)
        self.code = opened.header("location").strip("/").split("/")[2]
        self.projector, self.remote = [await self._open_teacher_screen(name) for name in ("screen", "remote")]
        for number in range(devices):
            await self._join(self.ports[number % len(self.ports)])
        self.round = 0

    async def _open_teacher_screen(self, name: str) -> LessonScreen:
        page = (await self.teacher.ask("GET", f"/teach/session/{self.code}/{name}/")).content.decode()
        screen = LessonScreen(self.teacher, page, self)
        await screen.open(self.teacher.port, self.number)
        return screen

    async def _join(self, port: int) -> None:
        browser = await Browser.at(port, self.number)
        self.browsers.append(browser)
        await browser.ask("POST", f"/session/{self.code}/join/", status=302)
        page = (await browser.ask("GET", f"/session/{self.code}/")).content.decode()
        device = LessonScreen(browser, page, self)
        await device.open(port, self.number)
        self.devices.append(device)

    async def next_round(self) -> None:
        """Let the teacher ask the next question; measure the time until the last device shows it."""
        self.round += 1
        start = time.perf_counter()
        if self.round == 1:
            await self._command("begin/triples/", {})
        else:
            await self._command("steer/reveal/", {"round": self.round - 1})
            await self._command("steer/next/", {"round": self.round - 1})
        await asyncio.gather(*(device.wait_until(self._is_asked) for device in self.devices))
        self.measurements.shown_on_all.append(time.perf_counter() - start)
        # A device that has just connected is counted a moment later.
        await self.projector.wait_until(self._counts_all)

    def _is_asked(self, device: LessonScreen) -> bool:
        return device.round == ("1", str(self.round))

    def _counts_all(self, projector: LessonScreen) -> bool:
        count = _COUNT.search(projector.html)
        return count is not None and int(count[2]) == len(self.devices)

    async def _command(self, order: str, form: dict[str, object]) -> None:
        """Send a command from the remote. It has a stream, which brings the result."""
        path = f"/teach/session/{self.code}/{order}"
        await self.teacher.ask("POST", path, form, status=204, HX_Request="true", X_Live="1")

    async def answer(self, within: float) -> None:
        """Answer from all devices at random times within some seconds; wait until the projector shows it."""
        sent: list[float] = []

        async def answer(device: LessonScreen, pause: float) -> None:
            await asyncio.sleep(pause)
            activity, number = device.round or ("", "")
            start = time.perf_counter()
            sent.append(start)
            form = {"activity": activity, "round": number, "yes": "1"}
            response = await device.browser.send("POST", f"/session/{self.code}/act/", form, HX_Request="true")
            self.measurements.answered.append(time.perf_counter() - start)
            if response.status == 200:
                self.answers += 1
                device.show(response.content)
            else:
                self.measurements.errors += 1

        await asyncio.gather(*(answer(device, self.rng.uniform(0, within)) for device in self.devices))
        await self.projector.wait_until(lambda projector: "is-everybody" in projector.html)
        self.on_projector.append(time.perf_counter() - max(sent))
