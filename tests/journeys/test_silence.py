"""Nothing that Citewell is made of reports to anybody."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from asyncio.subprocess import DEVNULL
from ipaddress import ip_address
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.config.settings import Settings
from tests.doubles.processes import child

STRACE = shutil.which("strace")
IDLE = 40
"""Seconds: onnxruntime's first report comes 30 s after the first embedding."""
EMBED_AND_IDLE = f"""
import asyncio, time
from adapters.models.minilm.embedder import MiniLMEmbedder
asyncio.run(MiniLMEmbedder().embed_question("How many vacation days do employees get?"))
time.sleep({IDLE})
"""
ADDRESS = re.compile(r'inet_(?:addr\(|pton\(AF_INET6, )"([^"]+)"')


def traced() -> bool:
    return bool(STRACE) and subprocess.run([str(STRACE), "true"], capture_output=True).returncode == 0


async def calls(trace: Path, home: Path, *command: str) -> str:
    """The network calls of a command and its children, which has to succeed."""
    words = (str(STRACE), "-f", "-e", "trace=network", "-o", str(trace), sys.executable, *command)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CITEWELL_MODEL": "extractive"}
    async with child(*words, env=environment, stdout=DEVNULL) as process:
        assert await process.wait() == 0
    return await asyncio.to_thread(trace.read_text, errors="replace")


@pytest.mark.slow
@pytest.mark.skipif(not traced(), reason="strace is missing or may not trace")
async def test_neither_asking_nor_waiting_sends_or_looks_up_anything(
    citewell: Citewell, settings: Settings, tmp_path: Path
) -> None:
    assert citewell.embedder
    home = tmp_path / "home"
    home.mkdir()
    ask = ("-m", "bot", "ask", "How many vacation days do employees get?", "--data", str(settings.data))
    traces = await asyncio.gather(
        calls(tmp_path / "asking", home, *ask), calls(tmp_path / "waiting", home, "-c", EMBED_AND_IDLE)
    )
    for trace in traces:
        assert "exited with 0" in trace
        assert all(ip_address(address).is_loopback for address in ADDRESS.findall(trace))
        assert "nscd" not in trace
    assert list(home.rglob("*")) == []
