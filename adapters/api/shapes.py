"""What is asked and answered, beside the values that the rest of Citewell has."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pipeline.values import Answer, CitationStyle, Format, Reason, Style, Vote
from pipeline.values.keys import Passage

Text = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=4000),
    Field(json_schema_extra={"pattern": r"\S"}),
]
Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]


class Asked(BaseModel):
    """A question."""

    model_config = ConfigDict(extra="forbid")

    question: Text
    conversation: Id | None = Field(None, description="That of an earlier answer, to go on with it")
    style: Style | None = Field(None, description="How much is said; by default, as the operator set it")
    format: Format | None = Field(None, description="In which form; by default, as fits the question")
    citations: CitationStyle | None = Field(None, description="How citations are marked in the body")
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] | None = Field(
        None, description="That of the answer; by default, the question's"
    )


class Answered(BaseModel):
    """The answer to a question."""

    conversation: Id = Field(description="Send it with the next question to go on with it")
    answer: Answer


class Searched(BaseModel):
    """What to search for."""

    model_config = ConfigDict(extra="forbid")

    text: Text
    limit: int = Field(10, ge=1, le=50, description="Passages at most")


class Passages(BaseModel):
    """Passages, best first."""

    passages: list[Passage]


class Listed(BaseModel):
    """A document."""

    id: str
    title: str
    collection: str
    filename: str
    link: str = Field("", description="Its own address; empty where it has none")
    flagged: bool = Field(description="Its text holds instructions addressed to an assistant")


class Documents(BaseModel):
    """What may be found, by collection and name."""

    documents: list[Listed]
    total: int


class Read(BaseModel):
    """A run of passages of one document."""

    document: Listed
    total: int = Field(description="How many passages it has")
    passages: list[Passage]


class Source(BaseModel):
    """Where documents come from."""

    collection: str
    source: str
    documents: int


class Sources(BaseModel):
    sources: list[Source]


class Feedback(BaseModel):
    """What is thought of an answer."""

    model_config = ConfigDict(extra="forbid")

    vote: Vote
    reason: Reason | None = None
    comment: Annotated[str, StringConstraints(max_length=1000)] = ""


class Kept(BaseModel):
    """It is kept."""

    answer: str


class Health(BaseModel):
    """That it answers."""

    documents: int = Field(description="How many the caller may have found")
