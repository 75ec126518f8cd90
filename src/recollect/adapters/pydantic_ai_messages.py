"""Pydantic AI's messages in our words and back: pure translation, on their JSON.

A request of theirs has parts of several speakers (the system, the user, tools), so it becomes several messages of ours: each
has one part that speaks, and what is silent before it. Their names begin with that of the entry they are of, by which they
come together again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, cast

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from recollect.adapters.common import faithful, original_of, own_metadata
from recollect.engine.redact import redacted
from recollect.types import DOORS, Draft, Message, Part, Role, ToolCall

DOOR = "pydantic_ai"
JSON = dict[str, Any]

SPEAKERS = {
    "system-prompt": "system", "retry-feedback": "system", "user-prompt": "user", "speech": "user", "tool-return": "tool",
}  # fmt: skip
"""Who speaks in a part of a request; other kinds of parts are silent."""

LINKS = {"image-url": "image", "audio-url": "audio", "video-url": "video", "document-url": "file"}
MEDIA = {kind: link for link, kind in LINKS.items()}
TEXTS = ("text-content", "structured-content")
NEEDS = {
    **dict.fromkeys(LINKS, ("url",)), **dict.fromkeys(TEXTS, ("content",)),
    "binary": ("data", "media_type"), "uploaded-file": ("file_id", "provider_name"), "cache-point": ("ttl",),
}  # fmt: skip
"""Their pieces of content by kind, with the texts that each must have: a tool's data may be of a kind of its own."""

OPEN = ("user-prompt", "tool-return", "retry-feedback", "speech", "text", "tool-call")
"""Parts whose words are told to a model as words. What it thought is its own, and signed."""

_NUMBERED = re.compile(r"(.+)/\d+")
_DATA = re.compile(r"data:([^;,]*)[^,]*;base64,(.*)", re.DOTALL)


def drafts_of(message: ModelMessage, entry: str) -> list[Draft]:
    """A message in our words: one draft, or one for each who speaks in it; the last has the name of the entry."""
    chunks = _pieces(message)
    ids = [f"{entry}/{index}" for index in range(len(chunks) - 1)] + [entry]
    drafts = [replace(draft_of(chunk), id=id) for chunk, id in zip(chunks, ids, strict=True)]
    return [faithful(draft, chunk, said_of, DOOR) for draft, chunk in zip(drafts, chunks, strict=True)]


def is_among(message: ModelMessage, stored: Iterable[Message]) -> bool:
    """Whether a message is known: its end is one of those that are stored."""
    end = draft_of(_pieces(message)[-1])
    return any(_is(end, one) for one in stored)


def censored(message: ModelMessage, kinds: Collection[str]) -> ModelMessage:
    """A message without personal data of these kinds, as prompts are."""
    whole = _dumped(message)
    parts = [_without(part, kinds) if part["part_kind"] in OPEN else part for part in whole["parts"]]
    return message if parts == whole["parts"] else _read([{**whole, "parts": parts}])


def entries_of(messages: Iterable[Message]) -> Iterator[tuple[str, ModelMessage]]:
    """Our messages in their words, each with the name of its entry. Tools that a result does not name, its call does."""
    names: dict[str, str] = {}
    for _, group in groupby(messages, entry_of):
        said = list(group)
        names |= {call.id: call.name for message in said for call in message.tool_calls}
        # Where the last of them was erased or said differently, it is another entry.
        yield said[-1].id, _joined([_given(message, names) for message in said], [_said(message, names) for message in said])


def messages_of(drafts: Iterable[Draft]) -> list[ModelMessage]:
    """Drafts in their words, each a message of its own."""
    names: dict[str, str] = {}
    found: list[ModelMessage] = []
    for draft in drafts:
        names |= {call.id: call.name for call in draft.tool_calls}
        found.append(_read([_said(draft, names)]))
    return found


# -- theirs into ours


def draft_of(chunk: JSON) -> Draft:
    """A response, or a piece of a request in which one speaks."""
    draft = _response(chunk) if chunk["kind"] == "response" else _request(chunk)
    return replace(draft, metadata=cast("JSON | None", chunk.get("metadata")) or None)


def _is(said: Draft, stored: Message) -> bool:
    """Whether that was stored: at the same time the same. If something was removed of it, the time has to do."""
    if said.role != stored.role.value or said.created_at not in (None, stored.created_at):
        return False
    return "redacted" in stored.metadata or (said.content, said.tool_calls) == (stored.content, stored.tool_calls)


def _dumped(message: ModelMessage) -> JSON:
    return ModelMessagesTypeAdapter.dump_python([message], mode="json")[0]


