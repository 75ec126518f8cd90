"""Strands' messages in our words, and back: pure translation.

A message of Strands is one of ours; one with the results of several tools is several, each with the role `tool`. What it has
beside its content is kept with the first of them under `MARK`, where the others say which message they are `of`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import NAMESPACE_OID, uuid5

from strands.types.session import SessionMessage, encode_bytes_values

from recollect.adapters.common import faithful, media_type_of, original_of, own_metadata
from recollect.types import DOORS, Draft, Message, Part, Role, ToolCall

DOOR = "strands"
MARK = "strands-message"

Block = dict[str, Any]

KINDS = {"image": "image", "audio": "audio", "video": "video", "document": "file"}
OFFICE = "application/vnd.openxmlformats-officedocument"
DOCUMENTS = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": f"{OFFICE}.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": f"{OFFICE}.spreadsheetml.sheet",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}
FORMATS = {media_type: format for format, media_type in DOCUMENTS.items()}


# -- there


def drafts_of(message: SessionMessage) -> list[Draft]:
    """A message of a session as ours: one, or as many as it has results of tools. What was redacted is not in it."""
    whole = message.to_dict()
    said: dict[str, Any] = whole["redact_message"] or whole["message"]
    mark: dict[str, Any] = {name: whole[name] for name in ("message_id", "created_at", "updated_at")}
    mark |= {"redacted": True} if message.redact_message is not None else {}
    rest = {name: value for name, value in said.items() if name not in ("role", "content")}
    own, mark["message"] = _own_of(rest)
    when = datetime.fromisoformat(message.created_at)
    shares = _shares(said["content"])
    drafts = [_said(said["role"], share, None if number else own) for number, share in enumerate(shares)]
    return [
        _marked(draft, {"of": message.message_id} if number else mark, when) for number, draft in enumerate(drafts)
    ]  # fmt: skip


def loose_drafts_of(message: Mapping[str, Any]) -> list[Draft]:
    """A message that has no place in a session, as ours."""
    said: dict[str, Any] = encode_bytes_values(dict(message))
    own, _ = _own_of(said)
    return [_said(said["role"], share, None if number else own) for number, share in enumerate(_shares(said["content"]))]


def _own_of(rest: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """What the user put beside a message, and what else is there."""
    metadata = dict(rest.get("metadata") or {})
    own = metadata.get("custom")
    if not own or own_metadata(own) != own:
        return None, dict(rest)
    return own, {**rest, "metadata": {name: value for name, value in metadata.items() if name != "custom"}}


def _marked(draft: Draft, mark: Mapping[str, Any], when: datetime) -> Draft:
    metadata = dict(draft.metadata or {})
    doors = {**metadata.get(DOORS, {}), MARK: dict(mark)}
    return Draft(
        draft.role, draft.content, None, draft.tool_calls, draft.tool_call_id, draft.name, {**metadata, DOORS: doors},
        created_at=when if when.tzinfo else when.astimezone(),
    )  # fmt: skip


def _shares(blocks: Iterable[Block]) -> list[list[Block]]:
    """What each message has of the blocks: every result of a tool is one of its own."""
    shares: list[list[Block]] = []
    for block in blocks:
        if shares and "toolResult" not in block and "toolResult" not in shares[-1][-1]:
            shares[-1].append(block)
        else:
            shares.append([block])
    return shares or [[]]


def _said(role: str, blocks: list[Block], own: Mapping[str, Any] | None) -> Draft:
    original = {"role": role, "content": blocks}
    return faithful(_draft(original, own), original, as_plain, DOOR)


def _draft(said: Mapping[str, Any], own: Mapping[str, Any] | None) -> Draft:
    blocks: list[Block] = said["content"]
    if blocks and "toolResult" in blocks[0]:
        result = blocks[0]["toolResult"]
        return Draft("tool", _content(result["content"]), tool_call_id=result["toolUseId"], metadata=own)
    calls = [block["toolUse"] for block in blocks if "toolUse" in block]
    return Draft(
        "user" if said["role"] == "user" else "assistant",
        _content([block for block in blocks if "toolUse" not in block]),
        tool_calls=tuple(ToolCall(call["toolUseId"], call["name"], json.dumps(call["input"])) for call in calls),
        metadata=own,
    )


def _content(blocks: Sequence[Block]) -> str | tuple[Part, ...]:
    parts = tuple(_part(block) for block in blocks)
    alone = len(parts) == 1 and parts[0].kind == "text"
    return parts[0].text or "" if alone else parts or ""


def _part(block: Block) -> Part:
    kind = next(iter(block), "empty")
    value = block.get(kind, {})
    if kind == "text":
        return Part("text", value)
    if kind == "json":
        return Part("text", json.dumps(value, ensure_ascii=False))
    if kind == "reasoningContent":
        return Part("reasoning", data=block)
    if kind == "citationsContent":
        return Part("citations", "".join(piece.get("text", "") for piece in value.get("content", ())))
    if kind == "guardContent":
        return Part("guard", value["text"]["text"])
    if kind in KINDS and (uri := _uri(kind, value)):
        return Part(KINDS[kind], None, uri, _media_type(kind, value["format"]), value.get("name"))
    return Part(kind, data=block)


def _uri(kind: str, value: Mapping[str, Any]) -> str | None:
    source = value["source"]
    if "bytes" in source:
        return f"data:{_media_type(kind, value['format'])};base64,{source['bytes']['data']}"
    return source.get("location", {}).get("uri")


def _media_type(kind: str, format: str) -> str:
    return DOCUMENTS.get(format, "application/octet-stream") if kind == "document" else f"{kind}/{format}"


# -- and back


def messages_of(messages: Iterable[Message]) -> list[tuple[SessionMessage, list[Message]]]:
    """Ours as messages of a session, each with those that it is made of."""
    groups: list[list[Message]] = []
    for message in messages:
        if groups and _goes_on(groups[-1], message):
            groups[-1].append(message)
        else:
            groups.append([message])
    found: list[tuple[SessionMessage, list[Message]]] = []
    for group in groups:
        found.append((_session_message(group, found[-1][0].message_id + 1 if found else 0), group))
    return found


def _goes_on(group: Sequence[Message], message: Message) -> bool:
    """Whether a message is the next piece of one. All results that follow each other are one message of Strands."""
    of = _mark(message).get("of")
    if of is not None:
        return of == _mark(group[0]).get("message_id")
    foreign = not _mark(message) and not _mark(group[0])
    return foreign and message.role is Role.TOOL and group[0].role is Role.TOOL


def _session_message(group: Sequence[Message], number: int) -> SessionMessage:
    mark, first = _mark(group[0]), group[0]
    said = [_plain_original(message) for message in group]
    # What another door wrote is to have the same id whenever it is read.
    rest: Any = mark.get("message", {"tracking_id": str(uuid5(NAMESPACE_OID, first.id))})
    whole: dict[str, Any] = {**(rest if isinstance(rest, dict) else {})}
    if own := own_metadata(first.metadata):
        whole["metadata"] = {**(whole.get("metadata") or {}), "custom": own}
    whole |= {"role": said[0]["role"], "content": [block for share in said for block in share["content"]]}
    id, now = mark.get("message_id"), first.created_at.isoformat()
    return SessionMessage.from_dict(
        {
            "message": whole,
            "message_id": id if isinstance(id, int) else number,
            "redact_message": whole if mark.get("redacted") else None,
            "created_at": str(mark.get("created_at", now)),
            "updated_at": str(mark.get("updated_at", now)),
        }
    )


def _plain_original(message: Message) -> dict[str, Any]:
    own = own_metadata(message.metadata) or None
    original = original_of(message, DOOR, lambda kept: _draft(kept, own))
    return as_plain(message) if original is None else original


def as_plain(message: Message) -> dict[str, Any]:
    """What a message says in Strands' words, as JSON."""
    blocks = [block for part in message.parts if (block := _block(part)) is not None]
    if not message.parts and message.text:
        blocks = [{"text": message.text}]
    if message.role is Role.TOOL:
        result = {"toolUseId": message.tool_call_id or message.id, "status": "success", "content": blocks}
        return {"role": "user", "content": [{"toolResult": result}]}
    uses = [{"toolUseId": call.id, "name": call.name, "input": _input(call.arguments)} for call in message.tool_calls]
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    return {"role": role, "content": [*blocks, *({"toolUse": use} for use in uses)]}


