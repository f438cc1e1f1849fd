"""Consoles on which nothing hides, whatever documents, people and models wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from pipeline.words.text import visible

_TRAILING = re.compile(r"[ \t]+(?=\n)")


class Plain(Console):
    """Shows what is `visible`: what turns or hides text, and what a terminal would obey, does not reach it."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


class Piped(Plain):
    """Where it is no terminal, lines end with their text, and not with blanks up to the width of a screen."""

    def print(self, *objects: Any, **options: Any) -> None:
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write(_TRAILING.sub("", captured.get()))
        self.file.flush()
