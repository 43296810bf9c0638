# Every target installs what it needs first; with everything in place that costs a few milliseconds.
# Further arguments go through ARGS: make test ARGS="-k sandbox".

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-long test-changed test-record test-profile check chaos adversarial wild agents agents-install bench screenshots plugin spec lock format clean

python := .venv/bin/python
KILLS ?= 100
WORKERS ?= 3
ARGS ?=

help: ## list the targets
	@echo "make TARGET, one of:"
	@sed -n 's/^\([a-z-]*\):.*## /  \1 /p' $(MAKEFILE_LIST) | while read -r name what; do printf '  %-15s %s\n' "$$name" "$$what"; done

setup: ## install everything: uv, the locked packages into .venv, system packages where allowed
	@scripts/setup.sh test

demo: ## a whole run on a sample project, with no key and no account
	@scripts/setup.sh run
	@.venv/bin/andon demo $(ARGS)

test: ## the whole test suite
	@scripts/setup.sh test
	@scripts/agents.sh short || echo "make test: without real agent programs their tests are skipped" >&2
	@scripts/servers.sh || echo "make test: without real MCP servers their tests are skipped" >&2
	@scripts/test.sh $(WORKERS) $(ARGS)

test-fast: ## the heart of every door, in under two minutes
	@scripts/setup.sh test
	@scripts/test.sh $(WORKERS) -m heart $(ARGS)

test-long: ## the whole suite with every cheat as a whole, every agent program, long properties and 100 kills
	@scripts/setup.sh test
	@scripts/agents.sh more
	@scripts/servers.sh
	@ANDON_ADVERSARIAL=whole ANDON_AGENTS=whole HYPOTHESIS_PROFILE=long scripts/test.sh $(WORKERS) $(ARGS)
	@$(python) tests/chaos/chaos.py --kills $(KILLS)

test-changed: ## the tests that your change concerns, by what make test-record saw them reach; ARGS=--list says which
	@scripts/setup.sh test
	@WORKERS=$(WORKERS) $(python) tools/test_changed.py $(ARGS)

test-record: ## the whole test suite, slower, and a record of what each file of tests reaches
	@scripts/setup.sh test
	@scripts/agents.sh short || true
	@scripts/servers.sh || true
	@WORKERS=$(WORKERS) $(python) tools/test_changed.py --record $(ARGS)

test-profile: ## the whole test suite, and a table of what it costs
	@scripts/setup.sh test
	@scripts/agents.sh short || true
	@scripts/servers.sh || true
	@WORKERS=$(WORKERS) $(python) tools/test_profile.py $(ARGS)

check: ## lint, format, types, architecture
	@scripts/setup.sh packages
	@scripts/check.sh

chaos: ## kill the program KILLS=100 times at random moments and see that nothing is lost
	@scripts/setup.sh test
	@scripts/agents.sh short || echo "make chaos: without real agent programs" >&2
	@$(python) tests/chaos/chaos.py --kills $(KILLS) $(ARGS)

adversarial: ## every cheat and every honest change, each verified as a whole
	@scripts/setup.sh test
	@ANDON_ADVERSARIAL=whole .venv/bin/pytest -n $(WORKERS) tests/adversarial $(ARGS)

wild: ## verify releases of well-known packages, and a lie made of each; REPOSITORIES=FOLDER: histories too
	@scripts/setup.sh test
	@$(python) tools/wild.py $(if $(REPOSITORIES),--repositories "$(REPOSITORIES)") $(ARGS)

agents: ## the conformance suite on every agent program, against a model server on loopback
	@scripts/setup.sh test
	@scripts/agents.sh more
	@ANDON_AGENTS=whole .venv/bin/pytest -n $(WORKERS) tests/agents $(ARGS)

agents-install: ## install the agent programs that the tests drive, into .agents
	@scripts/agents.sh more

bench: ## measure speed
	@scripts/setup.sh test
	@$(python) tests/bench/bench.py $(ARGS)

screenshots: ## every page in both themes and languages, into docs/images
	@scripts/setup.sh test
	@$(python) tools/screenshots.py

plugin: ## make the agents and the core of plugin/ from the roles and the rules
	@scripts/setup.sh packages
	@$(python) tools/plugin.py $(ARGS)

spec: ## which requirement is tested where; ARGS=--missing for the holes
	@scripts/setup.sh packages
	@$(python) tools/spec.py $(ARGS)

lock: ## resolve the dependencies of pyproject.toml anew
	@scripts/uv.sh lock $(ARGS)

format: ## put all Python files into the house format
	@scripts/setup.sh packages
	@.venv/bin/ruff check --fix-only --quiet .
	@.venv/bin/ruff format .

clean: ## remove what these targets made
	@rm -rf .venv .venv-uv .agents .pytest_cache .ruff_cache .hypothesis dist build
	@find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
