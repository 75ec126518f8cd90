"""Empty places to open a store in, one for each backend: what `recollect.open` takes, a path or a URL.

Every test that has a `place` runs on every backend in `make test-long`. In `make test` it does so unless it is marked, for a
store on a server takes some 0.1 s longer for a test (Firestore 0.3 s), and most tests do not take that long altogether:

- `near`: what is tested never reaches a storage.
- `searching`: it does, but there is nothing that a mirror adds. Redis and Firestore, with and without a key, are mirrored in
  SQLite and answer from there, so that the words of a query, say, are nothing to them.
- `mirrored`: there is nothing that another ledger adds. What differs between these is only how rows go there and come back,
  which the tests that open a store twice (`lasting`) show best.
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
MIRRORED = (*SEARCHING, "redis")
BACKENDS = (*MIRRORED, "firestore", "encrypted")

near = pytest.mark.quick_on(*NEAR)
searching = pytest.mark.quick_on(*SEARCHING)
mirrored = pytest.mark.quick_on(*MIRRORED)
lasting = pytest.mark.parametrize("place", BACKENDS[1:], indirect=True)
"""For a test that opens its store more than once: what is in this process only is gone by then."""

_numbers = count()
_running = ExitStack()


@contextmanager
def place_of(backend: str, folder: Path) -> Iterator[str | Path]:
    """An empty place. Servers are started once for a process, and nothing is removed from them that is not in the way."""
    if backend == "memory":
        yield "memory://"
    elif backend == "sqlite":
        yield folder / "chat.db"
    elif backend == "postgres":
        import servers  # with its driver, which whoever tests something else need not have

        with servers.postgres() as url:
            yield url
    elif backend in ("redis", "encrypted"):
        yield f"{_redis()}/?prefix=p{next(_numbers)}"
    else:
        yield f"firestore://tests/?emulator={_firestore()}&prefix=p{next(_numbers)}_"


def is_quick(item: pytest.Item) -> bool:
    """Whether a test is to run on its backend whenever tests run."""
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
    """Ends those that were started here."""
    _running.close()
