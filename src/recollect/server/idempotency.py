"""Requests that may be sent twice and are done once, by their Idempotency-Key.

Two things make it so. What a request makes (a session, a message) gets an id that is made from the key, so that the store
itself knows it again, for ever and after any crash. And the answers of the last day are kept in the lobby, so that whoever
asks again gets the same one, and a request that reuses a key for something else is refused.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import StoreClosed
from recollect.server.lobby.answers import Answer, Claim, Making, Name
from recollect.server.lobby.lines import Line
from recollect.server.lobby.orders import ClaimAnswer, DropAnswer, KeepAnswer
from recollect.server.problems import BEING_DONE, KEY_REUSED, Refusal, refused

HEADER = "idempotency-key"
UPLOADS = frozenset(("/v1/import", "/v1/documents"))
"""Too large to be held, and the same file again changes nothing anyhow."""
ADMIN = "/v1/admin/"
"""What has secrets in its answers, which are kept nowhere."""
LONGEST_KEY = 255
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
class _Made:
    """An answer while it is made."""

    name: Name
    claim: int
    fingerprint: str
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list[tuple[bytes, bytes]])
    body: bytes = b""
    streams: bool = False
    settled: bool = False

    @property
    def is_for_good(self) -> bool:
        """Whether the same would be answered again. An error of ours may be gone the next time."""
        lasts = 200 <= self.status < 500 and self.status not in (401, 403, 409, 429)
        return lasts and not self.streams and len(self.body) <= LARGEST_BODY


class Idempotency:
    """Answers a POST that was answered before with the same again, whichever process answered it."""

    def __init__(self, app: ASGIApp, line: Line) -> None:
        self._app = app
        self._line = line

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
        known = await self._line.ask(ClaimAnswer(name, fingerprint))
        if not isinstance(known, Claim):
            await _again(known, fingerprint, scope, receive, send)
            return
        made = _Made(name, known.number, fingerprint)
        try:
            await self._app(scope, _from(body, receive), self._keeping(made, scope, send))
        finally:
            if not made.settled:  # half an answer is none
                self._line.tell(DropAnswer(name, made.claim))

    def _keeping(self, made: _Made, scope: Scope, send: Send) -> Send:
        """Sends an answer, and keeps it before its end goes: who has it may ask again at once, wherever that arrives."""
        principal = scope["state"]["principal"]

        async def send_and_keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                made.status, made.headers = message["status"], list(message["headers"])
                made.streams = any(
                    name == b"content-type" and value.startswith(b"text/event-stream") for name, value in made.headers
                )
            elif message["type"] == "http.response.body":
                if not made.streams and len(made.body) <= LARGEST_BODY:
                    made.body += message.get("body", b"")
                # Whoever turned out to act for another is not found by the other's name when something of his is erased.
                if not message.get("more_body"):
                    await self._settle(made, made.is_for_good and scope["state"]["principal"] is principal)
            await send(message)

        return send_and_keep

    async def _settle(self, made: _Made, keep: bool) -> None:
        answer = Answer(made.fingerprint, made.status, made.headers, made.body)
        made.settled = True
        with suppress(StoreClosed):  # the parent is gone; the answer is as good without
            order = KeepAnswer(made.name, made.claim, answer) if keep else DropAnswer(made.name, made.claim)
            await self._line.ask(order)


async def _again(known: Making | Answer, fingerprint: str, scope: Scope, receive: Receive, send: Send) -> None:
    instance = f"urn:request:{scope['state']['request_id']}"
    if known.fingerprint != fingerprint:
        await refused(Refusal(KEY_REUSED, "use a new key for a new request"), instance)(scope, receive, send)
        return
    if isinstance(known, Making):
        again = Refusal(BEING_DONE, "ask again when it is done", {"Retry-After": "1"})
        await refused(again, instance)(scope, receive, send)
        return
    headers = [*known.headers, (b"idempotency-replayed", b"true")]
    await send({"type": "http.response.start", "status": known.status, "headers": headers})
    await send({"type": "http.response.body", "body": known.body})


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
