"""How other libraries fit a conversation into a budget, with the same tokenizer. `make peers` installs them in `.peers`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from benchmarks.prompts.context_prefix import Encode, Trim, encoder_for
from benchmarks.prompts.window import prompt_tokens
from keepsaid.engine.prompt.chat_format import ChatMessageDict, TokenCountFunction
from keepsaid.errors import MissingExtra
from keepsaid.llm.tokens import DEFAULT_ENCODING, counter_for


def peer_trims() -> dict[str, Trim]:
    """Return the trim function of every library by name."""
    count, encode = counter_for(DEFAULT_ENCODING).count, encoder_for(DEFAULT_ENCODING)
    try:
        return {
            "LangChain trim_messages": langchain(count),
            "LlamaIndex ChatMemoryBuffer": llama_index(encode),
        }
    except ImportError as error:
        raise MissingExtra(f"{error.name} is not installed: `make peers` installs it; use .peers/bin/python") from None


def langchain(count: TokenCountFunction) -> Trim:
    """LangChain's `trim_messages`, as its documentation uses it for a chat history."""
    theirs: Any = import_module("langchain_core.messages")
    types = {"system": theirs.SystemMessage, "assistant": theirs.AIMessage}

    def trim(messages: Sequence[ChatMessageDict], budget: int) -> list[ChatMessageDict]:
        def tokens(some: Sequence[Any]) -> int:
            return prompt_tokens([messages[int(one.id)] for one in some], count)

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

    def trim(messages: Sequence[ChatMessageDict], budget: int) -> list[ChatMessageDict]:
        history = [
            message_type(message["content"], role=message["role"], additional_kwargs={"at": at})
            for at, message in enumerate(messages)
        ]
        buffer = buffers.from_defaults(chat_history=history, token_limit=budget, tokenizer_fn=encode)
        return [messages[one.additional_kwargs["at"]] for one in buffer.get()]

    return trim
