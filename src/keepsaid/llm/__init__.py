"""Language models, which write summaries, facts and titles better than rules do. Each is in a file of its own, loaded on
first use. Keepsaid works without any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from keepsaid.errors import ConfigError
from keepsaid.ports import LLM, LLMCompletion

__all__ = ["llm_for"]

KINDS = "openai:MODEL, ollama:MODEL, a function from messages to text, or an object with `complete` and `stream`"


def llm_for(
    spec: Any,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 60.0,
    retries: int = 2,
) -> LLM:
    """Return the language model for a setting: `openai:MODEL` (with `base_url` any compatible endpoint), `ollama:MODEL`, the
    application's own function `ask(messages) -> str`, or an `LLM` object.

    The options are for endpoints. `timeout` is how many seconds an endpoint may be silent, `retries` how often a request is
    repeated.

    >>> llm_for("ollama:llama3.2:3b").name
    'ollama:llama3.2:3b'
    >>> llm_for(lambda messages: f"You said: {messages[-1]['content']}").complete([{"role": "user", "content": "Hi"}]).text
    'You said: Hi'
    """
    if isinstance(spec, LLM):
        return spec
    if callable(spec):
        from keepsaid.llm.function import FunctionLLM, MessageDicts

        return FunctionLLM(cast("Callable[[MessageDicts], str | LLMCompletion]", spec))
    kind, _, model = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    if not model or kind not in ("openai", "ollama"):
        raise ConfigError(f"there is no language model {spec!r}; known are {KINDS}")
    from keepsaid.llm.openai import OLLAMA_URL, OPENAI_URL, OpenAILLM

    url = base_url or (OLLAMA_URL if kind == "ollama" else OPENAI_URL)
    return OpenAILLM(model, base_url=url, api_key=api_key, timeout=timeout, retries=retries, kind=kind)
