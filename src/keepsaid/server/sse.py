"""Server-sent events: encode them, and respond with a stream of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic_core import to_json
from starlette.responses import StreamingResponse

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that no proxy closes the connection."""
STREAM_HEADERS = {"X-Accel-Buffering": "no"}


def encode_event(name: str, data: Any, id: str | None = None) -> bytes:
    r"""Encode one event.

    >>> encode_event("message.delta", {"text": "Hi"})
    b'event: message.delta\ndata: {"text":"Hi"}\n\n'
    """
    head = f"id: {id}\nevent: {name}\n" if id is not None else f"event: {name}\n"
    # JSON has no raw line breaks, so the data is always one line.
    return head.encode() + b"data: " + to_json(data) + b"\n\n"


def encode_comment(name: str, data: Any) -> bytes:
    r"""Encode a comment: people read it, clients ignore it.

    >>> encode_comment("RAG_DEBUG", {"hits": 2})
    b': RAG_DEBUG {"hits":2}\n\n'
    """
    return f": {name} ".encode() + to_json(data) + b"\n\n"


def event_stream_response(events: AsyncIterator[bytes]) -> StreamingResponse:
    """Return a response that streams events."""
    return StreamingResponse(events, headers=STREAM_HEADERS, media_type="text/event-stream")
