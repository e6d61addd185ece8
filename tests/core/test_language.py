"""Language selection, and that everything is translated into every language."""

from __future__ import annotations

import os
import re
import shutil
import string
import subprocess
import sys
from pathlib import Path

import polib
import pytest
from django.conf import settings as site_settings
from django.test import Client
from django.utils import translation

from classrooms.accounts.signing_in import card_token
from classrooms.classes.service import make_class
from classrooms.models import Classroom
from core.i18n.catalogs import compile_stale
from core.i18n.language import language_of_browser
from games.rules import FULL_DECK, Card, explain
from games.words import card_name, verdict_line
from tests.classrooms.people import enrol, make_adult, signed_in
from tests.printed import texts

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("setsite", "core", "games", "lessons", "classrooms", "templates")
CATALOGS = sorted(ROOT.glob("locale/*/LC_MESSAGES/django.po"))
BRITISH = ROOT / "locale/en_GB/LC_MESSAGES/django.po"
PLACEHOLDER = re.compile(r"%\([a-z_]+\)[sd]|%%|\{[a-z_]+\}")


def language(page) -> str:
    return re.search(r'<html lang="([a-z-]+)"', page.text)[1]


# Language selection


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "en-us"),
        ("de", "en-us"),
        ("en", "en-us"),
        ("en-US,en;q=0.9", "en-us"),
        ("en-GB", "en-gb"),
        ("en-AU,en;q=0.9", "en-gb"),
        ("fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        ("de-CH,es-MX;q=0.5", "es"),
        ("*", "en-us"),
        ("fr;q=x,,;;", "en-us"),
    ],
)
def test_the_browser_is_answered_in_the_first_of_its_languages_that_we_speak(header, code):
    assert language_of_browser(header) == code


@pytest.mark.django_db
def test_a_visitor_changes_the_language_in_one_click_and_comes_back_to_the_page(client):
    answer = client.post("/look/language/", {"language": "fr", "next": "/learn/?a=1"})
    assert answer.headers["Location"] == "/learn/?a=1"
    page = client.get("/learn/", headers={"Accept-Language": "es"})
    assert language(page) == "fr"
    assert page.headers["Content-Language"] == "fr"


@pytest.mark.django_db
def test_who_has_an_account_takes_the_language_along_and_leaves_none_behind():
    adult = make_adult("Rivera")
    first = signed_in(adult)
    first.post("/look/language/", {"language": "es"})
    assert language(signed_in(adult).get("/account/")) == "es"
    first.post("/account/logout/")
    assert language(first.get("/")) == "en-us"


@pytest.mark.django_db
def test_a_student_is_spoken_to_in_the_language_of_the_class_unless_they_chose_another():
    teacher = make_adult("Rivera")
    classroom = make_class(name="CE1", language="fr", edition="fr", authorised_by="school", by=teacher)
    (mia,) = enrol(classroom, "Mia Okafor")
    tablet = Client()
    assert language(tablet.get(f"/join/{classroom.code}/")) == "fr"
    tablet = Client()
    tablet.get(f"/join/card/{card_token(mia.student)}/")
    tablet.post("/join/card/")
    assert language(tablet.get("/learn/")) == "fr"
    tablet.post("/look/language/", {"language": "en-gb"})
    assert language(tablet.get("/learn/")) == "en-gb"


@pytest.mark.django_db
@pytest.mark.parametrize("bad", [{}, {"language": "de"}, {"language": "en-us\n"}])
def test_a_language_that_we_do_not_speak_is_refused(client, bad):
    assert client.post("/look/language/", bad).status_code == 422


@pytest.mark.django_db
@pytest.mark.parametrize("away", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)", ""])
def test_changing_the_language_leads_nowhere_else(client, away):
    assert client.post("/look/language/", {"language": "fr", "next": away}).headers["Location"] == "/"


# Everything is translated


