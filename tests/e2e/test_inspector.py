"""MCP with a client that is not of our SDK: the inspector's command line, over both transports."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.e2e.checks import MODULES
from tests.e2e.house import House

QUESTION = "How many vacation days do contractors get?"


def inspected(*words: str, house: House) -> Any:
    own = [word for name, value in house.environment.items() if name != "PATH" for word in ("-e", f"{name}={value}")]
    command = [str(MODULES / ".bin" / "mcp-inspector"), "--cli", *own, *words]
    done = subprocess.run(command, env=house.environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_another_client_lists_and_calls_the_tools_over_both_transports(handbook: House) -> None:
    ways = (
        (sys.executable, "-m", "bot", "mcp"),
        (f"{handbook.url}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {handbook.secret}"),
    )
    for way in ways:
        tools = inspected(*way, "--method", "tools/list", house=handbook)["tools"]
        assert [tool["name"] for tool in tools] == ["search", "ask", "read"]
        asked = ("--method", "tools/call", "--tool-name", "ask", "--tool-arg", f"question={QUESTION}")
        answer = inspected(*way, *asked, house=handbook)["structuredContent"]
        assert answer["outcome"] == "answered"
        assert answer["sentences"][0]["citations"] == [1]
