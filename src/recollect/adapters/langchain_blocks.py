"""LangChain's content blocks as parts of a message, and back.

A picture, sound or file is a part with a URI, wherever its provider's block has it. What else a block says is kept in the
part's data under `SHAPE`, so that the same block comes back; parts of another origin become LangChain's standard blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from recollect.adapters.common import media_type_of
from recollect.types import Part

Block = dict[str, Any]

SHAPE = "langchain"
"""Where a part's data has what our fields do not say of a block."""

MEDIA = {
    "image": "image", "image_url": "image", "audio": "audio", "input_audio": "audio", "video": "video",
    "file": "file", "document": "file",
}  # fmt: skip
"""Blocks that refer to something, and the kind of part that each is."""

PLACES = ("url", "base64", "image_url.url", "input_audio.data", "file.file_data", "source.url", "source.data", "data")
"""Where blocks have the address of what they refer to, or the thing itself."""

ADDRESSES = ("url", "file_data")
REASONING = ("reasoning", "thinking", "redacted_thinking", "reasoning_content")
BASE64 = ";base64,"


def part_of(block: str | Mapping[str, Any]) -> Part:
    """A block as a part.

    >>> part_of({"type": "image_url", "image_url": {"url": "https://example.org/cat.png", "detail": "low"}}).uri
    'https://example.org/cat.png'
    """
    if isinstance(block, str):
        return Part("text", block)
    kind = str(block.get("type") or "other")
    if kind in MEDIA:
        return _reference(MEDIA[kind], block)
    if kind in REASONING:
        return Part("reasoning", data=_shape("reasoning", block))
    said = "refusal" if kind == "refusal" else "text"
    text = block.get(said)
    if not isinstance(text, str):
        return Part(kind, data=_shape(kind, block))
    return Part(kind, text, data=_shape(kind, _without(block, said)))


def block_of(part: Part) -> Block:
    """A part as a block.

    >>> block_of(Part("image", uri="data:image/png;base64,iVBO", media_type="image/png"))
    {'type': 'image', 'base64': 'iVBO', 'mime_type': 'image/png'}
    """
    data = dict(part.data or {})
    shape = data.pop(SHAPE, None)
    block: Block = {"type": part.kind, **(cast(Block, shape) if isinstance(shape, dict) else {})}
    if part.text is not None:
        block["refusal" if part.kind == "refusal" else "text"] = part.text
    place = block.pop("at", None)
    if place in PLACES and part.uri is not None:
        _put(block, place, part.uri)
    else:
        block.update(_standard(part))
    if part.name is not None and shape is None:
        data["name"] = part.name
    if data:
        block["extras"] = {**_mapping(block.get("extras")), **data}
    return block


def _reference(kind: str, block: Mapping[str, Any]) -> Part:
    """A block that refers to something."""
    media_type = _media_type(block)
    for place in PLACES:
        value = _value(block, place)
        if isinstance(value, str):
            rest = _without(block, place)
            if place == "base64" or (place == "url" and not _content_of(value)):
                rest.pop("mime_type", None)
            else:
                rest["at"] = place
            uri = value if _is_address(place) else f"data:{media_type or ''}{BASE64}{value}"
            return Part(kind, uri=uri, media_type=media_type, name=_name(block), data=_shape(kind, rest))
    return Part(kind, media_type=media_type, name=_name(block), data=_shape(kind, block))


def _standard(part: Part) -> Block:
    """What a part refers to, as LangChain's standard blocks say it."""
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
    """What is left of a block, and its type where that is another word than ours."""
    rest = {name: value for name, value in block.items() if name != "type" or value != kind}
    return {SHAPE: rest} if rest else None


def _content_of(uri: str) -> str:
    """What a URI has in itself, in Base64; nothing for one that says where it is."""
    head, _, content = uri.partition(BASE64)
    return content if head.startswith("data:") else ""


def _is_address(place: str) -> bool:
    return place.rpartition(".")[2] in ADDRESSES


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
