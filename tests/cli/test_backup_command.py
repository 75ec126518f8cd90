"""`recollect backup` and `restore`: copies of a store in use, dated ones, and the way back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from shell import RECOLLECT, answer, call, make_store, refused, started, texts, wait_for

import recollect
from recollect import copies

WRITER = """
import sys, recollect
with recollect.open(sys.argv[1], embedder="off", background=False, durable=False) as memory:
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
    with recollect.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="me", session="trip").add("user", "Said after the backup.")


# -- backup


def test_while_another_process_writes(tmp_path: Path):
    """A copy in many steps is of one moment: whole, and in order."""
    store = tmp_path / "busy.db"
    with recollect.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="w", session="w", create=True).add_many(
            [{"role": "user", "content": "before " * 200} for _ in range(20_000)]
        )
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(store)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        told: list[tuple[int, int]] = []
        with recollect.open(store, embedder="off", background=False) as memory:
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


def test_dated_copies_are_kept_by_number(store: Path, tmp_path: Path):
    folder = tmp_path / "copies"
    folder.mkdir()
    foreign = folder / "recollect-20200101-000000.db"
    foreign.write_text("somebody's own file of that name")
    other = make_store(tmp_path / "other.db")
    call(other, "backup", str(folder / "recollect-20200102-000000.db"))
    (folder / "recollect-notes.db").write_text("mine")
    (folder / "recollect-20200103-000000.db").symlink_to(store)
    for _ in range(4):
        made = answer(call(store, "backup", str(folder), "--keep", "2", "--json"))
        time.sleep(1.01)  # names go by the second
    assert made["removed"] == 1
    ours = [path for path in folder.iterdir() if path.name.startswith(f"recollect-{time.strftime('%Y')}")]
    assert len(ours) == 2
    assert Path(made["backup"]) in ours
    assert {path.name for path in folder.iterdir()} - {path.name for path in ours} == {
        foreign.name, "recollect-20200102-000000.db", "recollect-notes.db", "recollect-20200103-000000.db",
    }  # fmt: skip
    assert "Removed 1 older backup." in call(store, "backup", str(folder), "--keep", "2").stdout
    assert texts(Path(made["backup"]), "me", "work") == ["The office code is 4711."]


def test_a_folder_without_a_number_keeps_all(store: Path, tmp_path: Path):
    (tmp_path / "copies").mkdir()
    assert answer(call(store, "backup", str(tmp_path / "copies"), "--json"))["removed"] == 0
    (made,) = (tmp_path / "copies").iterdir()
    assert copies.stamp(made) is not None


def test_copies_of_an_encrypted_store(tmp_path: Path):
    store, key, folder = tmp_path / "secret.db", tmp_path / "key", tmp_path / "copies"
    key.write_text("correct horse")
    with recollect.open(store, key="correct horse", embedder="off", background=False) as memory:
        memory.chat(owner="me", session="s", create=True).add("user", "Only for my eyes.")
    for _ in range(2):
        assert call(store, "--key-file", str(key), "backup", str(folder), "--keep", "1").exit_code == 0
        time.sleep(1.01)
    (made,) = folder.iterdir()
    assert b"eyes" not in made.read_bytes()
    back = call(tmp_path / "back.db", "--key-file", str(key), "restore", str(made))
    assert back.exit_code == 0, back.output
    with recollect.open(tmp_path / "back.db", key="correct horse", embedder="off", background=False) as memory:
        assert len(memory.chat(owner="me", session="s").messages()) == 1
    refused(call(tmp_path / "back2.db", "restore", str(made)), "key")
    assert not (tmp_path / "back2.db").exists()


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_again_and_again_until_stopped(store: Path, tmp_path: Path, by: signal.Signals):
    folder = tmp_path / "copies"
    process = started("--db", str(store), "backup", str(folder), "--every", "0.0003", "--keep", "2")
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


