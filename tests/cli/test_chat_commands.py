"""The slash commands, one by one, on a plain screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.agent.answer import Answer, Cited
from recollect.agent.service import ChatService
from recollect.cli.chat import commands
from recollect.cli.chat.answering import answered, rests_on
from recollect.cli.chat.commands.helping import KEYS
from recollect.cli.chat.loop import said_before
from recollect.cli.chat.screen import Screen
from recollect.cli.chat.talk import Leave, Talk
from recollect.testing import ScriptedLLM

EVIL = "\x1b[31mred\x1b]0;title\x07 [bold]not markup[/bold] :smile:"


class Answers:
    """A user who has his answers ready."""

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


class Desk:
    """A chat whose screen is read after every command."""

    def __init__(self, memory: recollect.Memory, capsys: pytest.CaptureFixture[str]) -> None:
        self.reader = Answers()
        self.talk = Talk(memory, ChatService(memory), "u1", Screen(styled=False), self.reader)
        self.memory = memory
        self._capsys = capsys

    def run(self, line: str, *answers: str) -> str:
        self.reader.ready = list(answers)
        commands.run(self.talk, line)
        return self.printed()

    def say(self, *words: str) -> str:
        for text in words:
            answered(self.talk, text)
        self.memory.maintain()
        return self.printed()

    def printed(self) -> str:
        out = self._capsys.readouterr()
        assert "\x1b" not in out.out + out.err
        return out.out + out.err

    def texts(self) -> list[str]:
        return [message.text for message in self.talk.chat.messages()] if self.talk.chat else []


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    with recollect.open(tmp_path / "chat.db", background=False, durable=False) as memory:
        yield Desk(memory, capsys)


class TestTable:
    def test_every_command_that_was_promised(self) -> None:
        promised = (
            "sessions load save history clear forget new rename search context why facts remember pin undo fork temp export"
            " archive help exit quit"
        )
        assert set(promised.split()) <= {command.name for command in commands.COMMANDS}

    def test_help_fits_on_a_line_of_80(self, desk: Desk) -> None:
        printed = desk.run("/help")
        assert max(map(len, printed.splitlines())) <= 80
        for command in commands.COMMANDS:
            assert f"/{command.name}" in printed
            assert command.help in printed
        assert KEYS[0][0] not in printed  # a plain terminal has no such keys

    def test_slash_alone_lists(self, desk: Desk) -> None:
        assert desk.run("/") == desk.run("/help")

    def test_help_on_one(self, desk: Desk) -> None:
        assert "role:user" in desk.run("/help /search")
        assert "Did you mean /search?" in desk.run("/help serch")

    def test_unknown_command_suggests_and_sends_nothing(self, desk: Desk) -> None:
        assert "Did you mean /sessions?" in desk.run("/session")
        assert "Nothing was sent" in desk.run("/xyzzy all my secrets")
        assert desk.talk.chat is None
        assert len(desk.memory.sessions(owner="u1")) == 0

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
    def test_a_path_is_no_command(self, text: str, expected: bool) -> None:
        assert commands.is_command(text) is expected

    def test_a_narrow_screen(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        desk.say("Where is the boat to Hvar?")
        desk.run("/rename Boats, ferries and other ways to come to the islands")
        monkeypatch.setenv("COLUMNS", "40")
        listed = desk.run("/sessions").splitlines()
        assert max(map(len, listed)) <= 40
        assert listed[0].startswith("→  1. Boats, ferries")
        assert listed[1].startswith("      ")
        assert "2 messages" in listed[1]
        helped = desk.run("/help").splitlines()
        assert helped[:2] == ["/sessions [KIND]", "    list your conversations, newest first"]

    def test_numbers_and_titles_that_mean_nothing(self, desk: Desk) -> None:
        assert "How many messages?" in desk.run("/history 0")
        printed = desk.run("/save Boats")
        assert printed == "The conversation will be called Boats.\n"
        desk.say("Where is the boat?")
        assert desk.talk.begun().info().title == "Boats"

    def test_where_nothing_was_said_is_listed_only_when_asked_for(self, desk: Desk) -> None:
        desk.memory.chat(owner="u1")
        assert "no conversations yet" in desk.run("/sessions")
        assert "0 messages" in desk.run("/sessions all")

    def test_exit(self, desk: Desk) -> None:
        for way in ("/exit", "/quit", "/EXIT"):
            with pytest.raises(Leave):
                desk.run(way)

    @pytest.mark.parametrize(
        "command", [command.name for command in commands.COMMANDS if command.name not in ("exit", "quit")]
    )
    @pytest.mark.parametrize("argument", ["", " 1", " nothing of the kind"])
    def test_every_command_copes_with_an_empty_memory(self, desk: Desk, command: str, argument: str) -> None:
        assert desk.run(f"/{command}{argument}")

    def test_hostile_texts_are_harmless(self, desk: Desk) -> None:
        desk.say(f"My sister says {EVIL} to me")
        desk.memory.remember(f"Likes {EVIL}", owner="u1")
        desk.run(f"/rename {EVIL}")
        for line in ("/sessions", "/history", "/search sister", "/facts", "/why", "/context", f"/{EVIL}", f"/load {EVIL}"):
            printed = desk.run(line)
            assert "\x07" not in printed
            assert "red" in printed or line in ("/why", "/context")
        assert "[bold]not markup[/bold] :smile:" in desk.run("/facts")


class TestConversations:
    def test_sessions_are_numbered_and_the_current_one_is_marked(self, desk: Desk) -> None:
        desk.say("About trams")
        desk.run("/rename Trams")
        desk.run("/new Boats")
        desk.say("About boats")
        lines = desk.run("/sessions").splitlines()
        assert lines[0].startswith("→  1. Boats")
        assert lines[1].startswith("   2. Trams")
        assert "2 messages" in lines[1]

    def test_load_by_number_title_part_and_id(self, desk: Desk) -> None:
        desk.say("About trams")
        trams = desk.talk.begun().rename("Trams of Lisbon").id
        desk.run("/new Boats")
        desk.say("About boats")
        for name in ("2", "trams of lisbon", "of lis", trams, trams[-6:]):
            desk.run("/new")
            desk.run("/sessions")
            assert "About trams" in desk.run(f"/load {name}")
            assert desk.talk.chat is not None
            assert desk.talk.chat.id == trams

    def test_load_of_several_lists_them(self, desk: Desk) -> None:
        for title in ("Lisbon one", "Lisbon two"):
            desk.run(f"/new {title}")
            desk.say("Hello")
        before = desk.talk.begun().id
        printed = desk.run("/load lisbon")
        assert "Lisbon one" in printed
        assert "Lisbon two" in printed
        assert desk.talk.begun().id == before
        desk.run("/load 2")
        assert desk.talk.begun().info().title == "Lisbon one"

    def test_archived_and_deleted_ones_are_taken_up_again(self, desk: Desk) -> None:
        desk.say("About trams")
        desk.talk.begun().rename("Trams")
        desk.run("/archive")
        assert desk.talk.chat is None
        assert "Trams" in desk.run("/sessions archived")
        assert "taken up again" in desk.run("/load 1")
        desk.say("More about trams")
        desk.talk.begun().delete()
        desk.run("/new")
        assert "purged in 29 days" in desk.run("/sessions deleted")
        assert "Trams" in desk.run("/sessions deleted")
        assert "restored" in desk.run("/load trams")
        assert len(desk.texts()) == 4

    def test_new_keeps_nothing_until_something_is_said(self, desk: Desk) -> None:
        desk.run("/new Plans")
        assert len(desk.memory.sessions(owner="u1")) == 0
        desk.say("Hello")
        assert desk.talk.begun().info().title == "Plans"

    def test_save_tells_the_truth(self, desk: Desk) -> None:
        desk.say("Hello")
        assert "saved already" in desk.run("/save My title")
        assert desk.talk.begun().info().title == "My title"

    def test_nothing_of_a_temporary_one_is_written(self, desk: Desk, tmp_path: Path) -> None:
        desk.run("/temp")
        desk.say("The secret is xylophone4711.")
        assert desk.talk.begun().info().temporary
        assert len(desk.memory.sessions(owner="u1")) == 0
        assert "temporary" in desk.run("/save")
        assert "nothing is written" in desk.run("/remember xylophone4711")
        desk.run("/new")
        assert not desk.talk.temporary
        assert all(b"xylophone4711" not in file.read_bytes() for file in tmp_path.glob("chat.db*"))


class TestCourse:
    def test_history(self, desk: Desk) -> None:
        desk.say("one", "two", "three")
        printed = desk.run("/history 2")
        assert "three" in printed
        assert "one" not in printed.split("memory")[0]
        assert "The last 2 of 6 messages" in printed

    def test_undo_takes_the_exchange_back_and_redo_brings_it(self, desk: Desk) -> None:
        desk.say("one", "two")
        before = desk.texts()
        assert "two" in desk.run("/undo")
        assert desk.texts() == before[:2]
        desk.run("/undo")
        assert desk.texts() == []
        assert "nothing to take back" in desk.run("/undo")
        desk.run("/redo")
        desk.run("/redo")
        assert desk.texts() == before
        assert "nothing to bring back" in desk.run("/redo")

    def test_clear_is_restorable_also_later(self, desk: Desk) -> None:
        desk.say("one", "two")
        before = desk.texts()
        assert "/redo" in desk.run("/clear")
        assert desk.texts() == []
        id = desk.talk.begun().id
        desk.run("/new")
        desk.run(f"/load {id}")
        desk.run("/redo")
        assert desk.texts() == before

    def test_fork(self, desk: Desk) -> None:
        desk.say("one")
        first = desk.talk.begun().id
        desk.run("/fork Another way")
        desk.say("two")
        assert desk.talk.begun().id != first
        assert desk.talk.begun().info().title == "Another way"
        assert desk.texts()[0] == "one"
        assert len(desk.memory.chat(owner="u1", session=first).messages()) == 2


class TestFinding:
    def test_search_is_numbered_for_load(self, desk: Desk) -> None:
        desk.say("My sister moved to Lisbon in May.")
        lisbon = desk.talk.begun().id
        desk.run("/new")
        desk.say("The boat leaves at nine.")
        printed = desk.run("/search sister")
        assert " 1. " in printed
        assert "My sister moved to Lisbon in May." in printed
        assert "matches 'sister'" in printed
        desk.run("/load 1")
        assert desk.talk.begun().id == lisbon

    def test_facts_remember_and_pin(self, desk: Desk) -> None:
        assert "Remembered" in desk.run("/remember Allergic to nuts")
        desk.run("/pin 1")
        assert "pinned" in desk.run("/facts")
        assert [fact.pinned for fact in desk.memory.facts(owner="u1")] == [True]
        desk.run("/pin 1")
        assert [fact.pinned for fact in desk.memory.facts(owner="u1")] == [False]
        assert "no fact number 7" in desk.run("/pin 7")

    def test_what_was_noted_is_told_and_undone(self, desk: Desk) -> None:
        assert desk.run("/undo-note").strip() == "Nothing was noted."
        assert "Noted: User lives in Lisbon  (/undo-note)" in desk.say("I live in Lisbon.")
        assert "Forgotten: User lives in Lisbon." in desk.run("/undo-note")
        assert desk.memory.facts(owner="u1", history=True) == []
        assert desk.texts()[0] == "I live in Lisbon."
        assert desk.run("/undo-note").strip() == "Nothing was noted."
        desk.memory.maintain()
        assert desk.memory.facts(owner="u1") == []

    def test_undo_note_leaves_earlier_notes(self, desk: Desk) -> None:
        desk.say("I live in Lisbon.", "I work as a nurse.")
        desk.run("/undo-note")
        assert [fact.text for fact in desk.memory.facts(owner="u1")] == ["User lives in Lisbon"]
        assert "Noted:" not in desk.say("What a fine day!")
        assert desk.run("/undo-note").strip() == "Nothing was noted."

    def test_undo_note_brings_back_what_it_ended(self, desk: Desk) -> None:
        desk.say("I live in Lisbon.", "I work as a nurse.", "I moved to Porto.")
        assert "User lives in Lisbon" not in [fact.text for fact in desk.memory.facts(owner="u1")]
        desk.run("/undo-note")
        texts = {fact.text for fact in desk.memory.facts(owner="u1")}
        assert texts == {"User lives in Lisbon", "User works as a nurse"}

    def test_pin_without_number_is_for_the_last_message(self, desk: Desk) -> None:
        desk.say("I am allergic to nuts.")
        desk.run("/pin")
        assert [message.pinned for message in desk.talk.begun().messages()] == [True, False]

    def test_context_and_why(self, desk: Desk) -> None:
        desk.say("My sister moved to Lisbon in May.")
        desk.run("/new")
        desk.say("Where does my sister live?")
        printed = desk.run("/context")
        assert "Prompt: " in printed
        assert "question" in printed
        assert "#" in printed
        assert "Lisbon" in printed
        printed = desk.run("/why")
        assert "Where does my sister live?" in printed
        assert "My sister moved to Lisbon in May." in printed
        assert "matches 'sister'" in printed

    def test_why_of_an_earlier_run_is_from_the_receipt(self, desk: Desk) -> None:
        desk.say("My sister moved to Lisbon in May. We all carried boxes.")
        desk.run("/new")
        desk.say("Where does my sister live?")
        desk.run(f"/load {desk.talk.begun().id}")
        assert desk.talk.answer is None
        printed = desk.run("/why")
        assert "matches 'sister'" in printed
        assert "My sister moved to Lisbon in May. We all carried boxes." in printed
        assert "Prompt: " in desk.run("/context")

    def test_why_lists_the_profile(self, desk: Desk) -> None:
        desk.talk.service = ChatService(desk.memory, ScriptedLLM(["Good morning."]))
        desk.memory.remember("Use metric units", owner="u1", kind="instruction")
        desk.say("Good morning!")
        for earlier in (False, True):
            if earlier:
                desk.run(f"/load {desk.talk.begun().id}")
            assert (desk.talk.answer is None) is earlier
            printed = desk.run("/why")
            assert "Use metric units" in printed
            assert "standing profile: instruction" in printed
        assert "Use metric units" in desk.run("/context")

    def test_why_tells_this_conversation_from_others(self, desk: Desk) -> None:
        desk.say("My sister moved to Lisbon in May.", "Where does my sister live?")
        printed = desk.run("/why")
        assert "My sister moved to Lisbon in May." in printed
        assert "this conversation" in printed
        assert "an earlier conversation" not in printed

    def test_why_nothing_was_quoted(self, desk: Desk) -> None:
        found = Cited("fact", "f1", "", "Likes tea", score=0.1)
        desk.talk.answer = Answer("s1", "I remember nothing about that.", (found,))
        printed = desk.run("/why")
        assert printed.startswith("Nothing was quoted. What came nearest:")
        assert "Likes tea" in printed
        desk.talk.answer = Answer("s1", "From memory: …", (found, Cited("fact", "f2", "", "Lives in Rome", named=True)))
        assert "Likes tea" not in desk.run("/why")


def test_the_line_below_counts_what_is_quoted() -> None:
    found = [Cited("fact", f"f{number}", "", "Likes tea", named=number < 2) for number in range(5)]
    assert rests_on(Answer("s1", "From memory: …", tuple(found)), 0.1) == "quoted from memory, no model · 2 memories · 0.1 s"
    assert rests_on(Answer("s1", "I remember nothing about that.", tuple(found[2:])), 0.1) == "no model · 0.1 s"
    assert rests_on(Answer("s1", "Tea.", tuple(found), model="m"), 0.1) == "m · 5 memories · 0.1 s"


class TestForget:
    def test_last_exchange_with_its_facts(self, desk: Desk) -> None:
        desk.say("I live in Porto.", "I am allergic to nuts.")
        assert len(desk.memory.facts(owner="u1")) == 2
        printed = desk.run("/forget", "1", "y", "y")
        assert "allergic to nuts" in printed
        assert "Forgotten for good: 2 messages" in printed
        assert len(desk.reader.asked) == 3
        assert desk.texts()[0] == "I live in Porto."
        assert len(desk.texts()) == 2
        assert [fact.text for fact in desk.memory.facts(owner="u1")] == ["User lives in Porto"]
        assert desk.reader.forgot == 1
        assert not any("nuts" in hit.passage for hit in desk.memory.search("nuts", owner="u1"))
        assert "I am allergic to nuts." not in list(said_before(desk.memory, "u1"))

    def test_facts_may_be_kept_although_the_words_go(self, desk: Desk) -> None:
        desk.say("I am allergic to nuts.")
        printed = desk.run("/forget last", "y", "n")
        assert "Kept as your own words: 1 fact" in printed
        assert desk.texts() == []
        kept = desk.memory.facts(owner="u1")
        assert [(fact.text, fact.messages) for fact in kept] == [("User is allergic to nuts", ())]

    @pytest.mark.parametrize("answers", [(), ("1",), ("1", "n"), ("2", ""), ("3", "1", "no"), ("4",)])
    def test_nothing_goes_without_a_yes(self, desk: Desk, answers: tuple[str, ...]) -> None:
        desk.say("I am allergic to nuts.")
        desk.run("/forget", *answers)
        assert len(desk.texts()) == 2
        assert len(desk.memory.facts(owner="u1")) == 1

    def test_conversation(self, desk: Desk) -> None:
        desk.say("I am allergic to nuts.")
        desk.talk.begun().rename("Food")
        printed = desk.run("/forget conversation", "yes", "")
        assert "Food" in printed
        assert "2 messages" in printed
        assert desk.talk.chat is None
        assert desk.memory.facts(owner="u1", history=True) == []
        assert len(desk.memory.sessions(owner="u1")) == len(desk.memory.sessions(owner="u1", status="deleted")) == 0

    def test_fact_and_the_words_it_was_made_of(self, desk: Desk) -> None:
        desk.say("I am allergic to nuts.")
        desk.run("/facts")
        printed = desk.run("/forget fact 1", "y", "y")
        assert "You said so here" in printed
        assert desk.memory.facts(owner="u1") == []
        assert not any("nuts" in text for text in desk.texts()[:1])

    def test_fact_alone(self, desk: Desk) -> None:
        desk.say("I am allergic to nuts.")
        desk.run("/forget fact 1", "y", "n")
        assert desk.memory.facts(owner="u1") == []
        assert desk.texts()[0] == "I am allergic to nuts."


class TestExport:
    def test_markdown_by_default_and_json_by_the_suffix(self, desk: Desk, tmp_path: Path) -> None:
        desk.say("My sister moved to Lisbon in May.")
        desk.run("/rename Family")
        assert "family.md" in desk.run("/export")
        assert "My sister moved to Lisbon in May." in (tmp_path / "family.md").read_text()
        desk.run("/export out.json")
        assert "My sister moved to Lisbon in May." in json.dumps(json.loads((tmp_path / "out.json").read_text()))

    def test_asks_before_it_replaces(self, desk: Desk, tmp_path: Path) -> None:
        desk.say("Hello")
        (tmp_path / "mine.md").write_text("precious")
        assert "Nothing was written" in desk.run("/export mine.md", "n")
        assert (tmp_path / "mine.md").read_text() == "precious"
        desk.run("/export mine.md", "y")
        assert "Hello" in (tmp_path / "mine.md").read_text()

    def test_what_cannot_be_written(self, desk: Desk, tmp_path: Path) -> None:
        desk.say("Hello")
        assert "as .pdf; known are .md" in desk.run("/export talk.pdf")
        assert not (tmp_path / "talk.pdf").exists()
        with pytest.raises(recollect.NotFound, match=f"there is no folder {tmp_path / 'none'}"):
            desk.run(f"/export {tmp_path / 'none' / 'a.md'}")


class TestAnswering:
    def test_what_cannot_be_said_begins_nothing(self, desk: Desk) -> None:
        with pytest.raises(recollect.InvalidInput):
            desk.say("a\0b")
        assert desk.talk.chat is None
        assert len(desk.memory.sessions(owner="u1")) == 0

    def test_model_answers_and_the_line_below_says_what_it_had(self, desk: Desk) -> None:
        desk.talk.service = ChatService(desk.memory, ScriptedLLM(["In **Lisbon**."]))
        printed = desk.say("Where is she?")
        assert printed.startswith("In **Lisbon**.\n")
        assert "no memories used" in printed
        assert desk.texts() == ["Where is she?", "In **Lisbon**."]

    def test_control_characters_of_a_model_do_not_reach_the_terminal(self, desk: Desk) -> None:
        desk.talk.service = ChatService(desk.memory, ScriptedLLM([f"Well {EVIL}"]))
        assert "\x07" not in desk.say("Hello")
