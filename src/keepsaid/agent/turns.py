"""Turns of conversations with one language model; shared by agents and chat services."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

from keepsaid.agent.answer import TurnEvent, TurnFinished, TurnStarted
from keepsaid.agent.builtin import REMEMBER_TOOL, memory_tools
from keepsaid.agent.history import add_missing_results, load_last_exchange
from keepsaid.agent.model import NO_TOOLS_FALLBACK, ChatModel
from keepsaid.agent.offline.answer import run_offline_turn
from keepsaid.agent.options import AgentTurnOptions
from keepsaid.agent.prompts import TurnPromptBuilder
from keepsaid.agent.run import TurnRun
from keepsaid.agent.stop import StopSignal
from keepsaid.agent.tools import Tool, collect_tools
from keepsaid.agent.web import build_search_call, build_search_query, make_web_tool, wants_search
from keepsaid.engine.follow_up import MAX_RECENT_MESSAGES, complete_question
from keepsaid.engine.messages.validation import clean_text
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.redaction import redact
from keepsaid.errors import InvalidInput, KeepsaidError
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, Role, ToolCall


@dataclass(frozen=True, slots=True)
class UserInput:
    """The user's input: a new message or, with `edit`, the new text of an earlier user message.

    A private message and its answer stay out of memory; None derives this from the text.
    """

    text: str
    edit: str | None = None
    private: bool | None = None

    def save(self, chat: Chat) -> Message:
        """Save the message and return it."""
        if self.edit is not None:
            return chat.edit(self.edit, self.text, private=self.private)
        return chat.add("user", self.text, private=self.private)


class TurnEngine:
    """Run turns. Without a model, answers are made from memory alone."""

    def __init__(
        self,
        memory: Memory,
        model: ChatModel | None,
        options: AgentTurnOptions,
        *,
        tools: Iterable[Tool | Callable[..., Any]],
        web: Any,
        remember: bool,
    ) -> None:
        self.memory = memory
        self._model = model
        self.options = options
        self._web = None if web is None else make_web_tool(web)
        self._tools = collect_tools([*tools, *(() if self._web is None else (self._web,))])
        self._remember = remember

    def ask(
        self, chat: Callable[[], Chat], user_input: UserInput, stop: StopSignal, options: AgentTurnOptions | None = None
    ) -> Iterator[TurnEvent]:
        """Run a turn for the user's input. The input is saved first."""
        here = chat()
        add_missing_results(here)
        user_message = user_input.save(here)
        yield TurnStarted(here.id, user_message)
        with closing(self._answer(here, user_message, self._previous_messages(here, user_message), stop, options)) as events:
            for event in events:
                yield self._with_facts(event, here, user_message) if isinstance(event, TurnFinished) else event

    def _with_facts(self, event: TurnFinished, chat: Chat, user_message: Message) -> TurnFinished:
        """Return the last event of a turn with the facts that were extracted from the user's message."""
        if user_message.private or chat.info().pool is not None or chat.info().temporary:
            return event
        with suppress(KeepsaidError):  # the answer is valid even if reading the facts fails
            noted = self.memory.noted_facts(user_message.id, owner=chat.owner)
            return TurnFinished(replace(event.answer, noted=tuple(noted)))
        return event

    def regenerate(
        self,
        chat: Chat,
        user_message: Message,
        stop: StopSignal,
        options: AgentTurnOptions | None = None,
        private: bool | None = None,
    ) -> Iterator[TurnEvent]:
        """Answer an earlier message again. The old answer and what followed it stay on their own branch."""
        chat.switch(user_message.id)
        yield TurnStarted(chat.id, user_message)
        answered_message = user_message if private is None else user_message._replace(private=private)
        yield from self._answer(chat, answered_message, self._previous_messages(chat, user_message), stop, options)

    def resume(self, chat: Chat, stop: StopSignal) -> Iterator[TurnEvent]:
        """Finish an interrupted turn; yield nothing if there is none."""
        add_missing_results(chat)
        user_message = find_unanswered_message(chat)
        if user_message is not None:
            yield TurnStarted(chat.id, user_message)
            yield from self._answer(chat, user_message, None, stop)

    def _previous_messages(self, chat: Chat, user_message: Message) -> list[Message]:
        """Return the messages before this one that a web query may need as context."""
        if self._web is None:
            return []
        return [one for one in chat.messages(last=MAX_RECENT_MESSAGES + 1) if one.seq < user_message.seq]

    def _answer(
        self,
        chat: Chat,
        user_message: Message,
        before: list[Message] | None,
        stop: StopSignal,
        options: AgentTurnOptions | None = None,
    ) -> Generator[TurnEvent]:
        options = options or self.options
        if self._model is None:
            yield from run_offline_turn(self.memory, chat, user_message, options, stop)
            return
        recall = options.recall or chat._services.settings.context_recall  # pyright: ignore[reportPrivateUsage]
        own = collect_tools(memory_tools(self.memory, chat, user_message.id, recall)) if self._remember else {}
        if user_message.private:
            own.pop(REMEMBER_TOOL, None)
        run = TurnRun(
            chat,
            self._model,
            TurnPromptBuilder(self.memory, chat, options),
            own | self._tools,
            options.max_steps,
            stop,
            user_message.private,
            None if before is None else self._look_up(chat, user_message, before),
            # Only report this for tools of the application; the memory's own tools are optional.
            [NO_TOOLS_FALLBACK] if self._tools and not self._model.takes_tools else [],
        )
        yield from run.events()

    def _look_up(self, chat: Chat, user_message: Message, before: list[Message]) -> ToolCall | None:
        """Return the web search to run before the model is called, if the message asks for current information."""
        if self._web is None or user_message.private or not user_message.text.strip():
            return None
        if not wants_search(user_message.text, parse_query(user_message.text, user_message.created_at, plain=True).kind):
            return None
        query = build_search_query(complete_question(user_message.text, before).text)
        kinds = chat._services.settings.redact_sent  # pyright: ignore[reportPrivateUsage]  # as for prompts
        return build_search_call(redact(query, kinds).text, self._web.name, user_message.id)


def require_text(message: str) -> str:
    """Return the message, or raise `InvalidInput` if it is empty."""
    if not clean_text(message, "message").strip():
        raise InvalidInput("the message is empty")
    return message


def _is_answer(message: Message) -> bool:
    """Whether a message ends a turn. The partial answer of a failed model does not."""
    return not message.tool_calls and message.metadata.get("finish") != "error"


def find_unanswered_message(chat: Chat) -> Message | None:
    """Return the last user message if it has no answer yet."""
    ends = load_last_exchange(chat)
    if not ends or (ends[0].role is not Role.USER and len(ends) == 1 and _is_answer(ends[0])):
        return None
    return find_last_user_message(chat)


def find_last_user_message(chat: Chat, message: str | None = None) -> Message | None:
    """Return the last user message of the conversation, or the last one up to a given message."""
    if message is None:
        last = chat.messages(last=1)
        if not last:
            return None
        message = last[0].id
    return chat._asked(message)  # pyright: ignore[reportPrivateUsage]  # only turns need this
