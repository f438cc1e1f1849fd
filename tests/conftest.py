"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

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
