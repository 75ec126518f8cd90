"""What everybody else does: a sliding window over the newest messages that fit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from recollect.engine.compile.chat_format import ANSWER_BEGINS, ChatMessage, Count, as_chat, cost
from recollect.engine.intake import ROLES
from recollect.types import Message


class SlidingWindow:
    """The newest messages of a conversation that fit a budget together with the question.

    >>> window = SlidingWindow(lambda text: len(text.split()))
    >>> for text in ("one two", "three"):
    ...     window.add({"role": "user", "content": text})
    >>> [len(window.prompt({"role": "user", "content": "What?"}, budget)) for budget in (12, 13, 19)]
    [1, 2, 3]
    """

    def __init__(self, count: Count) -> None:
        self._count = count
        self._messages: list[ChatMessage] = []
        self._before = [0]
        """The tokens of all messages before each one, and of all together."""

    def add(self, message: ChatMessage) -> None:
        """Goes on with the conversation."""
        self._messages.append(message)
        self._before.append(self._before[-1] + cost(message, self._count))

    def beginning(self, question: ChatMessage, budget: int) -> int:
        """The place of the oldest message that is in."""
        room = budget - ANSWER_BEGINS - cost(question, self._count)
        return bisect_left(self._before, self._before[-1] - room) if room >= 0 else len(self._messages)

    def prompt(self, question: ChatMessage, budget: int) -> list[ChatMessage]:
        """The window and the question behind it."""
        return [*self._messages[self.beginning(question, budget) :], question]


def asked(question: str) -> ChatMessage:
    """A question as a provider takes it.

    >>> asked("What?")
    {'role': 'user', 'content': 'What?'}
    """
    return {"role": "user", "content": question}


def tokens_of(prompt: Sequence[ChatMessage], count: Count) -> int:
    """What a prompt costs.

    >>> tokens_of([{"role": "user", "content": "What?"}], lambda text: len(text.split()))
    8
    """
    return ANSWER_BEGINS + sum(cost(message, count) for message in prompt)


def as_said(role: str, content: str, name: str | None) -> ChatMessage:
    """A message of a data set as it stands in a prompt."""
    return as_chat(Message("", "", 0, 0, ROLES[role], content, 0, 0, 0.0, False, {}, name=name))
