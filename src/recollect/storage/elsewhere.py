"""Storages on servers, by their URL. Each has its own driver, which is imported only when it is asked for."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.ports import Storage

if TYPE_CHECKING:
    from recollect.storage.mirror.ledger import Ledger

REDIS = ("redis", "rediss", "redis+cluster", "rediss+cluster")
POSTGRES = ("postgresql", "postgres")
SCHEMES = (*POSTGRES, *REDIS, "firestore")

_log = logging.getLogger("recollect")


def scheme_of(url: str) -> str:
    """What comes before `://`.

    >>> scheme_of("redis://localhost/0"), scheme_of("chat.db")
    ('redis', '')
    """
    scheme, separator, _ = url.partition("://")
    return scheme if separator else ""


def open_elsewhere(url: str, key: str | bytes | None, mirror: Path | None, busy_timeout: float) -> Storage:
    """The storage on a server. With a key all that is said goes there encrypted, and is searched in a mirror here. What
    whoever runs the server should know is logged."""
    if scheme_of(url) in POSTGRES and key is None:
        from recollect.storage.postgres import PostgresStorage, source_of
        from recollect.storage.postgres.ledger import refuse_sealed

        source = source_of(url, busy_timeout)
        refuse_sealed(source)
        return PostgresStorage(source)
    from recollect.storage.mirror.storage import MirrorStorage

    ledger = _sealed(_ledger(url, busy_timeout), key)
    try:
        storage = MirrorStorage(ledger, mirror, key)
    except BaseException:
        ledger.close()
        raise
    for warning in storage.warnings():
        _log.warning(warning)
    return storage


def _ledger(url: str, busy_timeout: float) -> Ledger:
    scheme = scheme_of(url)
    if scheme in POSTGRES:
        from recollect.storage.postgres import source_of
        from recollect.storage.postgres.ledger import PostgresLedger

        return PostgresLedger(source_of(url, busy_timeout))
    if scheme in REDIS:
        from recollect.storage.redis import RedisLedger, RedisOptions

        return RedisLedger(RedisOptions.parse(url))
    from recollect.storage.firestore.ledger import FirestoreLedger

    return FirestoreLedger.open(url)


def _sealed(ledger: Ledger, key: str | bytes | None) -> Ledger:
    if key is None:
        return ledger
    try:
        from recollect.storage.mirror.seal import SealedLedger
    except BaseException:
        ledger.close()
        raise
    return SealedLedger(ledger, key)


def rotate(url: str, key: str | bytes, new: str | bytes, busy_timeout: float) -> int:
    """Wraps the keys of an encrypted store by a new master key; returns how many there were."""
    from recollect.storage.mirror.seal import SealedLedger

    ledger = SealedLedger(_ledger(url, busy_timeout), key)
    try:
        return ledger.rotate(new)
    finally:
        ledger.close()