def test_there_is_a_catalog_for_every_language_but_that_of_the_source():
    spoken = {translation.to_locale(code) for code, _name in site_settings.LANGUAGES}
    assert {path.parts[-3] for path in CATALOGS} == spoken - {"en_US"}


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.parts[-3])
def test_nothing_is_missing_in_a_catalog_or_only_guessed(path):
    catalog = polib.pofile(str(path))
    wrong = [entry.msgid for entry in catalog if not entry.translated() or entry.fuzzy or entry.obsolete]
    assert not wrong


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.parts[-3])
def test_every_translation_has_the_blanks_of_its_text(path):
    for entry in polib.pofile(str(path)):
        allowed = set(PLACEHOLDER.findall(entry.msgid)) | set(PLACEHOLDER.findall(entry.msgid_plural))
        for text in [entry.msgstr] if not entry.msgid_plural else list(entry.msgstr_plural.values()):
            found = set(PLACEHOLDER.findall(text))
            assert found <= allowed, (entry.msgid, text)
            assert entry.msgid_plural or found == allowed, (entry.msgid, text)


@pytest.fixture(scope="module")
def texts_of_the_source(tmp_path_factory) -> set[tuple[str | None, str]]:
    """The strings marked for translation in the current code and templates."""
    copy = tmp_path_factory.mktemp("source")
    (copy / "locale").mkdir()
    for room in ROOMS:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    command = [sys.executable, "-m", "django", "makemessages", "-l", "xx", "--keep-pot", "-v", "0"]
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run(command, cwd=copy, env=environment, check=True, capture_output=True, timeout=120)
    return {(entry.msgctxt, entry.msgid) for entry in polib.pofile(str(copy / "locale" / "django.pot"))}


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.parts[-3])
def test_a_catalog_has_every_text_of_the_source_and_no_other(path, texts_of_the_source):
    told = {(entry.msgctxt, entry.msgid) for entry in polib.pofile(str(path))}
    assert sorted(map(str, told - texts_of_the_source)) == []
    # British English uses the source text if the spelling is the same.
    assert path == BRITISH or sorted(map(str, texts_of_the_source - told)) == []


def test_the_british_catalog_has_only_what_differs():
    for entry in polib.pofile(str(BRITISH)):
        assert [entry.msgid, entry.msgid_plural] != [entry.msgstr, ""]
        assert not entry.msgstr_plural or list(entry.msgstr_plural.values()) != [entry.msgid, entry.msgid_plural]


AMERICAN = re.compile(
    r"colors?|colored|colorful|coloring|colorblind|\w*(?:recogni|organi|reali|apologi|memori|emphasi|minimi|summari)z\w*"
    r"|practic(?:ed|ing)|\w*cancel(?:ed|ing)|labeled|traveled|anymore|gray|centers?|favorites?|neighbors?|behavior|honor"
)


def test_nothing_british_is_spelled_the_american_way(texts_of_the_source):
    told = {(entry.msgctxt, entry.msgid) for entry in polib.pofile(str(BRITISH))}
    american = {
        text
        for text in texts_of_the_source
        if any(AMERICAN.fullmatch(word.lower()) for word in re.findall(r"\w+", PLACEHOLDER.sub("", text[1])))
    }
    assert sorted(map(str, american - told)) == []
    assert len(american) > 40


def test_a_text_that_is_spelled_alike_is_that_of_the_source():
    with translation.override("en-gb"):
        assert translation.gettext("Find every SET you can") == "Find every SET you can"
        assert translation.gettext("to watch the colors") == "to watch the colours"


