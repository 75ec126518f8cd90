"""What the doors for frameworks share: what to say where a framework is missing, and what is kept beside a message.

A message that comes in by a door is translated into a `Draft`, and back. Where the way there and back would lose something,
the door keeps its original beside the message, in the metadata under `DOORS`. It is given out again only while the message
still says the same: what was edited or redacted since does not come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from recollect.drawer import Drawer
from recollect.engine.intake import to_message
from recollect.errors import MissingExtra
from recollect.types import DOORS, Blob, Draft, Message, Part

Original = TypeVar("Original")
Result = TypeVar("Result")


def missing(framework: str, extra: str) -> MissingExtra:
    """What is raised where a framework is not installed.

    >>> str(missing("the OpenAI Agents SDK", "openai-agents"))
    "the door for the OpenAI Agents SDK needs: pip install 'recollect[openai-agents]'"
    """
    return MissingExtra(f"the door for {framework} needs: pip install 'recollect[{extra}]'")


def faithful(draft: Draft, original: Original, back: Callable[[Message], Original], door: str) -> Draft:
    """A draft, with the original beside it if the way back would lose something. The original is plain JSON.

    >>> draft = Draft("user", "Hi")
    >>> faithful(draft, {"text": "Hi"}, lambda message: {"text": message.text}, "mine").metadata
    >>> faithful(draft, {"text": "Hi", "mood": 3}, lambda message: {"text": message.text}, "mine").metadata
    {'doors': {'mine': {'text': 'Hi', 'mood': 3}}}
    """
    if back(_stored(draft)) == original:
        return draft
    metadata = dict(draft.metadata or {})
    return replace(draft, metadata={**metadata, DOORS: {**_doors(metadata), door: original}})


def original_of(message: Message, door: str, there: Callable[[Any], Draft]) -> Any | None:
    """What a door was given for a message, if it says the same as the message does now; else None."""
    kept = _doors(message.metadata).get(door)
    if kept is None:
        return None
    try:
        same = _says(_stored(there(kept))) == _says(message)
    except Exception:  # metadata is its owner's to write: what is there need not be ours
        return None
    return kept if same else None


def own_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a user put beside a message, without what doors did.

    >>> own_metadata({"source": "web", "doors": {"mine": {}}})
    {'source': 'web'}
    """
    return {name: value for name, value in (metadata or {}).items() if name != DOORS}


def media_type_of(part: Part) -> str | None:
    """What kind of content a part has: as it says, or as its data: URI does.

    >>> media_type_of(Part("image", uri="data:image/png;base64,iVBO")), media_type_of(Part("file", uri="https://example.org"))
    ('image/png', None)
    """
    uri = part.uri or ""
    return part.media_type or (uri[5:].partition(",")[0].partition(";")[0] if uri.startswith("data:") else None) or None


def again(message: Message) -> Draft:
    """A message as it was said, to be said again elsewhere.

    >>> again(_stored(Draft("user", "Hi"))).content
    'Hi'
    """
    return Draft(
        message.role, message.content, None, message.tool_calls, message.tool_call_id, message.name, message.metadata,
        message.importance, message.pinned, message.created_at, message.private,
    )  # fmt: skip


def all_blobs(drawer: Drawer, prefix: str = "") -> Iterator[Blob]:
    """Every blob of a drawer whose name begins so, page by page."""
    after: str | None = None
    while page := drawer.list(prefix, after=after):
        yield from page
        after = page[-1].name


async def settled(verb: Callable[..., Result], *arguments: Any) -> Result:
    """Runs a verb that changes something. Whoever is cancelled waits for it, so that what is done next comes behind it."""
    running = asyncio.ensure_future(asyncio.to_thread(verb, *arguments))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        running.exception()  # has been seen: the cancellation is what is told
        raise cancelled
    return running.result()


def _doors(metadata: Mapping[str, Any]) -> dict[str, Any]:
    found: Any = metadata.get(DOORS)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _says(message: Message) -> tuple[Any, ...]:
    return (
        message.role, message.text, message.parts, message.tool_calls, message.tool_call_id, message.name,
        own_metadata(message.metadata),
    )  # fmt: skip


class _NoCounter:
    """Counts nothing: what is made here is only compared."""

    name = "none"
    exact = True

    def count(self, text: str) -> int:
        return 0


def _stored(draft: Draft) -> Message:
    """A draft as it will be when it is stored."""
    return to_message(draft, session="", now=0, new_id=lambda now: "", counter=_NoCounter(), largest=1 << 40)
