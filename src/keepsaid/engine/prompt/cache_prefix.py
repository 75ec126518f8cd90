"""Measure how many tokens at the start of a prompt equal the previous prompt, so that a provider's cache can reuse them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence

from keepsaid.engine.prompt.chat_format import ChatMessageDict, TokenCountFunction, count_chat_message_tokens

KEPT = 512
"""Conversations whose last prompt is remembered. Only a hash and the token count of each message are kept."""


class PromptPrefixTracker:
    """Remembers the last prompt of each conversation, message by message.

    >>> prefixes, count = PromptPrefixTracker(), lambda text: len(text.split())
    >>> prompt = [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Hello"}]
    >>> [prefixes.count_repeated_tokens("s1", some, count, "words") for some in (prompt, prompt[:1])]
    [0, 6]
    """

    def __init__(self) -> None:
        self._last: OrderedDict[Hashable, list[tuple[int, int | None]]] = OrderedDict()

    def count_repeated_tokens(
        self, conversation: Hashable, messages: Sequence[ChatMessageDict], count: TokenCountFunction, tokenizer: str
    ) -> int:
        """Return the tokens of the leading messages that equal those of the conversation's last prompt. With another
        tokenizer nothing is equal, since it belongs to another model."""
        before = self._last.pop(conversation, [])
        now: list[tuple[int, int | None]] = [(hash((tokenizer, repr(message))), None) for message in messages]
        total = 0
        for place, ((known, tokens), (new, _)) in enumerate(zip(before, now, strict=False)):
            if known != new:
                break
            # Counted when it first repeats: messages that appear only once are never counted here.
            counted = count_chat_message_tokens(messages[place], count) if tokens is None else tokens
            now[place] = new, counted
            total += counted
        self._last[conversation] = now
        if len(self._last) > KEPT:
            self._last.popitem(last=False)
        return total
