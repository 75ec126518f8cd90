"""Reading from a terminal that knows more: a line with history, completion and a toolbar."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style, merge_styles

from recollect.cli.chat.completion import Completion
from recollect.cli.text import cells, fitted, printable
from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.cli.chat.talk import Talk

PROMPT = "› "
STYLE = Style.from_dict(
    {
        "prompt": "ansigreen bold",
        "temporary": "ansimagenta bold",
        "continuation": "ansibrightblack",
        "bottom-toolbar": "noreverse ansibrightblack",
        "bottom-toolbar.title": "noreverse bold",
        "bottom-toolbar.temporary": "noreverse ansimagenta bold",
        "completion-menu": "bg:default",
        "completion-menu.completion": "bg:ansibrightblack ansiwhite",
        "completion-menu.completion.current": "bg:ansicyan ansiblack",
        "completion-menu.meta.completion": "bg:ansibrightblack ansiwhite",
        "completion-menu.meta.completion.current": "bg:ansicyan ansiblack",
    }
)
COLOURLESS = Style.from_dict({"completion-menu.completion.current": "reverse"})
"""Where colours are not wanted, something else shows the chosen completion."""
MENU_ROWS = 6
SHORTEST_TITLE = 15
"""Cells that the toolbar has for a title at least."""
TITLE_WAIT = 1.0
"""Seconds after which the toolbar looks at the conversation again."""


class Said(History):
    """What the user said before, from the store itself: so it is encrypted where that is, and gone when that is erased.
    What is typed now is kept for this run alone."""

    def __init__(self, load: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self._load = load

    def load_history_strings(self) -> Iterable[str]:
        return self._load()

    def store_string(self, string: str) -> None:
        """The memory keeps what was said; there is no second copy."""


class LineReader:
    """The prompt of a chat. `talk` is looked at anew for each line."""

    def __init__(self, talk: Talk, history: Callable[[], Iterable[str]]) -> None:
        self._talk = talk
        self._history = history
        self._toolbar = FormattedText()
        self._seen = 0.0
        self._session: PromptSession[str] = PromptSession(
            history=Said(history),
            completer=Completion(talk),
            complete_while_typing=Condition(self._is_command),
            complete_style=CompleteStyle.COLUMN,
            complete_in_thread=True,
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation=lambda width, number, wraps: [
                ("class:continuation", ("  " if wraps else "· ").rjust(width))
            ],
            bottom_toolbar=self._toolbar_now,
            style=merge_styles([STYLE, COLOURLESS]) if os.environ.get("NO_COLOR") else STYLE,
            reserve_space_for_menu=MENU_ROWS,
        )

    def message(self) -> str:
        """What the user says next."""
        style = "class:temporary" if self._talk.temporary else "class:prompt"
        self._seen = 0.0
        return self._session.prompt(FormattedText([(style, PROMPT)]), refresh_interval=TITLE_WAIT)

    def ask(self, question: str) -> str:
        """The answer to a question of ours; what is answered is no history."""
        asked: PromptSession[str] = PromptSession()
        try:
            return asked.prompt(question)
        except (EOFError, KeyboardInterrupt):
            return ""

    def forget(self) -> None:
        """What was typed is not offered again, unless the memory still has it."""
        self._session.history = self._session.default_buffer.history = Said(self._history)

    def _is_command(self) -> bool:
        return self._session.default_buffer.text.startswith("/")

    def _toolbar_now(self) -> FormattedText:
        """The state of the conversation; looked up again from time to time, since titles are made in the background."""
        if time.monotonic() >= self._seen + TITLE_WAIT:
            self._seen = time.monotonic()
            with suppress(RecollectError):
                self._toolbar = self._made_toolbar()
        return self._toolbar

    def _made_toolbar(self) -> FormattedText:
        status = self._talk.status()
        rest = [f"{status.messages} messages" if status.messages != 1 else "1 message"]
        if status.context:
            rest.append(f"context {status.context}")
        rest.append(printable(status.model))
        width = self._talk.screen.width - (14 if status.temporary else 2)
        while len(rest) > 1 and cells(" · ".join(rest)) > width - SHORTEST_TITLE:
            # On a narrow screen the model, and then the context, give way to the title.
            rest.pop()
        tail = " · " + " · ".join(rest)
        room = width - cells(tail)
        title = fitted(printable(status.title), max(8, room))
        mark = [("class:bottom-toolbar.temporary", "temporary · ")] if status.temporary else []
        return FormattedText([*mark, ("class:bottom-toolbar.title", title), ("class:bottom-toolbar", tail)])


def _keys() -> KeyBindings:
    """Enter sends, Alt-Enter begins a new line; Ctrl-C clears the line, or leaves if there is nothing on it."""
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)

    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
            if not buffer.text.startswith("/"):
                return
        buffer.validate_and_handle()

    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    def clear(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    keys.add("enter", filter=typing, eager=True)(send)
    keys.add("escape", "enter", filter=typing)(new_line)
    keys.add("c-c", filter=typing)(clear)
    return keys
