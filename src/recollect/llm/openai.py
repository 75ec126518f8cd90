"""Language models behind an OpenAI-compatible endpoint, over the official library."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, cast

from recollect.errors import ConfigError, LLMError, MissingExtra
from recollect.llm.answers import Gathered, whole
from recollect.llm.failures import Asked
from recollect.llm.line import Line, Streamed
from recollect.llm.quiet import quiet
from recollect.ports import Completion, Piece

OPENAI = "https://api.openai.com/v1"
OLLAMA = "http://localhost:11434/v1"

NO_KEY = "none"
"""Sent where no key is set: the library insists on one, servers on one's own machine mostly do not look at it."""


class OpenAILLM:
    """A model behind OpenAI's chat completions: OpenAI itself, Ollama, vLLM, LM Studio, llama.cpp, LiteLLM and others.

    `timeout` is how many seconds the endpoint may be silent. What may pass (408, 409, 429, 5xx, no connection, silence) is
    tried again `retries` times, after as long a pause as the endpoint asks for, or else a growing one. What was streamed
    already is not asked for again. `stream_usage=False` is for endpoints that do not know `stream_options`.

    >>> OpenAILLM("gpt-5-mini", api_key="…").name
    'openai:gpt-5-mini'
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        stream_usage: bool = True,
        kind: str = "openai",
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ConfigError(f"{base_url} is no address of an endpoint; it begins with http:// or https://")
        self.name = f"{kind}:{model}"
        self._model = model
        self._url = base_url
        self._key = api_key
        self._timeout = timeout
        self._retries = retries
        self._stream_usage = stream_usage
        # Its newer models refuse the old name, which others know alone.
        self._limit = "max_completion_tokens" if base_url.startswith(OPENAI) else "max_tokens"
        self._lock = threading.Lock()
        self._client: Any = None
        self._closing: weakref.finalize[Any, Any] | None = None

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        """The answer, when all of it is there."""
        client = self._opened()
        try:
            return whole(self._create(client, self._request(messages, tools, max_tokens, temperature)))
        except Exception as error:  # the library lets some errors of the one below through
            raise self._asked(messages).explain(error) from None

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[Piece]:
        """The answer as it comes; closing the iterator closes the connection, so that the endpoint can stop working.
        Its `abort` does so from another thread, while this one waits."""
        client = self._opened()
        request = self._request(messages, tools, max_tokens, temperature) | {"stream": True}
        if self._stream_usage:
            request["stream_options"] = {"include_usage": True}
        line = Line()
        return Streamed(self._pieces(client, request, line), line)

    def _pieces(self, client: Any, request: Mapping[str, Any], line: Line) -> Generator[Piece, None, None]:
        gathered = Gathered()
        try:
            with self._create(client, request) as chunks:
                line.connected(chunks.response)
                for chunk in chunks:
                    if text := gathered.take(chunk):
                        yield Piece(text)
            completion = self._ended(gathered)
        except LLMError:
            raise
        except Exception as error:  # the library lets some errors of the one below through
            raise self._asked(request["messages"]).explain(error) from None
        yield Piece(completion=completion)

    def close(self) -> None:
        """Gives back its connections; the next question opens new ones. What is not closed is when it is thrown away."""
        with self._lock:
            if self._closing is not None:
                self._closing()
            self._client = None

    def _ended(self, gathered: Gathered) -> Completion:
        if not gathered.finish:
            got = sum(map(len, gathered.texts))
            raise self._asked(()).failed(f"broke off after {got:,} characters, before the end of the answer; ask again")
        return gathered.completion()

    def _request(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        max_tokens: int | None,
        temperature: float | None,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self._model, "messages": [dict(message) for message in messages]}
        if tools:
            request["tools"] = [dict(tool) for tool in tools]
        if max_tokens is not None:
            request[self._limit] = max_tokens
        if temperature is not None:
            request["temperature"] = temperature
        return request

    def _create(self, client: Any, request: Mapping[str, Any]) -> Any:
        with quiet("openai._base_client"):
            return client.chat.completions.create(**request)

    def _asked(self, messages: Sequence[Mapping[str, Any]]) -> Asked:
        return Asked(self.name, self._url, self._key, self._timeout, self._retries + 1, messages)

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                try:
                    import openai  # pyright: ignore[reportMissingImports]
                except ImportError:
                    raise MissingExtra(f"{self.name} needs: pip install 'recollect[openai]'") from None
                library = cast("Any", openai)
                self._client = library.OpenAI(
                    api_key=self._key or NO_KEY,
                    base_url=self._url,
                    timeout=self._timeout,
                    max_retries=self._retries,
                    # An endpoint does not move; following it would carry the messages to another host.
                    http_client=library.DefaultHttpxClient(follow_redirects=False, timeout=self._timeout),
                )
                self._closing = weakref.finalize(self, self._client.close)
            return self._client
