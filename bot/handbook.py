"""The example handbook and the conversation that `citewell demo` has over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import Refused
from pipeline.values import Value

_HERE = Path(__file__).parent


class Said(Value):
    """One question of the demo, and what it is there to show."""

    text: str
    shows: str
    thread: str = "demo"
    passages: bool = False


CONVERSATION = (
    Said(text="How many vacation days do employees get?", shows="A question, answered with its source"),
    Said(text="And for contractors?", shows="A follow-up, completed from the conversation"),
)


@contextmanager
def handbook() -> Iterator[Path]:
    """The folder of the example documents: beside the packages in a clone, inside them once installed."""
    for folder in (_HERE.parent / "examples" / "handbook", _HERE / "handbook_files"):
        if folder.is_dir():
            yield folder
            return
    raise Refused("The example handbook is missing.", what_to_do="Install Citewell again, or clone the repository.")
