"""Options for all turns of an agent or a chat service."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keepsaid.config import RECALLS
from keepsaid.engine.messages.validation import clean_fraction, clean_limit, clean_text
from keepsaid.engine.prompt.budget import resolve_budget
from keepsaid.errors import InvalidInput

if TYPE_CHECKING:
    from keepsaid.engine.prompt.budget import Limits

DEFAULT_MAX_STEPS = 8
"""Default number of model answers with tool calls in one turn."""


@dataclass(frozen=True, slots=True)
class AgentTurnOptions:
    """What a prompt may contain, and how many steps a turn may take. None means the value from the settings.

    >>> AgentTurnOptions(top_k=5, recall="session").max_steps
    8
    """

    recall: str | None = None
    top_k: int | None = None
    min_similarity: float | None = None
    budget: int | str | None = None
    system: str | None = None
    max_steps: int = DEFAULT_MAX_STEPS

    def __post_init__(self) -> None:
        if self.recall is not None and self.recall not in RECALLS:
            raise InvalidInput(f"recall must be one of {', '.join(RECALLS)}, not {self.recall!r}")
        if self.top_k is not None:
            clean_limit(self.top_k, "top_k", 0)
        if self.min_similarity is not None:
            clean_fraction(self.min_similarity, "min_similarity")
        if self.budget is not None:
            resolve_budget(self.budget)
        if self.system is not None:
            clean_text(self.system, "system")
        clean_limit(self.max_steps, "max_steps")

    def for_turn(self, recall: str | None = None, system: str | None = None) -> AgentTurnOptions:
        """Return the options with the overrides of one turn.

        >>> AgentTurnOptions(top_k=5).for_turn(recall="off").recall
        'off'
        """
        return replace(
            self,
            recall=self.recall if recall is None else recall,
            system=self.system if system is None else system,
        )

    def apply_to_limits(self, usual: Limits) -> Limits:
        """Return the default limits of a prompt with these options applied."""
        return replace(
            usual,
            recalled=usual.recalled if self.top_k is None else self.top_k,
            min_score=usual.min_score if self.min_similarity is None else self.min_similarity,
            profile=0 if self.top_k == 0 else usual.profile,
        )
