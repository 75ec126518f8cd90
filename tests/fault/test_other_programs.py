"""Other programs open the store file while it is in use: a database browser, a script, the system's SQLite."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import keepsaid

CHILD = """
import os, sys, keepsaid
memory = keepsaid.open(sys.argv[1])
chat = memory.chat(owner="u1", session="s1", create=True)
chat.add("user", "before")
chat.messages()
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    chat.add("user", f"after {number}")
print("done", flush=True)
sys.stdin.readline()
"""


def test_write_ahead_log_survives_other_sqlite(tmp_path: Path) -> None:
    """An older SQLite that opens and closes the file must see that it is in use, and must not delete its log."""
    path = tmp_path / "chat.db"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdin
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        visitor = subprocess.run(
            [sys.executable, "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM meta')",
             str(path)], check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert visitor.returncode == 0, visitor.stderr
        assert (tmp_path / "chat.db-wal").exists(), f"SQLite {sqlite3.sqlite_version} deleted the log of a store in use"
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "done\n"
        os.kill(child.pid, signal.SIGKILL)
    with keepsaid.open(path) as memory:
        assert len(memory.chat(owner="u1", session="s1").messages()) == 21


def test_file_lock_is_kept_through_erase_backup_and_open(tmp_path: Path) -> None:
    """Opening more connections, scanning for erased data and backing up do not release the process's lock."""
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        chat = memory.chat(owner="u1")
        message = chat.add("user", "hello")
        chat.erase(message.id)
        memory.backup(tmp_path / "copy.db")
        keepsaid.open(path).close()
        chat.add("user", "again")
        inode = str(path.stat().st_ino)
        locks = Path("/proc/locks").read_text() if Path("/proc/locks").exists() else f"POSIX {os.getpid()} :{inode} "
        assert any(f":{inode} " in line and str(os.getpid()) in line.split() for line in locks.splitlines())
