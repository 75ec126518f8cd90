"""Spans of requests and memory operations: their names and nesting, and that they contain no user content."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import Depends, FastAPI, Request
from fastapi.testclient import TestClient
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from keepsaid.config import load
from keepsaid.errors import MissingExtra
from keepsaid.server import run, tracing
from keepsaid.server.app import ROUTERS

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SECRET = "nectarine"
"""A word that is said, searched for and asked for by name; it must be in no span."""


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """The process can be set up once, so all tests share what it is set up with."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


def client_of(folder: Path, *, on: bool) -> TestClient:
    settings = load(
        {"url": str(folder / "chat.db"), "embedder": "off", "llm": "off", "server_log": "off", "tracing": on}, {}
    )
    return TestClient(run.build_app(settings), base_url="http://127.0.0.1", raise_server_exceptions=False)


@pytest.fixture
def http(exporter: InMemorySpanExporter, tmp_path: Path) -> Iterator[TestClient]:
    with client_of(tmp_path, on=True) as http:
        http.post("/v1/sessions", json={"id": SECRET})
        exporter.clear()
        yield http


def say(http: TestClient, text: str = f"My {SECRET} is ripe.", **more: str) -> str:
    return http.post(f"/v1/sessions/{SECRET}/messages", json={"role": "user", "content": text, **more}).json()["id"]


def spans(exporter: InMemorySpanExporter) -> tuple[ReadableSpan, ReadableSpan]:
    """The span of what was asked of the memory, and that of the request around it."""
    inner, outer = exporter.get_finished_spans()
    assert inner.parent is not None
    assert outer.context is not None
    assert inner.parent.span_id == outer.context.span_id
    return inner, outer


def test_request_span_has_route_and_status(http: TestClient, exporter: InMemorySpanExporter):
    assert http.get(f"/v1/sessions/{SECRET}").status_code == 200
    (span,) = exporter.get_finished_spans()
    assert (span.name, span.kind) == ("GET /v1/sessions/{session}", SpanKind.SERVER)
    assert dict(span.attributes or {}) == {
        "http.request.method": "GET",
        "url.scheme": "http",
        "http.route": "/v1/sessions/{session}",
        "http.response.status_code": 200,
    }
    assert span.status.status_code is StatusCode.UNSET


def test_saving_message_records_create_memory_span(http: TestClient, exporter: InMemorySpanExporter):
    say(http)
    inner, outer = spans(exporter)
    assert (inner.name, inner.kind) == ("create_memory", SpanKind.INTERNAL)
    assert (inner.attributes or {})["gen_ai.operation.name"] == "create_memory"
    assert outer.name == "POST /v1/sessions/{session}/messages"


def test_search_records_search_memory_span(http: TestClient, exporter: InMemorySpanExporter):
    assert http.post("/v1/search", json={"query": SECRET}).status_code == 200
    inner, outer = spans(exporter)
    assert (inner.name, outer.name) == ("search_memory", "POST /v1/search")


def test_span_has_record_count_set_by_route(exporter: InMemorySpanExporter):
    app = FastAPI(telemetry=tracing.FASTAPI_TELEMETRY_OFF, dependencies=[Depends(tracing.trace_memory_operation)])

    @app.post("/v1/search")
    async def search(request: Request) -> None:
        request.state.records = 3

    exporter.clear()
    TestClient(app).post("/v1/search")
    (span,) = exporter.get_finished_spans()
    assert span.attributes == {"gen_ai.operation.name": "search_memory", "gen_ai.memory.record.count": 3}


def test_span_has_record_id_only_if_generated(http: TestClient, exporter: InMemorySpanExporter):
    ours = say(http)
    say(http, id=f"{SECRET}-1")
    for id, told in ((ours, ours), (f"{SECRET}-1", None)):
        exporter.clear()
        assert http.patch(f"/v1/sessions/{SECRET}/messages/{id}", json={"pinned": True}).status_code == 200
        inner, _ = spans(exporter)
        assert (inner.name, (inner.attributes or {}).get("gen_ai.memory.record.id")) == ("update_memory", told)


def test_request_span_continues_trace_of_caller(http: TestClient, exporter: InMemorySpanExporter):
    http.get("/v1/sessions", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    (span,) = exporter.get_finished_spans()
    assert span.context is not None
    assert span.parent is not None
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == PARENT


def test_span_records_error_type(http: TestClient, exporter: InMemorySpanExporter):
    http.post("/v1/sessions/none/messages", json={"role": "user", "content": SECRET})
    inner, outer = spans(exporter)
    assert (inner.attributes or {})["error.type"] == "NotFound"
    assert inner.status.status_code is StatusCode.ERROR
    assert (outer.attributes or {})["http.response.status_code"] == 404
    assert outer.status.status_code is StatusCode.UNSET, "it is the client who erred"


def test_request_with_rejected_host_records_span(http: TestClient, exporter: InMemorySpanExporter):
    assert http.get("/v1/sessions", headers={"host": "evil.example"}).status_code == 421
    (span,) = exporter.get_finished_spans()
    assert (span.name, (span.attributes or {})["http.response.status_code"]) == ("GET", 421)


def test_spans_contain_no_user_content(http: TestClient, exporter: InMemorySpanExporter):
    say(http)
    http.post("/v1/search", json={"query": SECRET})
    http.get("/v1/facts", params={"query": SECRET})
    http.post("/v1/context", json={"session": SECRET, "question": f"Where is my {SECRET}?"})
    http.post("/v1/chat", json={"message": f"Where is my {SECRET}?"})
    http.post(f"/v1/sessions/{SECRET}/messages/{SECRET}/edit", json={"content": SECRET})
    http.get(f"/v1/{SECRET}")
    told = exporter.get_finished_spans()
    assert len(told) == 7 + 6
    assert [span.name for span in told if SECRET in span.to_json()] == []


def test_no_spans_when_tracing_is_off(exporter: InMemorySpanExporter, tmp_path: Path):
    """FastAPI's own telemetry must be off too: its spans would contain the full URL."""
    exporter.clear()
    with client_of(tmp_path, on=False) as http:
        assert http.get("/v1/facts", params={"query": SECRET}).status_code == 200
    assert exporter.get_finished_spans() == ()


def test_every_traced_operation_is_a_route():
    routes = {(method, route.path) for router in ROUTERS for route in router.routes for method in route.methods}
    assert tracing.OPERATIONS.keys() <= routes


def test_missing_opentelemetry_names_extra_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtra, match=r"pip install 'keepsaid\[otel\]'"):
        tracing.TracingMiddleware(lambda scope, receive, send: None)  # type: ignore[arg-type]
