"""The server under load: how many messages a second beside a bare FastAPI route, and how long answers take in a mixed load.

Each server and the load run in processes of their own. The two servers take turns, the best round of each counts, and whose
turn it is not is held still.
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

from recollect.bench.recall import Tell
from recollect.bench.server_load import Order, session_of
from recollect.bench.server_process import Running, loaded, running
from recollect.bench.texts import passages
from recollect.errors import StorageError

ROUNDS = 5
ROUND = 2.0
"""Seconds of a round."""
TARGET = 0.5
"""Of what a bare route saves, we should save at least so much."""
MIX = {"append": 70, "context": 15, "search": 15}
BEFORE = 20
"""Messages in each client's session before the mixed load begins."""

Numbers = dict[str, Any]


def run(
    *,
    seconds: float = 60.0,
    clients: int = 64,
    embedder: str | None = None,
    tell: Tell = lambda what, done, total: None,
) -> Numbers:
    """Measures everything, in a temporary folder that is gone afterwards."""
    settings = {"RECOLLECT_SERVER_RATE": "off", "RECOLLECT_SERVER_LOG": "off", "RECOLLECT_LLM": "off"}
    if embedder is not None:
        settings["RECOLLECT_EMBEDDER"] = embedder
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        here = Path(name)
        numbers = appends(here, settings, clients, tell)
        tell("mixed load", 0, 1)
        numbers["mixed"] = mixed(here, settings, clients, seconds)
        tell("mixed load", 1, 1)
    errors = sum(numbers["append_errors"].values()) + sum(numbers["mixed"]["errors"].values())
    return {"clients": clients, "seconds": seconds, "errors": errors, **numbers}


def appends(here: Path, settings: Mapping[str, str], clients: int, tell: Tell) -> Numbers:
    """Messages a second: ours and a bare route's, in turns."""
    best = {"ours": 0.0, "bare": 0.0}
    errors: Counter[str] = Counter()
    with (
        running(*ours(here / "ours.db"), settings=settings) as server,
        running("recollect.bench.server_bare", str(here / "bare.db")) as bare,
    ):
        prepare(server, clients)
        # The first round warms up.
        for number in range(ROUNDS + 1):
            for one, measured, other in (("ours", server, bare), ("bare", bare, server)):
                with other.resting():
                    came = loaded(Order(measured.url, ROUND, clients))
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


def mixed(here: Path, settings: Mapping[str, str], clients: int, seconds: float) -> Numbers:
    """Appends, prompts and searches at once, in a store that has been talked in a little."""
    with running(*ours(here / "mixed.db"), settings=settings) as server:
        prepare(server, clients, BEFORE)
        return loaded(Order(server.url, seconds, clients, MIX))


def ours(store: Path) -> tuple[str, ...]:
    """The arguments that start our server over a store."""
    return ("recollect", "--db", str(store), "serve", "--port", "0")


def prepare(server: Running, clients: int, messages: int = 0) -> None:
    """Makes the sessions that clients talk in, with some messages in each."""
    said = [{"role": "user", "content": text} for text in passages(clients * messages)]
    with closing(http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)) as line:
        for client in range(clients):
            _post(line, "/v1/sessions", {"id": session_of(client)})
            if messages:
                own = said[client * messages : (client + 1) * messages]
                _post(line, f"/v1/sessions/{session_of(client)}/messages/batch", {"messages": own})


def _post(line: http.client.HTTPConnection, path: str, body: Mapping[str, Any]) -> None:
    line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = line.getresponse()
    told = answer.read()
    if answer.status != 201:
        raise StorageError(f"the server answers {answer.status}: {told[:200].decode(errors='replace')}")


def table(numbers: Mapping[str, Any]) -> str:
    """The numbers as text, beside what they should be."""
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
