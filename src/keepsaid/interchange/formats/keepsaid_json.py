"""Keepsaid's own export: one JSON document, written and read incrementally (docs/export.md describes the format).

Nothing in it depends on when or where it was written, so exporting an imported file gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, BinaryIO, TypeVar, cast

from keepsaid.interchange.conversation import (
    CLEARED,
    Conversation,
    ConversationNode,
    ExportedArtifact,
    ExportedDocument,
    ExportItem,
    ImportTally,
    SourceReference,
)
from keepsaid.interchange.fields import ExportFields
from keepsaid.interchange.json_events import JsonEventReader
from keepsaid.types import (
    EPOCH,
    Artifact,
    ArtifactKind,
    ContentPart,
    MessageDraft,
    SessionStatus,
    ToolCall,
    to_datetime,
    to_microseconds,
)

Thing = TypeVar("Thing")

FORMAT = "keepsaid"
VERSION = 1
EXPECTED_HEADER = {"format": FORMAT, "version": VERSION}

# -- writing


def render_export(owner: str, sections: Mapping[str, Iterable[ExportItem | Mapping[str, Any]]]) -> Iterator[str]:
    """Write the document piece by piece: one line for each session, message and artifact.

    >>> node = ConversationNode("m1", None, MessageDraft("user", "Hello", importance=0.2), 1)
    >>> hello = Conversation("c1", [node], leaf="m1")
    >>> print("".join(render_export("u1", {"sessions": [hello]})))
    {"format": "keepsaid", "version": 1, "owner": "u1",
    "sessions": [
    {"id": "c1", "status": "active", "leaf": "m1", "messages": [
    {"id": "m1", "seq": 1, "parent": null, "role": "user", "content": "Hello", "importance": 0.2}
    ]}
    ]}
    <BLANKLINE>
    """
    yield _line({"format": FORMAT, "version": VERSION, "owner": owner})[:-1]
    for name, items in sections.items():
        yield f',\n"{name}": ['
        separator = "\n"
        for item in items:
            yield separator
            separator = ",\n"
            yield from _item(item)
        yield "\n]"
    yield "}\n"


def _item(item: ExportItem | Mapping[str, Any]) -> Iterator[str]:
    if isinstance(item, ExportedArtifact | Mapping):
        yield _line(_artifact_fields(item) if isinstance(item, ExportedArtifact) else item)
        return
    conversation = item.conversation if isinstance(item, ExportedDocument) else item
    yield _line(_conversation_fields(conversation))[:-1] + ', "messages": ['
    separator = "\n"
    for node in conversation.nodes:
        yield separator + _line(_node_fields(node))
        separator = ",\n"
    yield "\n]}"


def _line(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _conversation_fields(one: Conversation) -> dict[str, Any]:
    fields = {
        "id": one.id,
        "title": one.title,
        "created_at": _time(one.created_at),
        "updated_at": _time(one.updated_at),
        "status": str(one.status),
        "expired": one.expired or None,
        "pinned": one.pinned or None,
        "tags": list(one.tags) or None,
        "system_prompt": one.system_prompt,
        "metadata": dict(one.metadata) or None,
        "fork": None if one.fork is None else {"session": one.fork[0], "message": one.fork[1]},
    }
    return _without_none(fields) | {"leaf": None if one.leaf == CLEARED else one.leaf}


def _node_fields(node: ConversationNode) -> dict[str, Any]:
    draft = node.draft
    fields: dict[str, Any] = {
        "created_at": _time(draft.created_at),
        "importance": draft.importance,
        "pinned": draft.pinned or None,
        "private": draft.private or None,
        "name": draft.name,
        "tool_calls": [asdict(call) for call in draft.tool_calls] or None,
        "tool_call_id": draft.tool_call_id,
        "metadata": dict(draft.metadata or {}) or None,
    }
    content = draft.content if isinstance(draft.content, str) else [_without_none(asdict(part)) for part in draft.content]
    head = {"id": node.id, "seq": node.seq, "parent": node.parent, "role": str(draft.role), "content": content}
    return head | _without_none(fields)


def _artifact_fields(made: ExportedArtifact) -> dict[str, Any]:
    one = made.artifact
    fields = {
        "session": one.session,
        "created_at": _time(to_datetime(one.created)),
        "valid_from": _time(to_datetime(one.valid_from)),
        "valid_to": None if one.valid_to is None else _time(to_datetime(one.valid_to)),
        "pinned": one.pinned or None,
        "upto": one.upto or None,
        "rests": [[rest.message, rest.start, rest.end] for rest in made.rests] or None,
        "data": dict(one.data) or None,
    }
    return {"id": one.id, "kind": one.kind, "text": one.text} | _without_none(fields)


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


# -- reading


def read(stream: BinaryIO, tally: ImportTally, name: str = "") -> Iterator[ExportItem]:
    """Read the items of an export lazily. Iterate over a conversation's messages before taking the next conversation."""
    events = JsonEventReader(stream, name)
    for key in events.keys():  # noqa: SIM118  # no mapping: its keys are read from the stream
        if key in EXPECTED_HEADER:
            found = events.value()
            if found != EXPECTED_HEADER[key]:
                raise events.problem(
                    f"{key} {found!r} is not {EXPECTED_HEADER[key]!r}: a newer Keepsaid may be able to read it"
                )
        elif key == "sessions":
            yield from _conversations(events, tally)
        elif key == "documents":
            yield from (ExportedDocument(conversation) for conversation in _conversations(events, tally))
        elif key == "artifacts":
            yield from _each(events, "artifact", _made)
        else:
            skipped = events.value()
            if key == "pools" and isinstance(skipped, list):
                tally.skip("entries about shared pools", len(cast("list[Any]", skipped)))


