"""What happens to every request before and after its route. Plain ASGI, because every request passes through it."""

from __future__ import annotations

import re
import secrets
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from keepsaid.server.access.allowed_hosts import AllowedHosts
from keepsaid.server.access.authentication import RequestAuthenticator, check_scope
from keepsaid.server.coordination.clients import CoordinatorClient
from keepsaid.server.coordination.commands import CountRequest
from keepsaid.server.fair_queue import REQUEST_OWNER
from keepsaid.server.idempotency import UPLOADS
from keepsaid.server.metrics import ServerMetrics
from keepsaid.server.problems import (
    TOO_LARGE,
    UNAUTHENTICATED,
    RequestRefusal,
    problem_of,
    problem_response,
    refusal_response,
)

OPEN_PATHS = frozenset(("/healthz", "/readyz"))
GUARDED_PATHS = ("/v1/", "/metrics")
"""Path prefixes that need a credential. The web page itself holds no user data."""
PROXY_HEADERS = (
    "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via", "cf-connecting-ip",
    "true-client-ip", "x-client-ip", "x-cluster-client-ip", "fastly-client-ip", "x-original-forwarded-for",
)  # fmt: skip
"""Headers that a proxy adds: a client that comes through one is not on this machine."""
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
CSP = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
    b" manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CSP),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
ALLOWED_HEADERS = (
    b"Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, Keepsaid-Conversation, Keepsaid-User,"
    b" X-Request-Id"
)
EXPOSED_HEADERS = (
    b"ETag, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Keepsaid-Conversation, Keepsaid-Receipt,"
    b" Keepsaid-Tokens, Keepsaid-Used, Retry-After, X-Request-Id"
)


class AccessMiddleware:
    """Give each request an id, admit or refuse it, limit its body, and log its result."""

    def __init__(
        self, app: ASGIApp, *, authenticator: RequestAuthenticator, allowed_hosts: AllowedHosts,
        coordinator: CoordinatorClient | None, metrics: ServerMetrics, body: int, upload: int,
    ) -> None:  # fmt: skip
        self._app = app
        self._authenticator = authenticator
        self._allowed_hosts = allowed_hosts
        self._coordinator = coordinator  # None without a rate limit
        self._metrics = metrics
        self._body = body
        self._upload = upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        headers = Headers(scope=scope)
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = id = _request_id(headers.get("x-request-id"))
        extra_headers: list[tuple[bytes, bytes]] = [(b"x-request-id", id.encode()), *SECURITY]
        status, has_started = 500, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, has_started
            if message["type"] == "http.response.start":
                status, has_started = message["status"], True
                message["headers"] = [*message["headers"], *extra_headers]
                if scope["path"].startswith("/v1/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            await self._admit(scope, headers, extra_headers)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await _preflight(extra_headers, send_with_headers)
                return
            await self._app(scope, self._limit_body(scope, headers, receive), send_with_headers)
        except RequestRefusal as error:
            await refusal_response(error, f"urn:request:{id}")(scope, receive, send_with_headers)
        except Exception as error:
            # Starlette has already sent a problem document if it could; what arrives here is for the log.
            if not has_started:
                await problem_response(problem_of(error, f"urn:request:{id}"))(scope, receive, send_with_headers)
            state["error"] = describe_location(error)
        finally:
            self._metrics.record_request(scope, state, status, time.perf_counter() - began)

    async def _admit(self, scope: Scope, headers: Headers, extra_headers: list[tuple[bytes, bytes]]) -> None:
        path: str = scope["path"]
        if path in OPEN_PATHS:
            return
        origin = headers.get("origin")
        navigation = not path.startswith(GUARDED_PATHS) and scope["method"] in ("GET", "HEAD")
        # Following a link to the page from another site is allowed.
        if self._allowed_hosts.check(headers.get("host", ""), origin, None if navigation else headers.get("sec-fetch-site")):
            extra_headers += _cors(origin or "")
            if scope["method"] == "OPTIONS":
                return
        if path.startswith(GUARDED_PATHS):
            if not self._authenticator.requires_key and any(name in headers for name in PROXY_HEADERS):
                raise RequestRefusal(UNAUTHENTICATED, "requests through a proxy need a key: set server_auth to on")
            principal = await self._authenticator.authenticate(headers.get("authorization"), headers.get("keepsaid-user"))
            scope["state"]["principal"] = principal
            REQUEST_OWNER.set(principal.owner or principal.name)
            check_scope(principal, scope["method"], path)
            if self._coordinator is not None:
                extra_headers += await self._coordinator.execute(CountRequest(principal.owner or principal.name))

    def _limit_body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Refuse a body that is too large: at once if its length is declared, otherwise while it is read."""
        most = self._upload if scope["path"] in UPLOADS else self._body
        length = headers.get("content-length")
        if length is not None and length.isdigit():
            if int(length) > most:
                raise RequestRefusal(TOO_LARGE, f"a body may have {most:,} bytes, and this one has {int(length):,}")
            return receive  # the HTTP parser enforces the declared length
        taken = 0

        async def receive_bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise RequestRefusal(TOO_LARGE, f"a body may have {most:,} bytes")
            return message

        return receive_bounded


def describe_location(error: BaseException) -> str:
    """Describe an error by its type and the lines of this package it passed through, without any values."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "keepsaid" in frame.filename]
    return " < ".join([type(error).__name__, *(f"{Path(one.filename).name}:{one.lineno}" for one in reversed(frames[-3:]))])


def _request_id(given: str | None) -> str:
    return given if given is not None and REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _cors(origin: str) -> Iterable[tuple[bytes, bytes]]:
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", EXPOSED_HEADERS),
        (b"vary", b"Origin"),
    )


async def _preflight(extra_headers: list[tuple[bytes, bytes]], send: Send) -> None:
    extra_headers += [
        (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE"),
        (b"access-control-allow-headers", ALLOWED_HEADERS),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})
