"""The output of the demo: the samples, a question in a new conversation, the answer, its sources and the next steps."""

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

from keepsaid import wiring
from keepsaid.agent.answer import Answer
from keepsaid.agent.service import ChatService
from keepsaid.cli.chat.screen import ChatScreen, is_plain_terminal
from keepsaid.cli.demo.samples import OWNER, LoadedSamples, demo_store_path, load_samples, remove_old_store
from keepsaid.cli.memory.memory_entries import from_cited, has_quotes, memory_lines
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.token_bar import render_token_bar, render_token_table
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.memory import Memory

BUDGET = "12k"
SHOWN = 5


def show(opener: StoreOpener, question: str) -> None:
    """Print the demo as text."""
    screen = ChatScreen(sys.stdout.isatty() and not is_plain_terminal(os.environ))
    start = monotonic()
    with _open_demo_store(opener) as memory:
        with screen.waiting("loading some conversations"):
            loaded = _load_samples(memory)
        _print_loaded(screen, loaded, memory.embedder)
        screen.line(f"\nAsked in a new conversation: {question}\n", "bold")
        answer = _ask(memory, question)
        screen.line(answer.text)
        if has_quotes(answer):
            screen.note("\n(These are quotes: no language model was used.)")
        _print_sources(screen, answer, question)
    screen.note(f"\nThis took {monotonic() - start:.1f} seconds, all on this machine.")
    _print_next_steps(screen)


def show_json(opener: StoreOpener, question: str) -> None:
    """Print the demo as one JSON object."""
    with _open_demo_store(opener) as memory:
        loaded = _load_samples(memory)
        answer = _ask(memory, question)
    echo_json(
        {
            "store": str(demo_store_path()),
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
def _open_demo_store(opener: StoreOpener) -> Generator[Memory]:
    """Yield a fresh store for the samples. Only the search settings of the user apply to it."""
    options: dict[str, Any] = asdict(opener.settings())
    options |= {"url": str(remove_old_store(demo_store_path())), "key": None, "key_file": None}
    options |= {"persist": True, "background": False, "llm": "off"}
    with wiring.open_memory(**options) as memory:
        yield memory


def _load_samples(memory: Memory) -> LoadedSamples:
    loaded = load_samples(memory, datetime.now().astimezone())
    memory.maintain()
    return loaded


def _ask(memory: Memory, question: str) -> Answer:
    return ChatService(memory, budget=BUDGET).chat(OWNER, None, question)


def _print_loaded(screen: ChatScreen, loaded: LoadedSamples, embedder: str | None) -> None:
    screen.line(
        f"Loaded {format_count(loaded.conversations, 'sample conversation')}"
        f" with {format_count(loaded.messages, 'message')}, held between {loaded.first:%d %B %Y} and {loaded.last:%d %B %Y}."
    )
    if embedder is None:
        screen.warn("There is no local model yet, so the search uses words only: `keepsaid model pull` downloads it.")


def _print_sources(screen: ChatScreen, answer: Answer, question: str) -> None:
    used = answer.sources[:SHOWN]
    if used:
        heading = "What it remembered, and why:" if has_quotes(answer) else "The closest matches, and why:"
        screen.line(f"\n{heading}\n", "bold")
    wanted = content_words(terms(question))
    lines = memory_lines(map(from_cited, used), width=screen.width, numbered=True, wanted=wanted)
    screen.lines(lines)
    if len(answer.sources) > len(used):
        screen.note(f"    and {len(answer.sources) - len(used)} more")
    context = answer.context
    if context is not None:
        screen.line("\nThe prompt that a language model would get:\n", "bold")
        if screen.styled:
            screen.lines(render_token_bar(context.sections, context.budget, width=screen.width))
        else:
            screen.line(render_token_table(context.sections, context.budget))


def _print_next_steps(screen: ChatScreen) -> None:
    command = _command_name()
    here = f"{command} --db {_abbreviate_home(demo_store_path())}"
    screen.line("\nWhat to type next:\n", "bold")
    for line, words in (
        (f"{here} chat", "ask more about these samples"),
        (f'{here} search "which port was it?"', "search these conversations"),
        (f"{here} facts", "list the facts noted from them"),
        (f"{command} chat", "start your own memory"),
        (f"{command} import FILE", "import from ChatGPT, Claude, Open WebUI or LibreChat"),
    ):
        screen.note(f"  # {words}")
        screen.copyable_line(f"  {line}")


def _command_name() -> str:
    """Return this command as the user can type it, even if it is not on the path."""
    own = Path(sys.argv[0])
    if own.name != "keepsaid":
        return "python -m keepsaid"
    found = shutil.which(own.name)
    return own.name if found and Path(found).samefile(own) else str(own)


def _abbreviate_home(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _as_json(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}
