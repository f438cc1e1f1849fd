"""PPTX -> blocks: slides as pages, their titles as headings, speaker notes after them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from adapters.files.office.archive import check_archive
from adapters.files.outline import Content, Outline, given_title
from pipeline.values import BlockKind


def read_pptx(content: bytes) -> Content:
    """Text and tables of each slide that is shown, from top to bottom; `page` is the slide's number."""
    check_archive(content)
    deck = Presentation(io.BytesIO(content))
    outline = Outline()
    for number, slide in enumerate(deck.slides, 1):
        if slide.element.get("show") == "0":
            continue
        outline.page = number
        title = slide.shapes.title
        outline.heading(1, (title.text_frame.text if title is not None else "").strip() or f"Slide {number}")
        for shape in _shapes(slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                _shape(outline, shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            outline.add(BlockKind.PROSE, slide.notes_slide.notes_text_frame.text)
    return outline.content(title=given_title(deck.core_properties.title))


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Shapes by their place, groups taken apart."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _shape(outline: Outline, shape: Any) -> None:
    if getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells if not cell.is_spanned] for row in shape.table.rows]
        outline.table(rows, header=bool(shape.table.first_row))
    elif shape.has_text_frame:
        texts = [paragraph.text.replace("\v", "\n") for paragraph in shape.text_frame.paragraphs]
        texts = [text for text in texts if text.strip()]
        for text in texts:
            outline.add(BlockKind.ITEM if len(texts) > 1 else BlockKind.PROSE, text)
