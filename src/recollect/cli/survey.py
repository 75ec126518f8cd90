"""What a store has of vectors, what is missing for an embedder, and how long it will take to make it."""

from __future__ import annotations

import time
from typing import NamedTuple, cast

from recollect.cli.words import count
from recollect.ports import Coverage, Embedder, Generation, Storage, Vectors

SAMPLES = (
    "Yes, please!",
    "My sister moved to Lisbon in May, and she loves it there.",
    "Could you remind me what we decided about the prices last week? There were two proposals, and one was for small teams.",
    " ".join(["First write down what you need, then ask two or three people who have done it before you decide."] * 4),
)
"""What people and assistants write to each other, from short to long: an embedder's speed is measured with it."""


class Survey(NamedTuple):
    """What a store has, and what is missing for this embedder."""

    embedder: str
    generations: list[tuple[Generation, Coverage]]
    coverage: Coverage

    @property
    def waiting(self) -> int:
        """Messages without vectors of the embedder."""
        return self.coverage.messages - self.coverage.embedded

    @property
    def older(self) -> list[str]:
        """Embedders whose vectors serve until all messages have those of the present one."""
        complete = [generation.name for generation, covered in self.generations if generation.complete and covered.embedded]
        return [name for name in complete if name != self.embedder]


class Estimate(NamedTuple):
    """What giving them vectors will take."""

    seconds: float
    bytes: int


def survey_vectors(storage: Storage, name: str) -> Survey:
    """Count what the embedder of this name has to do in a store."""
    vectors = cast(Vectors, storage)  # every store that a path names keeps vectors
    generations = [(generation, vectors.coverage(generation.name)) for generation in vectors.generations()]
    return Survey(name, generations, vectors.coverage(name))


def estimate_embedding(survey: Survey, embedder: Embedder) -> Estimate:
    """Estimate from a few texts, and from how many passages the messages of this store have on average."""
    if not survey.waiting:
        return Estimate(0.0, 0)
    embedder.embed(SAMPLES[:1])  # the first call loads the model
    start = time.perf_counter()
    made = embedder.embed(SAMPLES)
    seconds = (time.perf_counter() - start) / len(SAMPLES)
    each = sum(2 * len(one.vector) + len(one.tokens) for one in made) / len(SAMPLES)
    if survey.coverage.passages:
        each = survey.coverage.bytes / survey.coverage.passages
    known = [covered for _, covered in survey.generations if covered.embedded]
    passages = max((covered.passages / covered.embedded for covered in known), default=1.0) * survey.waiting
    return Estimate(passages * seconds, round(passages * each))


def describe_change(survey: Survey, embedder: Embedder) -> str | None:
    """Say what a change of the embedder costs; None if nothing waits, or if there was no other before."""
    if not survey.waiting or not survey.older:
        return None
    took = duration(estimate_embedding(survey, embedder).seconds)
    return (
        f"{count(survey.waiting, 'message')} will be embedded anew with {survey.embedder}, which takes about {took};"
        f" until then the vectors of {', '.join(survey.older)} serve"
    )


def duration(seconds: float) -> str:
    """How long, as people say it.

    >>> duration(0.2), duration(75), duration(7300)
    ('1 second', '1 minute', '2 hours')
    """
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return count(round(seconds / length), unit)
    return count(max(1, round(seconds)), "second")
