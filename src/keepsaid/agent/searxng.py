"""Web search through a SearXNG-compatible endpoint."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, cast

from keepsaid.agent.tools import ToolError
from keepsaid.errors import ConfigError

TIMEOUT = 10.0
MAX_RESPONSE_BYTES = 2_000_000
"""Maximum bytes of an endpoint's response."""


def make_searxng_search(url: str, *, timeout: float = TIMEOUT) -> Callable[[str], list[Any]]:
    """Return a search function for a SearXNG-compatible endpoint: GET {url}/search?q=…&format=json.

    >>> make_searxng_search("file:///etc/passwd")
    Traceback (most recent call last):
    ...
    keepsaid.errors.ConfigError: file:///etc/passwd is not a URL for searches; use one with http:// or https://
    """
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"{url} is not a URL for searches; use one with http:// or https://")
    base = url.rstrip("/")
    base = base if base.endswith("/search") else f"{base}/search"

    def search(query: str) -> list[Any]:
        search_url = f"{base}?{urllib.parse.urlencode({'q': query, 'format': 'json'})}"
        try:
            answer: Any = json.loads(_fetch(search_url, timeout))
        except urllib.error.HTTPError as error:
            error.close()
            raise ToolError(f"Error: the web search answered {error.code}; {_advice(error.code)}") from None
        except (ValueError, RecursionError):
            raise ToolError("Error: the web search did not answer in JSON; its format json may be disabled") from None
        except OSError as error:
            why = getattr(error, "reason", None) or error
            raise ToolError(f"Error: the web search cannot be reached: {why}") from None
        found = cast("dict[str, Any]", answer).get("results") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise ToolError("Error: the web search answered without a list of results")
        return cast("list[Any]", found)

    return search


def _fetch(url: str, timeout: float) -> bytes:
    request = urllib.request.Request(url, headers={"Accept": "application/json", "User-Agent": "keepsaid"})  # noqa: S310
    with _opener().open(request, timeout=timeout) as answer:
        content = bytearray()
        ends = time.monotonic() + timeout
        while piece := answer.read1(1 << 16):
            content += piece
            if len(content) > MAX_RESPONSE_BYTES:
                raise ToolError(f"Error: the web search answered more than {MAX_RESPONSE_BYTES:,} bytes")
            if time.monotonic() > ends:
                raise TimeoutError("timed out")
    return bytes(content)


class _SameServerRedirectHandler(urllib.request.HTTPRedirectHandler):
    """Follow redirects only within the same server, so that queries are not sent to other servers."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        here, to = urllib.parse.urlsplit(str(req.full_url)), urllib.parse.urlsplit(newurl)
        same = (to.hostname, _port(to)) == (here.hostname, _port(here))
        # A redirect from http to https changes the scheme and the port.
        secured = to.hostname == here.hostname and (here.scheme, to.scheme) == ("http", "https") and to.port is None
        if to.scheme not in ("http", "https") or not (same or secured):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _port(address: urllib.parse.SplitResult) -> int:
    return address.port or (443 if address.scheme == "https" else 80)


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_SameServerRedirectHandler())


def _advice(status: int) -> str:
    if 300 <= status < 400:
        return "it redirects to another server, which is not followed: configure the final address"
    return "its format json may be disabled" if status == 403 else "try again later, or check its address"
