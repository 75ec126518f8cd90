"""Request for the prompt of one turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from keepsaid.engine.prompt.budget import Limits
from keepsaid.ports import Retriever, TokenCounter


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """What is asked, and limits for the prompt. Without a question, the last message of the user is the question."""

    question: str | None
    budget: int
    strategy: str
    now: datetime
    system: str | None = None
    counter: TokenCounter | None = None
    limits: Limits = field(default_factory=Limits)
    recall: str = "owner"
    pools: tuple[str, ...] = ()
    last: int | None = None
    retriever: Retriever | None = None
    allow_without_memory: bool = False
    """Whether to build a prompt without memory if the store cannot be read, instead of raising an error."""
