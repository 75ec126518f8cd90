"""The local model as an embedder: all-MiniLM-L6-v2 on the processor. No torch, no network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.embed.place import FORMAT, NAME, PROJECTION
from recollect.ports import Embedding

if TYPE_CHECKING:
    from recollect.embed.minilm import MiniLM


class LocalEmbedder:
    """Embeds texts with the model in a folder that `recollect model pull` has filled.

    The model is loaded by the first text. Any thread may call; `threads` is how many the model itself uses for one text.
    Texts are embedded one at a time, because their vectors must not depend on each other (see `encoder`). With
    `token_vectors` off, there is only the one vector for each text, and the name is another.

    >>> LocalEmbedder(Path("models/it")).name, LocalEmbedder(Path("models/it"), token_vectors=False).name
    ('local:all-MiniLM-L6-v2/1+tokens2', 'local:all-MiniLM-L6-v2/1')
    """

    def __init__(self, folder: Path, *, threads: int = 1, token_vectors: bool = True) -> None:
        self._folder = folder
        self._threads = threads
        self._token_vectors = token_vectors
        self._lock = threading.Lock()
        self._model: MiniLM | None = None

    @property
    def name(self) -> str:
        """What makes the vectors: the model, its format, and the projection of the token vectors."""
        return f"local:{NAME}/{FORMAT}" + (f"+tokens{PROJECTION}" if self._token_vectors else "")

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """One embedding for each text; their vectors are made alike, but only questions keep the tokens of stop words."""
        if not texts:
            return []
        model = self._model or self._load()
        return [model.vectors(text, asking=asking) if self._token_vectors else model.vector(text) for text in texts]

    def _load(self) -> MiniLM:
        with self._lock:
            if self._model is None:
                # numpy and onnxruntime take a quarter of a second to import; only whoever embeds waits for them.
                from recollect.embed.minilm import MiniLM

                self._model = MiniLM.load(self._folder, self._threads)
            return self._model
