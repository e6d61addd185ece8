"""Write the cards to files: pictures, contact sheets, the stylesheet, and the icons."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from PIL import Image

from core.numbers import whole_number
from games.art.icons import app_icon, icon_svg, maskable_icon
from games.art.palettes import PALETTES, Palette, UnknownPalette, palette_named
from games.art.raster import card_image
from games.art.sheets import contact_sheet, simulated_sheet, table_picture
from games.art.stylesheet import palette_css
from games.art.svg import card_svg_file
from games.rules.cards import FULL_DECK, Card

_WIDEST = 6000
Written = Iterable[tuple[str, Image.Image | str]]


def _width(text: str) -> int:
    width = whole_number(text, most=_WIDEST)
    if not width:
        raise ArgumentTypeError(f"a width is a whole number of pixels from 1 to {_WIDEST}, not {text!r}")
    return width


class Command(BaseCommand):
    help = "Write the cards to files; without a choice of what, one picture of each of the 81."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, help="folder to write to (the cards have no other)")
        parser.add_argument("--palette", default="standard", help=f"{', '.join(PALETTES)}, or all")
        parser.add_argument("--width", type=_width, help="pixels across a card, a sheet or the table")
        parser.add_argument("--format", choices=["png", "svg"], default="png", help="of the cards")
        parser.add_argument("--marks", action="store_true", help="tell colors apart by a mark as well, in any palette")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--contact-sheet", action="store_true", help="all 81 on a sheet (var/cards)")
        what.add_argument("--simulated", action="store_true", help="the palettes as color-blind eyes see them")
        what.add_argument("--table", action="store_true", help="twelve cards dealt (docs/pictures/cards.png)")
        what.add_argument("--css", action="store_true", help="the stylesheet of the palettes (static/css)")
        what.add_argument("--icons", action="store_true", help="the icons of the site (static/icons)")

    def handle(self, *args: Any, **options: Any) -> None:
        files, usual_folder = self._files_and_folder(options)
        folder: Path | None = options["out"] or usual_folder
        if folder is None:
            raise CommandError("say where the cards go: --out DIR")
        count = 0
        try:
            for name, content in files:
                _write(folder / name, content)
                count += 1
        except OSError as error:
            raise CommandError(f"cannot write to {folder}: {error.strerror or error}") from error
        self.stdout.write(f"{count} {'file' if count == 1 else 'files'} written to {folder}")

    def _files_and_folder(self, options: dict[str, Any]) -> tuple[Written, Path | None]:
        base, width = Path(settings.BASE_DIR), options["width"]
        if options["css"]:
            return [("cards.css", palette_css())], base / "static" / "css"
        if options["icons"]:
            return _icons(), base / "static" / "icons"
        if options["simulated"]:
            return [("simulated.png", _few_colors(simulated_sheet()))], Path(settings.VAR_DIR) / "cards"
        if options["table"]:
            return [("cards.png", _few_colors(table_picture(width or 800)))], base / "docs" / "pictures"
        palettes = _palettes(options["palette"])
        if options["contact_sheet"]:
            return _sheets(palettes, width or 1600, marks=options["marks"]), Path(settings.VAR_DIR) / "cards"
        draw = _drawer(options["format"], width or 600, marks=options["marks"] or None)
        return _cards(palettes, draw, options["format"]), None


def _palettes(name: str) -> list[Palette]:
    if name == "all":
        return list(PALETTES.values())
    try:
        return [palette_named(name)]
    except UnknownPalette as error:
        raise CommandError(f"{error}, or all") from None


def _drawer(file_format: str, width: int, *, marks: bool | None) -> Callable[[Card, Palette], Image.Image | str]:
    if file_format == "svg":
        return lambda card, palette: card_svg_file(card, palette, marks=marks, width=width)
    return lambda card, palette: card_image(card, width, palette, marks=marks)


def _cards(palettes: list[Palette], draw: Callable[[Card, Palette], Image.Image | str], file_format: str) -> Written:
    for palette in palettes:
        for card in FULL_DECK:
            yield f"{palette.name}/{str(card).replace(' ', '-')}.{file_format}", draw(card, palette)


def _sheets(palettes: list[Palette], width: int, *, marks: bool) -> Written:
    for palette in palettes:
        yield f"{palette.name}.png", _few_colors(contact_sheet(palette, width, marks=marks or None))


def _icons() -> Written:
    yield "icon.svg", icon_svg()
    for size in (192, 512):
        yield f"icon-{size}.png", app_icon(size)
        yield f"icon-maskable-{size}.png", maskable_icon(size)


def _few_colors(image: Image.Image) -> Image.Image:
    # A sheet has few colors and no gradients: 128 colors look the same in a third of the bytes.
    return image.quantize(128, dither=Image.Dither.NONE)


def _write(path: Path, content: Image.Image | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="\n")
    else:
        content.save(path, optimize=True)
