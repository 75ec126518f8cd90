"""Language models at an OpenAI-compatible endpoint, by the official library."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, cast

from keepsaid.errors import ConfigError, LLMError, MissingExtra
from keepsaid.llm.answers import AnswerAccumulator, parse_completion
from keepsaid.llm.connection import AnswerStream, EndpointConnection
from keepsaid.llm.failures import LLMCallContext
from keepsaid.llm.log_privacy import suppress_debug_logs
from keepsaid.ports import LLMCompletion, StreamPiece

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://localhost:11434/v1"

NO_KEY = "none"
"""Sent if no key is set: the library requires one, and local servers mostly ignore it."""


class OpenAILLM:
    """A model with OpenAI's chat completions API: OpenAI itself, Ollama, vLLM, LM Studio, llama.cpp, LiteLLM and others.

    `timeout` is how many seconds the endpoint may be silent. Transient failures (408, 409, 429, 5xx, no connection, silence)
    are retried `retries` times, after the pause that the endpoint asks for, or else a growing one. A stream that has begun
    is not retried. `stream_usage=False` is for endpoints that do not know `stream_options`.

    >>> OpenAILLM("gpt-5-mini", api_key="…").name
    'openai:gpt-5-mini'
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        stream_usage: bool = True,
        kind: str = "openai",
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ConfigError(f"{base_url} is not the URL of an endpoint; it must begin with http:// or https://")
        self.name = f"{kind}:{model}"
        self._model = model
        self._url = base_url
        self._key = api_key
        self._timeout = timeout
        self._retries = retries
        self._stream_usage = stream_usage
        # OpenAI's newer models refuse the old name, which is the only one that other servers know.
        self._limit = "max_completion_tokens" if base_url.startswith(OPENAI_URL) else "max_tokens"
        self._lock = threading.Lock()
        self._client: Any = None
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> LLMCompletion:
        """Return the complete answer."""
        client = self._open_client()
        try:
            return parse_completion(self._create(client, self._request(messages, tools, max_tokens, temperature)))
        except Exception as error:  # the library lets some errors of its HTTP library through
            raise self._call_context(messages).translate_error(error) from None

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[StreamPiece]:
        """Stream the answer. Closing the iterator closes the connection, so that the endpoint can stop. Its `abort` does so
        from another thread, while this one waits."""
        client = self._open_client()
        request = self._request(messages, tools, max_tokens, temperature) | {"stream": True}
        if self._stream_usage:
            request["stream_options"] = {"include_usage": True}
        line = EndpointConnection()
        return AnswerStream(self._pieces(client, request, line), line)

    def _pieces(
        self, client: Any, request: Mapping[str, Any], line: EndpointConnection
    ) -> Generator[StreamPiece, None, None]:
        gathered = AnswerAccumulator()
        try:
            with self._create(client, request) as chunks:
                line.attach(chunks.response)
                for chunk in chunks:
                    if text := gathered.add_chunk(chunk):
                        yield StreamPiece(text)
            completion = self._finished(gathered)
        except LLMError:
            raise
        except Exception as error:  # the library lets some errors of its HTTP library through
            raise self._call_context(request["messages"]).translate_error(error) from None
        yield StreamPiece(completion=completion)

    def close(self) -> None:
        """Release the connections. The next call opens new ones. Without this they are closed at garbage collection."""
        with self._lock:
            if self._finalizer is not None:
                self._finalizer()
            self._client = None

    def _finished(self, gathered: AnswerAccumulator) -> LLMCompletion:
        if not gathered.finish:
            got = sum(map(len, gathered.texts))
            raise self._call_context(()).build_error(
                f"broke off after {got:,} characters, before the end of the answer; ask again"
            )
        return gathered.build_completion()

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
        with suppress_debug_logs("openai._base_client"):
            return client.chat.completions.create(**request)

    def _call_context(self, messages: Sequence[Mapping[str, Any]]) -> LLMCallContext:
        return LLMCallContext(self.name, self._url, self._key, self._timeout, self._retries + 1, messages)

    def _open_client(self) -> Any:
        with self._lock:
            if self._client is None:
                try:
                    import openai  # pyright: ignore[reportMissingImports]
                except ImportError:
                    raise MissingExtra(f"{self.name} needs: pip install 'keepsaid[openai]'") from None
                library = cast("Any", openai)
                self._client = library.OpenAI(
                    api_key=self._key or NO_KEY,
                    base_url=self._url,
                    timeout=self._timeout,
                    max_retries=self._retries,
                    # Following a redirect would send the messages to another host.
                    http_client=library.DefaultHttpxClient(follow_redirects=False, timeout=self._timeout),
                )
                self._finalizer = weakref.finalize(self, self._client.close)
            return self._client
