"""Asking: the vector of a question, by the embedder whose vectors it will be compared with, and in reasonable time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from recollect.errors import EmbedderError
from recollect.ports import Embedder, Embedding, Generation, Probing, Vectors

Made = TypeVar("Made")


class Asked(NamedTuple):
    """A question's vector, the generation it can be compared with, and who makes such vectors."""

    embedding: Embedding
    generation: str
    embedder: Embedder


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
        self._lock = threading.Lock()
        self._stuck: threading.Thread | None = None

    @property
    def judges_need(self) -> bool:
        """Whether the embedder can tell which turns need memories."""
        embedder = self._embedder(self._wanted)
        return isinstance(embedder, Probing) and embedder.probes is not None

    def ask(self, text: str) -> Asked:
        """The question's vector, or an `EmbedderError`."""
        generations = {generation.name: generation for generation in self._vectors.generations()}
        name, embedder = self._serving(generations)
        made = self.within_patience(embedder, lambda: embedder.embed([text], asking=True)[0])
        if name in generations and len(made.vector) != generations[name].dimensions:
            raise EmbedderError(
                f"{name} makes vectors of {len(made.vector)} dimensions now, and made vectors of"
                f" {generations[name].dimensions} before: give it another name"
            )
        return Asked(made, name, embedder)

    def _serving(self, generations: Mapping[str, Generation]) -> tuple[str, Embedder]:
        """The generation to ask: our embedder's own, or while that is being built, the last complete one."""
        complete = [name for name, generation in generations.items() if generation.complete]
        for name in (self._wanted, *reversed(complete)):
            if name in complete and (embedder := self._embedder(name)):
                return name, embedder
        wanted = self._embedder(self._wanted)
        assert wanted is not None
        return self._wanted, wanted

    def _embedder(self, generation: str) -> Embedder | None:
        if generation not in self._embedders:
            self._embedders[generation] = self._older(generation)
        return self._embedders[generation]

    def within_patience(self, embedder: Embedder, work: Callable[[], Made]) -> Made:
        """What an embedder is asked to make, or an `EmbedderError`.

        Somebody else's code may hang, and a search must not: so it runs in a thread that is left behind if need be.
        """
        with self._lock:
            if self._stuck is not None and self._stuck.is_alive():
                raise EmbedderError(f"{embedder.name} is still busy with an earlier question")
            self._stuck = None
        answers: queue.SimpleQueue[tuple[Made] | Exception] = queue.SimpleQueue()

        def run() -> None:
            try:
                answers.put((work(),))
            except Exception as error:
                answers.put(error)

        thread = threading.Thread(target=run, name="recollect-question", daemon=True)
        thread.start()
        try:
            answer = answers.get(timeout=self._patience)
        except queue.Empty:
            with self._lock:
                self._stuck = thread
            raise EmbedderError(f"{embedder.name} took longer than {self._patience:g} seconds") from None
        if isinstance(answer, Exception):
            raise answer if isinstance(answer, EmbedderError) else EmbedderError(f"{embedder.name} failed: {answer}")
        return answer[0]
