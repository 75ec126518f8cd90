"""The state of a terminal chat: whose memory, which conversation, and what was shown last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from recollect.cli.bar import percent

if TYPE_CHECKING:
    from recollect.agent.answer import Answer
    from recollect.agent.service import ChatService
    from recollect.chat import Chat
    from recollect.cli.chat.screen import Screen
    from recollect.memory import Memory
    from recollect.types import Session

NEW = "New conversation"
UNTITLED = "Untitled"


class Reader(Protocol):
    """Where the user's words come from."""

    def message(self) -> str:
        """What the user says next; `EOFError` when there is nothing more, `KeyboardInterrupt` for Ctrl-C."""
        ...

    def ask(self, question: str) -> str:
        """The answer to a question of ours; nothing, if the user would rather not say."""
        ...

    def forget(self) -> None:
        """What was typed is not offered again, unless the memory still has it."""
        ...


class Leave(Exception):
    """The user wants to go."""


class Status(NamedTuple):
    """What the toolbar tells."""

    title: str
    messages: int
    context: str
    model: str
    temporary: bool


@dataclass(slots=True)
class Talk:
    """One run of the chat. `chat` is None until the first words of a new conversation are said: nothing empty is kept."""

    memory: Memory
    service: ChatService
    owner: str
    screen: Screen
    reader: Reader
    model: str | None = None
    why: str = ""
    """Why there is no model, and what to do about it."""
    chat: Chat | None = None
    temporary: bool = False
    title: str | None = None
    """What the next conversation will be called."""
    system: str | None = None
    answer: Answer | None = None
    """The last answer of this conversation, as long as it is the last."""
    listed: list[str] = field(default_factory=list[str])
    """The conversations of the last numbered list, for `/load N`."""
    facts: list[str] = field(default_factory=list[str])
    """The facts of the last numbered list, for `/pin N` and `/forget`."""
    taken_back: list[str] = field(default_factory=list[str])
    """The last messages of what `/undo` and `/clear` took off this conversation, for `/redo`."""

    def begun(self) -> Chat:
        """The conversation, made if this is its beginning."""
        if self.chat is None:
            self.chat = self.memory.chat(
                owner=self.owner, title=self.title, system_prompt=self.system, temporary=self.temporary
            )
            self.title = None
        return self.chat

    def turn_to(self, chat: Chat | None, *, temporary: bool = False, title: str | None = None) -> None:
        """Goes over to another conversation, or to a new one."""
        self.chat, self.temporary, self.title = chat, temporary, title
        self.answer = None
        self.taken_back.clear()

    def info(self) -> Session | None:
        """The conversation as it is now, if it has begun."""
        return None if self.chat is None else self.chat.info()

    def status(self) -> Status:
        """What there is to tell about the conversation now."""
        info = self.info()
        title = (self.title or NEW) if info is None else (info.title or UNTITLED)
        context = self.answer.context if self.answer else None
        use = "" if context is None else percent(context.tokens, context.budget)
        return Status(title, info.message_count if info else 0, use, self.model or "memory only", self.temporary)
