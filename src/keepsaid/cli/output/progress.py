"""Progress on stderr: a bar with rate and remaining time on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Literal

import click

from keepsaid.cli.output.formatting import format_size

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

REPORT_INTERVAL = 5.0
"""Minimum seconds between two lines of one task without a terminal."""

MIN_RATE_SECONDS = 0.5
"""Seconds of work before a rate is shown."""

Unit = Literal["", "bytes"]


class CommandInterrupted(click.ClickException):
    """The user interrupted a long task. The message says what is done and how to continue. Exit code 1."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"Stopped. {self.message}", err=True)


class ProgressReporter:
    """Shows the progress of tasks, one after the other; removes the bar from the terminal at the end.

    Call it with the task, the amount done and the total. Without a terminal, it prints a line for each tenth that took a
    while, with `steps` also one at the start of each task, or with `nothing` no lines at all.
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
        """Report the progress of a task."""
        if self._live:
            self._draw(what, done, total)
        elif self._elsewhere != "nothing":
            self._print_line(what, done, total)

    def counter(self, what: str) -> Callable[[int, int], None]:
        """Return a callback for a task that reports only the amount done and the total."""
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

    def _print_line(self, what: str, done: int, total: int) -> None:
        now = monotonic()
        if what != self._what:
            self._what, self._tenth, self._next = what, 0, now + REPORT_INTERVAL
            if self._elsewhere == "steps":
                click.echo(what, err=True)
        tenth = done * 10 // total if total else 0
        if tenth > self._tenth and now >= self._next:
            self._tenth, self._next = tenth, now + REPORT_INTERVAL
            click.echo(f"{what}: {tenth * 10} %", err=True)

    def __enter__(self) -> ProgressReporter:
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

    shown: Callable[[int], str] = format_size if unit == "bytes" else "{:,}".format
    console = Console(stderr=True)

    class Amount(ProgressColumn):
        """Shows the amount done, the total, the rate and the remaining time."""

        def render(self, task: Task) -> Text:
            if (task.total or 0) <= 1:
                return Text("")
            amount = f"{shown(int(task.completed))} of {shown(int(task.total or 0))}"
            return Text(
                amount
                + format_pace(int(task.completed - task.fields["first"]), task.remaining or 0, task.elapsed or 0, shown)
            )

    return Bar(
        # A file name may look like markup.
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        BarColumn(bar_width=max(6, min(20, console.width - 66))),
        TextColumn("{task.percentage:>3.0f} %", table_column=Column(no_wrap=True)),
        Amount(table_column=Column(no_wrap=True)),
        console=console,
        transient=True,
    )


def format_pace(done: int, left: float, seconds: float, shown: Callable[[int], str]) -> str:
    """Return the rate and the remaining time of a task; an empty string as long as there is too little to estimate from.

    >>> format_pace(200, 1000, 4.0, str), format_pace(0, 1000, 4.0, str)
    (', 50/s, 0:20 left', '')
    """
    if done <= 0 or seconds < MIN_RATE_SECONDS:
        return ""
    rest = round(left * seconds / done)
    return f", {shown(round(done / seconds))}/s, {rest // 60}:{rest % 60:02} left"
