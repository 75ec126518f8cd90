"""Translate Strands' messages to drafts, and stored messages back, without I/O.

A Strands message becomes one stored message; one with the results of several tools becomes several, each with the role
`tool`. The fields besides its content are kept with the first of them under `ENVELOPE`; there, the others name the message
they are `of`. All agents of a session share one conversation: the envelope names the agent of a message, unless it is the
agent `DEFAULT_AGENT`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, cast
from uuid import NAMESPACE_OID, uuid5

from strands.types.session import SessionMessage, encode_bytes_values

from keepsaid.adapters.common import find_original, keep_original_if_lossy, media_type_of, strip_adapter_data
from keepsaid.adapters.message_pieces import attach_envelope, group_messages, read_envelope, split_at_results
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall

ADAPTER = "strands"
ENVELOPE = "strands-message"
DEFAULT_AGENT = "default"
"""The id of an agent without an explicit one."""

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


# -- to drafts


def drafts_of(message: SessionMessage, agent: str) -> list[MessageDraft]:
    """Return an agent's message as drafts: one, or one per tool result. Text that Strands redacted is not included."""
    whole = message.to_dict()
    said: dict[str, Any] = whole["redact_message"] or whole["message"]
    whose = {} if agent == DEFAULT_AGENT else {"agent": agent}
    mark: dict[str, Any] = {name: whole[name] for name in ("message_id", "created_at", "updated_at")}
    mark |= {"redacted": True} if message.redact_message is not None else {}
    rest = {name: value for name, value in said.items() if name not in ("role", "content")}
    own, mark["message"] = _split_metadata(rest)
    when = datetime.fromisoformat(message.created_at)
    when = when if when.tzinfo else when.astimezone()
    drafts = _all_drafts(said, own, whose.get("agent"))
    return [
        attach_envelope(draft, ENVELOPE, {**({"of": message.message_id} if number else mark), **whose}, when)
        for number, draft in enumerate(drafts)
    ]


def sessionless_drafts_of(message: Mapping[str, Any]) -> list[MessageDraft]:
    """Return a message that is not part of a session as drafts."""
    said: dict[str, Any] = encode_bytes_values(dict(message))
    return _all_drafts(said, _split_metadata(said)[0], None)


