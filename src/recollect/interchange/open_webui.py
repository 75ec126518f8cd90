"""Open WebUI's export: a tree of messages for each chat, or, in its early versions, the bare chat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from recollect.interchange.assemble import Head, assemble, content_of, each, spoken
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.open_webui_markup import take_markup
from recollect.interchange.parts import call_of, files_of, part_of, parts_of
from recollect.interchange.records import Told, conversations
from recollect.interchange.source import Piece
from recollect.interchange.tree import Raw, chained
from recollect.interchange.turns import Turns
from recollect.interchange.values import Record, details, digest, first, listed, moment_of, name_of, record, text_of
from recollect.types import Draft, Part, Role

NO_TREE = "conversations without messages or history"


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a file, with all their branches."""
    return conversations(piece, tally, told, convert, ["chat", "history", "messages"])


def convert(key: str | None, value: Any, tally: Tally) -> Conversation | None:
    """One conversation of the export.

    >>> messages = {"m1": {"id": "m1", "parentId": None, "role": "user", "content": "Hi"}}
    >>> made = convert(None, {"id": "c1", "chat": {"title": "Greeting", "history": {"messages": messages}}}, Tally())
    >>> made.title, [node.draft.content for node in made.nodes]
    ('Greeting', ['Hi'])
    """
    fields = record(value)
    chat = record(fields.get("chat")) or fields
    history = record(chat.get("history"))
    tree, line = record(history.get("messages")), listed(chat.get("messages"))
    if not tree and not line:
        tally.skip(NO_TREE)
        return None
    id = name_of(first(fields, "id") or first(chat, "id"), tally) or _made_up_id(chat, tree, line)
    if tree:
        raws = each(tree.items(), lambda _, item: _raw(record(item[1]), name_of(item[0], tally), tally), id, tally)
    else:
        raws = chained(each(line, lambda place, message: _in_line(record(message), f"{id}:{place}", tally), id, tally))
    meta = record(fields.get("meta"))
    head = Head(
        id,
        "open-webui",
        first(fields, "title") or chat.get("title"),
        moment_of(first(fields, "created_at", "timestamp") or chat.get("timestamp")),
        moment_of(fields.get("updated_at")),
        name_of(history.get("currentId"), tally),
        archived=fields.get("archived") in (True, 1),
        pinned=fields.get("pinned") in (True, 1),
        tags=[record(tag).get("name", tag) for tag in [*listed(meta.get("tags")), *listed(chat.get("tags"))]],
        system_prompt=text_of(first(record(chat.get("params")), "system") or chat.get("system"), tally),
        metadata=details(tally, models=chat.get("models"), folder=fields.get("folder_id")),
    )
    return assemble(head, raws, tally)


def _made_up_id(chat: Record, tree: Record, line: list[Any]) -> str:
    beginning = sorted(tree)[0] if tree else record(line[0]).get("content")
    return f"open-webui-{digest(chat.get('timestamp'), beginning)}"


def _in_line(message: Record, place: str, tally: Tally) -> Raw:
    return _raw(message, name_of(message.get("id"), tally) or place, tally)


def _raw(message: Record, key: str | None, tally: Tally) -> Raw:
    id = key or digest(message)
    said = moment_of(message.get("timestamp"))
    kept = details(tally, model=first(message, "model", "modelName"), error=message.get("error"))
    turns = Turns(id, spoken(message.get("role"), Draft("user", metadata=kept or None, created_at=said), tally))
    _take_content(turns, message, tally)
    for file in files_of(message.get("files"), tally):
        turns.say(file)
    drafts = turns.finished() or [replace(turns.blank, content=_error(message, tally))]
    return Raw(id, name_of(message.get("parentId"), tally), tuple(drafts))


def _take_content(turns: Turns, message: Record, tally: Tally) -> None:
    """The newer versions keep what the model put out, piece by piece; the older ones only a page for people to see."""
    output = listed(message.get("output"))
    if turns.blank.role == Role.ASSISTANT and any(record(item).get("type") == "message" for item in output):
        for item in map(record, output):
            _take_output(turns, item, tally)
    elif turns.blank.role == Role.ASSISTANT and isinstance(message.get("content"), str):
        take_markup(turns, text_of(message.get("content"), tally), tally)
    else:
        for part in parts_of(message.get("content"), tally):
            turns.say(part)
    for place, call in enumerate(listed(message.get("tool_calls")), 1):
        turns.call(call_of(call, f"{turns.next_call}:{place}", tally))


def _take_output(turns: Turns, item: Record, tally: Tally) -> None:
    kind = item.get("type")
    if kind == "function_call":
        turns.call(call_of({**item, "id": first(item, "call_id", "id")}, turns.next_call, tally))
    elif kind == "function_call_output":
        content = content_of(parts_of(item.get("output"), tally))
        turns.result(name_of(item.get("call_id"), tally), None, content, {})
    elif kind == "message":
        for part in parts_of(item.get("content"), tally):
            turns.say(part)
    else:
        turns.say(part_of(item, tally))


def _error(message: Record, tally: Tally) -> str | tuple[Part, ...]:
    """What a message shows that is nothing but a failure."""
    error = message.get("error")
    return content_of(parts_of(first(record(error), "content", "message", "detail") or error, tally))
