"""Embedders over HTTP: any endpoint with OpenAI's `/embeddings`, and Ollama. No client library is needed."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, cast

from keepsaid.embed.checks import unit_vectors
from keepsaid.errors import ConfigError, EmbedderError
from keepsaid.ports import Embedding

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://localhost:11434"

TRANSIENT = frozenset((429, 500, 502, 503, 504))
"""Status codes of transient failures."""
MAX_PAUSE_SECONDS = 30.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: following one would send the key to another host."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> None:
        return None


class EmbeddingEndpoint:
    """Posts JSON and returns JSON. Transient failures are retried, after a pause that doubles."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, timeout: float, retries: int, pause: float, maker: str
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url} is not the URL of an endpoint; it must begin with http:// or https://")
        self._url = url
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout = timeout
        self._retries = retries
        self._pause = pause
        self._maker = maker
        self._opener = urllib.request.build_opener(_NoRedirects)

    def post(self, body: Mapping[str, Any]) -> Any:
        """Return the endpoint's answer. Raise `EmbedderError` if there is none, or if it cannot be parsed."""
        # The URL was checked in `__init__`.
        request = urllib.request.Request(self._url, json.dumps(body).encode(), self._headers)  # noqa: S310
        for attempt in range(self._retries + 1):
            try:
                return self._once(request)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in TRANSIENT or attempt == self._retries:
                        raise self._refusal(error, attempt + 1) from None
                    time.sleep(self._wait(error, attempt))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                content: bytes = answer.read()
        except urllib.error.HTTPError:
            raise
        except TimeoutError:
            raise EmbedderError(f"{self._maker}: {self._url} gave no answer within {self._timeout:g} seconds") from None
        except (OSError, http.client.HTTPException) as error:
            raise EmbedderError(f"{self._maker}: {self._url} cannot be reached: {_reason(error)}") from None
        try:
            return json.loads(content)
        except ValueError:
            raise EmbedderError(f"{self._maker}: {self._url} answered {_excerpt(content)!r}, which is not JSON") from None

    def _refusal(self, error: urllib.error.HTTPError, attempts: int) -> EmbedderError:
        tries = f" ({attempts} attempts)" if attempts > 1 else ""
        try:
            said = _excerpt(error.read(1000))
        except (OSError, http.client.HTTPException):
            said = ""
        return EmbedderError(f"{self._maker}: {self._url} answered {error.code}{tries}: {said or error.reason}")

    def _wait(self, error: urllib.error.HTTPError, attempt: int) -> float:
        """Return the pause that the endpoint asks for, or else one that doubles each time, with jitter."""
        asked = error.headers.get("Retry-After", "")
        pause = float(asked) if asked.isdigit() else self._pause * 2**attempt * random.uniform(0.75, 1.25)
        return min(pause, MAX_PAUSE_SECONDS)


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(reason) or type(error).__name__


def _excerpt(content: bytes) -> str:
    return " ".join(content[:300].decode(errors="replace").split())


class _HttpEmbedder(ABC):
    """Base class of the HTTP embedders: sends texts in batches, and returns their vectors in order."""

    def __init__(self, name: str, endpoint: EmbeddingEndpoint, batch: int) -> None:
        self.name = name
        self._endpoint = endpoint
        self._batch = batch

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return one embedding for each text."""
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), self._batch):
            part = list(texts[start : start + self._batch])
            answer = self._endpoint.post(self._request(part))
            try:
                found = self._vectors(answer)
            except (KeyError, TypeError, ValueError, AttributeError):
                shown = _excerpt(json.dumps(answer).encode())
                raise EmbedderError(f"{self.name}: the endpoint's answer has no embeddings: {shown}") from None
            vectors.extend(cast("Iterable[Sequence[float]]", unit_vectors(found, len(part), maker=self.name)))
        # Check all together: batches may differ in their dimensions.
        rows = unit_vectors(vectors, len(texts), maker=self.name)
        return [Embedding(cast("Sequence[float]", row)) for row in rows]

    @abstractmethod
    def _request(self, texts: list[str]) -> dict[str, Any]: ...

    @abstractmethod
    def _vectors(self, answer: Any) -> list[Sequence[float]]: ...


class OpenAIEmbedder(_HttpEmbedder):
    """A model at an OpenAI-compatible endpoint: OpenAI itself, vLLM, LM Studio, llama.cpp, LiteLLM and others.

    `dimensions` requests shorter vectors, if the model supports it.

    >>> OpenAIEmbedder("text-embedding-3-small", api_key="…", dimensions=512).name
    'openai:text-embedding-3-small/512'
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch: int = 64,
        timeout: float = 60.0,
        retries: int = 3,
        pause: float = 0.5,
    ) -> None:
        name = f"openai:{model}" + (f"/{dimensions}" if dimensions else "")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        url = base_url.rstrip("/") + "/embeddings"
        super().__init__(
            name, EmbeddingEndpoint(url, headers, timeout=timeout, retries=retries, pause=pause, maker=name), batch
        )
        self._fixed = {"model": model} | ({"dimensions": dimensions} if dimensions else {})

    def _request(self, texts: list[str]) -> dict[str, Any]:
        return {**self._fixed, "input": texts, "encoding_format": "float"}

    def _vectors(self, answer: Any) -> list[Sequence[float]]:
        rows = sorted(answer["data"], key=lambda row: row["index"])
        return [row["embedding"] for row in rows]


class OllamaEmbedder(_HttpEmbedder):
    """A model that Ollama runs.

    >>> OllamaEmbedder("nomic-embed-text").name
    'ollama:nomic-embed-text'
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OLLAMA_URL,
        batch: int = 64,
        timeout: float = 60.0,
        retries: int = 3,
        pause: float = 0.5,
    ) -> None:
        name = f"ollama:{model}"
        url = base_url.rstrip("/") + "/api/embed"
        super().__init__(name, EmbeddingEndpoint(url, {}, timeout=timeout, retries=retries, pause=pause, maker=name), batch)
        self._fixed = {"model": model, "truncate": True}

    def _request(self, texts: list[str]) -> dict[str, Any]:
        return {**self._fixed, "input": texts}

    def _vectors(self, answer: Any) -> list[Sequence[float]]:
        return list(answer["embeddings"])
