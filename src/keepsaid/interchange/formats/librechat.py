"""LibreChat's export: one conversation per file, its messages nested in their parents or in a flat list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from keepsaid.interchange.assemble import ConversationHeader, assemble_conversation, content_of, convert_each, with_role
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.parts import call_of, files_of, parts_of
from keepsaid.interchange.records import ByteProgress, read_conversations
from keepsaid.interchange.source import ImportFile
from keepsaid.interchange.tool_call_turns import TurnBuilder, take_block
from keepsaid.interchange.tree import RawMessage, chain_messages
from keepsaid.interchange.values import (
    JsonObject,
    as_list,
    as_object,
    datetime_of,
    details,
    digest,
    first_value,
    name_of,
    text_of,
)
from keepsaid.types import MessageDraft, Role

NO_LIST = "conversations without a list of messages"
ROOT = "00000000-0000-0000-0000-000000000000"
"""The parent id of messages without a parent."""


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a file, with all their branches."""
    return read_conversations(piece, tally, on_read, convert, ["messages", "messagesTree"])


def convert(key: str | None, value: Any, tally: ImportTally) -> Conversation | None:
    """Convert one conversation of the export. The export time is ignored, because it has no date.

    >>> message = {"messageId": "m1", "isCreatedByUser": True, "text": "Hi", "children": []}
    >>> made = convert(None, {"conversationId": "c1", "messages": [message]}, ImportTally())
    >>> [(node.draft.role, node.draft.content) for node in made.nodes]
    [('user', 'Hi')]
    """
    fields = as_object(value)
    messages = as_list(fields.get("messages")) or as_list(fields.get("messagesTree"))
    if not messages:
        tally.skip(NO_LIST)
        return None
    beginning = as_object(messages[0])
    id = name_of(first_value(fields, "conversationId", "id") or beginning.get("conversationId"), tally)
    id = id or f"librechat-{digest(beginning.get('messageId'), beginning.get('text'), beginning.get('createdAt'))}"
    flat = _flatten(messages, id, tally)
    raws = convert_each(flat, lambda _, item: _raw(*item, tally), id, tally)
    if not any("parentMessageId" in message or "children" in message for message, _, _ in flat):
        raws = chain_messages(raws)
    options = as_object(fields.get("options"))
    head = ConversationHeader(
        id,
        "librechat",
        fields.get("title"),
        datetime_of(fields.get("createdAt")),
        datetime_of(fields.get("updatedAt")),
        archived=fields.get("isArchived") is True,
        tags=as_list(fields.get("tags")),
        system_prompt=text_of(first_value(options, "promptPrefix", "system", "instructions"), tally),
        metadata=details(tally, model=options.get("model"), endpoint=fields.get("endpoint")),
    )
    return assemble_conversation(head, raws, tally)


def _flatten(messages: list[Any], id: str, tally: ImportTally) -> list[tuple[JsonObject, str, str | None]]:
    """Every message with its id and its parent's. Not recursive: the nesting is as deep as the conversation is long."""
    flat: list[tuple[JsonObject, str, str | None]] = []
    waiting: list[tuple[Any, str | None]] = [(message, None) for message in reversed(messages)]
    while waiting:
        message, above = waiting.pop()
        fields = as_object(message)
        own = name_of(first_value(fields, "messageId", "_id"), tally) or f"{id}:{len(flat)}"
        parent = above or name_of(fields.get("parentMessageId"), tally)
        flat.append((fields, own, None if parent == ROOT else parent))
        waiting += [(child, own) for child in reversed(as_list(fields.get("children")))]
    return flat


def _raw(message: JsonObject, id: str, parent: str | None, tally: ImportTally) -> RawMessage:
    created_at = datetime_of(message.get("createdAt")) or datetime_of(message.get("updatedAt"))
    kept = details(
        tally,
        model=message.get("model"),
        sender=message.get("sender"),
        error=message.get("error"),
        unfinished=message.get("unfinished"),
    )
    turns = TurnBuilder(
        id, with_role(_role(message), MessageDraft("user", metadata=kept or None, created_at=created_at), tally)
    )
    for block in as_list(message.get("content")):
        _take_content_block(turns, block, tally)
    drafts = turns.build_drafts()
    if not drafts:
        for part in parts_of(first_value(message, "text", "content"), tally):
            turns.say(part)
    for file in files_of([*as_list(message.get("files")), *as_list(message.get("attachments"))], tally):
        turns.say(file)
    return RawMessage(id, parent, tuple(turns.build_drafts() or [replace(turns.blank, content="")]))


def _role(message: JsonObject) -> str:
    if isinstance(message.get("isCreatedByUser"), bool):
        return Role.USER.value if message["isCreatedByUser"] else Role.ASSISTANT.value
    sender = first_value(message, "role", "sender")
    return Role.USER.value if isinstance(sender, str) and sender.lower() == "user" else Role.ASSISTANT.value


def _take_content_block(turns: TurnBuilder, block: Any, tally: ImportTally) -> None:
    fields = as_object(block)
    if fields.get("type") != "tool_call":
        take_block(turns, block, tally)
        return
    inner = as_object(fields.get("tool_call")) or fields
    call = call_of(inner, turns.next_call, tally)
    turns.call(call)
    output = content_of(parts_of(inner.get("output"), tally))
    if call is not None and output:
        turns.result(call.id, None, output, {})
