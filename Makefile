# What people do with this repository, one target each. `make` alone lists them.

PYTHON ?= python3
EXTRAS ?= dev
WORKERS ?= 2

BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup check format test demo bench evaluate results soak docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv and install snowcast into it (EXTRAS=dev, PYTHON=python3)
	@$(PYTHON) tools/setup_venv.py --extras '$(EXTRAS)'

check: setup ## formatting, lint and types; changes nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup ## format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: setup ## every test but the soak, on WORKERS=2 processes, with coverage
	HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -n $(WORKERS) \
		--cov --cov-report=term --cov-fail-under=90

demo: setup ## boot 60 real nodes, watch what they do, and measure it
	$(BIN)/snowcast demo

bench: setup ## measure, side by side with what to compare with
	$(BIN)/python -m bench

evaluate: setup ## repeat the paper's evaluation, in half an hour, into build/evaluation
	$(BIN)/snowcast evaluate --out build/evaluation

results: setup ## write docs/RESULTS.md from build/evaluation and build/bench.json
	$(BIN)/python tools/write_differences.py
	$(BIN)/python tools/write_results.py --report build/evaluation/report --bench build/bench.json

soak: setup ## the long tests: thousands of seeds
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -m soak

docs: setup ## write the pages that come from the code: CLI, METRICS, TRACE
	$(BIN)/python tools/write_cli_docs.py
	$(BIN)/python tools/write_table_docs.py

clean: ## remove what was made, but .venv
	rm -rf build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests tools bench -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
