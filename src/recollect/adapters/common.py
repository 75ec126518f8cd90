"""What the doors for frameworks share: what to say where a framework is missing, and what is kept beside a message.

A message that comes in by a door is translated into a `Draft`, and back. Where the way there and back would lose something,
the door keeps its original beside the message, in the metadata under `DOORS`. It is given out again only while the message
still says the same: what was edited or redacted since does not come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from recollect.drawer import AT_ONCE, Drawer
from recollect.engine.compile.units import NO_CALL, NO_RESULT, units
from recollect.engine.intake import to_message
from recollect.errors import MissingExtra
from recollect.ports import Seen
from recollect.types import DOORS, Blob, Draft, Message, Part, Role

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
    return draft if back(_stored(draft)) == original else beside(draft, original, door)


def beside(draft: Draft, kept: Any, door: str) -> Draft:
    """A draft, with something of a door's beside it; as it is, if that is nothing. What is kept is plain JSON.

    >>> beside(Draft("user", "Hi"), {"mood": 3}, "mine").metadata, beside(Draft("user", "Hi"), {}, "mine").metadata
    ({'doors': {'mine': {'mood': 3}}}, None)
    """
    metadata = dict(draft.metadata or {})
    return replace(draft, metadata={**metadata, DOORS: {**_doors(metadata), door: kept}}) if kept else draft


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


def paired(messages: Sequence[Message]) -> list[Message]:
    """A conversation without the halves that somebody left by erasing the others: no model takes a tool's result without
    its call, or a call without its result, unless it is the last and waits for it. What was given in halves stays: it is
    its framework's own.

    >>> import recollect
    >>> chat = recollect.open("memory://").chat(owner="u1")
    >>> call = chat.add("assistant", "", tool_calls=[{"id": "c1", "name": "weather", "arguments": "{}"}])
    >>> _ = chat.add("tool", "21 °C", tool_call_id="c1")
    >>> len(paired(chat.messages())), chat.erase(call.id).messages, paired(chat.messages())
    (2, 1, [])
    """
    broken = units([Seen(at, message) for at, message in enumerate(messages)], may_end_open=True).broken
    halves = {cut.seen.number for cut in broken if cut.reason in (NO_CALL, NO_RESULT)}
    return [message for at, message in enumerate(messages) if at not in halves or not _is_torn(messages, at)]


def _is_torn(messages: Sequence[Message], at: int) -> bool:
    """Whether something is missing among a call, its results and what comes behind them: numbers follow one another."""
    first, behind = at, at + 1
    while first > 0 and messages[first].role is Role.TOOL:
        first -= 1
    while behind < len(messages) and messages[behind].role is Role.TOOL:
        behind += 1
    around = range(first if messages[first].role is Role.TOOL else first + 1, min(behind + 1, len(messages)))
    return any(messages[one].seq != (messages[one - 1].seq if one else 0) + 1 for one in around)


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
    while True:
        page = drawer.list(prefix, after=after)
        yield from page
        if len(page) < AT_ONCE:
            return  # to ask again would be a journey for nothing
        after = page[-1].name


async def settled(verb: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
    """Runs a verb that changes something. Whoever is cancelled waits for it, so that what is done next comes behind it."""
    running = asyncio.ensure_future(asyncio.to_thread(verb, *arguments, **named))
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
