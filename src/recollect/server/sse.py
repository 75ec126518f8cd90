"""Server-sent events: how one is written, and an answer made of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic_core import to_json
from starlette.responses import StreamingResponse

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that nobody on the way takes the line for dead."""
HEADERS = {"X-Accel-Buffering": "no"}


def event(name: str, data: Any, id: str | None = None) -> bytes:
    r"""One event.

    >>> event("message.delta", {"text": "Hi"})
    b'event: message.delta\ndata: {"text":"Hi"}\n\n'
    """
    head = f"id: {id}\nevent: {name}\n" if id is not None else f"event: {name}\n"
    # JSON has no bare line breaks, so the data is always one line.
    return head.encode() + b"data: " + to_json(data) + b"\n\n"


def comment(name: str, data: Any) -> bytes:
    r"""A line that programs pass over and people read.

    >>> comment("RAG_DEBUG", {"hits": 2})
    b': RAG_DEBUG {"hits":2}\n\n'
    """
    return f": {name} ".encode() + to_json(data) + b"\n\n"


def streamed(events: AsyncIterator[bytes]) -> StreamingResponse:
    """An answer made of events."""
    return StreamingResponse(events, headers=HEADERS, media_type="text/event-stream")
