"""What is another since the last look at a source."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def digest(*parts: object) -> str:
    """Differs when one of the parts does, which are such as JSON holds."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """What a memory that holds `before` is to keep to hold `after`; None: nothing any more."""
    gone: dict[str, str | None] = dict.fromkeys(before.keys() - after.keys())
    return gone | {name: said for name, said in after.items() if before.get(name) != said}
