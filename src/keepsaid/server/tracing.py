"""OpenTelemetry spans, for the tracer provider of the process: one per request, and inside it one for the memory operation,
by the GenAI conventions for memory (span `gen_ai.memory.client` of open-telemetry/semantic-conventions-genai).

No span ever holds message text, a URL, or the name of an owner or session.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import keepsaid
from keepsaid.errors import MissingExtra

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig
    from opentelemetry.trace import Span, Tracer

FASTAPI_TELEMETRY_OFF: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""Turns off FastAPI's own tracing: it would record whole URLs, which hold search queries."""
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
"""The memory operation of each route, as the conventions name it. They have no name for reading a record by its id."""
RECORD_PARAMETERS = ("message", "fact", "document", "item")
"""Path parameters that name one record."""
GENERATED_ID = re.compile(r"[0-9a-f]{32}")
"""An id that Keepsaid generated. An id chosen by a client may hold private words."""


class TracingMiddleware:
    """Wraps every request in a span. The span continues the trace of the client, if it sent one."""

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

        async def send_and_record_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._tracer.start_as_current_span(
            scope["method"], context=propagate.extract(carrier), kind=SpanKind.SERVER, record_exception=False
        ) as span:
            try:
                await self._app(scope, receive, send_and_record_status)
            finally:
                _set_attributes(span, scope, status)


async def trace_memory_operation(request: Request) -> AsyncGenerator[None]:
    """Wrap the memory operation of a route in a span, as a dependency of the route. A route reports how many records it
    found or saved in `request.state.records`."""
    from opentelemetry.trace import SpanKind, Status, StatusCode

    operation = OPERATIONS.get((request.method, _route(request.scope)))
    if operation is None:
        yield
        return
    with _tracer().start_as_current_span(
        operation, kind=SpanKind.INTERNAL, record_exception=False, set_status_on_exception=False
    ) as span:
        span.set_attribute("gen_ai.operation.name", operation)
        record = next((request.path_params[name] for name in RECORD_PARAMETERS if name in request.path_params), "")
        if GENERATED_ID.fullmatch(record):
            span.set_attribute("gen_ai.memory.record.id", record)
        try:
            yield
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            # The error's message may hold user data.
            span.set_status(Status(StatusCode.ERROR))
            raise
        records: int | None = getattr(request.state, "records", None)
        if records is not None:
            span.set_attribute("gen_ai.memory.record.count", records)


def _set_attributes(span: Span, scope: Scope, status: int) -> None:
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
    """Return the path pattern of the route, never the requested URL."""
    return getattr(scope.get("route"), "path", "")


def _tracer() -> Tracer:
    try:
        from opentelemetry import trace
    except ImportError:
        raise MissingExtra("tracing needs: pip install 'keepsaid[otel]'") from None
    return trace.get_tracer("keepsaid.server", keepsaid.__version__)
