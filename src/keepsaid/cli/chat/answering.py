"""One turn on the screen: the streamed answer, the line about its sources, and Ctrl-C, which saves the partial answer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from keepsaid.agent.answer import (
    Answer,
    ContextRetrieved,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnStarted,
)
from keepsaid.agent.turns import require_text
from keepsaid.cli.chat.markdown_stream import MarkdownStream
from keepsaid.cli.chat.terminal_echo import suppress_echo
from keepsaid.cli.chat.word_wrap import WordWrapper
from keepsaid.cli.memory.memory_entries import has_quotes
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import to_printable, truncate_to_width

if TYPE_CHECKING:
    from keepsaid.cli.chat.screen import ChatScreen, StatusSpinner
    from keepsaid.cli.chat.state import ChatState

SEARCHING_TEXT = "searching your memory …"
EARLY_ENDINGS = {
    "length": "The answer was cut off by the model's limit.",
    "steps": "The answer stopped at the limit of steps.",
    "error": "The model failed before the answer was complete; the partial answer is saved.",
    "stopped": "Stopped. The partial answer is saved.",
}


def show_answer(state: ChatState, message: str) -> Answer | None:
    """Send a message and show the answer as it streams; return None if it was stopped before an answer began."""
    start = time.monotonic()
    with state.screen.waiting(SEARCHING_TEXT) as waiting, suppress_echo(state.screen.styled), InterruptHandler() as stop:
        view = _AnswerView(state.screen, waiting)
        try:
            answer = follow_turn(state, message, view.take, stop)
        finally:
            view.end()
    state.answer = answer
    stopped = stop.is_requested if answer is None else answer.finish == "stopped"
    if stopped:
        state.screen.warn(
            EARLY_ENDINGS["stopped"] if view.has_text else "Stopped before the answer began. Your message is saved."
        )
    elif answer is not None:
        if answer.finish in EARLY_ENDINGS:
            state.screen.warn(EARLY_ENDINGS[answer.finish])
        for fallback in answer.fallbacks:
            state.screen.note(f"Note: {to_printable(fallback)}")
        state.screen.note(format_answer_footer(answer, time.monotonic() - start))
        _show_notes(state, answer)
    return answer


def show_late_notes(state: ChatState) -> None:
    """Show facts that were extracted from the last message after its turn: a language model does this in the background."""
    if state.model is None or state.answer is None or state.answer.noted or state.last_user_message is None:
        return
    if noted := state.memory.noted_facts(state.last_user_message, owner=state.owner):
        state.answer = replace(state.answer, noted=tuple(noted))
        _show_notes(state, state.answer)


def _show_notes(state: ChatState, answer: Answer) -> None:
    if answer.noted:
        state.screen.note(f"Noted: {to_printable('; '.join(fact.text for fact in answer.noted))}  (/undo-note)")


def follow_turn(state: ChatState, message: str, take: Callable[[TurnEvent], None], stop: InterruptHandler) -> Answer | None:
    """Send a message and pass every event of the turn to `take`; return None if the turn was stopped before its end."""
    # Checked first: a message that cannot be saved must not create an empty conversation.
    require_text(message)
    events = state.service.stream(state.owner, state.ensure_chat().id, message)
    begun = False
    try:
        while (event := stop.next_event(events, at_once=begun)) is not None:
            take(event)
            if isinstance(event, TurnStarted):
                state.last_user_message = event.message.id
            if isinstance(event, TurnFinished):
                return event.answer
            begun = begun or not isinstance(event, TurnStarted)
    except KeyboardInterrupt:
        pass
    finally:
        events.close()
    return None


def format_answer_footer(answer: Answer, seconds: float) -> str:
    """Return the line under an answer: the model, how many memories it had (or quotes, without a model), tokens and time.

    >>> format_answer_footer(Answer("s1", "In Lisbon.", model="ollama:llama3.2"), 1.23)
    'ollama:llama3.2 · no memories used · 1.2 s'
    >>> format_answer_footer(Answer("s1", "I remember nothing about that."), 0.1)
    'no model · 0.1 s'
    """
    if answer.model:
        words = [to_printable(answer.model)]
        words.append(_pluralize("memory", len(answer.sources)) if answer.sources else "no memories used")
    else:
        words = ["quoted from memory, no model" if has_quotes(answer) else "no model"]
        quoted = sum(source.named for source in answer.sources)
        words += [_pluralize("memory", quoted)] if quoted else []
    if answer.context is not None:
        words.append(f"{format_count(answer.context.tokens, 'token')} of {answer.context.budget:,}")
    return " · ".join([*words, f"{seconds:.1f} s"])


def _pluralize(noun: str, number: int) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun.removesuffix('y')}ies"


class _AnswerView:
    """Prints the events of a turn on the screen."""

    def __init__(self, screen: ChatScreen, waiting: StatusSpinner) -> None:
        self._screen = screen
        self._waiting = waiting
        self._flow = MarkdownStream(lambda: screen.width) if screen.styled else None
        self._wrap = WordWrapper(lambda: screen.width) if screen.wraps else None
        self._last = "\n"
        self.has_text = False

    def take(self, event: TurnEvent) -> None:
        match event:
            case ContextRetrieved(sources=sources):
                found = _pluralize("memory", len(sources)) if sources else "nothing in memory about it"
                self._waiting.update(f"thinking ({found}) …")
            case TextDelta(text=text) if text:
                self._waiting.stop()
                self._show(text)
            case ToolStarted(call=call):
                self._waiting.update(f"using {call.name} …")
            case ToolFinished(call=call, result=result, failed=failed):
                self._waiting.stop()
                self._break()
                summary = truncate_to_width(to_printable(result), max(20, self._screen.width - len(call.name) - 12))
                self._screen.note(f"{'failed' if failed else 'used'} {to_printable(call.name)}: {summary}")
                self._waiting.update("thinking …")
            case _:
                pass

    def _show(self, text: str) -> None:
        self.has_text = True
        if self._flow is None:
            self._raw(text if self._wrap is None else self._wrap.feed(text))
            return
        pieces = self._flow.feed(text)
        self._screen.answer(pieces)
        self._last = pieces[-1].text[-1:] if pieces else self._last

    def _raw(self, text: str) -> None:
        if text:
            self._screen.raw_answer(text)
            self._last = text[-1:]

    def _break(self) -> None:
        """End an unfinished line, so that something else can follow."""
        if self._wrap is not None:
            self._raw(self._wrap.end())
            self._wrap = WordWrapper(lambda: self._screen.width)
        if self._flow is not None:
            pieces = self._flow.end()
            self._screen.answer(pieces)
            self._last = pieces[-1].text[-1:] if pieces else self._last
            self._flow = MarkdownStream(lambda: self._screen.width)
        if self._last != "\n":
            self._screen.raw_answer("\n")
            self._last = "\n"

    def end(self) -> None:
        """Finish the output of the turn."""
        self._waiting.stop()
        self._break()


class InterruptHandler:
    """Handles Ctrl-C during an answer. It interrupts at once while waiting for the model or a tool, but lets a save finish
    first. A second Ctrl-C always interrupts."""

    def __init__(self) -> None:
        self.is_requested = False
        self._at_once = False
        self._previous_handler: Any = None

    def next_event(self, events: Iterator[TurnEvent], *, at_once: bool) -> TurnEvent | None:
        """Return the next event; None at the end or after Ctrl-C."""
        self._at_once = at_once
        try:
            return None if self.is_requested else next(events, None)
        finally:
            self._at_once = False

    def __enter__(self) -> InterruptHandler:
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(signal.SIGINT, self._pressed)
        return self

    def _pressed(self, number: int, frame: Any) -> None:
        again, self.is_requested = self.is_requested, True
        if self._at_once or again:
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGINT, self._previous_handler)
