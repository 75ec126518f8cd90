"""`keepsaid worker`: its background work, its output, and how it stops."""

from __future__ import annotations

import os
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from model import pull_model
from shell import assert_refused, call, make_store, run_command, start_command, wait_for

import keepsaid
from keepsaid.cli.store.vector_survey import describe_pending_embedding
from keepsaid.config import load

OLD = datetime.now(UTC) - timedelta(days=400)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEEPSAID_MODEL_FOLDER", str(pull_model()))
    monkeypatch.setenv("KEEPSAID_RETENTION_EVERY", "off")
    return make_store(tmp_path / "chat.db")


class Lines:
    """A process whose output goes to a file that can be read while it runs."""

    def __init__(self, path: Path, *arguments: str) -> None:
        self.path = path
        with path.open("w") as file:
            self.process = start_command(*arguments, stdout=file, stderr=subprocess.STDOUT)

    def has(self, *words: str) -> bool:
        return all(word in self.path.read_text() for word in words)


def test_worker_processes_new_messages_until_signal(store: Path, tmp_path: Path):
    worker = Lines(tmp_path / "out.txt", "--db", str(store), "worker")
    try:
        wait_for(lambda: worker.has("Embedded 6 messages.", "Extracted facts and notes from 6 messages."))
        # Another process saves messages.
        with keepsaid.open(store, embedder="off", background=False) as memory:
            memory.chat(owner="me", session="new", create=True).add("user", "I live in Lisbon.")
        wait_for(lambda: worker.has("Embedded 1 message.", "Extracted facts and notes from 1 message."))
    finally:
        worker.process.send_signal(signal.SIGTERM)
        worker.process.wait(30)
    assert worker.process.returncode == 0
    assert worker.path.read_text().splitlines()[-1].endswith("Stopped. Finished work is saved; the rest stays pending.")
    assert "Traceback" not in worker.path.read_text()
    with keepsaid.open(store, background=False) as memory:
        coverage = memory.coverage()
        assert coverage is not None
        assert coverage.embedded == coverage.messages == 7
        assert [fact.text for fact in memory.facts("live", owner="me")] == ["User lives in Lisbon"]


def test_worker_reports_reembedding_after_model_change(store: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as before:
        before.setenv("KEEPSAID_EMBEDDER", "local:all-MiniLM-L6-v2")
        assert "re-embedded" not in call(store, "worker", "--once").stdout
    # What `chat` and `serve` print at the start:
    assert "6 messages will be re-embedded" in str(describe_pending_embedding(load({"url": str(store)}, os.environ)))
    told = call(store, "worker", "--once").stdout.splitlines()
    assert "6 messages will be re-embedded with local:all-MiniLM-L6-v2+use-multilingual-v3/" in told[0]
    assert told[-1].endswith("Embedded 6 messages.")
    assert "re-embedded" not in call(store, "worker", "--once").stdout
    assert describe_pending_embedding(load({"url": str(store)}, os.environ)) is None


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_worker_stops_embedding_on_signal(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: signal.Signals):
    monkeypatch.setenv("KEEPSAID_NOTES", "off")  # facts and notes would be extracted first
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="me", session="long", create=True).add_many(
            [
                {"role": "user", "content": f"On day {n} I bought green tea for my sister in Lisbon. " * 20}
                for n in range(1_000)
            ]
        )
    worker = Lines(tmp_path / "out.txt", "--db", str(store), "worker")

    def embedded() -> int:
        with keepsaid.open(store, background=False) as memory:
            coverage = memory.coverage()
            return 0 if coverage is None else coverage.embedded

    wait_for(lambda: embedded() > 10)
    worker.process.send_signal(by)
    assert worker.process.wait(30) == 0, worker.path.read_text()
    assert "Stopped." in worker.path.read_text()
    assert 10 < embedded() < 1_006
    # Its leases are released as soon as it notices the signal.
    assert call(store, "doctor").exit_code == 0


def test_worker_once_does_pending_work_and_exits(store: Path):
    done = call(store, "worker", "--once")
    assert done.exit_code == 0
    assert "Embedded 6 messages." in done.stdout
    assert call(store, "worker", "--once").stdout == ""


def test_worker_first_retention_run_is_a_dry_run(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEEPSAID_RETENTION_EVERY", "24")
    monkeypatch.setenv("KEEPSAID_RETENTION_PRESET", "30/90/30")
    with keepsaid.open(store, embedder="off", background=False, clock=lambda: OLD) as memory:
        memory.chat(owner="me", session="old", create=True).add("user", "Long ago.", created_at=OLD)
    # Until the next one is due, all runs are dry runs: a worker that is started twice must not be the user's only warning.
    for _ in range(2):
        assert "Clean-up, dry run: " in call(store, "worker", "--once").stdout
    with keepsaid.open(store, embedder="off", background=False) as memory:
        assert "old" in {session.id for session in memory.sessions(owner="me")}


def test_worker_applies_retention_a_day_after_dry_run(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEEPSAID_RETENTION_EVERY", "24")
    monkeypatch.setenv("KEEPSAID_RETENTION_PRESET", "30/90/30")
    with keepsaid.open(store, embedder="off", background=False, clock=lambda: OLD) as memory:
        memory.chat(owner="me", session="old", create=True).add("user", "Long ago.", created_at=OLD)
        assert memory.retention().first_dry_run
    assert "Cleaned up: " in call(store, "worker", "--once").stdout
    with keepsaid.open(store, embedder="off", background=False) as memory:
        assert "old" not in {session.id for session in memory.sessions(owner="me")}


def test_worker_makes_scheduled_backups(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "copies"
    monkeypatch.setenv("KEEPSAID_BACKUP_FOLDER", str(folder))
    monkeypatch.setenv("KEEPSAID_BACKUP_EVERY", "24")
    assert "Backed up to" in call(store, "worker", "--once").stdout
    # A worker that is started again makes no other backup before the next one is due.
    assert "Backed up to" not in call(store, "worker", "--once").stdout
    (made,) = folder.iterdir()
    made.rename(folder / "keepsaid-20200101-000000.db")
    assert "Backed up to" in call(store, "worker", "--once").stdout
    monkeypatch.setenv("KEEPSAID_BACKUP_KEEP", "1")
    monkeypatch.setenv("KEEPSAID_BACKUP_EVERY", "off")
    assert "Backed up to" not in call(store, "worker", "--once").stdout
    assert len(list(folder.iterdir())) == 2


def test_worker_reports_failed_backup_once_and_does_rest(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("KEEPSAID_BACKUP_FOLDER", str(tmp_path / "file" / "copies"))
    done = call(store, "worker", "--once")
    assert done.exit_code == 1
    assert "Embedded 6 messages." in done.stdout  # the rest is done
    assert done.stderr.count("Failed: ") == 1


def test_two_workers_embed_each_message_once(store: Path, tmp_path: Path):
    both = [Lines(tmp_path / f"{n}.txt", "--db", str(store), "worker") for n in range(2)]
    try:
        wait_for(lambda: sum(_count_embedded(one.path) for one in both) >= 6)
    finally:
        for one in both:
            one.process.send_signal(signal.SIGTERM)
            assert one.process.wait(30) == 0
    assert sum(_count_embedded(one.path) for one in both) == 6


def _count_embedded(path: Path) -> int:
    return sum(int(line.split("Embedded ")[1].split()[0]) for line in path.read_text().splitlines() if "Embedded " in line)


def test_worker_fails_without_store(tmp_path: Path):
    assert_refused(call(tmp_path / "none.db", "worker", "--once"), "no store at")
    assert run_command("--db", str(tmp_path / "none.db"), "worker").returncode == 2
