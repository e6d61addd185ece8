"""No page logs an error: whatever test brings a page to do so fails."""

from __future__ import annotations

import pytest

from tests.browser.console import Console

UNEXPECTED = {
    "said": "console.error('a cup of tea')",
    "thrown": "setTimeout(() => { throw new Error('a cup of tea'); })",
    "rejected": "void Promise.reject(new Error('a cup of tea'))",
    "missing": "fetch('/a-cup-of-tea/')",
    "inline style": "document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))",
}


@pytest.mark.console_errors("a cup of tea", "/a-cup-of-tea/", "Content Security Policy")
@pytest.mark.parametrize("script", UNEXPECTED.values(), ids=UNEXPECTED)
def test_an_error_on_a_console_fails_a_test(site, new_context, script):
    console = Console()
    context = new_context()
    console.watch(context)
    page = context.new_page()
    page.goto(f"{site}/offline/")
    console.check()
    with context.expect_event("weberror" if "Error(" in script else "console"):
        page.evaluate(f"() => {{ {script} }}")
    with pytest.raises(AssertionError, match="on the console"):
        console.check()
    console.allow("a cup of tea", "/a-cup-of-tea/", "Content Security Policy")
    console.check()


def test_what_a_test_allows_ends_with_it():
    console = Console()
    console.begin(["a cup of tea"])
    console._errors.append("a cup of tea")
    console.check()
    console.begin()
    console._errors.append("a cup of tea")
    with pytest.raises(AssertionError):
        console.check()
