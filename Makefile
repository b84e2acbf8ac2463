# Two commands matter: `make demo` and `make test`. Each prepares .venv by itself the first time.
VENV  := .venv
BIN   := $(VENV)/bin
CORE  := $(VENV)/.ready-core
DEV   := $(VENV)/.ready-dev
JOBS  ?= 2
RECENT := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

# First interpreter on PATH that runs, is recent enough and can make environments; PYTHON=... overrides.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$p -c '$(RECENT)' >/dev/null 2>&1 && { echo $$p; break; }; done)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
USABLE := $(BIN)/python -c '$(RECENT)' 2>/dev/null || { \
	echo "$(VENV) holds a Python that is broken or older than 3.11: run make clean, then try again." >&2; exit 1; }

.PHONY: demo test lint types layers unit bench size setup clean

demo: $(CORE)
	@$(BIN)/python examples/demo.py

test: lint types layers unit

lint: $(DEV)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

types: $(DEV)
	$(BIN)/python -m mypy

layers: $(DEV)
	$(BIN)/lint-imports

unit: $(DEV)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

bench: $(DEV)
	$(BIN)/python -m benchmarks

size: $(CORE)
	@$(BIN)/python tools/size.py

setup: $(DEV)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "kinetree needs Python 3.11 or later with the venv module on PATH:" \
	  "install it (Debian: apt install python3 python3-venv) or say make PYTHON=/path/to/python3." >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)

$(CORE): pyproject.toml | $(BIN)/python
	@$(USABLE)
	@echo "installing kinetree into $(VENV)"
	@$(PIP) -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@$(USABLE)
	@echo "installing kinetree, its test tools and the engines it is compared with into $(VENV)"
	@$(PIP) -e '.[dev,crosscheck,bench]'
	@touch $@ $(CORE)
