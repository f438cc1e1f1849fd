"""Checks of the machine, whatever the settings."""

from __future__ import annotations

import platform
import sys

from adapters.models.minilm.embedder import MiniLMEmbedder
from pipeline.errors import Unavailable
from pipeline.values import Finding
from pipeline.values.diagnostics import error_finding, ok_finding
from storage.sqlite.connection import SQLITE_VERSION, missing_sqlite_features

OLDEST_PYTHON = (3, 11)


def diagnose_machine() -> list[Finding]:
    return [_python(), _sqlite(), _embedder()]


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return error_finding("Python", f"{version} is too old", "Install Python 3.11 or newer, and Citewell with it.")
    return ok_finding("Python", version)


def _sqlite() -> Finding:
    if lacks := missing_sqlite_features():
        return error_finding(
            "SQLite", f"{SQLITE_VERSION}: {lacks}", "Use a Python that was built with a complete SQLite."
        )
    return ok_finding("SQLite", f"{SQLITE_VERSION}, with full-text search")


def _embedder() -> Finding:
    try:
        MiniLMEmbedder().count_tokens("")
    except Unavailable as error:
        return error_finding("shipped embedder", str(error), "Install Citewell again: some of its files are missing.")
    return ok_finding("shipped embedder", "its files are there")