TAGS = re.compile(r"{%\s*blocktranslate.*?endblocktranslate\s*%}|{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
SPOKEN_ATTRIBUTE = re.compile(r'\b(?:alt|title|aria-label|aria-description|placeholder)="([^"]*)"')
NO_TEXT = re.compile(r"<(style|script|svg)\b.*?</\1>|<[^>]*>|&[a-z]+;|\bclass=\"[^\"]*\"", re.DOTALL)
# Names and words that are the same in every language.
SAME_EVERYWHERE = {"Setsite", "SET", "CSV", "JSON", "XLSX", "PDF", "Tab", "s", *string.ascii_uppercase}


@pytest.mark.parametrize(
    "path",
    sorted(path for path in (ROOT / "templates").rglob("*.*") if path.name != "style.html"),
    ids=lambda path: path.name,
)
def test_a_template_has_no_text_that_is_not_marked(path):
    source = TAGS.sub(" ", path.read_text())
    spoken = " ".join(SPOKEN_ATTRIBUTE.findall(source))
    words = re.findall(r"[^\W\d_]+", f"{NO_TEXT.sub(' ', source)} {spoken}")
    assert [word for word in words if word not in SAME_EVERYWHERE] == []


# Grammar


@pytest.mark.parametrize(
    ("code", "card", "name"),
    [
        ("en-gb", (2, "red", "striped", "oval"), "two striped red ovals"),
        ("fr", (1, "green", "solid", "oval"), "un ovale vert plein"),
        ("fr", (1, "green", "solid", "squiggle"), "une vague verte pleine"),
        ("fr", (3, "purple", "striped", "squiggle"), "trois vagues violettes hachurées"),
        ("fr", (2, "purple", "outlined", "diamond"), "deux losanges violets vides"),
        ("es", (1, "red", "striped", "squiggle"), "un frijol rojo rayado"),
        ("es", (3, "purple", "outlined", "oval"), "tres óvalos púrpuras vacíos"),
    ],
)
def test_a_card_is_named_with_the_right_endings(code, card, name):
    with translation.override(code):
        assert card_name(Card(*card)) == name


@pytest.mark.parametrize("code", [code for code, _name in site_settings.LANGUAGES])
def test_every_card_has_a_name_of_its_own(code):
    with translation.override(code):
        assert len({card_name(card) for card in FULL_DECK}) == 81


@pytest.mark.parametrize(
    ("code", "values", "said"),
    [
        ("en-gb", ("red", "red", "green"), "two are red and one is green"),
        ("fr", ("red", "red", "green"), "deux sont rouges et une est verte"),
        ("fr", ("green", "purple", "green"), "deux sont vertes et une est violette"),
        ("es", ("red", "red", "green"), "dos son rojas y una es verde"),
    ],
)
def test_a_verdict_agrees_with_the_cards(code, values, said):
    cards = [Card(number, color, "solid", "oval") for number, color in enumerate(values, start=1)]
    with translation.override(code):
        lines = {str(each.feature): verdict_line(each).text for each in explain(*cards).features}
    assert lines["color"] == said


# Compiling the translations


def test_words_are_made_ready_when_they_are_newer_and_only_then(tmp_path):
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    source = folder / "django.po"
    source.write_text('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a"\nmsgstr "é"\n')
    assert compile_stale([tmp_path]) == [source.with_suffix(".mo")]
    assert compile_stale([tmp_path]) == []
    assert polib.mofile(str(source.with_suffix(".mo"))).find("a").msgstr == "é"
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


# Content for the class is in the class's language


@pytest.fixture
def french_class() -> tuple[Client, Classroom]:
    """A teacher who reads English, with a French class."""
    teacher = make_adult("Rivera")
    classroom = make_class(name="CE1", language="fr", edition="fr", authorised_by="school", by=teacher)
    enrol(classroom, "Mia Okafor")
    return signed_in(teacher), classroom


@pytest.mark.django_db
def test_the_projector_is_for_the_class_and_the_remote_for_the_teacher(french_class):
    teacher, classroom = french_class
    remote = teacher.post(f"/teach/session/open/{classroom.pk}/").headers["Location"]
    projector = teacher.get(remote.replace("/remote/", "/screen/"))
    assert language(teacher.get(remote)) == "en-us"
    assert language(projector) == "fr"
    assert projector.headers["Content-Language"] == "fr"


@pytest.mark.django_db
def test_login_cards_are_printed_in_the_language_of_the_class(french_class):
    teacher, classroom = french_class
    # A name that can't be printed is replaced by its number in the list.
    enrol(classroom, "ᏣᎳᎩ")
    (cards,) = texts(teacher.get(f"/teach/{classroom.pk}/cards/").content)
    assert "N°" in cards
    assert "No." not in cards
