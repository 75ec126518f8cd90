"""Turns of conversations with one language model: what an agent and a chat service have in common."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

from recollect.agent.answer import Event, Finished, Started
from recollect.agent.builtin import REMEMBER, memory_tools
from recollect.agent.history import ending, mend
from recollect.agent.model import NO_TOOLS, Model
from recollect.agent.offline import offline_turn
from recollect.agent.options import Options
from recollect.agent.prompting import Prompting
from recollect.agent.run import Run
from recollect.agent.stop import Stop
from recollect.agent.tools import Tool, toolbox
from recollect.agent.web import looked_up, query_of, wants_search, web_tool
from recollect.chat import Chat
from recollect.engine.hygiene import clean_text
from recollect.engine.query import understand
from recollect.engine.redact import redacted
from recollect.engine.rewrite import LONGEST_RECENT, standalone
from recollect.errors import InvalidInput, RecollectError
from recollect.memory import Memory
from recollect.types import Message, Role, ToolCall


@dataclass(frozen=True, slots=True)
class Saying:
    """What a user says: new words or, with `edit`, an earlier message of his in other words. A private one stays out of
    memory, with its answer; None lets the words decide."""

    text: str
    edit: str | None = None
    private: bool | None = None

    def in_(self, chat: Chat) -> Message:
        """The message, saved."""
        if self.edit is not None:
            return chat.edit(self.edit, self.text, private=self.private)
        return chat.add("user", self.text, private=self.private)


class Turns:
    """Makes turns. Without a model they are made of memory alone."""

    def __init__(
        self,
        memory: Memory,
        model: Model | None,
        options: Options,
        *,
        tools: Iterable[Tool | Callable[..., Any]],
        web: Any,
        remember: bool,
    ) -> None:
        self.memory = memory
        self._model = model
        self.options = options
        self._web = None if web is None else web_tool(web)
        self._tools = toolbox([*tools, *(() if self._web is None else (self._web,))])
        self._remember = remember

    def asked(self, chat: Callable[[], Chat], saying: Saying, stop: Stop, options: Options | None = None) -> Iterator[Event]:
        """A turn for something that a user says. It is saved before anything else is done."""
        here = chat()
        mend(here)
        said = saying.in_(here)
        yield Started(here.id, said)
        with closing(self._answered(here, said, self._before(here, said), stop, options)) as events:
            for event in events:
                yield self._with_notes(event, here, said) if isinstance(event, Finished) else event

    def _with_notes(self, event: Finished, chat: Chat, said: Message) -> Finished:
        """The end of a turn, with what was noted of the user's words."""
        if said.private or chat.info().pool is not None or chat.info().temporary:
            return event
        with suppress(RecollectError):  # the answer is there, whatever becomes of the notes
            noted = self.memory.noted_facts(said.id, owner=chat.owner)
            return Finished(replace(event.answer, noted=tuple(noted)))
        return event

    def again(
        self,
        chat: Chat,
        said: Message,
        stop: Stop,
        options: Options | None = None,
        private: bool | None = None,
    ) -> Iterator[Event]:
        """Another answer to something that was said before. The old one, and what followed it, stays on its own branch."""
        chat.switch(said.id)
        yield Started(chat.id, said)
        told = said if private is None else said._replace(private=private)
        yield from self._answered(chat, told, self._before(chat, said), stop, options)

    def resumed(self, chat: Chat, stop: Stop) -> Iterator[Event]:
        """The rest of a turn that was broken off; nothing at all if there is none."""
        mend(chat)
        said = unfinished(chat)
        if said is not None:
            yield Started(chat.id, said)
            yield from self._answered(chat, said, None, stop)

    def _before(self, chat: Chat, said: Message) -> list[Message]:
        """What was said before it, as far as a search of the web may need it."""
        if self._web is None:
            return []
        return [one for one in chat.messages(last=LONGEST_RECENT + 1) if one.seq < said.seq]

    def _answered(
        self,
        chat: Chat,
        said: Message,
        before: list[Message] | None,
        stop: Stop,
        options: Options | None = None,
    ) -> Generator[Event]:
        options = options or self.options
        if self._model is None:
            yield from offline_turn(self.memory, chat, said, options, stop)
            return
        recall = options.recall or chat._prompter.settings.context_recall  # pyright: ignore[reportPrivateUsage]
        own = toolbox(memory_tools(self.memory, chat, said.id, recall)) if self._remember else {}
        if said.private:
            own.pop(REMEMBER, None)
        run = Run(
            chat,
            self._model,
            Prompting(self.memory, chat, options),
            own | self._tools,
            options.max_steps,
            stop,
            said.private,
            None if before is None else self._look_up(chat, said, before),
            # Our own tools are an offer; that those of the application are not even offered it should know.
            [NO_TOOLS] if self._tools and not self._model.takes_tools else [],
        )
        yield from run.events()

    def _look_up(self, chat: Chat, said: Message, before: list[Message]) -> ToolCall | None:
        """What to search the web for before the model is asked, if the user's words ask for how things are now."""
        if self._web is None or said.private or not said.text.strip():
            return None
        if not wants_search(said.text, understand(said.text, said.created_at, plain=True).kind):
            return None
        query = query_of(standalone(said.text, before).text)
        kinds = chat._prompter.settings.redact_sent  # pyright: ignore[reportPrivateUsage]  # as for prompts
        return looked_up(redacted(query, kinds).text, self._web.name, said.id)


def sayable(message: str) -> str:
    """What a user says, if there is anything in it."""
    if not clean_text(message, "message").strip():
        raise InvalidInput("the message is empty")
    return message


def _is_answer(message: Message) -> bool:
    """Whether it ends a turn: not what came before the model failed."""
    return not message.tool_calls and message.metadata.get("finish") != "error"


def unfinished(chat: Chat) -> Message | None:
    """What the user said last, if it has no answer yet."""
    ends = ending(chat)
    if not ends or (ends[0].role is not Role.USER and len(ends) == 1 and _is_answer(ends[0])):
        return None
    return last_said(chat)


def last_said(chat: Chat, message: str | None = None) -> Message | None:
    """What the user said last, in the conversation or up to a message of it."""
    if message is None:
        last = chat.messages(last=1)
        if not last:
            return None
        message = last[0].id
    return chat._asked(message)  # pyright: ignore[reportPrivateUsage]  # a question for a turn, and for nobody else
