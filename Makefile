# `make demo` and `make test` need only Python 3.11+ and make; the first of them makes .venv.
PYTHON ?= python3
BIN = .venv/bin
READY = .venv/ready
TESTABLE = .venv/testable
PAGE = src/keepsaid/server/page/index.html
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL = help

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

# requirements.lock pins every package with its hashes; our own is installed on top, editable. What only tests need is in
# requirements-dev.lock, so that the demo and the server are there sooner. The locks are complete, so nothing is resolved again: pip
# would look for the newest release of a requirement with extras, and refuse it as not pinned.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(INSTALL) --no-deps --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

$(TESTABLE): $(READY) requirements-dev.lock
	$(INSTALL) --no-deps --require-hashes -r requirements-dev.lock
	touch $@

# The page: built by Node (the system's, or one from a wheel) into the package.
$(PAGE): $(READY) $(shell find web -path web/node_modules -prune -o -type f -print 2>/dev/null | grep -v openapi.json | grep -v schema.d.ts) $(wildcard src/keepsaid/server/*/*.py)
	$(BIN)/python web/build.py
	touch $@

model: $(READY)  ## fetches the local models, once (115 MB)
	$(BIN)/keepsaid model pull

smollm: $(TESTABLE)  ## fetches the small language model that tests talk to, once (93 MB)
	$(BIN)/python tests/real_llm.py

demo: $(READY)  ## loads sample conversations, asks about them in a new one, and shows why it remembers
	@$(BIN)/keepsaid model pull || echo "Without the model, the demo searches by words."
	@$(BIN)/keepsaid demo

page: $(PAGE)  ## builds the web page

serve: $(READY) $(PAGE)  ## serves your memory on this machine: the interface, its reference, and the page
	@$(BIN)/keepsaid serve

wheel: $(READY) $(PAGE)  ## builds the package, with the page in it
	$(BIN)/python -m hatchling build

test: lint types tests  ## lint, types and all tests but the long ones

lint: $(TESTABLE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TESTABLE)
	$(BIN)/pyright

tests: $(TESTABLE) $(PAGE) model smollm
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long"

test-long: $(TESTABLE) model  ## the long ones: hundreds of kills, thousands of random life cycles
	$(BIN)/python -m pytest -n 2 -m long

pictures: $(TESTABLE) $(PAGE) model  ## takes the README's pictures of the page anew
	KEEPSAID_PICTURES=docs/images $(BIN)/python -m pytest tests/page/test_pictures.py

bench: $(READY)  ## speed against raw SQLite; writes docs/benchmarks.md
	$(BIN)/python benchmarks/make_benchmarks.py

compat: $(TESTABLE)  ## runs the frameworks' own tests with our doors in place; writes docs/compatibility.md
	$(BIN)/pip install --quiet uv
	$(BIN)/python tests/compat/run.py $(ONLY)

# An environment of its own, because some of these need older versions than the tests do.
PEERS = .peers/bin
peers:  ## installs other libraries in .peers, to compare with: .peers/bin/python -m benchmarks peers
	test -x $(PEERS)/uv || { $(PYTHON) -m venv .peers && $(PEERS)/pip install --quiet --disable-pip-version-check uv; }
	$(PEERS)/uv pip install --quiet --python $(PEERS)/python --group peers --editable .

aio: $(TESTABLE)  ## writes the async verbs anew, from the sync ones
	$(BIN)/python scripts/make_aio.py

docs: $(READY)  ## makes the references of settings and commands anew
	$(BIN)/python docs/make_configuration.py
	$(BIN)/python docs/make_cli.py

COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate
EXTRAS = --extra yaml --extra openai --extra pdf --extra server --extra otel
SERVERS = --extra postgres --extra redis --extra firestore --extra encryption

lock: $(READY)  ## pins the newest versions of everything
	$(BIN)/pip install --quiet uv
	$(COMPILE) --group build pyproject.toml $(EXTRAS) --output-file requirements.lock
	$(COMPILE) --group build --group dev --group frameworks pyproject.toml $(EXTRAS) $(SERVERS) --extra testing -c requirements.lock --output-file requirements-dev.lock

clean:  ## removes what was made
	rm -rf .venv .compat .peers .pytest_cache .ruff_cache .hypothesis .schemathesis dist build web/node_modules src/keepsaid/server/page

.PHONY: help aio model smollm demo page serve wheel test lint types tests test-long bench compat peers pictures docs lock clean
