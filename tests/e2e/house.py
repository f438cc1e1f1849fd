"""`citewell run` with a page, as people start it: a process of its own over a folder of documents."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from tests.doubles.ports import free_port

ROOT = Path(__file__).parents[2]
HANDBOOK = ROOT / "examples" / "handbook"
START_SECONDS = 90.0


class House:
    """A data folder that is filled, and where its page is."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        """`settings` by their names in the environment, without CITEWELL_ before them."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        own = {
            "DATA": str(folder / "data"),
            "WEB": f"127.0.0.1:{self.port}",
            "WEB_URL": self.url,
            "WEB_ORIGINALS": "true",
            "MODEL": "extractive",
            "EMBEDDER": "none",
        }
        named = {f"CITEWELL_{name}": value for name, value in {**own, **settings}.items()}
        self.environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **named}
        self._log = folder / "log.txt"
        self._folder = folder

    def command(self, *words: str) -> str:
        """What `citewell WORDS` says."""
        command = [sys.executable, "-m", "bot", *words]
        done = subprocess.run(command, env=self.environment, cwd=self._folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def running(self) -> Iterator[None]:
        """While it answers."""
        with self._log.open("a") as log:
            command = [sys.executable, "-m", "bot", "run"]
            process = subprocess.Popen(command, env=self.environment, cwd=self._folder, stdout=log, stderr=log)
            try:
                self._wait(process)
                yield
            finally:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        assert "Traceback" not in self.log, self.log

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        given_up = time.monotonic() + START_SECONDS
        while True:
            assert process.poll() is None, f"citewell run ended:\n{self.log}"
            assert time.monotonic() < given_up, f"no page after {START_SECONDS:.0f} s:\n{self.log}"
            try:
                urllib.request.urlopen(f"{self.url}/static/site.css", timeout=5).close()
            except OSError:
                time.sleep(0.05)
            else:
                return

    @property
    def link(self) -> str:
        """What the operator opens the page with, as `citewell run` says it."""
        said = re.search(r"Page: (\S+)", self.log)
        assert said, self.log
        return said[1]

    @property
    def secret(self) -> str:
        """That of this start, which stands in the link."""
        return self.link.rpartition("/")[2]

    def cookie(self) -> str:
        """What the browser of whoever opened the link keeps."""
        with closing(HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request("GET", urlsplit(self.link).path)
            return str(connection.getresponse().getheader("Set-Cookie")).partition(";")[0]

    @property
    def log(self) -> str:
        return self._log.read_text()


@contextmanager
def house(folder: Path, *documents: Path, **settings: str) -> Iterator[House]:
    """A running one that has read `documents`."""
    made = House(folder, settings)
    made.command("index", *map(str, documents))
    with made.running():
        yield made
