"""Keepsaid's prompt as the history of a Pydantic AI agent: recent messages and retrieved memories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from anyio.to_thread import run_sync
from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext

from keepsaid.adapters.pydantic_ai.messages import is_stored, messages_of, redact_message
from keepsaid.engine.prompt.block_texts import TITLES
from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import ContentPart, MessageDraft, ToolCall
from keepsaid.types.prompts import Context

TAIL_LENGTH = 100
"""Number of last messages that are searched for those of a run; others may have continued the conversation."""


class KeepsaidHistory(AbstractCapability[Any]):
    """Give the model Keepsaid's prompt for the question, within a budget, in place of the whole history.

    The conversation is the run's own, unless a `session` is given. Unsaved messages of the given history and those of the
    turn are passed on unchanged, except for what `redact_sent` removes. The run's own history is not changed, so retrieved
    memories are not saved with it.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        budget: int | str | None = None,
        strategy: str | None = None,
        recall: str | None = None,
        pools: Sequence[str] = (),
    ) -> None:
        memory.blobs(owner=owner, pool=pool)  # raises now if the owner is invalid
        self._memory = memory
        self._owner = owner
        self._session = session
        self._pool = pool
        self._pools = tuple(pools)
        self._wanted: dict[str, Any] = {"budget": budget, "strategy": strategy, "recall": recall}
        self._kinds = memory._services.settings.redact_sent  # pyright: ignore[reportPrivateUsage]  # as for prompts
        self._given: list[ModelMessage] | None = None

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # a store cannot be serialized

    async def for_run(self, ctx: RunContext[Any]) -> KeepsaidHistory:
        return copy(self)

    async def before_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        messages = list(request_context.messages)
        begin = _run_start(messages, ctx.run_id)
        question = _question(messages[begin:])
        if not question:  # only results of deferred tools: they belong to the previous turn
            return replace(request_context, messages=self._redact(messages)) if self._kinds else request_context
        if self._given is None:
            session = self._session or ctx.conversation_id
            self._given = await run_sync(self._history, session, messages, begin, question)
        messages = [*self._given, *_without_system(messages[begin:])]
        return replace(request_context, messages=self._redact(messages))

    def _history(self, session: str | None, messages: list[ModelMessage], begin: int, question: str) -> list[ModelMessage]:
        """Return the messages before a turn: the conversation from the prompt, unsaved messages, and retrieved memories."""
        chat = self._chat(session)
        turn = _include_calls(messages, begin)
        saved = 0 if chat is None else _count_saved(chat, messages[:turn])
        new = _include_calls(messages, min(saved, turn))
        context = self._context(chat, question)
        return [
            *_system(messages[new:], context),
            *messages_of(map(_draft, _before_question(context))),
            *_without_system(messages[new:turn]),
            *messages_of(MessageDraft("user", words) for words in _found_text(context)),
            *_without_system(messages[turn:begin]),
        ]

    def _chat(self, session: str | None) -> Chat | None:
        try:
            return self._memory.chat(owner=self._owner, session=session, pool=self._pool) if session is not None else None
        except NotFound:
            return None  # saving creates it

    def _context(self, chat: Chat | None, question: str) -> Context:
        if chat is not None:
            return chat.context(question, pools=self._pools, **self._wanted)
        # A temporary chat can retrieve memories, but saves nothing.
        chat = self._memory.chat(owner=self._owner, temporary=True)
        pools = self._pools if self._pool is None else (*self._pools, self._pool)
        try:
            return chat.context(question, pools=pools, **self._wanted)
        finally:
            chat.erase()

    def _redact(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        return [redact_message(message, self._kinds) for message in messages] if self._kinds else messages


def _run_start(messages: Sequence[ModelMessage], run: str | None) -> int:
    """Return the index of the first message of a run, or of the last request if the run has none yet."""
    mine = (at for at, message in enumerate(messages) if run is not None and message.run_id == run)
    return next(mine, len(messages) - 1)


def _count_saved(chat: Chat, history: Sequence[ModelMessage]) -> int:
    """Return how many messages of a history are saved: all up to the last one that is stored."""
    stored = chat.messages(last=TAIL_LENGTH) if history else []
    return next((at for at in range(len(history), 0, -1) if is_stored(history[at - 1], stored)), 0)


def _include_calls(messages: Sequence[ModelMessage], begin: int) -> int:
    """Return the latest index from which every tool result has its call; the prompt has no half of such a pair."""
    while missing := _results_without_calls(messages[begin:]):
        calls = (at for at in range(begin - 1, -1, -1) if missing & _called(messages[at]))
        earlier = next(calls, None)
        if earlier is None:
            break
        begin = earlier
    return begin


def _results_without_calls(messages: Iterable[ModelMessage]) -> set[str]:
    """Return the ids of tool results that have no call before them."""
    called, missing = set[str](), set[str]()
    for message in messages:
        results = {part.tool_call_id for part in message.parts if isinstance(part, ToolReturnPart)}
        missing |= results - called
        called |= _called(message)
    return missing


def _called(message: ModelMessage) -> set[str]:
    return {part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)}


