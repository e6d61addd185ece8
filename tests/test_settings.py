"""Settings: wrong ones stop the start with a message that names them, and a public site gets safe ones."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from setsite.management.commands.serve import _port
from setsite.server import server

ROOT = Path(__file__).parent.parent
SECRET = secrets.token_urlsafe(60)
MAIL = "smtp://post:p%40ss@mail.example:2525"

SHOW = """
import json, pathlib, setsite.settings as s
plain = lambda value: str(value) if isinstance(value, pathlib.Path) else None
print(json.dumps({name: getattr(s, name) for name in dir(s) if name.isupper()}, default=plain))
"""


def python(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run Python with only the given SETSITE settings in its environment."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("SETSITE_", "DJANGO_"))}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={**others, **environ}, capture_output=True, text=True, check=False, timeout=300
    )


def settings_with(**environ: str) -> dict:
    shown = python("-c", SHOW, **environ)
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)


def refusal_of(**environ: str) -> str:
    """The last line of output of a refused start."""
    started = python("-c", "import setsite.settings", **environ)
    assert started.returncode != 0, "the settings were taken"
    _traceback, error, words = started.stderr.partition("\ndjango.core.exceptions.ImproperlyConfigured: ")
    assert error, started.stderr
    return words.strip()


def test_outside_of_demo_and_development_a_secret_is_needed():
    assert refusal_of().startswith("SETSITE_SECRET_KEY is missing")
    assert refusal_of(SETSITE_SECRET_KEY="").startswith("SETSITE_SECRET_KEY is missing")


@pytest.mark.parametrize("name", ["SETSITE_DEBUG", "SETSITE_DEMO"])
@pytest.mark.parametrize("value", ["maybe", ""])
def test_a_flag_that_is_neither_yes_nor_no_is_refused_by_its_name(name, value):
    assert refusal_of(**{name: value, "SETSITE_SECRET_KEY": SECRET}) == f"{name} is not a valid boolean."


def test_everything_that_makes_no_sense_is_named_in_one_run():
    bad = {
        "SETSITE_SECRET_KEY": "short",
        "SETSITE_MAIL": "mail.example",
        "SETSITE_DATABASE": "postgresql://db.example:port/setsite",
        "SETSITE_REDIS": "http://[",
        "SETSITE_GUEST_DAYS": "soon",
        "SETSITE_STUDENT_IDLE_MINUTES": "9",
        "SETSITE_SQLITE_SYNC": "off",
        "SETSITE_LOG": "xml",
        "SETSITE_BACKUP_KEY": "no key",
        "SETSITE_SIGN_IN_GOOGLE": "only-an-id",
        "SETSITE_URL": "set.example",
    }
    named = {line.split()[0] for line in refusal_of(**bad, SETSITE_SIGN_IN_OPENID="id:secret").splitlines()}
    assert named == {*bad, "SETSITE_HOSTS", "SETSITE_SIGN_IN_OPENID_URL"}


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_a_command_says_in_words_what_is_wrong(command):
    told = python("manage.py", command, SETSITE_DEBUG="perhaps", SETSITE_UNDO_DAYS="0")
    assert told.returncode != 0
    assert told.stderr.splitlines() == [
        "The site can't start with these settings:",
        "SETSITE_DEBUG is not a valid boolean.",
        "SETSITE_UNDO_DAYS is 0; it is a number of days, at least 1",
    ]


def test_a_flag_may_be_a_word():
    settings = settings_with(SETSITE_DEBUG="Yes", SETSITE_DEMO="off")
    assert (settings["DEBUG"], settings["DEMO"]) == (True, False)


@pytest.mark.parametrize("hosts", ["set.example", "localhost,set.example"])
def test_a_demo_is_never_for_a_public_host(hosts):
    word = refusal_of(SETSITE_DEMO="1", SETSITE_HOSTS=hosts)
    assert "SETSITE_DEMO" in word
    assert "SETSITE_HOSTS" in word


@pytest.mark.parametrize("hosts", ["set.school.example", "localhost,set.school.example", "*", ".school.example"])
def test_debug_is_never_for_a_public_host(hosts):
    word = refusal_of(SETSITE_DEBUG="1", SETSITE_HOSTS=hosts, SETSITE_SECRET_KEY=SECRET)
    assert "SETSITE_DEBUG" in word
    assert "SETSITE_HOSTS" in word


def test_debug_may_name_the_hosts_of_ones_own_machine():
    assert settings_with(SETSITE_DEBUG="1", SETSITE_HOSTS="localhost")["ALLOWED_HOSTS"] == ["localhost"]


def test_a_demo_answers_on_ones_own_machine_only():
    settings = settings_with(SETSITE_DEMO="1")
    assert settings["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert (settings["DEMO"], settings["DEBUG"]) == (True, False)


def test_a_folder_for_the_data_that_is_a_file_is_refused(tmp_path):
    file = tmp_path / "var"
    file.write_text("not a folder")
    assert (
        refusal_of(SETSITE_DEBUG="1", SETSITE_VAR=str(file)) == f"SETSITE_VAR is {str(file)!r}, which is not a folder"
    )


def test_the_data_goes_where_it_is_told_and_nothing_is_made_by_looking(tmp_path):
    folder = tmp_path / "data"
    settings = settings_with(SETSITE_DEBUG="1", SETSITE_VAR=str(folder))
    assert settings["DATABASES"]["default"]["NAME"] == str(folder / "setsite.sqlite3")
    assert settings["STATIC_ROOT"] == str(folder / "static")
    assert not folder.exists()


def test_a_database_elsewhere_is_named_in_one_line():
    url = "postgresql://set%40site:p%2Fw@db.example:5433/setsite"
    database = settings_with(SETSITE_DEBUG="1", SETSITE_DATABASE=url)["DATABASES"]["default"]
    assert database["ENGINE"] == "core.db.postgresql"
    wanted = {"NAME": "setsite", "USER": "set@site", "PASSWORD": "p/w", "HOST": "db.example", "PORT": 5433}
    assert {name: database[name] for name in wanted} == wanted


@pytest.mark.parametrize(("chosen", "level"), [({}, 1), ({"SETSITE_SQLITE_SYNC": "full"}, 2)])
def test_sqlite_waits_for_the_disk_at_each_commit_only_where_settings_say_so(tmp_path, chosen, level):
    look = "from django.db import connection; print(*connection.cursor().execute('PRAGMA synchronous').fetchone())"
    told = python("manage.py", "shell", "-v", "0", "-c", look, SETSITE_DEBUG="1", SETSITE_VAR=str(tmp_path), **chosen)
    assert told.stdout.split() == [str(level)], told.stderr


def test_another_way_to_wait_for_the_disk_is_refused():
    assert refusal_of(SETSITE_DEBUG="1", SETSITE_SQLITE_SYNC="off").startswith("SETSITE_SQLITE_SYNC is normal or full")


@pytest.mark.parametrize("url", ["mysql://db.example/setsite", "postgresql://db.example", "setsite", "/var/db.sqlite3"])
def test_a_database_that_is_none_is_refused_by_its_name(url):
    assert refusal_of(SETSITE_DEBUG="1", SETSITE_DATABASE=url).startswith("SETSITE_DATABASE is ")


def test_a_public_site_speaks_https_only():
    settings = settings_with(SETSITE_SECRET_KEY=SECRET, SETSITE_HOSTS="set.example,www.set.example", SETSITE_MAIL=MAIL)
    assert settings["ALLOWED_HOSTS"] == ["set.example", "www.set.example"]
    assert settings["SECRET_KEY"] == SECRET
    for name in (
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_SSL_REDIRECT",
        "SECURE_HSTS_INCLUDE_SUBDOMAINS",
        "SECURE_HSTS_PRELOAD",
    ):
        assert settings[name] is True, name
    assert settings["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert (settings["DEBUG"], settings["DEMO"]) == (False, False)


@pytest.mark.parametrize("mode", ["SETSITE_DEBUG", "SETSITE_DEMO"])
def test_on_ones_own_machine_pages_come_without_https(mode):
    settings = settings_with(**{mode: "1"})
    assert (settings["SECURE_SSL_REDIRECT"], settings["SESSION_COOKIE_SECURE"]) == (False, False)
    assert settings["SECURE_HSTS_SECONDS"] == 0
    assert settings["SECURE_PROXY_SSL_HEADER"] is None, "nobody there could vouch for the header"


def test_djangos_own_check_of_a_public_site_finds_nothing():
    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    done = python(*check, SETSITE_SECRET_KEY=SECRET, SETSITE_HOSTS="set.example", SETSITE_MAIL=MAIL)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
    shown = python(*check, SETSITE_DEBUG="1")
    assert shown.returncode != 0, "it would find nothing anywhere"
    assert "security.W018" in shown.stderr


@pytest.mark.parametrize(
    "secret",
    [
        SECRET[:49],
        "ab" * 40,
        f"django-insecure-{SECRET}",
        "not-a-secret: good enough for a demo on one's own machine",
    ],
    ids=["short", "monotonous", "made for development", "known"],
)
def test_a_secret_that_can_be_guessed_is_refused(secret):
    assert refusal_of(**{**PUBLIC, "SETSITE_SECRET_KEY": secret}).startswith("SETSITE_SECRET_KEY can be guessed")


@pytest.mark.parametrize("text", ["", "http", "0", "-1", "65536", "80 ", "8_0", "\u0668\u0660"])
def test_a_port_that_is_none_is_refused_by_its_name(text):
    with pytest.raises(CommandError, match="PORT is "):
        _port(text)


def test_a_port_is_a_number():
    assert [_port("1"), _port("8000"), _port("65535")] == [1, 8000, 65_535]


PUBLIC = {"SETSITE_SECRET_KEY": SECRET, "SETSITE_HOSTS": "set.example", "SETSITE_MAIL": MAIL}


def test_a_public_site_says_by_which_server_its_mail_goes():
    assert refusal_of(**{**PUBLIC, "SETSITE_MAIL": ""}).startswith("SETSITE_MAIL is missing")
    assert refusal_of(**{**PUBLIC, "SETSITE_MAIL": "mail.example"}).startswith("SETSITE_MAIL is written smtp://")
    settings = settings_with(**PUBLIC)
    assert (settings["EMAIL_HOST"], settings["EMAIL_PORT"]) == ("mail.example", 2525)
    assert (settings["EMAIL_HOST_USER"], settings["EMAIL_HOST_PASSWORD"]) == ("post", "p@ss")
    assert settings["EMAIL_USE_TLS"]
    assert settings["MAIL_TRANSPORT"] == "core.mail.SMTPTransport"
    assert settings_with(**{**PUBLIC, "SETSITE_MAIL": "smtps://mail.example"})["EMAIL_USE_SSL"]


def test_letters_point_to_the_address_of_the_site():
    assert settings_with(**PUBLIC)["SITE_URL"] == "https://set.example"
    assert settings_with(**PUBLIC, SETSITE_URL="https://www.set.example/")["SITE_URL"] == "https://www.set.example"
    assert refusal_of(**PUBLIC, SETSITE_URL="http://set.example").startswith("SETSITE_URL is the address of the site")


@pytest.mark.parametrize("value", ["0", "-1"])
def test_a_period_of_no_days_is_refused(value):
    word = refusal_of(SETSITE_DEBUG="1", SETSITE_GUEST_DAYS=value)
    assert word == f"SETSITE_GUEST_DAYS is {value}; it is a number of days, at least 1"


@pytest.mark.parametrize("value", ["soon", ""])
def test_a_period_that_is_no_number_is_refused(value):
    assert refusal_of(SETSITE_DEBUG="1", SETSITE_GUEST_DAYS=value) == "SETSITE_GUEST_DAYS is not a valid integer."


def test_nobody_else_vouches_for_adults_unless_settings_say_so():
    settings = settings_with(**PUBLIC)
    assert settings["SOCIALACCOUNT_PROVIDERS"] == {}
    assert "allauth.socialaccount" not in settings["INSTALLED_APPS"]
    assert "form-action 'self';" in settings["CONTENT_SECURITY_POLICY"]


SIGN_IN_PAGE = """
import django; django.setup()
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
page = Client(headers={"host": "localhost"}).get("/account/login/")
print(page.status_code, page.content.decode())
"""


def test_google_microsoft_and_an_openid_server_are_offered_where_settings_name_them(tmp_path):
    elsewhere = {
        "SETSITE_VAR": str(tmp_path),
        "SETSITE_SIGN_IN_GOOGLE": "google-id:secret",
        "SETSITE_SIGN_IN_MICROSOFT": "microsoft-id:secret",
        "SETSITE_SIGN_IN_OPENID": "openid-id:secret",
        "SETSITE_SIGN_IN_OPENID_URL": "https://id.school.example",
        "SETSITE_SIGN_IN_OPENID_NAME": "School District",
    }
    settings = settings_with(**PUBLIC, **elsewhere)
    (targets,) = re.findall("form-action ([^;]+);", settings["CONTENT_SECURITY_POLICY"])
    assert "https://accounts.google.com" in targets
    assert "https://id.school.example" in targets
    page = python("-c", SIGN_IN_PAGE, SETSITE_DEBUG="1", DJANGO_SETTINGS_MODULE="setsite.settings", **elsewhere)
    assert page.stdout.startswith("200"), page.stderr
    for words in ("Google", "Microsoft", "School District"):
        assert words in page.stdout
    assert refusal_of(SETSITE_DEBUG="1", SETSITE_SIGN_IN_GOOGLE="only-an-id") == (
        "SETSITE_SIGN_IN_GOOGLE is written id:secret"
    )


def test_older_keys_are_read_and_a_weak_one_among_them_is_refused():
    older = ["older " + "aB3dE5gH7j" * 5, "oldest " + "kL2nP4rS6u" * 5]
    settings = settings_with(**PUBLIC, SETSITE_SECRET_KEY_FALLBACKS=f"{older[0]}, {older[1]},")
    assert settings["SECRET_KEY_FALLBACKS"] == older
    assert settings_with(**PUBLIC)["SECRET_KEY_FALLBACKS"] == []
    refusal = refusal_of(**PUBLIC, SETSITE_SECRET_KEY_FALLBACKS=f"{older[0]},changeme")
    assert refusal.startswith("SETSITE_SECRET_KEY_FALLBACKS can be guessed")


@pytest.mark.parametrize("environ", [PUBLIC, {"SETSITE_DEMO": "1"}, {"SETSITE_DEBUG": "1"}])
def test_mail_goes_by_the_outbox_and_waits_for_no_server_forever(environ):
    settings = settings_with(**environ)
    assert settings["EMAIL_BACKEND"] == "core.mail.OutboxBackend"
    assert 0 < settings["EMAIL_TIMEOUT"] <= 10


def test_workers_take_json_only():
    settings = settings_with(**PUBLIC, SETSITE_REDIS="redis://localhost/0")
    assert settings["CELERY_ACCEPT_CONTENT"] == settings["CELERY_RESULT_ACCEPT_CONTENT"] == ["json"]
    assert settings["CELERY_TASK_SERIALIZER"] == "json"


@pytest.mark.parametrize("mode", ["SETSITE_DEMO", "SETSITE_DEBUG"])
def test_a_demo_and_debug_mode_have_no_public_address(mode):
    assert refusal_of(**{mode: "1"}, SETSITE_URL="https://set.school.example").startswith(
        "SETSITE_URL names another machine"
    )
    assert settings_with(**{mode: "1"}, SETSITE_URL="http://localhost:9000")["SITE_URL"] == "http://localhost:9000"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "set.school.example"])  # noqa: S104 (it's refused)
def test_a_demo_and_debug_mode_listen_on_this_machine_alone(host, settings):
    settings.IS_LOCAL = True
    with pytest.raises(ImproperlyConfigured, match="for this machine alone"):
        server(host=host, port=0)
