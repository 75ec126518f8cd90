"""What a caller says he wants of a prompt, checked and completed by the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.config import RECALLS, Settings
from recollect.engine.hygiene import clean_moment, clean_name, clean_text
from recollect.errors import InvalidInput
from recollect.kit import Kit
from recollect.reports import EraseReceipt
from recollect.types import Scope

if TYPE_CHECKING:
    from recollect.engine.compile.budget import Limits
    from recollect.prompt import Context
    from recollect.turn import Turn


SMALL_WINDOW_MEMORY = 800
"""Tokens for memories in the preset 12k, made for models with a small window."""


@dataclass(frozen=True, slots=True)
class Prompter:
    """Turns a call's arguments into a turn, and has the prompt composed."""

    settings: Settings
    kit: Kit
    compose: Callable[[Scope, Turn], Context]
    resting: Callable[[], AbstractContextManager[None]]
    """Nobody works on the store meanwhile, and what was given is written down."""
    tidied: Callable[[EraseReceipt], EraseReceipt]
    """What was erased is forgotten by who searches, too."""

    def context(
        self,
        scope: Scope,
        question: str | None,
        *,
        budget: int | str | None,
        strategy: str | None,
        system: str | None,
        model: str | None,
        recall: str | None,
        pools: Iterable[str],
        limits: Limits | None,
        retriever: Any,
        now: datetime | None,
        go_on: bool,
    ) -> Context:
        """The prompt for a turn."""
        # What makes prompts is imported when the first is made: who only saves need not wait for it.
        from recollect.engine.compile.budget import WINDOW, budget_of, strategy_of
        from recollect.turn import Turn

        settings = self.settings
        chosen = strategy_of(settings.strategy if strategy is None else strategy)
        where = settings.context_recall if recall is None else recall
        if where not in RECALLS:
            raise InvalidInput(f"recall is one of {', '.join(RECALLS)}, not {where!r}")
        turn = Turn(
            None if question is None else self._asked(question),
            budget_of(settings.context_budget if budget is None else budget),
            chosen,
            self.kit.clock().astimezone() if now is None else clean_moment(now, "now"),
            None if system is None else clean_text(system, "system"),
            None if model is None else _counter(model),
            self._limits_for(limits, settings.context_budget if budget is None else budget),
            where,
            _pools(pools),
            settings.window_messages if chosen == WINDOW else None,
            _retriever(settings.retriever if retriever is None else retriever),
            go_on,
        )
        return self.compose(scope, turn)

    def _asked(self, question: str) -> str:
        """The question as it would be saved, which a receipt does in its stead."""
        text = clean_text(question, "question")
        if not self.kit.redact:
            return text
        from recollect.engine.redact import redacted

        return redacted(text, self.kit.redact).text

    def _limits_for(self, limits: Limits | None, budget: int | str) -> Limits:
        """The caller's limits, or those of the settings. The preset 12k has 800 tokens for memories unless told
        otherwise."""
        chosen = self.limits() if limits is None else limits
        return replace(chosen, memory=SMALL_WINDOW_MEMORY) if chosen.memory is None and budget == "12k" else chosen

    def limits(self) -> Limits:
        """What each section of a prompt may take, by the settings."""
        from recollect.engine.compile.budget import Limits

        settings = self.settings
        return Limits(
            settings.summary_tokens,
            settings.memory_tokens,
            settings.documents_tokens,
            settings.context_facts,
            settings.context_tools,
            settings.context_recalled,
            settings.documents_limit,
            profile=settings.profile_tokens,
        )


def _pools(pools: Iterable[str]) -> tuple[str, ...]:
    if isinstance(pools, str):
        raise InvalidInput(f"pools must be a list of their ids, not one string: use [{pools!r}]")
    return tuple(clean_name(pool, "pool") for pool in pools)


def _counter(model: str) -> Any:
    from recollect.tokens import counter_for

    return counter_for(clean_name(model, "model"))


def _retriever(wanted: Any) -> Any:
    if wanted is None:
        return None
    from recollect.retrievers import retriever_for

    return retriever_for(wanted)
