"""A writer that uses a language model: prompt, stream, sentences."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.budget import estimate_failed_call, estimate_prompt_tokens
from pipeline.errors import CitewellError, PromptTooLong
from pipeline.ports import ChatMessage, LanguageModel, SearchFunction, Tool
from pipeline.ports.reply_schema import max_reply_tokens
from pipeline.values import AdditionalPassages, DraftEnd, DraftSentence, RetrievedChunk, Turn, Usage, WritingBrief
from pipeline.write.draft_failures import MODEL_TOO_SLOW, WINDOW_FULL
from pipeline.write.model_draft import ModelDraft, resolve_sources
from pipeline.write.prompt_fitting import FittedPrompt, PromptFitter
from pipeline.write.rewriting import parse_rewrite, rewrite_messages, rewritten_schema
from pipeline.write.search_tool import MAX_SEARCHES, SEARCH_TOOL, SearchToolRunner


@dataclass(frozen=True)
class ModelWriter:
    """A `Writer` that uses a language model, with prompts of `fitter`.

    Sentences that name no passage of the prompt come without chunk ids. `report` gets the reason where the model is not
    asked, since it could not answer in time."""

    fitter: PromptFitter
    report: Callable[[str], None] = lambda _: None
    needs_sources: bool = True
    """True where a slow model is given up that names no source."""

    @property
    def model(self) -> LanguageModel:
        return self.fitter.model

    def kept_chunks(self, conversation: str) -> Sequence[str]:
        """See `Writer`."""
        return self.fitter.kept_chunks(conversation)

    async def write(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        search: SearchFunction | None = None,
        seconds: float | None = None,
    ) -> AsyncGenerator[DraftSentence | AdditionalPassages | Usage | DraftEnd, None]:
        """Write an answer; see `Writer`. Raises Unavailable only before the model wrote anything, UnusableResponse
        before the first sentence.

        The draft is not complete when the stream failed, was cut, ran into its limit or was filtered. It ends,
        complete, at the sentence with which it would be `MAX_LENGTH_FACTOR` times as long as asked. Sentences without a
        source before a search are no part of it. A prompt that does not fit the model's window is made smaller."""
        refused: PromptTooLong | None = None
        longest = math.inf
        while True:
            fitted = self.fitter.fit(brief, passages, history, seconds=seconds, searches=search is not None)
            if passages and not fitted.prompt.numbered:
                yield self._decline(fitted)
                return
            if refused and fitted.prompt.tokens >= longest:
                raise refused
            try:
                async with aclosing(self._write_prompt(fitted, brief, search)) as pieces:
                    async for piece in pieces:
                        yield piece
            except PromptTooLong as error:
                refused, longest = error, fitted.prompt.tokens
            else:
                return

    async def rewrite(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[DraftSentence],
        refused: Mapping[int, str],
    ) -> tuple[dict[int, DraftSentence], int]:
        """Rewrite rejected sentences; see `Writer`. A slow model is not asked: it would take the time of the answer."""
        if self.fitter.is_slow:
            return {}, 0
        mark = self.fitter.mark(brief)
        request = rewrite_messages(draft, refused, mark)
        spare = estimate_prompt_tokens(request)
        schema = rewritten_schema(len(refused))
        max_tokens = max_reply_tokens(schema)
        prompt = self.fitter.fit(brief, passages, history, seconds=None, spare=spare).prompt
        messages = [*prompt.messages, *request]
        try:
            rewritten, usage = await self.model.structured(messages, schema, max_tokens=max_tokens)
        except CitewellError as error:
            return {}, estimate_failed_call(error, messages, max_tokens=max_tokens)
        replacements = {
            number: sentence
            for number, marked in parse_rewrite(rewritten, draft, refused).items()
            for sentence in resolve_sources([marked], prompt.passages, mark)
        }
        return replacements, usage.input_tokens + usage.output_tokens

    def _decline(self, fitted: FittedPrompt) -> DraftEnd:
        """Return the end of a draft that is not begun, and report why."""
        capacity = self.model.capacity
        if fitted.limit.by_speed:
            self.report(f"{self.model.name} reads {capacity.read_per_second or 0:.0f} tokens a second")
            return DraftEnd(is_complete=False, reason=MODEL_TOO_SLOW)
        self.report(f"{self.model.name} takes {capacity.window or fitted.limit.prompt} tokens: no passage fits")
        return DraftEnd(is_complete=False, reason=WINDOW_FULL)

    async def _write_prompt(
        self, fitted: FittedPrompt, brief: WritingBrief, search: SearchFunction | None
    ) -> AsyncGenerator[DraftSentence | AdditionalPassages | Usage | DraftEnd, None]:
        prompt, mark = fitted.prompt, self.fitter.mark(brief)
        self.fitter.keep(brief.conversation, prompt)
        yield AdditionalPassages(passages=prompt.passages)
        search_runner = (
            SearchToolRunner(search, brief, mark, tokens_per_search=fitted.spare // MAX_SEARCHES)
            if search and fitted.spare
            else None
        )
        draft = ModelDraft(
            self.model.name, brief, mark, list(prompt.passages), prompt.tokens, limit=fitted.limit.prompt
        )
        messages = list(prompt.messages)
        for _ in range(MAX_SEARCHES + 2 if search_runner else 1):
            tools = (SEARCH_TOOL,) if search_runner else ()
            async with aclosing(self._stream_reply(draft, messages, tools, fitted.limit.reply)) as pieces:
                async for piece in pieces:
                    yield piece
            if not (search_runner and draft.searches):
                break
            results, new_passages = await search_runner.run(draft.calls, draft.passages)
            messages += [ChatMessage(role="assistant", content=draft.text, calls=tuple(draft.calls)), *results]
            draft.passages += new_passages
            if new_passages:
                yield AdditionalPassages(passages=tuple(new_passages))
        self.fitter.confirm(fitted, draft.end.cached_tokens)
        yield draft.end_draft()

    async def _stream_reply(
        self, draft: ModelDraft, messages: Sequence[ChatMessage], tools: Sequence[Tool], max_tokens: int
    ) -> AsyncGenerator[DraftSentence | Usage, None]:
        """Yield the sentences of one reply, without those that name no source before it searches, and the usage at each
        piece; `draft` records its end."""
        parser = draft.start_reply()
        gives_up = self.needs_sources and self.fitter.is_slow
        uncited: list[DraftSentence] = []
        cited = not tools
        try:
            stream = self.model.stream(messages, max_tokens=max_tokens, tools=tools)
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    for sentence in draft.feed(piece, parser):
                        uncited.append(sentence)
                        cited = cited or bool(sentence.chunk_ids)
                        while cited and uncited:
                            yield uncited.pop(0)
                    yield draft.usage
                    if gives_up:
                        uncited += draft.give_up(parser)
                    if draft.full or draft.is_sourceless:
                        break
        except CitewellError as error:
            if not (draft.written or draft.earlier_input_tokens):
                raise
            draft.cut = str(error)
        if tools and draft.searches:
            draft.length -= sum(len(sentence.text) for sentence in uncited)
        else:
            for sentence in uncited:
                yield sentence
