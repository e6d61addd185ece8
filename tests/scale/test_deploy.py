"""What is written down for operators fits the site: the proxy's settings, the Procfile and the compose file."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from scale.processes import ROOT, Process, Web, _proxy
from setsite.celery import app
from tests.test_settings import MAIL, SECRET, refusal_of, settings_with

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def check_command(words: list[str]) -> None:
    if words[0] == "python":
        assert words[1] == "manage.py"
        assert words[2] in get_commands()
    else:
        assert words[:3] == ["celery", "-A", app.main]
        assert words[3] in {"worker", "beat"}


def test_the_procfile_names_commands_that_there_are():
    lines = [line.partition(": ") for line in (ROOT / "Procfile").read_text().splitlines()]
    assert [name for name, _colon, _command in lines] == ["release", "web", "worker", "beat"]
    for _name, _colon, command in lines:
        check_command(shlex.split(command))


def test_the_compose_file_has_every_part_once_and_beat_only_once():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert set(services) == {"postgresql", "redis", "prepare", "web1", "web2", "worker", "beat", "proxy"}
    for name in ("prepare", "worker", "beat"):
        check_command(services[name]["command"])
    for name in ("prepare", "web1", "web2", "worker", "beat"):
        assert services[name]["environment"] == services["web1"]["environment"]
    for wanted in [each for service in services.values() for each in service.get("depends_on", {})]:
        assert wanted in services
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    for upstream in ("web1", "web2"):
        assert f"server {upstream}:8000" in services["proxy"]["environment"]["SETSITE_WEB"]


def test_what_the_containerfile_copies_is_there():
    for line in (ROOT / "Containerfile").read_text().splitlines():
        if line.startswith("COPY "):
            for source in shlex.split(line)[1:-1]:
                # The lock is made by `make lock`.
                assert (ROOT / source).exists() or source.startswith("requirements/"), source


@pytest.fixture
def proxy(tmp_path) -> Process:
    (tmp_path / "log").mkdir()
    webs = [Web(number, 1000 + number, {}, tmp_path) for number in (1, 2)]
    return _proxy(tmp_path, 8000, webs, {})


def test_nginx_takes_the_settings_of_the_proxy(proxy):
    assert NGINX, "nginx is missing; scripts/test-tools installs it"
    done = subprocess.run([*proxy.command[:-2], "-t", "-q"], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr
    settings = Path(proxy.command[4]).read_text()
    assert "${" not in settings
    assert "server 127.0.0.1:1002" in settings


# Settings


@pytest.mark.parametrize(
    "address", ["localhost:6379", "http://host/0", "redis://", "redis://host:port/0", "redis://host/first"]
)
def test_an_address_of_redis_that_makes_no_sense_is_refused_by_its_name(address):
    assert refusal_of(SETSITE_DEMO="1", SETSITE_REDIS=address).startswith("SETSITE_REDIS is written redis://")


def test_redis_is_bus_broker_and_cache_and_sessions_are_in_the_database():
    settings = settings_with(SETSITE_DEMO="1", SETSITE_REDIS="redis://:secret@host:6380/2")
    assert settings["REDIS_URL"] == settings["CELERY_BROKER_URL"] == "redis://:secret@host:6380/2"
    assert settings["CACHES"]["default"]["BACKEND"] == "setsite.cache.SharedCache"
    assert settings["SESSION_ENGINE"] == "setsite.sessions"
    assert not settings["IS_BROKERLESS"]


def test_without_redis_the_process_is_alone():
    settings = settings_with(SETSITE_DEMO="1")
    assert (settings["REDIS_URL"], settings["IS_BROKERLESS"]) == ("", True)


def test_a_public_site_writes_json_and_another_word_is_refused():
    public = {"SETSITE_SECRET_KEY": SECRET, "SETSITE_HOSTS": "set.example", "SETSITE_MAIL": MAIL}
    assert settings_with(**public)["LOGGING"]["handlers"]["out"]["formatter"] == "json"
    assert settings_with(SETSITE_DEMO="1")["LOGGING"]["handlers"]["out"]["formatter"] == "text"
    assert refusal_of(SETSITE_DEMO="1", SETSITE_LOG="loud") == "SETSITE_LOG is 'loud'; write text or json"
