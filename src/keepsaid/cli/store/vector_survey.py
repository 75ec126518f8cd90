"""Counts the vectors of a store, what is missing for an embedder, and estimates how long embedding takes."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from typing import NamedTuple, cast

from keepsaid import wiring
from keepsaid.cli.output.formatting import format_count
from keepsaid.config import Settings
from keepsaid.errors import KeepsaidError
from keepsaid.ports import Embedder, Storage, VectorCoverage, VectorGeneration, VectorStorage

SAMPLE_TEXTS = (
    "Yes, please!",
    "My sister moved to Lisbon in May, and she loves it there.",
    "Could you remind me what we decided about the prices last week? There were two proposals, and one was for small teams.",
    " ".join(["First write down what you need, then ask two or three people who have done it before you decide."] * 4),
)
"""Typical messages, from short to long, to measure an embedder's speed."""


class VectorSurvey(NamedTuple):
    """The vectors of a store, and what is missing for this embedder."""

    embedder: str
    generations: list[tuple[VectorGeneration, VectorCoverage]]
    coverage: VectorCoverage

    @property
    def waiting(self) -> int:
        """Messages without vectors of the embedder."""
        return self.coverage.messages - self.coverage.embedded

    @property
    def older_embedders(self) -> list[str]:
        """Embedders whose vectors are used until all messages have those of the current one."""
        complete = [generation.name for generation, covered in self.generations if generation.complete and covered.embedded]
        return [name for name in complete if name != self.embedder]


class EmbeddingEstimate(NamedTuple):
    """The time and space that embedding the rest will take."""

    seconds: float
    bytes: int


def survey_vectors(storage: Storage, name: str) -> VectorSurvey:
    """Count what the embedder of this name still has to embed in a store."""
    vectors = cast(VectorStorage, storage)  # every store that a path names keeps vectors
    generations = [(generation, vectors.coverage(generation.name)) for generation in vectors.generations()]
    return VectorSurvey(name, generations, vectors.coverage(name))


def estimate_embedding(survey: VectorSurvey, embedder: Embedder) -> EmbeddingEstimate:
    """Estimate from a few texts, and from how many passages the messages of this store have on average."""
    if not survey.waiting:
        return EmbeddingEstimate(0.0, 0)
    embedder.embed(SAMPLE_TEXTS[:1])  # the first call loads the model
    start = time.perf_counter()
    encoded = embedder.embed(SAMPLE_TEXTS)
    seconds = (time.perf_counter() - start) / len(SAMPLE_TEXTS)
    each = sum(2 * len(one.vector) + len(one.tokens) for one in encoded) / len(SAMPLE_TEXTS)
    if survey.coverage.passages:
        each = survey.coverage.bytes / survey.coverage.passages
    known = [covered for _, covered in survey.generations if covered.embedded]
    passages = max((covered.passages / covered.embedded for covered in known), default=1.0) * survey.waiting
    return EmbeddingEstimate(passages * seconds, round(passages * each))


def describe_change(survey: VectorSurvey, embedder: Embedder) -> str | None:
    """Describe what a change of the embedder costs; None if nothing is pending, or if there was no other before."""
    if not survey.waiting or not survey.older_embedders:
        return None
    took = format_duration(estimate_embedding(survey, embedder).seconds)
    return (
        f"{format_count(survey.waiting, 'message')} will be re-embedded with {survey.embedder}, which takes about {took};"
        f" until then the vectors of {', '.join(survey.older_embedders)} are used"
    )


def describe_embedding_change(storage: Storage, settings: Settings) -> str | None:
    """Describe what a changed embedder leaves to embed; None if nothing, or if no embedder works."""
    with suppress(KeepsaidError):
        embedder = wiring.open_embedder(settings)
        # Counting the messages of a large store takes a while, so do it only if there was another embedder.
        if embedder and any(one.name != embedder.name for one in cast(VectorStorage, storage).generations()):
            return describe_change(survey_vectors(storage, embedder.name), embedder)
    return None


def describe_pending_embedding(settings: Settings) -> str | None:
    """Open the store and describe what a changed embedder leaves to embed in it."""
    with suppress(KeepsaidError), closing(wiring.open_storage(settings)) as storage:
        return describe_embedding_change(storage, settings)
    return None


def format_duration(seconds: float) -> str:
    """Return a rounded duration with its unit.

    >>> format_duration(0.2), format_duration(75), format_duration(7300)
    ('1 second', '1 minute', '2 hours')
    """
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return format_count(round(seconds / length), unit)
    return format_count(max(1, round(seconds)), "second")
