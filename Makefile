# Two commands: `make scan` and `make test`. Both set everything up, and work offline a second time.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: scan test test-all coverage test-clients check format bench soak mutations requirements docs catalogue prove release clean

scan: $(VENV)/.ready
	@$(BIN)/atip scan --learn
	@$(BIN)/atip

test: $(VENV)/.ready $(VENV)/.system
	@scripts/test

# The same tests with every Python from 3.11 to 3.14 that is installed; `scripts/test-all tests/unit` runs some of them.
test-all: $(VENV)/.ready $(VENV)/.system
	@scripts/test-all

# Lines and branches of policy, sandbox, execution and trust; fails below the floors in the script.
coverage: $(VENV)/.ready $(VENV)/.system
	@$(BIN)/python -c "import coverage" 2>/dev/null || $(BIN)/python -m pip install -qq --disable-pip-version-check --group coverage
	@$(BIN)/python scripts/security_coverage.py

# Real coding agents (1.1 GB in .cache/clients) with scripted models on loopback; writes docs/reference/clients.md.
test-clients: $(VENV)/.ready $(VENV)/.system
	@scripts/setup-clients
	@ATIP_WRITE_TABLE=1 $(BIN)/pytest tests/clients

check: $(VENV)/.ready
	@$(BIN)/ruff format --check src tests benchmarks examples scripts packages
	@$(BIN)/ruff check src tests benchmarks examples scripts packages
	@$(BIN)/mypy
	@$(BIN)/pytest -n 2 tests/test_architecture.py tests/unit

format: $(VENV)/.ready
	@$(BIN)/ruff format src tests benchmarks examples scripts packages
	@$(BIN)/ruff check --fix src tests benchmarks examples scripts packages

# Every figure against its peer or limit, in one run; writes docs/benchmarks.json, docs/benchmarks.md and its charts.
bench: $(VENV)/.ready
	@$(BIN)/python -m benchmarks --record

soak: $(VENV)/.ready $(VENV)/.system
	@scripts/soak

mutations: $(VENV)/.ready $(VENV)/.system
	@$(BIN)/python scripts/mutations.py

requirements: $(VENV)/.ready
	@$(BIN)/python scripts/requirements.py

docs: $(VENV)/.ready
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/reference_python.py
	@$(BIN)/python scripts/reference_errors.py
	@$(BIN)/python scripts/recorded_day.py
	@$(BIN)/python scripts/record_session.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "docs: .cache/site/index.html"

$(VENV)/.ready: pyproject.toml scripts/setup
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup

$(VENV)/.system: scripts/setup-system $(VENV)/.ready
	@VENV=$(VENV) scripts/setup-system

# A catalogue of everything that Debian tags as a command-line program, and of well-known PyPI and npm programs; not committed.
CATALOGUE ?= .cache/catalogue
LIMIT ?= 0
catalogue: $(VENV)/.ready $(VENV)/.system
	@VENV=$(VENV) scripts/catalogue/make "$(CATALOGUE)" "$(LIMIT)"

# Every curated tool that is here, or can be laid out from a package: all cases, twice; writes docs/proof.md.
prove: $(VENV)/.ready $(VENV)/.system
	@nice -n 19 $(BIN)/python scripts/prove.py --write

# Reproducible wheels and source distributions, tried in clean environments.
release: $(VENV)/.ready
	@VENV=$(VENV) scripts/release

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
