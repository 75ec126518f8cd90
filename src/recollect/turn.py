"""One turn of a conversation, as somebody wants the prompt for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from recollect.engine.compile.budget import Limits
from recollect.ports import Retriever, TokenCounter


@dataclass(frozen=True, slots=True)
class Turn:
    """What is asked, and what the prompt may be. Without a question, the last thing the user said is it."""

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
    go_on: bool = False
    """Whether a store that cannot be read means a prompt without memory, instead of an error."""
