"""Lighthouse's scores of a page, offline."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

from tests.e2e.checks import MODULES
from tests.e2e.chromium import FLAGS

CATEGORIES = ("performance", "accessibility", "best-practices")
SECONDS = 150
_QUOTED = [re.sub("=(.+)", r'="\1"', flag) for flag in FLAGS]
TRIES = 3  # on a busy machine Chrome now and then records no trace at all, which says nothing about the page


def scores(address: str, cookie: str) -> dict[str, int]:
    """Of 100, by category, for whoever has that cookie.

    `first-contentful-paint` and others take part in `performance`, which the machine sways."""
    command = [
        MODULES / ".bin" / "lighthouse",
        address,
        "--quiet",
        "--output=json",
        f"--extra-headers={json.dumps({'Cookie': cookie})}",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--chrome-flags={' '.join(_QUOTED)}",
        "--no-enable-error-reporting",
    ]
    environment = {**os.environ, "CHROME_PATH": str(shutil.which("chromium"))}
    for _ in range(TRIES):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["categories"]
    return {name: round(100 * found[name]["score"]) for name in CATEGORIES}
