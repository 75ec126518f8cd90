"""Check the host name and origin of a request.

A page of any site can make a browser on this machine send requests to loopback; if the site's name resolves to this machine
(DNS rebinding), the browser even lets the page read the answers. The headers Host and Origin reveal both.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from keepsaid.config import Settings
from keepsaid.server.access.authentication import is_loopback
from keepsaid.server.problems import WRONG_HOST, WRONG_ORIGIN, RequestRefusal

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
SAFE_SITES = frozenset(("same-origin", "none"))


class AllowedHosts:
    """Refuses requests for other host names, and requests from the pages of other sites."""

    def __init__(self, settings: Settings) -> None:
        names = {name.lower() for name in settings.server_names}
        if is_loopback(settings.server_host):
            names |= LOOPBACK_NAMES | {settings.server_host}
        elif settings.server_host not in ("0.0.0.0", "::"):  # noqa: S104  # compared, not listened on
            names.add(settings.server_host)
        # A server on all addresses without configured names accepts any name: every request needs a key there.
        self._names = frozenset(names)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in settings.server_origins)

    def check(self, host: str, origin: str | None, site: str | None) -> bool:
        """Whether the request comes from another site that the settings allow; raise for any other foreign site."""
        name = host_name(host)
        if self._names and name not in self._names:
            raise RequestRefusal(
                WRONG_HOST, f"this server does not answer to the host name {name!r}: add it to `server_names`"
            )
        if origin is None:
            if site is not None and site not in SAFE_SITES:
                raise RequestRefusal(WRONG_ORIGIN, "requests from pages of other sites are not allowed")
            return False
        if origin.lower() in self._origins:
            return True
        if _host_of(origin) != host.lower():
            raise RequestRefusal(
                WRONG_ORIGIN, "requests from pages of this origin are not allowed: add it to `server_origins`"
            )
        return False


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_name("localhost:8765"), host_name("[::1]:8765"), host_name("::1")
    ('localhost', '::1', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return (host.rpartition(":")[0] if host.count(":") == 1 else host).lower()
