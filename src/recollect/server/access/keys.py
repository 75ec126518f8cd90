"""API keys: made of chance, kept as a hash, known by an id."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from datetime import datetime

from recollect.engine.hygiene import clean_moment
from recollect.errors import InvalidInput
from recollect.ports import Key, Keyring
from recollect.server.access.principal import EVERYTHING, Principal
from recollect.types import Microseconds, microseconds

PREFIX = "rk_"
ID_BYTES = 8
SECRET_BYTES = 32


def make(
    ring: Keyring,
    now: Microseconds,
    name: str,
    *,
    owner: str | None = None,
    tenant: str | None = None,
    scopes: Collection[str] = ("read", "write"),
    expires: datetime | None = None,
) -> tuple[Key, str]:
    """Makes a key and keeps its hash; returns it with its secret, which exists nowhere else.

    >>> from recollect.storage.memory import MemoryStorage
    >>> ring = MemoryStorage()
    >>> key, secret = make(ring, 0, "laptop", owner="ann")
    >>> check(ring, secret, 1).owner, check(ring, secret + "x", 1)
    ('ann', None)
    """
    if tenant is not None and "admin" in scopes:
        raise InvalidInput("a service's key cannot have the scope admin: that is over all tenants")
    if expires is not None:
        clean_moment(expires, "expires_at")
    if not name.strip():
        raise InvalidInput("a key needs a name, so that you know it again")
    id, secret = secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    ends = None if expires is None else microseconds(expires)
    key = Key(id, _digest(secret), name, owner, tenant, tuple(dict.fromkeys(scopes)), now, ends)
    ring.keep_key(key)
    return key, f"{PREFIX}{id}_{secret}"


def check(ring: Keyring, credential: str, now: Microseconds) -> Principal | None:
    """Whose key it is, if it is a good one."""
    id, _, secret = credential.removeprefix(PREFIX).partition("_")
    key = ring.key(id) if secret else None
    # Chance of 256 bits needs no slow hash: nobody can try them all.
    if key is None or not hmac.compare_digest(key.digest, _digest(secret)):
        return None
    if key.expires is not None and key.expires <= now:
        return None
    return Principal(key.owner, EVERYTHING & set(key.scopes), "key", key.id, key.tenant)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
