"""Citewell with a real language model, as shipped: `make real-model`.

Questions over the example handbook and over documents from outside are asked one after the other, ten of them with a
second question in the same conversation, and at the end four at the same time. Nothing is set but the data folder, the
model and its address. Without --url the model is SmolLM2-135M on a llama.cpp server that is started for it.

python -m bench.real_model --url http://10.0.0.5:8080/v1 --model NAME [--questions FILE [--documents FOLDER]]"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.real_model.ask import Record, ask, ask_together, count_misfiled, recorded, tokens_counted
from bench.real_model.figures import Figures, details, figures, together_figures, unsupported_sentences
from bench.real_model.questions import ROOT, QuestionSet, handbook, outside, own
from bench.real_model.server import NAME
from bot.config.settings import ENV_PREFIX, Settings
from bot.evaluation.predict import open_temporary_citewell

PYTHON = ROOT / "build" / "real-model" / "bin" / "python"
SERVER = Path(__file__).with_name("server.py")
_WIDTH = 78


class Asked(NamedTuple):
    """What came of a set of questions."""

    records: list[Record]
    together: list[Record]
    lost: int
    doubled: int
    tokens: int


@contextmanager
def started_server(window: int, slots: int) -> Iterator[str]:
    """Run a model's server in a process of its own; the value is its address."""
    if not PYTHON.exists():
        raise SystemExit("The server is not installed: `make real-model` installs it.")
    command = [str(PYTHON), str(SERVER), str(window), str(slots)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = server.stdout.readline().strip()
        if not address:
            raise SystemExit("The server did not start.")
        try:
            yield f"{address}/v1"
        finally:
            server.terminate()


def shipped_settings(url: str, model: str) -> Settings:
    """Return the settings as they are shipped, with a model at an address. The environment counts only for the key."""
    key = os.environ.get("OPENAI_API_KEY") or "none"
    for name in [name for name in os.environ if name.startswith((ENV_PREFIX, "OPENAI_", "ANTHROPIC_"))]:
        del os.environ[name]
    os.environ[f"{ENV_PREFIX}CONFIG"] = os.devnull
    given = {"model": f"openai:{model}", "openai_api_key": key, "openai_base_url": url}
    return Settings(_env_file=None, **given)  # type: ignore[call-arg, arg-type] # pydantic-settings' own


async def ask_set(settings: Settings, asked: QuestionSet, url: str) -> Asked:
    """Ask a set of questions over its documents, in an order that never changes."""
    records: list[Record] = []
    async with open_temporary_citewell(settings, asked.documents) as opened:
        citewell = recorded(opened)
        for number, question in enumerate(asked.questions, start=1):
            records.append(await ask(citewell, question.text, f"{number}"))
            if question.second:
                before = await asyncio.to_thread(server_counters, url)
                records.append(await ask(citewell, question.second, f"{number}", is_second=True))
                after = await asyncio.to_thread(server_counters, url)
                records[-1].cached_share = _cached_share(before, after)
            _report(asked.name, number, len(asked.questions), records[-1])
        texts = [question.text for question in asked.together]
        threads = [f"together-{number}" for number in range(len(texts))]
        together = await ask_together(citewell, texts, threads)
        lost, doubled = await count_misfiled(citewell, [*records, *together])
        return Asked(records, together, lost, doubled, await tokens_counted(citewell))


def _report(name: str, number: int, count: int, record: Record) -> None:
    writer = record.answer.usage.writer if record.answer else record.error
    seconds = f"{record.first_seconds:.1f} s, {record.total_seconds:.1f} s"
    print(f"{name} {number} of {count}: {seconds}, {writer}: {record.question}", file=sys.stderr, flush=True)


def server_counters(url: str) -> dict[str, float]:
    """Return the counters of a llama.cpp server since its start; none where it has no such page."""
    try:
        with urllib.request.urlopen(f"{url.removesuffix('/v1')}/metrics", timeout=5) as reply:
            lines = [line.split() for line in reply.read().decode().splitlines() if not line.startswith("#")]
    except (OSError, ValueError):
        return {}
    return {line[0].removeprefix("llamacpp:"): float(line[1]) for line in lines if len(line) == 2}


def _cached_share(before: dict[str, float], after: dict[str, float]) -> float | None:
    """Return the share of the prompts between two counts that came from the server's cache."""
    read, cached = (
        after.get(name, 0.0) - before.get(name, 0.0) for name in ("prompt_tokens_total", "prompt_tokens_cached_total")
    )
    return cached / (read + cached) if cached > 0 else None


def server_totals(url: str) -> Figures:
    """Return the totals of a llama.cpp server as rows of the table."""
    counted = server_counters(url)
    if "prompt_tokens_total" not in counted:
        return {}
    return {
        "the server: tokens read": _rate(counted, "prompt_tokens_total", "prompt_seconds_total"),
        "  tokens taken from its cache": f"{counted.get('prompt_tokens_cached_total', 0):,.0f}",
        "  tokens written": _rate(counted, "tokens_predicted_total", "tokens_predicted_seconds_total"),
    }


def _rate(counted: dict[str, float], tokens: str, seconds: str) -> str:
    count, took = counted.get(tokens, 0.0), counted.get(seconds, 0.0)
    return f"{count:,.0f} in {took:.0f} s" + (f", {count / took:.0f} a second" if took else "")


async def measure(settings: Settings, sets: list[QuestionSet], url: str) -> tuple[Figures, list[Record]]:
    """Ask all sets; return the table, and the records of all questions."""
    asked = [await ask_set(settings, one, url) for one in sets]
    records = [record for one in asked for record in one.records]
    together = [record for one in asked for record in one.together]
    found = {
        **figures(records),
        **(together_figures(together) if together else {}),
        "questions lost": str(sum(one.lost for one in asked)),
        "questions doubled": str(sum(one.doubled for one in asked)),
        "tokens counted against a person's day": f"{sum(one.tokens for one in asked):,}",
        **server_totals(url),
    }
    return found, [*records, *together]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="base URL of a server that speaks OpenAI's API, with /v1")
    parser.add_argument("--model", default=NAME, help="name of the model there")
    parser.add_argument("--questions", type=Path, help="a file of questions, one a line, a second one after a tab")
    parser.add_argument("--documents", type=Path, help="the documents that they are about (default: the handbook)")
    parser.add_argument("--data", type=lambda text: Path(text) if text else None, help="folder of public data sets")
    parser.add_argument("--each", type=int, default=30, help="questions of each set (30)")
    parser.add_argument("--window", type=int, default=0, help="window of the server that is started (the model's own)")
    parser.add_argument("--slots", type=int, default=1, help="slots of the server that is started (1)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


def main() -> None:
    given = _arguments()
    logging.disable(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="citewell-bench-") as folder:
        if given.questions:
            sets = [own(given.questions, given.documents)]
        else:
            sets = [handbook(given.each), outside(given.data, given.each, Path(folder))]
        began = time.perf_counter()
        if given.url:
            found, records = asyncio.run(measure(shipped_settings(given.url, given.model), sets, given.url))
        else:
            with started_server(given.window, given.slots) as url:
                found, records = asyncio.run(measure(shipped_settings(url, given.model), sets, url))
    if given.json:
        table = {name.strip(): value for name, value in found.items()}
        print(json.dumps({"figures": table, "questions": list(map(details, records))}, indent=1))
        return
    names = " and ".join(f"{len(one.questions)} of {one.name}" for one in sets)
    print(f"\n{given.model}: {names}; {time.perf_counter() - began:.0f} s on {os.cpu_count()} processors\n")
    for name, value in found.items():
        print(f"{name:<{_WIDTH}} {value}")
    for text, words in unsupported_sentences(records):
        print(f"\nnot in the documents ({words}): {text}")


if __name__ == "__main__":
    main()
