"""A Microsoft Agent Framework agent with its history, and context from other conversations, in Keepsaid. The model is
scripted, so no network is needed.

pip install 'keepsaid[agent-framework]'
python examples/agent_framework_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

import keepsaid
from keepsaid.adapters.agent_framework import KeepsaidContextProvider, KeepsaidHistoryProvider


class Script(BaseChatClient[Any]):
    """Answers with the number of messages in the prompt, and whether they mention Lisbon."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def answer() -> ChatResponse[Any]:
            heard = " ".join(message.text for message in messages)
            return ChatResponse(
                messages=[Message("assistant", [f"I see {len(messages)} message(s); Lisbon: {'Lisbon' in heard}"])]
            )

        return answer()


async def main() -> None:
    with keepsaid.open("memory://") as memory:
        agent = Agent(
            Script(),
            context_providers=[
                KeepsaidHistoryProvider(memory, owner="ana"),
                KeepsaidContextProvider(memory, owner="ana"),
            ],
        )
        for id, question in (
            ("monday", "My sister moved to Lisbon in May."),
            ("monday", "Good morning!"),
            ("friday", "Where does my sister live?"),
        ):
            answer = await agent.run(question, session=agent.create_session(session_id=id))
            print(f"{id}: {answer.text}")
        print([f"{m.role}: {m.text}" for m in memory.chat(owner="ana", session="monday").messages()][:2])


if __name__ == "__main__":
    asyncio.run(main())
