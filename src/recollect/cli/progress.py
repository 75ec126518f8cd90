"""How far a long work is, on stderr: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Literal

import click

from recollect.cli.words import size

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

BETWEEN = 5.0
"""Seconds at least between two lines of one work, where there is no terminal."""

SOON = 0.5
"""Seconds before which a rate would be a guess."""

Unit = Literal["", "bytes"]


class Stopped(click.ClickException):
    """Somebody stopped a long work: says what is done, and that it can go on. Exit code 1."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"Stopped. {self.message}", err=True)


class Progress:
    """Shows works that go on, one after the other; leaves nothing behind on a terminal.

    It is called with what is being done, how much of it is done, and of how much. Where there is no terminal, it tells of
    every tenth that took a while; or also of the beginning of each work (`steps`), or of nothing at all.
    """

    def __init__(self, unit: Unit = "", elsewhere: Literal["tenths", "steps", "nothing"] = "tenths") -> None:
        self._unit: Unit = unit
        self._elsewhere = elsewhere
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._what = ""
        self._tenth = 0
        self._next = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Tells how far a work is."""
        if self._live:
            self._draw(what, done, total)
        elif self._elsewhere != "nothing":
            self._tell(what, done, total)

    def of(self, what: str) -> Callable[[int, int], None]:
        """The same for a work that only counts."""
        return lambda done, total: self(what, done, total)

    def _draw(self, what: str, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = _bar(self._unit)
            self._bar.start()
        if what != self._what or self._task is None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._what, self._task = what, self._bar.add_task(what, total=total, first=done)
        self._bar.update(self._task, completed=done, total=total)

    def _tell(self, what: str, done: int, total: int) -> None:
        now = monotonic()
        if what != self._what:
            self._what, self._tenth, self._next = what, 0, now + BETWEEN
            if self._elsewhere == "steps":
                click.echo(what, err=True)
        tenth = done * 10 // total if total else 0
        if tenth > self._tenth and now >= self._next:
            self._tenth, self._next = tenth, now + BETWEEN
            click.echo(f"{what}: {tenth * 10} %", err=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None


def _bar(unit: Unit) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
    from rich.progress import Progress as Bar
    from rich.table import Column
    from rich.text import Text

    shown: Callable[[int], str] = size if unit == "bytes" else "{:,}".format
    console = Console(stderr=True)

    class Amount(ProgressColumn):
        """How much of how much, how much in a second, and how long it will take."""

        def render(self, task: Task) -> Text:
            if (task.total or 0) <= 1:
                return Text("")
            amount = f"{shown(int(task.completed))} of {shown(int(task.total or 0))}"
            return Text(
                amount + pace(int(task.completed - task.fields["first"]), task.remaining or 0, task.elapsed or 0, shown)
            )

    return Bar(
        # A name may be a file's, and no mark-up.
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        BarColumn(bar_width=max(6, min(20, console.width - 66))),
        TextColumn("{task.percentage:>3.0f} %", table_column=Column(no_wrap=True)),
        Amount(table_column=Column(no_wrap=True)),
        console=console,
        transient=True,
    )


def pace(done: int, left: float, seconds: float, shown: Callable[[int], str]) -> str:
    """How quickly a work goes, and how long the rest will take; nothing before that can be told.

    >>> pace(200, 1000, 4.0, str), pace(0, 1000, 4.0, str)
    (', 50/s, 0:20 left', '')
    """
    if done <= 0 or seconds < SOON:
        return ""
    rest = round(left * seconds / done)
    return f", {shown(round(done / seconds))}/s, {rest // 60}:{rest % 60:02} left"
