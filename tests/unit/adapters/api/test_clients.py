"""The clients of docs/api.md answer as they stand there."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from adapters.http.servers import UvicornServers
from tests.doubles.open_house import opened

DOCS = (Path(__file__).parents[4] / "docs" / "api.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)
    return str(found)


@pytest.mark.parametrize("language", ["sh", "python"])
async def test_a_client_of_the_documentation_gets_an_answer(language: str, tmp_path: Path) -> None:
    if language == "sh" and not shutil.which("curl"):
        pytest.skip("there is no curl")
    program = {"sh": ["sh", "-eu", "-c"], "python": [sys.executable, "-c"]}[language]
    async with (
        opened(tmp_path) as (citewell, app),
        UvicornServers().serve("127.0.0.1:0", app.routes, setting="CITEWELL_WEB") as port,
    ):
        _, key = await citewell.storage.api_keys.add("docs", (), 60)
        environment = {
            "CITEWELL": f"http://127.0.0.1:{port}",
            "CITEWELL_KEY": key,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
        }
        question = block(language).replace("contractors", "employees")
        done = await asyncio.create_subprocess_exec(
            *program, question, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        said, wrong = await asyncio.wait_for(done.communicate(), 60)
    assert done.returncode == 0, wrong.decode()
    assert "25 vacation days" in said.decode()
    if language == "sh":
        assert json.loads(said)["answer"]["outcome"] == "answered"
