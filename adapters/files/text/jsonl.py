"""JSON Lines of `{doc_id, text, title?, url?, product?, document_type?}`, in which every line is a document of its
own."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.files.content import ParsedFile, clean_label, has_control_chars, safe_url
from pipeline.errors import Refused
from pipeline.values import replace

_WHAT_TO_DO = (
    'A line of JSON Lines is a document: a JSON object with at least "doc_id", its own name, and "text". '
    "Save records of another form as .csv or .json."
)


class JsonLine(BaseModel):
    """A line as written; fields beyond these are ignored."""

    model_config = ConfigDict(frozen=True)

    doc_id: str = Field(min_length=1, max_length=500)
    text: str
    title: str = ""
    url: str = ""
    product: str = ""
    document_type: str = ""


def parse_json_line(content: bytes) -> JsonLine:
    """Parse a line. Raises Refused with the field that is wrong."""
    try:
        line = JsonLine.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        missing = f'it has no "{where}"' if first["type"] == "missing" else ""
        raise Refused(
            f"the line is not a document: {missing or (where + ': ' if where else '') + first['msg']}",
            what_to_do=_WHAT_TO_DO,
        ) from error
    if has_control_chars(line.doc_id):
        raise Refused("the line is not a document: doc_id: holds a control character", what_to_do=_WHAT_TO_DO)
    return line


def read_json_document(content: bytes) -> ParsedFile:
    """Parse a line and read its text. Raises Refused like `parse_json_line` and `read_json_text`."""
    return read_json_text(parse_json_line(content))


def read_json_text(line: JsonLine) -> ParsedFile:
    """Read the line's text into blocks. Raises Refused when it has none."""
    from adapters.files.text.markdown import read_lenient_markdown

    content = read_lenient_markdown(_text_with_title(line), title=line.title)
    if not content.has_text:
        raise Refused("the line holds no text", what_to_do="Leave it out, or fill it.")
    return replace(
        content,
        title=clean_label(line.title) or content.title,
        url=safe_url(line.url),
        product=clean_label(line.product),
        document_type=clean_label(line.document_type),
    )


def _text_with_title(line: JsonLine) -> str:
    """Return the text, under its title where that is a question, as in an FAQ of any other format."""
    title = clean_label(line.title)
    return f"# {title}\n\n{line.text}" if title.endswith(("?", "？")) and title not in line.text else line.text
