"""Figures for Prometheus and a log line for each request. Neither ever holds what was said, nor a name or address."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import Scope

from recollect.server.access.principal import Principal

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Measures:
    """Counts requests, and writes a line for each. Where several processes serve, all figures are in a folder that they
    share, and each tells those of all."""

    def __init__(self, log: TextIO | None = sys.stderr, shared: str | None = None) -> None:
        self.registry = CollectorRegistry()
        self._shared = shared
        labels = ("method", "route", "status")
        self._requests = Counter("recollect_requests_total", "Requests answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "recollect_request_seconds", "Time to the end of the answer.", ("method", "route"),
            buckets=BUCKETS, registry=self.registry,
        )  # fmt: skip
        self.turns = Counter("recollect_turns_total", "Chat turns, by how they ended.", ("finish",), registry=self.registry)
        self.prompt_tokens = Counter("recollect_prompt_tokens_total", "Tokens of prompts made.", registry=self.registry)
        self.recall_seconds = Histogram(
            "recollect_recall_seconds", "Time to find what is searched for.", buckets=BUCKETS, registry=self.registry
        )
        self.store = {
            name: Gauge(f"recollect_store_{name}", what, registry=self.registry, multiprocess_mode="mostrecent")
            for name, what in (
                ("sessions", "Sessions that are not deleted."),
                ("messages", "Messages of theirs."),
                ("bytes", "Bytes that the store takes."),
                ("owners", "Owners who have a session."),
            )
        }
        self._log = log
        self._children: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    def note(self, scope: Scope, state: dict[str, Any], status: int, seconds: float) -> None:
        """Counts a request. A route is told by its pattern: an address may hold somebody's words."""
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

    def tell(self, line: dict[str, Any]) -> None:
        """Writes a line of another kind into the log."""
        if self._log is not None:
            self._log.write(json.dumps({"at": round(time.time(), 3), **line}, separators=(",", ":")) + "\n")

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        if self._shared is None:
            return generate_latest(self.registry)
        everybody = CollectorRegistry()
        MultiProcessCollector(everybody, self._shared)
        return generate_latest(everybody)


def _line(scope: Scope, state: dict[str, Any], route: str, status: int, seconds: float) -> str:
    principal: Principal | None = state.get("principal")
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
