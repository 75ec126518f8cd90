"""LlamaIndex, whose distribution has no tests: ours, from its documented contracts."""

from framework import Framework

FRAMEWORK = Framework(
    name="llama-index",
    title="LlamaIndex",
    extra="llama-index",
    packages=("llama-index-core==0.14.25",),
    adapter="llama_index",
    ours=("tests/adapters/test_llama_index_adapter.py",),
)