def _pieces(message: ModelMessage) -> list[JSON]:
    """A message in pieces, in each of which one speaks."""
    whole = _dumped(message)
    return [whole] if whole["kind"] == "response" else _chunks(whole)


def _chunks(request: JSON) -> list[JSON]:
    """A request in pieces. The last has what belongs to the request as a whole."""
    pieces: list[list[JSON]] = [[]]
    for part in cast("list[JSON]", request["parts"]):
        if _speaks(pieces[-1]) and part["part_kind"] in SPEAKERS:
            pieces.append([])
        pieces[-1].append(part)
    return [{"kind": "request", "parts": parts} for parts in pieces[:-1]] + [{**request, "parts": pieces[-1]}]


def _speaks(parts: Sequence[JSON]) -> bool:
    return any(part["part_kind"] in SPEAKERS for part in parts)


def _request(chunk: JSON) -> Draft:
    parts = cast("list[JSON]", chunk["parts"])
    spoken = next((part for part in parts if part["part_kind"] in SPEAKERS), None)
    if spoken is None:
        return Draft("system", tuple(Part(part["part_kind"], data=part) for part in parts))
    role, at = SPEAKERS[spoken["part_kind"]], _moment(spoken)
    if spoken["part_kind"] == "speech":
        return Draft(role, tuple(_speech(spoken)), created_at=at)
    content = _content(spoken["content"])
    if role == "tool":
        return Draft(role, content, tool_call_id=spoken["tool_call_id"], name=spoken["tool_name"] or None, created_at=at)
    return Draft(role, content, created_at=at)


def _response(chunk: JSON) -> Draft:
    parts: list[Part] = []
    calls: list[ToolCall] = []
    for part in cast("list[JSON]", chunk["parts"]):
        if part["part_kind"] == "tool-call":
            calls.append(ToolCall(part["tool_call_id"], part["tool_name"], _arguments(part["args"])))
        else:
            parts += _answered(part)
    return Draft("assistant", _plain(parts), tool_calls=tuple(calls), created_at=_moment(chunk))


def _answered(part: JSON) -> list[Part]:
    """A part of a response that is no call of ours. What was thought is kept, but not as words: nobody was told it."""
    kind = cast(str, part["part_kind"])
    if kind == "text":
        return [Part("text", part["content"])]
    if kind == "thinking":
        return [Part("reasoning", data=part)]
    if kind == "file":
        return [_medium(part["content"])]
    return _speech(part) if kind == "speech" else [Part(kind, data=part)]


def _speech(part: JSON) -> list[Part]:
    words = [Part("text", part["transcript"])] if part.get("transcript") else []
    return [*words, _medium(part["audio"])] if part.get("audio") else words


def _content(content: Any) -> str | tuple[Part, ...]:
    if isinstance(content, str):
        return content
    items = cast("list[Any]", content) if isinstance(content, list) else [content]
    if not any(isinstance(item, str) or _kind(item) for item in items):
        return json.dumps(content, ensure_ascii=False)  # what a tool returned as data
    return _plain([_item(item) for item in items])


def _kind(item: Any) -> str:
    """What a piece of content calls itself, if it is one of theirs and not a tool's data."""
    fields = cast("JSON", item) if isinstance(item, dict) else {}
    kind = str(fields.get("kind"))
    return kind if kind in NEEDS and all(isinstance(fields.get(name), str) for name in NEEDS[kind]) else ""


def _item(item: Any) -> Part:
    kind = _kind(item)
    if kind in TEXTS:
        return Part("text", item["content"])
    if kind in LINKS or kind == "binary":
        return _medium(item)
    if kind:
        return Part(kind, data=item)
    return Part("text", item if isinstance(item, str) else json.dumps(item, ensure_ascii=False))


def _medium(item: JSON) -> Part:
    media_type = cast("str | None", item.get("media_type"))
    if item["kind"] == "binary":
        kind = (media_type or "").split("/")[0]
        kind = kind if kind in MEDIA else "file"
        # Their base64 is the one for addresses of pages.
        content = cast(str, item["data"]).translate({ord("-"): "+", ord("_"): "/"})
        return Part(kind, uri=f"data:{media_type};base64,{content}", media_type=media_type)
    return Part(LINKS[item["kind"]], uri=item["url"], media_type=media_type)


def _plain(parts: Sequence[Part]) -> str | tuple[Part, ...]:
    if not parts:
        return ""
    if len(parts) == 1 and parts[0].kind == "text":
        return parts[0].text or ""
    return tuple(parts)


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments or {}, ensure_ascii=False)


def _moment(fields: Mapping[str, Any]) -> datetime | None:
    told = fields.get("timestamp")
    return None if told is None else datetime.fromisoformat(told)


