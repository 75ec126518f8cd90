"""Token counts: exact for published tokenizers, and a high estimate that is marked as such for others."""

import pytest

from keepsaid.errors import ConfigError
from keepsaid.llm.tokens import ENCODINGS, MODEL_ENCODINGS, counter_for


def test_counts_match_published_counts():
    """Counts that OpenAI's own tool gives for these texts."""
    for name, text, count in (
        ("o200k_base", "Hello, world!", 4),
        ("cl100k_base", "Hello, world!", 4),
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("o200k_base", "tiktoken is great!", 6),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "", 0),
    ):
        assert counter_for(name).count(text) == count, (name, text)


def test_control_tokens_are_counted_as_plain_text():
    assert counter_for("o200k_base").count("<|endoftext|>") > 1
    assert counter_for("llama3").count("<|begin_of_text|>") > 1


@pytest.mark.parametrize("encoding", sorted(ENCODINGS))
def test_encoding_loads_and_adds_no_special_tokens(encoding):
    counter = counter_for(encoding)
    assert counter.exact
    assert counter.count("hello") == 1
    assert counter.count("a b") <= 3


@pytest.mark.parametrize(
    ("model", "name", "exact"),
    [
        ("gpt-5.2", "o200k_base", True),
        ("openai/gpt-4o-mini", "o200k_base", True),
        ("gpt-4.1", "o200k_base", True),
        ("gpt-4-turbo", "cl100k_base", True),
        ("gpt-oss-120b", "gpt-oss", True),
        ("o3-mini", "o200k_base", True),
        ("meta-llama/Llama-3.3-70B", "llama3", True),
        ("Qwen/Qwen3-8B", "qwen3", True),
        ("claude-opus-5", "estimate", False),
        ("some-new-model", "estimate", False),
    ],
)
def test_model_name_selects_encoding(model, name, exact):
    counter = counter_for(model)
    assert (counter.name, counter.exact) == (name, exact)


def test_estimate_is_at_least_every_published_count():
    """On prose, code and other scripts: at least what any of the published ones says, but not absurdly more."""
    estimate = counter_for("unknown")
    texts = (
        "The quick brown fox jumps over the lazy dog. " * 20,
        "def f(x):\n    return [y ** 2 for y in range(x) if y % 3 == 0]\n" * 10,
        '{"id": 17, "name": "Lisbon", "tags": ["a", "b"]}' * 10,
    )
    for text in texts:
        counts = [counter_for(encoding).count(text) for _, encoding in MODEL_ENCODINGS if "llama2" not in encoding]
        assert max(counts) <= estimate.count(text) < 3 * min(counts)


def test_empty_model_name_is_refused():
    with pytest.raises(ConfigError):
        counter_for("")
