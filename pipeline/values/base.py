"""What all values share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Frozen, and refuses fields it does not know; what does not fit is not repeated in the error."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
