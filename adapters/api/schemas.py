"""Request and response bodies that only the API has."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pipeline.values import Answer, AnswerFormat, AnswerStyle, CitationStyle, RatingReason, Vote
from pipeline.values.api_access import Passage

RequestText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=4000),
    Field(json_schema_extra={"pattern": r"\S"}),
]
ConversationKey = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]


class AskRequest(BaseModel):
    """A question."""

    model_config = ConfigDict(extra="forbid")

    question: RequestText
    conversation: ConversationKey | None = Field(
        None, description="The conversation of an earlier answer, to continue it"
    )
    style: AnswerStyle | None = Field(None, description="How long the answer is; by default, as the operator set it")
    format: AnswerFormat | None = Field(None, description="The form of the answer; by default, as fits the question")
    citations: CitationStyle | None = Field(None, description="How citations are marked in the body")
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] | None = Field(
        None, description="The language of the answer; by default, the question's"
    )


class AskResponse(BaseModel):
    """The answer to a question."""

    conversation: ConversationKey = Field(description="Send it with the next question to continue the conversation")
    answer: Answer


class SearchRequest(BaseModel):
    """A search for passages."""

    model_config = ConfigDict(extra="forbid")

    text: RequestText
    limit: int = Field(10, ge=1, le=50, description="Passages at most")


class SearchResponse(BaseModel):
    """Passages, best first."""

    passages: list[Passage]


class ApiDocument(BaseModel):
    """A document."""

    id: str
    title: str
    collection: str
    filename: str
    link: str = Field("", description="Its own address; empty where it has none")
    flagged: bool = Field(description="Its text holds instructions addressed to an assistant")


class DocumentsResponse(BaseModel):
    """Documents that the caller may find, by collection and name."""

    documents: list[ApiDocument]
    total: int


class PassagesResponse(BaseModel):
    """A run of passages of one document."""

    document: ApiDocument
    total: int = Field(description="How many passages it has")
    passages: list[Passage]


class ApiSource(BaseModel):
    """A source of documents, and how many of them the caller may find."""

    collection: str
    source: str
    documents: int


class SourcesResponse(BaseModel):
    sources: list[ApiSource]


class FeedbackRequest(BaseModel):
    """A rating of an answer."""

    model_config = ConfigDict(extra="forbid")

    vote: Vote
    reason: RatingReason | None = None
    comment: Annotated[str, StringConstraints(max_length=1000)] = ""


class FeedbackResponse(BaseModel):
    """The rating was stored."""

    answer: str


class HealthResponse(BaseModel):
    """The API answers."""

    documents: int = Field(description="Documents that the caller may find")
