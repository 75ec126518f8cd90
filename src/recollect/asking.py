"""Asking: the vector of a question, by the embedder whose vectors it will be compared with, and in reasonable time."""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from recollect.errors import EmbedderError
from recollect.ports import Embedder, Embedding, Vectors

KEPT = 256
"""Questions whose vectors are kept: the same one is often asked again, by the next turn or the next page."""


class Asked(NamedTuple):
    """A question's vector, and the generation it can be compared with."""

    embedding: Embedding
    generation: str


class Asker:
    """Embeds questions. `older` makes the embedder of an earlier generation from its name, if it can."""

    def __init__(
        self, vectors: Vectors, embedder: Embedder, older: Callable[[str], Embedder | None], patience: float = 5.0
    ) -> None:
        self._vectors = vectors
        self._embedders: dict[str, Embedder | None] = {embedder.name: embedder}
        self._wanted = embedder.name
        self._older = older
        self._patience = patience
        self._kept: OrderedDict[tuple[str, str], Embedding] = OrderedDict()
        self._lock = threading.Lock()
        self._stuck: threading.Thread | None = None

    @property
    def embedder(self) -> Embedder:
        """The embedder that new messages are embedded with."""
        found = self._embedders[self._wanted]
        assert found is not None
        return found

    def ask(self, text: str) -> Asked:
        """The question's vector, or an `EmbedderError`."""
        generation = self._serving()
        with self._lock:
            known = self._kept.get((generation, text))
        if known is None:
            known = self._within_patience(self._embedder(generation) or self.embedder, text)
            with self._lock:
                self._kept[generation, text] = known
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return Asked(known, generation)

    def _serving(self) -> str:
        """The generation to ask: our embedder's own, or while that is being built, the last complete one."""
        complete = [generation.name for generation in self._vectors.generations() if generation.complete]
        if not complete or self._wanted in complete:
            return self._wanted
        return next((name for name in reversed(complete) if self._embedder(name)), self._wanted)

    def _embedder(self, generation: str) -> Embedder | None:
        if generation not in self._embedders:
            self._embedders[generation] = self._older(generation)
        return self._embedders[generation]

    def _within_patience(self, embedder: Embedder, text: str) -> Embedding:
        """Somebody else's code may hang, and a search must not: so it runs in a thread that is left behind if need be."""
        with self._lock:
            if self._stuck is not None and self._stuck.is_alive():
                raise EmbedderError(f"{embedder.name} is still busy with an earlier question")
            self._stuck = None
        answers: queue.SimpleQueue[Embedding | Exception] = queue.SimpleQueue()

        def embed() -> None:
            try:
                answers.put(embedder.embed([text], asking=True)[0])
            except Exception as error:
                answers.put(error)

        thread = threading.Thread(target=embed, name="recollect-question", daemon=True)
        thread.start()
        try:
            answer = answers.get(timeout=self._patience)
        except queue.Empty:
            with self._lock:
                self._stuck = thread
            raise EmbedderError(f"{embedder.name} took longer than {self._patience:g} seconds") from None
        if isinstance(answer, Exception):
            raise answer if isinstance(answer, EmbedderError) else EmbedderError(f"{embedder.name} failed: {answer}")
        return answer
