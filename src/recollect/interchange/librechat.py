"""LibreChat's export: one conversation in a file, its messages nested in their parents or in a flat list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from recollect.interchange.assemble import Head, assemble, content_of, each, spoken
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.parts import call_of, files_of, parts_of
from recollect.interchange.records import Told, conversations
from recollect.interchange.source import Piece
from recollect.interchange.tree import Raw, chained
from recollect.interchange.turns import Turns, take_block
from recollect.interchange.values import Record, details, digest, first, listed, moment_of, name_of, record, text_of
from recollect.types import Draft, Role

NO_LIST = "conversations without a list of messages"
ROOT = "00000000-0000-0000-0000-000000000000"
"""What stands for "follows nothing"."""


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a file, with all their branches."""
    return conversations(piece, tally, told, convert, ["messages", "messagesTree"])


def convert(key: str | None, value: Any, tally: Tally) -> Conversation | None:
    """One conversation of the export. When it was exported is told without a date, so that it says nothing here.

    >>> message = {"messageId": "m1", "isCreatedByUser": True, "text": "Hi", "children": []}
    >>> made = convert(None, {"conversationId": "c1", "messages": [message]}, Tally())
    >>> [(node.draft.role, node.draft.content) for node in made.nodes]
    [('user', 'Hi')]
    """
    fields = record(value)
    messages = listed(fields.get("messages")) or listed(fields.get("messagesTree"))
    if not messages:
        tally.skip(NO_LIST)
        return None
    beginning = record(messages[0])
    id = name_of(first(fields, "conversationId", "id") or beginning.get("conversationId"), tally)
    id = id or f"librechat-{digest(beginning.get('messageId'), beginning.get('text'), beginning.get('createdAt'))}"
    flat = _flattened(messages, id, tally)
    raws = each(flat, lambda _, item: _raw(*item, tally), id, tally)
    if not any("parentMessageId" in message or "children" in message for message, _, _ in flat):
        raws = chained(raws)
    options = record(fields.get("options"))
    head = Head(
        id,
        "librechat",
        fields.get("title"),
        moment_of(fields.get("createdAt")),
        moment_of(fields.get("updatedAt")),
        archived=fields.get("isArchived") is True,
        tags=listed(fields.get("tags")),
        system_prompt=text_of(first(options, "promptPrefix", "system", "instructions"), tally),
        metadata=details(tally, model=options.get("model"), endpoint=fields.get("endpoint")),
    )
    return assemble(head, raws, tally)


def _flattened(messages: list[Any], id: str, tally: Tally) -> list[tuple[Record, str, str | None]]:
    """Every message with its id and its parent's. A long conversation is nested as deeply as it is long."""
    flat: list[tuple[Record, str, str | None]] = []
    waiting: list[tuple[Any, str | None]] = [(message, None) for message in reversed(messages)]
    while waiting:
        message, above = waiting.pop()
        fields = record(message)
        own = name_of(first(fields, "messageId", "_id"), tally) or f"{id}:{len(flat)}"
        parent = above or name_of(fields.get("parentMessageId"), tally)
        flat.append((fields, own, None if parent == ROOT else parent))
        waiting += [(child, own) for child in reversed(listed(fields.get("children")))]
    return flat


def _raw(message: Record, id: str, parent: str | None, tally: Tally) -> Raw:
    said = moment_of(message.get("createdAt")) or moment_of(message.get("updatedAt"))
    kept = details(
        tally,
        model=message.get("model"),
        sender=message.get("sender"),
        error=message.get("error"),
        unfinished=message.get("unfinished"),
    )
    turns = Turns(id, spoken(_role(message), Draft("user", metadata=kept or None, created_at=said), tally))
    for block in listed(message.get("content")):
        _take(turns, block, tally)
    drafts = turns.finished()
    if not drafts:
        for part in parts_of(first(message, "text", "content"), tally):
            turns.say(part)
    for file in files_of([*listed(message.get("files")), *listed(message.get("attachments"))], tally):
        turns.say(file)
    return Raw(id, parent, tuple(turns.finished() or [replace(turns.blank, content="")]))


def _role(message: Record) -> str:
    if isinstance(message.get("isCreatedByUser"), bool):
        return Role.USER.value if message["isCreatedByUser"] else Role.ASSISTANT.value
    sender = first(message, "role", "sender")
    return Role.USER.value if isinstance(sender, str) and sender.lower() == "user" else Role.ASSISTANT.value


def _take(turns: Turns, block: Any, tally: Tally) -> None:
    fields = record(block)
    if fields.get("type") != "tool_call":
        take_block(turns, block, tally)
        return
    inner = record(fields.get("tool_call")) or fields
    call = call_of(inner, turns.next_call, tally)
    turns.call(call)
    output = content_of(parts_of(inner.get("output"), tally))
    if call is not None and output:
        turns.result(call.id, None, output, {})
