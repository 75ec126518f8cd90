"""The line editor for full terminals, with history, completion and a toolbar."""

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

from keepsaid.cli.chat.completion import SlashCommandCompleter
from keepsaid.cli.output.text import display_width, to_printable, truncate_to_width
from keepsaid.errors import KeepsaidError

if TYPE_CHECKING:
    from keepsaid.cli.chat.state import ChatState

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
NO_COLOR_STYLE = Style.from_dict({"completion-menu.completion.current": "reverse"})
"""Without colors, the selected completion is shown in reverse video."""
MENU_ROWS = 6
MIN_TITLE_LENGTH = 15
"""Minimum columns of the toolbar for the title."""
TITLE_WAIT = 1.0
"""Seconds between two refreshes of the toolbar."""


class MessageHistory(History):
    """The user's earlier messages, read from the store: they are encrypted if it is, and gone when they are erased there.
    Lines typed in this run are kept in memory only."""

    def __init__(self, load: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self._load = load

    def load_history_strings(self) -> Iterable[str]:
        return self._load()

    def store_string(self, string: str) -> None:
        """Store nothing: the memory has every message, and there is no second copy."""


class LineReader:
    """The input prompt of a chat. It reads `state` anew for each line."""

    def __init__(self, state: ChatState, history: Callable[[], Iterable[str]]) -> None:
        self._state = state
        self._history = history
        self._toolbar = FormattedText()
        self._refreshed_at = 0.0
        self._session: PromptSession[str] = PromptSession(
            history=MessageHistory(history),
            completer=SlashCommandCompleter(state),
            complete_while_typing=Condition(self._is_command),
            complete_style=CompleteStyle.COLUMN,
            complete_in_thread=True,
            key_bindings=_build_key_bindings(),
            multiline=True,
            prompt_continuation=lambda width, number, wraps: [
                ("class:continuation", ("  " if wraps else "· ").rjust(width))
            ],
            bottom_toolbar=self._refresh_toolbar,
            style=merge_styles([STYLE, NO_COLOR_STYLE]) if os.environ.get("NO_COLOR") else STYLE,
            reserve_space_for_menu=MENU_ROWS,
        )

    def message(self) -> str:
        """Read the user's next message."""
        style = "class:temporary" if self._state.temporary else "class:prompt"
        self._refreshed_at = 0.0
        return self._session.prompt(FormattedText([(style, PROMPT)]), refresh_interval=TITLE_WAIT)

    def ask(self, question: str) -> str:
        """Ask a question and return the answer, which is not added to the history."""
        prompt: PromptSession[str] = PromptSession()
        try:
            return prompt.prompt(question)
        except (EOFError, KeyboardInterrupt):
            return ""

    def forget(self) -> None:
        """Reset the history to what the memory still has."""
        self._session.history = self._session.default_buffer.history = MessageHistory(self._history)

    def _is_command(self) -> bool:
        return self._session.default_buffer.text.startswith("/")

    def _refresh_toolbar(self) -> FormattedText:
        """Return the toolbar, refreshed now and then because titles are generated in the background."""
        if time.monotonic() >= self._refreshed_at + TITLE_WAIT:
            self._refreshed_at = time.monotonic()
            with suppress(KeepsaidError):
                self._toolbar = self._build_toolbar()
        return self._toolbar

    def _build_toolbar(self) -> FormattedText:
        status = self._state.status()
        rest = [f"{status.messages} messages" if status.messages != 1 else "1 message"]
        if status.context:
            rest.append(f"context {status.context}")
        rest.append(to_printable(status.model))
        width = self._state.screen.width - (14 if status.temporary else 2)
        while len(rest) > 1 and display_width(" · ".join(rest)) > width - MIN_TITLE_LENGTH:
            # On a narrow screen, drop the model and then the context to keep the title.
            rest.pop()
        tail = " · " + " · ".join(rest)
        room = width - display_width(tail)
        title = truncate_to_width(to_printable(status.title), max(8, room))
        mark = [("class:bottom-toolbar.temporary", "temporary · ")] if status.temporary else []
        return FormattedText([*mark, ("class:bottom-toolbar.title", title), ("class:bottom-toolbar", tail)])


def _build_key_bindings() -> KeyBindings:
    """Bind Enter to send, Alt-Enter to a new line, and Ctrl-C to clear the line, or to exit if it is empty."""
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
