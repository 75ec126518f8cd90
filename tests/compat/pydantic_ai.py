"""Pydantic AI: it ships no tests. Ours ask its own in-memory store and ours the same."""

from framework import Framework

FRAMEWORK = Framework(
    name="pydantic-ai",
    title="Pydantic AI",
    extra="pydantic-ai",
    packages=("pydantic-ai-slim==2.66.0",),
    adapter="pydantic_ai",
    ours=("tests/adapters/test_pydantic_ai.py",),
)
