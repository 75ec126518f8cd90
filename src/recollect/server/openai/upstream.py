"""The endpoint behind the proxy: any that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from recollect.config import Settings
from recollect.errors import LLMError
from recollect.llm.found import FoundLLM
from recollect.llm.openai import OLLAMA, OPENAI, OpenAILLM
from recollect.server.problems import NO_MODEL, Refusal

CONNECT = 10.0
"""Seconds to reach the endpoint; how long it may be silent then is a setting."""
TOLD = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
HOW = (
    "no model endpoint is set up: set llm (RECOLLECT_LLM) to openai:MODEL or ollama:MODEL, with llm_url (RECOLLECT_LLM_URL)"
    " and llm_key (RECOLLECT_LLM_KEY) for any other endpoint than those, and start the server again"
)


class Upstream:
    """One connection pool to the endpoint, opened with the first question. `model` is asked where a caller names none."""

    def __init__(self, settings: Settings, found: FoundLLM) -> None:
        self._url, self.model = _address(settings, found)
        self._key = settings.llm_key
        self._timeout = settings.llm_timeout
        self._client: httpx.AsyncClient | None = None
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def is_set(self) -> bool:
        """Whether there is an endpoint at all."""
        return self._url is not None

    def check(self) -> None:
        """Raises if there is no endpoint."""
        if self._url is None:
            raise Refusal(NO_MODEL, HOW)

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """The beginning of an answer, whatever its status. Who gets it reads and closes it, or has it closed (`leave`)."""
        self.check()
        client = self._opened()
        # What comes is passed on as it is, so nobody on the way should pack it.
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = client.build_request(method, f"{self._url}{path}", json=body, headers=headers)
        try:
            return await client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise self.failed(error) from None

    def failed(self, error: httpx.HTTPError) -> LLMError:
        """What went wrong with the endpoint, in words that say what to do."""
        if isinstance(error, httpx.TimeoutException):
            why = f"was silent for {self._timeout:g} seconds: raise llm_timeout, or look whether the model is loaded"
        else:
            why = "cannot be reached or broke off: check llm_url and that it is running"
        return LLMError(f"the model's endpoint {why} ({type(error).__name__})")

    def leave(self, answer: httpx.Response) -> None:
        """Closes an answer that nobody reads any more, so that the endpoint can stop; also from a task that is cancelled."""
        task = asyncio.ensure_future(answer.aclose())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def close(self) -> None:
        """Gives back its connections."""
        await asyncio.gather(*self._leaving, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(self._timeout, connect=min(CONNECT, self._timeout))
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
            # An endpoint does not move; following it would carry the messages to another host.
            self._client = httpx.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)
        return self._client


def told_headers(answer: httpx.Response) -> dict[str, str]:
    """What of an endpoint's headers is for the caller: the kind of content, and when to come again."""
    return {
        name: value for name, value in answer.headers.items() if name in TOLD or name.startswith("x-ratelimit-")
    }  # fmt: skip


def _address(settings: Settings, found: FoundLLM) -> tuple[str | None, str | None]:
    """Where the endpoint is, and its model: by the settings, or where a model was found."""
    wanted: Any = settings.llm
    if wanted == "off":
        return None, None
    kind, _, model = wanted.partition(":") if isinstance(wanted, str) else ("", "", "")
    usual = {"openai": OPENAI, "ollama": OLLAMA}.get(kind)
    if settings.llm_url or usual:
        return (settings.llm_url or usual or "").rstrip("/"), model or None
    if wanted is None and isinstance(found.llm, OpenAILLM):
        return found.llm._url, found.llm._model  # pyright: ignore[reportPrivateUsage]  # found by nobody else
    return None, None
