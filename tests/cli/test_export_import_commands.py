"""`keepsaid export` and `import`: files and pipes, the reported counts, and continuing after Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import sqlite3
import subprocess
from pathlib import Path

import pexpect
import pytest
from shell import KEEPSAID, answer, assert_refused, call, make_store, run_command, start_command, texts, wait_for

import keepsaid


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def test_export_to_pipe_writes_only_json(store: Path):
    done = run_command("--db", str(store), "export")
    assert (done.returncode, done.stderr) == (0, "")
    kept = json.loads(done.stdout)
    assert {session["id"] for session in kept["sessions"]} == {"trip", "work", "untitled"}
    assert "Nobody's business" not in done.stdout
    one = json.loads(call(store, "export", "Office").stdout)
    assert [session["id"] for session in one["sessions"]] == ["work"]


def test_export_is_utf8_in_any_locale(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="tea", create=True).add("user", "お茶 🍵")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*KEEPSAID, "--db", str(store), "export"], capture_output=True, check=True, env={**os.environ, **plain}
    )
    assert "お茶 🍵" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_export_to_terminal_removes_control_characters(store: Path, tmp_path: Path, format: str):
    evil = "red \x1b[31m\x9b31m\x1b]0;title\x07 \u202eback"
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="evil", create=True, title=evil).add("user", f"one\n\t{evil}")
    environment = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm"}
    arguments = ["--db", str(store), "export", "evil", "--format", format]
    shown, code = pexpect.run(shlex.join([*KEEPSAID, *arguments]), withexitstatus=True, timeout=60, env=environment)
    assert code == 0
    text = shown.decode("utf-8").replace("\r\n", "\n")
    assert "red" in text
    assert not set(text) & set("\x1b\x9b\x07\u202e")
    piped = run_command(*arguments).stdout
    if format == "json":
        # Where other tests have used gRPC in this process, it may say something before the command begins.
        written = json.loads(text[text.index("{") :])
        assert written["sessions"][0]["messages"][0]["content"] == f"one\n\t{evil}"
        assert written == json.loads(piped)
    else:
        assert evil in piped, "a file has what was said"


def test_export_to_file_asks_before_replacing(store: Path, tmp_path: Path):
    target = tmp_path / "all.json"
    done = call(store, "export", "-o", str(target))
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"Wrote 3 conversations, 5 messages to {target} (" in done.stderr
    assert_refused(call(store, "export", "-o", str(target)), "--yes")
    assert call(store, "export", "-o", str(target), "--yes").exit_code == 0
    assert call(store, "export", "trip", "-o", str(tmp_path / "trip.md")).exit_code == 0
    assert (tmp_path / "trip.md").read_text().startswith("# Lisbon")
    assert_refused(call(store, "export", "Madrid"), "no session 'Madrid'")
    assert_refused(call(store, "export", "--format", "docx"), "docx")
    assert_refused(
        call(store, "export", "-o", str(tmp_path / "none" / "all.json")), f"there is no folder {tmp_path / 'none'}"
    )
    assert_refused(call(store, "export", "-o", str(tmp_path / "none" / "all.json"), "--yes"), "there is no folder")
    assert_refused(call(store, "backup", str(tmp_path / "none" / "copy.db")), f"there is no folder {tmp_path / 'none'}")
    assert_refused(call(tmp_path / "new.db", "sessions"), f"no store at {tmp_path / 'new.db'} yet", "`keepsaid chat`")


def test_import_restores_exported_conversations(store: Path, tmp_path: Path):
    target, new = tmp_path / "all.json", tmp_path / "new.db"
    call(store, "export", "-o", str(target))
    dry_run = call(new, "import", str(target), "--dry-run")
    assert "Would import 3 conversations, 5 messages" in dry_run.stdout
    assert dry_run.stdout.endswith("Nothing was changed: this was a dry run.\n")
    assert not new.exists()
    done = call(new, "import", str(target))
    assert done.exit_code == 0
    assert done.stdout == f"Imported 3 conversations, 5 messages from {target} (keepsaid).\n"
    assert texts(new, "me", "trip") == texts(store, "me", "trip")
    again = answer(call(new, "import", str(target), "--json"))
    assert (again["messages"], again["already_there"], again["format"]) == (0, 5, "keepsaid")
    assert call(new, "export").stdout == call(store, "export").stdout


def test_import_refuses_unreadable_file_and_unknown_format(store: Path, tmp_path: Path):
    (tmp_path / "note.txt").write_text("just a note")
    assert_refused(call(store, "import", str(tmp_path / "note.txt")))
    assert_refused(call(store, "import", str(tmp_path / "none.json")), "none.json")
    assert_refused(call(store, "import", str(tmp_path / "note.txt"), "--format", "msn"), "msn")


def test_import_refuses_keepsaid_store(store: Path, tmp_path: Path):
    assert_refused(call(tmp_path / "new.db", "import", str(store)), "chat.db is a Keepsaid store", "--db", "export")


def test_import_reports_mismatched_format(tmp_path: Path):
    file, new = tmp_path / "chats.json", tmp_path / "new.db"
    message = {"id": "n1", "author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}
    talk = {"id": "c1", "title": "Hi", "mapping": {"n1": {"id": "n1", "parent": None, "children": [], "message": message}}}
    file.write_text(json.dumps([talk]))
    done = call(new, "import", str(file), "--format", "claude")
    assert done.exit_code == 1
    assert "left out: 1 conversation without a list of messages" in done.stdout
    assert "looks like chatgpt, not claude" in done.stderr
    assert call(new, "import", str(file)).exit_code == 0
    assert call(new, "import", str(file)).exit_code == 0  # all of it is there already


def test_import_skips_and_reports_unreadable_row(tmp_path: Path):
    with sqlite3.connect(tmp_path / "history.db") as db:
        db.execute("CREATE TABLE message_store (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT)")
        good = json.dumps({"type": "human", "data": {"content": "Hi"}})
        db.executemany("INSERT INTO message_store (session_id, message) VALUES ('a', ?)", [(good,), ("not json",)])
    db.close()
    done = call(tmp_path / "new.db", "import", str(tmp_path / "history.db"))
    assert done.exit_code == 1
    assert "left out: 1 message that cannot be read" in done.stdout
    assert texts(tmp_path / "new.db", "me", "a") == ["Hi"]


def test_import_of_truncated_file_keeps_complete_conversations(store: Path, tmp_path: Path):
    target, new = tmp_path / "all.json", tmp_path / "new.db"
    call(store, "export", "-o", str(target))
    whole = target.read_text()
    last = json.loads(whole)["sessions"][-1]["id"]
    target.write_text(whole[: whole.index(f'{{"id": "{last}"') + 30])
    done = call(new, "import", str(target))
    assert done.exit_code == 1
    assert "Imported 2 conversations" in done.stdout
    assert "all.json" in done.output
    target.write_text(whole)
    assert "Imported 1 conversation, " in call(new, "import", str(target)).stdout


def large(path: Path, sessions: int) -> None:
    """Writes an OpenAI-style file of many chats, which takes a while to import."""
    with path.open("w") as file:
        for session in range(sessions):
            messages = [{"role": "user", "content": f"session {session} message {n} " + "tea " * 50} for n in range(20)]
            file.write(json.dumps({"id": f"c{session}", "messages": messages}) + "\n")


def test_import_continues_after_ctrl_c(tmp_path: Path):
    file, new = tmp_path / "chats.jsonl", tmp_path / "new.db"
    large(file, 1_000)
    process = start_command("--db", str(new), "import", str(file))

    def count() -> int:
        if not new.exists() or not new.stat().st_size:
            return 0
        with keepsaid.open(new, embedder="off", background=False) as memory:
            return memory.stats(owner="me", days=1).sessions

    wait_for(lambda: count() > 5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (1, "")
    assert stderr.splitlines()[-1] == "Stopped. What was imported so far is kept; run it again to continue."
    kept = count()
    assert 5 < kept < 1_000
    rest = answer(call(new, "import", str(file), "--json"))
    assert rest["conversations"] + kept in (1_000, 1_001)  # one may have been half there
    assert rest["messages"] + rest["already_there"] == 20_000
    assert count() == 1_000
    assert call(new, "doctor").exit_code == 0


def test_import_shows_progress_with_rate_and_time_left(tmp_path: Path):
    file = tmp_path / "chats.jsonl"
    large(file, 400)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*KEEPSAID, "--db", str(tmp_path / "new.db"), "import", str(file)],
        stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "COLUMNS": "100", "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:
            break
    stdout = process.communicate()[0].decode()
    os.close(ours)
    assert process.returncode == 0
    assert stdout.startswith("Imported 400 conversations, 8,000 messages")
    said = shown.decode()
    assert "Reading chats.jsonl" in said
    assert " MB/s" in said or " kB/s" in said
    assert " MB, " in said
    assert " left" in said
