"""Models of the sentence-transformers library, which must be installed (with torch)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, cast

from keepsaid.embed.checks import unit_vectors
from keepsaid.errors import EmbedderError, MissingExtra
from keepsaid.ports import Embedding


class SentenceTransformersEmbedder:
    """Embeds with a model by its name at the hub or its folder. It is loaded at the first text.

    `device` is torch's name for where to run ("cpu", "cuda"); None leaves the choice to the library.
    """

    def __init__(self, model: str, *, device: str | None = None, batch: int = 32) -> None:
        self.name = f"sentence-transformers:{model}"
        self._path = model
        self._device = device
        self._batch = batch
        self._lock = threading.Lock()
        self._model: Any = None

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return one embedding for each text. A model's own prompt for questions is used."""
        if not texts:
            return []
        model = self._model or self._load()
        # Versions before 5 do not distinguish questions from documents.
        encode = getattr(model, "encode_query" if asking else "encode_document", model.encode)
        try:
            vectors = encode(list(texts), batch_size=self._batch, show_progress_bar=False)
        except Exception as error:  # torch's errors have no common base class
            raise EmbedderError(f"{self.name} failed: {type(error).__name__}: {error}") from error
        return [Embedding(cast("Sequence[float]", row)) for row in unit_vectors(vectors, len(texts), maker=self.name)]

    def _load(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    import sentence_transformers  # pyright: ignore[reportMissingImports]
                except ImportError:
                    raise MissingExtra(f"{self.name} needs: pip install sentence-transformers") from None
                library = cast("Any", sentence_transformers)
                try:
                    self._model = library.SentenceTransformer(self._path, device=self._device)
                except Exception as error:  # an unknown model, no network, a broken file: each has its own class
                    raise EmbedderError(f"{self.name} cannot be loaded: {error}") from error
            return self._model
