"""Our prompt as the history that an agent of Pydantic AI is given: what was said last, and what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from anyio.to_thread import run_sync
from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext

from recollect.adapters.pydantic_ai_messages import messages_of
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Draft, Part, ToolCall


class RecollectHistory(AbstractCapability[Any]):
    """Gives the model our prompt for what is asked, within a budget, in place of the whole history.

    The conversation is the run's own, unless a `session` is named. The turn itself is left as it is, and so is the run's
    history: what is saved of a run is what was said in it, and nothing of what was remembered for it.
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
        self._given: list[ModelMessage] | None = None

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # a store cannot be named in a file

    async def for_run(self, ctx: RunContext[Any]) -> RecollectHistory:
        return copy(self)

    async def before_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        turn = _turn(request_context.messages, ctx.run_id)
        question = _question(turn)
        if not question:
            return request_context  # tools that were waited for have answered: that is part of the turn before
        if self._given is None:
            context = await run_sync(self._context, self._session or ctx.conversation_id, question)
            self._given = [*_system(turn, context), *_history(context, question)]
        return replace(request_context, messages=[*self._given, *map(_without_system, turn)])

    def _context(self, session: str | None, question: str) -> Context:
        try:
            if session is not None:
                chat = self._memory.chat(owner=self._owner, session=session, pool=self._pool)
                return chat.context(question, pools=self._pools, **self._wanted)
        except NotFound:
            pass
        # It is made when it is saved. Until then something can be remembered for it, but nothing kept.
        chat = self._memory.chat(owner=self._owner, temporary=True)
        pools = self._pools if self._pool is None else (*self._pools, self._pool)
        try:
            return chat.context(question, pools=pools, **self._wanted)
        finally:
            chat.erase()


def _turn(messages: Sequence[ModelMessage], run: str | None) -> Sequence[ModelMessage]:
    """What is said in this run; at its beginning, that is the last request."""
    begin = next((at for at, message in enumerate(messages) if run is not None and message.run_id == run), -1)
    return messages[begin:]


def _question(turn: Sequence[ModelMessage]) -> str:
    prompts = [part.content for message in turn for part in message.parts if isinstance(part, UserPromptPart)]
    words = [[content] if isinstance(content, str) else content for content in prompts]
    return "\n".join(word for content in words for word in content if isinstance(word, str))


def _system(turn: Sequence[ModelMessage], context: Context) -> list[ModelMessage]:
    """The system prompts of a turn, which are given first of all, unless the prompt has them: in the middle of a history
    they would be read as the user's words."""
    own = [part for message in turn for part in message.parts if isinstance(part, SystemPromptPart)]
    given = "".join(message["content"] for message in context.messages if message["role"] == "system")
    new = [part for part in own if part.content not in given]
    return [ModelRequest(parts=new)] if new else []


def _without_system(message: ModelMessage) -> ModelMessage:
    if isinstance(message, ModelRequest) and any(isinstance(part, SystemPromptPart) for part in message.parts):
        return replace(message, parts=[part for part in message.parts if not isinstance(part, SystemPromptPart)])
    return message


def _history(context: Context, question: str) -> list[ModelMessage]:
    """A prompt up to the question. What is remembered stands before that, in a message of its own."""
    *before, last = context.messages
    memories = str(last["content"]).removesuffix(question).rstrip()
    return messages_of([*map(_draft, before), *([Draft("user", memories)] if memories else [])])


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