def _without(part: JSON, kinds: Collection[str]) -> JSON:
    """A part of a message without personal data of these kinds."""
    words = {name: _text_without(part[name], kinds) for name in ("args", "transcript") if part.get(name)}
    return {**part, **words, **({"content": _content_without(part["content"], kinds)} if "content" in part else {})}


def _content_without(content: Any, kinds: Collection[str]) -> Any:
    items = cast("list[Any]", content) if isinstance(content, list) else [content]
    if not any(isinstance(item, str) or _kind(item) for item in items):
        return _text_without(content, kinds)
    made = [_item_without(item, kinds) for item in items]
    return made if isinstance(content, list) else made[0]


def _item_without(item: Any, kinds: Collection[str]) -> Any:
    kind = _kind(item)
    if kind in TEXTS:
        return {**item, "content": redacted(item["content"], kinds).text}
    return item if kind else _text_without(item, kinds)


def _text_without(value: Any, kinds: Collection[str]) -> Any:
    """A text, or data as it was; data of which something is removed becomes the text that is left of it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    made = redacted(text, kinds).text
    return value if made == text else made


# -- ours into theirs


def said_of(message: Message) -> JSON:
    """A message in their words, by what our fields say of it."""
    return _said(message, {})


def _given(message: Message, names: Mapping[str, str]) -> JSON:
    """What they gave for a message, if it still says the same; else what our fields say."""
    return original_of(message, DOOR, draft_of) or _said(message, names)


def _joined(given: list[JSON], said: list[JSON]) -> ModelMessage:
    """The pieces of an entry as one message. What was kept beside ours need not be theirs: anybody may write there."""
    try:
        return _read(given)
    except ValidationError:
        return _read(said)


def _read(pieces: list[JSON]) -> ModelMessage:
    whole = {**pieces[-1], "parts": [part for piece in pieces for part in piece["parts"]]}
    # Not as Python values: only in JSON are bytes written as base64.
    return ModelMessagesTypeAdapter.validate_json(json.dumps([whole]))[0]


def _said(message: Message | Draft, names: Mapping[str, str]) -> JSON:
    at = {} if message.created_at is None else {"timestamp": message.created_at.isoformat()}
    rest = {**at, "metadata": own_metadata(message.metadata) or None}
    role = Role(message.role)
    if role is Role.ASSISTANT:
        return {"kind": "response", "parts": [*_answers(message.content), *_calls(message.tool_calls)], **rest}
    if role is Role.TOOL:
        call = message.tool_call_id or ""
        part = {"part_kind": "tool-return", "tool_name": message.name or names.get(call, "tool"), "tool_call_id": call}
        part["content"] = _told(message.content)
    elif role is Role.USER:
        part = {"part_kind": "user-prompt", "content": _told(message.content)}
    else:
        part = {"part_kind": "system-prompt", "content": _words(message.content)}
    return {"kind": "request", "parts": [{**part, **at}], **rest}


def _told(content: str | tuple[Part, ...]) -> Any:
    if isinstance(content, str):
        return content
    return [item for part in content if (item := _told_part(part)) is not None]


def _told_part(part: Part) -> Any:
    """A part in their words; None for what they have no words for."""
    if part.kind in MEDIA and part.uri is not None:
        if (data := _DATA.fullmatch(part.uri)) is not None:
            return {"kind": "binary", "data": data[2], "media_type": part.media_type or data[1] or "text/plain"}
        return {"kind": MEDIA[part.kind], "url": part.uri, "media_type": part.media_type}
    return part.text


def _answers(content: str | tuple[Part, ...]) -> list[JSON]:
    if isinstance(content, str):
        return [{"part_kind": "text", "content": content}] if content else []
    found: list[JSON] = []
    for part in content:
        told = _told_part(part)
        if isinstance(told, dict):
            # A model can answer with a file, but not with a link to one.
            whole = cast("JSON", told)
            binary = whole["kind"] == "binary"
            link = f"[{part.kind}: {part.uri}]"
            found.append({"part_kind": "file", "content": whole} if binary else {"part_kind": "text", "content": link})
        elif told:
            found.append({"part_kind": "text", "content": told})
    return found


def _calls(calls: Iterable[ToolCall]) -> list[JSON]:
    return [
        {"part_kind": "tool-call", "tool_name": call.name, "args": call.arguments, "tool_call_id": call.id} for call in calls
    ]


def _words(content: str | tuple[Part, ...]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content if part.text)


def entry_of(message: Message) -> str:
    """The name of the entry that a message is of: by its own name, if it came by this door."""
    doors: Any = message.metadata.get(DOORS)
    numbered = _NUMBERED.fullmatch(message.id)
    return numbered[1] if numbered is not None and isinstance(doors, dict) and DOOR in doors else message.id
