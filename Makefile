# The commands of the project; `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
TEST_ARGS ?=

export PORT

.PHONY: help run scale test test-embedded test-scaled lint format bench load cards words gallery audit axe mutants dependencies lock clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

run: $(VENV)/.run-ready ## serve the site with a small demo on http://127.0.0.1:8000 (PORT=9000 for another)
	@SETSITE_DEMO=1 $(BIN)/python manage.py serve

scale: $(VENV)/.dev-ready ## the same site on PostgreSQL, Redis, two web processes, a worker and a proxy, until Ctrl+C
	@scripts/test-tools scale
	@$(BIN)/python -m tools.scale

test: test-embedded test-scaled ## everything that tests the site, on both set-ups

test-embedded: $(VENV)/.dev-ready ## on SQLite, in one process
	@scripts/test-tools
	@SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal $(TEST_ARGS)

test-scaled: $(VENV)/.dev-ready ## what touches the database once more, on PostgreSQL and Redis
	@scripts/test-tools
	@PYTEST_PLUGINS=tests.on_engines SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal $(TEST_ARGS)

lint: $(VENV)/.dev-ready ## ruff, mypy and the lint of templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	SETSITE_DEBUG=1 $(BIN)/mypy
	$(BIN)/djlint --quiet --lint templates

format: $(VENV)/.dev-ready ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev-ready ## speed, one JSON line a figure, each beside its baseline of the same run
	@SETSITE_DEBUG=1 $(BIN)/python -m tools.bench
	@scripts/test-tools scale
	@$(BIN)/python -m tools.load --quick
	@$(BIN)/python -m tools.bench.slow

load: $(VENV)/.dev-ready ## matches and lessons at human pace on both set-ups, half an hour, into docs/load.md and docs/scaling.md
	@scripts/test-tools scale
	@$(BIN)/python -m tools.load

cards: $(VENV)/.dev-ready ## draw the card pictures of docs/ and static/ anew
	@for what in --css --icons "--contact-sheet --palette all" --simulated --table; do \
		SETSITE_DEBUG=1 $(BIN)/python manage.py render_cards $$what || exit 1; \
	done

words: $(VENV)/.dev-ready ## bring the texts of code and templates into locale/, for translators to fill in (needs gettext)
	@SETSITE_DEBUG=1 $(BIN)/python manage.py makemessages -l en_GB -l fr -l es --add-location file --no-obsolete \
		-i var -i $(VENV) -i tests -i tools -i node_modules
	@# British English has only what is spelled differently; everything else falls back to the source.
	@msgattrib --translated --no-fuzzy --no-obsolete -o $(BRITISH) $(BRITISH)

BRITISH := locale/en_GB/LC_MESSAGES/django.po

gallery: $(VENV)/.dev-ready ## pictures of every page at four sizes, into docs/gallery/
	@scripts/test-tools
	@SETSITE_DEBUG=1 $(BIN)/python -m pytest tests/browser/gallery.py

audit: $(VENV)/.dev-ready ## the Nu HTML checker and Lighthouse over the pages, into docs/audit.md (AUDIT=all: every page; needs Node and Java)
	@scripts/test-tools
	@scripts/audit/install $${SETSITE_VAR:-var}/audit
	@SETSITE_DEMO=1 $(BIN)/python manage.py collectstatic --no-input --verbosity 0
	@SETSITE_DEMO=1 $(BIN)/python -m pytest tests/browser/audit.py

axe: $(VENV)/.dev-ready ## axe on every page in every language, theme and width, an hour (in `make test` themes and widths take turns)
	@scripts/test-tools
	@AXE=all SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal tests/browser/test_every_page.py -k every_eye

mutants: $(VENV)/.dev-ready ## take each guard out in turn: its named test must fail (MUTANTS=area for some of them)
	@scripts/test-tools
	@$(BIN)/python -m tools.mutants $(MUTANTS)

dependencies: ## ask whether holes are known in what we install (needs uv and the network)
	uvx pip-audit --require-hashes --disable-pip -r requirements/scale.txt

lock: ## pin the dependencies of pyproject.toml anew, with hashes (needs uv)
	uv pip compile $(LOCK) pyproject.toml -o requirements/run.txt
	uv pip compile $(LOCK) pyproject.toml --extra scale -o requirements/scale.txt
	uv pip compile $(LOCK) pyproject.toml --extra dev -o requirements/dev.txt

LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

clean: ## remove what was built; the data in var/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis var/static

$(VENV)/.run-ready: requirements/run.txt scripts/install
	@scripts/install $(PYTHON) $(VENV) requirements/run.txt
	@touch $@

$(VENV)/.dev-ready: requirements/dev.txt scripts/install
	@scripts/install $(PYTHON) $(VENV) requirements/dev.txt
	@touch $@ $(VENV)/.run-ready
