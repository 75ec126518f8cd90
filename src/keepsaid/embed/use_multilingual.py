"""The loaded USE-multilingual v3: from a text in one of 16 languages to its vector.

Arabic, Chinese (simplified and traditional), Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
Russian, Spanish, Thai and Turkish. Texts that mean the same in two of them have similar vectors.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from keepsaid.embed.model_folder import (
    EMBEDDINGS_FILE,
    MODEL_FILE,
    PIECES_FILE,
    REACH_FILE,
    SCORES_FILE,
    is_multilingual_pulled,
    multilingual_folder,
)
from keepsaid.embed.runtime import inference_session
from keepsaid.embed.sentencepiece_file import CONTROL, UNKNOWN, read_pieces
from keepsaid.embed.unigram import UnigramTokenizer, longest_pieces
from keepsaid.embed.use_network import DIMENSIONS, IDS, ROWS, VECTOR, embedding_table, onnx_network
from keepsaid.errors import EmbedderError, MissingModel

__all__ = ["DIMENSIONS", "UseMultilingual", "build_model_files"]

Floats = NDArray[np.float32]
Network = Callable[[Sequence[int]], Floats]
"""From the ids of a text's pieces to its vector."""

MAX_PIECES = 1024
"""The most pieces of a text that are used. The network itself has no limit, but passages have 200 to 300 pieces, and a long
text pasted into a question must not take seconds."""

MAX_CHARACTERS = 16 * MAX_PIECES
"""No piece has more than 16 characters, so later characters are not in the first pieces (except after much white space)."""


class UseMultilingual(NamedTuple):
    """The tokenizer and the network, ready to run."""

    tokenizer: UnigramTokenizer
    network: Network

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> UseMultilingual:
        """Load the model that `keepsaid model pull` has put into a folder of the local model."""
        if not is_multilingual_pulled(folder):
            raise MissingModel(f"there is no multilingual model in {folder}: `keepsaid model pull` fetches it")
        home = multilingual_folder(folder)
        try:
            return cls(_load_tokenizer(home), _load_network(home, threads))
        except Exception as error:  # onnxruntime's errors have no common base class
            cure = "`keepsaid model pull --force` rebuilds it"
            raise EmbedderError(f"{home} cannot be loaded ({error}); {cure}") from error

    def vector(self, text: str) -> Floats:
        """Return the text's vector, of length one."""
        return self.network(self.tokenizer.encode(text[:MAX_CHARACTERS], MAX_PIECES))


def _load_tokenizer(home: Path) -> UnigramTokenizer:
    pieces = (home / PIECES_FILE).read_text(encoding="utf-8").split("\n")
    scores: list[float] = np.load(home / SCORES_FILE, allow_pickle=False).tolist()
    if len(pieces) != len(scores):
        raise ValueError(f"{len(pieces):,} pieces in {PIECES_FILE}, not {len(scores):,}")
    ids = dict(zip(pieces, range(len(pieces)), strict=True))
    del ids[""]  # the lines of pieces that cannot occur in a text
    reach: dict[str, int] = json.loads((home / REACH_FILE).read_text(encoding="utf-8"))
    return UnigramTokenizer(ids, scores, reach)


def _load_network(home: Path, threads: int) -> Network:
    # Memory-mapped, because a text needs only a few of 128,000 rows.
    table: NDArray[np.uint8] = np.load(home / EMBEDDINGS_FILE, mmap_mode="r", allow_pickle=False)
    session = inference_session(str(home / MODEL_FILE), threads)

    def vector(ids: Sequence[int]) -> Floats:
        places = np.array(ids, np.int64)
        return session.run([VECTOR], {ROWS: table[places], IDS: places})[0][0]

    return vector


def build_model_files(weights: Mapping[str, NDArray[Any]], sentencepiece: bytes) -> dict[str, bytes]:
    """Return the files that `UseMultilingual.load` needs, by name, made from the published weights and vocabulary."""
    pieces = read_pieces(sentencepiece)
    texts = ["" if piece.kind in (UNKNOWN, CONTROL) else piece.text for piece in pieces]
    scores = np.array([piece.score for piece in pieces], np.float32)
    return {
        EMBEDDINGS_FILE: _npy(embedding_table(weights)),
        PIECES_FILE: "\n".join(texts).encode(),
        SCORES_FILE: _npy(scores),
        REACH_FILE: json.dumps(longest_pieces(filter(None, texts)), ensure_ascii=False).encode(),
        MODEL_FILE: onnx_network(weights),
    }


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
