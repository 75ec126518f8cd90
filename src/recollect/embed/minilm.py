"""all-MiniLM-L6-v2, loaded: from a text to its tokens, their states, and the vectors made of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from recollect.embed.encoder import INPUT, OUTPUT
from recollect.embed.place import MODEL, TOKENIZER, is_pulled
from recollect.embed.projection import TOKEN_WIDTH, projector
from recollect.embed.runtime import session_of
from recollect.embed.wordpiece import WordPiece
from recollect.engine.stopwords import telling_spans
from recollect.errors import EmbedderError, MissingModel
from recollect.ports import Embedding

Floats = NDArray[np.float32]
Network = Callable[[Sequence[int]], Floats]
"""From the token ids of a text to a state for each of them."""

DIMENSIONS = 384
LONGEST = 256
"""Texts are cut at so many tokens: the model was trained on no more."""

SMALLEST = 1e-12


class MiniLM(NamedTuple):
    """The tokenizer and the network, ready to run."""

    tokenizer: WordPiece
    network: Network

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> MiniLM:
        """The model in a folder that `recollect model pull` has filled."""
        if not is_pulled(folder):
            raise MissingModel(f"there is no local model in {folder}: `recollect model pull` fetches it")
        return cls(WordPiece.load(folder / TOKENIZER), network(folder / MODEL, threads))

    def vector(self, text: str) -> Embedding:
        """The text's vector: the mean of its tokens' states."""
        return Embedding(_mean(self.network(self.tokenizer.encode(text, LONGEST).ids)))

    def vectors(self, text: str, *, asking: bool = False) -> Embedding:
        """The text's vector and those of its tokens, of which the two marks at the ends are none.

        Of what was said, the tokens of stop words and punctuation are left out: that is three of five, and without them
        late interaction finds as much (docs/decisions/0009-ranking.md). In a question every token may matter.
        """
        tokens = self.tokenizer.encode(text, LONGEST)
        states = self.network(tokens.ids)
        kept = range(len(tokens.spans)) if asking else telling_spans(text, tokens.spans)
        rows = states[1:-1][list(kept)]
        return Embedding(_mean(states), projector()(rows), TOKEN_WIDTH, [tokens.spans[place] for place in kept])


def network(path: Path, threads: int = 1) -> Network:
    """The network in a file that `encoder` made."""
    try:
        session = session_of(str(path), threads)
    except Exception as error:  # onnxruntime has a class for each failure and no common root
        raise EmbedderError(f"{path} cannot be loaded ({error}); `recollect model pull --force` makes it anew") from error

    def states(ids: Sequence[int]) -> Floats:
        return session.run([OUTPUT], {INPUT: np.array([ids], np.int64)})[0][0]

    return states


def unit(vectors: Floats) -> Floats:
    """The same directions at length one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), SMALLEST)


def _mean(states: Floats) -> Sequence[float]:
    return cast("Sequence[float]", unit(states.mean(axis=0)))
