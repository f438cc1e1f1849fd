"""A console whose output may go into a file or another program."""

from __future__ import annotations

import re
from typing import Any

from rich.console import Console

_TRAILING = re.compile(r"[ \t]+(?=\n)")


class Piped(Console):
    """Where it is no terminal, lines end with their text, and not with blanks up to the width of a screen."""

    def print(self, *objects: Any, **options: Any) -> None:
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write(_TRAILING.sub("", captured.get()))
        self.file.flush()
