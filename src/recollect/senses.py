"""What a memory searches with: an embedder and an index for meaning, another judge if somebody wants one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.kit import Kit
from recollect.ports import Embedder, Index, Reranker, Storage, Vectors

if TYPE_CHECKING:
    from recollect.recall import Recall
    from recollect.scribes import Scribes
    from recollect.vectorize import Vectorizer


def _no_scribes() -> Scribes:
    """Nobody writes with a language model."""
    from recollect.scribes import Scribes

    return Scribes()


def _none(name: str) -> None:
    """No embedder of an earlier generation."""


@dataclass(frozen=True, slots=True)
class Senses:
    """How to search. Without an embedder it is done by words; `older` makes the embedders of earlier generations."""

    embedder: Embedder | None = None
    index: Callable[[Vectors], Index] | None = None
    older: Callable[[str], Embedder | None] = _none
    reranker: Reranker | None = None
    rerank_top: int = 20
    patience: float = 5.0
    background: bool = False
    scribes: Callable[[], Scribes] = _no_scribes

    def recall(self, storage: Storage) -> Recall:
        """Recall over a storage."""
        # All that understands questions takes 60 ms to import; only whoever searches waits for it.
        from recollect.asking import Asker
        from recollect.recall import Recall

        if self.embedder is None or self.index is None or not isinstance(storage, Vectors):
            return Recall(storage, reranker=self.reranker, reranked=self.rerank_top)
        asker = Asker(storage, self.embedder, self.older, self.patience)
        return Recall(storage, self.index(storage), asker, self.reranker, self.rerank_top)

    def vectorizer(self, kit: Kit, storage: Storage) -> Vectorizer | None:
        """What keeps a storage's vectors up to date."""
        if self.embedder is None or not isinstance(storage, Vectors):
            return None
        from recollect.vectorize import Vectorizer

        return Vectorizer(kit, storage, self.embedder)


NO_SENSES = Senses()
