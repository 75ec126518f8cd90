"""How much of a prompt is as in the one before it, from the beginning on: what a provider's cache need not read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence

from recollect.engine.compile.chat_format import ChatMessage, Count, cost

KEPT = 512
"""Conversations whose last prompt is known. Of a message only a hash and its tokens are kept."""


class Prefixes:
    """Knows the last prompt of each conversation, message by message.

    >>> prefixes, count = Prefixes(), lambda text: len(text.split())
    >>> prompt = [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Hello"}]
    >>> prefixes.repeated("s1", prompt, count, "words"), prefixes.repeated("s1", prompt[:1], count, "words")
    (0, 6)
    """

    def __init__(self) -> None:
        self._last: OrderedDict[Hashable, list[tuple[int, int | None]]] = OrderedDict()

    def repeated(self, conversation: Hashable, messages: Sequence[ChatMessage], count: Count, tokenizer: str) -> int:
        """The tokens of the messages at the beginning that are those of the conversation's last prompt. To another tokenizer
        nothing is the same: it is another model's."""
        before = self._last.pop(conversation, [])
        now: list[tuple[int, int | None]] = [(hash((tokenizer, repr(message))), None) for message in messages]
        total = 0
        for place, ((known, tokens), (new, _)) in enumerate(zip(before, now, strict=False)):
            if known != new:
                break
            # Counted when it repeats for the first time: what is new in each prompt is never counted here.
            counted = cost(messages[place], count) if tokens is None else tokens
            now[place] = new, counted
            total += counted
        self._last[conversation] = now
        if len(self._last) > KEPT:
            self._last.popitem(last=False)
        return total
