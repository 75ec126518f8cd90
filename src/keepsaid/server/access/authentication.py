"""Authenticate requests by API key or token, and check their scopes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Any

from keepsaid.config import Settings
from keepsaid.errors import ConfigError
from keepsaid.ports import KeyStorage
from keepsaid.server.access import keys
from keepsaid.server.access.principal import ADMIN, ALL_SCOPES, READ, WRITE, RequestPrincipal
from keepsaid.server.access.tokens import JwtVerifier
from keepsaid.server.problems import FORBIDDEN, UNAUTHENTICATED, RequestRefusal

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="keepsaid"'}
CACHE_SECONDS = 5.0
"""Seconds that a valid credential is cached: a revoked key works no longer than that."""
MAX_CACHED_TOKENS = 10_000
READ_ONLY_POSTS = frozenset(("/v1/search", "/v1/context"))
"""Reads that are POST requests only because a query does not belong in a URL."""

Run = Callable[..., Awaitable[Any]]


class RequestAuthenticator:
    """Authenticates requests. On loopback no credential is needed, unless the settings require one."""

    def __init__(self, settings: Settings, ring: KeyStorage | None, run: Run) -> None:
        self.requires_key = settings.server_auth == "on" or not is_loopback(settings.server_host)
        self._local = RequestPrincipal(settings.owner, ALL_SCOPES, "loopback", "loopback")
        self._ring = ring
        self._run = run
        self._tokens = (
            JwtVerifier(settings) if settings.jwt_jwks_url or settings.jwt_key_file or settings.jwt_secret else None
        )
        self._known: dict[str, tuple[float, RequestPrincipal]] = {}
        # A request to a token issuer may take long, and must not delay other requests.
        self._issuer_threads = ThreadPoolExecutor(2, thread_name_prefix="keepsaid-tokens")
        if self.requires_key and self._tokens is None and not _has_valid_keys(ring):
            raise ConfigError(
                f"{settings.server_host} is reachable from other machines, so requests need a key: create one with"
                " `keepsaid keys create`, or set jwt_jwks_url"
            )

    async def authenticate(self, authorization: str | None, user: str | None) -> RequestPrincipal:
        """Return the principal of a request by its two headers. Raise for an invalid credential, or one that may not act for
        the named user."""
        user = _decoded(user)
        if authorization is None:
            if self.requires_key:
                raise RequestRefusal(UNAUTHENTICATED, "send `Authorization: Bearer KEY`", CHALLENGE)
            return self._local.acting_for(user)
        scheme, _, credential = authorization.partition(" ")
        if not self.requires_key and self._tokens is None and not credential.strip().startswith(keys.KEY_PREFIX):
            # Where no key is needed, clients that always send one (such as OpenAI's) send a placeholder.
            return self._local.acting_for(user)
        found = await self._check(credential.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise RequestRefusal(UNAUTHENTICATED, "this key or token is unknown or no longer valid", CHALLENGE)
        return found.acting_for(user)

    async def _check(self, credential: str) -> RequestPrincipal | None:
        at, known = self._known.get(credential, (0.0, None))
        if known is not None and time.monotonic() - at < CACHE_SECONDS:
            return known
        found: RequestPrincipal | None = None
        if credential.startswith(keys.KEY_PREFIX):
            found = (
                None
                if self._ring is None
                else await self._run(keys.check_key, self._ring, credential, time.time_ns() // 1000)
            )
        elif self._tokens is not None:
            found = await asyncio.get_running_loop().run_in_executor(self._issuer_threads, self._tokens.check, credential)
        self._known.pop(credential, None)
        if found is not None:
            if len(self._known) >= MAX_CACHED_TOKENS:
                self._known.clear()
            self._known[credential] = time.monotonic(), found
        return found

    def close(self) -> None:
        """Stop the threads."""
        self._issuer_threads.shutdown(wait=False, cancel_futures=True)

    def clear_cache(self) -> None:
        """Check every credential again: one was revoked."""
        self._known.clear()


def _decoded(user: str | None) -> str | None:
    """Decode a header as UTF-8, which nearly all clients use."""
    try:
        return None if user is None else user.encode("latin-1").decode()
    except UnicodeDecodeError:
        return user


def _has_valid_keys(ring: KeyStorage | None) -> bool:
    now = time.time_ns() // 1000
    return ring is not None and any(key.expires is None or key.expires > now for key in ring.keys())  # noqa: SIM118  # no dictionary


def check_scope(principal: RequestPrincipal, method: str, path: str) -> None:
    """Raise unless the principal's scopes allow a request."""
    needed = scope_for(method, path)
    if needed not in principal.scopes:
        raise RequestRefusal(FORBIDDEN, f"this needs the scope {needed!r}")


def scope_for(method: str, path: str) -> str:
    """Return the scope that a request needs.

    >>> scope_for("GET", "/v1/sessions"), scope_for("POST", "/v1/search"), scope_for("GET", "/v1/admin/keys")
    ('read', 'read', 'admin')
    """
    if path.startswith(("/v1/admin/", "/metrics")):
        return ADMIN
    return READ if method in ("GET", "HEAD") or path in READ_ONLY_POSTS else WRITE


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
