"""Keepsaid: memory for AI assistants.

>>> import keepsaid
>>> memory = keepsaid.open("memory://")
>>> chat = memory.chat(owner="u1")
>>> _ = chat.add("user", "My sister moved to Lisbon in May.")
>>> memory.search("sister", owner="u1")[0].message.text
'My sister moved to Lisbon in May.'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keepsaid import errors as errors
    from keepsaid import wiring
    from keepsaid.agent.agent import Agent as Agent
    from keepsaid.agent.answer import Answer as Answer
    from keepsaid.agent.answer import Cited as Cited
    from keepsaid.agent.service import ChatService as ChatService
    from keepsaid.agent.tools import Tool as Tool
    from keepsaid.aio import AsyncChat as AsyncChat
    from keepsaid.aio import AsyncMemory as AsyncMemory
    from keepsaid.aio import AsyncWatch as AsyncWatch
    from keepsaid.config import Settings as Settings
    from keepsaid.engine.prompt.budget import Limits as Limits
    from keepsaid.errors import BudgetTooSmall as BudgetTooSmall
    from keepsaid.errors import Conflict as Conflict
    from keepsaid.errors import InvalidInput as InvalidInput
    from keepsaid.errors import KeepsaidError as KeepsaidError
    from keepsaid.errors import LLMError as LLMError
    from keepsaid.errors import NotFound as NotFound
    from keepsaid.errors import StorageError as StorageError
    from keepsaid.memory import Memory as Memory
    from keepsaid.memory.chat import Chat as Chat
    from keepsaid.memory.watch import Watch as Watch
    from keepsaid.types import Branch as Branch
    from keepsaid.types import ChangePosition as ChangePosition
    from keepsaid.types import ContentPart as ContentPart
    from keepsaid.types import Document as Document
    from keepsaid.types import Fact as Fact
    from keepsaid.types import FactChange as FactChange
    from keepsaid.types import MemoryChange as MemoryChange
    from keepsaid.types import Message as Message
    from keepsaid.types import MessageAddition as MessageAddition
    from keepsaid.types import MessageDraft as MessageDraft
    from keepsaid.types import MessageWindow as MessageWindow
    from keepsaid.types import Page as Page
    from keepsaid.types import PoolAccess as PoolAccess
    from keepsaid.types import PoolGrant as PoolGrant
    from keepsaid.types import RetentionPolicy as RetentionPolicy
    from keepsaid.types import Role as Role
    from keepsaid.types import SearchHit as SearchHit
    from keepsaid.types import SearchHits as SearchHits
    from keepsaid.types import Session as Session
    from keepsaid.types import SessionStatus as SessionStatus
    from keepsaid.types import Summary as Summary
    from keepsaid.types import ToolCall as ToolCall
    from keepsaid.types.prompts import Context as Context
    from keepsaid.types.prompts import Profile as Profile
    from keepsaid.types.prompts import ProfileLine as ProfileLine
    from keepsaid.types.prompts import PromptItem as PromptItem
    from keepsaid.types.prompts import PromptReceipt as PromptReceipt
    from keepsaid.types.prompts import PromptReplay as PromptReplay
    from keepsaid.types.prompts import RelevantContext as RelevantContext
    from keepsaid.types.reports import CheckFinding as CheckFinding
    from keepsaid.types.reports import EraseReceipt as EraseReceipt
    from keepsaid.types.reports import ExportReport as ExportReport
    from keepsaid.types.reports import ImportReport as ImportReport
    from keepsaid.types.reports import MemoryStats as MemoryStats
    from keepsaid.types.reports import RetentionReport as RetentionReport
    from keepsaid.types.reports import StatsPeriod as StatsPeriod
    from keepsaid.types.reports import StorageUsage as StorageUsage
    from keepsaid.types.reports import StoreDiagnosis as StoreDiagnosis

    open = wiring.open_memory
    open_async = wiring.open_memory_async

__version__ = "0.1.0"

# Names are imported when they are first used, so that `import keepsaid` is fast.
_TYPES = (
    "PoolAccess", "MessageAddition", "MessageWindow", "Branch", "MemoryChange", "Document", "MessageDraft", "Fact",
    "FactChange", "PoolGrant", "SearchHit", "SearchHits", "ChangePosition", "Message", "Page", "ContentPart",
    "RetentionPolicy", "Role", "Session", "SessionStatus", "Summary", "ToolCall",
)  # fmt: skip
_REPORTS = (
    "StoreDiagnosis", "EraseReceipt", "ExportReport", "CheckFinding", "ImportReport", "StatsPeriod", "RetentionReport",
    "MemoryStats", "StorageUsage",
)  # fmt: skip
_PROMPTS = ("Context", "PromptItem", "Profile", "ProfileLine", "PromptReceipt", "RelevantContext", "PromptReplay")
_ERRORS = ("BudgetTooSmall", "Conflict", "InvalidInput", "LLMError", "NotFound", "KeepsaidError", "StorageError")
_HOMES: dict[str, tuple[str, str]] = {
    "open": ("keepsaid.wiring", "open_memory"),
    "open_async": ("keepsaid.wiring", "open_memory_async"),
    "errors": ("keepsaid.errors", ""),
    "Memory": ("keepsaid.memory", "Memory"),
    "Chat": ("keepsaid.memory.chat", "Chat"),
    "Watch": ("keepsaid.memory.watch", "Watch"),
    "Agent": ("keepsaid.agent.agent", "Agent"),
    "ChatService": ("keepsaid.agent.service", "ChatService"),
    "Answer": ("keepsaid.agent.answer", "Answer"),
    "Cited": ("keepsaid.agent.answer", "Cited"),
    "Tool": ("keepsaid.agent.tools", "Tool"),
    "AsyncMemory": ("keepsaid.aio", "AsyncMemory"),
    "AsyncChat": ("keepsaid.aio", "AsyncChat"),
    "AsyncWatch": ("keepsaid.aio", "AsyncWatch"),
    "Settings": ("keepsaid.config", "Settings"),
    "Limits": ("keepsaid.engine.prompt.budget", "Limits"),
    **{name: ("keepsaid.types", name) for name in _TYPES},
    **{name: ("keepsaid.types.reports", name) for name in _REPORTS},
    **{name: ("keepsaid.types.prompts", name) for name in _PROMPTS},
    **{name: ("keepsaid.errors", name) for name in _ERRORS},
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  # all are strings


def __getattr__(name: str) -> Any:
    try:
        module, attribute = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'keepsaid' has no attribute {name!r}") from None
    home = import_module(module)
    value = globals()[name] = getattr(home, attribute) if attribute else home
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
