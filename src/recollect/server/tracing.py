"""OpenTelemetry spans, to whatever the process has set up: one for each request, and inside it one for what it asks of the
memory, by the GenAI conventions for memory (span `gen_ai.memory.client` of open-telemetry/semantic-conventions-genai).

No span ever holds anything that was said, an address, or the name of an owner or session.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import recollect
from recollect.errors import MissingExtra

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig
    from opentelemetry.trace import Span, Tracer

NOT_BY_FASTAPI: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""FastAPI traces by itself wherever the process has set it up, with the whole address, which holds what is searched for."""
SEARCH, CREATE, UPDATE, UPSERT, DELETE = "search_memory", "create_memory", "update_memory", "upsert_memory", "delete_memory"
OPERATIONS = {
    ("POST", "/v1/search"): SEARCH,
    ("POST", "/v1/context"): SEARCH,
    ("GET", "/v1/facts"): SEARCH,
    ("GET", "/v1/summaries"): SEARCH,
    ("POST", "/v1/sessions/{session}/messages"): CREATE,
    ("POST", "/v1/sessions/{session}/messages/batch"): CREATE,
    ("POST", "/v1/sessions/{session}/messages/{message}/edit"): UPDATE,
    ("PATCH", "/v1/sessions/{session}/messages/{message}"): UPDATE,
    ("DELETE", "/v1/sessions/{session}"): DELETE,
    ("POST", "/v1/facts"): CREATE,
    ("PATCH", "/v1/facts/{fact}"): UPDATE,
    ("DELETE", "/v1/facts/{fact}"): DELETE,
    ("POST", "/v1/documents"): UPSERT,
    ("DELETE", "/v1/documents/{document}"): DELETE,
    ("POST", "/v1/conversations/{conversation}/items"): CREATE,
    ("DELETE", "/v1/conversations/{conversation}"): DELETE,
    ("DELETE", "/v1/conversations/{conversation}/items/{item}"): DELETE,
    ("POST", "/v1/chat"): UPSERT,
    ("POST", "/v1/chat/completions"): UPSERT,
    ("POST", "/v1/import"): UPSERT,
    ("POST", "/v1/erase"): DELETE,
}
"""What a request asks of the memory, in the words of the conventions. They have none for what is read by its id."""
RECORDS = ("message", "fact", "document", "item")
"""Parts of an address that name one record."""
OURS = re.compile(r"[0-9a-f]{32}")
"""An id that we made. One that somebody else made may hold words."""


class Tracing:
    """A span around every request. It goes on with the trace of whoever asks, if he has one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tracer = _tracer()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from opentelemetry import propagate
        from opentelemetry.trace import SpanKind

        status = 0

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._tracer.start_as_current_span(
            scope["method"], context=propagate.extract(carrier), kind=SpanKind.SERVER, record_exception=False
        ) as span:
            try:
                await self._app(scope, receive, send_and_see)
            finally:
                _tell(span, scope, status)


async def remembering(request: Request) -> AsyncGenerator[None]:
    """A span around what a route does with the memory, as a dependency of it. A route that knows how many records it found
    or saved tells it by `request.state.records`."""
    from opentelemetry.trace import SpanKind, Status, StatusCode

    operation = OPERATIONS.get((request.method, _route(request.scope)))
    if operation is None:
        yield
        return
    with _tracer().start_as_current_span(
        operation, kind=SpanKind.INTERNAL, record_exception=False, set_status_on_exception=False
    ) as span:
        span.set_attribute("gen_ai.operation.name", operation)
        record = next((request.path_params[name] for name in RECORDS if name in request.path_params), "")
        if OURS.fullmatch(record):
            span.set_attribute("gen_ai.memory.record.id", record)
        try:
            yield
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            # What an error says may hold what was asked for.
            span.set_status(Status(StatusCode.ERROR))
            raise
        records: int | None = getattr(request.state, "records", None)
        if records is not None:
            span.set_attribute("gen_ai.memory.record.count", records)


def _tell(span: Span, scope: Scope, status: int) -> None:
    from opentelemetry.trace import Status, StatusCode

    route = _route(scope)
    span.set_attribute("http.request.method", scope["method"])
    span.set_attribute("url.scheme", scope["scheme"])
    if route:
        span.update_name(f"{scope['method']} {route}")
        span.set_attribute("http.route", route)
    if status:
        span.set_attribute("http.response.status_code", status)
    if status >= 500:
        span.set_attribute("error.type", str(status))
        span.set_status(Status(StatusCode.ERROR))


def _route(scope: Scope) -> str:
    """A route by its pattern, never by the address that was asked for."""
    return getattr(scope.get("route"), "path", "")


def _tracer() -> Tracer:
    try:
        from opentelemetry import trace
    except ImportError:
        raise MissingExtra("tracing needs: pip install 'recollect[otel]'") from None
    return trace.get_tracer("recollect.server", recollect.__version__)
