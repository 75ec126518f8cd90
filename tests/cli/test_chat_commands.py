"""Each slash command of the chat, on a plain screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import keepsaid
from keepsaid.agent.answer import Answer, Cited
from keepsaid.agent.service import ChatService
from keepsaid.cli.chat import commands
from keepsaid.cli.chat.answering import format_answer_footer, show_answer, show_late_notes
from keepsaid.cli.chat.commands.help import KEYS
from keepsaid.cli.chat.loop import fetch_recent_user_messages
from keepsaid.cli.chat.screen import ChatScreen
from keepsaid.cli.chat.state import ChatExit, ChatState
from keepsaid.testing import ScriptedLLM

EVIL = "\x1b[31mred\x1b]0;title\x07 [bold]not markup[/bold] :smile:"


class Answers:
    """A user whose answers are given in advance."""

    def __init__(self) -> None:
        self.ready: list[str] = []
        self.asked: list[str] = []
        self.forgot = 0

    def message(self) -> str:
        raise EOFError

    def ask(self, question: str) -> str:
        self.asked.append(question)
        return self.ready.pop(0) if self.ready else ""

    def forget(self) -> None:
        self.forgot += 1


class CommandRunner:
    """A chat whose screen is read after every command."""

    def __init__(self, memory: keepsaid.Memory, capsys: pytest.CaptureFixture[str]) -> None:
        self.reader = Answers()
        self.talk = ChatState(memory, ChatService(memory), "u1", ChatScreen(styled=False), self.reader)
        self.memory = memory
        self._capsys = capsys

    def run(self, line: str, *answers: str) -> str:
        self.reader.ready = list(answers)
        commands.run_command(self.talk, line)
        return self.printed()

    def say(self, *words: str) -> str:
        for text in words:
            show_answer(self.talk, text)
        self.memory.maintain()
        return self.printed()

    def printed(self) -> str:
        out = self._capsys.readouterr()
        assert "\x1b" not in out.out + out.err
        return out.out + out.err

    def texts(self) -> list[str]:
        return [message.text for message in self.talk.chat.messages()] if self.talk.chat else []


@pytest.fixture
def runner(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[CommandRunner]:
    monkeypatch.chdir(tmp_path)
    with keepsaid.open(tmp_path / "chat.db", background=False, durable=False) as memory:
        yield CommandRunner(memory, capsys)


class TestCommandTable:
    def test_contains_all_documented_commands(self) -> None:
        promised = (
            "sessions load save history clear forget new rename search context why facts remember pin undo fork temp export"
            " archive help exit quit"
        )
        assert set(promised.split()) <= {command.name for command in commands.COMMANDS}

    def test_help_fits_80_columns(self, runner: CommandRunner) -> None:
        printed = runner.run("/help")
        assert max(map(len, printed.splitlines())) <= 80
        for command in commands.COMMANDS:
            assert f"/{command.name}" in printed
            assert command.help in printed
        assert KEYS[0][0] not in printed  # a plain terminal has no such keys

    def test_single_slash_shows_help(self, runner: CommandRunner) -> None:
        assert runner.run("/") == runner.run("/help")

    def test_help_describes_single_command(self, runner: CommandRunner) -> None:
        assert "role:user" in runner.run("/help /search")
        assert "Did you mean /search?" in runner.run("/help serch")

    def test_unknown_command_suggests_and_sends_nothing(self, runner: CommandRunner) -> None:
        assert "Did you mean /sessions?" in runner.run("/session")
        assert "Nothing was sent" in runner.run("/xyzzy all my secrets")
        assert runner.talk.chat is None
        assert len(runner.memory.sessions(owner="u1")) == 0

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("/help", True),
            ("/remember two\nlines", True),
            ("/serach tea", True),
            ("/", True),
            ("//help", False),
            ("/usr/lib/python3.11/site.py:3: DeprecationWarning", False),
            ("/bin/sh: not found", False),
            ("/data is full\nsays the machine", False),
            ("/help\nwas what I typed", False),
            ("tea", False),
        ],
    )
    def test_is_command_rejects_paths_and_plain_text(self, text: str, expected: bool) -> None:
        assert commands.is_command(text) is expected

    def test_sessions_and_help_fit_narrow_screen(self, runner: CommandRunner, monkeypatch: pytest.MonkeyPatch) -> None:
        runner.say("Where is the boat to Hvar?")
        runner.run("/rename Boats, ferries and other ways to come to the islands")
        monkeypatch.setenv("COLUMNS", "40")
        listed = runner.run("/sessions").splitlines()
        assert max(map(len, listed)) <= 40
        assert listed[0].startswith("→  1. Boats, ferries")
        assert listed[1].startswith("      ")
        assert "2 messages" in listed[1]
        helped = runner.run("/help").splitlines()
        assert helped[:2] == ["/sessions [KIND]", "    list your conversations, newest first"]

    def test_history_rejects_zero_and_save_titles_new_chat(self, runner: CommandRunner) -> None:
        assert "How many messages?" in runner.run("/history 0")
        printed = runner.run("/save Boats")
        assert printed == "The conversation will be called Boats.\n"
        runner.say("Where is the boat?")
        assert runner.talk.ensure_chat().info().title == "Boats"

    def test_empty_sessions_are_listed_only_with_all(self, runner: CommandRunner) -> None:
        runner.memory.chat(owner="u1")
        assert "no conversations yet" in runner.run("/sessions")
        assert "0 messages" in runner.run("/sessions all")

    def test_exit_and_quit_leave_chat(self, runner: CommandRunner) -> None:
        for way in ("/exit", "/quit", "/EXIT"):
            with pytest.raises(ChatExit):
                runner.run(way)

    @pytest.mark.parametrize(
        "command", [command.name for command in commands.COMMANDS if command.name not in ("exit", "quit")]
    )
    @pytest.mark.parametrize("argument", ["", " 1", " nothing of the kind"])
    def test_every_command_runs_on_empty_memory(self, runner: CommandRunner, command: str, argument: str) -> None:
        assert runner.run(f"/{command}{argument}")

    def test_control_characters_and_markup_are_not_interpreted(self, runner: CommandRunner) -> None:
        runner.say(f"My sister says {EVIL} to me")
        runner.memory.remember(f"Likes {EVIL}", owner="u1")
        runner.run(f"/rename {EVIL}")
        for line in ("/sessions", "/history", "/search sister", "/facts", "/why", "/context", f"/{EVIL}", f"/load {EVIL}"):
            printed = runner.run(line)
            assert "\x07" not in printed
            assert "red" in printed or line in ("/why", "/context")
        assert "[bold]not markup[/bold] :smile:" in runner.run("/facts")


class TestConversations:
    def test_sessions_are_numbered_and_current_is_marked(self, runner: CommandRunner) -> None:
        runner.say("About trams")
        runner.run("/rename Trams")
        runner.run("/new Boats")
        runner.say("About boats")
        lines = runner.run("/sessions").splitlines()
        assert lines[0].startswith("→  1. Boats")
        assert lines[1].startswith("   2. Trams")
        assert "2 messages" in lines[1]

    def test_load_by_number_title_part_and_id(self, runner: CommandRunner) -> None:
        runner.say("About trams")
        trams = runner.talk.ensure_chat().rename("Trams of Lisbon").id
        runner.run("/new Boats")
        runner.say("About boats")
        for name in ("2", "trams of lisbon", "of lis", trams, trams[-6:]):
            runner.run("/new")
            runner.run("/sessions")
            assert "About trams" in runner.run(f"/load {name}")
            assert runner.talk.chat is not None
            assert runner.talk.chat.id == trams

    def test_load_lists_all_ambiguous_matches(self, runner: CommandRunner) -> None:
        for title in ("Lisbon one", "Lisbon two"):
            runner.run(f"/new {title}")
            runner.say("Hello")
        before = runner.talk.ensure_chat().id
        printed = runner.run("/load lisbon")
        assert "Lisbon one" in printed
        assert "Lisbon two" in printed
        assert runner.talk.ensure_chat().id == before
        runner.run("/load 2")
        assert runner.talk.ensure_chat().info().title == "Lisbon one"

    def test_load_reopens_archived_and_deleted_sessions(self, runner: CommandRunner) -> None:
        runner.say("About trams")
        runner.talk.ensure_chat().rename("Trams")
        runner.run("/archive")
        assert runner.talk.chat is None
        assert "Trams" in runner.run("/sessions archived")
        assert "now active" in runner.run("/load 1")
        runner.say("More about trams")
        runner.talk.ensure_chat().delete()
        runner.run("/new")
        assert "purged in 29 days" in runner.run("/sessions deleted")
        assert "Trams" in runner.run("/sessions deleted")
        assert "restored" in runner.run("/load trams")
        assert len(runner.texts()) == 4

    def test_new_creates_session_at_first_message(self, runner: CommandRunner) -> None:
        runner.run("/new Plans")
        assert len(runner.memory.sessions(owner="u1")) == 0
        runner.say("Hello")
        assert runner.talk.ensure_chat().info().title == "Plans"

    def test_save_reports_session_as_saved_and_sets_title(self, runner: CommandRunner) -> None:
        runner.say("Hello")
        assert "saved already" in runner.run("/save My title")
        assert runner.talk.ensure_chat().info().title == "My title"

    def test_temporary_session_writes_nothing_to_disk(self, runner: CommandRunner, tmp_path: Path) -> None:
        runner.run("/temp")
        runner.say("The secret is xylophone4711.")
        assert runner.talk.ensure_chat().info().temporary
        assert len(runner.memory.sessions(owner="u1")) == 0
        assert "temporary" in runner.run("/save")
        assert "nothing is saved" in runner.run("/remember xylophone4711")
        runner.run("/new")
        assert not runner.talk.temporary
        assert all(b"xylophone4711" not in file.read_bytes() for file in tmp_path.glob("chat.db*"))


class TestMessageHistory:
    def test_history_shows_last_messages(self, runner: CommandRunner) -> None:
        runner.say("one", "two", "three")
        printed = runner.run("/history 2")
        assert "three" in printed
        assert "one" not in printed.split("memory")[0]
        assert "The last 2 of 6 messages" in printed

    def test_undo_removes_exchange_and_redo_restores_it(self, runner: CommandRunner) -> None:
        runner.say("one", "two")
        before = runner.texts()
        assert "two" in runner.run("/undo")
        assert runner.texts() == before[:2]
        runner.run("/undo")
        assert runner.texts() == []
        assert "nothing to undo" in runner.run("/undo")
        runner.run("/redo")
        runner.run("/redo")
        assert runner.texts() == before
        assert "nothing to restore" in runner.run("/redo")

    def test_redo_restores_cleared_session_after_reload(self, runner: CommandRunner) -> None:
        runner.say("one", "two")
        before = runner.texts()
        assert "/redo" in runner.run("/clear")
        assert runner.texts() == []
        id = runner.talk.ensure_chat().id
        runner.run("/new")
        runner.run(f"/load {id}")
        runner.run("/redo")
        assert runner.texts() == before

    def test_fork_continues_in_new_session(self, runner: CommandRunner) -> None:
        runner.say("one")
        first = runner.talk.ensure_chat().id
        runner.run("/fork Another way")
        runner.say("two")
        assert runner.talk.ensure_chat().id != first
        assert runner.talk.ensure_chat().info().title == "Another way"
        assert runner.texts()[0] == "one"
        assert len(runner.memory.chat(owner="u1", session=first).messages()) == 2


class TestFinding:
    def test_search_results_can_be_loaded_by_number(self, runner: CommandRunner) -> None:
        runner.say("My sister moved to Lisbon in May.")
        lisbon = runner.talk.ensure_chat().id
        runner.run("/new")
        runner.say("The boat leaves at nine.")
        printed = runner.run("/search sister")
        assert " 1. " in printed
        assert "My sister moved to Lisbon in May." in printed
        assert "matches 'sister'" in printed
        runner.run("/load 1")
        assert runner.talk.ensure_chat().id == lisbon

    def test_pin_toggles_remembered_fact(self, runner: CommandRunner) -> None:
        assert "Remembered" in runner.run("/remember Allergic to nuts")
        runner.run("/pin 1")
        assert "pinned" in runner.run("/facts")
        assert [fact.pinned for fact in runner.memory.facts(owner="u1")] == [True]
        runner.run("/pin 1")
        assert [fact.pinned for fact in runner.memory.facts(owner="u1")] == [False]
        assert "no fact number 7" in runner.run("/pin 7")

    def test_undo_note_removes_announced_fact(self, runner: CommandRunner) -> None:
        assert runner.run("/undo-note").strip() == "Nothing was noted."
        assert "Noted: User lives in Lisbon  (/undo-note)" in runner.say("I live in Lisbon.")
        assert "Forgotten: User lives in Lisbon." in runner.run("/undo-note")
        assert runner.memory.facts(owner="u1", history=True) == []
        assert runner.texts()[0] == "I live in Lisbon."
        assert runner.run("/undo-note").strip() == "Nothing was noted."
        runner.memory.maintain()
        assert runner.memory.facts(owner="u1") == []

    def test_undo_note_keeps_earlier_facts(self, runner: CommandRunner) -> None:
        runner.say("I live in Lisbon.", "I work as a nurse.")
        runner.run("/undo-note")
        assert [fact.text for fact in runner.memory.facts(owner="u1")] == ["User lives in Lisbon"]
        assert "Noted:" not in runner.say("What a fine day!")
        assert runner.run("/undo-note").strip() == "Nothing was noted."

    def test_undo_note_restores_replaced_fact(self, runner: CommandRunner) -> None:
        runner.say("I live in Lisbon.", "I work as a nurse.", "I moved to Porto.")
        assert "User lives in Lisbon" not in [fact.text for fact in runner.memory.facts(owner="u1")]
        runner.run("/undo-note")
        texts = {fact.text for fact in runner.memory.facts(owner="u1")}
        assert texts == {"User lives in Lisbon", "User works as a nurse"}

    def test_pin_without_number_pins_last_user_message(self, runner: CommandRunner) -> None:
        runner.say("I am allergic to nuts.")
        runner.run("/pin")
        assert [message.pinned for message in runner.talk.ensure_chat().messages()] == [True, False]

    def test_context_and_why_show_recalled_message(self, runner: CommandRunner) -> None:
        runner.say("My sister moved to Lisbon in May.")
        runner.run("/new")
        runner.say("Where does my sister live?")
        printed = runner.run("/context")
        assert "Prompt: " in printed
        assert "question" in printed
        assert "#" in printed
        assert "Lisbon" in printed
        printed = runner.run("/why")
        assert "Where does my sister live?" in printed
        assert "My sister moved to Lisbon in May." in printed
        assert "matches 'sister'" in printed

    def test_why_uses_receipt_after_load(self, runner: CommandRunner) -> None:
        runner.say("My sister moved to Lisbon in May. We all carried boxes.")
        runner.run("/new")
        runner.say("Where does my sister live?")
        runner.run(f"/load {runner.talk.ensure_chat().id}")
        assert runner.talk.answer is None
        printed = runner.run("/why")
        assert "matches 'sister'" in printed
        assert "My sister moved to Lisbon in May. We all carried boxes." in printed
        assert "Prompt: " in runner.run("/context")

    def test_why_lists_the_profile(self, runner: CommandRunner) -> None:
        runner.talk.service = ChatService(runner.memory, ScriptedLLM(["Good morning."]))
        runner.memory.remember("Use metric units", owner="u1", kind="instruction")
        runner.say("Good morning!")
        for earlier in (False, True):
            if earlier:
                runner.run(f"/load {runner.talk.ensure_chat().id}")
            assert (runner.talk.answer is None) is earlier
            printed = runner.run("/why")
            assert "Use metric units" in printed
            assert "standing profile: instruction" in printed
        assert "Use metric units" in runner.run("/context")

    def test_why_distinguishes_current_conversation(self, runner: CommandRunner) -> None:
        runner.say("My sister moved to Lisbon in May.", "Where does my sister live?")
        printed = runner.run("/why")
        assert "My sister moved to Lisbon in May." in printed
        assert "this conversation" in printed
        assert "an earlier conversation" not in printed

    def test_why_lists_closest_matches_without_quotes(self, runner: CommandRunner) -> None:
        found = Cited("fact", "f1", "", "Likes tea", score=0.1)
        runner.talk.answer = Answer("s1", "I remember nothing about that.", (found,))
        printed = runner.run("/why")
        assert printed.startswith("Nothing was quoted. Closest matches:")
        assert "Likes tea" in printed
        runner.talk.answer = Answer("s1", "From memory: …", (found, Cited("fact", "f2", "", "Lives in Rome", named=True)))
        assert "Likes tea" not in runner.run("/why")


def test_answer_footer_counts_quoted_memories() -> None:
    found = [Cited("fact", f"f{number}", "", "Likes tea", named=number < 2) for number in range(5)]
    assert (
        format_answer_footer(Answer("s1", "From memory: …", tuple(found)), 0.1)
        == "quoted from memory, no model · 2 memories · 0.1 s"
    )
    assert format_answer_footer(Answer("s1", "I remember nothing about that.", tuple(found[2:])), 0.1) == "no model · 0.1 s"
    assert format_answer_footer(Answer("s1", "Tea.", tuple(found), model="m"), 0.1) == "m · 5 memories · 0.1 s"


class TestForget:
    def test_last_exchange_is_erased_with_its_facts(self, runner: CommandRunner) -> None:
        runner.say("I live in Porto.", "I am allergic to nuts.")
        assert len(runner.memory.facts(owner="u1")) == 2
        printed = runner.run("/forget", "1", "y", "y")
        assert "allergic to nuts" in printed
        assert "Forgotten for good: 2 messages" in printed
        assert len(runner.reader.asked) == 3
        assert runner.texts()[0] == "I live in Porto."
        assert len(runner.texts()) == 2
        assert [fact.text for fact in runner.memory.facts(owner="u1")] == ["User lives in Porto"]
        assert runner.reader.forgot == 1
        assert not any("nuts" in hit.passage for hit in runner.memory.search("nuts", owner="u1"))
        assert "I am allergic to nuts." not in list(fetch_recent_user_messages(runner.memory, "u1"))

    def test_facts_can_be_kept_when_messages_are_erased(self, runner: CommandRunner) -> None:
        runner.say("I am allergic to nuts.")
        printed = runner.run("/forget last", "y", "n")
        assert "Kept as facts of your own: 1 fact" in printed
        assert runner.texts() == []
        kept = runner.memory.facts(owner="u1")
        assert [(fact.text, fact.messages) for fact in kept] == [("User is allergic to nuts", ())]

    @pytest.mark.parametrize("answers", [(), ("1",), ("1", "n"), ("2", ""), ("3", "1", "no"), ("4",)])
    def test_nothing_is_erased_without_confirmation(self, runner: CommandRunner, answers: tuple[str, ...]) -> None:
        runner.say("I am allergic to nuts.")
        runner.run("/forget", *answers)
        assert len(runner.texts()) == 2
        assert len(runner.memory.facts(owner="u1")) == 1

    def test_conversation_is_erased_with_its_facts(self, runner: CommandRunner) -> None:
        runner.say("I am allergic to nuts.")
        runner.talk.ensure_chat().rename("Food")
        printed = runner.run("/forget conversation", "yes", "")
        assert "Food" in printed
        assert "2 messages" in printed
        assert runner.talk.chat is None
        assert runner.memory.facts(owner="u1", history=True) == []
        assert len(runner.memory.sessions(owner="u1")) == len(runner.memory.sessions(owner="u1", status="deleted")) == 0

    def test_fact_is_erased_with_its_message(self, runner: CommandRunner) -> None:
        runner.say("I am allergic to nuts.")
        runner.run("/facts")
        printed = runner.run("/forget fact 1", "y", "y")
        assert "You said it here" in printed
        assert runner.memory.facts(owner="u1") == []
        assert not any("nuts" in text for text in runner.texts()[:1])

    def test_fact_is_erased_without_its_message(self, runner: CommandRunner) -> None:
        runner.say("I am allergic to nuts.")
        runner.run("/forget fact 1", "y", "n")
        assert runner.memory.facts(owner="u1") == []
        assert runner.texts()[0] == "I am allergic to nuts."


class TestExport:
    def test_format_is_markdown_unless_suffix_is_json(self, runner: CommandRunner, tmp_path: Path) -> None:
        runner.say("My sister moved to Lisbon in May.")
        runner.run("/rename Family")
        assert "family.md" in runner.run("/export")
        assert "My sister moved to Lisbon in May." in (tmp_path / "family.md").read_text()
        runner.run("/export out.json")
        assert "My sister moved to Lisbon in May." in json.dumps(json.loads((tmp_path / "out.json").read_text()))

    def test_asks_before_replacing_file(self, runner: CommandRunner, tmp_path: Path) -> None:
        runner.say("Hello")
        (tmp_path / "mine.md").write_text("precious")
        assert "Nothing was written" in runner.run("/export mine.md", "n")
        assert (tmp_path / "mine.md").read_text() == "precious"
        runner.run("/export mine.md", "y")
        assert "Hello" in (tmp_path / "mine.md").read_text()

    def test_rejects_unknown_suffix_and_missing_folder(self, runner: CommandRunner, tmp_path: Path) -> None:
        runner.say("Hello")
        assert "no export format for .pdf; use one of .md" in runner.run("/export talk.pdf")
        assert not (tmp_path / "talk.pdf").exists()
        with pytest.raises(keepsaid.NotFound, match=f"there is no folder {tmp_path / 'none'}"):
            runner.run(f"/export {tmp_path / 'none' / 'a.md'}")


class TestAnswering:
    def test_invalid_message_creates_no_session(self, runner: CommandRunner) -> None:
        with pytest.raises(keepsaid.InvalidInput):
            runner.say("a\0b")
        assert runner.talk.chat is None
        assert len(runner.memory.sessions(owner="u1")) == 0

    def test_model_answer_is_followed_by_footer(self, runner: CommandRunner) -> None:
        runner.talk.service = ChatService(runner.memory, ScriptedLLM(["In **Lisbon**."]))
        printed = runner.say("Where is she?")
        assert printed.startswith("In **Lisbon**.\n")
        assert "no memories used" in printed
        assert runner.texts() == ["Where is she?", "In **Lisbon**."]

    def test_facts_extracted_after_turn_are_announced_once(self, runner: CommandRunner, tmp_path: Path) -> None:
        model = ScriptedLLM(["How nice."])
        fact = {"message": 0, "text": "User lives in Lisbon", "kind": "identity", "subject": "user", "about": "home"}
        facts = ScriptedLLM([json.dumps({"facts": [fact | {"value": "Lisbon", "confidence": 0.9}]})] * 4)
        with keepsaid.open(tmp_path / "late.db", background=False, durable=False, llm=facts) as memory:
            runner.memory = runner.talk.memory = memory
            runner.talk.service, runner.talk.model = ChatService(memory, model), "scripted"
            show_answer(runner.talk, "I live in Lisbon.")
            assert "Noted" not in runner.printed()
            show_late_notes(runner.talk)
            assert runner.printed() == ""
            memory.maintain()
            show_late_notes(runner.talk)
            assert runner.printed() == "Noted: User lives in Lisbon  (/undo-note)\n"
            show_late_notes(runner.talk)
            assert runner.printed() == ""
            assert "Forgotten: User lives in Lisbon" in runner.run("/undo-note")
            assert memory.facts(owner="u1") == []

    def test_control_characters_from_model_are_removed(self, runner: CommandRunner) -> None:
        runner.talk.service = ChatService(runner.memory, ScriptedLLM([f"Well {EVIL}"]))
        assert "\x07" not in runner.say("Hello")
