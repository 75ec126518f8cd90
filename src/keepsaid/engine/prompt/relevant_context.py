"""Format hits as text for a prompt that the application builds itself."""

from __future__ import annotations

from collections.abc import Callable

from keepsaid.engine.prompt.block_texts import RECALLED, MemoryBlockEntry, memory_block, message_line
from keepsaid.types import SearchHit, SearchHits
from keepsaid.types.prompts import RelevantContext


def build_relevant_context(
    hits: SearchHits, limit: int, count: Callable[[str], int], sent: Callable[[str], str] = str
) -> RelevantContext:
    """Return as many of the best hits as fit, in order of time; each whole, or only its passage if the whole is too long.
    `sent` is applied to each line, to remove what must not be sent."""
    taken: list[tuple[SearchHit, MemoryBlockEntry]] = []
    dropped: list[SearchHit] = []
    text = ""
    for hit in hits:
        newer = hit.newer.created if hit.newer else None
        for passage in (None, hit.passage):
            entry = MemoryBlockEntry(RECALLED, hit.message.created, sent(message_line(hit.message, passage, newer=newer)))
            longer = memory_block([*(entry for _, entry in taken), entry])
            if count(longer) <= limit:
                taken.append((hit, entry))
                text = longer
                break
        else:
            dropped.append(hit)
    return RelevantContext(text, count(text), tuple(hit for hit, _ in taken), tuple(dropped), hits.fallbacks)
