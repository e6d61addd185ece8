# The project's commands; `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
# Which Python to use; scripts/install looks for one that fits.
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
TEST_ARGS ?=

export PORT

.PHONY: help run scale test test-embedded test-scaled lint format bench load cards css words gallery audit axe mutants dependencies hooks docs lock clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

run: $(VENV)/.run-ready ## serve the site with a small demo on http://127.0.0.1:8000 (PORT=9000 for another port)
	@SETSITE_DEMO=1 $(BIN)/python manage.py serve

scale: $(VENV)/.dev-ready ## run the same site on PostgreSQL and Redis, with two web processes, workers and a proxy, until Ctrl+C
	@scripts/test-tools scale
	@$(BIN)/python -m tools.scale

test: test-embedded test-scaled ## run all tests, on both setups

test-embedded: $(VENV)/.dev-ready ## run all tests on SQLite, in one process
	@scripts/test-tools
	@SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal $(TEST_ARGS)

test-scaled: $(VENV)/.dev-ready ## run the tests that touch the database again, on PostgreSQL and Redis
	@scripts/test-tools
	@PYTEST_PLUGINS=tests.on_engines SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal $(TEST_ARGS)

lint: $(VENV)/.dev-ready ## run ruff, mypy, the template linter and, if there's npm, Biome on the scripts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	SETSITE_DEBUG=1 $(BIN)/mypy
	$(BIN)/djlint --quiet --lint templates
	scripts/javascript/biome ci --error-on-warnings

format: $(VENV)/.dev-ready ## fix and format the code with ruff and Biome
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	scripts/javascript/biome check --write

bench: $(VENV)/.dev-ready ## measure speed: one JSON line per figure, each next to a baseline from the same run
	@SETSITE_DEBUG=1 $(BIN)/python -m tools.bench
	@scripts/test-tools scale
	@$(BIN)/python -m tools.load --quick
	@$(BIN)/python -m tools.bench.slow

load: $(VENV)/.dev-ready ## play matches and lessons at human pace on both setups (takes half an hour), into docs/load.md and docs/scaling.md
	@scripts/test-tools scale
	@$(BIN)/python -m tools.load

cards: $(VENV)/.dev-ready ## redraw the card pictures in static/, docs/pictures/ and var/cards/
	@for what in --css --icons "--contact-sheet --palette all" --simulated --table; do \
		SETSITE_DEBUG=1 $(BIN)/python manage.py render_cards $$what || exit 1; \
	done

css: $(VENV)/.dev-ready ## join the stylesheets of the components into static/css/components.css
	@SETSITE_DEBUG=1 $(BIN)/python manage.py build_css

words: $(VENV)/.dev-ready ## update the catalogs in locale/ from code and templates, for translators to fill in (needs gettext)
	@SETSITE_DEBUG=1 $(BIN)/python manage.py makemessages -l en_GB -l fr -l es --add-location file --no-obsolete \
		-i var -i $(VENV) -i tests -i tools -i node_modules
	@# The British catalog has only what's spelled differently; everything else falls back to the source.
	@msgattrib --translated --no-fuzzy --no-obsolete -o $(BRITISH) $(BRITISH)

BRITISH := locale/en_GB/LC_MESSAGES/django.po

gallery: $(VENV)/.dev-ready ## take pictures of every page at four sizes, into var/gallery/ and docs/pictures/ (GALLERY=docs for the latter only)
	@scripts/test-tools
	@SETSITE_DEBUG=1 $(BIN)/python -m pytest tests/browser/gallery.py

audit: $(VENV)/.dev-ready ## run the Nu HTML checker and Lighthouse on the pages, into docs/audit.md (AUDIT=all for every page; needs Node and Java)
	@scripts/test-tools
	@scripts/audit/install $${SETSITE_VAR:-var}/audit
	@SETSITE_DEMO=1 $(BIN)/python manage.py collectstatic --no-input --verbosity 0
	@SETSITE_DEMO=1 $(BIN)/python -m pytest tests/browser/audit.py

axe: $(VENV)/.dev-ready ## run axe on every page in every language, theme and width (takes an hour; `make test` takes turns with two looks each)
	@scripts/test-tools
	@AXE=all SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal tests/browser/test_every_page.py -k "every_eye or good_html"

mutants: $(VENV)/.dev-ready ## remove guards one at a time: the test named for each must fail (MUTANTS=area for some of them)
	@scripts/test-tools
	@$(BIN)/python -m tools.mutants $(MUTANTS)

docs: $(VENV)/.dev-ready ## build the documentation as a site, into docs-built/ (DOCS=serve to read it while you write)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs $(or $(DOCS),build --strict)

hooks: $(VENV)/.dev-ready ## run the linters on changed files before each commit (installs pre-commit's hook; needs uv)
	uvx pre-commit install

dependencies: ## check our dependencies for known vulnerabilities (needs uv and the network)
	uvx pip-audit --require-hashes --disable-pip -r requirements/scale.txt

lock: ## pin the dependencies in pyproject.toml again, with hashes (needs uv)
	uv pip compile $(LOCK) pyproject.toml -o requirements/run.txt
	uv pip compile $(LOCK) pyproject.toml --extra scale -o requirements/scale.txt
	uv pip compile $(LOCK) pyproject.toml --extra dev -o requirements/dev.txt

LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

clean: ## remove what was built, but keep the data in var/
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis docs-built var/static

$(VENV)/.run-ready: requirements/run.txt scripts/install
	@scripts/install "$(PYTHON)" $(VENV) requirements/run.txt
	@touch $@

$(VENV)/.dev-ready: requirements/dev.txt scripts/install
	@scripts/install "$(PYTHON)" $(VENV) requirements/dev.txt
	@touch $@ $(VENV)/.run-ready
