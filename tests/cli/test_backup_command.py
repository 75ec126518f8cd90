"""`keepsaid backup` and `restore`: copies of a store in use, dated copies, and restoring them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from shell import KEEPSAID, answer, assert_refused, call, make_store, start_command, texts, wait_for

import keepsaid
from keepsaid.services.background import backups

WRITER = """
import sys, keepsaid
with keepsaid.open(sys.argv[1], embedder="off", background=False, durable=False) as memory:
    chat = memory.chat(owner="w", session="w", create=True)
    for number in range(100_000):
        chat.add("user", f"message {number} " + "and so on " * 20)
        if number == 300:
            print("writing", flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def touch_up(store: Path) -> None:
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="trip").add("user", "Said after the backup.")


# -- backup


def test_backup_during_writes_of_other_process_is_consistent(tmp_path: Path):
    """A copy made in many steps is a consistent snapshot."""
    store = tmp_path / "busy.db"
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="w", session="w", create=True).add_many(
            [{"role": "user", "content": "before " * 200} for _ in range(20_000)]
        )
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(store)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        told: list[tuple[int, int]] = []
        with keepsaid.open(store, embedder="off", background=False) as memory:
            memory.backup(tmp_path / "copy.db", progress=lambda done, total: told.append((done, total)))
            assert writer.poll() is None, "the writer should still be at it"
    finally:
        writer.kill()
        writer.communicate()
    assert len(told) > 3
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] == (tmp_path / "copy.db").stat().st_size
    assert len({total for _, total in told}) == 1  # it never had to begin anew
    assert call(tmp_path / "copy.db", "doctor").exit_code == 0
    numbers = [int(text.split()[1]) for text in texts(tmp_path / "copy.db", "w", "w")[20_000:]]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 300


def test_backup_keep_removes_only_older_own_copies(store: Path, tmp_path: Path):
    folder = tmp_path / "copies"
    folder.mkdir()
    foreign = folder / "keepsaid-20200101-000000.db"
    foreign.write_text("somebody's own file of that name")
    other = make_store(tmp_path / "other.db")
    call(other, "backup", str(folder / "keepsaid-20200102-000000.db"))
    (folder / "keepsaid-notes.db").write_text("mine")
    (folder / "keepsaid-20200103-000000.db").symlink_to(store)
    for _ in range(4):
        made = answer(call(store, "backup", str(folder), "--keep", "2", "--json"))
        time.sleep(1.01)  # names go by the second
    assert made["removed"] == 1
    ours = [path for path in folder.iterdir() if path.name.startswith(f"keepsaid-{time.strftime('%Y')}")]
    assert len(ours) == 2
    assert Path(made["backup"]) in ours
    assert {path.name for path in folder.iterdir()} - {path.name for path in ours} == {
        foreign.name, "keepsaid-20200102-000000.db", "keepsaid-notes.db", "keepsaid-20200103-000000.db",
    }  # fmt: skip
    assert "Removed 1 older backup." in call(store, "backup", str(folder), "--keep", "2").stdout
    assert texts(Path(made["backup"]), "me", "work") == ["The office code is 4711."]


def test_backup_to_folder_without_keep_removes_nothing(store: Path, tmp_path: Path):
    (tmp_path / "copies").mkdir()
    assert answer(call(store, "backup", str(tmp_path / "copies"), "--json"))["removed"] == 0
    (made,) = (tmp_path / "copies").iterdir()
    assert backups.parse_backup_time(made) is not None