def _input(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return {"arguments": arguments}


def _block(part: Part) -> Block | None:
    """A part in Strands' words; None for another provider's reasoning and other things that it has no words for."""
    if part.uri:
        return _media(part, part.uri) or {"text": f"[{part.kind}: {part.name or part.uri}]"}
    if part.text is not None and part.kind != "reasoning":
        return {"text": part.text}
    data = dict(part.data or {})
    return data if part.kind in data or "reasoningContent" in data else None


def _media(part: Part, uri: str) -> Block | None:
    kind = next((name for name, ours in KINDS.items() if ours == part.kind), None)
    head, comma, packed = uri.partition(",")
    source: dict[str, Any] | None = None
    if comma and head.startswith("data:"):
        source = {"bytes": {"__bytes_encoded__": True, "data": packed}}
    elif uri.startswith("s3://"):
        source = {"location": {"type": "s3", "uri": uri}}
    media_type = media_type_of(part) or ""
    format = FORMATS.get(media_type) if kind == "document" else media_type.partition("/")[2]
    if kind is None or source is None or not format:
        return None
    return {kind: {"format": format, **({"name": part.name} if part.name else {}), "source": source}}


def _mark(message: Message) -> dict[str, Any]:
    doors: Any = message.metadata.get(DOORS)
    mark = cast("dict[str, Any]", doors).get(MARK) if isinstance(doors, dict) else None
    return cast("dict[str, Any]", mark) if isinstance(mark, dict) else {}
