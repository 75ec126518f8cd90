"""The content of a message in ChatGPT's export: its many types as text and file references, and its cited pages."""

from __future__ import annotations

import re

from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.parts import REASONING, part_of
from keepsaid.interchange.values import JsonObject, as_list, as_object, detail, details, first_value, name_of, text_of
from keepsaid.types import ContentPart

THOUGHTS = frozenset(("thoughts", "reasoning_recap"))
INSTRUCTIONS = frozenset(("user_editable_context", "model_editable_context"))
MARKS = "marks of citations in ChatGPT's own signs"
MAX_SOURCES = 20
_MARK = re.compile("\ue200[^\ue200\ue201]{0,2000}\ue201")
_VOICE = ("audio_asset_pointer", "video_container_asset_pointer")
_IGNORED_KEYS = frozenset(("content_type", "parts", "language", "response_format_name", "assets"))


def parts_in(content: JsonObject, tally: ImportTally) -> list[ContentPart]:
    """Convert a content of any type to parts.

    >>> parts_in({"content_type": "text", "parts": ["Hello"]}, ImportTally())[0].text
    'Hello'
    >>> parts_in({"content_type": "system_error", "name": "Timeout", "text": "too slow"}, ImportTally())[0].text
    'Timeout: too slow'
    """
    kind = text_of(content.get("content_type"), tally)
    if kind in ("tether_quote", "sonic_webpage"):
        return _joined(content, ("title", "url", "text"), "\n", tally)
    if kind == "system_error":
        return _joined(content, ("name", "text"), ": ", tally)
    if blocks := as_list(content.get("parts")):
        return [_without_marks(part, tally) for block in blocks for part in _parts_in_block(block, tally)]
    text = text_of(first_value(content, "text", "result", "summary", "content", "parts"), tally)
    if text:
        return [_without_marks(ContentPart("text", text), tally)]
    data = detail({key: value for key, value in content.items() if value and key not in _IGNORED_KEYS}, tally)
    return [ContentPart(name_of(kind, tally) or "data", data=data)] if data else []


def _joined(content: JsonObject, keys: tuple[str, ...], between: str, tally: ImportTally) -> list[ContentPart]:
    text = between.join(filter(None, (text_of(content.get(key), tally) for key in keys)))
    return [ContentPart("text", text)] if text else []


def _without_marks(part: ContentPart, tally: ImportTally) -> ContentPart:
    if not part.text or "\ue200" not in part.text:
        return part
    text, marks = _MARK.subn("", part.text)
    tally.repair(MARKS, marks)
    return ContentPart(part.kind, text, part.uri, part.media_type, part.name, part.data)


def _parts_in_block(block: object, tally: ImportTally) -> list[ContentPart]:
    fields = as_object(block)
    kind = text_of(fields.get("content_type"), tally)
    if kind in THOUGHTS:
        tally.skip(REASONING)
        return []
    if not fields.get("asset_pointer") and any(as_object(fields.get(key)) for key in _VOICE):
        return [
            part for key in _VOICE for part in _parts_in_block({**as_object(fields.get(key)), "content_type": key}, tally)
        ]
    if not fields:
        part = part_of(block, tally)
    else:
        described = {key: value for key, value in fields.items() if key not in ("content_type", "metadata")}
        part = part_of({**described, "type": kind or fields.get("type")}, tally)
    return [part] if part else []


def sources_in(metadata: JsonObject, tally: ImportTally) -> list[JsonObject]:
    """List the pages that an answer cites.

    >>> sources_in({"citations": [{"metadata": {"title": "Rain", "url": "https://example.org"}}]}, ImportTally())
    [{'url': 'https://example.org', 'title': 'Rain'}]
    """
    cited = [as_object(as_object(one).get("metadata")) or as_object(one) for one in as_list(metadata.get("citations"))]
    cited += [as_object(one) for one in as_list(metadata.get("content_references"))]
    found = {text_of(one.get("url"), tally): text_of(one.get("title"), tally) for one in cited if one.get("url")}
    return [details(tally, url=url, title=title) for url, title in list(found.items())[:MAX_SOURCES]]
