"""Validation of vectors, shared by all storages."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.errors import InvalidInput
from keepsaid.ports import EmbeddedPassage, WorkLease


def check_passages(task: WorkLease, passages: Sequence[EmbeddedPassage], dimensions: int) -> None:
    """Raise `InvalidInput` for a passage that is not part of the task or does not have the generation's shape."""
    for passage in passages:
        if not task.after < passage.number <= task.upto:
            raise InvalidInput(f"message {passage.number} is not part of the task")
        if len(passage.vector) != 2 * dimensions:
            raise InvalidInput(
                f"a vector of {task.generation!r} has {dimensions} dimensions in {2 * dimensions} bytes,"
                f" not {len(passage.vector)} bytes"
            )
        if passage.tokens and (passage.width <= 0 or len(passage.tokens) % passage.width):
            raise InvalidInput(f"{len(passage.tokens)} bytes of token vectors cannot be split into rows of {passage.width}")
