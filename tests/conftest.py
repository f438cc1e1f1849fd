"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.doubles.engines import Engine
from tests.doubles.postgres import Server, postgres_server

settings.register_profile("citewell", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("citewell")
"""An example may take as long as it takes: machines differ. Everything else is as hypothesis has it, on CI as well."""


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """What a command of one test configures for its process does not decide what the next one logs."""
    before = structlog.get_config() if structlog.is_configured() else None
    yield
    structlog.reset_defaults()
    if before:
        structlog.configure(**before)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; tests that need one are skipped where there is none."""
    try:
        with postgres_server() as server:
            yield server
    except (LookupError, OSError) as missing:
        pytest.skip(f"needs PostgreSQL with pgvector: {missing}")


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Each engine in turn, with nothing in it."""
    url = request.getfixturevalue("postgres").empty() if request.param == "postgresql" else ""
    return Engine(tmp_path / "data", url)
