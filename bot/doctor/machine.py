"""What Citewell needs of the machine, whatever the settings say."""

from __future__ import annotations

import platform
import sys

from adapters.models.minilm.embedder import MiniLM
from pipeline.errors import Unavailable
from pipeline.values import Finding
from pipeline.values.finding import bad, good
from storage.sqlite.connection import VERSION, lacking

OLDEST_PYTHON = (3, 11)


def examine_machine() -> list[Finding]:
    return [_python(), _sqlite(), _embedder()]


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return bad("Python", f"{version} is too old", "Install Python 3.11 or newer, and Citewell with it.")
    return good("Python", version)


def _sqlite() -> Finding:
    if lacks := lacking():
        return bad("SQLite", f"{VERSION}: {lacks}", "Use a Python that was built with a complete SQLite.")
    return good("SQLite", f"{VERSION}, with full-text search")


def _embedder() -> Finding:
    try:
        MiniLM().count("")
    except Unavailable as error:
        return bad("shipped embedder", str(error), "Install Citewell again: some of its files are missing.")
    return good("shipped embedder", "its files are there")