def _question(turn: Sequence[ModelMessage]) -> str:
    prompts = [part.content for message in turn for part in message.parts if isinstance(part, UserPromptPart)]
    words = [[content] if isinstance(content, str) else content for content in prompts]
    return "\n".join(word for content in words for word in content if isinstance(word, str))


def _system(messages: Iterable[ModelMessage], context: Context) -> list[ModelMessage]:
    """Return the system prompts of messages that the prompt does not have. They go first, because in the middle of a history
    they would be read as user text."""
    own = [part for message in messages for part in message.parts if isinstance(part, SystemPromptPart)]
    given = "".join(message["content"] for message in context.messages if message["role"] == "system")
    new = [part for part in own if part.content not in given]
    return [ModelRequest(parts=new)] if new else []


def _without_system(messages: Iterable[ModelMessage]) -> list[ModelMessage]:
    left = [(message, [part for part in message.parts if not isinstance(part, SystemPromptPart)]) for message in messages]
    return [
        replace(message, parts=parts) if isinstance(message, ModelRequest) and len(parts) < len(message.parts) else message
        for message, parts in left
        if parts or not message.parts
    ]


def _asked(context: Context) -> int:
    return max(at for at, message in enumerate(context.messages) if message["role"] == "user")


def _found_text(context: Context) -> list[str]:
    """Return what was found for the question; the prompt has it before the question, in the same message."""
    if not any(section in context.sections for section in TITLES):
        return []
    content: Any = context.messages[_asked(context)]["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    return [text.removesuffix(context.question).rstrip()]


def _before_question(context: Context) -> list[dict[str, Any]]:
    """Return the prompt up to the question, which the turn has. If the question is already followed by tool messages, they
    are included."""
    question_index = _asked(context)
    before, after = context.messages[:question_index], context.messages[question_index + 1 :]
    return [*before, {"role": "user", "content": context.question}, *after] if after else before


def _draft(message: dict[str, Any]) -> MessageDraft:
    """Return a prompt message in chat-completions format as a draft."""
    calls = [call["function"] | {"id": call["id"]} for call in message.get("tool_calls", ())]
    return MessageDraft(
        message["role"],
        _content(message["content"]),
        tool_calls=tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in calls),
        tool_call_id=message.get("tool_call_id"),
        name=message.get("name"),
    )


def _content(content: str | list[dict[str, Any]] | None) -> str | tuple[ContentPart, ...]:
    if isinstance(content, list):
        return tuple(
            ContentPart("image", uri=part["image_url"]["url"])
            if part["type"] == "image_url"
            else ContentPart("text", part["text"])
            for part in content
        )
    return content or ""
