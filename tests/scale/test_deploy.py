"""Deployment files match the site: the proxy's settings, the Procfile and the compose file."""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands
from django.urls import reverse

from core import heartbeats
from core.http.wsgi_adapter import LARGEST_BODY, LARGEST_FORM, MOST_HELD
from core.offload import MOST_BYTES
from setsite.celery import app
from tests.games.live import PATIENCE
from tests.test_settings import MAIL, SECRET, refusal_of, settings_with
from tools.scale.engines import free_port, is_open, wait_until
from tools.scale.processes import ROOT, Process, Web, _proxy

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
    assert [name for name, _colon, _command in lines] == ["release", "web", "worker", "heavy", "beat"]
    for _name, _colon, command in lines:
        check_command(shlex.split(command))


def test_the_compose_file_has_every_part_once_and_beat_only_once():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert set(services) == {"postgresql", "redis", "prepare", "web1", "web2", "worker", "heavy", "beat", "proxy"}
    for name in ("prepare", "worker", "heavy", "beat"):
        check_command(services[name]["command"])
    for name in ("prepare", "web1", "web2", "worker", "heavy", "beat"):
        assert services[name]["environment"] == services["web1"]["environment"]
    for wanted in [each for service in services.values() for each in service.get("depends_on", {})]:
        assert wanted in services
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    for upstream in ("web1", "web2"):
        assert f"server {upstream}:8000" in services["proxy"]["environment"]["SETSITE_WEB"]


def test_what_the_dockerfile_copies_is_there():
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        if line.startswith("COPY "):
            for source in shlex.split(line)[1:-1]:
                # `make lock` creates the lock file.
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
    main = Path(proxy.command[4])
    site = main.parent / "conf.d" / "default.conf"
    assert "${" not in site.read_text()
    assert "server 127.0.0.1:1002" in site.read_text()
    # The container gets what was checked, except for the folder and the user.
    own = main.read_text().removeprefix("user root;\n").replace(f" {main.parent}/", " /tmp/")
    assert own == (ROOT / "deploy" / "nginx.main.conf").read_text()
    assert " include /tmp/conf.d/*.conf;" in own


def test_the_proxy_has_connections_and_files_for_a_district():
    main = (ROOT / "deploy" / "nginx.main.conf").read_text()
    connections = int(re.search(r"worker_connections (\d+);", main)[1])
    assert connections >= 16_384
    # One connection to the browser, one to a web process, and some for static files.
    assert int(re.search(r"worker_rlimit_nofile (\d+);", main)[1]) >= 2 * connections
    assert compose()["services"]["proxy"]["ulimits"] == {"nofile": 65_536}


# A real proxy


class _Echo(BaseHTTPRequestHandler):
    """A web process that responds with what the proxy sent it."""

    came: queue.SimpleQueue[int] = queue.SimpleQueue()
    """How much of the body had arrived when its first part did."""
    stream_may_end = threading.Event()

    def do_POST(self) -> None:
        first = self.rfile.read1(65_536)
        self.came.put(len(first))
        self.rfile.read(int(self.headers["Content-Length"]) - len(first))
        with suppress(OSError):
            self._answer(200)

    def do_GET(self) -> None:
        if self.path.endswith("/stream/"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"data: first\n\n")
            self.stream_may_end.wait(PATIENCE)
            return
        self._answer(503 if self.path == "/busy/" else 200)

    def _answer(self, status: int) -> None:
        told = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_what: object) -> None:
        pass


@contextmanager
def proxied(folder: Path, *, trusted: str = "", has_web: bool = True, **changes: str) -> Iterator[str]:
    """The URL of a proxy with one web process behind it, or none; `changes` override settings."""
    (folder / "log").mkdir()
    (folder / "static").mkdir()
    _Echo.came = queue.SimpleQueue()
    web, port = ThreadingHTTPServer(("127.0.0.1", 0), _Echo), free_port()
    thread = threading.Thread(target=web.serve_forever)
    thread.start()
    if not has_web:
        web.server_close()
    proxy = _proxy(folder, port, [Web(1, web.server_address[1], {}, folder)], {}, trusted=trusted)
    conf = folder / "proxy" / "conf.d" / "default.conf"
    text = conf.read_text()
    for name, value in changes.items():
        text, times = re.subn(rf"\b{name} \w+;", f"{name} {value};", text)
        assert times == 1, name
    conf.write_text(text)
    proxy.start()
    try:
        wait_until(lambda: is_open(port), "the proxy is there")
        yield f"http://127.0.0.1:{port}"
    finally:
        proxy.stop()
        web.shutdown()
        web.server_close()
        thread.join()


