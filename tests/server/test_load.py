"""The server under a mixed load: no errors, and what was acknowledged is in the store, all of it and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import recollect
from recollect.bench.server import MIX, prepare
from recollect.bench.server_load import Order, session_of
from recollect.bench.server_process import Running, loaded

from .conftest import Server

CLIENTS, BEFORE = 16, 5


def test_many_clients_at_once_get_their_answers(serve: Callable[..., Server]):
    server = serve(RECOLLECT_SERVER_RATE="off")
    prepare(Running(server.process, server.url), CLIENTS, BEFORE)  # type: ignore[arg-type]
    came = loaded(Order(server.url, 3, CLIENTS, MIX))
    assert came["errors"] == {}
    assert all(came["kinds"][kind]["answers"] > 0 for kind in MIX)
    assert server.stop() == 0
    with recollect.open(server.store, background=False) as memory:
        counts = [
            memory.chat(owner="me", session=session_of(client)).info().message_count - BEFORE for client in range(CLIENTS)
        ]
    assert sum(counts) == came["kinds"]["append"]["answers"]
    assert min(counts) > 0, "nobody is left waiting"


def test_a_crowd_that_asks_too_often_is_told_so_and_nothing_breaks(serve: Callable[..., Server]):
    server = serve(RECOLLECT_SERVER_RATE="600")
    prepare(Running(server.process, server.url), 4)  # type: ignore[arg-type]
    came = loaded(Order(server.url, 1, 4))
    assert set(came["errors"]) == {"append: status 429"}
    kept = came["answers"] - came["errors"]["append: status 429"]
    with server.client() as http:
        assert http.get("/healthz").status_code == 200
    assert server.stop() == 0
    with recollect.open(server.store, background=False) as memory:
        assert sum(memory.chat(owner="me", session=session_of(n)).info().message_count for n in range(4)) == kept
