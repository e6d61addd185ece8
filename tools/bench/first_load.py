"""How much a browser fetches before you can play: a match's page and everything it loads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin

from tools.bench.figures import Figure, Goal
from tools.bench.http_client import Table, Visitor
from tools.bench.site import running_site

_URL = re.compile(r"url\([\"']?([^\"')]+)[\"']?\)")
_FETCHED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}


class _Finder(HTMLParser):
    """Finds the URLs that a page makes a browser fetch right away."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "link" and _FETCHED_LINKS & set(attributes.get("rel", "").split()):
            self.found.append(attributes["href"])
        elif tag in {"script", "img", "source", "iframe"} and "src" in attributes:
            self.found.append(attributes["src"])


@dataclass(frozen=True, slots=True)
class Fetched:
    address: str
    kind: str
    size: int
    """In bytes, including headers."""


class Load(NamedTuple):
    files: list[Fetched]
    fonts: list[Fetched]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


async def _fetch_all(visitor: Visitor, page: str, encoding: str) -> Load:
    load = Load([], [])
    waiting, seen = [page], {page}
    while waiting:
        address = waiting.pop(0)
        answer = await visitor.ask("GET", address, Accept_Encoding=encoding)
        kind = answer.header("content-type").partition(";")[0]
        file = Fetched(address, kind.rpartition("/")[2], answer.size)
        (load.fonts if kind.startswith("font/") else load.files).append(file)
        found: list[str] = []
        if kind == "text/html":
            found = _Finder(answer.content.decode()).found
        elif kind == "text/css":
            found = _URL.findall(answer.content.decode())
        for each in found:
            full = urljoin(address, each).partition("#")[0]
            if full not in seen and not full.startswith("data:"):
                seen.add(full)
                waiting.append(full)
    return load


async def _measure(port: int) -> tuple[Load, Load]:
    table = await Table.open(port, seats=8)
    player = table.players[0]
    page = f"/play/{player.code}/"
    return await _fetch_all(player.visitor, page, "gzip"), await _fetch_all(player.visitor, page, "identity")


@cache
def _loads() -> tuple[Load, Load]:
    site = running_site()
    return site.run(_measure(site.port))


def first_load_bytes() -> Figure:
    gzipped, plain = _loads()
    kinds = sorted({file.kind for file in gzipped.files})
    parts = (f"{sum(file.size for file in gzipped.files if file.kind == kind) / 1_000:.1f} {kind}" for kind in kinds)
    fonts = sum(font.size for font in gzipped.fonts)
    note = (
        f"a player's page after the deal and everything it loads, headers included, gzipped, in {len(gzipped.files)} "
        f"requests: {', '.join(parts)}; plus {fonts / 1_000:.1f} kB of fonts"
    )
    kb, plain_kb = gzipped.size / 1_000, plain.size / 1_000
    goal = Goal(at_most=60, of="value")
    return Figure("first_load_bytes", kb, "kB", "the same, uncompressed", plain_kb, kb / plain_kb, goal, note)


FIGURES = [first_load_bytes]
