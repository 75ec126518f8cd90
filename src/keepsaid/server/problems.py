"""Errors over HTTP: turn each exception into a problem document (RFC 9457)."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from keepsaid import errors
from keepsaid.server.openai.errors import error_response, is_openai_path
from keepsaid.server.schemas.base import ProblemDocument

MEDIA_TYPE = "application/problem+json"
TYPES = "/docs#"
MAX_ERROR_LOCATIONS = 20
MAX_ERROR_LOCATION_LENGTH = 200


class ProblemKind(NamedTuple):
    """A kind of problem: its name, HTTP status and title."""

    name: str
    status: int
    title: str


class RequestRefusal(Exception):
    """A request that the server itself refuses, not the memory."""

    def __init__(self, kind: ProblemKind, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}

    def __reduce__(self) -> tuple[type[RequestRefusal], tuple[ProblemKind, str, dict[str, str]]]:
        return RequestRefusal, (self.kind, self.detail, self.headers)  # it may be raised in another process


UNAUTHENTICATED = ProblemKind("unauthenticated", 401, "A valid key or token is needed")
FORBIDDEN = ProblemKind("forbidden", 403, "This key may not do that")
WRONG_HOST = ProblemKind("wrong-host", 421, "This server does not answer to that host name")
WRONG_ORIGIN = ProblemKind("wrong-origin", 403, "Another site's pages may not do that")
UNREADABLE = ProblemKind("unreadable-document", 415, "The document cannot be read")
TOO_LARGE = ProblemKind("too-large", 413, "The body is too large")
HEAD_TOO_LARGE = ProblemKind("head-too-large", 431, "The request head is too large")
TOO_SLOW = ProblemKind("too-slow", 408, "The request was not completed in time")
TOO_MANY_CONNECTIONS = ProblemKind("too-many-connections", 429, "Too many connections")
TOO_OFTEN = ProblemKind("too-often", 429, "Too many requests")
QUOTA = ProblemKind("quota-exceeded", 403, "The owner's quota is used up")
TURN_RUNNING = ProblemKind("turn-running", 409, "This conversation is being answered")
NO_MODEL = ProblemKind("no-model", 503, "There is no language model")
UPSTREAM = ProblemKind("model-failed", 502, "The language model did not answer")
BEING_DONE = ProblemKind("being-done", 409, "A request with this Idempotency-Key is in progress")
KEY_REUSED = ProblemKind("idempotency-key-reused", 422, "This Idempotency-Key was used for another request")
BROKEN_OFF = ProblemKind("broken-off", 503, "The process doing the work ended")
NOT_WITH_WORKERS = ProblemKind("not-with-workers", 409, "Not available with several server processes")
CHANGED = ProblemKind("changed", 412, "The resource was changed in the meantime")
INVALID = ProblemKind("invalid-input", 422, "The request is invalid")
NOT_FOUND = ProblemKind("not-found", 404, "Not found")
CONFLICT = ProblemKind("conflict", 409, "The state of the store does not allow this")
BROKEN = ProblemKind("internal-error", 500, "Internal server error")

KINDS: tuple[tuple[type[Exception], ProblemKind], ...] = (
    (errors.InvalidCursor, ProblemKind("invalid-cursor", 409, "The cursor belongs to another list")),
    (errors.MessageTooLarge, TOO_LARGE),
    (
        errors.BudgetTooSmall,
        ProblemKind("budget-too-small", 409, "The budget cannot hold the system prompt and the question"),
    ),
    (errors.InvalidInput, INVALID),
    (errors.NotFound, NOT_FOUND),
    (errors.MessageConflict, ProblemKind("message-conflict", 409, "The id belongs to another message")),
    (errors.RevisionConflict, CHANGED),
    (errors.InvalidTransition, ProblemKind("invalid-transition", 409, "The session's status does not allow this")),
    (errors.Erased, ProblemKind("erased", 409, "This was erased permanently")),
    (errors.Conflict, CONFLICT),
    (errors.MissingExtra, ProblemKind("not-installed", 503, "An optional part is not installed")),
    (errors.MissingModel, ProblemKind("no-model", 409, "There is no model to search by meaning")),
    (errors.EmbedderError, ProblemKind("embedder-failed", 503, "The embedder failed")),
    (errors.LLMError, UPSTREAM),
    (errors.RetrieverError, ProblemKind("retriever-failed", 502, "The application's retriever failed")),
    (errors.QuotaExceeded, QUOTA),
    (errors.ImportProblem, ProblemKind("unreadable-import", 422, "The file cannot be read")),
    (errors.StoreBusy, ProblemKind("store-busy", 503, "The store is busy")),
    (errors.StoreFull, ProblemKind("store-full", 507, "The disk is full")),
    (errors.StorageError, ProblemKind("store-failed", 503, "The store failed")),
)
"""The first matching entry is used."""


def problem_kind_of(error: Exception) -> ProblemKind:
    """Return the kind of problem for an error.

    >>> problem_kind_of(errors.NotFound("gone")).status
    404
    """
    if isinstance(error, RequestRefusal):
        return error.kind
    return next((kind for known, kind in KINDS if isinstance(error, known)), BROKEN)


def build_problem(
    kind: ProblemKind, detail: str, instance: str, places: list[dict[str, Any]] | None = None
) -> ProblemDocument:
    """Build the problem document."""
    return ProblemDocument(
        type=TYPES + kind.name, title=kind.title, status=kind.status, detail=detail, instance=instance, errors=places
    )


def problem_of(error: Exception, instance: str) -> ProblemDocument:
    """Return the document for an error. An unexpected error shows only its title: its message may hold any data."""
    kind = problem_kind_of(error)
    return build_problem(kind, kind.title if kind is BROKEN else str(error), instance)


def problem_response(document: ProblemDocument, headers: dict[str, str] | None = None) -> Response:
    """Return the document as a response."""
    return _ProblemResponse(document, headers)


class _ProblemResponse(Response):
    """A problem document, or on the OpenAI paths an error in OpenAI's format, which its clients expect."""

    def __init__(self, document: ProblemDocument, headers: dict[str, str] | None) -> None:
        super().__init__(document.model_dump_json(exclude_none=True), document.status, headers, MEDIA_TYPE)
        self._for_openai = error_response(document, headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._for_openai if is_openai_path(scope["path"]) else super()
        await answer.__call__(scope, receive, send)


def refusal_response(error: RequestRefusal, instance: str) -> Response:
    """Return the response to a refused request."""
    return problem_response(build_problem(error.kind, error.detail, instance), error.headers)


async def on_error(request: Request, error: Exception) -> Response:
    """Handle an error that a route raises."""
    headers = {"Retry-After": "1"} if isinstance(error, errors.StoreBusy) else {}
    if isinstance(error, RequestRefusal):
        headers = error.headers
    return problem_response(problem_of(error, _instance(request)), headers)


async def on_invalid(request: Request, error: Exception) -> Response:
    """Handle a request that does not fit its schema: say where, but do not repeat what was sent."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()[:MAX_ERROR_LOCATIONS]
    places = [
        {"at": ".".join(map(str, one["loc"]))[:MAX_ERROR_LOCATION_LENGTH], "why": one["msg"][:MAX_ERROR_LOCATION_LENGTH]}
        for one in found
    ]
    first = f"{places[0]['at']}: {places[0]['why']}" if places else INVALID.title
    return problem_response(build_problem(INVALID, first, _instance(request), places))


async def on_http_error(request: Request, error: Exception) -> Response:
    """Handle what the framework itself refuses: unknown paths and methods, unreadable bodies."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, RequestRefusal):
        # A body whose excess size was noticed while it was read.
        return await on_error(request, error.__cause__)
    kind = NOT_FOUND if error.status_code == 404 else ProblemKind("refused", error.status_code, str(error.detail))
    detail = "there is nothing at this path" if kind is NOT_FOUND else str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods(request))
    return problem_response(build_problem(kind, detail, _instance(request)), headers)


def _methods(request: Request) -> list[str]:
    """Return all methods of a path: the framework lists only those of the first matching route."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    fitting = (route.methods or () for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return sorted({method for methods in fitting for method in methods})


def _instance(request: Request) -> str:
    return f"urn:request:{getattr(request.state, 'request_id', 'unknown')}"
