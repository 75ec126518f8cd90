"""Our prompt as the history that an agent of Pydantic AI is given: what was said last, and what is remembered."""

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

from recollect.adapters.pydantic_ai_messages import censored, is_among, messages_of
from recollect.chat import Chat
from recollect.engine.compile.layout import TITLES
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Draft, Part, ToolCall

LOOKED_AT = 100
"""Messages at the end of a conversation among which those of a run are looked for: others may have gone on with it."""


class RecollectHistory(AbstractCapability[Any]):
    """Gives the model our prompt for what is asked, within a budget, in place of the whole history.

    The conversation is the run's own, unless a `session` is named. What of the given history is not saved yet is told as it
    is, and so is the turn, but for what `redact_sent` removes. The run's own history is left alone: what is saved of it is
    what was said in it, and nothing of what was remembered for it.
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
        memory.drawer(owner=owner, pool=pool)  # says at once if there is something wrong with the owner
        self._memory = memory
        self._owner = owner
        self._session = session
        self._pool = pool
        self._pools = tuple(pools)
        self._wanted: dict[str, Any] = {"budget": budget, "strategy": strategy, "recall": recall}
        self._kinds = memory._settings.redact_sent  # pyright: ignore[reportPrivateUsage]  # as for prompts
        self._given: list[ModelMessage] | None = None

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # a store cannot be named in a file

    async def for_run(self, ctx: RunContext[Any]) -> RecollectHistory:
        return copy(self)

    async def before_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        messages = list(request_context.messages)
        begin = _begin(messages, ctx.run_id)
        question = _question(messages[begin:])
        if not question:  # tools that were waited for have answered: that is part of the turn before
            return replace(request_context, messages=self._censored(messages)) if self._kinds else request_context
        if self._given is None:
            session = self._session or ctx.conversation_id
            self._given = await run_sync(self._history, session, messages, begin, question)
        messages = [*self._given, *_without_system(messages[begin:])]
        return replace(request_context, messages=self._censored(messages))

    def _history(self, session: str | None, messages: list[ModelMessage], begin: int, question: str) -> list[ModelMessage]:
        """What is told before a turn: the conversation by our prompt, what is not saved of it, and what is remembered."""
        chat = self._chat(session)
        turn = _with_calls(messages, begin)
        saved = 0 if chat is None else _saved(chat, messages[:turn])
        new = _with_calls(messages, min(saved, turn))
        context = self._context(chat, question)
        return [
            *_system(messages[new:], context),
            *messages_of(map(_draft, _before(context))),
            *_without_system(messages[new:turn]),
            *messages_of(Draft("user", words) for words in _remembered(context)),
            *_without_system(messages[turn:begin]),
        ]

    def _chat(self, session: str | None) -> Chat | None:
        try:
            return self._memory.chat(owner=self._owner, session=session, pool=self._pool) if session is not None else None
        except NotFound:
            return None  # it is made when it is saved

    def _context(self, chat: Chat | None, question: str) -> Context:
        if chat is not None:
            return chat.context(question, pools=self._pools, **self._wanted)
        # Something can be remembered for it, but nothing kept.
        chat = self._memory.chat(owner=self._owner, temporary=True)
        pools = self._pools if self._pool is None else (*self._pools, self._pool)
        try:
            return chat.context(question, pools=pools, **self._wanted)
        finally:
            chat.erase()

    def _censored(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        return [censored(message, self._kinds) for message in messages] if self._kinds else messages


def _begin(messages: Sequence[ModelMessage], run: str | None) -> int:
    """Where a run begins; before it has said anything, that is the last request."""
    mine = (at for at, message in enumerate(messages) if run is not None and message.run_id == run)
    return next(mine, len(messages) - 1)


def _saved(chat: Chat, history: Sequence[ModelMessage]) -> int:
    """How much of a history the conversation has: all up to the last message of it that is stored."""
    stored = chat.messages(last=LOOKED_AT) if history else []
    return next((at for at in range(len(history), 0, -1) if is_among(history[at - 1], stored)), 0)


def _with_calls(messages: Sequence[ModelMessage], begin: int) -> int:
    """A place from which on no tool's result is told without its call; our prompt has neither, as long as they are apart."""
    while missing := _uncalled(messages[begin:]):
        calls = (at for at in range(begin - 1, -1, -1) if missing & _called(messages[at]))
        earlier = next(calls, None)
        if earlier is None:
            break
        begin = earlier
    return begin


def _uncalled(messages: Iterable[ModelMessage]) -> set[str]:
    """The calls of which there are results, but which were not made before them."""
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
    """The system prompts of messages, which are given first of all, unless the prompt has them: in the middle of a history
    they would be read as the user's words."""
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


def _remembered(context: Context) -> list[str]:
    """What was found for the question: it stands before it, in the same message."""
    if not any(section in context.sections for section in TITLES):
        return []
    content: Any = context.messages[_asked(context)]["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    return [text.removesuffix(context.question).rstrip()]


def _before(context: Context) -> list[dict[str, Any]]:
    """A prompt up to the question, which the turn has. If it was asked before, and tools have answered, that is told."""
    asked = _asked(context)
    before, after = context.messages[:asked], context.messages[asked + 1 :]
    return [*before, {"role": "user", "content": context.question}, *after] if after else before


def _draft(message: dict[str, Any]) -> Draft:
    """A message of a prompt, as chat-completions APIs take it."""
    calls = [call["function"] | {"id": call["id"]} for call in message.get("tool_calls", ())]
    return Draft(
        message["role"],
        _content(message["content"]),
        tool_calls=tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in calls),
        tool_call_id=message.get("tool_call_id"),
        name=message.get("name"),
    )


def _content(content: str | list[dict[str, Any]] | None) -> str | tuple[Part, ...]:
    if isinstance(content, list):
        return tuple(
            Part("image", uri=part["image_url"]["url"]) if part["type"] == "image_url" else Part("text", part["text"])
            for part in content
        )
    return content or ""
