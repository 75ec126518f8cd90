"""LangChain: `SQLChatMessageHistory`, trimmed by `trim_messages`, as its documentation on short-term memory does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, trim_messages
from langchain_core.messages.utils import count_tokens_approximately
from sqlalchemy import create_engine

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import SESSION, SYSTEM, TOKENS, make_wal_file


class LangChainDriver:
    """Every read loads the whole history: the class has no other."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._engine = create_engine(f"sqlite:///{make_wal_file(folder / 'chat.db')}")
        self._history = SQLChatMessageHistory(session_id=SESSION, connection=self._engine)

    def save(self, messages: Sequence[PeerMessage]) -> None:
        self._history.add_messages(to_langchain(messages))

    def last(self, count: int) -> list[str]:
        return [str(message.content) for message in self._history.messages[-count:]]

    def newest_fitting(self, tokens: int) -> list[str]:
        return [str(message.content) for message in trim(self._history.messages, tokens)]

    def prompt(self, question: str) -> list[BaseMessage]:
        return trim([SystemMessage(SYSTEM), *self._history.messages, HumanMessage(question)], TOKENS)

    def close(self) -> None:
        self._engine.dispose()


def to_langchain(messages: Sequence[PeerMessage]) -> list[BaseMessage]:
    """Return messages as LangChain's."""
    kinds = {"user": HumanMessage, "assistant": AIMessage}
    return [kinds[message.role](message.text, id=message.id) for message in messages]


def trim(messages: Sequence[Any], tokens: int) -> list[BaseMessage]:
    """Trim messages as the documentation does, with its own estimate of tokens, which is faster than to count them."""
    return trim_messages(
        messages,
        strategy="last",
        token_counter=count_tokens_approximately,
        max_tokens=tokens,
        start_on="human",
        include_system=True,
    )
