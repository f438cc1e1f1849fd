"""Long code as its beginning, and a file. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Block, Code, File, Note
from pipeline.translations import Words
from pipeline.values import replace

SCRIPT_LINES, SCRIPT = 60, 3_000
"""Lines and characters of code above which it is a file."""
BEGINNING = 15
"""Lines of it that are shown all the same."""
_SUFFIXES = {"python": "py", "bash": "sh", "shell": "sh", "console": "sh", "javascript": "js", "typescript": "ts",
    "ruby": "rb", "yaml": "yml", "markdown": "md", "powershell": "ps1"}  # fmt: skip


def attached(blocks: Iterable[Block], answer_id: str, speech: Words) -> tuple[list[Block], list[File]]:
    """`blocks` with the beginning of what is long, and the files that hold all of it."""
    shown: list[Block] = []
    files: list[File] = []
    for block in blocks:
        shown.append(block)
        if not isinstance(block, Code) or (block.text.count("\n") < SCRIPT_LINES and len(block.text) <= SCRIPT):
            continue
        suffix = _SUFFIXES.get(block.language, block.language or "txt")
        name = f"script-{answer_id[:8]}-{len(files) + 1}.{suffix}"
        files.append(File(name=name, content=f"{block.text}\n"))
        lines = block.text.split("\n")
        beginning = "\n".join(lines[:BEGINNING])[:SCRIPT]
        told = speech(words.IN_FILE, shown=beginning.count("\n") + 1, total=len(lines), name=name)
        shown[-1:] = [replace(block, text=beginning), Note(text=told)]
    return shown, files
