"""A web search by an endpoint that speaks like SearXNG."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, cast

from recollect.agent.tools import ToolFailed
from recollect.errors import ConfigError

TIMEOUT = 10.0
LARGEST = 2_000_000
"""Bytes of an endpoint's answer that are read."""


def endpoint(url: str, *, timeout: float = TIMEOUT) -> Callable[[str], list[Any]]:
    """A search by an endpoint that speaks like SearXNG: GET {url}/search?q=…&format=json.

    >>> endpoint("file:///etc/passwd")
    Traceback (most recent call last):
    ...
    recollect.errors.ConfigError: file:///etc/passwd is no address to search at; it begins with http:// or https://
    """
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"{url} is no address to search at; it begins with http:// or https://")
    base = url.rstrip("/")
    base = base if base.endswith("/search") else f"{base}/search"

    def search(query: str) -> list[Any]:
        asked = f"{base}?{urllib.parse.urlencode({'q': query, 'format': 'json'})}"
        try:
            answer: Any = json.loads(_fetched(asked, timeout))
        except urllib.error.HTTPError as error:
            error.close()
            raise ToolFailed(f"Error: the web search answered {error.code}; {_advice(error.code)}") from None
        except (ValueError, RecursionError):
            raise ToolFailed("Error: the web search answered what is no JSON; its format json may be off") from None
        except OSError as error:
            why = getattr(error, "reason", None) or error
            raise ToolFailed(f"Error: the web search cannot be reached: {why}") from None
        found = cast("dict[str, Any]", answer).get("results") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise ToolFailed("Error: the web search answered without a list of results")
        return cast("list[Any]", found)

    return search


def _fetched(url: str, timeout: float) -> bytes:
    request = urllib.request.Request(url, headers={"Accept": "application/json", "User-Agent": "recollect"})  # noqa: S310
    with _opener().open(request, timeout=timeout) as answer:
        content = bytearray()
        ends = time.monotonic() + timeout
        while piece := answer.read1(1 << 16):
            content += piece
            if len(content) > LARGEST:
                raise ToolFailed(f"Error: the web search answered more than {LARGEST:,} bytes")
            if time.monotonic() > ends:
                raise TimeoutError("timed out")
    return bytes(content)


class _OnlyHttp(urllib.request.HTTPRedirectHandler):
    """Follows an endpoint to another address of the same server and no further: what is asked is told to nobody else."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        here, to = urllib.parse.urlsplit(str(req.full_url)), urllib.parse.urlsplit(newurl)
        same = (to.hostname, _port(to)) == (here.hostname, _port(here))
        # A server that wants to be asked by https says so by another scheme, and by its port.
        secured = to.hostname == here.hostname and (here.scheme, to.scheme) == ("http", "https") and to.port is None
        if to.scheme not in ("http", "https") or not (same or secured):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _port(address: urllib.parse.SplitResult) -> int:
    return address.port or (443 if address.scheme == "https" else 80)


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_OnlyHttp())


def _advice(status: int) -> str:
    if 300 <= status < 400:
        return "it sends us elsewhere, where we do not go: set the final address"
    return "its format json may be off" if status == 403 else "try again later, or check its address"
