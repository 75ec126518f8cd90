"""What a memory searches with: an embedder and an index for meaning, another judge if somebody wants one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.asking import Asker
from recollect.kit import Kit
from recollect.ports import Embedder, Index, Reranker, Storage, Vectors
from recollect.recall import Recall
from recollect.worker import Worker


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

    def over(self, kit: Kit, storage: Storage) -> tuple[Recall, Worker | None]:
        """Recall over a storage, and the worker that keeps its vectors up to date."""
        if self.embedder is None or self.index is None or not isinstance(storage, Vectors):
            return Recall(storage, reranker=self.reranker, reranked=self.rerank_top), None
        worker = Worker(kit, storage, self.embedder)
        asker = Asker(storage, self.embedder, self.older, self.patience)
        return Recall(storage, self.index(storage), asker, self.reranker, self.rerank_top), worker


NO_SENSES = Senses()