def test_backup_and_restore_of_encrypted_store(tmp_path: Path):
    store, key, folder = tmp_path / "secret.db", tmp_path / "key", tmp_path / "copies"
    key.write_text("correct horse")
    with keepsaid.open(store, key="correct horse", embedder="off", background=False) as memory:
        memory.chat(owner="me", session="s", create=True).add("user", "Only for my eyes.")
    for _ in range(2):
        assert call(store, "--key-file", str(key), "backup", str(folder), "--keep", "1").exit_code == 0
        time.sleep(1.01)
    (made,) = folder.iterdir()
    assert b"eyes" not in made.read_bytes()
    back = call(tmp_path / "back.db", "--key-file", str(key), "restore", str(made))
    assert back.exit_code == 0, back.output
    with keepsaid.open(tmp_path / "back.db", key="correct horse", embedder="off", background=False) as memory:
        assert len(memory.chat(owner="me", session="s").messages()) == 1
    assert_refused(call(tmp_path / "back2.db", "restore", str(made)), "key")
    assert not (tmp_path / "back2.db").exists()


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_backup_every_repeats_until_signal(store: Path, tmp_path: Path, by: signal.Signals):
    folder = tmp_path / "copies"
    process = start_command("--db", str(store), "backup", str(folder), "--every", "0.0003", "--keep", "2")
    try:
        wait_for(lambda: folder.exists() and len(list(folder.glob("*.db"))) == 2)
        assert process.stdout is not None
        assert "The next one at" in process.stdout.readline()
    finally:
        process.send_signal(by)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "Stopped. Made" in stderr
    assert len(list(folder.glob("*.db"))) <= 2
    assert not list(folder.glob("*.part"))


