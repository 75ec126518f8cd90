"""Claude's export: a list of messages for each conversation; their blocks are text, reasoning, tool calls and results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from keepsaid.interchange.assemble import ConversationHeader, assemble_conversation, content_of, convert_each, with_role
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.parts import files_of, parts_of
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
from keepsaid.types import ContentPart, MessageDraft

NO_LIST = "conversations without a list of messages"
ROOTS = frozenset(("00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"))
"""The parent ids of messages without a parent."""


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a file."""
    return read_conversations(piece, tally, on_read, convert, ["chat_messages"])


def convert(key: str | None, value: Any, tally: ImportTally) -> Conversation | None:
    """Convert one conversation of the export.

    >>> message = {"uuid": "m1", "sender": "human", "text": "Hi"}
    >>> made = convert(None, {"uuid": "c1", "name": "Greeting", "chat_messages": [message]}, ImportTally())
    >>> made.title, [(node.draft.role, node.draft.content) for node in made.nodes]
    ('Greeting', [('user', 'Hi')])
    """
    fields = as_object(value)
    messages = as_list(fields.get("chat_messages"))
    if "chat_messages" not in fields or not isinstance(fields["chat_messages"], list):
        tally.skip(NO_LIST)
        return None
    id = name_of(fields.get("uuid"), tally) or _derived_id(fields, messages)
    raws = convert_each(messages, lambda place, message: _raw(as_object(message), f"{id}:{place}", tally), id, tally)
    if not any("parent_message_uuid" in as_object(message) for message in messages):
        raws = chain_messages(raws)
    head = ConversationHeader(
        id,
        "claude",
        fields.get("name"),
        datetime_of(fields.get("created_at")),
        datetime_of(fields.get("updated_at")),
        name_of(fields.get("current_leaf_message_uuid"), tally),
        pinned=fields.get("is_starred") is True,
        metadata=details(
            tally,
            model=fields.get("model"),
            project=as_object(fields.get("project")).get("name"),
            summary=fields.get("summary"),
        ),
    )
    return assemble_conversation(head, raws, tally)


def _derived_id(fields: JsonObject, messages: list[Any]) -> str:
    beginning = as_object(messages[0]) if messages else {}
    return f"claude-{digest(fields.get('created_at'), beginning.get('uuid'), beginning.get('text'))}"


def _raw(message: JsonObject, place: str, tally: ImportTally) -> RawMessage:
    id = name_of(message.get("uuid"), tally) or place
    parent = name_of(message.get("parent_message_uuid"), tally)
    created_at = datetime_of(message.get("created_at")) or datetime_of(message.get("updated_at"))
    blank = MessageDraft("user", metadata=details(tally, model=message.get("model")) or None, created_at=created_at)
    turns = TurnBuilder(id, with_role(first_value(message, "sender", "role"), blank, tally))
    for block in as_list(message.get("content")):
        take_block(turns, block, tally)
    drafts = turns.build_drafts()
    if not drafts:
        drafts = [replace(turns.blank, content=content_of(parts_of(first_value(message, "text", "content"), tally)))]
    return RawMessage(id, None if parent in ROOTS else parent, _with_files(drafts, _files(message, tally)))


def _files(message: JsonObject, tally: ImportTally) -> list[ContentPart]:
    named = [*as_list(message.get("files")), *as_list(message.get("files_v2"))]
    files: dict[str, JsonObject] = {}
    for place, file in enumerate(map(as_object, named)):
        files.setdefault(text_of(first_value(file, "file_uuid", "uuid", "file_name"), tally) or str(place), file)
    return [*files_of(message.get("attachments"), tally), *files_of(list(files.values()), tally)]


def _with_files(drafts: list[MessageDraft], files: list[ContentPart]) -> tuple[MessageDraft, ...]:
    """Add the files to the first draft of a message."""
    if not files:
        return tuple(drafts)
    beginning = drafts[0].content
    spoken_parts = (ContentPart("text", beginning),) if isinstance(beginning, str) and beginning else ()
    content = (*(spoken_parts if isinstance(beginning, str) else beginning), *files)
    return (replace(drafts[0], content=content), *drafts[1:])
