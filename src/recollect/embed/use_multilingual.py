"""USE-multilingual v3, loaded: from a text in one of 16 languages to its vector.

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

from recollect.embed.place import (
    EMBEDDINGS,
    MODEL,
    PIECES,
    REACH,
    SCORES,
    is_multilingual_pulled,
    multilingual_folder,
)
from recollect.embed.runtime import session_of
from recollect.embed.sentencepiece_file import CONTROL, UNKNOWN, read_pieces
from recollect.embed.unigram import UnigramTokenizer, longest_pieces
from recollect.embed.use_network import DIMENSIONS, IDS, ROWS, VECTOR, embedding_table, onnx_network
from recollect.errors import EmbedderError, MissingModel

__all__ = ["DIMENSIONS", "UseMultilingual", "model_files"]

Floats = NDArray[np.float32]
Network = Callable[[Sequence[int]], Floats]
"""From the ids of a text's pieces to its vector."""

LONGEST = 1024
"""Texts are cut after so many pieces. The network itself has no limit; passages have 200 to 300 pieces, and what somebody
pastes into a question must not take seconds."""

MOST_CHARACTERS = 16 * LONGEST
"""No piece has more than 16 characters, so what comes after these cannot be among the first pieces but for white space."""


class UseMultilingual(NamedTuple):
    """The tokenizer and the network, ready to run."""

    tokenizer: UnigramTokenizer
    network: Network

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> UseMultilingual:
        """Load the model that `recollect model pull` has put into a folder of the local model."""
        if not is_multilingual_pulled(folder):
            raise MissingModel(f"there is no multilingual model in {folder}: `recollect model pull` fetches it")
        home = multilingual_folder(folder)
        try:
            return cls(_load_tokenizer(home), _load_network(home, threads))
        except Exception as error:  # onnxruntime has a class for each failure and no common root
            cure = "`recollect model pull --force` makes it anew"
            raise EmbedderError(f"{home} cannot be loaded ({error}); {cure}") from error

    def vector(self, text: str) -> Floats:
        """Return the text's vector, of length one."""
        return self.network(self.tokenizer.encode(text[:MOST_CHARACTERS], LONGEST))


def _load_tokenizer(home: Path) -> UnigramTokenizer:
    pieces = (home / PIECES).read_text(encoding="utf-8").split("\n")
    scores: list[float] = np.load(home / SCORES, allow_pickle=False).tolist()
    if len(pieces) != len(scores):
        raise ValueError(f"{len(pieces):,} pieces in {PIECES}, not {len(scores):,}")
    ids = dict(zip(pieces, range(len(pieces)), strict=True))
    del ids[""]  # the lines of pieces that no text may have
    reach: dict[str, int] = json.loads((home / REACH).read_text(encoding="utf-8"))
    return UnigramTokenizer(ids, scores, reach)


def _load_network(home: Path, threads: int) -> Network:
    # Mapped, not read: a text needs a few rows out of 128,000.
    table: NDArray[np.uint8] = np.load(home / EMBEDDINGS, mmap_mode="r", allow_pickle=False)
    session = session_of(str(home / MODEL), threads)

    def vector(ids: Sequence[int]) -> Floats:
        places = np.array(ids, np.int64)
        return session.run([VECTOR], {ROWS: table[places], IDS: places})[0][0]

    return vector


def model_files(weights: Mapping[str, NDArray[Any]], sentencepiece: bytes) -> dict[str, bytes]:
    """Return the files that `UseMultilingual.load` needs, by name, made from the published weights and vocabulary."""
    pieces = read_pieces(sentencepiece)
    texts = ["" if piece.kind in (UNKNOWN, CONTROL) else piece.text for piece in pieces]
    scores = np.array([piece.score for piece in pieces], np.float32)
    return {
        EMBEDDINGS: _npy(embedding_table(weights)),
        PIECES: "\n".join(texts).encode(),
        SCORES: _npy(scores),
        REACH: json.dumps(longest_pieces(filter(None, texts)), ensure_ascii=False).encode(),
        MODEL: onnx_network(weights),
    }


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
