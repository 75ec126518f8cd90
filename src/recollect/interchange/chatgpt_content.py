"""What a message of ChatGPT's export says: its many types of content as text, references to files, and cited pages."""

from __future__ import annotations

import re

from recollect.interchange.nouns import Tally
from recollect.interchange.parts import REASONING, part_of
from recollect.interchange.values import Record, detail, details, first, listed, name_of, record, text_of
from recollect.types import Part

THOUGHTS = frozenset(("thoughts", "reasoning_recap"))
INSTRUCTIONS = frozenset(("user_editable_context", "model_editable_context"))
MARKS = "marks of citations in ChatGPT's own signs"
MOST_SOURCES = 20
_MARK = re.compile("\ue200[^\ue200\ue201]{0,2000}\ue201")
_VOICE = ("audio_asset_pointer", "video_container_asset_pointer")
_SAYS_NOTHING = frozenset(("content_type", "parts", "language", "response_format_name", "assets"))


def parts_in(content: Record, tally: Tally) -> list[Part]:
    """The parts of a content, whatever its type.

    >>> parts_in({"content_type": "text", "parts": ["Hello"]}, Tally())[0].text
    'Hello'
    >>> parts_in({"content_type": "system_error", "name": "Timeout", "text": "too slow"}, Tally())[0].text
    'Timeout: too slow'
    """
    kind = text_of(content.get("content_type"), tally)
    if kind in ("tether_quote", "sonic_webpage"):
        return _joined(content, ("title", "url", "text"), "\n", tally)
    if kind == "system_error":
        return _joined(content, ("name", "text"), ": ", tally)
    if blocks := listed(content.get("parts")):
        return [_unmarked(part, tally) for block in blocks for part in _in_block(block, tally)]
    text = text_of(first(content, "text", "result", "summary", "content", "parts"), tally)
    if text:
        return [_unmarked(Part("text", text), tally)]
    data = detail({key: value for key, value in content.items() if value and key not in _SAYS_NOTHING}, tally)
    return [Part(name_of(kind, tally) or "data", data=data)] if data else []


def _joined(content: Record, keys: tuple[str, ...], between: str, tally: Tally) -> list[Part]:
    text = between.join(filter(None, (text_of(content.get(key), tally) for key in keys)))
    return [Part("text", text)] if text else []


def _unmarked(part: Part, tally: Tally) -> Part:
    if not part.text or "\ue200" not in part.text:
        return part
    text, marks = _MARK.subn("", part.text)
    tally.mend(MARKS, marks)
    return Part(part.kind, text, part.uri, part.media_type, part.name, part.data)


def _in_block(block: object, tally: Tally) -> list[Part]:
    fields = record(block)
    kind = text_of(fields.get("content_type"), tally)
    if kind in THOUGHTS:
        tally.skip(REASONING)
        return []
    if not fields.get("asset_pointer") and any(record(fields.get(key)) for key in _VOICE):
        return [part for key in _VOICE for part in _in_block({**record(fields.get(key)), "content_type": key}, tally)]
    if not fields:
        part = part_of(block, tally)
    else:
        described = {key: value for key, value in fields.items() if key not in ("content_type", "metadata")}
        part = part_of({**described, "type": kind or fields.get("type")}, tally)
    return [part] if part else []


def sources_in(metadata: Record, tally: Tally) -> list[Record]:
    """The pages that an answer cites.

    >>> sources_in({"citations": [{"metadata": {"title": "Rain", "url": "https://example.org"}}]}, Tally())
    [{'url': 'https://example.org', 'title': 'Rain'}]
    """
    cited = [record(record(one).get("metadata")) or record(one) for one in listed(metadata.get("citations"))]
    cited += [record(one) for one in listed(metadata.get("content_references"))]
    found = {text_of(one.get("url"), tally): text_of(one.get("title"), tally) for one in cited if one.get("url")}
    return [details(tally, url=url, title=title) for url, title in list(found.items())[:MOST_SOURCES]]
