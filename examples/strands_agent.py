"""A Strands agent whose conversation, state and long-term memory are in Recollect. No network: the model is a script.

pip install 'recollect[strands]'
python examples/strands_agent.py
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from strands import Agent
from strands.memory import MemoryManager
from strands.models import Model

import recollect
from recollect.adapters.strands import RecollectMemoryStore, RecollectSessionManager


class Script(Model):
    """Says how much it was told, and whether that was of Lisbon."""

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


with recollect.open("memory://") as memory:
    questions = ("My sister moved to Lisbon in May.", "Good morning!", "Where does my sister live?")
    for session, question in zip(("monday", "monday", "friday"), questions, strict=True):
        agent = Agent(
            model=Script(),
            session_manager=RecollectSessionManager(memory, owner="ana", session=session),
            memory_manager=MemoryManager(stores=[RecollectMemoryStore(memory, owner="ana")]),
            callback_handler=None,
        )
        print(f"{session}: {str(agent(question)).strip()}")
    print([f"{message.role}: {message.text}" for message in memory.chat(owner="ana", session="monday").messages()][:2])
