"""Error messages for failures of an endpoint. They say what to do, and contain neither the key nor message text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from keepsaid.engine.redaction import redact
from keepsaid.errors import LLMError, LLMRefused

MAX_EXCERPT_LENGTH = 300
QUOTED = 20
"""This many consecutive characters that are also in a message are treated as a quotation of it."""
MIN_QUOTED_LENGTH = 8
"""A message's whole text of at least this length is treated as a quotation."""

ADVICE = {
    400: "the request does not suit this model: check max_tokens, temperature, tools and the length of the prompt",
    401: "check the key (api_key)",
    403: "check the key (api_key) and what it may use",
    404: "check the model's name and base_url, which mostly ends with /v1",
    408: "try again later, or increase retries or timeout",
    413: "send a shorter prompt",
    422: "the request does not suit this model: check max_tokens, temperature and tools",
    429: "wait, increase retries, or check whether the quota is used up",
}


class LLMCallContext(NamedTuple):
    """The context of a call to an endpoint, for its error messages."""

    name: str
    url: str
    key: str | None
    timeout: float
    attempts: int
    messages: Sequence[Mapping[str, Any]]

    def translate_error(self, error: Exception) -> LLMError:
        """Translate an error of the client library, or of its HTTP library, to ours."""
        if _is_timeout(error):
            return self.build_error(
                f"was silent for {self.timeout:g} seconds; increase timeout, or check whether the model is loaded"
            )
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and status >= 300:
            return self._refused(error, status)
        if isinstance(error, (ValueError, TypeError, AttributeError)):
            return self.build_error(
                "did not return a chat completion; check base_url and that the endpoint is OpenAI-compatible"
            )
        cause = self._safe_excerpt(str(error.__cause__ or error)) or type(error).__name__
        if type(error).__name__ in ("APIError", "OpenAIError"):
            return self.build_error(f"reported an error: {cause}; try again later")
        return self.build_error(f"cannot be reached or broke off: {cause}; check base_url and that the server is running")

    def build_error(self, what: str) -> LLMError:
        """Build an error that begins with the model and URL."""
        return LLMError(f"{self.name}: {self.url} {what}")

    def _refused(self, error: Exception, status: int) -> LLMError:
        tries = (
            f" (up to {self.attempts} attempts)"
            if self.attempts > 1 and (status in (408, 409, 429) or status >= 500)
            else ""
        )
        if status < 400:
            advice = "it redirects elsewhere, which is not followed with your messages: set base_url to the final URL"
        else:
            advice = ADVICE.get(status, "try again later, or check the server's log")
        message = self._safe_excerpt(_message(error))
        what = f"answered {status}{tries}{': ' + message if message else ''}; {advice}"
        return LLMRefused(f"{self.name}: {self.url} {what}", status, message)

    def _safe_excerpt(self, message: str) -> str:
        """Return an excerpt of an endpoint's message without keys, unless it quotes the messages."""
        excerpt = " ".join(message.split())[:MAX_EXCERPT_LENGTH]
        if self.key:
            excerpt = excerpt.replace(self.key, "[key removed]")
        texts = [" ".join(text.split()) for text in _strings(self.messages)]
        if _quotes_messages(excerpt, texts):
            return "(left out, because it quotes the messages)"
        return redact(excerpt, ("key",)).text


def _is_timeout(error: Exception) -> bool:
    """Whether an error is a timeout. Older versions of the library let the HTTP library's own errors through in a stream."""
    return "timeout" in type(error).__name__.lower()


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        message = cast("Mapping[str, Any]", body).get("message")
        return message if isinstance(message, str) else ""
    return body if isinstance(body, str) else ""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, Any]", value).values():
            yield from _strings(item)
    elif isinstance(value, Sequence):
        for item in cast("Sequence[Any]", value):
            yield from _strings(item)


def _quotes_messages(excerpt: str, texts: Sequence[str]) -> bool:
    if any(len(text) >= MIN_QUOTED_LENGTH and text in excerpt for text in texts):
        return True
    pieces = {excerpt[at : at + QUOTED] for at in range(len(excerpt) - QUOTED + 1)}
    return any(piece in text for text in texts for piece in pieces)
