"""Hits as text for a prompt that somebody else puts together."""

from __future__ import annotations

from collections.abc import Callable

from recollect.engine.compile.layout import RECALLED, Entry, memory_block, message_line
from recollect.prompt import Relevant
from recollect.types import Hit, Hits


def relevant(hits: Hits, limit: int, count: Callable[[str], int], sent: Callable[[str], str] = str) -> Relevant:
    """As many of the best hits as fit, in order of time; each whole, or if that is too long by its passage. `sent` makes of
    what was said what may be told of it."""
    taken: list[tuple[Hit, Entry]] = []
    dropped: list[Hit] = []
    text = ""
    for hit in hits:
        newer = hit.newer.created if hit.newer else None
        for passage in (None, hit.passage):
            entry = Entry(RECALLED, hit.message.created, sent(message_line(hit.message, passage, newer=newer)))
            longer = memory_block([*(entry for _, entry in taken), entry])
            if count(longer) <= limit:
                taken.append((hit, entry))
                text = longer
                break
        else:
            dropped.append(hit)
    return Relevant(text, count(text), tuple(hit for hit, _ in taken), tuple(dropped), hits.fallbacks)
