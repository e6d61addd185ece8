"""The command that writes the cards to files."""

import pytest
from django.core.management import CommandError, call_command
from PIL import Image


def render(*arguments):
    call_command("render_cards", *map(str, arguments), verbosity=0)


def test_it_writes_all_81_cards_of_a_palette(tmp_path, capsys):
    render("--out", tmp_path, "--palette", "tritanopia", "--width", 32)
    pictures = sorted((tmp_path / "tritanopia").iterdir())
    assert len(pictures) == 81
    assert capsys.readouterr().out == f"81 files written to {tmp_path}\n"
    with Image.open(tmp_path / "tritanopia" / "two-striped-green-ovals.png") as image:
        assert image.size == (32, 21)


def test_it_writes_svg_in_all_palettes(tmp_path):
    render("--out", tmp_path, "--palette", "all", "--format", "svg")
    assert len(list(tmp_path.glob("*/*.svg"))) == 6 * 81


def test_it_adds_marks_where_asked(tmp_path):
    render("--out", tmp_path / "plain", "--format", "svg")
    render("--out", tmp_path / "marked", "--format", "svg", "--marks")
    name = "standard/one-solid-red-oval.svg"
    assert (tmp_path / "marked" / name).stat().st_size > (tmp_path / "plain" / name).stat().st_size


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--contact-sheet", "--palette", "protanopia", "--width", "500"], {"protanopia.png"}),
        (["--simulated"], {"simulated.png"}),
        (["--table", "--width", "300"], {"cards.png"}),
        (["--css"], {"cards.css"}),
        (["--icons"], {"icon.svg", *(f"icon{kind}-{size}.png" for kind in ("", "-maskable") for size in (192, 512))}),
    ],
)
def test_it_writes_each_other_thing_by_its_name(tmp_path, arguments, names):
    render("--out", tmp_path / "new", *arguments)
    assert {path.name for path in (tmp_path / "new").iterdir()} == names


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--palette", "sepia"], "no palette is called 'sepia'"),
        (["--width", "0"], "from 1 to 6000, not '0'"),
        (["--width", "wide"], "not 'wide'"),
        (["--format", "gif"], "invalid choice: 'gif'"),
        (["--css", "--icons"], "not allowed with argument"),
    ],
)
def test_it_says_what_is_wrong_with_an_option(tmp_path, arguments, words):
    with pytest.raises(CommandError, match=words):
        render("--out", tmp_path, *arguments)


def test_it_asks_where_the_cards_go():
    with pytest.raises(CommandError, match="--out DIR"):
        render("--width", 32)


def test_it_says_when_the_folder_cannot_be_written(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(CommandError, match=r"cannot write to .*taken"):
        render("--out", tmp_path / "taken", "--css")
