"""Embed questions with the embedder whose vectors they are compared with, and with a timeout."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from keepsaid.errors import EmbedderError
from keepsaid.ports import (
    EmbeddedPassage,
    Embedder,
    EmbedderProbes,
    Embedding,
    ProbedEmbedder,
    VectorGeneration,
    VectorStorage,
    VisibleMessage,
)
from keepsaid.services.search.recent_embeddings import RecentEmbeddings
from keepsaid.types import Scope

Result = TypeVar("Result")


class EmbeddedQuestion(NamedTuple):
    """A question's vector, the generation it can be compared with, and the embedder that made it."""

    embedding: Embedding
    generation: str
    embedder: Embedder
    probes: EmbedderProbes | None
    search_vector: Sequence[float]
    """The vector to find candidates with."""


class QuestionEmbedder:
    """Embeds questions. `older` returns the embedder of an earlier generation by its name, if there is one."""

    def __init__(
        self,
        vectors: VectorStorage,
        embedder: Embedder,
        older: Callable[[str], Embedder | None],
        recent: RecentEmbeddings,
        patience: float = 5.0,
    ) -> None:
        self._vectors = vectors
        self._recent = recent
        self._embedders: dict[str, Embedder | None] = {embedder.name: embedder}
        self._probes: dict[str, EmbedderProbes | None] = {}
        self._wanted = embedder.name
        self._older_embedder = older
        self._timeout = patience
        self._lock = threading.Lock()
        self._stuck: threading.Thread | None = None

    @property
    def judges_need(self) -> bool:
        """Whether the embedder can tell which turns need memories."""
        return self._find_probes(self._wanted) is not None

    def embed_question(self, text: str) -> EmbeddedQuestion:
        """Return the question's vector, or raise `EmbedderError`."""
        generations = {generation.name: generation for generation in self._vectors.generations()}
        name, embedder = self._choose_generation(generations)
        made = self.run_with_timeout(embedder, lambda: embedder.embed([text], asking=True)[0])
        if name in generations and len(made.vector) != generations[name].dimensions:
            raise EmbedderError(
                f"{name} makes vectors of {len(made.vector)} dimensions now, and made vectors of"
                f" {generations[name].dimensions} before: give it another name"
            )
        return EmbeddedQuestion(made, name, embedder, self._find_probes(name), made.vector)

    def embed_new_messages(
        self, scope: Scope, embedder: Embedder, messages: Sequence[VisibleMessage]
    ) -> list[EmbeddedPassage]:
        """Return the passages of messages that the embedding job has not reached yet, or raise `EmbedderError`."""
        return self.run_with_timeout(embedder, lambda: self._recent.embed(scope, embedder, messages))

    def _choose_generation(self, generations: Mapping[str, VectorGeneration]) -> tuple[str, Embedder]:
        """Return the generation to use: that of the current embedder or, while it is being built, the last complete one."""
        complete = [name for name, generation in generations.items() if generation.complete]
        for name in (self._wanted, *reversed(complete)):
            if name in complete and (embedder := self._embedder(name)):
                return name, embedder
        wanted = self._embedder(self._wanted)
        assert wanted is not None
        return self._wanted, wanted

    def _embedder(self, generation: str) -> Embedder | None:
        if generation not in self._embedders:
            self._embedders[generation] = self._older_embedder(generation)
        return self._embedders[generation]

    def _find_probes(self, generation: str) -> EmbedderProbes | None:
        """Return the probes for a generation's vectors. `isinstance` with a protocol is slow, so it is asked once."""
        if generation not in self._probes:
            embedder = self._embedder(generation)
            self._probes[generation] = embedder.probes if isinstance(embedder, ProbedEmbedder) else None
        return self._probes[generation]

    def run_with_timeout(self, embedder: Embedder, work: Callable[[], Result]) -> Result:
        """Return the result of some work of an embedder, or raise `EmbedderError`.

        External code may hang, and a search must not. So its work runs in a thread, which is abandoned after a timeout.
        """
        if not getattr(embedder, "needs_timeout", True):
            return _run(embedder, work)
        with self._lock:
            if self._stuck is not None and self._stuck.is_alive():
                raise EmbedderError(f"{embedder.name} is still busy with an earlier question")
            self._stuck = None
        answers: queue.SimpleQueue[tuple[Result] | Exception] = queue.SimpleQueue()

        def run() -> None:
            try:
                answers.put((work(),))
            except Exception as error:
                answers.put(error)

        thread = threading.Thread(target=run, name="keepsaid-question", daemon=True)
        thread.start()
        try:
            answer = answers.get(timeout=self._timeout)
        except queue.Empty:
            with self._lock:
                self._stuck = thread
            raise EmbedderError(f"{embedder.name} took longer than {self._timeout:g} seconds") from None
        if isinstance(answer, Exception):
            raise _to_embedder_error(embedder, answer)
        return answer[0]


def _run(embedder: Embedder, work: Callable[[], Result]) -> Result:
    try:
        return work()
    except Exception as error:
        raise _to_embedder_error(embedder, error) from error


def _to_embedder_error(embedder: Embedder, error: Exception) -> EmbedderError:
    return error if isinstance(error, EmbedderError) else EmbedderError(f"{embedder.name} failed: {error}")
