"""Prepares a chat from its options: opens the store, the model and the conversation."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from keepsaid import wiring
from keepsaid.agent.service import ChatService
from keepsaid.cli.chat.choose_session import match_sessions, shortest_id_to_type
from keepsaid.cli.chat.plain_input import PlainReader
from keepsaid.cli.chat.state import UNTITLED, ChatState
from keepsaid.cli.memory.lookup import all_sessions, is_blank
from keepsaid.cli.output.text import to_printable
from keepsaid.errors import NotFound
from keepsaid.types import SessionStatus

if TYPE_CHECKING:
    from keepsaid.cli.chat.screen import ChatScreen
    from keepsaid.cli.open_store import StoreOpener
    from keepsaid.memory import Memory
    from keepsaid.memory.chat import Chat
    from keepsaid.ports import LLM

LISTED = 10


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """The options of the command."""

    owner: str
    newest: bool = False
    resume: str | None = None
    temp: bool = False
    model: str | None = None
    no_model: bool = False
    budget: str | None = None
    system: str | None = None

    def check(self) -> None:
        """Raise an error for options that contradict each other."""
        if self.newest + (self.resume is not None) + self.temp > 1:
            raise click.UsageError("--continue, --resume and --temp contradict each other")
        if self.model is not None and self.no_model:
            raise click.UsageError("--model and --no-model contradict each other")
        if self.owner == "":
            raise click.BadParameter("is empty", param_hint="--owner")


@contextmanager
def open_chat_state(opener: StoreOpener, wanted: ChatOptions, screen: ChatScreen) -> Generator[ChatState]:
    """Yield the chat, ready for its first message. A missing store is created: a new user has none."""
    options: dict[str, Any] = {}
    if wanted.model is not None:
        options["llm"] = wanted.model
    if wanted.no_model:
        options["llm"] = "off"
    if wanted.budget is not None:
        options["context_budget"] = wanted.budget
    llm, reason = _open_model(opener, wanted)
    with opener.open_or_create(**options) as memory:
        service = _create_service(memory, llm, opener, wanted)
        state = ChatState(memory, service, wanted.owner, screen, PlainReader(), llm.name if llm else None)
        state.missing_model_reason, state.temporary, state.system = reason, wanted.temp, wanted.system
        state.chat = _select_conversation(memory, wanted, screen)
        if state.chat is not None and wanted.system is not None:
            state.chat.update(system_prompt=wanted.system)
        yield state


def _create_service(memory: Memory, llm: LLM | None, opener: StoreOpener, wanted: ChatOptions) -> ChatService:
    settings = opener.settings()
    return ChatService(
        memory,
        llm,
        web=settings.web_search,
        budget=wanted.budget and _parse_budget(wanted.budget),
        max_steps=settings.agent_steps,
        answer_tokens=settings.answer_tokens,
    )


def _open_model(opener: StoreOpener, wanted: ChatOptions) -> tuple[LLM | None, str]:
    if wanted.no_model:
        return None, ""
    settings = opener.settings()
    return wiring.open_llm(settings if wanted.model is None else replace(settings, llm=wanted.model))


def _parse_budget(budget: str) -> int | str:
    return int(budget) if budget.isdecimal() else budget


def report_missing_model(state: ChatState, *, briefly: bool = False) -> None:
    """Report that there is no model, and how to get one; `briefly` leaves out the latter."""
    if state.model is None and briefly:
        state.screen.note("Memory only: no language model was used.")
    elif state.model is None:
        reason = to_printable(state.missing_model_reason).rstrip(".")
        hint = f" {reason[:1].upper()}{reason[1:]}." if reason else ""
        state.screen.warn(f"Memory only: answers are quotes from your conversations.{hint}")


def _select_conversation(memory: Memory, wanted: ChatOptions, screen: ChatScreen) -> Chat | None:
    """Return the conversation to continue; None for a new one."""
    if wanted.newest:
        active = all_sessions(memory, wanted.owner, status="active")
        newest = next((session for session in active if not is_blank(session)), None)
        if newest is None:
            screen.note("There is nothing to continue yet: this is a new conversation.")
            return None
        return memory.chat(owner=wanted.owner, session=newest.id)
    return None if wanted.resume is None else _resume_conversation(memory, wanted.owner, wanted.resume)


def _resume_conversation(memory: Memory, owner: str, name: str) -> Chat:
    found = match_sessions(list(all_sessions(memory, owner)), name)
    if not found:
        raise NotFound(f"there is no conversation {name!r} of owner {owner!r}; `keepsaid sessions` lists them")
    if len(found) > 1:
        for session in found[:LISTED]:
            title = to_printable(session.title or UNTITLED)
            click.echo(
                f"  {shortest_id_to_type(session)}  {session.updated_at.astimezone():%Y-%m-%d %H:%M}  {title}", err=True
            )
        raise NotFound(f"{len(found)} conversations have {name!r} in their id or title: name one of them by its id")
    chat = memory.chat(owner=owner, session=found[0].id)
    if found[0].status is SessionStatus.ARCHIVED:
        chat.unarchive()
    return chat
