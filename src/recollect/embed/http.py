"""Embedders behind an endpoint: anything that speaks OpenAI's `/embeddings`, and Ollama. No client library is needed."""

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

from recollect.embed.checked import unit_vectors
from recollect.errors import ConfigError, EmbedderError
from recollect.ports import Embedding

OPENAI = "https://api.openai.com/v1"
OLLAMA = "http://localhost:11434"

TRANSIENT = frozenset((429, 500, 502, 503, 504))
"""Answers that may be better a moment later."""
LONGEST_PAUSE = 30.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An endpoint does not move; following one would carry the key to another host."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> None:
        return None


class Endpoint:
    """Sends JSON and gets JSON, patiently: what may pass is tried again, after a pause that doubles."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, timeout: float, retries: int, pause: float, maker: str
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url} is no address of an endpoint; it begins with http:// or https://")
        self._url = url
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout = timeout
        self._retries = retries
        self._pause = pause
        self._maker = maker
        self._opener = urllib.request.build_opener(_NoRedirects)

    def post(self, body: Mapping[str, Any]) -> Any:
        """The endpoint's answer; an `EmbedderError` if there is none, or none that can be read."""
        # The address was checked when it came in.
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
        """As long as the endpoint asks for, or else twice as long each time, a little apart from other clients."""
        asked = error.headers.get("Retry-After", "")
        pause = float(asked) if asked.isdigit() else self._pause * 2**attempt * random.uniform(0.75, 1.25)
        return min(pause, LONGEST_PAUSE)


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(reason) or type(error).__name__


def _excerpt(content: bytes) -> str:
    return " ".join(content[:300].decode(errors="replace").split())


class _HttpEmbedder(ABC):
    """What both kinds of endpoint have in common: texts go out in batches, vectors come back in order."""

    def __init__(self, name: str, endpoint: Endpoint, batch: int) -> None:
        self.name = name
        self._endpoint = endpoint
        self._batch = batch

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """One embedding for each text."""
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
        # Once more, all together: batches may differ in their dimensions.
        rows = unit_vectors(vectors, len(texts), maker=self.name)
        return [Embedding(cast("Sequence[float]", row)) for row in rows]

    @abstractmethod
    def _request(self, texts: list[str]) -> dict[str, Any]: ...

    @abstractmethod
    def _vectors(self, answer: Any) -> list[Sequence[float]]: ...


class OpenAIEmbedder(_HttpEmbedder):
    """A model behind an OpenAI-compatible endpoint: OpenAI itself, vLLM, LM Studio, llama.cpp, LiteLLM and others.

    `dimensions` asks for shorter vectors, where the model can make them.

    >>> OpenAIEmbedder("text-embedding-3-small", api_key="…", dimensions=512).name
    'openai:text-embedding-3-small/512'
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
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
        super().__init__(name, Endpoint(url, headers, timeout=timeout, retries=retries, pause=pause, maker=name), batch)
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
        base_url: str = OLLAMA,
        batch: int = 64,
        timeout: float = 60.0,
        retries: int = 3,
        pause: float = 0.5,
    ) -> None:
        name = f"ollama:{model}"
        url = base_url.rstrip("/") + "/api/embed"
        super().__init__(name, Endpoint(url, {}, timeout=timeout, retries=retries, pause=pause, maker=name), batch)
        self._fixed = {"model": model, "truncate": True}

    def _request(self, texts: list[str]) -> dict[str, Any]:
        return {**self._fixed, "input": texts}

    def _vectors(self, answer: Any) -> list[Sequence[float]]:
        return list(answer["embeddings"])
