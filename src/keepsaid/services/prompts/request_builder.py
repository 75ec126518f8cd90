"""Build prompt requests: the caller's arguments, validated and completed from the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from keepsaid.config import RECALLS, Settings
from keepsaid.engine.messages.validation import clean_datetime, clean_name, clean_text
from keepsaid.errors import InvalidInput

if TYPE_CHECKING:
    from keepsaid.engine.prompt.budget import Limits
    from keepsaid.services.container import ServiceContainer
    from keepsaid.services.prompts.request import PromptRequest


SMALL_WINDOW_MEMORY = 800
"""Tokens for memories in the preset 12k, which is for models with a small context window."""


def build_prompt_request(
    services: ServiceContainer,
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
    allow_without_memory: bool,
) -> PromptRequest:
    """Return the request that the arguments of a call ask for."""
    # Imported with the first prompt, because saving messages does not need it.
    from keepsaid.engine.prompt.budget import WINDOW, resolve_budget, resolve_strategy
    from keepsaid.services.prompts.request import PromptRequest

    settings = services.settings
    chosen = resolve_strategy(settings.strategy if strategy is None else strategy)
    where = settings.context_recall if recall is None else recall
    if where not in RECALLS:
        raise InvalidInput(f"recall must be one of {', '.join(RECALLS)}, not {where!r}")
    budget = settings.context_budget if budget is None else budget
    return PromptRequest(
        None if question is None else _clean_question(services, question),
        resolve_budget(budget),
        chosen,
        services.clock().astimezone() if now is None else clean_datetime(now, "now"),
        None if system is None else clean_text(system, "system"),
        None if model is None else _counter(model),
        _apply_preset(default_limits(settings) if limits is None else limits, budget),
        where,
        _pools(pools),
        settings.window_messages if chosen == WINDOW else None,
        _retriever(settings.retriever if retriever is None else retriever),
        allow_without_memory,
    )


def default_limits(settings: Settings) -> Limits:
    """Return the limits of the sections of a prompt from the settings."""
    from keepsaid.engine.prompt.budget import Limits

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


def _apply_preset(limits: Limits, budget: int | str) -> Limits:
    """Return the limits with what the preset 12k sets by default: 800 tokens for memories."""
    return replace(limits, memory=SMALL_WINDOW_MEMORY) if limits.memory is None and budget == "12k" else limits


def _clean_question(services: ServiceContainer, question: str) -> str:
    """Return the question as it would be saved, because the receipt keeps it."""
    text = clean_text(question, "question")
    if not services.redact:
        return text
    from keepsaid.engine.redaction import redact

    return redact(text, services.redact).text


def _pools(pools: Iterable[str]) -> tuple[str, ...]:
    if isinstance(pools, str):
        raise InvalidInput(f"pools must be a list of their ids, not one string: use [{pools!r}]")
    return tuple(clean_name(pool, "pool") for pool in pools)


def _counter(model: str) -> Any:
    from keepsaid.llm.tokens import counter_for

    return counter_for(clean_name(model, "model"))


def _retriever(wanted: Any) -> Any:
    if wanted is None:
        return None
    from keepsaid.services.documents.retrievers import adapt_retriever

    return adapt_retriever(wanted)
