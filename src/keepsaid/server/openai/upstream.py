"""The model endpoint of the proxy: any that supports OpenAI's chat completions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from keepsaid.config import Settings
from keepsaid.errors import LLMError
from keepsaid.llm.discovery import DiscoveredLLM
from keepsaid.llm.openai import OLLAMA_URL, OPENAI_URL, OpenAILLM
from keepsaid.server.problems import NO_MODEL, RequestRefusal

CONNECT_TIMEOUT = 10.0
"""Seconds to connect to the endpoint. How long it may then be silent is a setting."""
FORWARDED_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
NO_MODEL_HELP = (
    "no model endpoint is set up: set llm (KEEPSAID_LLM) to openai:MODEL or ollama:MODEL, with llm_url (KEEPSAID_LLM_URL)"
    " and llm_key (KEEPSAID_LLM_KEY) for any other endpoint, and restart the server"
)


class UpstreamEndpoint:
    """A connection pool to the endpoint, opened at the first request. `model` is the default if a caller names none."""

    def __init__(self, settings: Settings, found: DiscoveredLLM) -> None:
        self._url, self.model = _address(settings, found)
        self._key = settings.llm_key
        self._timeout = settings.llm_timeout
        self._client: httpx.AsyncClient | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def is_set(self) -> bool:
        """Whether an endpoint is configured."""
        return self._url is not None

    def check(self) -> None:
        """Raise if no endpoint is configured."""
        if self._url is None:
            raise RequestRefusal(NO_MODEL, NO_MODEL_HELP)

    async def send_request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """Send a request and return the start of its answer, whatever its status. The caller must read and close it, or have
        it closed (`leave`)."""
        self.check()
        client = self._open_client()
        # The answer is passed on as it is, so it must not be compressed.
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = client.build_request(method, f"{self._url}{path}", json=body, headers=headers)
        try:
            return await client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise self.describe_failure(error) from None

    def describe_failure(self, error: httpx.HTTPError) -> LLMError:
        """Return an error that says what went wrong with the endpoint and what to do."""
        if isinstance(error, httpx.TimeoutException):
            why = f"was silent for {self._timeout:g} seconds: raise llm_timeout, or check that the model is loaded"
        else:
            why = "cannot be reached or closed the connection: check llm_url and that it is running"
        return LLMError(f"the model's endpoint {why} ({type(error).__name__})")

    def close_later(self, answer: httpx.Response) -> None:
        """Close an abandoned answer, so that the endpoint can stop. Works in a cancelled task, too."""
        task = asyncio.ensure_future(answer.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.gather(*self._closing, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def _open_client(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(self._timeout, connect=min(CONNECT_TIMEOUT, self._timeout))
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
            # A redirect would send the messages to another host.
            self._client = httpx.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)
        return self._client


def forwarded_headers(answer: httpx.Response) -> dict[str, str]:
    """Return the endpoint's headers for the caller: content type, and when to retry."""
    return {
        name: value for name, value in answer.headers.items() if name in FORWARDED_HEADERS or name.startswith("x-ratelimit-")
    }  # fmt: skip


def _address(settings: Settings, found: DiscoveredLLM) -> tuple[str | None, str | None]:
    """Return the URL of the endpoint and its model, from the settings or from the detected model."""
    wanted: Any = settings.llm
    if wanted == "off":
        return None, None
    kind, _, model = wanted.partition(":") if isinstance(wanted, str) else ("", "", "")
    usual = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}.get(kind)
    if settings.llm_url or usual:
        return (settings.llm_url or usual or "").rstrip("/"), model or None
    if wanted is None and isinstance(found.llm, OpenAILLM):
        return found.llm._url, found.llm._model  # pyright: ignore[reportPrivateUsage]  # no public accessor
    return None, None