def test_a_folder_that_cannot_be_made(store: Path, tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    refused(call(store, "backup", str(tmp_path / "file" / "copies"), "--keep", "2"))


# -- restore


@pytest.fixture
def copy(store: Path, tmp_path: Path) -> Path:
    """A backup of the store, to which something was added since."""
    call(store, "backup", str(tmp_path / "copy.db"))
    touch_up(store)
    return tmp_path / "copy.db"


def aside(store: Path) -> Path:
    (kept,) = (
        path for path in store.parent.glob(f"{store.name}.before-restore-*") if not path.name.endswith(("-wal", "-shm"))
    )
    return kept


def test_into_a_new_place(copy: Path, tmp_path: Path):
    before = copy.read_bytes()
    result = call(tmp_path / "new.db", "restore", str(copy))
    assert result.exit_code == 0, result.output
    assert "4 sessions, " in result.stdout
    assert texts(tmp_path / "new.db", "me", "trip") == ["My brother moved to Porto in May."]
    assert copy.read_bytes() == before
    assert not list(tmp_path.glob("*.restoring*"))
    assert not list(tmp_path.glob("copy.db-*"))


def test_a_store_that_is_there_is_kept(store: Path, copy: Path):
    refused(call(store, "restore", str(copy)), "--yes")
    assert texts(store, "me", "trip")[-1] == "Said after the backup."
    result = call(store, "restore", str(copy), "--yes")
    assert result.exit_code == 0, result.output
    assert f"What was there before is in {aside(store)}." in result.stdout
    assert texts(store, "me", "trip") == ["My brother moved to Porto in May."]
    assert texts(aside(store), "me", "trip")[-1] == "Said after the backup."
    assert aside(store).stat().st_mode & 0o077 == 0
    # And back again.
    assert answer(call(store, "restore", str(aside(store)), "--yes", "--json"))["restored"] is True
    assert texts(store, "me", "trip")[-1] == "Said after the backup."


def test_a_store_in_use_is_left_alone(store: Path, copy: Path):
    code = f"""
import recollect, sys
with recollect.open({str(store)!r}, embedder="off") as memory:
    chat = memory.chat(owner="me", session="trip")
    print("open", flush=True)
    sys.stdin.readline()
    chat.add("user", "Still here.")
"""
    user = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert user.stdout is not None
    assert user.stdout.readline() == "open\n"
    refused(call(store, "restore", str(copy), "--yes"), "in use by another program")
    user.communicate("\n")
    assert user.returncode == 0
    assert texts(store, "me", "trip")[-1] == "Still here."
    assert not list(store.parent.glob("*.before-restore-*"))
    assert call(store, "doctor").exit_code == 0


def test_killed_in_the_middle_it_is_the_old_one_or_the_new_one(tmp_path: Path):
    store, copy = tmp_path / "big.db", tmp_path / "copy.db"
    with recollect.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="me", session="s", create=True).add_many(
            [{"role": "user", "content": "tea " * 300} for _ in range(5_000)]
        )
        memory.backup(copy)
        memory.chat(owner="me", session="s").add("user", "Said after the backup.")
    for wait in (0.3, 0.45, 0.6, 0.75):
        process = subprocess.Popen(
            [*RECOLLECT, "--db", str(store), "restore", str(copy), "--yes"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(wait)
        process.kill()
        process.wait()
        assert len(texts(store, "me", "s")) in (5_000, 5_001)
        assert call(store, "doctor").exit_code == 0
    assert call(store, "restore", str(copy), "--yes").exit_code == 0
    assert len(texts(store, "me", "s")) == 5_000


def test_over_a_store_that_is_too_damaged(store: Path, copy: Path):
    content = bytearray(store.read_bytes())
    content[100:4096] = b"\xff" * 3996
    store.write_bytes(content)
    result = call(store, "restore", str(copy), "--yes")
    assert result.exit_code == 0, result.output
    assert texts(store, "me", "trip") == ["My brother moved to Porto in May."]
    assert aside(store).read_bytes()[100:4096] == b"\xff" * 3996


def test_a_backup_that_is_not_in_order(store: Path, copy: Path):
    db = apsw.Connection(str(copy))
    db.execute("UPDATE sessions SET messages = 99 WHERE id = 'trip'")
    db.close()
    result = call(store, "restore", str(copy), "--yes")
    assert result.exit_code == 1
    assert "wrong: counters: session 'trip'" in result.stdout
    assert "nothing was changed" in result.stdout
    assert texts(store, "me", "trip")[-1] == "Said after the backup."
    assert not list(store.parent.glob("*.before-restore-*"))
    mended = call(store, "restore", str(copy), "--yes", "--repair")
    assert mended.exit_code == 0
    assert "repaired: counters" in mended.stdout
    assert texts(store, "me", "trip") == ["My brother moved to Porto in May."]


def test_what_is_no_backup(store: Path, tmp_path: Path):
    (tmp_path / "note.txt").write_text("just a note, and long enough to have a header" * 100)
    foreign = apsw.Connection(str(tmp_path / "foreign.db"))
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    before = store.read_bytes()
    refused(call(store, "restore", str(tmp_path / "note.txt"), "--yes"), "not a Recollect store")
    refused(call(store, "restore", str(tmp_path / "foreign.db"), "--yes"), "another program")
    refused(call(store, "restore", str(tmp_path / "none.db"), "--yes"), "none.db")
    refused(call(store, "restore", str(store), "--yes"), "the store itself")
    assert store.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="permissions of a folder")
def test_a_backup_where_nothing_can_be_written(copy: Path, tmp_path: Path):
    folder = tmp_path / "read only"
    folder.mkdir()
    copy.rename(folder / "copy.db")
    (folder / "copy.db").chmod(0o400)
    folder.chmod(0o500)
    try:
        assert call(tmp_path / "new.db", "restore", str(folder / "copy.db")).exit_code == 0
    finally:
        folder.chmod(0o700)


def test_the_new_copy_stays_whatever_dates_others_have(store: Path, tmp_path: Path):
    folder = tmp_path / "copies"
    first = Path(answer(call(store, "backup", str(folder), "--keep", "1", "--json"))["backup"])
    time.sleep(1.01)
    first.rename(folder / "recollect-20991231-000000.db")
    made = Path(answer(call(store, "backup", str(folder), "--keep", "1", "--json"))["backup"])
    assert [path.name for path in folder.iterdir()] == [made.name]
