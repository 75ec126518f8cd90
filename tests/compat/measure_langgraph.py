"""What a long conversation of a real graph takes on the disk and in time, with our saver and with LangGraph's SQLite saver;
and what other states take that grow a little in each turn.

python tests/compat/measure_langgraph.py [turns]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, TypedDict, cast

# Not this folder, which a script is given: it has files that are called as frameworks are.
sys.path = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from langgraph.checkpoint.base import BaseCheckpointSaver  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from langgraph.graph import MessagesState, StateGraph  # noqa: E402

import keepsaid  # noqa: E402
from keepsaid.adapters.langgraph.checkpointer import KeepsaidSaver  # noqa: E402

TURNS = 400
LENGTH = 1_000
"""Characters that a user says in a turn; the graph says them again."""

CONFIG: Any = {"configurable": {"thread_id": "long"}}


def text(dice: random.Random) -> str:
    """A kilobyte of words that are not twice the same: nothing that can be kept in next to no space."""
    words = ("".join(dice.choices("etaoinshrdlucmfwyp", k=dice.randint(2, 9))) for _ in range(LENGTH))
    return " ".join(words)[:LENGTH]


def echo(state: MessagesState) -> dict[str, Any]:
    """The node: says what it heard."""
    return {"messages": [("ai", state["messages"][-1].text)]}


@contextmanager
def ours(file: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    """Our saver, in a file."""
    with keepsaid.open(file, embedder="off") as memory:
        yield KeepsaidSaver(memory, owner="ann")


@contextmanager
def theirs(file: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    """LangGraph's saver, in a file."""
    with SqliteSaver.from_conn_string(str(file)) as saver:
        yield saver
        saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def run(savers: Mapping[str, BaseCheckpointSaver[Any]], turns: int) -> dict[str, list[float]]:
    """Seconds of each turn. The savers take turns, too: what else the machine does meanwhile befalls both."""
    dice = random.Random(7)
    graphs = {
        name: StateGraph(MessagesState).add_node("echo", echo).set_entry_point("echo").compile(saver)
        for name, saver in savers.items()
    }
    took: dict[str, list[float]] = {name: [] for name in graphs}
    for _ in range(turns):
        said: Any = {"messages": [("user", text(dice))]}
        for name, graph in graphs.items():
            begun = time.perf_counter()
            graph.invoke(said, CONFIG)
            took[name].append(time.perf_counter() - begun)
    for graph in graphs.values():
        assert len(graph.get_state(CONFIG).values["messages"]) == 2 * turns
    return took


GROWING: dict[str, tuple[Any, Any, Callable[[Any, random.Random], Any]]] = {
    "a list of texts": (list, [], lambda texts, dice: [*texts, text(dice)]),
    "a list in a dictionary": (dict, {"chat": []}, lambda state, dice: {"chat": [*state["chat"], text(dice)]}),
    "a text": (str, "", lambda log, dice: log + text(dice)),
    "a tuple of texts": (tuple, (), lambda texts, dice: (*texts, text(dice))),
    "a list of numbers": (list, [], lambda numbers, dice: [*numbers, *(dice.random() for _ in range(100))]),
}
"""States that get a kilobyte more in each turn, whatever a graph makes of them: what they are, and how they grow."""


def grow(saver: BaseCheckpointSaver[Any], shape: str, turns: int) -> float:
    """Lets a state grow; returns the seconds that a turn took at the end."""
    kind, value, grown = GROWING[shape]
    dice = random.Random(7)
    graph = StateGraph(cast("Any", TypedDict("State", {"it": kind})))
    graph = graph.add_node("grow", lambda state: {"it": grown(state["it"], dice)}).set_entry_point("grow").compile(saver)
    graph.invoke({"it": value}, CONFIG)
    took: list[float] = []
    for _ in range(turns - 1):
        begun = time.perf_counter()
        graph.invoke({}, CONFIG)
        took.append(time.perf_counter() - begun)
    return median(took[-20:])


def bytes_on_disk(folder: Path) -> int:
    """What a store takes, when it is closed."""
    return sum(file.stat().st_size for file in folder.iterdir())


def told_of_a_conversation(turns: int) -> None:
    """Prints the table of the conversation."""
    print(f"{turns} turns of {LENGTH} characters and the same again, in one thread")
    print(f"{'saver':16}{'bytes on disk':>16}{'turn, median':>16}{'last 20, median':>17}{'all turns':>12}")
    with tempfile.TemporaryDirectory() as folder:
        files = {"KeepsaidSaver": Path(folder) / "ours" / "state.db", "SqliteSaver": Path(folder) / "theirs" / "state.db"}
        for file in files.values():
            file.parent.mkdir()
        with ours(files["KeepsaidSaver"]) as one, theirs(files["SqliteSaver"]) as other:
            took = run({"KeepsaidSaver": one, "SqliteSaver": other}, turns)
        for name, seconds in took.items():
            middle, last = median(seconds) * 1000, median(seconds[-20:]) * 1000
            size = bytes_on_disk(files[name].parent)
            print(f"{name:16}{size:16,}{middle:13.1f} ms{last:14.1f} ms{sum(seconds):10.1f} s")


def told_of_what_grows(turns: int) -> None:
    """Prints the table of what grows. What takes twice the space in twice the turns is kept once."""
    print(f"\nstates that grow by {LENGTH} characters a turn: bytes on disk, and a turn at the end")
    print(f"{'state':24}{f'{turns // 2} turns':>12}{f'{turns} turns':>12}{'a turn':>10}{'SqliteSaver':>14}{'a turn':>10}")
    for shape in GROWING:
        cells: list[str] = []
        for opened, counts in ((ours, (turns // 2, turns)), (theirs, (turns,))):
            last = 0.0
            for count in counts:
                with tempfile.TemporaryDirectory() as folder:
                    with opened(Path(folder) / "state.db") as saver:
                        last = grow(saver, shape, count)
                    cells.append(f"{bytes_on_disk(Path(folder)):,}")
            cells.append(f"{last * 1000:.1f} ms")
        print(f"{shape:24}{cells[0]:>12}{cells[1]:>12}{cells[2]:>10}{cells[3]:>14}{cells[4]:>10}")


if __name__ == "__main__":
    chosen = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    told_of_a_conversation(chosen)
    told_of_what_grows(chosen)
