"""How much a test tries: what `make test` has time for, or as many times as much as TRIALS says (`make soak`).

What it tried it says with pytest's `record_property`: the name of what is counted, and how many.
"""

from __future__ import annotations

import os
from collections.abc import Callable

Count = Callable[[str, object], None]
"""What `record_property` is."""
TIMES = int(os.environ.get("TRIALS", "1"))


def trials(usual: int) -> int:
    """How many, where `make test` tries `usual`."""
    return usual * TIMES
