"""How turns are to be: what an agent and a chat service are told once, for all of their turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.config import RECALLS
from recollect.engine.compile.budget import budget_of
from recollect.engine.hygiene import clean_limit, clean_share, clean_text
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.engine.compile.budget import Limits

STEPS = 8
"""Answers of the model with tools in them that a turn may have."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a prompt may have, and how long a turn may be. None leaves it to the settings.

    >>> Options(top_k=5, recall="session").max_steps
    8
    """

    recall: str | None = None
    top_k: int | None = None
    min_similarity: float | None = None
    budget: int | str | None = None
    system: str | None = None
    max_steps: int = STEPS

    def __post_init__(self) -> None:
        if self.recall is not None and self.recall not in RECALLS:
            raise InvalidInput(f"recall is one of {', '.join(RECALLS)}, not {self.recall!r}")
        if self.top_k is not None:
            clean_limit(self.top_k, "top_k", 0)
        if self.min_similarity is not None:
            clean_share(self.min_similarity, "min_similarity")
        if self.budget is not None:
            budget_of(self.budget)
        if self.system is not None:
            clean_text(self.system, "system")
        clean_limit(self.max_steps, "max_steps")

    def for_turn(self, recall: str | None = None, system: str | None = None) -> Options:
        """The same with what one turn wants instead.

        >>> Options(top_k=5).for_turn(recall="off").recall
        'off'
        """
        return replace(
            self,
            recall=self.recall if recall is None else recall,
            system=self.system if system is None else system,
        )

    def limits(self, usual: Limits) -> Limits:
        """The usual limits of a prompt with what is wanted instead."""
        return replace(
            usual,
            recalled=usual.recalled if self.top_k is None else self.top_k,
            min_score=usual.min_score if self.min_similarity is None else self.min_similarity,
            profile=0 if self.top_k == 0 else usual.profile,
        )
