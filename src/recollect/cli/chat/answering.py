"""One turn on the screen: the answer as it comes, what it rests on, and Ctrl-C that stops it and keeps the part."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from recollect.agent.answer import Answer, Delta, Event, Finished, Retrieved, Started, ToolFinished, ToolStarted
from recollect.agent.turns import sayable
from recollect.cli.chat.flow import Flow
from recollect.cli.chat.keys import unechoed
from recollect.cli.chat.wrap import Wrap
from recollect.cli.memories import has_quotes
from recollect.cli.text import fitted, printable
from recollect.cli.words import count

if TYPE_CHECKING:
    from recollect.cli.chat.screen import Screen, Waiting
    from recollect.cli.chat.talk import Talk

THINKING = "looking through your memory …"
EARLY = {
    "length": "The answer was cut off by the model's limit.",
    "steps": "The answer was ended by the limit of steps.",
    "error": "The model failed before the answer was whole; what came is kept.",
    "stopped": "Stopped. What was said so far is kept.",
}


def answered(talk: Talk, message: str) -> Answer | None:
    """Says something and shows the answer as it comes; None if it was stopped before there was one."""
    start = time.monotonic()
    with talk.screen.waiting(THINKING) as waiting, unechoed(talk.screen.styled), Stop() as stop:
        view = _View(talk.screen, waiting)
        try:
            answer = followed(talk, message, view.take, stop)
        finally:
            view.end()
    talk.answer = answer
    stopped = stop.wanted if answer is None else answer.finish == "stopped"
    if stopped:
        talk.screen.trouble(EARLY["stopped"] if view.said else "Stopped before the answer began. Your words are kept.")
    elif answer is not None:
        if answer.finish in EARLY:
            talk.screen.trouble(EARLY[answer.finish])
        for fallback in answer.fallbacks:
            talk.screen.note(f"Note: {printable(fallback)}")
        talk.screen.note(rests_on(answer, time.monotonic() - start))
        if answer.noted:
            talk.screen.note(f"Noted: {printable('; '.join(fact.text for fact in answer.noted))}  (/undo-note)")
    return answer


def followed(talk: Talk, message: str, take: Callable[[Event], None], stop: Stop) -> Answer | None:
    """Says something and gives every event of the turn to `take`; None if it was stopped before its end."""
    # What cannot be saved must not leave an empty conversation behind.
    sayable(message)
    events = talk.service.stream(talk.owner, talk.begun().id, message)
    begun = False
    try:
        while (event := stop.next_of(events, at_once=begun)) is not None:
            take(event)
            if isinstance(event, Finished):
                return event.answer
            begun = begun or not isinstance(event, Started)
    except KeyboardInterrupt:
        pass
    finally:
        events.close()
    return None


def rests_on(answer: Answer, seconds: float) -> str:
    """The line under an answer: how much of the memory it had, without a model how much it quotes, and what that took.

    >>> rests_on(Answer("s1", "In Lisbon.", model="ollama:llama3.2"), 1.23)
    'ollama:llama3.2 · no memories used · 1.2 s'
    >>> rests_on(Answer("s1", "I remember nothing about that."), 0.1)
    'no model · 0.1 s'
    """
    if answer.model:
        words = [printable(answer.model)]
        words.append(_counted("memory", len(answer.sources)) if answer.sources else "no memories used")
    else:
        words = ["quoted from memory, no model" if has_quotes(answer) else "no model"]
        quoted = sum(one.named for one in answer.sources)
        words += [_counted("memory", quoted)] if quoted else []
    if answer.context is not None:
        words.append(f"{count(answer.context.tokens, 'token')} of {answer.context.budget:,}")
    return " · ".join([*words, f"{seconds:.1f} s"])


def _counted(noun: str, number: int) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun.removesuffix('y')}ies"


class _View:
    """The answer on the screen."""

    def __init__(self, screen: Screen, waiting: Waiting) -> None:
        self._screen = screen
        self._waiting = waiting
        self._flow = Flow(lambda: screen.width) if screen.styled else None
        self._wrap = Wrap(lambda: screen.width) if screen.wraps else None
        self._last = "\n"
        self.said = False

    def take(self, event: Event) -> None:
        match event:
            case Retrieved(sources=sources):
                found = _counted("memory", len(sources)) if sources else "nothing in memory about it"
                self._waiting.say(f"thinking ({found}) …")
            case Delta(text=text) if text:
                self._waiting.over()
                self._show(text)
            case ToolStarted(call=call):
                self._waiting.say(f"using {call.name} …")
            case ToolFinished(call=call, result=result, failed=failed):
                self._waiting.over()
                self._break()
                told = fitted(printable(result), max(20, self._screen.width - len(call.name) - 12))
                self._screen.note(f"{'failed' if failed else 'used'} {printable(call.name)}: {told}")
                self._waiting.say("thinking …")
            case _:
                pass

    def _show(self, text: str) -> None:
        self.said = True
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
        """Ends a line that was begun, so that something else can follow."""
        if self._wrap is not None:
            self._raw(self._wrap.end())
            self._wrap = Wrap(lambda: self._screen.width)
        if self._flow is not None:
            pieces = self._flow.end()
            self._screen.answer(pieces)
            self._last = pieces[-1].text[-1:] if pieces else self._last
            self._flow = Flow(lambda: self._screen.width)
        if self._last != "\n":
            self._screen.raw_answer("\n")
            self._last = "\n"

    def end(self) -> None:
        """Nothing more comes."""
        self._waiting.over()
        self._break()


class Stop:
    """Ctrl-C while an answer is made. It interrupts at once while the model or a tool is waited for; what is being saved is
    let through first. Pressed twice, it always interrupts."""

    def __init__(self) -> None:
        self.wanted = False
        self._at_once = False
        self._before: Any = None

    def next_of(self, events: Iterator[Event], *, at_once: bool) -> Event | None:
        """The next event; None if there is none, or nobody wants it any more."""
        self._at_once = at_once
        try:
            return None if self.wanted else next(events, None)
        finally:
            self._at_once = False

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._pressed)
        return self

    def _pressed(self, number: int, frame: Any) -> None:
        again, self.wanted = self.wanted, True
        if self._at_once or again:
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
