from __future__ import annotations

import pytest

from tests.simulators.pages import NODE_MODULES, known_registry, make_site, served, started_browser


@pytest.fixture(scope="module")
def browser():
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def registry(tmp_path_factory):
    """A registry of well-known tools."""
    return known_registry(tmp_path_factory.mktemp("registry"))


@pytest.fixture(scope="session")
def site(registry, tmp_path_factory):
    """The address of its site, without the judge: pages that start no Python are soon there."""
    folder = tmp_path_factory.mktemp("site")
    make_site(registry, folder)
    with served(folder) as url:
        yield url


@pytest.fixture(scope="session")
def judged_site(registry, tmp_path_factory):
    """The same with the judge."""
    folder = tmp_path_factory.mktemp("judged")
    make_site(registry, folder, node_modules=str(NODE_MODULES))
    with served(folder) as url:
        yield url