@pytest.fixture(scope="module")
def _as_delivered(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("proxied")
    with proxied(folder) as address:
        yield address, folder


@pytest.fixture
def as_delivered(_as_delivered: tuple[str, Path]) -> tuple[str, Path]:
    """The URL and folder of a proxy with its settings unchanged, one for all tests."""
    _Echo.came = queue.SimpleQueue()
    return _as_delivered


def ask(address: str, data: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], str]:
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, data, headers=said)  # noqa: S310 (our own address)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()


FORGED = {"X_Forwarded_For": "6.6.6.6", "X_Forwarded_Proto": "https", "X_Real_IP": "6.6.6.6"}


def test_the_proxy_does_not_believe_what_a_client_says_about_itself(as_delivered):
    address, _folder = as_delivered
    _status, _headers, text = ask(f"{address}/", **FORGED)
    told = json.loads(text)
    assert told["x-forwarded-for"] == "127.0.0.1"
    assert told["x-forwarded-proto"] == "http"


def test_the_proxy_believes_a_trusted_one_about_the_last_address_only(tmp_path):
    with proxied(tmp_path, trusted="set_real_ip_from 127.0.0.1;") as address:
        forged_too = FORGED | {"X_Forwarded_For": "6.6.6.6, 203.0.113.7"}
        told = json.loads(ask(f"{address}/", **forged_too)[2])
        assert told["x-forwarded-for"] == "203.0.113.7"
        assert told["x-forwarded-proto"] == "https"
        odd = json.loads(ask(f"{address}/", **forged_too | {"X_Forwarded_Proto": "gopher"})[2])
        assert odd["x-forwarded-proto"] == "http"


def test_while_no_web_process_answers_the_proxy_says_so_kindly_in_every_language(tmp_path):
    with proxied(tmp_path, has_web=False) as address:
        status, headers, text = ask(f"{address}/learn/")
        assert ask(f"{address}/_away/away.html")[0] == 404, "it can't be asked for, only fallen back to"
    assert status == 502
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Retry-After"] == "10"
    assert headers["Cache-Control"] == "no-store"
    assert re.findall(r'lang="([^"]+)"', text) == ["en", "fr", "es"]
    assert not re.findall(r"(?:src|href|action|url)\s*[=(]", text), "it loads nothing"


def test_what_a_web_process_itself_says_is_passed_on(as_delivered):
    address, _folder = as_delivered
    status, _headers, text = ask(f"{address}/busy/")
    assert status == 503
    assert "x-forwarded-for" in text


@pytest.mark.parametrize(
    "begun",
    [b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nslow"],
)
def test_who_does_not_finish_a_request_is_let_go(tmp_path, begun):
    with proxied(tmp_path, client_header_timeout="1s", client_body_timeout="1s") as address, ExitStack() as stack:
        port = int(address.rpartition(":")[2])
        client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        client.sendall(begun)
        with suppress(ConnectionResetError):
            while client.recv(4096):
                pass


@pytest.mark.parametrize("path", ["/play/ABCDEFGH/stream/", "/session/ABCDEFGH/stream/"])
def test_what_is_written_to_a_stream_is_sent_at_once(as_delivered, path):
    _Echo.stream_may_end.clear()
    address, _folder = as_delivered
    try:
        with urllib.request.urlopen(f"{address}{path}", timeout=10) as stream:  # noqa: S310
            assert stream.readline() == b"data: first\n"
    finally:
        _Echo.stream_may_end.set()


def test_figures_are_not_let_through(as_delivered):
    address, _folder = as_delivered
    assert ask(f"{address}/metrics")[0] == 404
    assert ask(f"{address}/metrics?token=figures")[0] == 404
    assert ask(f"{address}/learn/")[0] == 200


# Bodies

IMPORT = "/teach/3/students/import/"


def begin_post(stack: ExitStack, address: str, path: str, length: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=10)
    stack.enter_context(client)
    client.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode())
    return client


def status_of(client: socket.socket) -> int:
    return int(client.recv(4096).split()[1])


