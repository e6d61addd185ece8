"""Installed packages are the reviewed ones: every package is pinned with the hashes of its files."""

from __future__ import annotations

import re

import pytest

from tests.test_settings import ROOT


@pytest.mark.parametrize("name", ["run.txt", "dev.txt", "scale.txt"])
def test_every_package_is_pinned_with_its_sums(name):
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) > 20
    for line in lines:
        assert re.match(r"[\w.\[\],-]+==[\w.]+", line), line
        assert "--hash=sha256:" in line, line
    assert "://" not in text, "a package from elsewhere than the index"


def test_packages_whose_sums_differ_are_not_installed():
    install = (ROOT / "scripts" / "install").read_text(encoding="utf-8")
    commands = [line for line in install.splitlines() if "pip install" in line]
    assert commands
    assert all("--require-hashes" in line for line in commands)
