"""From options to a chat that can begin: the store, the model, the conversation."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from recollect import wiring
from recollect.agent.service import ChatService
from recollect.cli.chat.choosing import matching, typed_id
from recollect.cli.chat.plain import PlainReader
from recollect.cli.chat.talk import UNTITLED, Talk
from recollect.cli.lookup import all_sessions, is_blank
from recollect.cli.text import printable
from recollect.errors import NotFound
from recollect.types import Status

if TYPE_CHECKING:
    from recollect.chat import Chat
    from recollect.cli.chat.screen import Screen
    from recollect.cli.door import Door
    from recollect.memory import Memory
    from recollect.ports import LLM

LISTED = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options of the command say."""

    owner: str
    newest: bool = False
    resume: str | None = None
    temp: bool = False
    model: str | None = None
    no_model: bool = False
    budget: str | None = None
    system: str | None = None

    def check(self) -> None:
        """Refuses options that contradict each other."""
        if self.newest + (self.resume is not None) + self.temp > 1:
            raise click.UsageError("--continue, --resume and --temp contradict each other")
        if self.model is not None and self.no_model:
            raise click.UsageError("--model and --no-model contradict each other")
        if self.owner == "":
            raise click.BadParameter("is empty", param_hint="--owner")


@contextmanager
def opened(door: Door, wanted: Wanted, screen: Screen) -> Generator[Talk]:
    """The chat, ready for its first words. A store that is not there is made: a new user has none."""
    options: dict[str, Any] = {}
    if wanted.model is not None:
        options["llm"] = wanted.model
    if wanted.no_model:
        options["llm"] = "off"
    if wanted.budget is not None:
        options["context_budget"] = wanted.budget
    llm, why = _model(door, wanted)
    with door.open_or_make(**options) as memory:
        service = _service(memory, llm, door, wanted)
        talk = Talk(memory, service, wanted.owner, screen, PlainReader(), llm.name if llm else None)
        talk.why, talk.temporary, talk.system = why, wanted.temp, wanted.system
        talk.chat = _conversation(memory, wanted, screen)
        if talk.chat is not None and wanted.system is not None:
            talk.chat.update(system_prompt=wanted.system)
        yield talk


def _service(memory: Memory, llm: LLM | None, door: Door, wanted: Wanted) -> ChatService:
    settings = door.settings()
    return ChatService(
        memory,
        llm,
        web=settings.web_search,
        budget=wanted.budget and _tokens(wanted.budget),
        max_steps=settings.agent_steps,
        answer_tokens=settings.answer_tokens,
    )


def _model(door: Door, wanted: Wanted) -> tuple[LLM | None, str]:
    if wanted.no_model:
        return None, ""
    settings = door.settings()
    return wiring.open_llm(settings if wanted.model is None else replace(settings, llm=wanted.model))


def _tokens(budget: str) -> int | str:
    return int(budget) if budget.isdecimal() else budget


def say_whether_alone(talk: Talk, *, briefly: bool = False) -> None:
    """Without a model, says so plainly, and how to get one; briefly, where the answer is all that is wanted."""
    if talk.model is None and briefly:
        talk.screen.note("Memory only: no language model was asked.")
    elif talk.model is None:
        why = printable(talk.why).rstrip(".")
        cure = f" {why[:1].upper()}{why[1:]}." if why else ""
        talk.screen.trouble(f"Memory only: answers are quotes of what you said.{cure}")


def _conversation(memory: Memory, wanted: Wanted, screen: Screen) -> Chat | None:
    """The conversation to go on with; None for a new one."""
    if wanted.newest:
        active = all_sessions(memory, wanted.owner, status="active")
        newest = next((session for session in active if not is_blank(session)), None)
        if newest is None:
            screen.note("There is nothing to go on with yet: this is a new conversation.")
            return None
        return memory.chat(owner=wanted.owner, session=newest.id)
    return None if wanted.resume is None else _resumed(memory, wanted.owner, wanted.resume)


def _resumed(memory: Memory, owner: str, name: str) -> Chat:
    found = matching(list(all_sessions(memory, owner)), name)
    if not found:
        raise NotFound(f"there is no conversation {name!r} of owner {owner!r}; `recollect sessions` lists them")
    if len(found) > 1:
        for session in found[:LISTED]:
            title = printable(session.title or UNTITLED)
            click.echo(f"  {typed_id(session)}  {session.updated_at.astimezone():%Y-%m-%d %H:%M}  {title}", err=True)
        raise NotFound(f"{len(found)} conversations have {name!r} in their id or title: name one of them by its id")
    chat = memory.chat(owner=owner, session=found[0].id)
    if found[0].status is Status.ARCHIVED:
        chat.unarchive()
    return chat
