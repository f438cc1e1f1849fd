"""A vendor's client is made once, off the event loop, and never lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from adapters.models.client import LazyClient, openai_client
from pipeline.errors import Unavailable


class Client:
    closed = False

    async def close(self) -> None:
        self.closed = True


class Making:
    """Makes clients once it may."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.begun = threading.Event()
        self.made: list[Client] = []

    def __call__(self) -> Client:
        self.begun.set()
        assert self.may.wait(30)
        self.made.append(Client())
        return self.made[-1]


async def cancelled_get(lazy: LazyClient[Client], making: Making) -> None:
    getting = asyncio.create_task(lazy.get())
    await asyncio.to_thread(making.begun.wait, 30)
    getting.cancel()
    await asyncio.wait({getting})
    assert getting.cancelled()
    making.may.set()


async def test_a_client_is_made_once_however_many_ask_for_it() -> None:
    making = Making()
    making.may.set()
    lazy = LazyClient("service", making)
    assert len(set(await asyncio.gather(*(lazy.get() for _ in range(5))))) == 1
    assert len(making.made) == 1


async def test_a_client_nobody_waits_for_any_more_is_used_by_the_next() -> None:
    making = Making()
    lazy = LazyClient("service", making)
    await cancelled_get(lazy, making)
    assert [await lazy.get()] == making.made


async def test_a_client_that_is_still_being_made_is_closed() -> None:
    making = Making()
    lazy = LazyClient("service", making)
    await cancelled_get(lazy, making)
    await lazy.close()
    assert [client.closed for client in making.made] == [True]


async def test_what_failed_is_tried_again() -> None:
    outcomes: Iterator[Client | Exception] = iter([ValueError("not this time"), Client()])

    def make() -> Client:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    lazy = LazyClient("service", make)
    with pytest.raises(Unavailable):
        await lazy.get()
    assert await lazy.get()


LOADING = """
import asyncio, importlib, importlib.abc, importlib.machinery, sys, threading
import openai
from adapters.models.openai import OpenAIModel
from pipeline.ports import ChatMessage

begun, go = threading.Event(), threading.Event()

class Slowly(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "httpx._api":
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            execute = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (begun.set(), go.wait(), execute(module))
            return spec

async def main():
    sys.meta_path.insert(0, Slowly())
    loading = threading.Thread(target=importlib.import_module, args=("httpx",))
    loading.start()
    begun.wait()
    threading.Timer(1.0, go.set).start()
    model = OpenAIModel("m", key="k", base_url="http://127.0.0.1:1/v1")
    try:
        async for _ in model.stream([ChatMessage(role="user", content="?")], max_tokens=5):
            pass
    except Exception as error:
        print(error)
    loading.join()

asyncio.run(main())
"""


def test_a_client_waits_for_a_library_that_another_thread_is_loading() -> None:
    """OpenAI's own raises AttributeError at its first request while httpx is half loaded, as Chroma loads it."""
    ran = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=True)
    assert "the connection failed" in ran.stdout


async def test_a_wrong_base_url_is_named_as_a_cause() -> None:
    lazy = openai_client("openai", key="k", base_url="http://localhost:port", timeout=1.0)
    with pytest.raises(Unavailable, match=r"InvalidURL.*base URL") as caught:
        await lazy.get()
    assert caught.value.permanent
    await lazy.close()
