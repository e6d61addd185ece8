"""The picture pad for student sign-in, usable by everybody's hands."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.classrooms.people import enrol, make_adult, make_classroom


@pytest.fixture
def pad(site, page) -> tuple[Page, list[str]]:
    """Mia's picture pad, and her three pictures."""
    (mia,) = enrol(make_classroom(make_adult("Ms. Rivera")), "Mia Okafor")
    page.goto(f"{site}/join/{mia.classroom.code}/{mia.pk}/")
    return page, mia.student.pictures


def test_the_pad_can_be_used_with_the_keyboard_alone(site, pad):
    page, pictures = pad
    for number, slug in enumerate(pictures):
        expect(page.locator("#how-many")).to_contain_text(f"{number} picture")
        button = page.locator(f"[value={slug}].picture-button")
        button.focus()
        page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/learn/")


def test_no_tap_is_lost_when_fingers_are_faster_than_the_network(site, pad):
    page, pictures = pad
    tap = "(slugs) => slugs.forEach((slug) => document.querySelector(`[value=${slug}].picture-button`).click())"
    page.evaluate(tap, pictures)
    page.wait_for_url(f"{site}/learn/")
