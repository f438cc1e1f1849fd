"""A real Chroma server on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen


@contextmanager
def chroma_server(folder: Path, port: int) -> Iterator[str]:
    """`chroma run` with its data in `folder`, killed when the block ends; yields its address."""
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder), "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
    )
    try:
        end = time.monotonic() + 100
        while True:
            try:
                urlopen(f"{url}/api/v2/heartbeat").close()
                break
            except (URLError, ConnectionError):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        yield url
    finally:
        process.kill()
        process.wait()
