"""Requests that may be sent twice and are done once, by their Idempotency-Key.

Two things make it so. What a request makes (a session, a message) gets an id that is made from the key, so that the store
itself knows it again, for ever and after any crash. And the answers of the last day are kept in memory, so that whoever asks
again gets the same one, and a request that reuses a key for something else is refused.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.server.problems import BEING_DONE, KEY_REUSED, Refusal, refused

HEADER = "idempotency-key"
UPLOADS = frozenset(("/v1/import", "/v1/documents"))
"""Too large to be held, and the same file again changes nothing anyhow."""
ADMIN = "/v1/admin/"
"""What has secrets in its answers, which are kept nowhere."""
LONGEST_KEY = 255
KEPT_FOR = 24 * 3600
MOST_KEPT = 2_000
LARGEST_BODY = 20_000
"""Bytes of an answer that is kept; the ids still do for a larger one."""


def id_from_key(request: Request, part: str = "") -> str | None:
    """The id of what a request makes, if it has an Idempotency-Key."""
    key = request.headers.get(HEADER)
    if not key:
        return None
    principal = request.state.principal
    owner: str = principal.owner or principal.name
    named = "\0".join((owner, request.method, request.url.path, key, part))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(slots=True)
class _Answer:
    """An answer that is kept, or is still being made (no status)."""

    fingerprint: str
    at: float
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list[tuple[bytes, bytes]])
    body: bytes = b""


class Idempotency:
    """Answers a POST that was answered before with the same again."""

    def __init__(self, app: ASGIApp, on_forget: Callable[[Callable[[str], None]], None]) -> None:
        self._app = app
        on_forget(self.forget)
        self._answers: OrderedDict[tuple[str, str, str], _Answer] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(HEADER) if scope["type"] == "http" and scope["method"] == "POST" else None
        principal = scope.get("state", {}).get("principal")
        path: str = scope.get("path", "")
        if not key or principal is None or len(key) > LONGEST_KEY or path in UPLOADS or path.startswith(ADMIN):
            await self._app(scope, receive, send)
            return
        body = await _whole(receive)
        if body is None:
            return
        name = (principal.owner or principal.name, scope["path"], key)
        fingerprint = hashlib.sha256(scope["query_string"] + b"\0" + body).hexdigest()
        known = self._answers.get(name)
        if known is not None and known.at > time.monotonic() - KEPT_FOR:
            await _again(known, fingerprint, scope, receive, send)
            return
        self._answers[name] = made = _Answer(fingerprint, time.monotonic())
        self._make_room()
        try:
            await self._app(scope, _from(body, receive), _keeping(made, send))
        finally:
            # An error of ours may be gone the next time; and half an answer is none. Whoever turned out to act for another
            # is not found by the other's name when something of his is erased.
            failed = not 200 <= made.status < 500 or made.status in (401, 403, 409, 429)
            if failed or len(made.body) > LARGEST_BODY or scope["state"]["principal"] is not principal:
                self._answers.pop(name, None)

    def forget(self, owner: str) -> None:
        """Forgets the answers of an owner: something of his was erased."""
        for name in [name for name in self._answers if name[0] == owner]:
            del self._answers[name]

    def _make_room(self) -> None:
        while len(self._answers) > MOST_KEPT:
            self._answers.popitem(last=False)


async def _again(known: _Answer, fingerprint: str, scope: Scope, receive: Receive, send: Send) -> None:
    instance = f"urn:request:{scope['state']['request_id']}"
    if known.fingerprint != fingerprint:
        await refused(Refusal(KEY_REUSED, "use a new key for a new request"), instance)(scope, receive, send)
        return
    if not known.status:
        again = Refusal(BEING_DONE, "ask again when it is done", {"Retry-After": "1"})
        await refused(again, instance)(scope, receive, send)
        return
    headers = [*known.headers, (b"idempotency-replayed", b"true")]
    await send({"type": "http.response.start", "status": known.status, "headers": headers})
    await send({"type": "http.response.body", "body": known.body})


def _keeping(made: _Answer, send: Send) -> Send:
    """Sends an answer, and keeps it if it is no stream."""

    async def send_and_keep(message: Message) -> None:
        if message["type"] == "http.response.start":
            status, headers = message["status"], list(message["headers"])
            streams = any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in headers)
            made.headers, made.status = headers, 599 if streams else status
        elif made.status != 599 and len(made.body) <= LARGEST_BODY:
            made.body += message.get("body", b"")
        await send(message)

    return send_and_keep


async def _whole(receive: Receive) -> bytes | None:
    """The whole body, which the porter has bounded; None if it broke off."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def _from(body: bytes, receive: Receive) -> Receive:
    """The body again for the application, and then whatever else comes, such as that the client is gone."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
