"""LlamaIndex's Memory on Keepsaid: a short-term memory that archives, and a block that searches all conversations.

pip install 'keepsaid[llama-index]'
"""

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus

import keepsaid
from keepsaid.adapters.llama_index import KeepsaidAsyncChatStore, KeepsaidChatStore, KeepsaidMemoryBlock

with keepsaid.open("memory://", embedder="off") as memory:
    memory.chat(owner="ana", title="Family").add("user", "My sister moved to Lisbon in May.")

    chat_memory = Memory.from_defaults(
        session_id="trip",
        token_limit=400,
        token_flush_size=80,
        chat_history_token_ratio=0.3,
        chat_store=KeepsaidAsyncChatStore(memory, owner="ana"),
        memory_blocks=[KeepsaidMemoryBlock(memory, owner="ana", max_tokens=150)],
    )
    for day in range(8):
        chat_memory.put(ChatMessage(f"On day {day} I want to see a museum, and have dinner at eight."))
        chat_memory.put(ChatMessage(f"Day {day} is planned.", role="assistant"))
    chat_memory.put(ChatMessage("Whom could I visit in Lisbon? My sister?"))

    print("the model gets:")
    for message in chat_memory.get():
        print(f"  {message.role.value}: {message.content}".replace("\n", "\n    "))
    print("archived:", len(chat_memory.get_all(status=MessageStatus.ARCHIVED)), "messages")
    print("the whole conversation:", len(memory.chat(owner="ana", session="trip").messages()), "messages")

    buffer = ChatMemoryBuffer.from_defaults(chat_store=KeepsaidChatStore(memory, owner="ana"), chat_store_key="trip")
    print("the same through a buffer:", len(buffer.get_all()), "messages")
