# The commands a person needs. Everything lives in .venv; nothing outside this folder is touched.
PYTHON ?= python3
BIN := .venv/bin
# Array types of docstrings, checked on each call: too slow for all tests.
SHAPES := --jaxtyping-packages=nhc,beartype.beartype

.PHONY: setup demo test check docs clean

# The stamps make a second `make` start at once and a changed pyproject.toml install again.
.venv/.core: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.dev: .venv/.core
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

setup: .venv/.dev

demo: .venv/.core
	$(BIN)/nhc demo

test: setup
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layout.py tests/test_docs.py -k "not run and not algorithm_output"
	$(BIN)/python -m pytest -q $(SHAPES) tests/computer/test_halting.py tests/evolve/test_fitness.py

# The site, for a browser: site/index.html. Warnings, and links that lead nowhere, are errors.
.venv/.docs: .venv/.core
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

docs: .venv/.docs
	JAX_PLATFORMS=cpu $(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -c docs -d build/doctrees . site

# The runs of a user are not ours to delete.
clean:
	rm -rf .venv build dist site .pytest_cache .mypy_cache .ruff_cache