def test_backup_fails_when_folder_cannot_be_created(store: Path, tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    assert_refused(call(store, "backup", str(tmp_path / "file" / "copies"), "--keep", "2"))


# -- restore


@pytest.fixture
def copy(store: Path, tmp_path: Path) -> Path:
    """A backup of the store, taken before the store's newest message."""
    call(store, "backup", str(tmp_path / "copy.db"))
    touch_up(store)
    return tmp_path / "copy.db"


def aside(store: Path) -> Path:
    (kept,) = (
        path for path in store.parent.glob(f"{store.name}.before-restore-*") if not path.name.endswith(("-wal", "-shm"))
    )
    return kept


def test_restore_to_new_path(copy: Path, tmp_path: Path):
    before = copy.read_bytes()
    result = call(tmp_path / "new.db", "restore", str(copy))
    assert result.exit_code == 0, result.output
    assert "4 sessions, " in result.stdout
    assert texts(tmp_path / "new.db", "me", "trip") == ["My brother moved to Porto in May."]
    assert copy.read_bytes() == before
    assert not list(tmp_path.glob("*.restoring*"))
    assert not list(tmp_path.glob("copy.db-*"))


def test_restore_keeps_existing_store_aside(store: Path, copy: Path):
    assert_refused(call(store, "restore", str(copy)), "--yes")
    assert texts(store, "me", "trip")[-1] == "Said after the backup."
    result = call(store, "restore", str(copy), "--yes")
    assert result.exit_code == 0, result.output
    assert f"The previous store is in {aside(store)}." in result.stdout
    assert texts(store, "me", "trip") == ["My brother moved to Porto in May."]
    assert texts(aside(store), "me", "trip")[-1] == "Said after the backup."
    assert aside(store).stat().st_mode & 0o077 == 0
    # And back again.
    assert answer(call(store, "restore", str(aside(store)), "--yes", "--json"))["restored"] is True
    assert texts(store, "me", "trip")[-1] == "Said after the backup."


def test_restore_refuses_store_in_use(store: Path, copy: Path):
    code = f"""
import keepsaid, sys
with keepsaid.open({str(store)!r}, embedder="off") as memory:
    chat = memory.chat(owner="me", session="trip")
    print("open", flush=True)
    sys.stdin.readline()
    chat.add("user", "Still here.")
"""
    user = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert user.stdout is not None
    assert user.stdout.readline() == "open\n"
    assert_refused(call(store, "restore", str(copy), "--yes"), "in use by another program")
    user.communicate("\n")
    assert user.returncode == 0
    assert texts(store, "me", "trip")[-1] == "Still here."
    assert not list(store.parent.glob("*.before-restore-*"))
    assert call(store, "doctor").exit_code == 0


def test_killed_restore_leaves_old_or_new_store(tmp_path: Path):
    store, copy = tmp_path / "big.db", tmp_path / "copy.db"
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="me", session="s", create=True).add_many(
            [{"role": "user", "content": "tea " * 300} for _ in range(5_000)]
        )
        memory.backup(copy)
        memory.chat(owner="me", session="s").add("user", "Said after the backup.")
    for wait in (0.3, 0.45, 0.6, 0.75):
        process = subprocess.Popen(
            [*KEEPSAID, "--db", str(store), "restore", str(copy), "--yes"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(wait)
        process.kill()
        process.wait()
        assert len(texts(store, "me", "s")) in (5_000, 5_001)
        assert call(store, "doctor").exit_code == 0
    assert call(store, "restore", str(copy), "--yes").exit_code == 0
    assert len(texts(store, "me", "s")) == 5_000


def test_restore_replaces_damaged_store(store: Path, copy: Path):
    content = bytearray(store.read_bytes())
    content[100:4096] = b"\xff" * 3996
    store.write_bytes(content)
    result = call(store, "restore", str(copy), "--yes")
    assert result.exit_code == 0, result.output
    assert texts(store, "me", "trip") == ["My brother moved to Porto in May."]
    assert aside(store).read_bytes()[100:4096] == b"\xff" * 3996


def test_restore_refuses_inconsistent_backup_unless_repaired(store: Path, copy: Path):
    db = apsw.Connection(str(copy))
    db.execute("UPDATE sessions SET messages = 99 WHERE id = 'trip'")
    db.close()
    result = call(store, "restore", str(copy), "--yes")
    assert result.exit_code == 1
    assert "wrong: counters: session 'trip'" in result.stdout
    assert "nothing was changed" in result.stdout
    assert texts(store, "me", "trip")[-1] == "Said after the backup."
    assert not list(store.parent.glob("*.before-restore-*"))
    result = call(store, "restore", str(copy), "--yes", "--repair")
    assert result.exit_code == 0
    assert "repaired: counters" in result.stdout
    assert texts(store, "me", "trip") == ["My brother moved to Porto in May."]


def test_restore_refuses_files_that_are_not_backups(store: Path, tmp_path: Path):
    (tmp_path / "note.txt").write_text("just a note, and long enough to have a header" * 100)
    foreign = apsw.Connection(str(tmp_path / "foreign.db"))
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    before = store.read_bytes()
    assert_refused(call(store, "restore", str(tmp_path / "note.txt"), "--yes"), "not a Keepsaid store")
    assert_refused(call(store, "restore", str(tmp_path / "foreign.db"), "--yes"), "another program")
    assert_refused(call(store, "restore", str(tmp_path / "none.db"), "--yes"), "none.db")
    assert_refused(call(store, "restore", str(store), "--yes"), "the store itself")
    assert store.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="permissions of a folder")
def test_restore_reads_backup_in_read_only_folder(copy: Path, tmp_path: Path):
    folder = tmp_path / "read only"
    folder.mkdir()
    copy.rename(folder / "copy.db")
    (folder / "copy.db").chmod(0o400)
    folder.chmod(0o500)
    try:
        assert call(tmp_path / "new.db", "restore", str(folder / "copy.db")).exit_code == 0
    finally:
        folder.chmod(0o700)


def test_backup_keeps_new_copy_despite_later_dated_copy(store: Path, tmp_path: Path):
    folder = tmp_path / "copies"
    first = Path(answer(call(store, "backup", str(folder), "--keep", "1", "--json"))["backup"])
    time.sleep(1.01)
    first.rename(folder / "keepsaid-20991231-000000.db")
    made = Path(answer(call(store, "backup", str(folder), "--keep", "1", "--json"))["backup"])
    assert [path.name for path in folder.iterdir()] == [made.name]
