"""API keys: random, stored as a hash, identified by an id."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from datetime import datetime

from keepsaid.engine.messages.validation import clean_datetime
from keepsaid.errors import InvalidInput
from keepsaid.ports import KeyStorage, ServerKey
from keepsaid.server.access.principal import ALL_SCOPES, RequestPrincipal
from keepsaid.types import Microseconds, to_microseconds

KEY_PREFIX = "rk_"
ID_BYTES = 8
SECRET_BYTES = 32


def create_key(
    ring: KeyStorage,
    now: Microseconds,
    name: str,
    *,
    owner: str | None = None,
    tenant: str | None = None,
    scopes: Collection[str] = ("read", "write"),
    expires: datetime | None = None,
) -> tuple[ServerKey, str]:
    """Create a key and store its hash. Return it with its secret, which is not stored.

    >>> from keepsaid.storage.inmemory.storage import MemoryStorage
    >>> ring = MemoryStorage()
    >>> key, secret = create_key(ring, 0, "laptop", owner="ann")
    >>> check_key(ring, secret, 1).owner, check_key(ring, secret + "x", 1)
    ('ann', None)
    """
    if tenant is not None and "admin" in scopes:
        raise InvalidInput("a service key cannot have the scope admin, which covers all tenants")
    if expires is not None:
        clean_datetime(expires, "expires_at")
    if not name.strip():
        raise InvalidInput("a key needs a name, so that you can recognize it")
    id, secret = secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    ends = None if expires is None else to_microseconds(expires)
    key = ServerKey(id, _digest(secret), name, owner, tenant, tuple(dict.fromkeys(scopes)), now, ends)
    ring.keep_key(key)
    return key, f"{KEY_PREFIX}{id}_{secret}"


def check_key(ring: KeyStorage, credential: str, now: Microseconds) -> RequestPrincipal | None:
    """Return the principal of a valid key, otherwise None."""
    id, _, secret = credential.removeprefix(KEY_PREFIX).partition("_")
    key = ring.key(id) if secret else None
    # 256 random bits need no slow hash: they cannot be guessed by trial.
    if key is None or not hmac.compare_digest(key.digest, _digest(secret)):
        return None
    if key.expires is not None and key.expires <= now:
        return None
    return RequestPrincipal(key.owner, ALL_SCOPES & set(key.scopes), "key", key.id, key.tenant)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
