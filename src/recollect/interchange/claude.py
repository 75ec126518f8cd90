"""Claude's export: a list of messages for each conversation; their blocks are text, thoughts, and what tools do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from recollect.interchange.assemble import Head, assemble, content_of, each, spoken
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.parts import files_of, parts_of
from recollect.interchange.records import Told, conversations
from recollect.interchange.source import Piece
from recollect.interchange.tree import Raw, chained
from recollect.interchange.turns import Turns, take_block
from recollect.interchange.values import Record, details, digest, first, listed, moment_of, name_of, record, text_of
from recollect.types import Draft, Part

NO_LIST = "conversations without a list of messages"
ROOTS = frozenset(("00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"))
"""What stands for "follows nothing"."""


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a file."""
    return conversations(piece, tally, told, convert, ["chat_messages"])


def convert(key: str | None, value: Any, tally: Tally) -> Conversation | None:
    """One conversation of the export.

    >>> message = {"uuid": "m1", "sender": "human", "text": "Hi"}
    >>> made = convert(None, {"uuid": "c1", "name": "Greeting", "chat_messages": [message]}, Tally())
    >>> made.title, [(node.draft.role, node.draft.content) for node in made.nodes]
    ('Greeting', [('user', 'Hi')])
    """
    fields = record(value)
    messages = listed(fields.get("chat_messages"))
    if "chat_messages" not in fields or not isinstance(fields["chat_messages"], list):
        tally.skip(NO_LIST)
        return None
    id = name_of(fields.get("uuid"), tally) or _made_up_id(fields, messages)
    raws = each(messages, lambda place, message: _raw(record(message), f"{id}:{place}", tally), id, tally)
    if not any("parent_message_uuid" in record(message) for message in messages):
        raws = chained(raws)
    head = Head(
        id,
        "claude",
        fields.get("name"),
        moment_of(fields.get("created_at")),
        moment_of(fields.get("updated_at")),
        name_of(fields.get("current_leaf_message_uuid"), tally),
        pinned=fields.get("is_starred") is True,
        metadata=details(
            tally,
            model=fields.get("model"),
            project=record(fields.get("project")).get("name"),
            summary=fields.get("summary"),
        ),
    )
    return assemble(head, raws, tally)


def _made_up_id(fields: Record, messages: list[Any]) -> str:
    beginning = record(messages[0]) if messages else {}
    return f"claude-{digest(fields.get('created_at'), beginning.get('uuid'), beginning.get('text'))}"


def _raw(message: Record, place: str, tally: Tally) -> Raw:
    id = name_of(message.get("uuid"), tally) or place
    parent = name_of(message.get("parent_message_uuid"), tally)
    said = moment_of(message.get("created_at")) or moment_of(message.get("updated_at"))
    blank = Draft("user", metadata=details(tally, model=message.get("model")) or None, created_at=said)
    turns = Turns(id, spoken(first(message, "sender", "role"), blank, tally))
    for block in listed(message.get("content")):
        take_block(turns, block, tally)
    drafts = turns.finished()
    if not drafts:
        drafts = [replace(turns.blank, content=content_of(parts_of(first(message, "text", "content"), tally)))]
    return Raw(id, None if parent in ROOTS else parent, _with_files(drafts, _files(message, tally)))


def _files(message: Record, tally: Tally) -> list[Part]:
    named = [*listed(message.get("files")), *listed(message.get("files_v2"))]
    files: dict[str, Record] = {}
    for place, file in enumerate(map(record, named)):
        files.setdefault(text_of(first(file, "file_uuid", "uuid", "file_name"), tally) or str(place), file)
    return [*files_of(message.get("attachments"), tally), *files_of(list(files.values()), tally)]


def _with_files(drafts: list[Draft], files: list[Part]) -> tuple[Draft, ...]:
    """The files come with the first words of a message."""
    if not files:
        return tuple(drafts)
    beginning = drafts[0].content
    spoken_parts = (Part("text", beginning),) if isinstance(beginning, str) and beginning else ()
    content = (*(spoken_parts if isinstance(beginning, str) else beginning), *files)
    return (replace(drafts[0], content=content), *drafts[1:])
