"""A file as it was read, as text that a person can check: one line a block, indented by its depth."""

from __future__ import annotations

from adapters.files.content import ParsedFile
from adapters.files.reader_worker import read_format
from pipeline.values import Block, BlockKind


def reading(suffix: str, content: bytes) -> str:
    """What the reader of that format makes of `content`."""
    return told(read_format(suffix, content))


def told(content: ParsedFile) -> str:
    """The title, each block, and what was not read."""
    lines = [f"title: {content.title}"] if content.title else []
    where = ""
    for block in content.blocks:
        before, where = where, _place(block)
        if where != before:
            lines.append(where)
        lines.append("  " * block.depth + _line(block))
    lines += [f"not read: {what}" for what in content.unread]
    return "".join(f"{line}\n" for line in lines)


def _place(block: Block) -> str:
    return f"[page {block.page}]" if block.page else f"[sheet {block.sheet}]" if block.sheet else ""


def _line(block: Block) -> str:
    text = block.text.replace("\n", "\n" + "  " * (block.depth + 1))
    match block.kind:
        case BlockKind.HEADING:
            return f"{'#' * (len(block.heading) + 1)} {text}"
        case BlockKind.ITEM:
            return f"- {text}"
        case BlockKind.STEP:
            return f"{block.number or '1'}. {text}"
        case BlockKind.HEADER:
            return f"|= {' | '.join(block.cells)} |"
        case BlockKind.ROW:
            return f"| {' | '.join(block.cells)} |"
        case BlockKind.CODE:
            return f"```\n{block.text}\n```"
        case _:
            return text
