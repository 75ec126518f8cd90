"""The common baseline: a sliding window over the newest messages that fit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from keepsaid.engine.messages.intake import ROLES
from keepsaid.engine.prompt.chat_format import (
    ANSWER_START_TOKENS,
    ChatMessageDict,
    TokenCountFunction,
    count_chat_message_tokens,
    to_chat_message,
)
from keepsaid.types import Message


class SlidingWindow:
    """The newest messages of a conversation that fit a budget together with the question.

    >>> window = SlidingWindow(lambda text: len(text.split()))
    >>> for text in ("one two", "three"):
    ...     window.add({"role": "user", "content": text})
    >>> [len(window.prompt({"role": "user", "content": "What?"}, budget)) for budget in (12, 13, 19)]
    [1, 2, 3]
    """

    def __init__(self, count: TokenCountFunction) -> None:
        self._count = count
        self._messages: list[ChatMessageDict] = []
        self._before = [0]
        """Cumulative tokens of the messages."""

    def add(self, message: ChatMessageDict) -> None:
        """Add the next message."""
        self._messages.append(message)
        self._before.append(self._before[-1] + count_chat_message_tokens(message, self._count))

    def beginning(self, question: ChatMessageDict, budget: int) -> int:
        """Return the index of the oldest message that fits."""
        room = budget - ANSWER_START_TOKENS - count_chat_message_tokens(question, self._count)
        return bisect_left(self._before, self._before[-1] - room) if room >= 0 else len(self._messages)

    def prompt(self, question: ChatMessageDict, budget: int) -> list[ChatMessageDict]:
        """Return the window and the question after it."""
        return [*self._messages[self.beginning(question, budget) :], question]


def question_message(question: str) -> ChatMessageDict:
    """Return a question as a chat message.

    >>> question_message("What?")
    {'role': 'user', 'content': 'What?'}
    """
    return {"role": "user", "content": question}


def prompt_tokens(prompt: Sequence[ChatMessageDict], count: TokenCountFunction) -> int:
    """Return the tokens of a prompt.

    >>> prompt_tokens([{"role": "user", "content": "What?"}], lambda text: len(text.split()))
    8
    """
    return ANSWER_START_TOKENS + sum(count_chat_message_tokens(message, count) for message in prompt)


def chat_message(role: str, content: str, name: str | None) -> ChatMessageDict:
    """Return a message of a data set as it appears in a prompt."""
    return to_chat_message(Message("", "", 0, 0, ROLES[role], content, 0, 0, 0.0, False, {}, name=name))
