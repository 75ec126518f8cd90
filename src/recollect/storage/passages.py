"""What every storage refuses to keep as a vector."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import InvalidInput
from recollect.ports import Passage, Task


def check_passages(task: Task, passages: Sequence[Passage], dimensions: int) -> None:
    """Refuses passages that are none of the task's, or not of the generation's shape."""
    for passage in passages:
        if not task.after < passage.number <= task.upto:
            raise InvalidInput(f"message {passage.number} is not part of the task")
        if len(passage.vector) != 2 * dimensions:
            raise InvalidInput(
                f"a vector of {task.generation!r} has {dimensions} dimensions in {2 * dimensions} bytes,"
                f" not {len(passage.vector)} bytes"
            )
        if passage.tokens and (passage.width <= 0 or len(passage.tokens) % passage.width):
            raise InvalidInput(f"{len(passage.tokens)} bytes of token vectors are not rows of {passage.width}")
