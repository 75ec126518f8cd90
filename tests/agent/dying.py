"""An agent whose process is killed: it says on the pipe what was saved, and waits to die where it is told to.

A line is the role and the id of a saved message, in the order they were saved, or "here" at the place to die.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keepsaid
from keepsaid.agent.agent import Agent
from keepsaid.agent.answer import TextDelta, ToolFinished, TurnStarted
from keepsaid.ports import LLMCompletion, StreamPiece
from keepsaid.testing import ScriptedLLM
from keepsaid.types import ToolCall

CALLS = (ToolCall("c1", "pay", '{"amount": 1}'), ToolCall("c2", "pay", '{"amount": 2}'))
QUESTION = "Pay one, then two."


def wait_to_die() -> None:
    print("here", flush=True)
    time.sleep(60)


class Talker(ScriptedLLM):
    """Says the script, and waits in the middle of what is no call."""

    def stream(self, messages: Any, **options: Any) -> Iterator[StreamPiece]:
        for piece in super().stream(messages, **options):
            yield piece
            if piece.text == " and":
                wait_to_die()


def main(place: Path, where: str) -> None:
    def pay(amount: int) -> str:
        if where == f"pay {amount}":
            wait_to_die()
        return f"paid {amount}"

    with keepsaid.open(place) as memory:
        chat = memory.chat(owner="u1", session="s1", create=True)
        llm = Talker([LLMCompletion("On it.", CALLS, "tool_calls"), "Paid one and two."])
        for event in Agent(memory, llm, owner="u1", session="s1", tools=[pay]).stream(QUESTION):
            if isinstance(event, (TurnStarted, ToolFinished)) or (isinstance(event, TextDelta) and event.text == "Paid"):
                print(*(f"{message.role.value} {message.id}" for message in chat.messages()), sep="\n", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
