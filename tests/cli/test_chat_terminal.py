"""The chat in a real terminal: typed input and the screen that results."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from llm_server import Handler, Server, answer, chunk, completion, hangs, hangs_after, serving
from terminal import ALT_ENTER, CTRL_C, CTRL_D, TAB, UP, Terminal, environment

import keepsaid

KEEPSAID = str(Path(sys.executable).with_name("keepsaid"))
PROMPT = "›"

Start = Callable[..., Terminal]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"


@pytest.fixture
def start(home: Path, store: Path) -> Iterator[Start]:
    """Starts a chat, in a terminal of some size."""
    running: list[Terminal] = []

    def begin(*options: str, columns: int = 80, rows: int = 24, db: bool = True, **variables: str) -> Terminal:
        before = ("--db", str(store)) if db else ()
        command = [KEEPSAID, *before, "chat", *options]
        settings = environment(home, KEEPSAID_EMBEDDER="off", **variables)
        running.append(Terminal(command, settings, columns=columns, rows=rows, folder=home))
        return running[-1]

    yield begin
    for terminal in running:
        terminal.close()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def model(server: Server) -> dict[str, str]:
    return {
        "KEEPSAID_LLM": "openai:tiny",
        "KEEPSAID_LLM_URL": server.url,
        "KEEPSAID_LLM_KEY": "k",
        "KEEPSAID_NOTES": "off",
    }


def texts(store: Path, owner: str = "me") -> list[list[str]]:
    """The conversations in the store, oldest first."""
    with keepsaid.open(store, background=False) as memory:
        found = list(memory.sessions(owner=owner))
        return [[m.text for m in memory.chat(owner=owner, session=one.id).messages()] for one in reversed(found)]


class Paced:
    """Streams the first words, and the rest once `go_on` is set."""

    def __init__(self, first: str, rest: str) -> None:
        self._first, self._rest = first, rest
        self.go_on = threading.Event()

    def __call__(self, handler: Handler, body: dict[str, Any]) -> None:
        if not body.get("stream"):
            handler.send(200, json.dumps(completion("x")).encode())
            return
        handler.begin_stream()
        for text in (self._first, self._rest):
            for word in text.split(" "):
                handler.event(chunk(content=word + " "))
            if text is self._first:
                self.go_on.wait(30)
        handler.event(chunk("stop"))
        handler.end_stream()


class TestFirstUse:
    def test_answers_from_memory_without_model(self, start: Start, home: Path) -> None:
        terminal = start("--no-model", db=False)
        terminal.wait_for("Memory only: answers are quotes")
        terminal.wait_for("New conversation · 0 messages · memory only")
        terminal.type("My sister moved to Lisbon in May.")
        terminal.wait_for("2 messages · context")
        terminal.type("/new")
        terminal.wait_for("A new conversation.")
        terminal.type("Where does my sister live?")
        screen = terminal.wait_for("quoted from memory")
        quoted = screen.rpartition("Where does my sister live?")[2]
        assert "My sister moved to Lisbon in May." in quoted
        assert f"{datetime.now().astimezone():%b %Y}" in quoted
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        terminal.wait_for("Continue later with: keepsaid chat -r")
        assert terminal.wait_for_end() == 0
        found = list(home.rglob("memory.db"))
        assert [len(talk) for talk in texts(found[0])] == [2, 2]

    def test_resume_hint_reopens_conversation(self, start: Start, store: Path) -> None:
        terminal = start("--no-model", "--owner", "anna")
        terminal.wait_for(PROMPT)
        terminal.type("The boat leaves at nine.")
        terminal.wait_for("2 messages")
        terminal.type("/exit")
        hint = terminal.wait_for("chat -r").rpartition("chat -r ")[2].split()[0]
        assert f"keepsaid --db {store} --owner anna chat -r" in terminal.everything.replace("\n", "")
        terminal.wait_for_end()
        for way in (("-r", hint), ("-c",)):
            again = start("--no-model", "--owner", "anna", *way)
            again.wait_for("The boat leaves at nine.")
            again.wait_for("2 messages · memory only")
            again.wait_for_prompt()
            again.press(CTRL_D)
            assert again.wait_for_end() == 0


class TestAnswer:
    def test_ctrl_c_keeps_partial_answer(self, start: Start, store: Path, server: Server) -> None:
        server.script.append(hangs_after([chunk(content="The first part "), chunk(content="of a long answer ")]))
        terminal = start(**model(server))
        terminal.wait_for("0 messages · openai:tiny")
        terminal.type("Tell me everything.")
        terminal.wait_for("The first part of a long")
        terminal.press(CTRL_C)
        terminal.wait_for("Stopped. The partial answer is saved.")
        terminal.wait_for("2 messages")
        assert server.closed_early.wait(20)
        terminal.type("And then?")
        terminal.wait_for("Lisbon.")
        terminal.wait_for("4 messages")
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        assert terminal.wait_for_end() == 0
        assert texts(store)[0][:3] == ["Tell me everything.", "The first part of a long answer ", "And then?"]

    def test_ctrl_c_before_first_word_stops_turn(self, start: Start, store: Path, server: Server) -> None:
        server.script.append(hangs)
        terminal = start(**model(server))
        terminal.wait_for_prompt()
        terminal.type("Hello?")
        terminal.wait_for("thinking")
        terminal.wait_until(lambda screen: bool(server.requests), "the model to be asked")
        terminal.press(CTRL_C)
        terminal.wait_for("Stopped before the answer began.")
        terminal.type("Again?")
        terminal.wait_for("Lisbon.")
        assert texts(store)[0] == ["Hello?", "Again?", "Lisbon."]

    def test_resize_during_answer_loses_no_text(self, start: Start, server: Server) -> None:
        first = " ".join(f"alpha{number}" for number in range(60))
        rest = " ".join(f"omega{number}" for number in range(60))
        paced = Paced(first, rest)
        server.otherwise = paced
        terminal = start(columns=100, rows=30, **model(server))
        terminal.wait_for_prompt()
        terminal.type("Count.")
        terminal.wait_for("alpha58")
        terminal.resize(40, 12)
        paced.go_on.set()
        terminal.wait_for("2 messages")
        for number in range(60):
            assert f"omega{number} " in terminal.flat
        terminal.resize(120, 40)
        terminal.type("/rename After the change")
        terminal.wait_for("Now called After the change.")

    def test_long_answer_is_complete_in_scrollback(self, start: Start, server: Server) -> None:
        server.otherwise = answer("\n".join(f"line number {number}" for number in range(100)))
        terminal = start(rows=12, **model(server))
        terminal.wait_for_prompt()
        terminal.type("A long one.")
        terminal.wait_for("2 messages")
        lines = terminal.everything.split("\n")
        assert [lines.count(f"line number {number}") for number in range(100)] == [1] * 100

    def test_typing_during_answer_appears_at_next_prompt(self, start: Start, server: Server) -> None:
        paced = Paced("It begins", "and it ends.")
        server.otherwise = paced
        terminal = start(**model(server))
        terminal.wait_for_prompt()
        terminal.type("Go.")
        terminal.wait_for("It begins")
        terminal.type("typed ahead", enter=False)
        paced.go_on.set()
        screen = terminal.wait_for("typed ahead")
        assert "It begins and it ends." in screen
        assert f"{PROMPT} typed ahead" in screen


class TestInputLine:
    def test_tab_completes_commands_and_titles(self, start: Start, store: Path) -> None:
        with keepsaid.open(store) as memory:
            memory.chat(owner="me", title="Trams of Lisbon").add("user", "About trams")
        terminal = start("--no-model")
        terminal.wait_for_prompt()
        terminal.type("/loa", enter=False)
        terminal.wait_for("continue an earlier conversation")
        terminal.press(TAB)
        terminal.wait_for("› /load")
        terminal.type(" tra", enter=False)
        terminal.wait_for("Trams of Lisbon")
        terminal.press(TAB)
        terminal.wait_for("/load Trams of Lisbon")
        terminal.type("")
        terminal.wait_for("Trams of Lisbon · 1 message")
        terminal.wait_for("About trams")

    def test_unknown_command_suggests_and_sends_nothing(self, start: Start, server: Server, store: Path) -> None:
        terminal = start(**model(server))
        terminal.wait_for_prompt()
        terminal.type("/serach my secret")
        terminal.wait_for("Did you mean /search? Nothing was sent.")
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        terminal.wait_for_end()
        assert server.requests == []
        assert texts(store) == []

    def test_multiline_input_and_history(self, start: Start, store: Path) -> None:
        terminal = start("--no-model")
        terminal.wait_for_prompt()
        terminal.type("first line", enter=False)
        terminal.press(ALT_ENTER)
        terminal.type("second line")
        terminal.wait_for("2 messages")
        terminal.wait_for_prompt()
        terminal.type("\x1b[200~pasted\r\nlines\x1b[201~")
        terminal.wait_for("4 messages")
        terminal.type("wrong", enter=False)
        terminal.wait_for(f"{PROMPT} wrong")
        terminal.press(CTRL_C)
        terminal.wait_until(lambda screen: f"{PROMPT} wrong" not in screen, "an empty line")
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        terminal.wait_for_end()
        assert texts(store)[0][::2] == ["first line\nsecond line", "pasted\nlines"]
        again = start("--no-model")
        again.wait_for_prompt()
        again.press(UP)
        again.wait_for("lines")

    def test_ctrl_c_twice_exits(self, start: Start) -> None:
        terminal = start("--no-model")
        terminal.wait_for_prompt()
        terminal.press(CTRL_C)
        terminal.wait_for("Press Ctrl-C again")
        terminal.wait_for_prompt()
        terminal.press(CTRL_C)
        assert terminal.wait_for_end() == 0

    def test_forget_erases_exchange_from_store(self, start: Start, store: Path) -> None:
        terminal = start("--no-model")
        terminal.wait_for_prompt()
        terminal.type("I am allergic to nuts.")
        terminal.wait_for("2 messages")
        # The fact is made in the background, before the title.
        terminal.wait_until(lambda screen: "Untitled" not in screen, "a title")
        terminal.type("/forget")
        terminal.wait_for("1, 2, 3, or nothing:")
        terminal.type("1")
        terminal.wait_for("Forget it for good? [y/N]")
        assert "This will be erased for good (2 messages):" in terminal.everything
        terminal.type("y")
        terminal.wait_for("Forget the facts derived from it, too? [Y/n]")
        terminal.type("")
        terminal.wait_for("Forgotten for good: 2 messages")
        terminal.wait_for("0 messages", times=1)
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        terminal.wait_for_end()
        assert texts(store) == [[]]
        with keepsaid.open(store) as memory:
            assert memory.facts(owner="me", history=True) == []
        assert b"allergic" not in store.read_bytes()

    def test_temporary_chat_is_labelled_and_not_stored(self, start: Start, store: Path) -> None:
        terminal = start("--no-model", "--temp")
        terminal.wait_for("temporary · New conversation")
        terminal.type("The secret is xylophone4711.")
        terminal.wait_for("2 messages")
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        assert terminal.wait_for_end() == 0
        assert "Continue later" not in terminal.everything
        assert all(b"xylophone4711" not in file.read_bytes() for file in store.parent.glob("chat.db*"))


class TestPlainTerminals:
    def test_no_color_keeps_styles_and_completion(self, start: Start, store: Path) -> None:
        terminal = start("--no-model", NO_COLOR="1")
        terminal.wait_for("New conversation · 0 messages · memory only")
        terminal.type("My sister moved to Lisbon in May.")
        terminal.wait_for("2 messages · context")
        terminal.wait_for_prompt()
        terminal.press(UP)
        terminal.wait_for("› My sister moved", times=2)
        terminal.press(CTRL_C)
        terminal.wait_for_prompt()
        terminal.type("/sess", enter=False)
        terminal.wait_for("list your conversations")  # the offer comes by itself; a Tab before it would only ask for it
        terminal.press(TAB)
        terminal.wait_for("› /sessions")
        terminal.type("")
        terminal.wait_for("1. ")
        terminal.wait_for_prompt()
        terminal.press(CTRL_D)
        assert terminal.wait_for_end() == 0
        codes = {code for found in re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw) for code in found.split(b";") if code}
        assert codes <= {b"0", b"1", b"2", b"3", b"4", b"7", b"22", b"27"}  # bold, dim and the like
        assert b"1" in codes

    def test_dumb_terminal_wraps_at_words(self, start: Start, server: Server) -> None:
        words = "Extraordinarily long-winded explanations notwithstanding, everything remains understandable. " * 4
        server.otherwise = answer(words)
        terminal = start(TERM="dumb", columns=50, **model(server))
        terminal.wait_for_prompt(">")
        terminal.type("Hello")
        terminal.wait_for("tokens of")
        terminal.wait_for_prompt(">")
        terminal.type("/help load")
        terminal.wait_for("active again.")
        shown = terminal.everything.split()
        assert shown.count("understandable.") == 4
        assert shown.count("notwithstanding,") == 4
        assert {"title", "conversation", "archived"} <= set(shown)
        assert b"\x1b" not in terminal.raw

    @pytest.mark.parametrize("columns", [40, 30])
    def test_status_line_fits_narrow_screen(self, start: Start, columns: int) -> None:
        terminal = start("--no-model", columns=columns)
        terminal.wait_for("New conversati")
        terminal.wait_for_prompt()
        last = terminal.shown.splitlines()[-1]
        assert "0 messages" in last
        assert last.startswith("New convers")
        assert len(last) <= columns

    def test_pasted_path_is_sent_as_message(self, start: Start, store: Path) -> None:
        terminal = start("--no-model")
        terminal.wait_for_prompt()
        terminal.type("/usr/lib/python3.11/site.py:3: DeprecationWarning")
        terminal.wait_for("2 messages · context")
        assert texts(store)[0][0] == "/usr/lib/python3.11/site.py:3: DeprecationWarning"

    def test_dumb_terminal_gets_no_escape_codes(self, start: Start, store: Path) -> None:
        terminal = start("--no-model", TERM="dumb")
        terminal.wait_for_prompt(">")
        terminal.type("My sister moved to Lisbon in May.")
        terminal.wait_for("tokens of")
        for command, printed in (
            ("/sessions", "2 messages"),
            ("/context", "Prompt: "),
            ("/serach", "Did you mean /search?"),
        ):
            terminal.wait_for_prompt(">")
            terminal.type(command)
            terminal.wait_for(printed)
        terminal.wait_for_prompt(">")
        terminal.press(CTRL_C)
        terminal.wait_for("Press Ctrl-C again")
        terminal.wait_for_prompt(">")
        terminal.press(CTRL_D)
        terminal.wait_for("Continue later with:")
        assert terminal.wait_for_end() == 0
        assert b"\x1b" not in terminal.raw
        assert len(texts(store)[0]) == 2

    def test_ctrl_c_keeps_partial_answer_in_dumb_terminal(self, start: Start, store: Path, server: Server) -> None:
        server.script.append(hangs_after([chunk(content="The first part ")]))
        terminal = start(TERM="dumb", **model(server))
        terminal.wait_for_prompt(">")
        terminal.type("Tell me everything.")
        terminal.wait_for("The first part")
        terminal.press(CTRL_C)
        terminal.wait_for("Stopped. The partial answer is saved.")
        assert texts(store)[0] == ["Tell me everything.", "The first part "]
        assert b"\x1b" not in terminal.raw

    def test_control_characters_from_model_are_removed(self, start: Start, server: Server) -> None:
        server.otherwise = answer("Look: \x1b]0;stolen\x07 \x1b[2J gone")
        terminal = start(**model(server))
        terminal.wait_for_prompt()
        terminal.type("Hello")
        terminal.wait_for("gone")
        terminal.wait_for("2 messages")
        terminal.type("/history")
        terminal.wait_for("gone", times=2)
        assert b"\x1b]0;stolen" not in terminal.raw
        assert terminal.screen.title != "stolen"
