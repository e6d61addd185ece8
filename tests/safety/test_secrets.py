"""No secret is in the repository, and none can get in by mistake."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.test_settings import ROOT

KEYS = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
    "a key of a cloud": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a token of a code host": r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_\w{50,}|glpat-[\w-]{20})",
    "a key of a mail or payment service": r"\b(?:sk_live_|rk_live_|SG\.|xox[abprs]-|key-[0-9a-f]{32})[\w.-]*",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a signed token": r"\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}",
    "a secret key in a setting": r"(?i)secret[_-]?key['\"]?\s*[:=]\s*['\"]?[\w+/=-]{40,}",
    "a password in an address": r"\b(?:postgresql|rediss?|amqp|smtps?)://[^\s:@/'\"{$]+:(?!p%40ss|p%2Fw|password)[^\s@{$<]{6,}@",
}


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    return [name for name in listed.stdout.decode().split("\0") if name]


def found_in(text: str) -> list[str]:
    return [what for what, pattern in KEYS.items() if re.search(pattern, text)]


def test_no_file_of_the_repository_holds_a_key():
    seen = 0
    for name in tracked():
        path = ROOT / name
        if not path.is_file() or path == ROOT / "tests/safety/test_secrets.py":
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            seen += 1
            assert not found_in(content.decode("utf-8", "replace")), name
    assert seen > 300


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN RSA PRIVATE " + "KEY-----",
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "ghp_" + "a1" * 18,
        "SETSITE_SECRET_KEY=" + "q7" * 30,
        "postgresql://setsite:" + "hunter2hunter2" + "@db.school.example/setsite",
    ],
)
def test_a_key_would_be_found(text):
    assert found_in(text)


@pytest.mark.parametrize(
    "name", [".env", ".env.production", "var/setsite.sqlite3", "backup.sqlite3", "tls.pem", "id.key"]
)
def test_what_holds_secrets_or_people_is_never_taken_along(name):
    ignored = subprocess.run(["git", "check-ignore", "-q", name], cwd=ROOT, check=False)
    assert ignored.returncode == 0, f"{name} would be committed"
