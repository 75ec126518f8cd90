"""One question from the shell: the answer goes to stdout, all else to stderr, and the message is remembered."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from llm_server import Server, answer, chunk, cuts_off, refuses, serving

import keepsaid
from keepsaid.cli import main


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving() as server:
        monkeypatch.setenv("KEEPSAID_LLM_URL", server.url)
        monkeypatch.setenv("KEEPSAID_LLM_KEY", "k")
        yield server


def call(store: Path, *arguments: str, input: str | bytes = "") -> Result:
    return CliRunner().invoke(main, ["--db", str(store), "chat", *arguments], input=input, catch_exceptions=False)


def quoting(store: Path, *arguments: str, input: str | bytes = "") -> Result:
    return call(store, "--no-model", *arguments, input=input)


def last_prompt(server: Server) -> str:
    """The messages of the last streamed request; only the chat streams."""
    asked = [body for _, _, body in server.requests if body.get("stream")]
    return json.dumps(asked[-1]["messages"], ensure_ascii=False)


class TestOneShot:
    def test_creates_store_and_answers_from_memory(self, store: Path) -> None:
        result = quoting(store, "My sister moved to Lisbon in May.")
        assert result.exit_code == 0
        assert store.exists()
        again = quoting(store, "Where does my sister live?")
        assert "My sister moved to Lisbon in May." in again.stdout
        assert again.stderr.splitlines()[0] == "Memory only: no language model was used."
        assert "quoted from memory" in again.stderr
        assert len(again.stderr.splitlines()) == 2

    def test_footer_without_quotes_mentions_no_memories(self, store: Path) -> None:
        quoting(store, "My sister moved to Lisbon in May.")
        result = quoting(store, "What is the capital of Mongolia?")
        assert "remember nothing" in result.stdout
        assert "quoted" not in result.stderr
        assert "memor" not in result.stderr.splitlines()[-1]

    def test_invalid_message_creates_no_session(self, store: Path) -> None:
        assert quoting(store, input=b"a\0b").exit_code == 2
        with keepsaid.open(store) as memory:
            assert list(memory.sessions(owner="me")) == []

    def test_path_is_sent_as_message(self, store: Path) -> None:
        quoting(store, "/usr/lib/python3.11/site.py:3: oops")
        with keepsaid.open(store) as memory:
            assert len(memory.sessions(owner="me")) == 1

    def test_continue_skips_empty_conversation(self, store: Path) -> None:
        first = json.loads(quoting(store, "One", "--json").stdout)["session"]
        with keepsaid.open(store) as memory:
            memory.chat(owner="me")
        assert json.loads(quoting(store, "-c", "More", "--json").stdout)["session"] == first

    def test_stdout_contains_only_answer(self, store: Path, server: Server) -> None:
        server.otherwise = answer("In **Lisbon**, since May.")
        result = call(store, "--model", "openai:x", "Where does my sister live?")
        assert result.stdout == "In **Lisbon**, since May.\n"
        assert "tokens of" in result.stderr
        assert "\x1b" not in result.stderr

    def test_stdin_is_sent_as_message(self, store: Path, server: Server) -> None:
        call(store, "--model", "openai:x", input="What is\nthis?\n")
        assert "What is\\nthis?" in last_prompt(server)

    def test_stdin_is_appended_to_message(self, store: Path, server: Server) -> None:
        call(store, "--model", "openai:x", "Summarise:", input="a long text\n")
        assert "Summarise:\\n\\na long text" in last_prompt(server)

    def test_accepts_stdin_that_is_not_utf8(self, store: Path) -> None:
        assert quoting(store, input=b"caf\xe9 or not?").exit_code == 0

    def test_rejects_empty_question(self, store: Path) -> None:
        result = quoting(store, input="  \n")
        assert result.exit_code == 2
        assert "there is no question" in result.stderr
        assert not store.exists()

    def test_rejects_slash_command(self, store: Path) -> None:
        result = quoting(store, "/forget", "everything")
        assert result.exit_code == 2
        assert "command inside the chat" in result.stderr

    def test_double_slash_sends_message_with_one_slash(self, store: Path) -> None:
        quoting(store, "//forget it")
        with keepsaid.open(store) as memory:
            session = memory.sessions(owner="me").items[0]
            assert memory.chat(owner="me", session=session.id).messages()[0].text == "/forget it"

    def test_json_prints_answer_with_sources(self, store: Path) -> None:
        quoting(store, "My sister moved to Lisbon in May.")
        result = quoting(store, "Where does my sister live?", "--json")
        assert result.stdout.count("\n") == 1
        told = json.loads(result.stdout)
        assert {"answer", "session", "sources", "receipt", "model"} <= told.keys()
        assert told["model"] is None
        assert any(source["text"] == "My sister moved to Lisbon in May." for source in told["sources"])
        assert all(source["at"] for source in told["sources"])

    def test_json_without_question_fails(self, store: Path) -> None:
        assert quoting(store, "--json").exit_code == 2

    def test_model_error_is_reported_on_stderr(self, store: Path, server: Server) -> None:
        server.otherwise = refuses(401, "who are you?")
        result = call(store, "--model", "openai:x", "Hello")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert "401" in result.stderr
        assert "Traceback" not in result.stderr

    def test_partial_answer_is_saved_when_stream_breaks(self, store: Path, server: Server) -> None:
        server.otherwise = cuts_off([chunk(content="The first "), chunk(content="half")])
        result = call(store, "--model", "openai:x", "Hello")
        assert result.exit_code != 0
        assert result.stdout == "The first half\n"
        with keepsaid.open(store) as memory:
            session = memory.sessions(owner="me").items[0]
            assert [m.text for m in memory.chat(owner="me", session=session.id).messages()] == ["Hello", "The first half"]


class TestOptions:
    def test_continue_and_resume_select_conversation(self, store: Path) -> None:
        first = json.loads(quoting(store, "One", "--json").stdout)["session"]
        second = json.loads(quoting(store, "Two", "--json").stdout)["session"]
        assert first != second
        assert json.loads(quoting(store, "-c", "More", "--json").stdout)["session"] == second
        for name in (first, first[-6:], first[:20]):
            assert json.loads(quoting(store, "-r", name, "More", "--json").stdout)["session"] == first
        with keepsaid.open(store) as memory:
            memory.chat(owner="me", session=first).rename("Trams of Lisbon")
            memory.chat(owner="me", session=second).rename("Boats of Lisbon")
        for name in ("trams of lisbon", "Trams"):
            assert json.loads(quoting(store, "-r", name, "More", "--json").stdout)["session"] == first

    def test_resume_lists_ambiguous_matches(self, store: Path) -> None:
        with keepsaid.open(store) as memory:
            memory.chat(owner="me", title="Lisbon one")
            memory.chat(owner="me", title="Lisbon two")
        result = quoting(store, "-r", "lisbon", "Hello")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert "Lisbon one" in result.stderr
        assert "Lisbon two" in result.stderr

    def test_resume_of_unknown_conversation_fails(self, store: Path) -> None:
        result = quoting(store, "-r", "rome", "Hello")
        assert result.exit_code == 2
        assert "no conversation 'rome'" in result.stderr

    def test_continue_on_empty_store_starts_conversation(self, store: Path) -> None:
        result = quoting(store, "-c", "Hello")
        assert result.exit_code == 0
        assert "new conversation" in result.stderr

    @pytest.mark.parametrize("options", [("-c", "-r", "x"), ("--temp", "-c"), ("--model", "openai:x"), ("--owner", "")])
    def test_contradictory_options_fail(self, store: Path, options: tuple[str, ...]) -> None:
        assert quoting(store, *options, "Hello").exit_code == 2

    def test_temp_writes_nothing_to_disk(self, store: Path, tmp_path: Path) -> None:
        assert quoting(store, "--temp", "The secret is xylophone4711.").exit_code == 0
        assert all(b"xylophone4711" not in file.read_bytes() for file in tmp_path.glob("chat.db*"))

    def test_owners_do_not_see_each_other(self, store: Path) -> None:
        quoting(store, "--owner", "anna", "My sister moved to Lisbon in May.")
        assert "Lisbon" not in quoting(store, "--owner", "bert", "Where does my sister live?").stdout
        assert "Lisbon" in quoting(store, "--owner", "anna", "Where does my sister live?").stdout

    def test_owner_comes_from_environment(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEEPSAID_OWNER", "anna")
        quoting(store, "Hello")
        with keepsaid.open(store) as memory:
            assert len(memory.sessions(owner="anna")) == 1

    def test_system_and_budget_are_applied(self, store: Path, server: Server) -> None:
        call(store, "--model", "openai:x", "--system", "Answer in rhyme.", "--budget", "2000", "Hello")
        assert "Answer in rhyme." in last_prompt(server)
        result = call(store, "--model", "openai:x", "--budget", "2000", "Hello")
        assert "of 4," not in result.stderr
        assert call(store, "--no-model", "--budget", "lots", "Hello").exit_code == 2

    def test_no_model_ignores_configured_model(self, store: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEEPSAID_LLM", "openai:x")
        assert quoting(store, "Hello").exit_code == 0
        assert server.requests == []


class TestShell:
    def test_pipe_output_contains_only_answer(self, store: Path, tmp_path: Path) -> None:
        """Uses real pipes, as `keepsaid chat … > file` does."""
        command = [str(Path(sys.executable).with_name("keepsaid")), "--db", str(store), "chat", "--no-model"]
        for words in ("My sister moved to Lisbon in May.", "Where does my sister live?"):
            done = subprocess.run(command, input=words.encode(), capture_output=True, check=True, cwd=tmp_path)
        assert b"Lisbon" in done.stdout
        assert b"quoted from memory" in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
