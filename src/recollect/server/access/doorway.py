"""The doorway: by which name, and from which site's pages, a request may come.

A page of any site can make the browser of somebody at this machine send requests to loopback; if that site's name is made
to point here (DNS rebinding), the browser even lets it read the answers. Both give themselves away by Host and Origin.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from recollect.config import Settings
from recollect.server.access.gate import is_loopback
from recollect.server.problems import WRONG_HOST, WRONG_ORIGIN, Refusal

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
SAFE_SITES = frozenset(("same-origin", "none"))


class Doorway:
    """Turns away requests that were meant for somebody else, or made by somebody else's page."""

    def __init__(self, settings: Settings) -> None:
        names = {name.lower() for name in settings.server_names}
        if is_loopback(settings.server_host):
            names |= LOOPBACK_NAMES | {settings.server_host}
        elif settings.server_host not in ("0.0.0.0", "::"):  # noqa: S104  # looked for, not listened on
            names.add(settings.server_host)
        # Who listens on every address and names none takes any name: behind it, every request needs a key.
        self._names = frozenset(names)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in settings.server_origins)

    def check(self, host: str, origin: str | None, site: str | None) -> bool:
        """Whether another site's page is asking that the settings allow; an error for any other that is not our own."""
        name = name_of(host)
        if self._names and name not in self._names:
            raise Refusal(WRONG_HOST, f"this server is not called {name or 'nothing'}: `server_names` lists its names")
        if origin is None:
            if site is not None and site not in SAFE_SITES:
                raise Refusal(WRONG_ORIGIN, "another site's page may not ask")
            return False
        if origin.lower() in self._origins:
            return True
        if _site(origin) != host.lower():
            raise Refusal(WRONG_ORIGIN, "another site's page may not ask: `server_origins` lists those that may")
        return False


def _site(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def name_of(host: str) -> str:
    """The name in a Host header, without its port.

    >>> name_of("localhost:8765"), name_of("[::1]:8765"), name_of("::1")
    ('localhost', '::1', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return (host.rpartition(":")[0] if host.count(":") == 1 else host).lower()
