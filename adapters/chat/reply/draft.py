"""What is there of an answer while it is being written."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.reply.answer import growing, stopped
from adapters.chat.reply.parts import Reply
from pipeline.translations import ENGLISH, Words
from pipeline.values import CitedSentence, Progress, Stage, Written


class Draft:
    """Its sentences so far; what was added is never changed later."""

    def __init__(self, notes: Sequence[str] = (), words: Words = ENGLISH) -> None:
        self._words = words
        self._notes = notes
        self._preface = ""
        self._sentences: list[CitedSentence] = []
        self.stage = Stage.PLANNING

    def add(self, event: Progress | Written) -> None:
        match event:
            case Progress():
                self.stage = event.stage
            case Written():
                self._sentences.append(event.sentence)
                self._preface = self._preface or event.preface
                self.stage = Stage.WRITING

    @property
    def begun(self) -> bool:
        return bool(self._sentences)

    @property
    def reply(self) -> Reply:
        return growing(self._sentences, self._preface, self._notes, self._words)

    @property
    def stopped(self) -> Reply:
        """As it stays when somebody wanted no more of it."""
        return stopped(self._sentences, self._preface, self._notes, self._words)
