"""A middleware that gives a LangChain agent a memory.

Before every call of the model, what is new in the agent's state is saved, and the model gets the best prompt for the turn
that fits the budget, in place of all that was ever said. The state itself is left alone: a checkpointer keeps what it kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from recollect.adapters.common import missing, settled

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage, BaseMessage
    from langgraph.runtime import Runtime
except ImportError:
    raise missing("LangChain", "langchain") from None

from recollect.adapters.langchain_course import follow
from recollect.adapters.langchain_prompt import prompt_for, with_prompt
from recollect.chat import Chat
from recollect.memory import Memory

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
        await settled(self._saved, state["messages"], runtime)

    def _reminded(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        chat = self._saved(request.state["messages"], request.runtime)
        prompt = prompt_for(chat, system=request.system_prompt, **self._how)
        messages = cast("list[AnyMessage]", prompt.messages)
        return request.override(system_message=with_prompt(request.system_message, prompt), messages=messages)

    def _saved(self, said: Sequence[BaseMessage], runtime: Runtime[Any]) -> Chat:
        """The conversation, which is as the state has it."""
        owner, session = _named(self._owner, runtime), _named(self._session, runtime)
        chat = self._memory.chat(owner=owner, session=session, pool=self._pool, create=True)
        follow(chat, said)
        return chat


def _named(whose: Whose, runtime: Runtime[Any]) -> str:
    return whose if isinstance(whose, str) else whose(runtime)
