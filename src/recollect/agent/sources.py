"""What an answer could rest on: everything that was found for its prompt, and what tools returned in its turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.agent.answer import Cited
from recollect.engine.toolnote.source import source
from recollect.prompt import Context, Item
from recollect.types import Message, ToolCall, moment

_KINDS = {"chunk": "document", "snippet": "document", "message": "message", "fact": "fact", "tool": "tool"}


def sources(context: Context) -> tuple[Cited, ...]:
    """What a prompt has besides the newest messages of the conversation itself. Of the profile, which every prompt has, only
    what was found for the question, too.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> _ = memory.ingest("guide.md", content="# Install\\n\\nRun setup.exe.", owner="u1")
    >>> context = memory.chat(owner="u1").context("How do I install it?")
    >>> [(cited.kind, cited.title, cited.place) for cited in sources(context)]
    [('document', 'guide.md', '§ Install')]
    """
    return tuple(_cited(item) for item in context.items if _is_source(item))


def _is_source(item: Item) -> bool:
    return item.section != "recent" and (item.section != "profile" or item.score is not None)


def _cited(item: Item) -> Cited:
    return Cited(
        _KINDS.get(item.kind, item.kind),
        item.id,
        item.title,
        item.text,
        item.place,
        item.score,
        item.reason,
        None if item.at is None else moment(item.at),
        item.session,
    )


def from_tool(call: ToolCall, result: Message) -> Cited:
    """What a tool returned in this turn."""
    where = source(call.name, call.arguments, result.text)
    why = f"a result of {call.name} in this turn"
    return Cited("tool", result.id, where, result.text, reason=why, at=result.created_at, session=result.session)


def named(found: Iterable[Cited], text: str) -> tuple[Cited, ...]:
    """The same, with those marked that a text names.

    >>> [cited.named for cited in named([Cited("document", "d1", "guide.md", "Run setup.")], "See [guide.md].")]
    [True]
    """
    said = text.casefold()
    return tuple(
        replace(one, named=True) if one.kind == "document" and one.title and one.title.casefold() in said else one
        for one in found
    )
