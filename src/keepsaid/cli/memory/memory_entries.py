"""Memories as text: date, source, score, text, and why each was used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from keepsaid.cli.memory.search import excerpt_around_terms
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import to_printable, truncate_to_width

if TYPE_CHECKING:
    from rich.text import Text

    from keepsaid.agent.answer import Answer, Cited
    from keepsaid.types import SearchHit
    from keepsaid.types.prompts import PromptItem

MIN_COLUMNS = 40
ERASED_TEXT = "(gone since)"


class MemoryEntry(NamedTuple):
    """A memory in the form that is printed, whatever it was found with."""

    text: str
    source: str
    """The conversation's title, the document's name and place, or another origin."""
    at: datetime | None = None
    score: float | None = None
    reason: str = ""


def from_hit(hit: SearchHit) -> MemoryEntry:
    """Convert a search hit."""
    source = hit.title or f"conversation {hit.session[:10]}"
    return MemoryEntry(hit.passage or hit.message.text, f"{source} ({hit.message.role})", hit.at, hit.score, hit.reason)


def from_cited(cited: Cited, here: str | None = None) -> MemoryEntry:
    """Convert a source of an answer; `here` is the conversation of the answer.

    >>> from keepsaid.agent.answer import Cited
    >>> from_cited(Cited("document", "d1", "guide.md", "Run setup.exe.", place="§ Install")).source
    'document guide.md § Install'
    """
    words = [cited.kind if cited.kind != "message" else "", cited.title, cited.place]
    if cited.kind == "message" and here is not None and cited.session == here:
        words = ["this conversation"]
    elif cited.kind == "message" and not cited.title:
        words = ["an earlier conversation"]
    return MemoryEntry(cited.text, " ".join(word for word in words if word), cited.at, cited.score, cited.reason)


def has_quotes(answer: Answer) -> bool:
    """Whether an answer without a model quotes anything: what was found need not be about the question.

    >>> from keepsaid.agent.answer import Answer
    >>> has_quotes(Answer("s1", "I remember nothing about that."))
    False
    """
    saved = answer.message.metadata.get("sources") if answer.message else None
    return bool(saved) or any(one.named for one in answer.sources)


def from_receipt(entry: Mapping[str, Any], words: str) -> MemoryEntry:
    """Convert an entry of a receipt; `words` is the text it refers to.

    >>> entry = {"section": "facts", "kind": "fact", "tokens": 7, "why": "pinned"}
    >>> from_receipt(entry, "Likes tea"), from_receipt(entry, "").text
    (MemoryEntry(text='Likes tea', source='facts: fact, 7 tokens', at=None, score=None, reason='pinned'), '(gone since)')
    """
    where = [entry.get("section", ""), f"{entry['kind']}, {format_count(entry['tokens'], 'token')}"]
    return MemoryEntry(words or ERASED_TEXT, ": ".join(filter(None, where)), None, entry.get("score"), entry["why"])


def from_item(item: PromptItem, titles: dict[str, str]) -> MemoryEntry:
    """Convert a prompt item; `titles` has conversation titles by id."""
    from keepsaid.types import to_datetime

    at = None if item.at is None else to_datetime(item.at)
    title = titles.get(item.session or "", "")
    return MemoryEntry(item.text, f"{item.section}: {title}" if title else item.section, at, item.score, item.reason)


def memory_lines(
    memories: Iterable[MemoryEntry], *, width: int = 80, numbered: bool = False, wanted: Collection[str] = ()
) -> list[Text]:
    """Return up to three lines for each memory, cut to the width; with `wanted`, long texts are cut around these words.

    >>> from datetime import UTC
    >>> one = MemoryEntry("My sister moved to Lisbon.", "Family", datetime(2026, 5, 3, tzinfo=UTC), 0.9, "matches 'sister'")
    >>> for line in memory_lines([one], numbered=True):
    ...     print(line.plain)
     1. 2026-05-03  Family  0.90
        My sister moved to Lisbon.
        matches 'sister'
    """
    from rich.text import Text

    width = max(MIN_COLUMNS, width)
    indent = "    " if numbered else "  "
    room = width - len(indent)
    lines: list[Text] = []
    for number, one in enumerate(memories, 1):
        head = Text(f"{number:2}. " if numbered else indent, "dim")
        if one.at is not None:
            head.append(f"{one.at.astimezone():%Y-%m-%d}  ", "cyan")
        head.append(truncate_to_width(to_printable(one.source), room - 20), "bold")
        if one.score is not None:
            head.append(f"  {one.score:.2f}", "dim")
        lines += [head, Text(indent + excerpt_around_terms(to_printable(one.text), room, wanted))]
        if one.reason:
            lines.append(Text(indent + truncate_to_width(to_printable(one.reason), room), "dim"))
    return lines
