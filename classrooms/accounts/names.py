"""Display names that a whole class may see: checked or generated, and unique within a class."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import count, groupby
from pathlib import Path

from games.players import friendly_name

LONGEST = 40
_TRIES = 20
_MOST_MARKS = 3
_SHORT = 3
_SYLLABLE = 2
_INVISIBLE = {"Mn", "Me", "Cf", "Cc"}
_APOSTROPHES = "'`\u2019\u02bc"
_SIGNS = [str.maketrans("0345678@$!|+€1", f"oeasgtbasiite{one}") for one in "il"]
_PARTS = re.compile(r"([^\w@$!|+€]+)")
# Letters of other scripts that look like Latin ones.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u043a\u043c\u0442\u0456\u0458\u0455\u03b1\u03bf\u03b9\u03ba\u03bd",
    "aeopcyxkmtijsaoikv",
)


class TakenNames(set[str]):
    """The display names of a class, with the next number for each name so that two thousand Sams aren't slow."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self.next_number: dict[str, int] = {}


def display_name_for(wanted: str, real_name: str, taken: Collection[str], *, generated: bool = False) -> str:
    """The wanted name or else the first name, if it's fit for a class, otherwise a friendly one. Never a taken one."""
    if wanted and not is_unfit(wanted):
        return _made_unique(clean(wanted)[:LONGEST], taken)
    first = "" if generated else first_name(real_name)
    if first and not is_unfit(first):
        return _made_unique(_with_initial(first, real_name, taken), taken)
    return generated_name(taken)


def generated_name(taken: Collection[str]) -> str:
    """A friendly generated name that isn't taken."""
    for _try in range(_TRIES):
        name = friendly_name()
        if name not in taken:
            return name
    return _made_unique(name, taken)


def first_name(real_name: str) -> str:
    """The first name: "Mia" for "Mia Okafor" and "Okafor, Mia"."""
    last, comma, rest = clean(real_name).partition(",")
    words = (rest if comma and rest.strip() else last).split()
    return words[0][:LONGEST] if words else ""


def _with_initial(first: str, real_name: str, taken: Collection[str]) -> str:
    """Add the last name's initial if the first name is taken."""
    if first not in taken:
        return first
    last, comma, _rest = clean(real_name).partition(",")
    words = [last] if comma else last.split()[1:]
    return f"{first[: LONGEST - 3]} {words[-1][0]}." if words and words[-1] else first


def _made_unique(name: str, taken: Collection[str]) -> str:
    if name not in taken:
        return name
    stem = name[: LONGEST - 5]
    numbers = taken.next_number if isinstance(taken, TakenNames) else {}
    number = next(each for each in count(numbers.get(stem, 2)) if f"{stem} {each}" not in taken)
    # Not one more, because the caller may not use this name after all.
    numbers[stem] = number
    return f"{stem} {number}"


def clean(name: str) -> str:
    """Normalize a name to one line of printable, composed letters without stacks of combining marks."""
    name = unicodedata.normalize("NFC", name)
    kept: list[str] = []
    marks = 0
    for letter in name:
        category = unicodedata.category(letter)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if category in {"Zs", "Zl", "Zp", "Cc"}:
            kept.append(" ")
        elif category[0] != "C" and marks <= _MOST_MARKS:
            kept.append(letter)
    return " ".join("".join(kept).split())


def is_unfit(name: str) -> bool:
    """Whether a name contains a word that's unfit for a class, even if simply disguised."""
    return any(_is_bad(reading) for reading in set(_readings(name)))


def _readings(name: str) -> Iterator[str]:
    """The name without accents and invisible characters, and with signs and digits read as letters."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(
        letter for letter in plain if unicodedata.category(letter) not in _INVISIBLE and letter not in _APOSTROPHES
    )
    if re.search("[a-z]", plain, re.IGNORECASE):
        plain = plain.translate(_LOOKALIKES)
    yield plain
    # A number by itself stays a number; digits are read as letters only next to letters.
    parts = _PARTS.split(plain)
    for signs in _SIGNS:
        yield "".join(part.translate(signs) if any(map(str.isalpha, part)) else part for part in parts)
    if "*" in plain:
        yield from (plain.replace("*", vowel) for vowel in "aeiou")


def _is_bad(text: str) -> bool:
    words, inside, innocent = _bad_words()
    tokens = set()
    for chunk in text.split():
        parts = re.findall(r"[a-z]+", chunk.lower())
        tokens.update(parts)
        # "BigDick" counts as two words, and "f.u-ck" as one.
        tokens.update(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", chunk))
        if any(len(part) <= _SYLLABLE for part in parts):
            tokens.add("".join(parts))
    tokens.add(re.sub(r"[^a-z]", "", text.lower()) if _is_spelled_out(text) else "")
    return any(words.fullmatch(token) or inside.search(innocent.sub("", token)) for token in tokens)


def _is_spelled_out(text: str) -> bool:
    """Whether every part is too short to be a name, as in "fu ck"."""
    return all(len(part) <= _SYLLABLE for part in re.findall(r"[a-z]+", text.lower()))


@cache
def _bad_words() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns for words that are bad alone, words that are bad inside other words, and innocent words with them."""
    lines = Path(__file__).with_name("bad_words.txt").read_text(encoding="utf-8").splitlines()
    entries = [entry for line in lines if line[:1] not in {"#", "+"} for entry in line.split()]
    innocent = [entry for line in lines if line[:1] == "+" for entry in line[1:].split()]
    inside = [_stretched(entry[:-1]) for entry in entries if entry.endswith("*")]
    words = [_stretched(entry.rstrip("*")) for entry in entries]
    return re.compile("|".join(words)), re.compile("|".join(inside)), re.compile("|".join(innocent))


def _stretched(word: str) -> str:
    """A pattern that also fits "shiiit". In short words only three in a row count as repeated: Titti is a name."""
    runs = ((letter, len(list(run))) for letter, run in groupby(word))
    if len(word) <= _SHORT:
        return "".join(f"(?:{letter}{{{count}}}|{letter}{{3,}})" for letter, count in runs)
    return "".join(f"{letter}{{{count},}}" for letter, count in runs)
