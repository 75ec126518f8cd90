"""Translate LlamaIndex's content blocks to parts of a message, and back.

An image, audio, video or document becomes a part with a URI: its URL, or a data: URI with its content. The other fields of a
block are kept in the part's data under `BLOCK_KEY`, so that the same block is returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from keepsaid.adapters.common import media_type_of
from keepsaid.types import ContentPart

Block = dict[str, Any]
"""A block as JSON."""

BLOCK_KEY = "llama_index"
"""Key in a part's data for fields of a block that a part has no field for."""

BASE64 = ";base64,"


class MediaFields(NamedTuple):
    """LlamaIndex's block type and field names for a kind of media part."""

    block: str
    content: str
    media_type: str


MEDIA = {
    "image": MediaFields("image", "image", "image_mimetype"),
    "audio": MediaFields("audio", "audio", "format"),
    "video": MediaFields("video", "video", "video_mimetype"),
    "file": MediaFields("document", "data", "document_mimetype"),
}
KINDS = {medium.block: kind for kind, medium in MEDIA.items()}


def block_to_part(block: Block) -> ContentPart:
    """Return a block as a part.

    >>> block_to_part({"block_type": "image", "image": "iVBO", "image_mimetype": "image/png", "url": None}).uri
    'data:image/png;base64,iVBO'
    """
    type = str(block["block_type"])
    if type == "text":
        return ContentPart("text", block["text"])
    if type in KINDS:
        return _reference(KINDS[type], block)
    rest = {name: value for name, value in block.items() if value is not None}
    return ContentPart("reasoning" if type == "thinking" else type, data={BLOCK_KEY: rest})


def part_to_block(part: ContentPart) -> Block | None:
    """Return a part as a block; None if LlamaIndex has no block for it.

    >>> part_to_block(ContentPart("image", uri="https://example.org/cat.png"))
    {'block_type': 'image', 'url': 'https://example.org/cat.png'}
    """
    data = dict(part.data or {})
    shape = data.get(BLOCK_KEY)
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


def _reference(kind: str, block: Block) -> ContentPart:
    """Return a media block as a part."""
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
    return ContentPart(kind, uri=uri, media_type=media_type, name=title, data={BLOCK_KEY: rest} if rest else None)


def _medium_block(part: ContentPart, medium: MediaFields, kept: Block) -> Block:
    block: Block = {"block_type": medium.block, **kept}
    content = _content_of(part.uri or "")
    path = block.get("path")
    if path is not None and not Path(str(path)).exists():
        del block["path"]  # LlamaIndex rejects paths to missing files
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
    """Return the Base64 content of a data: URI, or an empty string for other URIs."""
    head, _, content = uri.partition(BASE64)
    return content if head.startswith("data:") else ""
