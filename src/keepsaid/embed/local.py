"""The local models as one embedder: all-MiniLM-L6-v2 and USE-multilingual v3 on the CPU, without torch or network."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from keepsaid.embed.model_folder import (
    MINILM_FORMAT,
    MINILM_NAME,
    MULTILINGUAL_FORMAT,
    MULTILINGUAL_NAME,
    PROJECTION_VERSION,
    is_multilingual_pulled,
)
from keepsaid.embed.probes import load_probes
from keepsaid.engine.languages import detect_language
from keepsaid.ports import EmbedderProbes, Embedding

if TYPE_CHECKING:
    from keepsaid.embed.minilm import MiniLM
    from keepsaid.embed.use_multilingual import UseMultilingual

ENGLISH_SHARE, OTHER_SHARE = 0.5, 0.15
"""The share of a cosine that comes from all-MiniLM-L6-v2, for a text in English or of unclear language, and for one in
another language. It knows very little of most other languages, and with equal shares it would drown out the multilingual
model."""


class LocalEmbedder:
    """Embeds texts with the models in a folder that `keepsaid model pull` has filled.

    A text's vector is that of all-MiniLM-L6-v2 followed by that of USE-multilingual v3, each times the square root of its
    share: the product of two English vectors is the mean of the two models' cosines. Token vectors are those of
    all-MiniLM-L6-v2. Without the multilingual model, or with `multilingual` off, the vector is that of all-MiniLM-L6-v2, and
    the name differs.

    The models are loaded at the first text. Any thread may call; `threads` is how many a model itself uses for one text.
    Texts are embedded one at a time, because their vectors must not depend on each other (see `encoder`). With
    `token_vectors` off, there is only one vector for each text, and the name differs.

    >>> LocalEmbedder(Path("models/it"), multilingual=True).name
    'local:all-MiniLM-L6-v2+use-multilingual-v3/1.1+tokens2'
    >>> LocalEmbedder(Path("models/it")).name, LocalEmbedder(Path("models/it"), token_vectors=False).name
    ('local:all-MiniLM-L6-v2/1+tokens2', 'local:all-MiniLM-L6-v2/1')
    """

    needs_timeout = False

    def __init__(
        self, folder: Path, *, threads: int = 1, token_vectors: bool = True, multilingual: bool | None = None
    ) -> None:
        """`multilingual` is whether to use both models. By default both are used if both were pulled."""
        self._folder = folder
        self._threads = threads
        self._token_vectors = token_vectors
        self._multilingual = is_multilingual_pulled(folder) if multilingual is None else multilingual
        self._lock = threading.Lock()
        self._models: _LoadedModels | None = None

    @property
    def name(self) -> str:
        """The name of the vectors: the models, their formats, and the projection of the token vectors."""
        models = (
            f"{MINILM_NAME}+{MULTILINGUAL_NAME}/{MINILM_FORMAT}.{MULTILINGUAL_FORMAT}"
            if self._multilingual
            else f"{MINILM_NAME}/{MINILM_FORMAT}"
        )
        return f"local:{models}" + (f"+tokens{PROJECTION_VERSION}" if self._token_vectors else "")

    @property
    def probes(self) -> EmbedderProbes | None:
        """Probes that classify turns and messages by their multilingual vectors."""
        return load_probes() if self._multilingual else None

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return one embedding for each text. Questions and messages differ only in that questions keep tokens of stop
        words."""
        if not texts:
            return []
        models = self._models or self._load()
        return [self._embedding(models, text, asking) for text in texts]

    def _embedding(self, models: _LoadedModels, text: str, asking: bool) -> Embedding:
        minilm, multilingual = models
        embedding = minilm.vectors(text, asking=asking) if self._token_vectors else minilm.vector(text)
        if multilingual is None:
            return embedding
        vector = join_vectors(embedding.vector, cast("Sequence[float]", multilingual.vector(text)), english_share(text))
        return embedding._replace(vector=vector)

    def _load(self) -> _LoadedModels:
        with self._lock:
            if self._models is None:
                # Importing numpy and onnxruntime takes a quarter of a second, so it is done at first use.
                from keepsaid.embed.minilm import MiniLM

                multilingual = None
                if self._multilingual:
                    from keepsaid.embed.use_multilingual import UseMultilingual

                    multilingual = UseMultilingual.load(self._folder, self._threads)
                self._models = _LoadedModels(MiniLM.load(self._folder, self._threads), multilingual)
            return self._models


class _LoadedModels(NamedTuple):
    minilm: MiniLM
    multilingual: UseMultilingual | None


def english_share(text: str) -> float:
    """The share of a cosine that comes from all-MiniLM-L6-v2, by the language of a text.

    >>> english_share("Where does my brother work?"), english_share("Wo arbeitet mein Bruder?")
    (0.5, 0.15)
    """
    return ENGLISH_SHARE if detect_language(text) in (None, "en") else OTHER_SHARE


def join_vectors(one: Sequence[float], other: Sequence[float], share: float) -> Sequence[float]:
    """Return two unit vectors as one. `share` is the share of the first in a product of such vectors.

    >>> [round(float(value), 3) for value in join_vectors([1.0, 0.0], [0.6, 0.8], 0.5)]
    [0.707, 0.0, 0.424, 0.566]
    """
    import numpy as np

    parts = np.asarray(one, np.float32) * math.sqrt(share), np.asarray(other, np.float32) * math.sqrt(1 - share)
    return cast("Sequence[float]", np.concatenate(parts, dtype=np.float32))
