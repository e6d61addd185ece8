"""Every page rejects cross-site forms and escapes injected scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from tests.test_permissions import POLICIES, Role, World, make_world, sign_in

pytestmark = pytest.mark.django_db
EXEMPT = {"family:letters-stop"}
"""Mail programs post there by themselves (RFC 8058); the token in the URL only stops letters."""

INLINE = re.compile(
    r"""<script(?![^>]*\ssrc=)(?![^>]*\stype="application/json")|<style|<[a-z][^>]*\s(style|on[a-z]+)=|javascript:""",
    re.IGNORECASE,
)


@pytest.fixture
def world(settings) -> World:
    settings.IS_LOCAL, settings.EMAIL_FILE_PATH = True, "/nowhere"
    return make_world()


def visits(world: World) -> Iterator[tuple[str, Client, str]]:
    """Every URL with a browser that may open it: URL name, browser and path."""
    for name, policy in POLICIES.items():
        client = Client(enforce_csrf_checks=True)
        role = next((role for role in Role if role in policy.may and role in world.users), None)
        if role:
            sign_in(client, world, role)
        yield name, client, reverse(name, args=policy.arguments(world))


def test_no_address_takes_a_form_without_our_token(world):
    taken = set()
    for name, client, path in visits(world):
        answer = client.post(path)
        if answer.status_code != 403 or "This page was open for too long" not in answer.text:
            taken.add(name)
    assert taken == EXEMPT


def test_no_page_shows_the_secret_behind_our_tokens(world):
    seen = 0
    for name, client, path in visits(world):
        answer = client.get(path)
        secret = client.cookies.get("csrftoken")
        if secret and not answer.streaming:
            assert secret.value[:8] not in answer.content.decode(errors="replace"), name
            seen += 1
    assert seen > 30


def test_no_script_and_no_style_is_written_into_a_page(world):
    seen = 0
    for name, client, path in visits(world):
        answer = client.get(path)
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            assert not INLINE.search(answer.text), f"{name}: {INLINE.search(answer.text)}"
            seen += 1
    assert seen > 60
