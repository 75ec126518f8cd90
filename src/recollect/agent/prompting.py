"""The prompts of a turn: the conversation's own, with room for the tools and a word on how to name documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.agent.options import Options
from recollect.chat import Chat
from recollect.engine.compile.budget import SMALLEST, budget_of
from recollect.errors import InvalidInput
from recollect.memory import Memory
from recollect.prompt import Context

NAME_DOCUMENTS = "If you use a document from the memory block, name it in square brackets, as it is named there."


class Prompting:
    """Makes the prompts of one turn. What does not change in it is looked up once."""

    def __init__(self, memory: Memory, chat: Chat, options: Options) -> None:
        self._chat = chat
        self._options = options
        self._prompter = chat._prompter  # pyright: ignore[reportPrivateUsage]  # the settings in force are known to it alone
        self._limits = options.limits(self._prompter.limits())
        self._system = self._with_documents(memory)

    @property
    def reach(self) -> str:
        """Where memories may come from: "owner", "session" or "off"."""
        recall = self._options.recall
        return "off" if not self._limits.recalled else self._prompter.settings.context_recall if recall is None else recall

    def prompt(self, tools: Sequence[Mapping[str, Any]]) -> Context:
        """The prompt for the next step, behind which the model answers. The tools are part of what it reads, so they are
        part of the budget."""
        budget = self._options.budget
        whole = budget_of(self._prompter.settings.context_budget if budget is None else budget)
        taken = self._prompter.kit.counter.count(json.dumps(list(tools))) if tools else 0
        if taken > whole // 2:
            raise InvalidInput(
                f"the tools alone take {taken:,} of {whole:,} tokens: give fewer or shorter ones, or a larger budget"
            )
        return self._chat.context(
            budget=max(SMALLEST, whole - taken),
            system=self._system,
            recall=self._options.recall,
            limits=self._limits,
        )

    def _with_documents(self, memory: Memory) -> str | None:
        """The system prompt; where there are documents, how to name them. It does not depend on what is found, since the
        head of a prompt is to stay the same from turn to turn."""
        chat, system = self._chat, self._options.system
        own = self._prompter.settings.retriever is not None
        if not own and not memory.documents(owner=chat.owner, session=chat.id):
            return system
        if system is None:
            system = chat.info().system_prompt or ""
        return "\n\n".join(part for part in (system, NAME_DOCUMENTS) if part)
