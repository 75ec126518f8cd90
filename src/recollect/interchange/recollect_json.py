"""Our own export: one JSON document, written and read piece by piece (docs/export.md tells the format).

Nothing in it depends on when or where it was written, so an export of what was imported is the same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, BinaryIO, TypeVar, cast

from recollect.interchange.events import Events
from recollect.interchange.fields import Fields
from recollect.interchange.nouns import CLEARED, Conversation, Item, Made, Node, Rest, Shelved, Tally
from recollect.types import EPOCH, Artifact, ArtifactKind, Draft, Part, Status, ToolCall, microseconds, moment

Thing = TypeVar("Thing")

FORMAT = "recollect"
VERSION = 1
KNOWN = {"format": FORMAT, "version": VERSION}

# -- writing


def written(owner: str, sections: Mapping[str, Iterable[Item | Mapping[str, Any]]]) -> Iterator[str]:
    """The document, piece by piece: one line for each session, message and artifact.

    >>> hello = Conversation("c1", [Node("m1", None, Draft("user", "Hello", importance=0.2), 1)], leaf="m1")
    >>> print("".join(written("u1", {"sessions": [hello]})))
    {"format": "recollect", "version": 1, "owner": "u1",
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


def _item(item: Item | Mapping[str, Any]) -> Iterator[str]:
    if isinstance(item, Made | Mapping):
        yield _line(_artifact_fields(item) if isinstance(item, Made) else item)
        return
    conversation = item.conversation if isinstance(item, Shelved) else item
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
    return _told(fields) | {"leaf": None if one.leaf == CLEARED else one.leaf}


def _node_fields(node: Node) -> dict[str, Any]:
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
    content = draft.content if isinstance(draft.content, str) else [_told(asdict(part)) for part in draft.content]
    head = {"id": node.id, "seq": node.seq, "parent": node.parent, "role": str(draft.role), "content": content}
    return head | _told(fields)


def _artifact_fields(made: Made) -> dict[str, Any]:
    one = made.artifact
    fields = {
        "session": one.session,
        "created_at": _time(moment(one.created)),
        "valid_from": _time(moment(one.valid_from)),
        "valid_to": None if one.valid_to is None else _time(moment(one.valid_to)),
        "pinned": one.pinned or None,
        "upto": one.upto or None,
        "rests": [[rest.message, rest.start, rest.end] for rest in made.rests] or None,
        "data": dict(one.data) or None,
    }
    return {"id": one.id, "kind": one.kind, "text": one.text} | _told(fields)


def _told(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


# -- reading


def read(stream: BinaryIO, tally: Tally, name: str = "") -> Iterator[Item]:
    """What an export holds, as it is read. The messages of a conversation must be taken before the next one is."""
    events = Events(stream, name)
    for key in events.keys():  # noqa: SIM118  # no mapping: its keys are read from the stream
        if key in KNOWN:
            found = events.value()
            if found != KNOWN[key]:
                raise events.problem(f"{key} {found!r} is not {KNOWN[key]!r}: a newer Recollect can read it, perhaps")
        elif key == "sessions":
            yield from _conversations(events, tally)
        elif key == "documents":
            yield from (Shelved(conversation) for conversation in _conversations(events, tally))
        elif key == "artifacts":
            yield from _each(events, "artifact", _made)
        else:
            told = events.value()
            if key == "pools" and isinstance(told, list):
                tally.skip("entries about shared pools", len(cast("list[Any]", told)))


def _conversations(events: Events, tally: Tally) -> Iterator[Conversation]:
    for _ in events.items():
        fields: dict[str, Any] = {}
        for name in events.keys():  # noqa: SIM118
            if name != "messages":
                fields[name] = events.value()
                continue
            messages = _each(events, "message", _node)
            with _as_we_write_it(events, "session", fields):
                conversation = _conversation(Fields(fields), messages)
            yield conversation
            for _ in messages:
                pass  # whoever did not want them all stands in the way of the next
            fields = {}
        if fields:
            tally.warnings.append(f"fields behind a conversation's messages are not read: {', '.join(fields)}")


def _conversation(fields: Fields, nodes: Iterable[Node]) -> Conversation:
    fork = None if fields.any("fork") is None else Fields(fields.any("fork"))
    return Conversation(
        fields.text("id"),
        nodes,
        fields.maybe_text("leaf") or CLEARED,
        fields.maybe_text("title"),
        fields.moment("created_at"),
        fields.moment("updated_at"),
        Status(fields.text("status")),
        fields.flag("pinned"),
        fields.texts("tags"),
        fields.maybe_text("system_prompt"),
        fields.table("metadata"),
        None if fork is None else (fork.text("session"), fork.text("message")),
        expired=fields.flag("expired"),
    )


def _node(value: Any) -> Node:
    fields = Fields(value)
    content = fields.any("content")
    draft = Draft(
        fields.text("role"),
        content if isinstance(content, str) else tuple(Part(**Fields(part).all) for part in fields.items("content")),
        fields.text("id"),
        tuple(ToolCall(**Fields(call).all) for call in fields.items("tool_calls")),
        fields.maybe_text("tool_call_id"),
        fields.maybe_text("name"),
        fields.table("metadata"),
        fields.share("importance"),
        fields.flag("pinned"),
        fields.moment("created_at"),
        fields.flag("private"),
    )
    return Node(fields.text("id"), fields.maybe_text("parent"), draft, fields.number("seq"))


def _made(value: Any) -> Made:
    fields = Fields(value)
    ended = fields.moment("valid_to")
    artifact = Artifact(
        fields.text("id"),
        cast("ArtifactKind", fields.text("kind")),
        fields.text("text"),
        0,
        microseconds(fields.moment("created_at") or EPOCH),
        fields.maybe_text("session"),
        (),
        microseconds(fields.moment("valid_from") or EPOCH),
        None if ended is None else microseconds(ended),
        fields.flag("pinned"),
        fields.number("upto", 0),
        fields.table("data"),
    )
    return Made(artifact, tuple(map(_rest, fields.items("rests"))))


def _rest(value: Any) -> Rest:
    message, start, end = value
    rest = Fields({"message": message, "start": start, "end": end})
    return Rest(rest.text("message"), rest.number("start"), rest.number("end"))


def _each(events: Events, what: str, made: Callable[[Any], Thing]) -> Iterator[Thing]:
    for value in events.values():
        with _as_we_write_it(events, what, value):
            one = made(value)
        yield one


@contextmanager
def _as_we_write_it(events: Events, what: str, value: Any) -> Generator[None]:
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        id = str(cast("dict[str, Any]", value).get("id"))[:100] if isinstance(value, dict) else "?"
        raise events.problem(f"{what} {id!r} is not as we write it: {error}") from None
