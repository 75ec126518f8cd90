"""Open WebUI's export: a tree of messages for each chat, or, in early versions, the chat object alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from keepsaid.interchange.assemble import ConversationHeader, assemble_conversation, content_of, convert_each, with_role
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.formats.open_webui_markup import take_markup
from keepsaid.interchange.parts import call_of, files_of, part_of, parts_of
from keepsaid.interchange.records import ByteProgress, read_conversations
from keepsaid.interchange.source import ImportFile
from keepsaid.interchange.tool_call_turns import TurnBuilder
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
from keepsaid.types import ContentPart, MessageDraft, Role

NO_TREE = "conversations without messages or history"


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a file, with all their branches."""
    return read_conversations(piece, tally, on_read, convert, ["chat", "history", "messages"])


def convert(key: str | None, value: Any, tally: ImportTally) -> Conversation | None:
    """Convert one conversation of the export.

    >>> messages = {"m1": {"id": "m1", "parentId": None, "role": "user", "content": "Hi"}}
    >>> made = convert(None, {"id": "c1", "chat": {"title": "Greeting", "history": {"messages": messages}}}, ImportTally())
    >>> made.title, [node.draft.content for node in made.nodes]
    ('Greeting', ['Hi'])
    """
    fields = as_object(value)
    chat = as_object(fields.get("chat")) or fields
    history = as_object(chat.get("history"))
    tree, line = as_object(history.get("messages")), as_list(chat.get("messages"))
    if not tree and not line:
        tally.skip(NO_TREE)
        return None
    id = name_of(first_value(fields, "id") or first_value(chat, "id"), tally) or _derived_id(chat, tree, line)
    if tree:
        raws = convert_each(
            tree.items(), lambda _, item: _raw(as_object(item[1]), name_of(item[0], tally), tally), id, tally
        )
    else:
        raws = chain_messages(
            convert_each(line, lambda place, message: _in_line(as_object(message), f"{id}:{place}", tally), id, tally)
        )
    meta = as_object(fields.get("meta"))
    head = ConversationHeader(
        id,
        "open-webui",
        first_value(fields, "title") or chat.get("title"),
        datetime_of(first_value(fields, "created_at", "timestamp") or chat.get("timestamp")),
        datetime_of(fields.get("updated_at")),
        name_of(history.get("currentId"), tally),
        archived=fields.get("archived") in (True, 1),
        pinned=fields.get("pinned") in (True, 1),
        tags=[as_object(tag).get("name", tag) for tag in [*as_list(meta.get("tags")), *as_list(chat.get("tags"))]],
        system_prompt=text_of(first_value(as_object(chat.get("params")), "system") or chat.get("system"), tally),
        metadata=details(tally, models=chat.get("models"), folder=fields.get("folder_id")),
    )
    return assemble_conversation(head, raws, tally)


def _derived_id(chat: JsonObject, tree: JsonObject, line: list[Any]) -> str:
    beginning = sorted(tree)[0] if tree else as_object(line[0]).get("content")
    return f"open-webui-{digest(chat.get('timestamp'), beginning)}"


def _in_line(message: JsonObject, place: str, tally: ImportTally) -> RawMessage:
    return _raw(message, name_of(message.get("id"), tally) or place, tally)


def _raw(message: JsonObject, key: str | None, tally: ImportTally) -> RawMessage:
    id = key or digest(message)
    created_at = datetime_of(message.get("timestamp"))
    kept = details(tally, model=first_value(message, "model", "modelName"), error=message.get("error"))
    turns = TurnBuilder(
        id, with_role(message.get("role"), MessageDraft("user", metadata=kept or None, created_at=created_at), tally)
    )
    _take_content(turns, message, tally)
    for file in files_of(message.get("files"), tally):
        turns.say(file)
    drafts = turns.build_drafts() or [replace(turns.blank, content=_error_content(message, tally))]
    return RawMessage(id, name_of(message.get("parentId"), tally), tuple(drafts))


def _take_content(turns: TurnBuilder, message: JsonObject, tally: ImportTally) -> None:
    """Add a message's content. Newer versions store the model's output items; older ones only the displayed text."""
    output = as_list(message.get("output"))
    if turns.blank.role == Role.ASSISTANT and any(as_object(item).get("type") == "message" for item in output):
        for item in map(as_object, output):
            _take_output(turns, item, tally)
    elif turns.blank.role == Role.ASSISTANT and isinstance(message.get("content"), str):
        take_markup(turns, text_of(message.get("content"), tally), tally)
    else:
        for part in parts_of(message.get("content"), tally):
            turns.say(part)
    for place, call in enumerate(as_list(message.get("tool_calls")), 1):
        turns.call(call_of(call, f"{turns.next_call}:{place}", tally))


def _take_output(turns: TurnBuilder, item: JsonObject, tally: ImportTally) -> None:
    kind = item.get("type")
    if kind == "function_call":
        turns.call(call_of({**item, "id": first_value(item, "call_id", "id")}, turns.next_call, tally))
    elif kind == "function_call_output":
        content = content_of(parts_of(item.get("output"), tally))
        turns.result(name_of(item.get("call_id"), tally), None, content, {})
    elif kind == "message":
        for part in parts_of(item.get("content"), tally):
            turns.say(part)
    else:
        turns.say(part_of(item, tally))


def _error_content(message: JsonObject, tally: ImportTally) -> str | tuple[ContentPart, ...]:
    """The content of a message that only has an error."""
    error = message.get("error")
    return content_of(parts_of(first_value(as_object(error), "content", "message", "detail") or error, tally))
