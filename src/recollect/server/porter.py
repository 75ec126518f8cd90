"""The porter: what happens to every request before and after its route. Plain ASGI, because it is in everybody's way."""

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

from recollect.server.access.doorway import Doorway
from recollect.server.access.gate import Gate, permit
from recollect.server.idempotency import UPLOADS
from recollect.server.lobby.lines import Line
from recollect.server.lobby.orders import TakeRate
from recollect.server.measures import Measures
from recollect.server.problems import TOO_LARGE, UNAUTHENTICATED, Refusal, problem_of, refused, response

OPEN = frozenset(("/healthz", "/readyz"))
GUARDED = ("/v1/", "/metrics")
"""What needs a credential. The page itself holds nothing of anybody."""
FORWARDED = ("forwarded", "x-forwarded-for")
"""What a proxy adds: whoever is behind it is not at this machine."""
SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
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
ALLOWED = (
    b"Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, Recollect-Conversation, Recollect-User,"
    b" X-Request-Id"
)
EXPOSED = (
    b"ETag, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Recollect-Conversation, Recollect-Receipt,"
    b" Recollect-Tokens, Recollect-Used, Retry-After, X-Request-Id"
)


class Porter:
    """Names a request, lets it in or turns it away, bounds it, and notes how it went."""

    def __init__(
        self, app: ASGIApp, *, gate: Gate, doorway: Doorway, line: Line | None, measures: Measures, body: int, upload: int
    ) -> None:
        self._app = app
        self._gate = gate
        self._doorway = doorway
        self._line = line  # None where anybody may ask as often as he likes
        self._measures = measures
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
        told: list[tuple[bytes, bytes]] = [(b"x-request-id", id.encode()), *SECURITY]
        status, began_to_answer = 500, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, began_to_answer
            if message["type"] == "http.response.start":
                status, began_to_answer = message["status"], True
                message["headers"] = [*message["headers"], *told]
                if scope["path"].startswith("/v1/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            await self._admitted(scope, headers, told)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await _preflight(told, send_with_headers)
                return
            await self._app(scope, self._bounded(scope, headers, receive), send_with_headers)
        except Refusal as error:
            await refused(error, f"urn:request:{id}")(scope, receive, send_with_headers)
        except Exception as error:
            # Starlette has sent a problem already, if it could; what comes here is for the log.
            if not began_to_answer:
                await response(problem_of(error, f"urn:request:{id}"))(scope, receive, send_with_headers)
            state["error"] = where(error)
        finally:
            self._measures.note(scope, state, status, time.perf_counter() - began)

    async def _admitted(self, scope: Scope, headers: Headers, told: list[tuple[bytes, bytes]]) -> None:
        path: str = scope["path"]
        if path in OPEN:
            return
        origin = headers.get("origin")
        navigation = not path.startswith(GUARDED) and scope["method"] in ("GET", "HEAD")
        # Whoever follows a link to the page comes from another site, and may.
        if self._doorway.check(headers.get("host", ""), origin, None if navigation else headers.get("sec-fetch-site")):
            told += _cors(origin or "")
            if scope["method"] == "OPTIONS":
                return
        if path.startswith(GUARDED):
            if not self._gate.needed and any(name in headers for name in FORWARDED):
                raise Refusal(UNAUTHENTICATED, "behind a proxy, requests need a key: set server_auth to on")
            principal = await self._gate.admit(headers.get("authorization"), headers.get("recollect-user"))
            scope["state"]["principal"] = principal
            permit(principal, scope["method"], path)
            if self._line is not None:
                told += await self._line.ask(TakeRate(principal.owner or principal.name))

    def _bounded(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Refuses a body that is too large: at once if it says so, else when it turns out to be."""
        most = self._upload if scope["path"] in UPLOADS else self._body
        length = headers.get("content-length")
        if length is not None and length.isdigit():
            if int(length) > most:
                raise Refusal(TOO_LARGE, f"a body may have {most:,} bytes, and this has {int(length):,}")
            return receive  # the HTTP parser holds it to its word
        taken = 0

        async def receive_bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise Refusal(TOO_LARGE, f"a body may have {most:,} bytes")
            return message

        return receive_bounded


def where(error: BaseException) -> str:
    """What went wrong and in which lines of ours, without any value."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "recollect" in frame.filename]
    return " < ".join([type(error).__name__, *(f"{Path(one.filename).name}:{one.lineno}" for one in reversed(frames[-3:]))])


def _request_id(given: str | None) -> str:
    return given if given is not None and SANE_ID.fullmatch(given) else secrets.token_hex(8)


def _cors(origin: str) -> Iterable[tuple[bytes, bytes]]:
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", EXPOSED),
        (b"vary", b"Origin"),
    )


async def _preflight(told: list[tuple[bytes, bytes]], send: Send) -> None:
    told += [
        (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE"),
        (b"access-control-allow-headers", ALLOWED),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})
