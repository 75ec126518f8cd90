"""What a memory searches with: an embedder and an index for meaning, another judge if somebody wants one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.kit import Kit
from recollect.ports import Embedder, Index, Reranker, Storage, Vectors

if TYPE_CHECKING:
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

    def recall(self, storage: Storage) -> Recall:
        """Recall over a storage."""
        # All that understands questions takes 60 ms to import; only whoever searches waits for it.
        from recollect.asking import Asker
        from recollect.recall import Recall

        if self.embedder is None or self.index is None or not isinstance(storage, Vectors):
            return Recall(storage, reranker=self.reranker, reranked=self.rerank_top)
        asker = Asker(storage, self.embedder, self.older, self.patience)
        return Recall(storage, self.index(storage), asker, self.reranker, self.rerank_top)

    def worker(self, kit: Kit, storage: Storage) -> Worker | None:
        """The worker that keeps a storage's vectors up to date."""
        if self.embedder is None or not isinstance(storage, Vectors):
            return None
        from recollect.worker import Worker

        return Worker(kit, storage, self.embedder)


NO_SENSES = Senses()
