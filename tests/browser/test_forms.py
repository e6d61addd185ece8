"""Forms say in our words, beside the field, what's wrong with it; without scripts the server says so."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect


def description(page: Page, label: str) -> str:
    """What a screen reader says about a field besides its name."""
    return page.get_by_label(label, exact=True).evaluate(
        "field => (field.getAttribute('aria-describedby') ?? '').split(' ')"
        ".map((id) => document.getElementById(id)?.textContent ?? '').join(' ')"
    )


def test_an_empty_field_is_told_beside_it_and_gets_the_focus(site, page):
    page.goto(f"{site}/account/login/")
    page.get_by_role("button", name="Sign in").click()
    email = page.get_by_label("Email", exact=True)
    expect(email).to_be_focused()
    expect(email).to_have_attribute("aria-invalid", "true")
    assert "Please fill this in." in description(page, "Email")
    expect(page.locator(".field:has(#id_login) .errorlist")).to_have_text("Please fill this in.")
    assert page.url.endswith("/account/login/")

    email.fill("ann")
    page.get_by_role("button", name="Sign in").click()
    assert "That doesn't look like an email address." in description(page, "Email")

    email.fill("ann@home.example")
    expect(page.locator(".field:has(#id_login) .errorlist")).to_have_count(0)
    expect(email).not_to_have_attribute("aria-invalid", "true")
    assert "Please" not in description(page, "Email")


def test_a_form_without_novalidate_has_no_bubble_either(site, page):
    page.goto(f"{site}/play/")
    code = page.locator("#code")
    code.locator("xpath=ancestor::form").get_by_role("button").click()
    expect(code).to_be_focused()
    expect(page.get_by_text("Please fill this in.")).to_be_visible()


@pytest.mark.console_errors(r"status of 422 ")
def test_without_scripts_the_server_answers_in_the_same_place(site, new_context):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/account/login/")
    page.locator("main form.fields button[type=submit]").click()
    expect(page.locator(".field:has(#id_login) .errorlist")).to_be_visible()
