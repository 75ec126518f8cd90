"""Counts tokens offline: exactly with the model's own tokenizer, or by a high estimate if none was published.

The tables are compiled into splintr (MIT), so nothing is downloaded. Loading one takes 20–50 ms and happens at the first
count, not at import or open.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from keepsaid.errors import ConfigError
from keepsaid.ports import TokenCounter

DEFAULT_ENCODING = "o200k_base"

MODEL_ENCODINGS: tuple[tuple[str, str], ...] = (
    ("gpt-oss", "gpt-oss"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-4o", "o200k_base"),
    ("gpt-4.", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-", "o200k_base"),
    ("chatgpt-", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4", "o200k_base"),
    ("text-embedding-", "cl100k_base"),
    ("llama-2", "llama2"),
    ("llama2", "llama2"),
    ("llama-3", "llama3"),
    ("llama3", "llama3"),
    ("meta-llama-3", "llama3"),
    ("qwen3", "qwen3"),
    ("qwen2", "qwen2"),
    ("deepseek", "deepseek_v3"),
    ("gemma-3", "gemma3"),
    ("gemma3", "gemma3"),
    ("gemma-2", "gemma2"),
    ("gemma2", "gemma2"),
    ("phi-4", "phi4"),
    ("phi4", "phi4"),
    ("mistral", "mistral_v3"),
    ("kimi-k2", "kimi_k2"),
    ("glm-4", "glm4"),
)
"""Prefixes of model names, longer ones first, with the tokenizer they use."""

ENCODINGS = frozenset(encoding for _, encoding in MODEL_ENCODINGS) | {DEFAULT_ENCODING, "cl100k_base"}

ESTIMATE = "estimate"
ESTIMATE_MARGIN = 1.35
"""Claude and Gemini do not publish tokenizers. According to their counting services, they make up to a third more tokens
than o200k from prose and code. A budget is a hard limit, so the estimate stays above that."""


class ExactCounter:
    """Counts with a published tokenizer. Text that spells a control token is counted as plain text.

    >>> ExactCounter("o200k_base").count("Hello world")
    2
    """

    exact = True

    def __init__(self, encoding: str) -> None:
        self.name = encoding
        self._lock = threading.Lock()
        self._tokenizer: Any = None
        self._template = 0

    def count(self, text: str) -> int:
        """Return the number of tokens in a text."""
        if not text:
            return 0
        tokenizer = self._tokenizer or self._load()
        return len(tokenizer.encode_ordinary(text)) - self._template

    def _load(self) -> Any:
        with self._lock:
            if self._tokenizer is None:
                import splintr

                tokenizer = splintr.Tokenizer.from_pretrained(self.name)
                # Some models put a start token before every text; a message's share of a prompt does not include it.
                self._template = len(tokenizer.encode_ordinary(""))
                self._tokenizer = tokenizer
            return self._tokenizer


@cache
def _exact(encoding: str) -> ExactCounter:
    """Return the shared counter of an encoding: its tables take about 20 MB and 50 ms."""
    return ExactCounter(encoding)


class EstimatedCounter:
    """Overestimates token counts, for models without a published tokenizer.

    >>> EstimatedCounter().exact, EstimatedCounter().count("Hello world") >= 2
    (False, True)
    """

    exact = False
    name = ESTIMATE

    def __init__(self) -> None:
        self._base = _exact(DEFAULT_ENCODING)

    def count(self, text: str) -> int:
        """Return an upper estimate of the number of tokens in a text."""
        return -int(-self._base.count(text) * ESTIMATE_MARGIN // 1)


def counter_for(name: str) -> TokenCounter:
    """Return the counter for a tokenizer (`o200k_base`), a model (`gpt-4o-mini`), or `estimate`.

    An unknown model gets the estimate, and its counter says so (`exact` is False).

    >>> counter_for("gpt-4o-mini").name, counter_for("claude-opus-5").name
    ('o200k_base', 'estimate')
    """
    if not name:
        raise ConfigError("the tokenizer's name is empty")
    if name in ENCODINGS:
        return _exact(name)
    model = name.lower().rpartition("/")[2]
    for beginning, encoding in MODEL_ENCODINGS:
        if model.startswith(beginning):
            return _exact(encoding)
    return EstimatedCounter()
