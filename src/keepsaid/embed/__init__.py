"""Embedders, which turn text into vectors. Each is in a file of its own, loaded on first use."""

from __future__ import annotations

from pathlib import Path

from keepsaid.embed.model_folder import MINILM_NAME, MULTILINGUAL_NAME, is_multilingual_pulled, is_pulled, local_model_folder
from keepsaid.errors import ConfigError, MissingModel
from keepsaid.ports import Embedder

__all__ = ["embedder_for", "is_multilingual_pulled", "is_pulled", "local_model_folder"]

LOCAL = {"local": None, f"local:{MINILM_NAME}": False, f"local:{MINILM_NAME}+{MULTILINGUAL_NAME}": True}
"""Names of the local embedder, and whether they use the multilingual model. The first uses it if it was pulled."""

PULL_MEGABYTES = 115
"""The download size of `keepsaid model pull`: 84 MB and 32 MB."""

KINDS = f"local, local:{MINILM_NAME}, ollama:MODEL, openai:MODEL, sentence-transformers:MODEL"


def embedder_for(
    spec: str,
    *,
    folder: Path | None = None,
    threads: int = 1,
    token_vectors: bool = True,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 60.0,
    device: str | None = None,
) -> Embedder:
    """Return the embedder that a setting names: `local`, `ollama:MODEL`, `openai:MODEL` or `sentence-transformers:MODEL`.

    `local` is all-MiniLM-L6-v2 together with USE-multilingual v3, if both were pulled. `local:all-MiniLM-L6-v2` is the
    first alone.

    `folder`, `threads` and `token_vectors` are for the local model, `base_url`, `api_key` and `timeout` for endpoints,
    `device` for sentence-transformers.

    >>> embedder_for("ollama:nomic-embed-text").name
    'ollama:nomic-embed-text'
    """
    kind, _, model = spec.partition(":")
    if spec in LOCAL:
        return _local(folder or local_model_folder(), threads, token_vectors, LOCAL[spec])
    if not model or kind not in ("ollama", "openai", "sentence-transformers"):
        raise ConfigError(f"there is no embedder {spec!r}; known are {KINDS}")
    if kind == "sentence-transformers":
        from keepsaid.embed.sentence_transformers import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(model, device=device)
    from keepsaid.embed.http import OLLAMA_URL, OPENAI_URL, OllamaEmbedder, OpenAIEmbedder

    if kind == "ollama":
        return OllamaEmbedder(model, base_url=base_url or OLLAMA_URL, timeout=timeout)
    return OpenAIEmbedder(model, base_url=base_url or OPENAI_URL, api_key=api_key, timeout=timeout)


def _local(folder: Path, threads: int, token_vectors: bool, multilingual: bool | None) -> Embedder:
    if not is_pulled(folder) or (multilingual and not is_multilingual_pulled(folder)):
        missing = "multilingual" if is_pulled(folder) else "local"
        raise MissingModel(
            f"there is no {missing} model in {folder}: `keepsaid model pull` fetches it ({PULL_MEGABYTES} MB, once)"
        )
    from keepsaid.embed.local import LocalEmbedder

    return LocalEmbedder(folder, threads=threads, token_vectors=token_vectors, multilingual=multilingual)
