"""An agent of Pydantic AI whose conversations are in Recollect, and which remembers earlier ones. No network: the model is a
script.

pip install 'recollect[pydantic-ai]'
python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent, Conversation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import recollect
from recollect.adapters.pydantic_ai import RecollectConversationStore, RecollectHistory


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Says what it was given; a real model would make use of it."""
    words = " ".join(str(part.content) for message in messages for part in message.parts if part.part_kind == "user-prompt")
    return ModelResponse(parts=[TextPart("In Lisbon." if "Lisbon" in words else "You have not told me.")])


async def main() -> None:
    with recollect.open("memory://") as memory:
        store = RecollectConversationStore(memory, owner="ana")
        agent = Agent(FunctionModel(model), capabilities=[RecollectHistory(memory, owner="ana", budget=2_000)])

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
