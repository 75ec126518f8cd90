"""Metrics for Prometheus, and a log line per request. Neither ever holds message text, a name, or a URL."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import Scope

from keepsaid.server.access.principal import RequestPrincipal

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class ServerMetrics:
    """Counts requests, and writes a log line for each. With several server processes, the metrics are in a shared folder,
    and each process reports those of all."""

    def __init__(self, log: TextIO | None = sys.stderr, shared: str | None = None) -> None:
        self.registry = CollectorRegistry()
        self._shared = shared
        labels = ("method", "route", "status")
        self._requests = Counter("keepsaid_requests_total", "Requests answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "keepsaid_request_seconds", "Time to the end of the response.", ("method", "route"),
            buckets=BUCKETS, registry=self.registry,
        )  # fmt: skip
        self.turns = Counter("keepsaid_turns_total", "Chat turns, by how they ended.", ("finish",), registry=self.registry)
        self.prompt_tokens = Counter("keepsaid_prompt_tokens_total", "Tokens in the prompts built.", registry=self.registry)
        self.recall_seconds = Histogram(
            "keepsaid_recall_seconds", "Time of searches and prompts.", buckets=BUCKETS, registry=self.registry
        )
        self.store = {
            name: Gauge(f"keepsaid_store_{name}", what, registry=self.registry, multiprocess_mode="mostrecent")
            for name, what in (
                ("sessions", "Sessions that are not deleted."),
                ("messages", "Messages in these sessions."),
                ("bytes", "Bytes used by the store."),
                ("owners", "Owners who have a session."),
            )
        }
        self._log = log
        self._children: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    def record_request(self, scope: Scope, state: dict[str, Any], status: int, seconds: float) -> None:
        """Count a request, by the path pattern of its route: a URL may hold user data."""
        route = getattr(scope.get("route"), "path", None) or "other"
        key = (scope["method"], route, status)
        children = self._children.get(key)
        if children is None:
            children = self._requests.labels(*map(str, key)), self._seconds.labels(*key[:2])
            self._children[key] = children
        children[0].inc()
        children[1].observe(seconds)
        if self._log is not None:
            self._log.write(_line(scope, state, route, status, seconds))

    def write_log_line(self, line: dict[str, Any]) -> None:
        """Write another kind of line to the log."""
        if self._log is not None:
            self._log.write(json.dumps({"at": round(time.time(), 3), **line}, separators=(",", ":")) + "\n")

    def render(self) -> bytes:
        """Return all metrics in the format of Prometheus."""
        if self._shared is None:
            return generate_latest(self.registry)
        all_processes = CollectorRegistry()
        MultiProcessCollector(all_processes, self._shared)
        return generate_latest(all_processes)


def _line(scope: Scope, state: dict[str, Any], route: str, status: int, seconds: float) -> str:
    principal: RequestPrincipal | None = state.get("principal")
    line: dict[str, Any] = {
        "at": round(time.time(), 3),
        "request": state["request_id"],
        "method": scope["method"],
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 2),
        "via": principal and principal.via,
        "key": principal and principal.name,
    }
    if "error" in state:
        line["error"] = state["error"]
    return json.dumps(line, separators=(",", ":")) + "\n"
