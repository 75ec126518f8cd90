"""A Strands agent with its conversation, state and long-term memory in Keepsaid. The model is scripted, so no network is
needed.

pip install 'keepsaid[strands]'
python examples/strands_agent.py
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from strands import Agent
from strands.memory import MemoryManager
from strands.models import Model

import keepsaid
from keepsaid.adapters.strands import KeepsaidMemoryStore, KeepsaidSessionManager


class Script(Model):
    """Answers with the number of messages in the prompt, and whether they mention Lisbon."""

    def update_config(self, **model_config: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        answer = f"I see {len(messages)} message(s); Lisbon: {'Lisbon' in str(messages)}"
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": answer}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


with keepsaid.open("memory://") as memory:
    questions = ("My sister moved to Lisbon in May.", "Good morning!", "Where does my sister live?")
    for session, question in zip(("monday", "monday", "friday"), questions, strict=True):
        agent = Agent(
            model=Script(),
            session_manager=KeepsaidSessionManager(memory, owner="ana", session=session),
            memory_manager=MemoryManager(stores=[KeepsaidMemoryStore(memory, owner="ana")]),
            callback_handler=None,
        )
        print(f"{session}: {str(agent(question)).strip()}")
    print([f"{message.role}: {message.text}" for message in memory.chat(owner="ana", session="monday").messages()][:2])
