"""What went wrong with an endpoint, in words that say what to do, and without the key or what was said in the messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from recollect.engine.redact import redacted
from recollect.errors import LLMError, LLMRefused

LONGEST_EXCERPT = 300
QUOTED = 20
"""So many characters in a row that are also in a message are a quotation of it."""
SHORTEST_QUOTED = 8
"""A whole text of a message from this length on is a quotation."""

ADVICE = {
    400: "the request does not suit this model: look at max_tokens, temperature and tools, and at how long the prompt is",
    401: "check the key (api_key)",
    403: "check the key (api_key) and what it may use",
    404: "check the model's name and base_url, which mostly ends with /v1",
    408: "try again later, or raise retries or timeout",
    413: "send a shorter prompt",
    422: "the request does not suit this model: look at max_tokens, temperature and tools",
    429: "wait, raise retries, or look whether the quota is used up",
}


class Asked(NamedTuple):
    """Who was asked what: enough to say what is wrong with it."""

    name: str
    url: str
    key: str | None
    timeout: float
    attempts: int
    messages: Sequence[Mapping[str, Any]]

    def explain(self, error: Exception) -> LLMError:
        """An error of the client library, or of the HTTP library below it, as ours."""
        if _is_timeout(error):
            return self.failed(
                f"was silent for {self.timeout:g} seconds; raise timeout, or look whether the model is loaded"
            )
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and status >= 300:
            return self._refused(error, status)
        if isinstance(error, (ValueError, TypeError, AttributeError)):
            return self.failed("answered what is no chat completion; check base_url and that it is an OpenAI-compatible one")
        cause = self._safe(str(error.__cause__ or error)) or type(error).__name__
        if type(error).__name__ in ("APIError", "OpenAIError"):
            return self.failed(f"reported an error: {cause}; try again later")
        return self.failed(f"cannot be reached or broke off: {cause}; check base_url and that the server is running")

    def failed(self, what: str) -> LLMError:
        """An error that begins with who failed."""
        return LLMError(f"{self.name}: {self.url} {what}")

    def _refused(self, error: Exception, status: int) -> LLMError:
        tries = (
            f" (up to {self.attempts} attempts)"
            if self.attempts > 1 and (status in (408, 409, 429) or status >= 500)
            else ""
        )
        if status < 400:
            advice = "it sends us elsewhere, where we do not go with your messages: set base_url to the final address"
        else:
            advice = ADVICE.get(status, "try again later, or look at the server's log")
        said = self._safe(_message(error))
        what = f"answered {status}{tries}{': ' + said if said else ''}; {advice}"
        return LLMRefused(f"{self.name}: {self.url} {what}", status, said)

    def _safe(self, said: str) -> str:
        """An excerpt of what an endpoint said, unless it quotes the messages, and without keys."""
        excerpt = " ".join(said.split())[:LONGEST_EXCERPT]
        if self.key:
            excerpt = excerpt.replace(self.key, "[key removed]")
        texts = [" ".join(text.split()) for text in _strings(self.messages)]
        if _quotes(excerpt, texts):
            return "(its words quote the messages and are left out)"
        return redacted(excerpt, ("key",)).text


def _is_timeout(error: Exception) -> bool:
    """Older versions of the library let the HTTP library's own errors through while an answer streams."""
    return "timeout" in type(error).__name__.lower()


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        said = cast("Mapping[str, Any]", body).get("message")
        return said if isinstance(said, str) else ""
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


def _quotes(excerpt: str, texts: Sequence[str]) -> bool:
    if any(len(text) >= SHORTEST_QUOTED and text in excerpt for text in texts):
        return True
    pieces = {excerpt[at : at + QUOTED] for at in range(len(excerpt) - QUOTED + 1)}
    return any(piece in text for text in texts for piece in pieces)