def test_a_body_passes_through_the_proxy_and_is_not_kept_there(as_delivered):
    address, folder = as_delivered
    with ExitStack() as stack:
        client = begin_post(stack, address, IMPORT, LARGEST_BODY)
        client.sendall(b"x" * 500_000)
        assert _Echo.came.get(timeout=10) > 0, "the web process has it before the rest is there"
        assert not [path for path in (folder / "proxy" / "body").rglob("*") if path.is_file()]
        client.sendall(b"x" * (LARGEST_BODY - 500_000))
        assert status_of(client) == 200
    template = (ROOT / "deploy" / "nginx.conf.template").read_text()
    assert "proxy_max_temp_file_size 0;" in template, "nor is an answer"


def test_only_a_list_of_students_may_be_long(as_delivered):
    address, _folder = as_delivered
    assert reverse("teach:roster-import", args=[3]) == IMPORT
    with ExitStack() as stack:
        assert status_of(begin_post(stack, address, "/learn/later/", LARGEST_FORM + 1)) == 413
        assert status_of(begin_post(stack, address, IMPORT, LARGEST_BODY + 1)) == 413
        for path, length in (("/learn/later/", LARGEST_FORM), (IMPORT, LARGEST_FORM + 1)):
            client = begin_post(stack, address, path, length)
            client.sendall(b"x" * length)
            assert status_of(client) == 200


def test_who_holds_back_many_bodies_gets_no_more_in_and_others_go_on(tmp_path):
    changes = {"limit_conn setsite_bodies": "2"}
    with proxied(tmp_path, trusted="set_real_ip_from 127.0.0.1;", **changes) as address, ExitStack() as stack:
        for _body in range(2):
            begin_post(stack, address, "/", 1000).sendall(b"slow")
            _Echo.came.get(timeout=10)
        assert status_of(begin_post(stack, address, "/", 1000)) == 429
        assert ask(f"{address}/")[0] == 200, "pages and streams aren't counted"
        school = {"X_Forwarded_For": "203.0.113.7"}
        assert ask(f"{address}/", data=b"sent", **school)[0] == 200, "nor are the bodies of others"
    most = int(re.search(r"limit_conn setsite_bodies (\d+);", (ROOT / "deploy/nginx.conf.template").read_text())[1])
    assert most >= 500, "a school comes from one address"


# Containers


def compose() -> dict[str, dict]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


SITE = {"prepare", "web1", "web2", "worker", "heavy", "beat"}
ALLOWED = {
    *("build", "image", "user", "command", "environment", "restart", "depends_on", "healthcheck", "stop_grace_period"),
    *("read_only", "cap_drop", "security_opt", "pids_limit", "mem_limit", "shm_size", "ulimits"),
    *("networks", "volumes", "tmpfs"),
}
"""The keys a service may have; `privileged`, `devices`, `network_mode` and similar aren't among them."""
CHECKS = {
    "postgresql": ["CMD-SHELL", "pg_isready -U setsite"],
    "redis": ["CMD-SHELL", "redis-cli ping | grep -q PONG"],
    "worker": ["CMD", "python", "-m", "core.heartbeats", "worker"],
    "heavy": ["CMD", "python", "-m", "core.heartbeats", "worker"],
    "beat": ["CMD", "python", "-m", "core.heartbeats", "beat"],
    "proxy": ["CMD-SHELL", "curl --silent --output /dev/null http://127.0.0.1:8080/healthz/"],
}


