# Needs python3 (3.11 or newer) with pip and venv, and make. Everything else goes to .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CODE := src tests benchmarks examples experiments tools
# Every core; one that has nothing left takes tests from another. A file's tests stay together but for
# that, since they share fixtures (a browser, a finished run).
TESTS := -m pytest -n auto --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-oldest coverage dist lint bench bench-methods bench-data \
  bench-starts check-exact figures-check fuzz reproduce clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:  ## show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

demo: $(VENV)/.with-cli,plot,report  ## cluster handwritten digits; out/demo has a picture and a page
	@$(BIN)/medoids demo

test: lint $(VENV)/.with-test  ## lint, types, tests and doctests, but for slow tests
	@$(BIN)/python $(TESTS) $(if $(SLOW),,-m "not slow")

test-all:  ## the same with the slow tests (make test SLOW=1): what has to pass before a merge
	@$(MAKE) --no-print-directory test SLOW=1

test-oldest: $(VENV)-oldest/.with-test  ## all tests with the oldest dependencies of pyproject.toml
	@NUMBA_CACHE_DIR=$(abspath $(VENV)-oldest)/numba $(VENV)-oldest/bin/python $(TESTS) $(ARGS)

coverage: $(VENV)/.with-test  ## lines and branches that no test reaches, but for kernels (KEEP=1: a figure for the docs)
	@$(BIN)/python $(TESTS) --cov --cov-report=term --cov-report=html:out/coverage \
	  --cov-report=json:out/coverage.json --ignore=tests/cluster $(ARGS)
	@$(if $(KEEP),$(BIN)/python tools/coverage_results.py out/coverage.json $(ARGS))

dist: $(VENV)/.with-dist  ## a wheel and an sdist in dist/, checked, and tried in bare environments
	@rm -rf dist
	@$(BIN)/python -m build --quiet
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/check-wheel-contents dist/*.whl
	@$(BIN)/python tools/try_dist.py dist

figures-check: $(VENV)/.with-progress,plot  ## that figures in the text are those of the results files
	@$(BIN)/python benchmarks/figures.py

lint: $(VENV)/.with-lint  ## ruff (rules and format), mypy, and which way imports go
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/ruff format --check $(CODE)
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/.with-bench  ## measure against other packages (ARGS="--quick" for less)
	@$(BIN)/python benchmarks/bench.py $(ARGS)
	@$(BIN)/python benchmarks/hard.py
	@$(BIN)/python benchmarks/slope.py

bench-methods: $(VENV)/.with-bench  ## every method, and duels with peers (ARGS="--quick")
	@$(BIN)/python benchmarks/methods.py $(ARGS)

bench-data: $(VENV)/.with-bench  ## every metric, and fits of each kind of data (ARGS="--quick")
	@$(BIN)/python benchmarks/metrics.py $(ARGS)
	@$(BIN)/python benchmarks/kinds.py $(ARGS)

bench-starts: $(VENV)/.with-bench  ## eager swaps beside PAM's; what weights, starts and scans cost
	@$(BIN)/python benchmarks/choice.py
	@$(BIN)/python benchmarks/starts.py $(ARGS)

check-exact: $(VENV)/.with-progress,plot  ## compare with exact PAM (ARGS="--quick" for less)
	@$(BIN)/python benchmarks/check_exact.py $(ARGS)

fuzz: $(VENV)/.with-test  ## random fits against exact PAM (ARGS="--minutes 10 --seed 3"), then up to 15 minutes of Hypothesis
	@status=0; $(BIN)/python benchmarks/fuzz.py $(ARGS) || status=1; \
	HYPOTHESIS_PROFILE=nightly $(if $(shell command -v timeout),timeout 900) \
	  $(BIN)/python -m pytest tests/test_properties.py || status=1; exit $$status

.PHONY: docs
docs: $(VENV)/.with-docs  ## the site, with the code of its pages and every example run: out/docs/index.html
	@rm -rf out/docs-source out/docs
	@$(BIN)/python docs/site/run_code.py
	@$(BIN)/python docs/site/assemble.py out/docs-source
	@$(BIN)/python docs/site/explorers.py out/docs-source/extra/explorer
	@$(BIN)/python docs/site/search_steps.py out/docs-source/recorded/steps-data.js
	@$(BIN)/python -m sphinx -q -W --keep-going -c docs -d out/doctrees -E out/docs-source out/docs
	@$(BIN)/python docs/site/check.py out/docs
	@echo out/docs/index.html

reproduce: $(VENV)/.with-progress,plot  ## the paper's figures, small; FULL=1: its sizes (ARGS="--help")
	@$(BIN)/python -m experiments $(if $(FULL),--full) $(ARGS)

clean:  ## remove what the other targets made, except .venv
	@rm -rf out build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find $(wildcard $(CODE)) -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each set of extras: installed again only when pyproject.toml changes.
$(VENV)/.with-%: pyproject.toml | $(BIN)/python
	@echo "Installing medoids[$*] into $(VENV)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable ".[$*]"
	@touch $@

$(VENV)-oldest/.with-test: pyproject.toml tools/oldest.py
	@echo "Installing the oldest dependencies of medoids[test] into $(VENV)-oldest"
	@$(PYTHON) -m venv --clear $(VENV)-oldest
	@$(PYTHON) tools/oldest.py test > $(VENV)-oldest/constraints.txt
	@$(VENV)-oldest/bin/python -m pip install -qq --disable-pip-version-check \
	  --constraint $(VENV)-oldest/constraints.txt --editable ".[test]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "medoids needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@$(PYTHON) -m venv $(VENV)
