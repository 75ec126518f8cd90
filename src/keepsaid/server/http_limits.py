"""The server's HTTP protocol with limits: on the head of a request, on its duration, and on connections per address.

They apply before any credential is checked, and so bound what an unauthenticated client can use of memory and connections.
"""

from __future__ import annotations

import asyncio
import functools
import json
from collections import Counter
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any, Literal, NamedTuple, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from keepsaid.config import Settings
from keepsaid.server.problems import HEAD_TOO_LARGE, MEDIA_TYPE, TOO_MANY_CONNECTIONS, TOO_SLOW, TYPES, ProblemKind

MIN_BODY_BYTES = 1_000
"""Bytes of a body that must arrive in each patience interval."""
MAX_FRAMING_BYTES = 16
"""Framing bytes allowed per byte of a body: chunks of one byte each are wasteful, but allowed."""

RequestPart = Literal["head", "body"] | None
"""The part of a request that is being received; None between two requests."""


class HttpLimits(NamedTuple):
    """What a connection may use before its user is known."""

    head: int
    patience: float
    connections: int | None

    @classmethod
    def of(cls, settings: Settings) -> HttpLimits:
        """Return the limits of the settings."""
        return cls(settings.server_header, settings.server_patience, settings.server_connections)


def address_group(address: str) -> str:
    """Return what counts as one address: for IPv6 the /64 network, because a client usually has a whole one.

    >>> address_group("192.0.2.7"), address_group("::ffff:192.0.2.7"), address_group("2001:db8::1:2")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, 64), strict=False))


def limited_protocol(limits: HttpLimits) -> Callable[..., LimitedProtocol]:
    """Return the factory that uvicorn calls for every connection."""
    return functools.partial(LimitedProtocol, limits=limits, addresses=Counter())


class LimitedProtocol(HttpToolsProtocol):
    """One connection. It is closed with an error if the client sends too much or too slowly, or has too many connections."""

    def __init__(self, *args: Any, limits: HttpLimits, addresses: Counter[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._addresses = addresses
        self._address: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._part: RequestPart = None
        self._requests = 0
        self._head = self._parsed_head = 0
        """Bytes of the head received so far, and those that the parser has reported."""
        self._framing = 0
        """Bytes received since the head that do not belong to the body."""
        self._body = self._body_before = 0

    # -- the connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, or close it if its address has too many."""
        super().connection_made(transport)
        self._address = address_group(self.client[0]) if self.client else None
        if self._address is not None:
            self._addresses[self._address] += 1
            most = self._limits.connections
            if most is not None and self._addresses[self._address] > most:
                self._refuse(TOO_MANY_CONNECTIONS, f"at most {most} connections per address at a time (server_connections)")
                return
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self._stop_timer()
        if self._address is not None:
            self._addresses[self._address] -= 1
            if self._addresses[self._address] <= 0:
                del self._addresses[self._address]
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received data, unless there is too much that the parser reports to no callback."""
        if self.transport.is_closing():
            return
        before, body = (self._requests, self._part), self._body
        super().data_received(data)
        if self.transport.is_closing() or before != (self._requests, self._part):
            return  # data that arrived together with the end of another part is small
        if self._part == "head":
            # The parser does not report an unfinished header while it buffers it.
            self._head += len(data)
            if self._head > self._limits.head:
                self._refuse_head()
        elif self._part == "body":
            self._framing += len(data) - (self._body - body)
            if self._framing > self._limits.head + MAX_FRAMING_BYTES * self._body:
                self._refuse_head()

    # -- the parser

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._requests += 1
        self._part = "head"
        self._head = self._parsed_head = self._framing = self._body = self._body_before = 0
        if self._timer is None:
            self._start_timer()

    def on_url(self, url: bytes) -> None:
        """Count a part of the URL."""
        self._parsed_head += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, and ignore trailers after the body."""
        if self._part == "head":
            self._parsed_head += len(name) + len(value) + 4
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the complete head, and go on with the body."""
        self._part = "body"
        self._stop_timer()
        if self._parsed_head > self._limits.head:
            self._refuse_head()
            return
        self._start_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count a part of the body."""
        self._body += len(body)
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Finish a request."""
        self._stop_timer()
        self._part = None
        if not self.transport.is_closing():
            super().on_message_complete()

    # -- time

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self._limits.patience, self._check_progress)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_progress(self) -> None:
        """Refuse a request without a complete head or with too slow a body, unless reading is paused on our side."""
        self._timer = None
        if self.transport.is_closing():
            return
        if self._part == "body" and (self.flow.read_paused or self._body - self._body_before >= MIN_BODY_BYTES):
            self._body_before = self._body
            self._start_timer()
            return
        self._refuse(TOO_SLOW, f"no more of the request arrived for {self._limits.patience:g} seconds (server_patience)")

    # -- refusals

    def _refuse_head(self) -> None:
        self._refuse(HEAD_TOO_LARGE, f"URL and headers may have {self._limits.head:,} bytes together (server_header)")

    def _refuse(self, kind: ProblemKind, detail: str) -> None:
        """Send the reason, unless a response has started, and close the connection."""
        self._stop_timer()
        cycle = cast("RequestResponseCycle | None", self.cycle)  # uvicorn has none before the first request
        if cycle is None or cycle.response_complete or not cycle.response_started:
            document = {"type": TYPES + kind.name, "title": kind.title, "status": kind.status, "detail": detail}
            content = json.dumps(document).encode()
            head = (
                f"HTTP/1.1 {kind.status} {kind.title}\r\ncontent-type: {MEDIA_TYPE}\r\n"
                f"content-length: {len(content)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + content)
        if cycle is not None:
            cycle.disconnected = True  # the rest of a running response is discarded
        self.transport.close()
