"""What a message has besides plain text: our parts, and the content of OpenAI's items and chat messages.

Both of its APIs name the same things differently (`input_image`, `image_url`). Our parts stand in between, so that what
comes in by one door can go out by the other. What has no place in a part is kept in its `data`, and comes back; what other
doors keep there is none of OpenAI's business, and stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from recollect.types import Part

ASSISTANT_TEXT, TEXT = "output_text", "input_text"
EMPTY: dict[str, list[Any]] = {"annotations": [], "logprobs": []}
"""What a text of the assistant has, even if there is none."""
KNOWN = ("type", "detail", "file_id", "file_data", "file_url", "annotations", "logprobs")
"""What a part's data has under OpenAI's own names; what else its content says is under `OTHERS`."""
OTHERS = "openai"
BASE64 = ";base64,"


def plain_type(role: str) -> str:
    """The type of a plain text in an item of a role.

    >>> plain_type("user"), plain_type("assistant")
    ('input_text', 'output_text')
    """
    return ASSISTANT_TEXT if role == "assistant" else TEXT


def parts_of(contents: Iterable[Mapping[str, Any]], plain: str) -> str | tuple[Part, ...]:
    """Content as the library takes it: plain text if it is no more than that. `plain` is the type that goes without saying.

    >>> parts_of([{"type": "input_text", "text": "Hi"}], "input_text")
    'Hi'
    >>> parts_of([{"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}], "text")[0].uri
    'https://example.org/cat.png'
    """
    parts = tuple(part_of(content, plain) for content in contents)
    if len(parts) == 1 and parts[0].kind == "text" and parts[0].data is None:
        return parts[0].text or ""
    return parts


def part_of(content: Mapping[str, Any], plain: str) -> Part:
    """One piece of content."""
    kind = str(content["type"])
    rest = {name: value for name, value in content.items() if name != "type"}
    if isinstance(rest.get("text"), str):
        text = rest.pop("text")
        rest = {name: value for name, value in rest.items() if EMPTY.get(name) != value}
        return Part("text", text, data=_data(rest if kind == plain else {"type": kind, **rest}))
    if kind == "refusal" and isinstance(rest.get("refusal"), str):
        return Part("refusal", rest.pop("refusal"), data=_data(rest))
    if kind == "input_image" and isinstance(rest.get("image_url"), str):
        return Part("image", uri=rest.pop("image_url"), data=_data(rest))
    if kind == "image_url" and isinstance(_inner(rest, kind).get("url"), str):
        inner = _inner(rest, kind)
        return Part("image", uri=inner.pop("url"), data=_data(inner))
    if kind == "input_file":
        return _file(rest)
    if kind == "file" and _inner(rest, kind):
        return _file(_inner(rest, kind))
    if kind == "input_audio" and _inner(rest, kind).keys() == {"data", "format"} and len(rest) == 1:
        sound = _inner(rest, kind)
        return Part("audio", uri=f"data:audio/{sound['format']}{BASE64}{sound['data']}")
    return Part(kind, data=rest or None)


def _inner(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The object inside that chat messages have, where items have its fields themselves."""
    value: Any = fields.get(name)
    return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}


def _file(fields: Mapping[str, Any]) -> Part:
    rest = dict(fields)
    name, uri = rest.pop("filename", None), rest.pop("file_url", None)
    if uri is None and str(rest.get("file_data")).startswith("data:"):
        uri = rest.pop("file_data")
    return Part("file", name=name, uri=uri, data=_data(rest))


def _data(rest: Mapping[str, Any]) -> dict[str, Any] | None:
    others = {name: value for name, value in rest.items() if name not in KNOWN}
    return {name: rest[name] for name in rest if name in KNOWN} | ({OTHERS: others} if others else {}) or None


def _kept(part: Part) -> dict[str, Any]:
    """What a part's data has of OpenAI's."""
    data = part.data or {}
    return {name: value for name, value in data.items() if name in KNOWN} | _inner(data, OTHERS)


def content_of(part: Part, plain: str) -> dict[str, Any]:
    """A part as an item has it.

    >>> content_of(Part("image", uri="https://example.org/cat.png"), "input_text")["type"]
    'input_image'
    >>> content_of(Part("video", uri="https://example.org/cat.mp4"), "input_text")
    {'type': 'input_file', 'file_url': 'https://example.org/cat.mp4'}
    """
    if part.kind == "image":
        return {"type": "input_image", "image_url": part.uri, "detail": "auto", **_kept(part)}
    if part.kind == "refusal":
        return {"type": "refusal", "refusal": part.text or "", **_kept(part)}
    if part.kind == "text" or part.text is not None:
        made = {"type": plain, "text": part.text or "", **(_kept(part) if part.kind == "text" else {})}
        return {**EMPTY, **made} if made["type"] == ASSISTANT_TEXT else made
    if sound := _sound(part):
        return sound
    if part.kind == "file" or part.uri is not None:
        named = {"filename": part.name, _address(part): part.uri}
        return {"type": "input_file", **{name: value for name, value in named.items() if value is not None}, **_kept(part)}
    return {"type": part.kind, **(part.data or {})}


def _address(part: Part) -> str:
    """What a file's URI is called: one that has the file itself in it is its data."""
    return "file_data" if part.uri is not None and part.uri.startswith("data:") else "file_url"


def _sound(part: Part) -> dict[str, Any] | None:
    """A sound that is there itself, as both APIs have it."""
    head, _, data = (part.uri or "").partition(BASE64)
    if part.kind != "audio" or not data or not head.startswith("data:audio/"):
        return None
    return {"type": "input_audio", "input_audio": {"data": data, "format": head.removeprefix("data:audio/")}}


def chat_content(part: Part) -> dict[str, Any] | None:
    """A part as a chat message has it; None where only words can stand for it.

    >>> chat_content(Part("image", uri="https://example.org/cat.png", data={"detail": "low"}))
    {'type': 'image_url', 'image_url': {'url': 'https://example.org/cat.png', 'detail': 'low'}}
    """
    data = _kept(part)
    if part.kind == "text":
        return {"type": "text", "text": part.text or ""}
    if part.kind == "image" and part.uri:
        detail = {"detail": data["detail"]} if "detail" in data else {}
        return {"type": "image_url", "image_url": {"url": part.uri, **detail}}
    if part.kind == "file":
        held = {"file_data": part.uri} if _address(part) == "file_data" else {}
        inner = held | {name: data[name] for name in ("file_id", "file_data") if name in data}
        named = inner if part.name is None else {"filename": part.name, **inner}
        return {"type": "file", "file": named} if inner else None
    return _sound(part)
