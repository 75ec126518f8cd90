"""Locations for empty stores, one for each backend: a path or URL for `keepsaid.open`.

In `make test-long`, every test with a `place` runs on every backend. In `make test`, a test with one of these marks runs on
fewer, because a store on a server adds about 0.1 s to a test (Firestore 0.3 s), which is more than most tests take:

- `near`: the behaviour does not depend on the storage. Runs in memory and on SQLite.
- `searching`: it does, but not on the replica. Redis and Firestore, with and without a key, answer reads from a local
  replica in SQLite. Runs on PostgreSQL, too.
- `replicated`: it depends on the replica, but not on the ledger. Ledgers differ only in how they store rows, which the tests
  that open a store twice (`lasting`) cover. Runs on Redis, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import pytest

NEAR = ("memory", "sqlite")
SEARCHING = (*NEAR, "postgres")
REPLICATED = (*SEARCHING, "redis")
BACKENDS = (*REPLICATED, "firestore", "encrypted")

near = pytest.mark.quick_on(*NEAR)
searching = pytest.mark.quick_on(*SEARCHING)
replicated = pytest.mark.quick_on(*REPLICATED)
lasting = pytest.mark.parametrize("place", BACKENDS[1:], indirect=True)
"""For a test that opens its store more than once: a store in memory would be empty the second time."""

_numbers = count()
_running = ExitStack()


@contextmanager
def place_of(backend: str, folder: Path) -> Iterator[str | Path]:
    """Yield the location of an empty store. Servers are started once for each process; stores are not removed from them."""
    if backend == "memory":
        yield "memory://"
    elif backend == "sqlite":
        yield folder / "chat.db"
    elif backend == "postgres":
        import servers  # imports its driver, which other tests do not need

        with servers.postgres() as url:
            yield url
    elif backend in ("redis", "encrypted"):
        yield f"{_redis()}/?prefix=p{next(_numbers)}"
    else:
        yield f"firestore://tests/?emulator={_firestore()}&prefix=p{next(_numbers)}_"


def is_quick(item: pytest.Item) -> bool:
    """Whether `make test` runs a test on its backend."""
    backend = item.callspec.params.get("place") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
    return backend is None or all(backend in mark.args for mark in item.iter_markers("quick_on"))


@cache
def _redis() -> str:
    from redis_servers import redis_server

    return _running.enter_context(redis_server()).url


@cache
def _firestore() -> str:
    from firestore_server import firestore_server

    return _running.enter_context(firestore_server())


def stop_servers() -> None:
    """Stop the servers that were started here."""
    _running.close()