def _split_metadata(rest: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the user's metadata of a message, and its other fields."""
    metadata = dict(rest.get("metadata") or {})
    own = metadata.get("custom")
    if not own or strip_adapter_data(own) != own:
        return None, dict(rest)
    return own, {**rest, "metadata": {name: value for name, value in metadata.items() if name != "custom"}}


def _all_drafts(said: Mapping[str, Any], own: Mapping[str, Any] | None, name: str | None) -> list[MessageDraft]:
    cut = split_at_results(said["content"], _is_result) or [[]]
    return [_lossless_draft(said["role"], share, None if number else own, name) for number, share in enumerate(cut)]


def _lossless_draft(role: str, blocks: list[Block], own: Mapping[str, Any] | None, name: str | None) -> MessageDraft:
    original = {"role": role, "content": blocks}
    return keep_original_if_lossy(_draft(original, own, name), original, to_plain_message, ADAPTER)


def _draft(said: Mapping[str, Any], own: Mapping[str, Any] | None, name: str | None) -> MessageDraft:
    blocks: list[Block] = said["content"]
    if blocks and _is_result(blocks[0]):
        result = blocks[0]["toolResult"]
        return MessageDraft("tool", _content(result["content"]), tool_call_id=result["toolUseId"], metadata=own)
    calls = [block["toolUse"] for block in blocks if _is_call(block)]
    by_user = said["role"] == "user"
    return MessageDraft(
        "user" if by_user else "assistant",
        _content([block for block in blocks if not _is_call(block)]),
        tool_calls=tuple(ToolCall(call["toolUseId"], call["name"], json.dumps(call["input"])) for call in calls),
        name=None if by_user else name,
        metadata=own,
    )


def _is_result(block: Block) -> bool:
    result = _fields(block.get("toolResult"))
    return _is_name(result.get("toolUseId")) and _are_blocks(result.get("content"))


def _is_call(block: Block) -> bool:
    call = _fields(block.get("toolUse"))
    return _is_name(call.get("toolUseId")) and _is_name(call.get("name")) and "input" in call


def _fields(value: Any) -> Block:
    return cast("Block", value) if isinstance(value, dict) else {}


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _are_blocks(blocks: Any) -> bool:
    return isinstance(blocks, list) and all(isinstance(block, dict) for block in cast("list[Any]", blocks))


def _content(blocks: Sequence[Block]) -> str | tuple[ContentPart, ...]:
    parts = tuple(_part(block) for block in blocks)
    alone = len(parts) == 1 and parts[0].kind == "text"
    return parts[0].text or "" if alone else parts or ""


def _part(block: Block) -> ContentPart:
    kind = next(iter(block), "empty")
    known = None
    with suppress(AttributeError, KeyError, TypeError):  # it may not have the documented structure of its kind
        known = _to_known_part(kind, block)
    fields: tuple[Any, ...] = () if known is None else (known.text, known.uri, known.name)
    return known if known and all(isinstance(field, str | None) for field in fields) else ContentPart(kind, data=block)


def _to_known_part(kind: str, block: Block) -> ContentPart | None:
    """Return a block of a supported kind as a part; None for other kinds."""
    value = block[kind]
    if kind == "text" and isinstance(value, str):
        return ContentPart("text", value)
    if kind == "json":
        return ContentPart("text", json.dumps(value, ensure_ascii=False))
    if kind == "reasoningContent":
        return ContentPart("reasoning", data=block)
    if kind == "citationsContent":
        return ContentPart("citations", "".join(piece.get("text", "") for piece in value.get("content", ())))
    if kind == "guardContent":
        return ContentPart("guard", value["text"]["text"])
    if kind in KINDS and (uri := _uri(kind, value)):
        return ContentPart(KINDS[kind], None, uri, _media_type(kind, value["format"]), value.get("name"))
    return None


def _uri(kind: str, value: Mapping[str, Any]) -> str | None:
    source = value["source"]
    if "bytes" in source:
        return f"data:{_media_type(kind, value['format'])};base64,{source['bytes']['data']}"
    return source.get("location", {}).get("uri")


def _media_type(kind: str, format: str) -> str:
    return DOCUMENTS.get(format, "application/octet-stream") if kind == "document" else f"{kind}/{format}"


# -- to Strands


def messages_of(messages: Sequence[Message], agent: str) -> list[tuple[SessionMessage, list[Message]]]:
    """Return an agent's messages as session messages, each with the stored messages that it consists of."""
    found: list[tuple[SessionMessage, list[Message]]] = []
    for group in group_messages(_of_agent(messages, agent), _goes_on):
        found.append((_session_message(group, found[-1][0].message_id + 1 if found else 0), group))
    return found


def _of_agent(messages: Sequence[Message], agent: str) -> list[Message]:
    """Return the messages of an agent. Messages from other adapters belong to the agent before them; at the beginning, to
    the first agent of the conversation, or to the requested agent if there is none yet."""
    marks = [read_envelope(message, ENVELOPE) for message in messages]
    whose = next((mark.get("agent", DEFAULT_AGENT) for mark in marks if mark), agent)
    found: list[Message] = []
    for message, mark in zip(messages, marks, strict=True):
        whose = mark.get("agent", DEFAULT_AGENT) if mark else whose
        if whose == agent:
            found.append(message)
    return found


def _goes_on(group: Sequence[Message], message: Message) -> bool:
    """Whether a message continues a group. Consecutive tool results from other adapters form one Strands message."""
    mark, first = read_envelope(message, ENVELOPE), read_envelope(group[0], ENVELOPE)
    if (of := mark.get("of")) is not None:
        return of == first.get("message_id")
    return not mark and not first and message.role is Role.TOOL and group[0].role is Role.TOOL


def _session_message(group: Sequence[Message], number: int) -> SessionMessage:
    mark, first = read_envelope(group[0], ENVELOPE), group[0]
    said = [_plain_original(message) for message in group]
    # Messages from other adapters must have the same id with every read.
    rest: Any = mark.get("message", {"tracking_id": str(uuid5(NAMESPACE_OID, first.id))})
    whole: dict[str, Any] = {**(rest if isinstance(rest, dict) else {})}
    if own := strip_adapter_data(first.metadata):
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
    own = strip_adapter_data(message.metadata) or None
    original = find_original(message, ADAPTER, lambda kept: _draft(kept, own, message.name))
    return to_plain_message(message) if original is None else original


def to_plain_message(message: Message) -> dict[str, Any]:
    """Return the content of a message in Strands' format, as JSON."""
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


def _block(part: ContentPart) -> Block | None:
    """Return a part in Strands' format; None for another provider's reasoning and other unsupported parts."""
    if part.uri:
        return _media(part, part.uri) or {"text": f"[{part.kind}: {part.name or part.uri}]"}
    if part.text is not None and part.kind != "reasoning":
        return {"text": part.text}
    data = dict(part.data or {})
    return data if part.kind in data or "reasoningContent" in data else None


def _media(part: ContentPart, uri: str) -> Block | None:
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
