"""A middleware that gives a LangChain agent a memory.

Before every model call, new messages in the agent's state are saved, and the model gets a prompt for the turn that fits the
budget, in place of the whole history. The state itself is not changed, so checkpointers work as before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from keepsaid.adapters.common import missing_extra, run_to_completion

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage, BaseMessage
    from langgraph.runtime import Runtime
except ImportError:
    raise missing_extra("LangChain", "langchain") from None

from keepsaid.adapters.langchain.prompt import build_prompt, extend_system_message
from keepsaid.adapters.langchain.state_sync import sync_state
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat

NameOrResolver = str | Callable[[Runtime[Any]], str]
"""A name, or a function that returns the name for a run, since one agent may serve many users."""


class KeepsaidMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Save an agent's conversation, and add memories to its prompts.

    `owner` and `session` are names, or functions that take a run's `Runtime` and return them. `budget`, `model`, `recall`
    and `pools` are those of `Chat.context`. The descriptions of the agent's tools do not count toward the budget.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        owner: NameOrResolver,
        session: NameOrResolver,
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
        self._context_options: dict[str, Any] = {"budget": budget, "model": model, "recall": recall, "pools": tuple(pools)}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with the prompt from memory."""
        return handler(self._with_memory(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Async `wrap_model_call`."""
        return await handler(await asyncio.to_thread(self._with_memory, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Save the result of the run."""
        self._sync(state["messages"], runtime)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Async `after_agent`."""
        await run_to_completion(self._sync, state["messages"], runtime)

    def _with_memory(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        chat = self._sync(request.state["messages"], request.runtime)
        prompt = build_prompt(chat, system=request.system_prompt, **self._context_options)
        messages = cast("list[AnyMessage]", prompt.messages)
        return request.override(system_message=extend_system_message(request.system_message, prompt), messages=messages)

    def _sync(self, said: Sequence[BaseMessage], runtime: Runtime[Any]) -> Chat:
        """Return the conversation, synchronized with the state."""
        owner, session = _resolve_name(self._owner, runtime), _resolve_name(self._session, runtime)
        chat = self._memory.chat(owner=owner, session=session, pool=self._pool, create=True)
        sync_state(chat, said)
        return chat


def _resolve_name(name: NameOrResolver, runtime: Runtime[Any]) -> str:
    return name if isinstance(name, str) else name(runtime)
