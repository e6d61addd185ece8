"""Every URL of the site is visited or listed as not a page; every page is valid, accessible and fits its screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.urls import get_resolver, reverse
from django.urls.converters import IntConverter, UUIDConverter
from justhtml import JustHTML

from tests.browser.conftest import LANGUAGES, TRANSLATED, languages_of, looks_at
from tests.browser.numbers import decimal_commas_in
from tests.browser.page_visits import FILES, LEADING_ON, ONLY_POSTED, PAGES, PARTS, TABLES
from tests.browser.visits import Visit, ready
from tests.browser.world import World, a_world
from tests.seeds import how_to_repeat
from tests.test_permissions import names

# Some visits are to pages of refusals, whose status the visitor checks.
pytestmark = pytest.mark.console_errors(r"the server responded with a status of \d+")
VISITS = [visit for visits in PAGES.values() for visit in visits]
REFERENCES = ("for", "headers", "list", "form", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns")
"""Attributes that refer to other elements by id."""


@pytest.fixture(scope="module")
def transactional_db(django_db_setup, django_db_blocker) -> Iterator[None]:
    """One database for this file, because its tests only read and the world takes a while to build."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="module")
def world(transactional_db, tmp_path_factory) -> Iterator[World]:
    with a_world(mail=tmp_path_factory.mktemp("mail")) as world:
        yield world


def test_every_address_is_visited_or_said_to_be_no_page():
    no_pages = [visit.name for visit in (*FILES, *PARTS, *LEADING_ON, *TABLES)]
    pages = {visit.name for visit in VISITS if not visit.name.startswith("/")}
    assert sorted(names()) == sorted([*pages, *no_pages, *ONLY_POSTED])


def test_no_two_visits_have_the_same_title():
    titles = Counter(visit.title for visit in VISITS)
    assert not [title for title, count in titles.items() if count > 1]


@pytest.mark.parametrize("name", sorted(ONLY_POSTED))
def test_what_is_only_posted_to_has_no_page(transactional_db, name):
    answer = Client().get(reverse(name, args=any_arguments(name)))
    assert answer.status_code == 405


def any_arguments(name: str) -> list[object]:
    """Any values that match the URL pattern; the method is checked first."""
    *spaces, last = name.split(":")
    resolver = get_resolver()
    for space in spaces:
        _prefix, resolver = resolver.namespace_dict[space]
    ((_possibility, _pattern, _defaults, converters),) = resolver.reverse_dict.getlist(last)
    samples = {IntConverter: 1, UUIDConverter: UUID(int=0)}
    return [samples.get(type(converter), "x") for converter in converters.values()]


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("visit", PARTS, ids=lambda visit: visit.name)
def test_a_part_of_a_page_writes_its_numbers_with_a_point(world, visit, language):
    with ready(visit, world, language) as visitor:
        document = JustHTML(visitor.answer().text, sanitize=False)
    assert not list(decimal_commas_in(document))


@pytest.mark.on_engines
@pytest.mark.parametrize("visit", [*FILES, *PARTS, *LEADING_ON], ids=lambda visit: visit.name)
def test_what_is_no_page_is_a_file_a_part_or_leads_on(world, visit):
    with ready(visit, world, "en-us") as visitor:
        answer = visitor.answer()
    answer.close()
    if visit in LEADING_ON:
        assert answer.status_code == 302
        return
    assert answer.status_code == 200
    is_html = answer.headers["Content-Type"].startswith("text/html")
    assert is_html is (visit in PARTS)
    assert not is_html or "<html" not in answer.text


@pytest.mark.on_engines
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("group", PAGES)
def test_every_page_is_good_html(world, group, language):
    visits = [visit for visit in PAGES[group] if language in languages_of(VISITS.index(visit))]
    faults = [f"{visit.title}: {fault}" for visit in visits for fault in faults_of(visit, world, language)]
    assert not faults, "\n".join([*faults, how_to_repeat()])


@pytest.mark.parametrize("visit", TABLES, ids=lambda visit: visit.name)
def test_every_page_of_the_admin_is_good_html(world, visit):
    assert not list(faults_of(visit, world, "en-us"))


def faults_of(visit: Visit, world: World, language: str) -> Iterator[str]:
    with ready(visit, world, language) as visitor:
        answer = visitor.answer()
    if answer.status_code != visit.status:
        yield f"{answer.status_code} instead of {visit.status}, {answer.headers.get('Location', '')}"
        return
    if not answer.headers["Content-Type"].startswith("text/html"):
        yield f"is {answer.headers['Content-Type']}"
        return
    document = JustHTML(answer.text, sanitize=False, collect_errors=True)
    yield from (str(error) for error in document.errors)
    ids = Counter(element.attrs["id"] for element in document.query("[id]"))
    yield from (f"{count} elements are {each!r}" for each, count in ids.items() if count > 1)
    for attribute in REFERENCES:
        for element in document.query(f"[{attribute}]"):
            for each in (element.attrs[attribute] or "").split():
                if each not in ids:
                    yield f"{attribute}={each!r} of <{element.name}> leads nowhere"
    for element in document.query("a[href^='#'], use[href^='#']"):
        each = element.attrs["href"].removeprefix("#")
        if each and each not in ids:
            yield f"href={each!r} of <{element.name}> leads nowhere"
    if language in TRANSLATED:
        yield from decimal_commas_in(document)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("group", PAGES)
def test_every_page_is_for_every_eye_hand_and_screen(inspector, world, group, language):
    for visit in PAGES[group]:
        looks = [look for look in looks_at(VISITS.index(visit)) if look.language == language]
        if looks:
            inspector.visit(visit, world, language, looks)
    assert not inspector.complaints, "\n".join([*inspector.complaints, how_to_repeat()])