def test_every_container_is_checked_by_what_it_does():
    services = compose()["services"]
    checks = {
        name: service["healthcheck"].get("test") for name, service in services.items() if "healthcheck" in service
    }
    assert checks == CHECKS | {"prepare": None}
    # The web processes use the image's own.
    image = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^HEALTHCHECK .*\\\n +CMD \[.*http://127\.0\.0\.1:8000/healthz/", image, re.MULTILINE)
    for name, service in services.items():
        for needed, how in service.get("depends_on", {}).items():
            wanted = "service_completed_successfully" if needed == "prepare" else "service_healthy"
            assert how == {"condition": wanted}, name


def test_a_container_gets_no_right_but_those_that_are_written_here():
    services = compose()["services"]
    extra = {name: set(service) - ALLOWED for name, service in services.items()}
    assert {name: more for name, more in extra.items() if more} == {"postgresql": {"cap_add"}, "proxy": {"ports"}}
    assert services["postgresql"]["cap_add"] == ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
    assert services["proxy"]["ports"] == ["${SETSITE_BIND:-127.0.0.1}:${SETSITE_PORT:-8080}:8080"]
    assert {name: service["user"] for name, service in services.items() if "user" in service} == {
        "redis": "redis",
        "proxy": "nginx",
    }


def test_a_container_sees_the_files_that_it_needs_and_no_others():
    whole = compose()
    volumes = {name: service.get("volumes", []) for name, service in whole["services"].items()}
    assert volumes == {
        **{key: ["var:/srv/var", "static:/srv/var/static"] for key in SITE},
        "postgresql": ["postgresql:/var/lib/postgresql/data"],
        "redis": [],
        "proxy": [
            "./deploy/nginx.main.conf:/etc/nginx/nginx.conf:ro",
            "./deploy/nginx.conf.template:/etc/nginx/templates/default.conf.template:ro",
            "./deploy/away.html:/srv/away.html:ro",
            "static:/srv/static:ro",
        ],
    }
    assert whole["volumes"] == dict.fromkeys(("postgresql", "var", "static"))


def test_a_container_knows_the_secrets_that_it_needs_and_no_others():
    services = compose()["services"]
    secrets = {
        name: {each for each in re.findall(r"\$\{(\w+)", json.dumps(service)) if not each.endswith("_DIGEST")}
        for name, service in services.items()
    }
    own = {"SECRET_KEY", "SECRET_KEY_FALLBACKS", "HOSTS", "MAIL", "METRICS_TOKEN", "BACKUP_KEY"}
    assert secrets == {
        **{key: {"POSTGRES_PASSWORD", "REDIS_PASSWORD", *(f"SETSITE_{each}" for each in own)} for key in SITE},
        "postgresql": {"POSTGRES_PASSWORD"},
        "redis": {"REDIS_PASSWORD"},
        "proxy": {"SETSITE_BIND", "SETSITE_PORT", "SETSITE_TRUSTED_PROXIES"},
    }
    assert set(services["proxy"]["environment"]) == {
        *("NGINX_ENVSUBST_OUTPUT_DIR", "NGINX_ENVSUBST_FILTER", "SETSITE_LISTEN", "SETSITE_WEB", "SETSITE_STATIC"),
        *("SETSITE_AWAY", "SETSITE_TRUSTED_PROXIES"),
    }
    assert set(services["postgresql"]["environment"]) == {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}
    assert set(services["redis"]["environment"]) == {"REDISCLI_AUTH"}


def test_a_container_reaches_those_that_it_needs_and_no_others():
    whole = compose()
    assert whole["networks"] == {"front": None, "back": {"internal": True}, "out": None}
    networks = {name: service["networks"] for name, service in whole["services"].items()}
    assert networks == {
        **{key: ["back"] for key in ("postgresql", "redis", "prepare", "heavy", "beat")},
        **{key: ["front", "back"] for key in ("web1", "web2")},
        # The worker needs outgoing mail.
        "worker": ["back", "out"],
        "proxy": ["front"],
    }


def bytes_of(limit: str) -> int:
    return int(limit[:-1]) * {"m": 1024**2, "g": 1024**3}[limit[-1]]


def test_there_is_memory_for_what_may_be_in_use_at_once():
    services = compose()["services"]
    process = 300 * 1024**2
    for name in ("web1", "web2"):
        # With four cores.
        assert bytes_of(services[name]["mem_limit"]) >= process + MOST_HELD + 2 * MOST_BYTES, name
    sizes = [re.search(r"size=(\w+)", each)[1] for each in services["proxy"]["tmpfs"]]
    assert sum(map(bytes_of, sizes)) <= bytes_of(services["proxy"]["mem_limit"]) // 16


def test_containers_are_pinned_and_locked():
    text = (ROOT / "compose.yaml").read_text()
    services = yaml.safe_load(text)["services"]
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["mem_limit"], name
        assert service.get("image") == "setsite" or re.search(r"@\$\{[A-Z]+_DIGEST:\?", service["image"]), name
        assert service.get("healthcheck", {}).get("disable", False) is (name == "prepare"), name
    built = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^USER (\w+)$", built, re.MULTILINE)[-1:] == ["setsite"]
    assert re.search(r"^ARG PYTHON_DIGEST$\nFROM \S+@\$\{PYTHON_DIGEST\}$", built, re.MULTILINE)
    assert services["web1"]["build"]["args"]["PYTHON_DIGEST"].startswith("${PYTHON_DIGEST:?")
    example = (ROOT / "deploy" / "env.example").read_text()
    for needed in re.findall(r"\$\{(\w+):\?", text):
        assert re.search(rf"^{needed}=", example, re.MULTILINE), needed


def test_redis_wants_a_password_and_forgets_no_limit():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    command = services["redis"]["command"]
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"
    assert command[command.index("--requirepass") + 1].startswith("${REDIS_PASSWORD:?")
    assert ":${REDIS_PASSWORD:?" in services["web1"]["environment"]["SETSITE_REDIS"]


def test_a_worker_or_beat_without_a_sign_of_life_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert not heartbeats.is_alive("beat")
    heartbeats.touch("beat")
    assert heartbeats.is_alive("beat")
    assert not heartbeats.is_alive("worker")
    minute_ago = time.time() - 61
    os.utime(heartbeats.file_of("beat"), (minute_ago, minute_ago))
    assert not heartbeats.is_alive("beat")


def test_a_real_worker_and_beat_give_the_signs_that_their_containers_are_checked_by(redis, tmp_path):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SETSITE_")}
    environment = {
        **inherited,
        "SETSITE_DEMO": "1",
        "SETSITE_VAR": str(tmp_path),
        "SETSITE_REDIS": redis.address.removesuffix("/0") + "/7",
        "TMPDIR": str(tmp_path),
    }
    services = compose()["services"]

    def in_container(words: list[str]) -> list[str]:
        program = [sys.executable, "-m", "celery"] if words[0] == "celery" else [sys.executable]
        return [*program, *(word.replace("/tmp/", f"{tmp_path}/") for word in words[1:])]  # noqa: S108

    def is_healthy(name: str) -> bool:
        check = in_container(services[name]["healthcheck"]["test"][1:])
        return subprocess.run(check, cwd=ROOT, env=environment, check=False, timeout=PATIENCE).returncode == 0

    assert not is_healthy("worker")
    assert not is_healthy("beat")
    with ExitStack() as stack:
        for name in ("worker", "beat"):
            process = Process(name, in_container(services[name]["command"]), environment, tmp_path / f"{name}.log")
            stack.callback(process.kill)
            process.start()
        for name in ("worker", "beat"):
            wait_until((tmp_path / f"setsite-{name}-is-alive").exists, f"{name} gives a sign of life")
            assert is_healthy(name)


def test_the_audit_of_dependencies_covers_what_the_image_installs():
    installed = re.search(r"--requirement (\S+)", (ROOT / "Dockerfile").read_text())[1]
    audited = re.search(r"^dependencies:.*\n\t.*-r (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    assert installed == audited == "requirements/scale.txt"


# Settings


@pytest.mark.parametrize(
    "address", ["localhost:6379", "http://host/0", "redis://", "redis://host:port/0", "redis://host/first"]
)
def test_an_address_of_redis_that_makes_no_sense_is_refused_by_its_name(address):
    assert refusal_of(SETSITE_DEMO="1", SETSITE_REDIS=address).startswith("SETSITE_REDIS is written redis://")


def test_redis_is_bus_broker_and_cache_and_sessions_are_in_the_database():
    settings = settings_with(SETSITE_DEMO="1", SETSITE_REDIS="redis://:secret@host:6380/2")
    assert settings["REDIS_URL"] == settings["CELERY_BROKER_URL"] == "redis://:secret@host:6380/2"
    assert settings["CACHES"]["default"]["BACKEND"] == "core.cache.shared.SharedCache"
    assert settings["SESSION_ENGINE"] == "setsite.sessions"
    assert not settings["IS_BROKERLESS"]


def test_without_redis_the_process_is_alone():
    settings = settings_with(SETSITE_DEMO="1")
    assert (settings["REDIS_URL"], settings["IS_BROKERLESS"]) == ("", True)


def test_a_public_site_writes_json_and_another_word_is_refused():
    public = {"SETSITE_SECRET_KEY": SECRET, "SETSITE_HOSTS": "set.example", "SETSITE_MAIL": MAIL}
    assert settings_with(**public)["LOGGING"]["handlers"]["out"]["formatter"] == "json"
    assert settings_with(SETSITE_DEMO="1")["LOGGING"]["handlers"]["out"]["formatter"] == "text"
    assert refusal_of(SETSITE_DEMO="1", SETSITE_LOG="loud") == "SETSITE_LOG is text or json, not 'loud'"
