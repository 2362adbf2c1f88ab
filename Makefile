# The two commands: `make demo` and `make test`. Both make their own environment in .venv, once.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PAPERS ?= examples/papers examples/records.jsonl
QUESTION ?= How deep is the transit of the Earth in front of the Sun?
LIBRARY ?= .demo
export QUESTION

.PHONY: demo test clock check docs clean

# `add` ends with 1 where some files cannot be read, which it names; the others can be asked.
demo: $(VENV)/installed
	$(BIN)/conspectus models fetch minilm
	$(BIN)/conspectus --library $(LIBRARY) add $(PAPERS) || test $$? -eq 1
	$(BIN)/conspectus --library $(LIBRARY) ask "$$QUESTION"

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal -r s -m "not clock" $(ARGS)

# What measures time runs alone.
clock: $(VENV)/tested
	$(BIN)/python -m pytest -r s -m clock $(ARGS)

check: $(VENV)/tested
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/conspectus models fetch minilm
	$(BIN)/python tests/smollm.py
	$(BIN)/python docs/build.py --check

docs: $(VENV)/tested
	$(BIN)/python docs/build.py

$(VENV)/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,ocr]"
	touch $@

clean:
	rm -rf $(VENV) .demo build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
