"""The draft of an answer while it is being written."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.reply.builder import build_partial_reply, build_stopped_reply
from adapters.chat.reply.parts import Reply
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import AnswerStage, CitedSentence, ProgressEvent, SentenceEvent


class Draft:
    """The sentences of an answer so far. A sentence is never changed once added."""

    def __init__(self, notes: Sequence[str] = (), translator: Translator = ENGLISH_TRANSLATOR) -> None:
        self._translator = translator
        self._notes = notes
        self._preface = ""
        self._sentences: list[CitedSentence] = []
        self.stage = AnswerStage.PLANNING

    def add(self, event: ProgressEvent | SentenceEvent) -> None:
        match event:
            case ProgressEvent():
                self.stage = event.stage
            case SentenceEvent():
                self._sentences.append(event.sentence)
                self._preface = self._preface or event.preface
                self.stage = AnswerStage.WRITING

    @property
    def is_begun(self) -> bool:
        return bool(self._sentences)

    @property
    def partial_reply(self) -> Reply:
        return build_partial_reply(self._sentences, self._preface, self._notes, self._translator)

    @property
    def stopped_reply(self) -> Reply:
        """The reply that remains when somebody stops the answer."""
        return build_stopped_reply(self._sentences, self._preface, self._notes, self._translator)
