"""Helpers for all adapters: missing extras, original messages in metadata, blobs, and writes that outlive cancellation.

An adapter translates a framework's message to a `MessageDraft`, and stored messages back. If the round trip would lose data,
the adapter keeps the original in the message's metadata under `ADAPTER_FIELDS`. The original is only returned while the
message still has the same content: edited or redacted text does not come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from keepsaid.engine.messages.intake import to_message
from keepsaid.engine.prompt.exchanges import NO_CALL, NO_RESULT, group_exchanges
from keepsaid.errors import MissingExtra
from keepsaid.memory.blobs import LIST_LIMIT, BlobStore
from keepsaid.ports import VisibleMessage
from keepsaid.types import ADAPTER_FIELDS, Blob, ContentPart, Message, MessageDraft, Role

Original = TypeVar("Original")
Result = TypeVar("Result")


def missing_extra(framework: str, extra: str) -> MissingExtra:
    """Return the error for a framework that is not installed.

    >>> str(missing_extra("the OpenAI Agents SDK", "openai-agents"))
    "the adapter for the OpenAI Agents SDK needs: pip install 'keepsaid[openai-agents]'"
    """
    return MissingExtra(f"the adapter for {framework} needs: pip install 'keepsaid[{extra}]'")


def keep_original_if_lossy(
    draft: MessageDraft, original: Original, back: Callable[[Message], Original], adapter: str
) -> MessageDraft:
    """Return the draft, with the original in its metadata if translating it back would lose data. The original is JSON.

    >>> draft = MessageDraft("user", "Hi")
    >>> keep_original_if_lossy(draft, {"text": "Hi"}, lambda message: {"text": message.text}, "mine").metadata
    >>> keep_original_if_lossy(draft, {"text": "Hi", "mood": 3}, lambda message: {"text": message.text}, "mine").metadata
    {'adapters': {'mine': {'text': 'Hi', 'mood': 3}}}
    """
    return draft if back(_stored(draft)) == original else attach_adapter_data(draft, original, adapter)


def attach_adapter_data(draft: MessageDraft, kept: Any, adapter: str) -> MessageDraft:
    """Return the draft with JSON data of an adapter in its metadata, or unchanged if the data is empty.

    >>> (attach_adapter_data(MessageDraft("user", "Hi"), {"mood": 3}, "mine").metadata,
    ...  attach_adapter_data(MessageDraft("user", "Hi"), {}, "mine").metadata)
    ({'adapters': {'mine': {'mood': 3}}}, None)
    """
    metadata = dict(draft.metadata or {})
    return (
        replace(draft, metadata={**metadata, ADAPTER_FIELDS: {**_adapter_data(metadata), adapter: kept}}) if kept else draft
    )


def find_original(message: Message, adapter: str, there: Callable[[Any], MessageDraft]) -> Any | None:
    """Return the original that an adapter kept for a message, if it still has the message's content; else None."""
    kept = _adapter_data(message.metadata).get(adapter)
    if kept is None:
        return None
    try:
        same = _content(_stored(there(kept))) == _content(message)
    except Exception:  # users may write any metadata: it need not come from this adapter
        return None
    return kept if same else None


def strip_adapter_data(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the user's metadata of a message, without the data of adapters.

    >>> strip_adapter_data({"source": "web", "adapters": {"mine": {}}})
    {'source': 'web'}
    """
    return {name: value for name, value in (metadata or {}).items() if name != ADAPTER_FIELDS}


def media_type_of(part: ContentPart) -> str | None:
    """Return the media type of a part, from its field or its data: URI.

    >>> media_type_of(ContentPart("image", uri="data:image/png;base64,iVBO")), media_type_of(ContentPart("file", uri="https://example.org"))
    ('image/png', None)
    """
    uri = part.uri or ""
    return part.media_type or (uri[5:].partition(",")[0].partition(";")[0] if uri.startswith("data:") else None) or None


def drop_unpaired_messages(messages: Sequence[Message]) -> list[Message]:
    """Drop tool calls and results whose counterpart was erased. Models refuse a result without its call, and a call without
    its result unless it is the last and still pending. Halves that a framework saved itself stay.

    >>> import keepsaid
    >>> chat = keepsaid.open("memory://").chat(owner="u1")
    >>> call = chat.add("assistant", "", tool_calls=[{"id": "c1", "name": "weather", "arguments": "{}"}])
    >>> _ = chat.add("tool", "21 °C", tool_call_id="c1")
    >>> len(drop_unpaired_messages(chat.messages())), chat.erase(call.id).messages, drop_unpaired_messages(chat.messages())
    (2, 1, [])
    """
    broken = group_exchanges([VisibleMessage(at, message) for at, message in enumerate(messages)], may_end_open=True).broken
    halves = {cut.seen.number for cut in broken if cut.reason in (NO_CALL, NO_RESULT)}
    return [message for at, message in enumerate(messages) if at not in halves or not _is_message_missing(messages, at)]


def _is_message_missing(messages: Sequence[Message], at: int) -> bool:
    """Whether a message is missing among a call, its results and the message after them: `seq` numbers are consecutive."""
    first, end = at, at + 1
    while first > 0 and messages[first].role is Role.TOOL:
        first -= 1
    while end < len(messages) and messages[end].role is Role.TOOL:
        end += 1
    around = range(first if messages[first].role is Role.TOOL else first + 1, min(end + 1, len(messages)))
    return any(messages[one].seq != (messages[one - 1].seq if one else 0) + 1 for one in around)


def copy_as_draft(message: Message) -> MessageDraft:
    """Copy a stored message to a draft without its id.

    >>> copy_as_draft(_stored(MessageDraft("user", "Hi"))).content
    'Hi'
    """
    return MessageDraft(
        message.role, message.content, None, message.tool_calls, message.tool_call_id, message.name, message.metadata,
        message.importance, message.pinned, message.created_at, message.private,
    )  # fmt: skip


def iterate_blobs(blob_store: BlobStore, prefix: str = "") -> Iterator[Blob]:
    """Yield every blob with a name prefix, page by page."""
    after: str | None = None
    while True:
        page = blob_store.list(prefix, after=after)
        yield from page
        if len(page) < LIST_LIMIT:
            return  # a partial page is the last one
        after = page[-1].name


async def run_to_completion(verb: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
    """Run a write in a thread. A cancelled task still waits for it, so that later writes come after it."""
    running = asyncio.ensure_future(asyncio.to_thread(verb, *arguments, **named))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        running.exception()  # marks it as retrieved: the cancellation is raised instead
        raise cancelled
    return running.result()


def _adapter_data(metadata: Mapping[str, Any]) -> dict[str, Any]:
    found: Any = metadata.get(ADAPTER_FIELDS)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _content(message: Message) -> tuple[Any, ...]:
    return (
        message.role, message.text, message.parts, message.tool_calls, message.tool_call_id, message.name,
        strip_adapter_data(message.metadata),
    )  # fmt: skip


class _NoCounter:
    """A token counter that returns 0: the messages are only compared."""

    name = "none"
    exact = True

    def count(self, text: str) -> int:
        return 0


def _stored(draft: MessageDraft) -> Message:
    """Return the draft as the message that would be stored."""
    return to_message(draft, session="", now=0, new_id=lambda now: "", counter=_NoCounter(), largest=1 << 40)
