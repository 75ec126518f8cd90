"""ChromaDB: our own conformance suite of an index, on it; it has no tests for what others build on it."""

from framework import Framework

FRAMEWORK = Framework(
    name="chroma",
    title="ChromaDB",
    extra="chroma",
    packages=("chromadb==1.5.9",),
    ours=("tests/adapters/test_chroma.py",),
)
