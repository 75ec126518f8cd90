"""Recollect: the memory for AI assistants.

>>> import recollect
>>> memory = recollect.open("memory://")
>>> chat = memory.chat(owner="u1")
>>> _ = chat.add("user", "My sister moved to Lisbon in May.")
>>> memory.search("sister", owner="u1")[0].message.text
'My sister moved to Lisbon in May.'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect import errors as errors
    from recollect import wiring
    from recollect.agent.agent import Agent as Agent
    from recollect.agent.answer import Answer as Answer
    from recollect.agent.answer import Cited as Cited
    from recollect.agent.service import ChatService as ChatService
    from recollect.agent.tools import Tool as Tool
    from recollect.aio import AsyncChat as AsyncChat
    from recollect.aio import AsyncMemory as AsyncMemory
    from recollect.aio import AsyncWatch as AsyncWatch
    from recollect.chat import Chat as Chat
    from recollect.config import Settings as Settings
    from recollect.engine.compile.budget import Limits as Limits
    from recollect.errors import BudgetTooSmall as BudgetTooSmall
    from recollect.errors import Conflict as Conflict
    from recollect.errors import InvalidInput as InvalidInput
    from recollect.errors import LLMError as LLMError
    from recollect.errors import NotFound as NotFound
    from recollect.errors import RecollectError as RecollectError
    from recollect.errors import StorageError as StorageError
    from recollect.memory import Memory as Memory
    from recollect.prompt import Context as Context
    from recollect.prompt import Item as Item
    from recollect.prompt import Profile as Profile
    from recollect.prompt import ProfileLine as ProfileLine
    from recollect.prompt import Receipt as Receipt
    from recollect.prompt import Relevant as Relevant
    from recollect.prompt import Replay as Replay
    from recollect.reports import Diagnosis as Diagnosis
    from recollect.reports import EraseReceipt as EraseReceipt
    from recollect.reports import ExportReport as ExportReport
    from recollect.reports import Finding as Finding
    from recollect.reports import ImportReport as ImportReport
    from recollect.reports import Period as Period
    from recollect.reports import RetentionReport as RetentionReport
    from recollect.reports import Stats as Stats
    from recollect.reports import Usage as Usage
    from recollect.types import Access as Access
    from recollect.types import Addition as Addition
    from recollect.types import Around as Around
    from recollect.types import Branch as Branch
    from recollect.types import Change as Change
    from recollect.types import Document as Document
    from recollect.types import Draft as Draft
    from recollect.types import Fact as Fact
    from recollect.types import FactChange as FactChange
    from recollect.types import Grant as Grant
    from recollect.types import Hit as Hit
    from recollect.types import Hits as Hits
    from recollect.types import Mark as Mark
    from recollect.types import Message as Message
    from recollect.types import Page as Page
    from recollect.types import Part as Part
    from recollect.types import RetentionPolicy as RetentionPolicy
    from recollect.types import Role as Role
    from recollect.types import Session as Session
    from recollect.types import Status as Status
    from recollect.types import Summary as Summary
    from recollect.types import ToolCall as ToolCall
    from recollect.watch import Watch as Watch

    open = wiring.open_memory
    open_async = wiring.open_memory_async

__version__ = "0.1.0"

# Names are looked up when they are first used, so that `import recollect` costs nothing by itself.
_TYPES = (
    "Access", "Addition", "Around", "Branch", "Change", "Document", "Draft", "Fact", "FactChange", "Grant", "Hit", "Hits",
    "Mark", "Message", "Page", "Part", "RetentionPolicy", "Role", "Session", "Status", "Summary", "ToolCall",
)  # fmt: skip
_REPORTS = (
    "Diagnosis", "EraseReceipt", "ExportReport", "Finding", "ImportReport", "Period", "RetentionReport", "Stats", "Usage",
)  # fmt: skip
_PROMPTS = ("Context", "Item", "Profile", "ProfileLine", "Receipt", "Relevant", "Replay")
_ERRORS = ("BudgetTooSmall", "Conflict", "InvalidInput", "LLMError", "NotFound", "RecollectError", "StorageError")
_HOMES: dict[str, tuple[str, str]] = {
    "open": ("recollect.wiring", "open_memory"),
    "open_async": ("recollect.wiring", "open_memory_async"),
    "errors": ("recollect.errors", ""),
    "Memory": ("recollect.memory", "Memory"),
    "Chat": ("recollect.chat", "Chat"),
    "Watch": ("recollect.watch", "Watch"),
    "Agent": ("recollect.agent.agent", "Agent"),
    "ChatService": ("recollect.agent.service", "ChatService"),
    "Answer": ("recollect.agent.answer", "Answer"),
    "Cited": ("recollect.agent.answer", "Cited"),
    "Tool": ("recollect.agent.tools", "Tool"),
    "AsyncMemory": ("recollect.aio", "AsyncMemory"),
    "AsyncChat": ("recollect.aio", "AsyncChat"),
    "AsyncWatch": ("recollect.aio", "AsyncWatch"),
    "Settings": ("recollect.config", "Settings"),
    "Limits": ("recollect.engine.compile.budget", "Limits"),
    **{name: ("recollect.types", name) for name in _TYPES},
    **{name: ("recollect.reports", name) for name in _REPORTS},
    **{name: ("recollect.prompt", name) for name in _PROMPTS},
    **{name: ("recollect.errors", name) for name in _ERRORS},
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  # all are strings


def __getattr__(name: str) -> Any:
    try:
        module, attribute = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}") from None
    home = import_module(module)
    value = globals()[name] = getattr(home, attribute) if attribute else home
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
