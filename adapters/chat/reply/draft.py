"""The draft of an answer while it is being written."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.reply.builder import build_partial_reply, build_stopped_reply
from adapters.chat.reply.parts import Reply
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import AnswerStage, CitedSentence, ProgressEvent, SentenceEvent
from pipeline.words import wording


class Draft:
    """The sentences of an answer so far. A sentence is never changed once added."""

    def __init__(self, notes: Sequence[str] = (), translator: Translator = ENGLISH_TRANSLATOR) -> None:
        self._translator = translator
        self._notes = notes
        self._preface = ""
        self._sentences: list[CitedSentence] = []
        self._progress = ProgressEvent(stage=AnswerStage.PLANNING)

    def add(self, event: ProgressEvent | SentenceEvent) -> None:
        match event:
            case ProgressEvent():
                self._progress = event
            case SentenceEvent():
                self._sentences.append(event.sentence)
                self._preface = self._preface or event.preface
                self._progress = ProgressEvent(stage=AnswerStage.WRITING)

    @property
    def is_begun(self) -> bool:
        return bool(self._sentences)

    @property
    def status(self) -> str:
        """The line about what is being done, or waited for."""
        return wording.progress_line(self._progress, self._translator)

    @property
    def partial_reply(self) -> Reply:
        return build_partial_reply(self._sentences, self._preface, self._notes, self._translator)

    @property
    def stopped_reply(self) -> Reply:
        """The reply that remains when somebody stops the answer."""
        return build_stopped_reply(self._sentences, self._preface, self._notes, self._translator)
