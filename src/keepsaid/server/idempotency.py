"""Requests with an Idempotency-Key: a request sent twice is executed once.

Two things make this work. What a request creates (a session, a message) gets an id derived from the key, so that the store
itself recognizes it, also after a crash. And the coordinator keeps the answers of the last day, so that a repeated request
gets the same answer, and a request that reuses a key for something else is refused. An answer may contain data that another
program has erased since, so the store is checked before an answer is sent again.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from keepsaid.errors import KeepsaidError, StoreClosed
from keepsaid.server.access.authentication import READ_ONLY_POSTS
from keepsaid.server.coordination.clients import CoordinatorClient
from keepsaid.server.coordination.commands import ClaimAnswer, DropAnswer, ForgetAnswer, KeepAnswer
from keepsaid.server.coordination.idempotent_answers import AnswerClaim, PendingAnswer, RequestName, StoredAnswer
from keepsaid.server.erasure_check import ErasureCheck, OwnerPosition
from keepsaid.server.problems import BEING_DONE, KEY_REUSED, RequestRefusal, refusal_response

HEADER = "idempotency-key"
UPLOADS = frozenset(("/v1/import", "/v1/documents"))
"""Too large to keep in memory, and sending the same file again changes nothing."""
ADMIN = "/v1/admin/"
"""Answers with secrets, which are never stored."""
MAX_KEY_LENGTH = 255
MAX_BODY_BYTES = 20_000
"""The largest answer kept, in bytes; for a larger one the derived ids suffice."""


def id_from_key(request: Request, part: str = "") -> str | None:
    """Derive the id of what a request creates from its Idempotency-Key; None without a key."""
    key = request.headers.get(HEADER)
    if not key:
        return None
    principal = request.state.principal
    owner: str = principal.owner or principal.name
    text = "\0".join((owner, request.method, request.url.path, key, part))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(slots=True)
class _AnswerDraft:
    """An answer while the request is being processed."""

    name: RequestName
    claim: int
    fingerprint: str
    position: OwnerPosition | None
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list[tuple[bytes, bytes]])
    body: bytes = b""
    streams: bool = False
    settled: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether the same request would always get this answer. A server error may not occur the next time."""
        lasts = 200 <= self.status < 500 and self.status not in (401, 403, 409, 429)
        return lasts and not self.streams and len(self.body) <= MAX_BODY_BYTES and self.position is not None


class IdempotencyMiddleware:
    """Answers a repeated POST with the earlier answer, whichever process gave it."""

    def __init__(self, app: ASGIApp, coordinator: CoordinatorClient, erasures: ErasureCheck) -> None:
        self._app = app
        self._coordinator = coordinator
        self._erasures = erasures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(HEADER) if scope["type"] == "http" and scope["method"] == "POST" else None
        principal = scope.get("state", {}).get("principal")
        path: str = scope.get("path", "")
        is_not_kept = path in UPLOADS or path in READ_ONLY_POSTS or path.startswith(ADMIN)
        if not key or principal is None or len(key) > MAX_KEY_LENGTH or is_not_kept:
            await self._app(scope, receive, send)
            return
        body = await _read_body(receive)
        if body is None:
            return
        name = (principal.owner or principal.name, scope["path"], key)
        fingerprint = hashlib.sha256(scope["query_string"] + b"\0" + body).hexdigest()
        known = await self._claimed(name, fingerprint)
        if not isinstance(known, AnswerClaim):
            await _send_again(known, fingerprint, scope, receive, send)
            return
        draft = _AnswerDraft(name, known.number, fingerprint, None)
        try:
            draft.position = await self._position(principal.owner, _pool_of(scope, body))
            await self._app(scope, _replay_body(body, receive), self._recording_send(draft, scope, send))
        finally:
            if not draft.settled:  # a partial answer is not kept
                self._coordinator.send(DropAnswer(name, draft.claim))

    async def _claimed(self, name: RequestName, fingerprint: str) -> AnswerClaim | PendingAnswer | StoredAnswer:
        """Return the claim to answer, or the earlier answer if nothing in it was erased."""
        known = await self._coordinator.execute(ClaimAnswer(name, fingerprint))
        if not isinstance(known, StoredAnswer) or known.fingerprint != fingerprint:
            return known
        if known.position is None or not await self._erasures.has_erased(known.position, known.body):
            return known
        await self._coordinator.execute(ForgetAnswer(name))
        return await self._coordinator.execute(ClaimAnswer(name, fingerprint))

    async def _position(self, owner: str | None, pool: str | None) -> OwnerPosition | None:
        """Return the owner's position before the request is processed. If it is unknown (None), the answer is not kept."""
        if owner is None:
            return None
        try:
            return await self._erasures.position(owner, pool)
        except KeepsaidError:
            return None  # the request itself will fail in the same way and report it

    def _recording_send(self, draft: _AnswerDraft, scope: Scope, send: Send) -> Send:
        """Wrap `send` to keep the answer before its end is sent: the client may repeat it at once in any process."""
        principal = scope["state"]["principal"]

        async def send_and_keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                draft.status, draft.headers = message["status"], list(message["headers"])
                draft.streams = any(
                    name == b"content-type" and value.startswith(b"text/event-stream") for name, value in draft.headers
                )
            elif message["type"] == "http.response.body":
                if not draft.streams and len(draft.body) <= MAX_BODY_BYTES:
                    draft.body += message.get("body", b"")
                # An answer for another user than the credential's would not be found when data of that user is erased.
                if not message.get("more_body"):
                    await self._settle(draft, draft.is_repeatable and scope["state"]["principal"] is principal)
            await send(message)

        return send_and_keep

    async def _settle(self, draft: _AnswerDraft, keep: bool) -> None:
        answer = StoredAnswer(draft.fingerprint, draft.status, draft.headers, draft.body, draft.position)
        draft.settled = True
        with suppress(StoreClosed):  # the parent has ended; the answer is still valid
            command = KeepAnswer(draft.name, draft.claim, answer) if keep else DropAnswer(draft.name, draft.claim)
            await self._coordinator.execute(command)


async def _send_again(
    known: PendingAnswer | StoredAnswer, fingerprint: str, scope: Scope, receive: Receive, send: Send
) -> None:
    instance = f"urn:request:{scope['state']['request_id']}"
    if known.fingerprint != fingerprint:
        await refusal_response(RequestRefusal(KEY_REUSED, "use a new key for a new request"), instance)(scope, receive, send)
        return
    if isinstance(known, PendingAnswer):
        again = RequestRefusal(BEING_DONE, "try again when it is done", {"Retry-After": "1"})
        await refusal_response(again, instance)(scope, receive, send)
        return
    headers = [*known.headers, (b"idempotency-replayed", b"true")]
    await send({"type": "http.response.start", "status": known.status, "headers": headers})
    await send({"type": "http.response.body", "body": known.body})


def _pool_of(scope: Scope, body: bytes) -> str | None:
    """Return the pool that a request names, if any."""
    named = QueryParams(scope["query_string"]).get("pool")
    if named is None and b'"pool"' in body:
        with suppress(ValueError, AttributeError):
            named = json.loads(body).get("pool")
    return named if isinstance(named, str) else None


async def _read_body(receive: Receive) -> bytes | None:
    """Read the whole body, whose size the middleware limits; None if the client disconnected."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Receive the body again for the application, and then further messages, such as a disconnect."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
