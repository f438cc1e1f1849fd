"""Compares this machine's clock with those of the services: signatures and retries fail when it is off."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

import aiohttp

from pipeline.values import Finding
from pipeline.values.diagnostics import error_finding, ok_finding, warning_finding

MAX_CLOCK_SKEW_SECONDS = 60.0
"""Slack refuses signatures after five minutes."""
SECONDS = 10.0


async def diagnose_clock(name: str, url: str) -> Finding:
    """Compare with the Date header of any reply from `url`."""
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS), trust_env=True) as session,
            session.get(url, allow_redirects=False) as response,
        ):
            off = time.time() - parsedate_to_datetime(response.headers["Date"]).timestamp()
    except (aiohttp.ClientError, TimeoutError, KeyError, ValueError):
        return warning_finding("clock", f"{name} did not tell the time", "See what is said about the network above.")
    if abs(off) > MAX_CLOCK_SKEW_SECONDS:
        where = "ahead of" if off > 0 else "behind"
        return error_finding("clock", f"it is {abs(off):.0f} s {where} that of {name}", "Set it, and keep it by NTP.")
    return ok_finding("clock", f"within a minute of that of {name}")
