"""Messages around a question, read only if the question cannot be understood by itself."""

from __future__ import annotations

from pipeline.auto_answers import looks_like_question
from pipeline.plan.question import extract_question
from pipeline.plan.references import has_reference
from pipeline.plan.smalltalk import SmallTalk, detect_small_talk, greeting_language
from pipeline.ports import PlatformAdapter, SupportsHistory
from pipeline.values import AnswerRequest, IncomingMessage, MessageTrigger, ThreadContext, replace
from pipeline.words.language import choose_words


async def add_thread_context(
    request: AnswerRequest, message: IncomingMessage, adapter: PlatformAdapter
) -> AnswerRequest:
    """Return `request`, made of `message`, with the messages around it if it refers to them, and its thread if that is
    to be summarized.

    Raises Unavailable when the thread cannot be read now.
    """
    if message.pointed:
        return replace(request, around=ThreadContext(replied_to=message.pointed))
    if not isinstance(adapter, SupportsHistory):
        return request
    alone = message.manner in (MessageTrigger.DIRECT, MessageTrigger.COMMAND, MessageTrigger.AWAITED)
    if not (alone or request.is_unprompted) and detect_small_talk(extract_question(request.text)) is SmallTalk.SUMMARY:
        translator = choose_words(request.language, (greeting_language(request.text),), message.locale)
        return replace(request, thread=await adapter.load_thread(message, translator))
    alone = alone or (request.is_unprompted and not looks_like_question(request.text))
    if alone or not has_reference(request.text):
        return request
    return replace(request, around=await adapter.load_context(message))
