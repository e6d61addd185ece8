"""Clients are told apart by address and by a signed browser id."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from core.clients import COOKIE, COOKIE_SECONDS, address_of, browser_of, network_of, remember_browser


def request(cookie: str = "", **environ: str):
    made = RequestFactory().get("/", **environ)
    if cookie:
        made.COOKIES[COOKIE] = cookie
    return made


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa:bbbb:cccc:dddd", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""),
        ("unix:", ""),
        ("a\x00b", ""),
    ],
)
def test_an_address_is_a_whole_ipv6_network_or_one_ipv4_address(address, network):
    assert network_of(address) == network
    assert address_of({"REMOTE_ADDR": address}) == network
    assert address_of(request(REMOTE_ADDR=address)) == network


def test_a_request_without_an_address_has_none():
    assert not address_of({})
    assert not address_of({"REMOTE_ADDR": None})


def test_a_browser_is_known_again_by_the_id_it_was_given():
    response = HttpResponse()
    browser = remember_browser(request(), response)
    assert browser
    assert browser_of(request(response.cookies[COOKIE].value)) == browser


def test_a_browser_keeps_its_id_when_it_is_remembered_again():
    first, second = HttpResponse(), HttpResponse()
    browser = remember_browser(request(), first)
    assert remember_browser(request(first.cookies[COOKIE].value), second) == browser
    assert second.cookies[COOKIE].value == first.cookies[COOKIE].value


def test_a_new_browser_is_known_within_the_request_that_remembers_it():
    asked = request()
    assert not browser_of(asked)
    assert remember_browser(asked, HttpResponse()) == browser_of(asked)


def test_no_two_new_browsers_have_one_id():
    assert len({remember_browser(request(), HttpResponse()) for _ in range(50)}) == 50


@pytest.mark.parametrize("forged", ["", "abc", "abc:def", "\x00", "é:ü", ":"])
def test_an_id_that_we_did_not_sign_is_none(forged):
    assert not browser_of(request(forged))


def test_an_id_with_a_changed_letter_is_none():
    response = HttpResponse()
    remember_browser(request(), response)
    value = response.cookies[COOKIE].value
    assert not browser_of(request(("A" if value[0] != "A" else "B") + value[1:]))


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites_and_lasts():
    for scheme in ("http", "https"):
        response = HttpResponse()
        asked = RequestFactory().get("/", secure=scheme == "https")
        remember_browser(asked, response)
        cookie = response.cookies[COOKIE]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        assert cookie["max-age"] == COOKIE_SECONDS
        assert bool(cookie["secure"]) is (scheme == "https")
