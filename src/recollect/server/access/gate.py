"""The gate: tells from a request who is asking, and lets nobody in whom the settings do not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Any

from recollect.config import Settings
from recollect.errors import ConfigError
from recollect.ports import Keyring
from recollect.server.access import keys
from recollect.server.access.principal import ADMIN, EVERYTHING, READ, WRITE, Principal
from recollect.server.access.tokens import Tokens
from recollect.server.problems import FORBIDDEN, UNAUTHENTICATED, Refusal

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="recollect"'}
FRESH = 5.0
"""Seconds that a credential which was good is taken to be so still: a key that was taken back works so long at the most."""
MOST_KNOWN = 10_000
READS = frozenset(("/v1/search", "/v1/context"))
"""What is posted only because its question belongs in no address."""

Run = Callable[..., Awaitable[Any]]


class Gate:
    """Knows who is who. On loopback nobody has to say it, unless the settings want it."""

    def __init__(self, settings: Settings, ring: Keyring | None, run: Run) -> None:
        self.needed = settings.server_auth == "on" or not is_loopback(settings.server_host)
        self._host = Principal(settings.owner, EVERYTHING, "loopback", "loopback")
        self._ring = ring
        self._run = run
        self._tokens = Tokens(settings) if settings.jwt_jwks_url or settings.jwt_key_file or settings.jwt_secret else None
        self._known: dict[str, tuple[float, Principal]] = {}
        # Whoever asks an issuer for its keys may wait long, and must not keep others waiting.
        self._asking = ThreadPoolExecutor(2, thread_name_prefix="recollect-tokens")
        if self.needed and self._tokens is None and not _has_good_keys(ring):
            raise ConfigError(
                f"{settings.server_host} can be reached from outside, so requests need a key: make one with"
                " `recollect keys create`, or set jwt_jwks_url"
            )

    async def admit(self, authorization: str | None, user: str | None) -> Principal:
        """Who is asking, by two headers. An error for one who is nobody, or acts for somebody he may not act for."""
        user = _decoded(user)
        if authorization is None:
            if self.needed:
                raise Refusal(UNAUTHENTICATED, "send `Authorization: Bearer KEY`", CHALLENGE)
            return self._host.acting_for(user)
        scheme, _, credential = authorization.partition(" ")
        if not self.needed and self._tokens is None and not credential.strip().startswith(keys.PREFIX):
            # Where nobody needs a key, clients that insist on sending one (OpenAI's do) send anything.
            return self._host.acting_for(user)
        found = await self._check(credential.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise Refusal(UNAUTHENTICATED, "this key or token is not known, or no longer good", CHALLENGE)
        return found.acting_for(user)

    async def _check(self, credential: str) -> Principal | None:
        at, known = self._known.get(credential, (0.0, None))
        if known is not None and time.monotonic() - at < FRESH:
            return known
        found: Principal | None = None
        if credential.startswith(keys.PREFIX):
            found = (
                None if self._ring is None else await self._run(keys.check, self._ring, credential, time.time_ns() // 1000)
            )
        elif self._tokens is not None:
            found = await asyncio.get_running_loop().run_in_executor(self._asking, self._tokens.check, credential)
        self._known.pop(credential, None)
        if found is not None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[credential] = time.monotonic(), found
        return found

    def close(self) -> None:
        """Ends its threads."""
        self._asking.shutdown(wait=False, cancel_futures=True)

    def forget(self) -> None:
        """Looks at every credential anew: one was taken back."""
        self._known.clear()


def _decoded(user: str | None) -> str | None:
    """A header's bytes as the UTF-8 that nearly everybody means."""
    try:
        return None if user is None else user.encode("latin-1").decode()
    except UnicodeDecodeError:
        return user


def _has_good_keys(ring: Keyring | None) -> bool:
    now = time.time_ns() // 1000
    return ring is not None and any(key.expires is None or key.expires > now for key in ring.keys())  # noqa: SIM118  # no dictionary


def permit(principal: Principal, method: str, path: str) -> None:
    """Raises unless the principal's scopes allow a request."""
    needed = scope_for(method, path)
    if needed not in principal.scopes:
        raise Refusal(FORBIDDEN, f"this needs the scope {needed!r}")


def scope_for(method: str, path: str) -> str:
    """The scope that a request needs.

    >>> scope_for("GET", "/v1/sessions"), scope_for("POST", "/v1/search"), scope_for("GET", "/v1/admin/keys")
    ('read', 'read', 'admin')
    """
    if path.startswith(("/v1/admin/", "/metrics")):
        return ADMIN
    return READ if method in ("GET", "HEAD") or path in READS else WRITE


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
