"""Translate LangChain's content blocks to parts of a message, and back.

An image, audio or file becomes a part with a URI, in whatever field the provider's block has it. The other fields of a block
are kept in the part's data under `BLOCK_KEY`, so that the same block is returned. Other parts become LangChain's standard
blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from keepsaid.adapters.common import media_type_of
from keepsaid.types import ContentPart

Block = dict[str, Any]

BLOCK_KEY = "langchain"
"""Key in a part's data for fields of a block that a part has no field for."""

MEDIA = {
    "image": "image", "image_url": "image", "audio": "audio", "input_audio": "audio", "video": "video",
    "file": "file", "document": "file",
}  # fmt: skip
"""Types of media blocks and the kind of part of each."""

CONTENT_PATHS = ("url", "base64", "image_url.url", "input_audio.data", "file.file_data", "source.url", "source.data", "data")
"""Paths of the fields in which blocks have the URL or the content of their media."""

ADDRESS_FIELDS = ("url", "file_data")
REASONING = ("reasoning", "thinking", "redacted_thinking", "reasoning_content")
BASE64 = ";base64,"


def block_to_part(block: str | Mapping[str, Any]) -> ContentPart:
    """Return a block as a part.

    >>> block_to_part({"type": "image_url", "image_url": {"url": "https://example.org/cat.png", "detail": "low"}}).uri
    'https://example.org/cat.png'
    """
    if isinstance(block, str):
        return ContentPart("text", block)
    kind = str(block.get("type") or "other")
    if kind in MEDIA:
        return _reference(MEDIA[kind], block)
    if kind in REASONING:
        return ContentPart("reasoning", data=_shape("reasoning", block))
    said = "refusal" if kind == "refusal" else "text"
    text = block.get(said)
    if not isinstance(text, str):
        return ContentPart(kind, data=_shape(kind, block))
    return ContentPart(kind, text, data=_shape(kind, _without(block, said)))


def part_to_block(part: ContentPart) -> Block:
    """Return a part as a block.

    >>> part_to_block(ContentPart("image", uri="data:image/png;base64,iVBO", media_type="image/png"))
    {'type': 'image', 'base64': 'iVBO', 'mime_type': 'image/png'}
    """
    data = dict(part.data or {})
    shape = data.pop(BLOCK_KEY, None)
    block: Block = {"type": part.kind, **(cast(Block, shape) if isinstance(shape, dict) else {})}
    if part.text is not None:
        block["refusal" if part.kind == "refusal" else "text"] = part.text
    place = block.pop("at", None)
    if place in CONTENT_PATHS and part.uri is not None:
        _put(block, place, part.uri)
    else:
        block.update(_standard(part))
    if part.name is not None and shape is None:
        data["name"] = part.name
    if data:
        block["extras"] = {**_mapping(block.get("extras")), **data}
    return block


def _reference(kind: str, block: Mapping[str, Any]) -> ContentPart:
    """Return a media block as a part."""
    media_type = _media_type(block)
    for place in CONTENT_PATHS:
        value = _value(block, place)
        if isinstance(value, str):
            rest = _without(block, place)
            if place == "base64" or (place == "url" and not _content_of(value)):
                rest.pop("mime_type", None)
            else:
                rest["at"] = place
            uri = value if _is_address(place) else f"data:{media_type or ''}{BASE64}{value}"
            return ContentPart(kind, uri=uri, media_type=media_type, name=_name(block), data=_shape(kind, rest))
    return ContentPart(kind, media_type=media_type, name=_name(block), data=_shape(kind, block))


def _standard(part: ContentPart) -> Block:
    """Return the media of a part as fields of a standard LangChain block."""
    made: Block = {}
    if part.uri is not None:
        content = _content_of(part.uri)
        made = {"base64": content} if content else {"url": part.uri}
    if (media_type := media_type_of(part)) is not None:
        made["mime_type"] = media_type
    return made


def _media_type(block: Mapping[str, Any]) -> str | None:
    sound = _value(block, "input_audio.format")
    found = block.get("mime_type") or _value(block, "source.media_type") or (f"audio/{sound}" if sound else None)
    return found if isinstance(found, str) else None


def _name(block: Mapping[str, Any]) -> str | None:
    found = _value(block, "file.filename") or block.get("title")
    return found if isinstance(found, str) else None


def _shape(kind: str, block: Mapping[str, Any]) -> Block | None:
    """Return the remaining fields of a block, with its type if that differs from the kind of the part."""
    rest = {name: value for name, value in block.items() if name != "type" or value != kind}
    return {BLOCK_KEY: rest} if rest else None


def _content_of(uri: str) -> str:
    """Return the Base64 content of a data: URI, or an empty string for other URIs."""
    head, _, content = uri.partition(BASE64)
    return content if head.startswith("data:") else ""


def _is_address(place: str) -> bool:
    return place.rpartition(".")[2] in ADDRESS_FIELDS


def _value(block: Mapping[str, Any], place: str) -> Any:
    inner, _, name = place.rpartition(".")
    return (_mapping(block.get(inner)) if inner else block).get(name)


def _without(block: Mapping[str, Any], place: str) -> Block:
    inner, _, name = place.rpartition(".")
    if inner:
        return {**block, inner: _without(block[inner], name)}
    return {key: value for key, value in block.items() if key != name}


def _put(block: Block, place: str, uri: str) -> None:
    inner, _, name = place.rpartition(".")
    value = uri if _is_address(place) else _content_of(uri)
    if inner:
        block[inner] = {**_mapping(block.get(inner)), name: value}
    else:
        block[name] = value


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