def _conversations(events: JsonEventReader, tally: ImportTally) -> Iterator[Conversation]:
    for _ in events.items():
        fields: dict[str, Any] = {}
        for name in events.keys():  # noqa: SIM118
            if name != "messages":
                fields[name] = events.value()
                continue
            messages = _each(events, "message", _node)
            with _checked_fields(events, "session", fields):
                conversation = _conversation(ExportFields(fields), messages)
            yield conversation
            for _ in messages:
                pass  # read past messages that the caller did not take, to reach the next conversation
            fields = {}
        if fields:
            tally.warnings.append(f"fields after a conversation's messages were not read: {', '.join(fields)}")


def _conversation(fields: ExportFields, nodes: Iterable[ConversationNode]) -> Conversation:
    fork = None if fields.any("fork") is None else ExportFields(fields.any("fork"))
    return Conversation(
        fields.text("id"),
        nodes,
        fields.optional_text("leaf") or CLEARED,
        fields.optional_text("title"),
        fields.moment("created_at"),
        fields.moment("updated_at"),
        SessionStatus(fields.text("status")),
        fields.flag("pinned"),
        fields.texts("tags"),
        fields.optional_text("system_prompt"),
        fields.table("metadata"),
        None if fork is None else (fork.text("session"), fork.text("message")),
        expired=fields.flag("expired"),
    )


def _node(value: Any) -> ConversationNode:
    fields = ExportFields(value)
    content = fields.any("content")
    draft = MessageDraft(
        fields.text("role"),
        content
        if isinstance(content, str)
        else tuple(ContentPart(**ExportFields(part).all) for part in fields.items("content")),
        fields.text("id"),
        tuple(ToolCall(**ExportFields(call).all) for call in fields.items("tool_calls")),
        fields.optional_text("tool_call_id"),
        fields.optional_text("name"),
        fields.table("metadata"),
        fields.fraction("importance"),
        fields.flag("pinned"),
        fields.moment("created_at"),
        fields.flag("private"),
    )
    return ConversationNode(fields.text("id"), fields.optional_text("parent"), draft, fields.number("seq"))


def _made(value: Any) -> ExportedArtifact:
    fields = ExportFields(value)
    ended = fields.moment("valid_to")
    artifact = Artifact(
        fields.text("id"),
        cast("ArtifactKind", fields.text("kind")),
        fields.text("text"),
        0,
        to_microseconds(fields.moment("created_at") or EPOCH),
        fields.optional_text("session"),
        (),
        to_microseconds(fields.moment("valid_from") or EPOCH),
        None if ended is None else to_microseconds(ended),
        fields.flag("pinned"),
        fields.number("upto", 0),
        fields.table("data"),
    )
    return ExportedArtifact(artifact, tuple(map(_rest, fields.items("rests"))))


def _rest(value: Any) -> SourceReference:
    message, start, end = value
    rest = ExportFields({"message": message, "start": start, "end": end})
    return SourceReference(rest.text("message"), rest.number("start"), rest.number("end"))


def _each(events: JsonEventReader, what: str, made: Callable[[Any], Thing]) -> Iterator[Thing]:
    for value in events.values():
        with _checked_fields(events, what, value):
            one = made(value)
        yield one


@contextmanager
def _checked_fields(events: JsonEventReader, what: str, value: Any) -> Generator[None]:
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        id = str(cast("dict[str, Any]", value).get("id"))[:100] if isinstance(value, dict) else "?"
        raise events.problem(f"{what} {id!r} is not valid: {error}") from None
