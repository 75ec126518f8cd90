"""The loaded all-MiniLM-L6-v2: from a text to its tokens, their states, and the vectors made from these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from keepsaid.embed.encoder import INPUT, OUTPUT
from keepsaid.embed.model_folder import MODEL_FILE, TOKENIZER_FILE, is_pulled
from keepsaid.embed.projection import TOKEN_WIDTH, load_projector
from keepsaid.embed.runtime import inference_session
from keepsaid.embed.wordpiece import WordPieceTokenizer
from keepsaid.engine.text.stopwords import find_content_spans
from keepsaid.errors import EmbedderError, MissingModel
from keepsaid.ports import Embedding

Floats = NDArray[np.float32]
Network = Callable[[Sequence[int]], Floats]
"""From the token ids of a text to a state for each of them."""

DIMENSIONS = 384
MAX_TOKENS = 256
"""The most tokens of a text that are used: the model was trained on no more."""

MIN_NORM = 1e-12


class MiniLM(NamedTuple):
    """The tokenizer and the network, ready to run."""

    tokenizer: WordPieceTokenizer
    network: Network

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> MiniLM:
        """Load the model from a folder that `keepsaid model pull` has filled."""
        if not is_pulled(folder):
            raise MissingModel(f"there is no local model in {folder}: `keepsaid model pull` fetches it")
        return cls(WordPieceTokenizer.load(folder / TOKENIZER_FILE), load_network(folder / MODEL_FILE, threads))

    def vector(self, text: str) -> Embedding:
        """Return the text's vector: the mean of its tokens' states."""
        return Embedding(_mean(self.network(self.tokenizer.encode(text, MAX_TOKENS).ids)))

    def vectors(self, text: str, *, asking: bool = False) -> Embedding:
        """Return the text's vector and those of its tokens, without the two special tokens at the ends.

        Tokens of stop words and punctuation are left out of messages: these are three of five, and late interaction finds as
        much without them (docs/decisions/0009-ranking.md). In a question every token may matter.
        """
        tokens = self.tokenizer.encode(text, MAX_TOKENS)
        states = self.network(tokens.ids)
        kept = range(len(tokens.spans)) if asking else find_content_spans(text, tokens.spans)
        rows = states[1:-1][list(kept)]
        return Embedding(_mean(states), load_projector()(rows), TOKEN_WIDTH, [tokens.spans[place] for place in kept])


def load_network(path: Path, threads: int = 1) -> Network:
    """Load the network from a file that `encoder` made."""
    try:
        session = inference_session(str(path), threads)
    except Exception as error:  # onnxruntime's errors have no common base class
        raise EmbedderError(f"{path} cannot be loaded ({error}); `keepsaid model pull --force` rebuilds it") from error

    def states(ids: Sequence[int]) -> Floats:
        return session.run([OUTPUT], {INPUT: np.array([ids], np.int64)})[0][0]

    return states


def normalize_rows(vectors: Floats) -> Floats:
    """Scale vectors to length one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), MIN_NORM)


def _mean(states: Floats) -> Sequence[float]:
    return cast("Sequence[float]", normalize_rows(states.mean(axis=0)))
