"""JSON of model servers, and as models write it: with or without a fence, with or without words around it."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError

from pipeline.errors import Unavailable, Unusable
from pipeline.ports import T

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def body(service: str, response: Any) -> Any:
    """The JSON that an SDK's raw `response` holds: what the SDKs make of it takes minutes for 8 MB of `{}`. Raises
    Unavailable when it holds something else."""
    try:
        return json.loads(response.http_response.content)
    except (ValueError, RecursionError) as error:
        raise Unavailable(service, "answered with a page instead of an API reply") from error


def parse(service: str, content: str, into: type[T]) -> T:
    """The JSON object in `content` as `into`. Raises Unusable; the error holds nothing of the content."""
    found = _OBJECT.search(content)
    if found is None:
        raise Unusable(f"{service}: no JSON object in the reply")
    try:
        return into.model_validate_json(found.group())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the object"
        raise Unusable(f"{service}: the reply does not fit {into.__name__} at {where} ({first['type']})") from None
