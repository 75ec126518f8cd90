"""The server under load: messages per second compared with a bare FastAPI route, and latencies under a mixed load.

Each server and the load run in separate processes. The two servers take turns, the best round of each counts, and the other
one is suspended.
"""

from __future__ import annotations

import http.client
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.common.texts import make_passages
from benchmarks.search.recall import ProgressFunction
from benchmarks.server.load import LoadSpec, client_session
from benchmarks.server.process import ServerProcess, run_load, run_server
from keepsaid.errors import StorageError

ROUNDS = 5
ROUND = 2.0
"""Seconds in a round."""
TARGET = 0.5
"""The minimum ratio of our throughput to that of a bare route."""
MIX = {"append": 70, "context": 15, "search": 15}
BEFORE = 20
"""Messages in each client's session before the mixed load begins."""

Numbers = dict[str, Any]


def run(
    *,
    seconds: float = 60.0,
    clients: int = 64,
    embedder: str | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
) -> Numbers:
    """Measure everything, in a temporary folder that is removed afterwards."""
    settings = {"KEEPSAID_SERVER_RATE": "off", "KEEPSAID_SERVER_LOG": "off", "KEEPSAID_LLM": "off"}
    if embedder is not None:
        settings["KEEPSAID_EMBEDDER"] = embedder
    with tempfile.TemporaryDirectory(prefix="keepsaid-bench-") as name:
        here = Path(name)
        numbers = measure_appends(here, settings, clients, tell)
        tell("mixed load", 0, 1)
        numbers["mixed"] = measure_mixed_load(here, settings, clients, seconds)
        tell("mixed load", 1, 1)
    errors = sum(numbers["append_errors"].values()) + sum(numbers["mixed"]["errors"].values())
    return {"clients": clients, "seconds": seconds, "errors": errors, **numbers}


def measure_appends(here: Path, settings: Mapping[str, str], clients: int, tell: ProgressFunction) -> Numbers:
    """Measure messages per second, ours and a bare route's in turns."""
    best = {"ours": 0.0, "bare": 0.0}
    errors: Counter[str] = Counter()
    with (
        run_server(*server_arguments(here / "ours.db"), settings=settings) as server,
        run_server("benchmarks.server.bare_server", str(here / "bare.db")) as bare,
    ):
        create_sessions(server, clients)
        # The first round warms up.
        for number in range(ROUNDS + 1):
            for one, measured, other in (("ours", server, bare), ("bare", bare, server)):
                with other.paused():
                    came = run_load(LoadSpec(measured.url, ROUND, clients))
                errors.update({f"{one} {what}": count for what, count in came["errors"].items()})
                if number:
                    best[one] = max(best[one], came["per_second"])
            tell("appending, ours and a bare route's", number, ROUNDS)
    return {
        "append_per_second": best["ours"],
        "append_bare_per_second": best["bare"],
        "append_x_bare": round(best["ours"] / best["bare"], 3),
        "append_errors": dict(errors),
    }


def measure_mixed_load(here: Path, settings: Mapping[str, str], clients: int, seconds: float) -> Numbers:
    """Measure appends, prompts and searches together, in a store with some messages."""
    with run_server(*server_arguments(here / "mixed.db"), settings=settings) as server:
        create_sessions(server, clients, BEFORE)
        return run_load(LoadSpec(server.url, seconds, clients, MIX))


def server_arguments(store: Path) -> tuple[str, ...]:
    """The arguments that start our server with a store."""
    return ("keepsaid", "--db", str(store), "serve", "--port", "0")


def create_sessions(server: ServerProcess, clients: int, messages: int = 0) -> None:
    """Create the clients' sessions, with some messages in each."""
    said = [{"role": "user", "content": text} for text in make_passages(clients * messages)]
    with closing(http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)) as line:
        for client in range(clients):
            _post(line, "/v1/sessions", {"id": client_session(client)})
            if messages:
                own = said[client * messages : (client + 1) * messages]
                _post(line, f"/v1/sessions/{client_session(client)}/messages/batch", {"messages": own})


def _post(line: http.client.HTTPConnection, path: str, body: Mapping[str, Any]) -> None:
    line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = line.getresponse()
    told = answer.read()
    if answer.status != 201:
        raise StorageError(f"the server answered {answer.status}: {told[:200].decode(errors='replace')}")


def table(numbers: Mapping[str, Any]) -> str:
    """Format the numbers as text, with their targets."""
    mix, ratio = numbers["mixed"], numbers["append_x_bare"]
    errors = f"{numbers['errors']} errors{'  MISSED' if numbers['errors'] else ''}"
    target = f"ratio {ratio:.2f}, target ≥ {TARGET:g}{'' if ratio >= TARGET else '  MISSED'}"
    lines = [
        f"{numbers['clients']} clients; {numbers['seconds']:g} s of mixed load; {errors}",
        "",
        f"{'messages saved a second':28}{numbers['append_per_second']:>10,.0f}",
        f"{'  … by a bare FastAPI route':28}{numbers['append_bare_per_second']:>10,.0f}   {target}",
        f"{'mixed requests a second':28}{mix['per_second']:>10,.0f}",
        "",
        f"{'':10}{'answers':>10}{'p50, ms':>10}{'p95, ms':>10}{'p99, ms':>10}{'longest':>10}",
    ]
    lines += [
        f"{kind:10}{found['answers']:>10,}{found['p50']:>10.1f}{found['p95']:>10.1f}{found['p99']:>10.1f}{found['longest']:>10.1f}"
        for kind, found in mix["kinds"].items()
    ]
    failed = {**numbers["append_errors"], **mix["errors"]}
    return "\n".join(lines + [f"{count:,} × {what}" for what, count in failed.items()])
