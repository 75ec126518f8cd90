"""Language models: what writes summaries, facts and titles better than rules do. Each is a file of its own, loaded when
somebody asks for it; Recollect works without any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from recollect.errors import ConfigError
from recollect.ports import LLM, Completion

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
    """The language model that a setting or an application names: `openai:MODEL` (with `base_url` anything that speaks like
    it), `ollama:MODEL`, the application's own function `ask(messages) -> str`, or an `LLM` as it is.

    The options are for endpoints. `timeout` is how many seconds an endpoint may be silent, `retries` how often it is asked
    again.

    >>> llm_for("ollama:llama3.2:3b").name
    'ollama:llama3.2:3b'
    >>> llm_for(lambda messages: f"You said: {messages[-1]['content']}").complete([{"role": "user", "content": "Hi"}]).text
    'You said: Hi'
    """
    if isinstance(spec, LLM):
        return spec
    if callable(spec):
        from recollect.llm.function import FunctionLLM, Messages

        return FunctionLLM(cast("Callable[[Messages], str | Completion]", spec))
    kind, _, model = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    if not model or kind not in ("openai", "ollama"):
        raise ConfigError(f"there is no language model {spec!r}; known are {KINDS}")
    from recollect.llm.openai import OLLAMA, OPENAI, OpenAILLM

    url = base_url or (OLLAMA if kind == "ollama" else OPENAI)
    return OpenAILLM(model, base_url=url, api_key=api_key, timeout=timeout, retries=retries, kind=kind)
