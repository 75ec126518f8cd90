"""`keepsaid sessions`, `show`, `facts` and `documents`: what they print, what they change, and what they refuse."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from shell import KEEPSAID, NOON, answer, assert_refused, call, make_store

import keepsaid
from keepsaid.cli.output.text import display_width
from keepsaid.engine.prompt.budget import Limits


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


# -- sessions


def test_sessions_prints_table_newest_first(store: Path):
    lines = call(store, "sessions").stdout.splitlines()
    assert lines[0].split() == ["title", "id", "last", "said", "messages", "tokens", "status"]
    assert [line.split()[0] for line in lines[1:]] == ["Office", "Lisbon", "–"]
    assert f"{(NOON + timedelta(days=2)).astimezone():%Y-%m-%d %H:%M}" in lines[1]
    assert lines[1].endswith("archived")


def test_sessions_filters_by_status_tag_and_date(store: Path):
    def ids(*arguments: str) -> list[str]:
        return [session["id"] for session in answer(call(store, "sessions", *arguments, "--json"))["sessions"]]

    assert ids("--status", "archived") == ["work"]
    assert ids("--tag", "family") == ["trip"]
    assert ids("--since", "2026-05-03") == ["work"]
    assert ids("--until", "2026-05-03") == ["trip", "untitled"]
    assert ids("--limit", "1") == ["work"]
    limited = call(store, "sessions", "--limit", "1")
    assert "--all lists all" in limited.stderr
    assert answer(call(store, "sessions", "--limit", "1", "--json"))["more"] is True
    assert answer(call(store, "sessions", "--json"))["more"] is False
    assert call(store, "sessions", "--tag", "none").stdout == "Owner 'me' has no such session.\n"
    assert_refused(call(store, "sessions", "--status", "sleeping"), "sleeping")
    assert_refused(call(store, "sessions", "--since", "whenever"), "whenever")


def test_sessions_all_lists_more_than_one_page(store: Path):
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        for number in range(1005):
            memory.chat(owner="many", session=f"s{number}", create=True, title=f"Talk {number}")
    assert len(answer(call(store, "--owner", "many", "sessions", "--all", "--json"))["sessions"]) == 1005
    assert len(answer(call(store, "--owner", "many", "sessions", "--json"))["sessions"]) == 20


def test_sessions_lists_empty_sessions_only_with_all(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="blank", create=True)
        memory.chat(owner="me", session="trip").clear()  # it has its branches and its title still
    shown = {session["id"] for session in answer(call(store, "sessions", "--json"))["sessions"]}
    assert shown == {"trip", "work", "untitled"}
    every = {session["id"] for session in answer(call(store, "sessions", "--all", "--json"))["sessions"]}
    assert every == shown | {"blank"}


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_sessions_table_fits_screen_width(store: Path, columns: int):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="long", create=True, title="お茶を飲みながら " * 20).add("user", "x")
        memory.chat(owner="me", title="Evil \x1b[31m\x07 title\nin two lines")
    shown = call(store, "sessions", env={"COLUMNS": str(columns)}).stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    widest = max(map(display_width, shown.splitlines()))
    # The columns of numbers need 64 cells; only the title gives way.
    assert widest <= max(columns, 76)
    assert len(shown.splitlines()) == 6


# -- show


def test_show_prints_title_messages_and_dates(store: Path):
    shown = call(store, "show", "trip").stdout
    assert shown.splitlines()[0] == "Lisbon  (trip)"
    assert "My brother moved to Porto in May." in shown
    assert "sister" not in shown
    assert f"{(NOON + timedelta(hours=1)).astimezone():%A, %Y-%m-%d}" in shown
    assert "1 message, " in shown


@pytest.mark.parametrize("name", ["work", "Office", "office", "offi", "wor", "ork"])
def test_show_finds_session_by_id_or_title_part(store: Path, name: str):
    assert answer(call(store, "show", name, "--json"))["id"] == "work"


def test_show_refuses_unknown_or_ambiguous_name(store: Path):
    assert_refused(call(store, "show", "Madrid"), "no session 'Madrid'", "keepsaid sessions")
    assert_refused(call(store, "show", "theirs"), "no session 'theirs'")
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", title="Lisbon")
    assert_refused(call(store, "show", "lisbon"), "could be", "use the id")


def test_show_prints_all_message_kinds_and_last_messages(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        chat = memory.chat(owner="me", session="tools", create=True)
        chat.add("user", "```python\ndef tea():\n    return 'お茶' * 2  \x1b[31m\n```\n\n" + "long words " * 30)
        call_ = keepsaid.ToolCall("c1", "weather", '{"city": "Lisbon"}')
        chat.add("assistant", "", tool_calls=[call_])
        chat.add("tool", "Sunny", tool_call_id="c1", name="weather")
        picture = keepsaid.ContentPart("image", uri="https://example.org/cat.png")
        chat.add("user", (keepsaid.ContentPart("text", text="Look"), picture), name="Ana")
    shown = call(store, "show", "tools").stdout
    assert "\x1b" not in shown
    assert "    def tea():\n        return 'お茶' * 2" in shown
    assert 'calls weather {"city": "Lisbon"}' in shown
    assert "[image: https://example.org/cat.png]" in shown
    assert "user Ana" in shown
    assert max(map(display_width, shown.splitlines())) <= 80
    said = answer(call(store, "show", "tools", "--last", "2", "--json"))["said"]
    assert [message["role"] for message in said] == ["tool", "user"]
    assert said[0]["tool_call_id"] == "c1"
    assert "the last 2:" in call(store, "show", "tools", "--last", "2").stdout


def test_show_branches_lists_branches(store: Path):
    found = answer(call(store, "show", "trip", "--branches", "--json"))["branches"]
    assert [(branch["messages"], branch["active"]) for branch in found] == [(2, False), (1, True)]
    lines = call(store, "show", "trip", "--branches").stdout.splitlines()
    assert "How nice!" in lines[1]
    assert lines[2].endswith("active")
    assert_refused(call(store, "show", "trip", "--branches", "--why"), "--why")


def test_show_why_prints_receipt(store: Path):
    assert "There is no receipt of a prompt" in call(store, "show", "trip", "--why").stdout
    with keepsaid.open(store, embedder="off", background=False) as memory:
        asked = memory.chat(owner="me", session="untitled")
        context = asked.context("Where did my brother move to?", limits=Limits(profile=0, facts=0))
    shown = call(store, "show", "untitled", "--why").stdout
    assert "Where did my brother move to?" in shown
    assert f"{context.tokens:,} of {context.budget:,} tokens" in shown
    assert "recalled: message, " in shown
    assert "My brother moved to Porto in May." in shown
    (receipt,) = answer(call(store, "show", "untitled", "--why", "--json"))["receipts"]
    assert receipt["id"] == context.receipt_id
    assert 0 < receipt["ms"] < 60_000
    assert "My brother moved to Porto in May." in receipt["entries"][0]["words"]
    assert call(store, "erase", "--owner", "me", "--session", "trip", "--yes").exit_code == 0
    gone = call(store, "show", "untitled", "--why").stdout
    assert "Porto" not in gone
    assert "(gone since)" in gone


def test_show_why_lists_profile(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        fact = memory.remember("Use metric units", owner="me", kind="instruction")
        session = memory.chat(owner="me")
        session.add("user", "Hello.")
        session.context("Where did my brother move to?")
    shown = call(store, "show", session.id, "--why").stdout
    profile = shown.partition("The profile, which is in every prompt:")[2].partition("In it:")[0]
    assert "profile: fact, " in profile
    assert 'The user asks: "Use metric units"' in profile
    assert "standing profile: instruction" in profile
    (receipt,) = answer(call(store, "show", session.id, "--why", "--json"))["receipts"]
    told = {line.get("id"): line["words"] for line in receipt["profile"]}
    assert told[fact.id] == 'The user asks: "Use metric units"'
    assert call(store, "facts", "forget", fact.id, "--yes").exit_code == 0
    assert "(gone since)" in call(store, "show", session.id, "--why").stdout


# -- naming a session


def test_search_accepts_session_names_as_printed(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        id = memory.chat(owner="me", title="A rather long title about tea").add("user", "Tea in Lisbon is green.").session
    for name in (id, "…" + id[-6:], "A rather long title about tea", "a rather long ti…", "about tea"):
        (hit,) = answer(call(store, "search", "Lisbon", "--session", name, "--json"))["hits"]
        assert hit["session"] == id
    assert_refused(call(store, "search", "Lisbon", "--session", "Madrid"), "no session 'Madrid'", "keepsaid sessions")
    assert_refused(call(store, "search", "Lisbon", "--session", ""), "no session ''")


def test_erase_accepts_session_names_and_asks_first(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        id = memory.chat(owner="me", title="Tea house").add("user", "Green.").session
    for name in (id, "…" + id[-6:], "tea house", "Tea h…", "house"):
        asked = call(store, "erase", "--owner", "me", "--session", name, input="n\n")
        assert asked.exit_code == 1
        assert f"This erases session {id!r} ('Tea house') of owner 'me' with 1 message" in asked.stderr
    for guess in ("house", id[-3:], "Madrid"):
        # Nobody is asked, so it must be sure.
        assert_refused(call(store, "erase", "--owner", "me", "--session", guess, "--yes"), f"no session {guess!r}")
    assert call(store, "erase", "--owner", "me", "--session", id[-6:], "--yes").exit_code == 0
    assert [one["id"] for one in answer(call(store, "sessions", "--json"))["sessions"]] == ["work", "trip", "untitled"]


# -- facts


def test_facts_commands_add_edit_pin_and_filter(store: Path):
    assert call(store, "facts").stdout == "Nothing is known about 'me' yet.\n"
    told = call(store, "facts", "add", "Likes", "green tea", "--kind", "preference").stdout
    assert told.startswith("Added: Likes green tea (…")
    id = told.strip()[-8:-1]
    changed = answer(call(store, "facts", "edit", id, "Likes black tea", "--json"))
    assert changed["text"] == "Likes black tea"
    assert "Pinned: Likes black tea" in call(store, "facts", "pin", changed["id"]).stdout
    assert "Likes black tea (pinned)" in call(store, "facts").stdout
    assert "Unpinned" in call(store, "facts", "pin", changed["id"], "--off").stdout
    assert "Likes black tea" in call(store, "facts", "tea").stdout
    assert "with these words" in call(store, "facts", "elephants").stdout
    assert "green" not in call(store, "facts").stdout
    assert "green" in call(store, "facts", "--history").stdout
    assert [fact["text"] for fact in answer(call(store, "facts", "--history", "--json"))["facts"]][-1] == "Likes green tea"


def test_facts_forget_asks_for_confirmation(store: Path):
    fact = answer(call(store, "facts", "add", "Likes tea", "--json"))
    no = call(store, "facts", "forget", fact["id"], input="n\n")
    assert (no.exit_code, no.stdout) == (1, "")
    assert "Forgotten" in call(store, "facts", "forget", fact["id"], input="y\n").stdout
    assert answer(call(store, "facts", "--json"))["facts"] == []
    assert_refused(call(store, "facts", "forget", fact["id"], "--yes"), "0 facts", "keepsaid facts")
    assert_refused(call(store, "facts", "add", " "), "the fact is empty")


def test_facts_forget_refuses_fact_of_other_owner(store: Path):
    fact = answer(call(store, "facts", "add", "Likes tea", "--json"))
    assert_refused(call(store, "--owner", "other", "facts", "forget", fact["id"], "--yes"), "0 facts")


def test_facts_add_creates_store(tmp_path: Path):
    assert call(tmp_path / "new.db", "facts", "add", "Likes tea").exit_code == 0
    assert "Likes tea" in call(tmp_path / "new.db", "facts").stdout


# -- documents


def test_documents_commands_add_list_search_and_remove(store: Path, tmp_path: Path):
    assert "keepsaid documents add FILE" in call(store, "documents").stdout
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "guide.md").write_text("# Backup\n\nThe folder is copied every Sunday.")
    (folder / "deep" / "guide.md").write_text("# Install\n\nRun setup.exe.")
    (folder / ".git" / "secret.txt").write_text("not to be read")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    added = call(store, "documents", "add", str(folder))
    assert added.exit_code == 0
    assert added.stdout.splitlines() == ["deep/guide.md: version 1, 1 piece", "guide.md: version 1, 1 piece"]
    listed = answer(call(store, "documents", "--json"))["documents"]
    assert [document["name"] for document in listed] == ["deep/guide.md", "guide.md"]
    assert call(store, "documents").stdout.splitlines()[0].split() == ["name", "version", "pieces", "tokens", "added"]
    (hit,) = answer(call(store, "documents", "search", "when is the folder copied?", "--limit", "1", "--json"))["hits"]
    assert (hit["document"], hit["place"]) == ("guide.md", "§ Backup")
    assert "guide.md  § Backup" in call(store, "documents", "search", "folder copied").stdout
    assert call(store, "documents", "remove", "guide.md", input="n\n").exit_code == 1
    assert "Removed guide.md with 1 piece" in call(store, "documents", "remove", "guide.md", "--yes").stdout
    assert_refused(call(store, "documents", "remove", "guide.md", "--yes"))
    assert_refused(call(store, "documents", "add", str(tmp_path / "nothing.md")), "nothing.md")
    assert answer(call(store, "--owner", "other", "documents", "--json"))["documents"] == []


# -- a store that cannot be written


def on_a_read_only_disk(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command while a folder is mounted read-only."""
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    own = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(folder)]
    try:
        subprocess.run([*own, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"nothing can be mounted here: {error}")
    return subprocess.run([*own, *KEEPSAID, *arguments], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("sessions",), "Lisbon"),
        (("search", "brother"), "My brother moved to Porto"),
        (("show", "trip"), "My brother moved to Porto"),
        (("facts",), "Nothing is known"),
        (("stats",), "3 sessions"),
        (("export", "trip"), "My brother moved to Porto"),
    ],
)
def test_read_commands_work_on_read_only_disk(tmp_path: Path, arguments: tuple[str, ...], printed: str):
    folder = tmp_path / "archive"
    folder.mkdir()
    store = make_store(folder / "chat.db")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = on_a_read_only_disk(folder, "--db", str(store), *arguments)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout
    assert done.stderr.splitlines()[0] == f"Note: {store} is read-only; reading a temporary copy of it."
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert on_a_read_only_disk(folder, "--db", str(store), "facts", "add", "Likes tea").returncode == 2


def test_sessions_refuses_read_only_store_with_wal_file(tmp_path: Path):
    folder = tmp_path / "archive"
    folder.mkdir()
    store = make_store(folder / "chat.db")
    (folder / "chat.db-wal").write_bytes(b"")
    done = on_a_read_only_disk(folder, "--db", str(store), "sessions")
    assert done.returncode == 2
    assert "chat.db-wal belongs to it: run this once as a user who can write there" in done.stderr
