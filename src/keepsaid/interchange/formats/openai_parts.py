"""Conversion between our message parts and the content of OpenAI's items and chat messages.

OpenAI's two APIs use different names for the same things (`input_image`, `image_url`). Both are converted to our parts, so
content received by one API can be sent by the other. Fields that a part has no field for are kept in its `data`, and are
sent back; data of other adapters is kept there, but not sent to OpenAI clients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from keepsaid.types import ContentPart

ASSISTANT_TEXT, TEXT = "output_text", "input_text"
EMPTY: dict[str, list[Any]] = {"annotations": [], "logprobs": []}
"""Fields of an assistant's text that are present even if they are empty."""
KNOWN_FIELDS = ("type", "detail", "file_id", "file_data", "file_url", "annotations", "logprobs")
"""The keys of a part's data that have OpenAI's own names; other fields of the content are under `OTHER_FIELDS_KEY`."""
OTHER_FIELDS_KEY = "openai"
BASE64 = ";base64,"


def plain_type(role: str) -> str:
    """The type of a plain text in an item of a role.

    >>> plain_type("user"), plain_type("assistant")
    ('input_text', 'output_text')
    """
    return ASSISTANT_TEXT if role == "assistant" else TEXT


def parts_of(contents: Iterable[Mapping[str, Any]], plain: str) -> str | tuple[ContentPart, ...]:
    """Convert content to parts, or to a string if it is only plain text. `plain` is the content type of plain text.

    >>> parts_of([{"type": "input_text", "text": "Hi"}], "input_text")
    'Hi'
    >>> parts_of([{"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}], "text")[0].uri
    'https://example.org/cat.png'
    """
    parts = tuple(part_of(content, plain) for content in contents)
    if len(parts) == 1 and parts[0].kind == "text" and parts[0].data is None:
        return parts[0].text or ""
    return parts


def part_of(content: Mapping[str, Any], plain: str) -> ContentPart:
    """Convert one content part."""
    kind = str(content["type"])
    rest = {name: value for name, value in content.items() if name != "type"}
    if isinstance(rest.get("text"), str):
        text = rest.pop("text")
        rest = {name: value for name, value in rest.items() if EMPTY.get(name) != value}
        return ContentPart("text", text, data=_data(rest if kind == plain else {"type": kind, **rest}))
    if kind == "refusal" and isinstance(rest.get("refusal"), str):
        return ContentPart("refusal", rest.pop("refusal"), data=_data(rest))
    if kind == "input_image" and isinstance(rest.get("image_url"), str):
        return ContentPart("image", uri=rest.pop("image_url"), data=_data(rest))
    if kind == "image_url" and isinstance(_inner(rest, kind).get("url"), str):
        inner = _inner(rest, kind)
        return ContentPart("image", uri=inner.pop("url"), data=_data(inner))
    if kind == "input_file":
        return _file(rest)
    if kind == "file" and _inner(rest, kind):
        return _file(_inner(rest, kind))
    if kind == "input_audio" and _inner(rest, kind).keys() == {"data", "format"} and len(rest) == 1:
        sound = _inner(rest, kind)
        return ContentPart("audio", uri=f"data:audio/{sound['format']}{BASE64}{sound['data']}")
    return ContentPart(kind, data=rest or None)


def _inner(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The nested object of a chat message's content part; in items, its fields are not nested."""
    value: Any = fields.get(name)
    return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}


def _file(fields: Mapping[str, Any]) -> ContentPart:
    rest = dict(fields)
    name, uri = rest.pop("filename", None), rest.pop("file_url", None)
    if uri is None and str(rest.get("file_data")).startswith("data:"):
        uri = rest.pop("file_data")
    return ContentPart("file", name=name, uri=uri, data=_data(rest))


def _data(rest: Mapping[str, Any]) -> dict[str, Any] | None:
    others = {name: value for name, value in rest.items() if name not in KNOWN_FIELDS}
    return {name: rest[name] for name in rest if name in KNOWN_FIELDS} | (
        {OTHER_FIELDS_KEY: others} if others else {}
    ) or None


def _openai_fields(part: ContentPart) -> dict[str, Any]:
    """The fields in a part's data that belong to OpenAI's content."""
    data = part.data or {}
    return {name: value for name, value in data.items() if name in KNOWN_FIELDS} | _inner(data, OTHER_FIELDS_KEY)


def content_of(part: ContentPart, plain: str) -> dict[str, Any]:
    """Convert a part to the content of an item.

    >>> content_of(ContentPart("image", uri="https://example.org/cat.png"), "input_text")["type"]
    'input_image'
    >>> content_of(ContentPart("video", uri="https://example.org/cat.mp4"), "input_text")
    {'type': 'input_file', 'file_url': 'https://example.org/cat.mp4'}
    """
    if part.kind == "image":
        return {"type": "input_image", "image_url": part.uri, "detail": "auto", **_openai_fields(part)}
    if part.kind == "refusal":
        return {"type": "refusal", "refusal": part.text or "", **_openai_fields(part)}
    if part.kind == "text" or part.text is not None:
        made = {"type": plain, "text": part.text or "", **(_openai_fields(part) if part.kind == "text" else {})}
        return {**EMPTY, **made} if made["type"] == ASSISTANT_TEXT else made
    if sound := _audio(part):
        return sound
    if part.kind == "file" or part.uri is not None:
        named = {"filename": part.name, _uri_field(part): part.uri}
        return {
            "type": "input_file",
            **{name: value for name, value in named.items() if value is not None},
            **_openai_fields(part),
        }
    return {"type": part.kind, **(part.data or {})}


def _uri_field(part: ContentPart) -> str:
    """The field name of a file's URI: a `data:` URI is the file's data."""
    return "file_data" if part.uri is not None and part.uri.startswith("data:") else "file_url"


def _audio(part: ContentPart) -> dict[str, Any] | None:
    """Convert embedded audio, which has the same form in both APIs."""
    head, _, data = (part.uri or "").partition(BASE64)
    if part.kind != "audio" or not data or not head.startswith("data:audio/"):
        return None
    return {"type": "input_audio", "input_audio": {"data": data, "format": head.removeprefix("data:audio/")}}


def chat_content(part: ContentPart) -> dict[str, Any] | None:
    """Convert a part to the content of a chat message; None if only text can represent it.

    >>> chat_content(ContentPart("image", uri="https://example.org/cat.png", data={"detail": "low"}))
    {'type': 'image_url', 'image_url': {'url': 'https://example.org/cat.png', 'detail': 'low'}}
    """
    data = _openai_fields(part)
    if part.kind == "text":
        return {"type": "text", "text": part.text or ""}
    if part.kind == "image" and part.uri:
        detail = {"detail": data["detail"]} if "detail" in data else {}
        return {"type": "image_url", "image_url": {"url": part.uri, **detail}}
    if part.kind == "file":
        held = {"file_data": part.uri} if _uri_field(part) == "file_data" else {}
        inner = held | {name: data[name] for name in ("file_id", "file_data") if name in data}
        named = inner if part.name is None else {"filename": part.name, **inner}
        return {"type": "file", "file": named} if inner else None
    return _audio(part)
