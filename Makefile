# Every target works on a fresh machine with python3 (3.11 or newer), make and a package registry.
.PHONY: demo test check fmt words bench quality quality-small chaos
PYTHON ?= python3
BIN := .venv/bin

$(BIN)/citewell: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Citewell needs Python 3.11 or newer; set PYTHON=python3.x")'
	@echo 'Installing Citewell into .venv; the first time takes some minutes.'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev --editable .
	touch $@

demo: $(BIN)/citewell ## the main job: a conversation over the example handbook
	$(BIN)/citewell demo

test: $(BIN)/citewell ## all tests
	$(BIN)/python -m pytest -n 2

check: $(BIN)/citewell ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(BIN)/citewell ## put the code into its format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

words: $(BIN)/citewell ## the catalogues of what the bot says, brought up to date with the code and compiled
	$(BIN)/pybabel -q extract --no-default-keywords -k Message -k Plural:1,2 --no-location --sort-output -o build/citewell.pot adapters pipeline
	$(BIN)/pybabel -q update --ignore-obsolete --no-fuzzy-matching --ignore-pot-creation-date --no-wrap -D citewell -i build/citewell.pot -d pipeline/locale
	$(BIN)/pybabel -q compile -D citewell -d pipeline/locale

bench: $(BIN)/citewell ## one table of timings from this machine
	$(BIN)/python -m bench.run

quality: $(BIN)/citewell ## every public data set in DATA through the pipeline, as one table
	$(BIN)/python -m bench.quality "$(DATA)"

quality-small: $(BIN)/citewell ## the quality figures that every change is held to, in a minute
	$(BIN)/python -m bench.quality_small $(or $(DATA),$(wildcard ../shared/eval))

chaos: $(BIN)/citewell ## the long crash runs: 500 kills on each platform
	CHAOS_KILLS=500 $(BIN)/python -m pytest tests/faults -m slow -n 2 --timeout 3600
