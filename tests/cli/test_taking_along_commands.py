"""`recollect export` and `import`: to a file or a pipe, counted, and gone on with after Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from shell import RECOLLECT, answer, call, make_store, ran, refused, started, texts, wait_for

import recollect


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def test_export_to_a_pipe(store: Path):
    done = ran("--db", str(store), "export")
    assert (done.returncode, done.stderr) == (0, "")
    kept = json.loads(done.stdout)
    assert {session["id"] for session in kept["sessions"]} == {"trip", "work", "untitled"}
    assert "Nobody's business" not in done.stdout
    one = json.loads(call(store, "export", "Office").stdout)
    assert [session["id"] for session in one["sessions"]] == ["work"]


def test_export_is_utf8_whatever_the_terminal_speaks(store: Path):
    with recollect.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="tea", create=True).add("user", "お茶 🍵")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*RECOLLECT, "--db", str(store), "export"], capture_output=True, check=True, env={**os.environ, **plain}
    )
    assert "お茶 🍵" in done.stdout.decode("utf-8")


def test_export_to_a_file(store: Path, tmp_path: Path):
    target = tmp_path / "all.json"
    done = call(store, "export", "-o", str(target))
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"Wrote 3 conversations, 5 messages to {target} (" in done.stderr
    refused(call(store, "export", "-o", str(target)), "--yes")
    assert call(store, "export", "-o", str(target), "--yes").exit_code == 0
    assert call(store, "export", "trip", "-o", str(tmp_path / "trip.md")).exit_code == 0
    assert (tmp_path / "trip.md").read_text().startswith("# Lisbon")
    refused(call(store, "export", "Madrid"), "no session 'Madrid'")
    refused(call(store, "export", "--format", "docx"), "docx")
    refused(call(store, "export", "-o", str(tmp_path / "none" / "all.json")), f"there is no folder {tmp_path / 'none'}")
    refused(call(store, "export", "-o", str(tmp_path / "none" / "all.json"), "--yes"), "there is no folder")
    refused(call(store, "backup", str(tmp_path / "none" / "copy.db")), f"there is no folder {tmp_path / 'none'}")
    refused(call(tmp_path / "new.db", "sessions"), f"no store at {tmp_path / 'new.db'} yet", "`recollect chat`")


def test_there_and_back(store: Path, tmp_path: Path):
    target, new = tmp_path / "all.json", tmp_path / "new.db"
    call(store, "export", "-o", str(target))
    rehearsal = call(new, "import", str(target), "--dry-run")
    assert "Would take over 3 conversations, 5 messages" in rehearsal.stdout
    assert rehearsal.stdout.endswith("Nothing was changed: this was a dry run.\n")
    assert not new.exists()
    done = call(new, "import", str(target))
    assert done.exit_code == 0
    assert done.stdout == f"Took over 3 conversations, 5 messages from {target} (recollect).\n"
    assert texts(new, "me", "trip") == texts(store, "me", "trip")
    again = answer(call(new, "import", str(target), "--json"))
    assert (again["messages"], again["already_there"], again["format"]) == (0, 5, "recollect")
    assert call(new, "export").stdout == call(store, "export").stdout


def test_what_cannot_be_imported(store: Path, tmp_path: Path):
    (tmp_path / "note.txt").write_text("just a note")
    refused(call(store, "import", str(tmp_path / "note.txt")))
    refused(call(store, "import", str(tmp_path / "none.json")), "none.json")
    refused(call(store, "import", str(tmp_path / "note.txt"), "--format", "msn"), "msn")


def test_a_store_is_no_export(store: Path, tmp_path: Path):
    refused(call(tmp_path / "new.db", "import", str(store)), "chat.db is a Recollect store", "--db", "export")


def test_a_file_of_another_format_than_was_said(tmp_path: Path):
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


def test_a_row_that_cannot_be_read(tmp_path: Path):
    with sqlite3.connect(tmp_path / "history.db") as db:
        db.execute("CREATE TABLE message_store (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT)")
        good = json.dumps({"type": "human", "data": {"content": "Hi"}})
        db.executemany("INSERT INTO message_store (session_id, message) VALUES ('a', ?)", [(good,), ("not json",)])
    db.close()
    done = call(tmp_path / "new.db", "import", str(tmp_path / "history.db"))
    assert done.exit_code == 1
    assert "left out: 1 message that cannot be read" in done.stdout
    assert texts(tmp_path / "new.db", "me", "a") == ["Hi"]


def test_a_file_that_ends_in_the_middle(store: Path, tmp_path: Path):
    target, new = tmp_path / "all.json", tmp_path / "new.db"
    call(store, "export", "-o", str(target))
    whole = target.read_text()
    last = json.loads(whole)["sessions"][-1]["id"]
    target.write_text(whole[: whole.index(f'{{"id": "{last}"') + 30])
    done = call(new, "import", str(target))
    assert done.exit_code == 1
    assert "Took over 2 conversations" in done.stdout
    assert "all.json" in done.output
    target.write_text(whole)
    assert "Took over 1 conversation, " in call(new, "import", str(target)).stdout


def large(path: Path, sessions: int) -> None:
    """An OpenAI-style file of many chats, that takes a while."""
    with path.open("w") as file:
        for session in range(sessions):
            messages = [{"role": "user", "content": f"session {session} message {n} " + "tea " * 50} for n in range(20)]
            file.write(json.dumps({"id": f"c{session}", "messages": messages}) + "\n")


def test_stopped_in_the_middle_it_goes_on(tmp_path: Path):
    file, new = tmp_path / "chats.jsonl", tmp_path / "new.db"
    large(file, 1_000)
    process = started("--db", str(new), "import", str(file))

    def count() -> int:
        if not new.exists() or not new.stat().st_size:
            return 0
        with recollect.open(new, embedder="off", background=False) as memory:
            return memory.stats(owner="me", days=1).sessions

    wait_for(lambda: count() > 5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (1, "")
    assert stderr.splitlines()[-1] == "Stopped. What was read by now stays; run it again to go on from there."
    kept = count()
    assert 5 < kept < 1_000
    rest = answer(call(new, "import", str(file), "--json"))
    assert rest["conversations"] + kept in (1_000, 1_001)  # one may have been half there
    assert rest["messages"] + rest["already_there"] == 20_000
    assert count() == 1_000
    assert call(new, "doctor").exit_code == 0


def test_a_terminal_sees_a_bar_with_rate_and_time_left(tmp_path: Path):
    file = tmp_path / "chats.jsonl"
    large(file, 400)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*RECOLLECT, "--db", str(tmp_path / "new.db"), "import", str(file)],
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
    assert stdout.startswith("Took over 400 conversations, 8,000 messages")
    said = shown.decode()
    assert "Reading chats.jsonl" in said
    assert " MB/s" in said or " kB/s" in said
    assert " MB, " in said
    assert " left" in said
