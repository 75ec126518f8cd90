"""How other libraries fit a conversation into a budget, with the same tokenizer. They are not installed with ours:
`make peers` does it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from recollect.bench.context_prefix import Encode, Trim, encoder
from recollect.bench.window import tokens_of
from recollect.engine.compile.chat_format import ChatMessage, Count
from recollect.errors import MissingExtra
from recollect.tokens import DEFAULT, counter_for


def peers() -> dict[str, Trim]:
    """Every peer by name."""
    count, encode = counter_for(DEFAULT).count, encoder(DEFAULT)
    try:
        return {
            "LangChain trim_messages": langchain(count),
            "LlamaIndex ChatMemoryBuffer": llama_index(encode),
        }
    except ImportError as error:
        raise MissingExtra(f"{error.name} is not installed: `make peers` installs what is compared with") from None


def langchain(count: Count) -> Trim:
    """LangChain's `trim_messages`, as its documentation uses it for a chat history."""
    theirs: Any = import_module("langchain_core.messages")
    types = {"system": theirs.SystemMessage, "assistant": theirs.AIMessage}

    def trim(messages: Sequence[ChatMessage], budget: int) -> list[ChatMessage]:
        def tokens(some: Sequence[Any]) -> int:
            return tokens_of([messages[int(one.id)] for one in some], count)

        history = [
            types.get(message["role"], theirs.HumanMessage)(message["content"], id=str(at))
            for at, message in enumerate(messages)
        ]
        kept = theirs.trim_messages(
            history,
            max_tokens=budget,
            token_counter=tokens,
            strategy="last",
            start_on="human",
            include_system=True,
        )
        return [messages[int(one.id)] for one in kept]

    return trim


def llama_index(encode: Encode) -> Trim:
    """LlamaIndex's `ChatMemoryBuffer`. It counts texts only, not what a chat format adds to each message."""
    message_type: Any = import_module("llama_index.core.llms").ChatMessage
    buffers: Any = import_module("llama_index.core.memory").ChatMemoryBuffer

    def trim(messages: Sequence[ChatMessage], budget: int) -> list[ChatMessage]:
        history = [
            message_type(message["content"], role=message["role"], additional_kwargs={"at": at})
            for at, message in enumerate(messages)
        ]
        buffer = buffers.from_defaults(chat_history=history, token_limit=budget, tokenizer_fn=encode)
        return [messages[one.additional_kwargs["at"]] for one in buffer.get()]

    return trim
