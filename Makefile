# `make demo` and `make test` need only Python 3.11+ and make; the first of them makes .venv.
PYTHON ?= python3
BIN = .venv/bin
READY = .venv/ready

.DEFAULT_GOAL = help

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

# requirements.lock pins every package with its hashes; our own is installed on top, editable.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

model: $(READY)  ## fetches the local model, once (84 MB)
	$(BIN)/recollect model pull

smollm: $(READY)  ## fetches the small language model that tests talk to, once (93 MB)
	$(BIN)/python tests/real_llm.py

demo: $(READY)  ## loads sample conversations, asks about them in a new one, and shows why it remembers
	@$(BIN)/recollect model pull || echo "Without the model, the demo searches by words."
	@$(BIN)/recollect demo

test: lint types tests  ## lint, types and all tests but the long ones

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/pyright

tests: $(READY) model smollm
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long"

test-long: $(READY) model  ## the long ones: hundreds of kills, thousands of random life cycles
	$(BIN)/python -m pytest -n 2 -m long

bench: $(READY)  ## speed against raw SQLite; writes docs/benchmarks.md
	$(BIN)/python docs/make_benchmarks.py

peers: $(READY)  ## installs what `recollect bench context --peers` compares with
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --group peers

docs: $(READY)  ## makes the references of settings and commands anew
	$(BIN)/python docs/make_configuration.py
	$(BIN)/python docs/make_cli.py

lock: $(READY)  ## pins the newest versions of everything
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --group dev pyproject.toml \
		--extra yaml --extra testing --extra openai --extra pdf --output-file requirements.lock

clean:  ## removes what was made
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis dist build

.PHONY: help model smollm demo test lint types tests test-long bench peers docs lock clean
