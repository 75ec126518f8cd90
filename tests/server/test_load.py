"""The server under mixed load: no errors, and the store holds exactly the acknowledged messages."""

from __future__ import annotations

from collections.abc import Callable

import keepsaid
from benchmarks.server.load import LoadSpec, client_session
from benchmarks.server.process import ServerProcess, run_load
from benchmarks.server.server import MIX, create_sessions

from .conftest import Server

CLIENTS, BEFORE = 16, 5


def test_mixed_load_has_no_errors_and_stores_all_messages(serve: Callable[..., Server]):
    server = serve(KEEPSAID_SERVER_RATE="off")
    create_sessions(ServerProcess(server.process, server.url), CLIENTS, BEFORE)  # type: ignore[arg-type]
    came = run_load(LoadSpec(server.url, 3, CLIENTS, MIX))
    assert came["errors"] == {}
    assert all(came["kinds"][kind]["answers"] > 0 for kind in MIX)
    assert server.stop() == 0
    with keepsaid.open(server.store, background=False) as memory:
        counts = [
            memory.chat(owner="me", session=client_session(client)).info().message_count - BEFORE
            for client in range(CLIENTS)
        ]
    assert sum(counts) == came["kinds"]["append"]["answers"]
    assert min(counts) > 0, "nobody is left waiting"


def test_load_over_rate_limit_gets_429_and_loses_nothing(serve: Callable[..., Server]):
    server = serve(KEEPSAID_SERVER_RATE="600")
    create_sessions(ServerProcess(server.process, server.url), 4)  # type: ignore[arg-type]
    came = run_load(LoadSpec(server.url, 1, 4))
    assert set(came["errors"]) == {"append: status 429"}
    kept = came["answers"] - came["errors"]["append: status 429"]
    with server.client() as http:
        assert http.get("/healthz").status_code == 200
    assert server.stop() == 0
    with keepsaid.open(server.store, background=False) as memory:
        assert sum(memory.chat(owner="me", session=client_session(n)).info().message_count for n in range(4)) == kept
