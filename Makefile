# Two commands: `make scan` and `make test`. Both set everything up, and work offline a second time.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: scan test check format bench soak mutations requirements docs catalogue clean

scan: $(VENV)/.ready
	@$(BIN)/atip scan --learn
	@$(BIN)/atip

test: $(VENV)/.ready $(VENV)/.system
	@scripts/test

check: $(VENV)/.ready
	@$(BIN)/ruff format --check src tests benchmarks examples scripts packages
	@$(BIN)/ruff check src tests benchmarks examples scripts packages
	@$(BIN)/mypy
	@$(BIN)/pytest -n 2 tests/test_architecture.py tests/unit

format: $(VENV)/.ready
	@$(BIN)/ruff format src tests benchmarks examples scripts packages
	@$(BIN)/ruff check --fix src tests benchmarks examples scripts packages

bench: $(VENV)/.ready
	@$(BIN)/python -m benchmarks

soak: $(VENV)/.ready $(VENV)/.system
	@scripts/soak

mutations: $(VENV)/.ready $(VENV)/.system
	@$(BIN)/python scripts/mutations.py

requirements: $(VENV)/.ready
	@$(BIN)/python scripts/requirements.py

docs: $(VENV)/.ready
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/recorded_day.py

$(VENV)/.ready: pyproject.toml scripts/setup
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup

$(VENV)/.system: scripts/setup-system $(VENV)/.ready
	@VENV=$(VENV) scripts/setup-system

# A catalogue of everything that Debian tags as a command-line program, and of well-known PyPI and npm programs; not committed.
CATALOGUE ?= .cache/catalogue
LIMIT ?= 0
catalogue: $(VENV)/.ready $(VENV)/.system
	@VENV=$(VENV) scripts/catalogue/make "$(CATALOGUE)" "$(LIMIT)"

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
