"""A middleware that gives a LangChain agent a memory.

Before every call of the model, what is new in the agent's state is saved, and the model gets the best prompt for the turn
that fits the budget, in place of all that was ever said. The state itself is left alone: a checkpointer keeps what it kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from recollect.adapters.common import missing

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage
    from langgraph.runtime import Runtime
except ImportError:
    raise missing("LangChain", "langchain") from None

from recollect.adapters.langchain_messages import to_draft
from recollect.adapters.langchain_prompt import prompt_for, with_prompt
from recollect.chat import Chat
from recollect.errors import Erased, MessageConflict, NotFound
from recollect.memory import Memory
from recollect.types import Draft

Whose = str | Callable[[Runtime[Any]], str]
"""A name, or what tells it of a run: one agent may serve many users."""


class RecollectMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Remembers what is said to an agent, and reminds it.

    `owner` and `session` are names, or functions that take a run's `Runtime` and tell them. `budget`, `model`, `recall` and
    `pools` are those of `Chat.context`. The descriptions of the agent's tools are not part of the budget.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        owner: Whose,
        session: Whose,
        pool: str | None = None,
        budget: int | str | None = None,
        model: str | None = None,
        recall: str | None = None,
        pools: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.tools = []
        self._memory = memory
        self._owner = owner
        self._session = session
        self._pool = pool
        self._how: dict[str, Any] = {"budget": budget, "model": model, "recall": recall, "pools": tuple(pools)}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Calls the model with what it should know."""
        return handler(self._reminded(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Async `wrap_model_call`."""
        return await handler(await asyncio.to_thread(self._reminded, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Saves what came of the run."""
        self._saved(state["messages"], runtime)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Async `after_agent`."""
        await asyncio.to_thread(self._saved, state["messages"], runtime)

    def _reminded(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        said = request.state["messages"]
        chat = self._saved(said, request.runtime)
        if not any(isinstance(message, HumanMessage) for message in said):
            return request  # nobody asked anything, so there is nothing to be reminded of
        prompt = prompt_for(chat, system=request.system_prompt, **self._how)
        messages = cast("list[AnyMessage]", prompt.messages)
        return request.override(system_message=with_prompt(request.system_message, prompt), messages=messages)

    def _saved(self, said: Sequence[BaseMessage], runtime: Runtime[Any]) -> Chat:
        """The conversation, in which all that was said is saved."""
        owner, session = _named(self._owner, runtime), _named(self._session, runtime)
        chat = self._memory.chat(owner=owner, session=session, pool=self._pool, create=True)
        new = _new(chat, said)
        try:
            chat.add_many(new)
        except (Erased, MessageConflict):
            _add_each(chat, new)
        return chat


def _named(whose: Whose, runtime: Runtime[Any]) -> str:
    return whose if isinstance(whose, str) else whose(runtime)


def _new(chat: Chat, said: Sequence[BaseMessage]) -> list[Draft]:
    """What was said since the last message that is saved already. Nearly all of a state is, so it is read from its end."""
    drafts: list[Draft] = []
    if not chat.info().head:
        return [_draft(chat, message) for message in said]
    for message in reversed(said):
        draft = _draft(chat, message)
        if draft.id is not None and _has(chat, draft.id):
            break
        drafts.append(draft)
    return drafts[::-1]


def _draft(chat: Chat, message: BaseMessage) -> Draft:
    """A message, with an id by which it is known again: a call of the model may be repeated, and so may a whole run."""
    draft = to_draft(message)
    if message.id is None:
        return draft
    return replace(draft, id=sha256(f"{chat.id}\n{message.id}".encode()).hexdigest()[:32])


def _has(chat: Chat, id: str) -> bool:
    try:
        return bool(chat.message(id))
    except NotFound:
        return False


def _add_each(chat: Chat, drafts: Sequence[Draft]) -> None:
    """Adds what can be added. What was erased stays so, and what was changed in the state stays as it was saved."""
    for draft in drafts:
        try:
            chat.add_many([draft])
        except (Erased, MessageConflict):
            continue
