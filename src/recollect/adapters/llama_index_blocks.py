"""LlamaIndex's content blocks as parts of a message, and back.

A picture, sound, film or document is a part with a URI: where it is, or all of it. What else a block says is kept in the
part's data under `SHAPE`, so that the same block comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from recollect.adapters.common import media_type_of
from recollect.types import Part

Block = dict[str, Any]
"""A block as plain JSON."""

SHAPE = "llama_index"
"""Where a part's data has what our fields do not say of a block."""

BASE64 = ";base64,"


class Medium(NamedTuple):
    """How LlamaIndex calls what a kind of part says."""

    block: str
    content: str
    media_type: str


MEDIA = {
    "image": Medium("image", "image", "image_mimetype"),
    "audio": Medium("audio", "audio", "format"),
    "video": Medium("video", "video", "video_mimetype"),
    "file": Medium("document", "data", "document_mimetype"),
}
KINDS = {medium.block: kind for kind, medium in MEDIA.items()}


def part_of(block: Block) -> Part:
    """A block as a part.

    >>> part_of({"block_type": "image", "image": "iVBO", "image_mimetype": "image/png", "url": None}).uri
    'data:image/png;base64,iVBO'
    """
    type = str(block["block_type"])
    if type == "text":
        return Part("text", block["text"])
    if type in KINDS:
        return _reference(KINDS[type], block)
    rest = {name: value for name, value in block.items() if value is not None}
    return Part("reasoning" if type == "thinking" else type, data={SHAPE: rest})


def block_of(part: Part) -> Block | None:
    """A part as a block; None where LlamaIndex has no word for it.

    >>> block_of(Part("image", uri="https://example.org/cat.png"))
    {'block_type': 'image', 'url': 'https://example.org/cat.png'}
    """
    data = dict(part.data or {})
    shape = data.get(SHAPE)
    kept = dict(cast("Mapping[str, Any]", shape)) if isinstance(shape, dict) else {}
    if part.kind in MEDIA:
        return _medium_block(part, MEDIA[part.kind], kept)
    if kept.get("block_type"):
        return kept
    if part.kind == "reasoning":
        return {"block_type": "thinking", "additional_information": data}
    if part.text is not None:
        return {"block_type": "text", "text": part.text}
    return None if part.uri is None else _medium_block(part, MEDIA["file"], {})


def _reference(kind: str, block: Block) -> Part:
    """A block that refers to something."""
    medium = MEDIA[kind]
    content, url, path, title = (block.get(name) for name in (medium.content, "url", "path", "title"))
    media_type = block.get(medium.media_type)
    if media_type and kind == "audio":
        media_type = f"audio/{media_type}"
    uri = f"data:{media_type or ''}{BASE64}{content}" if content else url
    if uri is None and path is not None:
        uri = Path(path).absolute().as_uri()
    said = {"block_type", medium.content, medium.media_type, "title", *(() if content else ("url",))}
    rest = {name: value for name, value in block.items() if value is not None and name not in said}
    return Part(kind, uri=uri, media_type=media_type, name=title, data={SHAPE: rest} if rest else None)


def _medium_block(part: Part, medium: Medium, kept: Block) -> Block:
    block: Block = {"block_type": medium.block, **kept}
    content = _content_of(part.uri or "")
    path = block.get("path")
    if path is not None and not Path(str(path)).exists():
        del block["path"]  # LlamaIndex takes no path to what is not there
        path = None
    if content:
        block[medium.content] = content
    elif part.uri is not None and path is None:
        block["url"] = part.uri
    if (media_type := media_type_of(part)) is not None:
        block[medium.media_type] = media_type.removeprefix("audio/") if medium.block == "audio" else media_type
    if part.name is not None and medium.block == "document":
        block["title"] = part.name
    return block


def _content_of(uri: str) -> str:
    """What a URI has in itself, in Base64; nothing for one that says where it is."""
    head, _, content = uri.partition(BASE64)
    return content if head.startswith("data:") else ""
