"""Puts our chat message history in place of LangChain's own, which keeps a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core import chat_history as theirs
from langchain_core.messages import BaseMessage

import keepsaid
from keepsaid.adapters.langchain import KeepsaidChatMessageHistory


class History(KeepsaidChatMessageHistory):
    """Each in a store of its own, as each of theirs is a list of its own; and as theirs, equal if the messages are."""

    __doc__ = theirs.InMemoryChatMessageHistory.__doc__

    def __init__(self, messages: Sequence[BaseMessage] = ()) -> None:
        super().__init__(keepsaid.open("memory://", embedder="off"), owner="u1", session="s1")
        self.add_messages(messages)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, History) and self.messages == other.messages

    __hash__ = None  # type: ignore[assignment]


theirs.InMemoryChatMessageHistory = History  # type: ignore[misc,assignment]
