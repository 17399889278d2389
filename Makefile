# From a fresh clone this needs Python 3.11 or newer and make, nothing else.

PORT ?= 8000
export PORT

LAUNCH = .venv/bin/python -m config.launch
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

.DEFAULT_GOAL := help
.PHONY: help setup run test fast check mutate fix shell migrate bench screenshots clean

help: ## list what can be done here
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s  %s\n", $$1, $$2}' Makefile

setup: ## create .venv and install the pinned packages, if they changed
	@$(or $(PYTHON),$(error Concord needs Python 3.11 or newer, and none was found: install one, or name it: make PYTHON=/path/to/python3)) config/launch/install.py

run: setup ## start everything on http://127.0.0.1:8000 (another: make run PORT=8001)
	@$(LAUNCH) run

test: setup ## pass every check, browser tests included
	@$(LAUNCH) exec --throwaway python -m config.checks

check: setup ## pass the checks that need no test run: format, lint, imports, types, settings
	@$(LAUNCH) exec --throwaway python -m config.checks --static

fast: setup ## run the tests of the pure packages, which need no server
	@DATABASE_URL=postgresql:// REDIS_URL=redis:// $(LAUNCH) exec pytest -n auto -m pure

mutate: setup ## change the pure packages in small ways and list what no test noticed (hours)
	@DATABASE_URL=postgresql:// REDIS_URL=redis:// .venv/bin/mutmut run ; .venv/bin/mutmut results

fix: setup ## format the code and mend what ruff can mend
	@.venv/bin/ruff check --fix --quiet . ; .venv/bin/ruff format .

shell: setup ## open a Python shell on the data of `make run`
	@$(LAUNCH) exec python manage.py shell

migrate: setup ## write missing migrations and apply them to the data of `make run`
	@$(LAUNCH) exec python manage.py makemigrations
	@$(LAUNCH) exec python manage.py migrate

bench: setup ## measure submissions, imports and judge runs
	@CONCORD_HOME=.concord/bench $(LAUNCH) exec python -m bench

screenshots: setup ## run the browser tests, which leave a picture of each screen in artefacts/screens
	@$(LAUNCH) exec --throwaway pytest --screens tests/browser

clean: ## remove .venv and every cache; the data in .concord stay
	@rm -rf .venv .venv.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@find locale -name '*.mo' -delete
