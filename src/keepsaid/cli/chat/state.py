"""The state of a terminal chat: the owner, the conversation, and what was listed last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from keepsaid.cli.output.token_bar import format_percent

if TYPE_CHECKING:
    from keepsaid.agent.answer import Answer
    from keepsaid.agent.service import ChatService
    from keepsaid.cli.chat.screen import ChatScreen
    from keepsaid.memory import Memory
    from keepsaid.memory.chat import Chat
    from keepsaid.types import Session

NEW = "New conversation"
UNTITLED = "Untitled"


class InputReader(Protocol):
    """Reads the user's input."""

    def message(self) -> str:
        """Read the next message. Raises `EOFError` at the end of the input and `KeyboardInterrupt` for Ctrl-C."""
        ...

    def ask(self, question: str) -> str:
        """Ask a question and return the answer; an empty string if the user declines."""
        ...

    def forget(self) -> None:
        """Reset the input history to what the memory still has."""
        ...


class ChatExit(Exception):
    """Raised to exit the chat."""


class ToolbarStatus(NamedTuple):
    """The contents of the toolbar."""

    title: str
    messages: int
    context: str
    model: str
    temporary: bool


@dataclass(slots=True)
class ChatState:
    """One run of the chat. `chat` is None until the first message of a new conversation, so that no empty one is saved."""

    memory: Memory
    service: ChatService
    owner: str
    screen: ChatScreen
    reader: InputReader
    model: str | None = None
    missing_model_reason: str = ""
    """Why there is no model, and what to do about it."""
    chat: Chat | None = None
    temporary: bool = False
    title: str | None = None
    """The title of the next conversation."""
    system: str | None = None
    answer: Answer | None = None
    """The last answer of this conversation; None after a command that changes its history."""
    last_user_message: str | None = None
    """The id of the user's last message, for facts that are extracted after its turn."""
    listed_sessions: list[str] = field(default_factory=list[str])
    """The ids of the last numbered list of conversations, for `/load N`."""
    listed_facts: list[str] = field(default_factory=list[str])
    """The ids of the last numbered list of facts, for `/pin N` and `/forget`."""
    undone_leaves: list[str] = field(default_factory=list[str])
    """The ids of the last messages of what `/undo` and `/clear` removed, for `/redo`."""

    def ensure_chat(self) -> Chat:
        """Return the conversation; create it if it does not exist yet."""
        if self.chat is None:
            self.chat = self.memory.chat(
                owner=self.owner, title=self.title, system_prompt=self.system, temporary=self.temporary
            )
            self.title = None
        return self.chat

    def switch_to(self, chat: Chat | None, *, temporary: bool = False, title: str | None = None) -> None:
        """Switch to another conversation, or with None to a new one."""
        self.chat, self.temporary, self.title = chat, temporary, title
        self.answer = self.last_user_message = None
        self.undone_leaves.clear()

    def info(self) -> Session | None:
        """Return the conversation's current data, or None before its first message."""
        return None if self.chat is None else self.chat.info()

    def status(self) -> ToolbarStatus:
        """Return the current contents of the toolbar."""
        info = self.info()
        title = (self.title or NEW) if info is None else (info.title or UNTITLED)
        context = self.answer.context if self.answer else None
        use = "" if context is None else format_percent(context.tokens, context.budget)
        return ToolbarStatus(title, info.message_count if info else 0, use, self.model or "memory only", self.temporary)
