"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("citewell", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("citewell")
"""An example may take as long as it takes: machines differ. Everything else is as hypothesis has it, on CI as well."""
