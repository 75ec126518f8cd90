"""A Pydantic AI agent with its conversations in Keepsaid, which remembers earlier ones. The model is scripted, so no network
is needed.

pip install 'keepsaid[pydantic-ai]'
python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent, Conversation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import keepsaid
from keepsaid.adapters.pydantic_ai import KeepsaidConversationStore, KeepsaidHistory


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answer from the prompt, in place of a real model."""
    words = " ".join(str(part.content) for message in messages for part in message.parts if part.part_kind == "user-prompt")
    return ModelResponse(parts=[TextPart("In Lisbon." if "Lisbon" in words else "You have not told me.")])


async def main() -> None:
    with keepsaid.open("memory://") as memory:
        store = KeepsaidConversationStore(memory, owner="ana")
        agent = Agent(FunctionModel(model), capabilities=[KeepsaidHistory(memory, owner="ana", budget=2_000)])

        async def ask(conversation_id: str, question: str) -> None:
            conversation = await store.load(conversation_id) or Conversation(conversation_id=conversation_id)
            result = await agent.run(question, conversation=conversation)
            await store.save(result)
            print(f"[{conversation_id}] {question} {result.output}")

        await ask("monday", "Where does my sister live?")
        await ask("monday", "My sister moved to Lisbon in May.")
        await ask("friday", "Where does my sister live?")
        for record in await store.list_conversations():
            chat = memory.chat(owner="ana", session=record.conversation_id)
            print(f"{record.conversation_id}: {len(chat.messages())} messages, {record.usage.requests} requests")


if __name__ == "__main__":
    asyncio.run(main())
