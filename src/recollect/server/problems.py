"""Errors on the wire: each of ours becomes a problem document by RFC 9457, in one place."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from recollect import errors
from recollect.server.openai.errors import error_response, is_door
from recollect.server.shapes.basis import Problem

MEDIA_TYPE = "application/problem+json"
TYPES = "/docs#"
MOST_PLACES = 20
LONGEST_PLACE = 200


class Kind(NamedTuple):
    """How one error is told: its name, its status, and a title."""

    name: str
    status: int
    title: str


class Refusal(Exception):
    """A request that is turned away by the server itself, not by the memory."""

    def __init__(self, kind: Kind, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}

    def __reduce__(self) -> tuple[type[Refusal], tuple[Kind, str, dict[str, str]]]:
        return Refusal, (self.kind, self.detail, self.headers)  # it may be made in another process


UNAUTHENTICATED = Kind("unauthenticated", 401, "A valid key or token is needed")
FORBIDDEN = Kind("forbidden", 403, "This key may not do that")
WRONG_HOST = Kind("wrong-host", 421, "This server is not meant to be reached by that name")
WRONG_ORIGIN = Kind("wrong-origin", 403, "Another site's pages may not do that")
UNREADABLE = Kind("unreadable-document", 415, "The document cannot be read")
TOO_LARGE = Kind("too-large", 413, "The body is too large")
TOO_OFTEN = Kind("too-often", 429, "Too many requests")
QUOTA = Kind("quota-exceeded", 403, "The owner's quota is used up")
TURN_RUNNING = Kind("turn-running", 409, "This conversation is being answered")
NO_MODEL = Kind("no-model", 503, "There is no language model")
UPSTREAM = Kind("model-failed", 502, "The language model gave no answer")
BEING_DONE = Kind("being-done", 409, "A request with this Idempotency-Key is being done")
KEY_REUSED = Kind("idempotency-key-reused", 422, "This Idempotency-Key came with another request before")
BROKEN_OFF = Kind("broken-off", 503, "The process that did it came to its end")
NOT_HERE = Kind("not-with-workers", 409, "Several processes serve, and this lives in one")
CHANGED = Kind("changed", 412, "It was changed in between")
INVALID = Kind("invalid-input", 422, "The request cannot be used")
NOT_FOUND = Kind("not-found", 404, "Not found")
CONFLICT = Kind("conflict", 409, "The store is in another state")
BROKEN = Kind("internal-error", 500, "The server made a mistake")

KINDS: tuple[tuple[type[Exception], Kind], ...] = (
    (errors.InvalidCursor, Kind("invalid-cursor", 409, "The cursor belongs to another list")),
    (errors.MessageTooLarge, TOO_LARGE),
    (errors.BudgetTooSmall, Kind("budget-too-small", 409, "The budget cannot hold the system prompt and the question")),
    (errors.InvalidInput, INVALID),
    (errors.NotFound, NOT_FOUND),
    (errors.MessageConflict, Kind("message-conflict", 409, "The id is taken by another message")),
    (errors.RevisionConflict, CHANGED),
    (errors.IllegalMove, Kind("illegal-move", 409, "The session's life has no such step")),
    (errors.Erased, Kind("erased", 409, "This was erased for good")),
    (errors.Conflict, CONFLICT),
    (errors.MissingExtra, Kind("not-installed", 503, "An optional part is not installed")),
    (errors.MissingModel, Kind("no-model", 409, "There is no model to search by meaning")),
    (errors.EmbedderError, Kind("embedder-failed", 503, "What makes vectors failed")),
    (errors.LLMError, UPSTREAM),
    (errors.RetrieverError, Kind("retriever-failed", 502, "The application's retriever failed")),
    (errors.ImportProblem, Kind("unreadable-import", 422, "The file cannot be read")),
    (errors.StoreBusy, Kind("store-busy", 503, "The store is busy")),
    (errors.StoreFull, Kind("store-full", 507, "The disk is full")),
    (errors.StorageError, Kind("store-failed", 503, "The store cannot go on")),
)
"""The first that fits counts."""


def kind_of(error: Exception) -> Kind:
    """How an error is told.

    >>> kind_of(errors.NotFound("gone")).status
    404
    """
    if isinstance(error, Refusal):
        return error.kind
    return next((kind for known, kind in KINDS if isinstance(error, known)), BROKEN)


def problem(kind: Kind, detail: str, instance: str, places: list[dict[str, Any]] | None = None) -> Problem:
    """The document itself."""
    return Problem(
        type=TYPES + kind.name, title=kind.title, status=kind.status, detail=detail, instance=instance, errors=places
    )


def problem_of(error: Exception, instance: str) -> Problem:
    """The document for an error; of one that is not ours nothing is told, because it may hold anything."""
    kind = kind_of(error)
    return problem(kind, kind.title if kind is BROKEN else str(error), instance)


def response(told: Problem, headers: dict[str, str] | None = None) -> Response:
    """The document as an answer."""
    return _Told(told, headers)


class _Told(Response):
    """A problem document; at OpenAI's doors an error in its shape, so that its clients know it."""

    def __init__(self, told: Problem, headers: dict[str, str] | None) -> None:
        super().__init__(told.model_dump_json(exclude_none=True), told.status, headers, MEDIA_TYPE)
        self._for_openai = error_response(told, headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._for_openai if is_door(scope["path"]) else super()
        await answer.__call__(scope, receive, send)


def refused(error: Refusal, instance: str) -> Response:
    """The answer to a request that is turned away."""
    return response(problem(error.kind, error.detail, instance), error.headers)


async def on_error(request: Request, error: Exception) -> Response:
    """What FastAPI calls for each error that a route raises."""
    headers = {"Retry-After": "1"} if isinstance(error, errors.StoreBusy) else {}
    if isinstance(error, Refusal):
        headers = error.headers
    return response(problem_of(error, _instance(request)), headers)


async def on_invalid(request: Request, error: Exception) -> Response:
    """A request that does not fit its shape: says where, and not what was sent."""
    assert isinstance(error, RequestValidationError)
    told = error.errors()[:MOST_PLACES]
    places = [{"at": ".".join(map(str, one["loc"]))[:LONGEST_PLACE], "why": one["msg"][:LONGEST_PLACE]} for one in told]
    first = f"{places[0]['at']}: {places[0]['why']}" if places else INVALID.title
    return response(problem(INVALID, first, _instance(request), places))


async def on_http_error(request: Request, error: Exception) -> Response:
    """What the framework itself turns away: unknown paths and methods, unreadable bodies."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, Refusal):
        # A body that turned out to be too large while it was read.
        return await on_error(request, error.__cause__)
    kind = NOT_FOUND if error.status_code == 404 else Kind("refused", error.status_code, str(error.detail))
    detail = "there is nothing at this path" if kind is NOT_FOUND else str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods(request))
    return response(problem(kind, detail, _instance(request)), headers)


def _methods(request: Request) -> list[str]:
    """The methods that a path has: the framework names those of the first route that fits it alone."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    fitting = (route.methods or () for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return sorted({method for methods in fitting for method in methods})


def _instance(request: Request) -> str:
    return f"urn:request:{getattr(request.state, 'request_id', 'unknown')}"
