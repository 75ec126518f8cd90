"""Sources of an answer: everything that was found for its prompt, and what tools returned in its turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from keepsaid.agent.answer import Cited
from keepsaid.engine.tool_notes.source import find_source
from keepsaid.types import Message, ToolCall, to_datetime
from keepsaid.types.prompts import Context, PromptItem

_KINDS = {"chunk": "document", "snippet": "document", "message": "message", "fact": "fact", "tool": "tool"}


def list_sources(context: Context) -> tuple[Cited, ...]:
    """Return everything in a prompt except the newest messages of the conversation itself. Of the profile, which is in every
    prompt, only lines that were also found for the question are included.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> _ = memory.ingest("guide.md", content="# Install\\n\\nRun setup.exe.", owner="u1")
    >>> context = memory.chat(owner="u1").context("How do I install it?")
    >>> [(cited.kind, cited.title, cited.place) for cited in list_sources(context)]
    [('document', 'guide.md', '§ Install')]
    """
    return tuple(_to_source(item) for item in context.items if _is_source(item))


def _is_source(item: PromptItem) -> bool:
    return item.section != "recent" and (item.section != "profile" or item.score is not None)


def _to_source(item: PromptItem) -> Cited:
    return Cited(
        _KINDS.get(item.kind, item.kind),
        item.id,
        item.title,
        item.text,
        item.place,
        item.score,
        item.reason,
        None if item.at is None else to_datetime(item.at),
        item.session,
    )


def source_from_tool(call: ToolCall, result: Message) -> Cited:
    """Return the result of a tool in this turn as a source."""
    where = find_source(call.name, call.arguments, result.text)
    why = f"a result of {call.name} in this turn"
    return Cited("tool", result.id, where, result.text, reason=why, at=result.created_at, session=result.session)


def mark_named_sources(found: Iterable[Cited], text: str) -> tuple[Cited, ...]:
    """Return the sources, with `mark_named_sources` set on the documents that a text names.

    >>> [cited.named for cited in mark_named_sources([Cited("document", "d1", "guide.md", "Run setup.")], "See [guide.md].")]
    [True]
    """
    lower_text = text.casefold()
    return tuple(
        replace(one, named=True) if one.kind == "document" and one.title and one.title.casefold() in lower_text else one
        for one in found
    )
