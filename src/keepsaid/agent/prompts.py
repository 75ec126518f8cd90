"""The prompts of a turn: those of the conversation, with tokens reserved for tools and a rule on citing documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keepsaid.agent.options import AgentTurnOptions
from keepsaid.engine.prompt.budget import MIN_BUDGET, resolve_budget
from keepsaid.errors import InvalidInput
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.services.prompts.request_builder import default_limits
from keepsaid.types.prompts import Context

NAME_DOCUMENTS = "If you use a document from the memory block, name it in square brackets, as it is named there."


class TurnPromptBuilder:
    """Build the prompts of one turn. Values that do not change during the turn are read once."""

    def __init__(self, memory: Memory, chat: Chat, options: AgentTurnOptions) -> None:
        self._chat = chat
        self._options = options
        self._services = chat._services  # pyright: ignore[reportPrivateUsage]  # only it has the effective settings
        self._limits = options.apply_to_limits(default_limits(self._services.settings))
        self._system = self._with_documents(memory)

    @property
    def recall_scope(self) -> str:
        """Where memories may come from: "owner", "session" or "off"."""
        recall = self._options.recall
        return "off" if not self._limits.recalled else self._services.settings.context_recall if recall is None else recall

    def build(self, tools: Sequence[Mapping[str, Any]]) -> Context:
        """Return the prompt for the next step. Tools count toward the budget because the model reads them too."""
        budget = self._options.budget
        whole = resolve_budget(self._services.settings.context_budget if budget is None else budget)
        taken = self._services.counter.count(json.dumps(list(tools))) if tools else 0
        if taken > whole // 2:
            raise InvalidInput(
                f"the tools alone take {taken:,} of {whole:,} tokens: use fewer or shorter tools, or a larger budget"
            )
        return self._chat.context(
            budget=max(MIN_BUDGET, whole - taken),
            system=self._system,
            recall=self._options.recall,
            limits=self._limits,
        )

    def _with_documents(self, memory: Memory) -> str | None:
        """Return the system prompt, with a rule on citing documents if there are any. It does not depend on search results,
        because the start of a prompt should stay the same from turn to turn."""
        chat, system = self._chat, self._options.system
        own = self._services.settings.retriever is not None
        if not own and not memory.documents(owner=chat.owner, session=chat.id):
            return system
        if system is None:
            system = chat.info().system_prompt or ""
        return "\n\n".join(part for part in (system, NAME_DOCUMENTS) if part)
