"""The local models as one embedder: all-MiniLM-L6-v2 and USE-multilingual v3 on the processor. No torch, no network."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from recollect.embed.place import FORMAT, MULTILINGUAL, MULTILINGUAL_FORMAT, NAME, PROJECTION, is_multilingual_pulled
from recollect.embed.probes import load_probes
from recollect.engine.languages import detect_language
from recollect.ports import Embedding, Probes

if TYPE_CHECKING:
    from recollect.embed.minilm import MiniLM
    from recollect.embed.use_multilingual import UseMultilingual

ENGLISH_SHARE, OTHER_SHARE = 0.5, 0.15
"""The part of a cosine that is all-MiniLM-L6-v2's, where a text is English or its language is not clear, and where it is
another: of most of those it knows next to nothing, and an equal sum drowns what the multilingual model knows."""


class LocalEmbedder:
    """Embeds texts with the models in a folder that `recollect model pull` has filled.

    A text's vector is that of all-MiniLM-L6-v2 followed by that of USE-multilingual v3, each times the root of its share:
    the product of two English vectors is the mean of the two models' cosines. Token vectors are those of all-MiniLM-L6-v2.
    Without the multilingual model, or with `multilingual` off, the vector is that of all-MiniLM-L6-v2, under another name.

    The models are loaded by the first text. Any thread may call; `threads` is how many a model itself uses for one text.
    Texts are embedded one at a time, because their vectors must not depend on each other (see `encoder`). With
    `token_vectors` off, there is only the one vector for each text, and the name is another.

    >>> LocalEmbedder(Path("models/it"), multilingual=True).name
    'local:all-MiniLM-L6-v2+use-multilingual-v3/1.1+tokens2'
    >>> LocalEmbedder(Path("models/it")).name, LocalEmbedder(Path("models/it"), token_vectors=False).name
    ('local:all-MiniLM-L6-v2/1+tokens2', 'local:all-MiniLM-L6-v2/1')
    """

    def __init__(
        self, folder: Path, *, threads: int = 1, token_vectors: bool = True, multilingual: bool | None = None
    ) -> None:
        """`multilingual` is whether to use both models; by default, if both are there."""
        self._folder = folder
        self._threads = threads
        self._token_vectors = token_vectors
        self._multilingual = is_multilingual_pulled(folder) if multilingual is None else multilingual
        self._lock = threading.Lock()
        self._models: _LoadedModels | None = None

    @property
    def name(self) -> str:
        """What makes the vectors: the models, their formats, and the projection of the token vectors."""
        models = f"{NAME}+{MULTILINGUAL}/{FORMAT}.{MULTILINGUAL_FORMAT}" if self._multilingual else f"{NAME}/{FORMAT}"
        return f"local:{models}" + (f"+tokens{PROJECTION}" if self._token_vectors else "")

    @property
    def probes(self) -> Probes | None:
        """What the vectors of the multilingual model tell of turns and messages."""
        return load_probes() if self._multilingual else None

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """One embedding for each text; their vectors are made alike, but only questions keep the tokens of stop words."""
        if not texts:
            return []
        models = self._models or self._load()
        return [self._embedding(models, text, asking) for text in texts]

    def _embedding(self, models: _LoadedModels, text: str, asking: bool) -> Embedding:
        minilm, multilingual = models
        made = minilm.vectors(text, asking=asking) if self._token_vectors else minilm.vector(text)
        if multilingual is None:
            return made
        vector = join_vectors(made.vector, cast("Sequence[float]", multilingual.vector(text)), english_share(text))
        return made._replace(vector=vector)

    def _load(self) -> _LoadedModels:
        with self._lock:
            if self._models is None:
                # numpy and onnxruntime take a quarter of a second to import; only whoever embeds waits for them.
                from recollect.embed.minilm import MiniLM

                multilingual = None
                if self._multilingual:
                    from recollect.embed.use_multilingual import UseMultilingual

                    multilingual = UseMultilingual.load(self._folder, self._threads)
                self._models = _LoadedModels(MiniLM.load(self._folder, self._threads), multilingual)
            return self._models


class _LoadedModels(NamedTuple):
    minilm: MiniLM
    multilingual: UseMultilingual | None


def english_share(text: str) -> float:
    """The part of a cosine that is all-MiniLM-L6-v2's, for a text in its language.

    >>> english_share("Where does my brother work?"), english_share("Wo arbeitet mein Bruder?")
    (0.5, 0.15)
    """
    return ENGLISH_SHARE if detect_language(text) in (None, "en") else OTHER_SHARE


def join_vectors(one: Sequence[float], other: Sequence[float], share: float) -> Sequence[float]:
    """Return two unit vectors as one; the first has this share of a product of such vectors.

    >>> [round(float(value), 3) for value in join_vectors([1.0, 0.0], [0.6, 0.8], 0.5)]
    [0.707, 0.0, 0.424, 0.566]
    """
    import numpy as np

    parts = np.asarray(one, np.float32) * math.sqrt(share), np.asarray(other, np.float32) * math.sqrt(1 - share)
    return cast("Sequence[float]", np.concatenate(parts, dtype=np.float32))
