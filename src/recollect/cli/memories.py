"""Memories as a person reads them: when, where from, how good a match, what it says, and why it was taken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.cli.search import shortened
from recollect.cli.text import fitted, printable
from recollect.cli.words import count

if TYPE_CHECKING:
    from rich.text import Text

    from recollect.agent.answer import Answer, Cited
    from recollect.prompt import Item
    from recollect.types import Hit

NARROWEST = 40
GONE = "(gone since)"


class Memory(NamedTuple):
    """Something remembered, from whatever it was found with."""

    text: str
    source: str
    """The conversation's title, the document's name and place, or what else it comes from."""
    at: datetime | None = None
    score: float | None = None
    reason: str = ""


def from_hit(hit: Hit) -> Memory:
    """What a search found."""
    source = hit.title or f"conversation {hit.session[:10]}"
    return Memory(hit.passage or hit.message.text, f"{source} ({hit.message.role})", hit.at, hit.score, hit.reason)


def from_cited(cited: Cited, here: str | None = None) -> Memory:
    """What an answer could rest on; `here` is the conversation that it was given in.

    >>> from recollect.agent.answer import Cited
    >>> from_cited(Cited("document", "d1", "guide.md", "Run setup.exe.", place="§ Install")).source
    'document guide.md § Install'
    """
    words = [cited.kind if cited.kind != "message" else "", cited.title, cited.place]
    if cited.kind == "message" and here is not None and cited.session == here:
        words = ["this conversation"]
    elif cited.kind == "message" and not cited.title:
        words = ["an earlier conversation"]
    return Memory(cited.text, " ".join(word for word in words if word), cited.at, cited.score, cited.reason)


def has_quotes(answer: Answer) -> bool:
    """Whether an answer that no model gave quotes anything: what was found for it need not be about the question.

    >>> from recollect.agent.answer import Answer
    >>> has_quotes(Answer("s1", "I remember nothing about that."))
    False
    """
    saved = answer.message.metadata.get("sources") if answer.message else None
    return bool(saved) or any(one.named for one in answer.sources)


def from_receipt(entry: Mapping[str, Any], words: str) -> Memory:
    """What a receipt has a reference to, and what that says.

    >>> entry = {"section": "facts", "kind": "fact", "tokens": 7, "why": "pinned"}
    >>> from_receipt(entry, "Likes tea"), from_receipt(entry, "").text
    (Memory(text='Likes tea', source='facts: fact, 7 tokens', at=None, score=None, reason='pinned'), '(gone since)')
    """
    where = [entry.get("section", ""), f"{entry['kind']}, {count(entry['tokens'], 'token')}"]
    return Memory(words or GONE, ": ".join(filter(None, where)), None, entry.get("score"), entry["why"])


def from_item(item: Item, titles: dict[str, str]) -> Memory:
    """What was considered for a prompt; `titles` of conversations by id."""
    from recollect.types import moment

    at = None if item.at is None else moment(item.at)
    title = titles.get(item.session or "", "")
    return Memory(item.text, f"{item.section}: {title}" if title else item.section, at, item.score, item.reason)


def memory_lines(
    memories: Iterable[Memory], *, width: int = 80, numbered: bool = False, wanted: Collection[str] = ()
) -> list[Text]:
    """Up to three lines for each memory, cut to the width; with `wanted`, long ones are cut around these words.

    >>> from datetime import UTC
    >>> told = Memory("My sister moved to Lisbon.", "Family", datetime(2026, 5, 3, tzinfo=UTC), 0.9, "matches 'sister'")
    >>> for line in memory_lines([told], numbered=True):
    ...     print(line.plain)
     1. 2026-05-03  Family  0.90
        My sister moved to Lisbon.
        matches 'sister'
    """
    from rich.text import Text

    width = max(NARROWEST, width)
    indent = "    " if numbered else "  "
    room = width - len(indent)
    lines: list[Text] = []
    for number, one in enumerate(memories, 1):
        head = Text(f"{number:2}. " if numbered else indent, "dim")
        if one.at is not None:
            head.append(f"{one.at.astimezone():%Y-%m-%d}  ", "cyan")
        head.append(fitted(printable(one.source), room - 20), "bold")
        if one.score is not None:
            head.append(f"  {one.score:.2f}", "dim")
        lines += [head, Text(indent + shortened(printable(one.text), room, wanted))]
        if one.reason:
            lines.append(Text(indent + fitted(printable(one.reason), room), "dim"))
    return lines
