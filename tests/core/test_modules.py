"""JavaScript modules: a page loads what its modules import, and the names in imports carry hashes like all others."""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template

from core.http.modules import module_files
from core.http.static_files import ModuleStorage

SCRIPTS = settings.BASE_DIR / "static" / "js"
MODULES = sorted(
    f"js/{path.relative_to(SCRIPTS).as_posix()}" for path in SCRIPTS.rglob("*.js") if path.parent.name != "worker"
)
IMPORTED = re.compile(r'^import\b[^"]*"([^"]+)";', re.MULTILINE)


def imports(code: str) -> list[str]:
    return IMPORTED.findall(code)


def test_a_module_comes_after_what_it_imports():
    files = module_files("js/table/table.js")
    assert files[-1] == "js/table/table.js"
    assert len(set(files)) == len(files)
    assert {"js/live-stream.js", "js/table/page.js", "js/table/keys.js"} < set(files)
    for place, name in enumerate(files):
        for imported in imports((settings.BASE_DIR / "static" / name).read_text()):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(name), imported)) in files[:place], name


def test_every_import_is_of_a_module_that_exists():
    for name in MODULES:
        assert set(module_files(name)) <= set(MODULES)


def test_a_module_that_does_not_exist_is_an_error():
    with pytest.raises(FileNotFoundError, match=r"js/nowhere\.js"):
        module_files("js/nowhere.js")


def test_a_page_loads_each_import_once_and_before_it_is_needed():
    page = Template('{% module "js/table/table.js" %}{% module "js/live-lesson/table.js" %}').render(Context())
    preloaded = re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', page)
    run = re.findall(r'<script type="module" src="/static/([^"]+)"></script>', page)
    assert run == ["js/table/table.js", "js/live-lesson/table.js"]
    assert len(set(preloaded)) == len(preloaded)
    assert set(preloaded) == {each for name in run for each in module_files(name)} - set(run)


def test_imports_in_production_name_the_stored_files(tmp_path):
    storage = ModuleStorage(location=tmp_path, base_url="/static/")
    shutil.copytree(SCRIPTS, tmp_path / "js")
    outcomes = list(storage.post_process({name: (storage, name) for name in MODULES}))
    assert not [outcome for _name, _stored, outcome in outcomes if isinstance(outcome, Exception)]
    for name in MODULES:
        stored = storage.stored_name(name)
        assert stored != name
        written, source = (Path(tmp_path, each).read_text() for each in (stored, name))
        expected = [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in imports(source)]
        found = [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in imports(written)]
        assert found == [storage.stored_name(each) for each in expected]
