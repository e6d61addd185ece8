"""Names that a whole class may see: checked, or generated, and different within a class."""

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
_UNSEEN = {"Mn", "Me", "Cf", "Cc"}
_APOSTROPHES = "'`\u2019\u02bc"
_SIGNS = [str.maketrans("0345678@$!|+€1", f"oeasgtbasiite{one}") for one in "il"]
_PARTS = re.compile(r"([^\w@$!|+€]+)")
# Letters of other scripts that look like ours.
_STRANGERS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u043a\u043c\u0442\u0456\u0458\u0455\u03b1\u03bf\u03b9\u03ba\u03bd",
    "aeopcyxkmtijsaoikv",
)


class TakenNames(set[str]):
    """The display names of a class. Remembers where numbering has got to, so that two thousand Sams take no longer."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self.next_number: dict[str, int] = {}


def display_name_for(wanted: str, real_name: str, taken: Collection[str], *, generated: bool = False) -> str:
    """The wanted name, or the first name, if it is fit for a class; otherwise a friendly one. Never a taken one."""
    if wanted and not is_unfit(wanted):
        return _own(clean(wanted)[:LONGEST], taken)
    first = "" if generated else first_name(real_name)
    if first and not is_unfit(first):
        return _own(_told_apart(first, real_name, taken), taken)
    return generated_name(taken)


def generated_name(taken: Collection[str]) -> str:
    """An animal with a good quality that nobody of these has."""
    for _try in range(_TRIES):
        name = friendly_name()
        if name not in taken:
            return name
    return _own(name, taken)


def first_name(real_name: str) -> str:
    """The first of the names; "Okafor, Mia" is Mia."""
    last, comma, rest = clean(real_name).partition(",")
    words = (rest if comma and rest.strip() else last).split()
    return words[0][:LONGEST] if words else ""


def _told_apart(first: str, real_name: str, taken: Collection[str]) -> str:
    """With the initial of the last name where somebody else has the first name."""
    if first not in taken:
        return first
    last, comma, _rest = clean(real_name).partition(",")
    words = [last] if comma else last.split()[1:]
    return f"{first[: LONGEST - 3]} {words[-1][0]}." if words and words[-1] else first


def _own(name: str, taken: Collection[str]) -> str:
    if name not in taken:
        return name
    stem = name[: LONGEST - 5]
    numbers = taken.next_number if isinstance(taken, TakenNames) else {}
    number = next(each for each in count(numbers.get(stem, 2)) if f"{stem} {each}" not in taken)
    # The caller may still not take it, so this one is looked at again.
    numbers[stem] = number
    return f"{stem} {number}"


def clean(name: str) -> str:
    """The name as one line of printable letters, composed, with no towers of marks on them."""
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
    """Whether a name holds a word that does not belong in front of a class, also in a simple disguise."""
    return any(_is_bad(reading) for reading in set(_readings(name)))


def _readings(name: str) -> Iterator[str]:
    """The name without accents and invisible letters, and as it reads with signs and digits taken for letters."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(
        letter for letter in plain if unicodedata.category(letter) not in _UNSEEN and letter not in _APOSTROPHES
    )
    if re.search("[a-z]", plain, re.IGNORECASE):
        plain = plain.translate(_STRANGERS)
    yield plain
    # A number by itself is a number: only what stands with letters is read as one.
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
        # "BigDick" is two words, and "f.u-ck" one.
        tokens.update(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", chunk))
        if any(len(part) <= _SYLLABLE for part in parts):
            tokens.add("".join(parts))
    tokens.add(re.sub(r"[^a-z]", "", text.lower()) if _is_spelled_out(text) else "")
    return any(words.fullmatch(token) or inside.search(innocent.sub("", token)) for token in tokens)


def _is_spelled_out(text: str) -> bool:
    """Whether no part is long enough to be a name, as in "fu ck"."""
    return all(len(part) <= _SYLLABLE for part in re.findall(r"[a-z]+", text.lower()))


@cache
def _bad_words() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Words that are bad by themselves, those that are bad inside of any word, and innocent words around these."""
    lines = Path(__file__).with_name("bad_words.txt").read_text(encoding="utf-8").splitlines()
    entries = [entry for line in lines if line[:1] not in {"#", "+"} for entry in line.split()]
    innocent = [entry for line in lines if line[:1] == "+" for entry in line[1:].split()]
    inside = [_stretched(entry[:-1]) for entry in entries if entry.endswith("*")]
    words = [_stretched(entry.rstrip("*")) for entry in entries]
    return re.compile("|".join(words)), re.compile("|".join(inside)), re.compile("|".join(innocent))


def _stretched(word: str) -> str:
    """A pattern for a word that also fits "shiiit". In a short one two are not many: Titti is no tit."""
    runs = ((letter, len(list(run))) for letter, run in groupby(word))
    if len(word) <= _SHORT:
        return "".join(f"(?:{letter}{{{count}}}|{letter}{{3,}})" for letter, count in runs)
    return "".join(f"{letter}{{{count},}}" for letter, count in runs)
