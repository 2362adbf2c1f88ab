# The two commands: `make demo` and `make test`. Both make their own environment in .venv, once.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PAPERS ?= examples/papers examples/records.jsonl
QUESTION ?= How deep is the transit of the Earth in front of the Sun?
LIBRARY ?= .demo
export QUESTION
unexport PYTHONDONTWRITEBYTECODE  # tests start the program some hundred times
QUICK = tests/evidence tests/llm tests/parse tests/records tests/references tests/search tests/verify tests/wire
FAR = slow or clock or model or llm or data or postgres
HEAVY = test_accounts or test_outliers or test_figures or test_hidden or test_hostile or test_ocr or test_pdf or test_pool or test_typeset

.PHONY: demo test quick clock again check docs clean

# `add` ends with 1 where some files cannot be read, which it names; the others can be asked.
demo: $(VENV)/installed
	$(BIN)/conspectus models fetch minilm
	$(BIN)/conspectus --library $(LIBRARY) add $(PAPERS) || test $$? -eq 1
	$(BIN)/conspectus --library $(LIBRARY) ask "$$QUESTION"

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal -r s -m "not clock and not again" $(ARGS)

# What measures time runs alone.
clock: $(VENV)/tested
	$(BIN)/python -m pytest -r s -m clock $(ARGS)

# What PostgreSQL need not be asked each time, and more of what chance draws.
again: $(VENV)/tested
	$(BIN)/python -m pytest -n 2 --dist worksteal -r s -m "again and not clock" $(ARGS)

# Under a minute: no program, no model, no server, no PDF.
quick: $(VENV)/tested
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not ($(FAR))" -k "not ($(HEAVY))" $(QUICK) $(ARGS)

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
