"""What the demo shows: samples loaded, a question in a new conversation, the answer, what it rests on, and what is next."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from recollect import wiring
from recollect.agent.answer import Answer
from recollect.agent.service import ChatService
from recollect.cli.bar import token_bar, token_table
from recollect.cli.chat.screen import Screen, is_plain
from recollect.cli.demo.samples import OWNER, Loaded, emptied, load, place
from recollect.cli.door import Door
from recollect.cli.memories import from_cited, has_quotes, memory_lines
from recollect.cli.words import count, echo_json
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.memory import Memory

BUDGET = "12k"
SHOWN = 5


def show(door: Door, question: str) -> None:
    """Prints all of it for a person to read."""
    screen = Screen(sys.stdout.isatty() and not is_plain(os.environ))
    start = monotonic()
    with _store(door) as memory:
        with screen.waiting("loading some conversations"):
            loaded = _filled(memory)
        _tell_of(screen, loaded, memory.embedder)
        screen.line(f"\nAsked in a new conversation: {question}\n", "bold")
        answer = _asked(memory, question)
        screen.line(answer.text)
        if has_quotes(answer):
            screen.note("\n(These are quotes: no language model was asked.)")
        _tell_why(screen, answer, question)
    screen.note(f"\nAll of it took {monotonic() - start:.1f} seconds, on this machine alone.")
    _tell_what_next(screen)


def show_json(door: Door, question: str) -> None:
    """Prints it as one object."""
    with _store(door) as memory:
        loaded = _filled(memory)
        answer = _asked(memory, question)
    echo_json(
        {
            "store": str(place()),
            "conversations": loaded.conversations,
            "messages": loaded.messages,
            "by_meaning": memory.embedder is not None,
            "question": question,
            "answer": answer.text,
            "memories": [_as_json(asdict(one)) for one in answer.sources],
            "sections": {} if answer.context is None else dict(answer.context.sections),
            "tokens": 0 if answer.context is None else answer.context.tokens,
        }
    )


@contextmanager
def _store(door: Door) -> Generator[Memory]:
    """A store for the samples, made anew; of the user's settings only those count that say how to search."""
    options: dict[str, Any] = asdict(door.settings())
    options |= {"url": str(emptied(place())), "key": None, "key_file": None}
    options |= {"persist": True, "background": False, "llm": "off"}
    with wiring.open_memory(**options) as memory:
        yield memory


def _filled(memory: Memory) -> Loaded:
    loaded = load(memory, datetime.now().astimezone())
    memory.maintain()
    return loaded


def _asked(memory: Memory, question: str) -> Answer:
    return ChatService(memory, budget=BUDGET).chat(OWNER, None, question)


def _tell_of(screen: Screen, loaded: Loaded, embedder: str | None) -> None:
    screen.line(
        f"Loaded {count(loaded.conversations, 'sample conversation')} with {count(loaded.messages, 'message')},"
        f" held between {loaded.first:%d %B %Y} and {loaded.last:%d %B %Y}."
    )
    if embedder is None:
        screen.trouble(
            "There is no local model yet, so they are searched by words alone: `recollect model pull` fetches it."
        )


def _tell_why(screen: Screen, answer: Answer, question: str) -> None:
    used = answer.sources[:SHOWN]
    if used:
        heading = "What it remembered, and why:" if has_quotes(answer) else "What came nearest, and why:"
        screen.line(f"\n{heading}\n", "bold")
    wanted = telling(terms(question))
    lines = memory_lines(map(from_cited, used), width=screen.width, numbered=True, wanted=wanted)
    screen.lines(lines)
    if len(answer.sources) > len(used):
        screen.note(f"    and {len(answer.sources) - len(used)} more")
    context = answer.context
    if context is not None:
        screen.line("\nThe prompt that a language model would get:\n", "bold")
        if screen.styled:
            screen.lines(token_bar(context.sections, context.budget, width=screen.width))
        else:
            screen.line(token_table(context.sections, context.budget))


def _tell_what_next(screen: Screen) -> None:
    command = _command()
    here = f"{command} --db {_short(place())}"
    screen.line("\nWhat to type next:\n", "bold")
    for line, words in (
        (f"{here} chat", "go on asking about these samples"),
        (f'{here} search "which port was it?"', "find what was said"),
        (f"{here} facts", "see what was noted"),
        (f"{command} chat", "begin a memory of your own"),
        (f"{command} import FILE", "bring your ChatGPT, Claude, Open WebUI or LibreChat export"),
    ):
        screen.note(f"  # {words}")
        screen.to_copy(f"  {line}")


def _command() -> str:
    """This command as it can be typed again: it need not be on the path."""
    own = Path(sys.argv[0])
    if own.name != "recollect":
        return "python -m recollect"
    found = shutil.which(own.name)
    return own.name if found and Path(found).samefile(own) else str(own)


def _short(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _as_json(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}
