# The commands of the project; `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
TEST_ARGS ?=

export PORT

.PHONY: help run test lint format bench cards lock clean

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

run: $(VENV)/.run-ready ## serve the site with a small demo on http://127.0.0.1:8000 (PORT=9000 for another)
	@SETSITE_DEMO=1 $(BIN)/python manage.py serve

test: $(VENV)/.dev-ready ## everything that tests the site, with its own set-up
	@scripts/test-tools
	@SETSITE_DEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal $(TEST_ARGS)

lint: $(VENV)/.dev-ready ## ruff, mypy and the lint of templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	SETSITE_DEBUG=1 $(BIN)/mypy
	$(BIN)/djlint --quiet --lint templates

format: $(VENV)/.dev-ready ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev-ready ## speed, one JSON line a figure, each beside its baseline of the same run
	@SETSITE_DEBUG=1 $(BIN)/python -m bench

cards: $(VENV)/.dev-ready ## draw the card pictures of docs/ and static/ anew
	@for what in --css --icons "--contact-sheet --palette all" --simulated --table; do \
		SETSITE_DEBUG=1 $(BIN)/python manage.py render_cards $$what || exit 1; \
	done

lock: ## pin the dependencies of pyproject.toml anew, with hashes (needs uv)
	uv pip compile $(LOCK) pyproject.toml -o requirements/run.txt
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
