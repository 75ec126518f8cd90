"""`recollect worker`: what it does by itself, what it tells, and that it ends when it is asked to."""

from __future__ import annotations

import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from model import pulled_model
from shell import call, make_store, ran, refused, started, wait_for

import recollect

OLD = datetime.now(UTC) - timedelta(days=400)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RECOLLECT_MODEL_FOLDER", str(pulled_model()))
    monkeypatch.setenv("RECOLLECT_RETENTION_EVERY", "off")
    return make_store(tmp_path / "chat.db")


class Lines:
    """What a process prints, line by line, in a file that can be looked at meanwhile."""

    def __init__(self, path: Path, *arguments: str) -> None:
        self.path = path
        with path.open("w") as file:
            self.process = started(*arguments, stdout=file, stderr=subprocess.STDOUT)

    def has(self, *words: str) -> bool:
        return all(word in self.path.read_text() for word in words)


def test_it_works_until_it_is_told_to_end(store: Path, tmp_path: Path):
    worker = Lines(tmp_path / "out.txt", "--db", str(store), "worker")
    try:
        wait_for(lambda: worker.has("Embedded 6 messages.", "Took notes of 6 messages."))
        # Somebody else saves something.
        with recollect.open(store, embedder="off", background=False) as memory:
            memory.chat(owner="me", session="new", create=True).add("user", "I live in Lisbon.")
        wait_for(lambda: worker.has("Embedded 1 message.", "Took notes of 1 message."))
    finally:
        worker.process.send_signal(signal.SIGTERM)
        worker.process.wait(30)
    assert worker.process.returncode == 0
    assert worker.path.read_text().splitlines()[-1].endswith("Stopped. What is done stays; what waits goes on waiting.")
    assert "Traceback" not in worker.path.read_text()
    with recollect.open(store, background=False) as memory:
        coverage = memory.coverage()
        assert coverage is not None
        assert coverage.embedded == coverage.messages == 7
        assert [fact.text for fact in memory.facts("live", owner="me")] == ["User lives in Lisbon"]


def test_it_tells_what_a_change_of_the_model_costs(store: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as before:
        before.setenv("RECOLLECT_EMBEDDER", "local:all-MiniLM-L6-v2")
        assert "anew" not in call(store, "worker", "--once").stdout
    told = call(store, "worker", "--once").stdout.splitlines()
    assert "6 messages will be embedded anew with local:all-MiniLM-L6-v2+use-multilingual-v3/" in told[0]
    assert told[-1].endswith("Embedded 6 messages.")
    assert "anew" not in call(store, "worker", "--once").stdout


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_the_middle_of_work(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: signal.Signals):
    monkeypatch.setenv("RECOLLECT_NOTES", "off")  # which are taken first
    with recollect.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="me", session="long", create=True).add_many(
            [
                {"role": "user", "content": f"On day {n} I bought green tea for my sister in Lisbon. " * 20}
                for n in range(1_000)
            ]
        )
    worker = Lines(tmp_path / "out.txt", "--db", str(store), "worker")

    def embedded() -> int:
        with recollect.open(store, background=False) as memory:
            coverage = memory.coverage()
            return 0 if coverage is None else coverage.embedded

    wait_for(lambda: embedded() > 10)
    worker.process.send_signal(by)
    assert worker.process.wait(30) == 0, worker.path.read_text()
    assert "Stopped." in worker.path.read_text()
    assert 10 < embedded() < 1_006
    # What it held is not held any longer than it takes to notice.
    assert call(store, "doctor").exit_code == 0


def test_once(store: Path):
    done = call(store, "worker", "--once")
    assert done.exit_code == 0
    assert "Embedded 6 messages." in done.stdout
    assert call(store, "worker", "--once").stdout == ""


def test_clean_up(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECOLLECT_RETENTION_EVERY", "24")
    monkeypatch.setenv("RECOLLECT_RETENTION_PRESET", "30/90/30")
    with recollect.open(store, embedder="off", background=False, clock=lambda: OLD) as memory:
        memory.chat(owner="me", session="old", create=True).add("user", "Long ago.", created_at=OLD)
    # Until the next one is due, it goes on rehearsing: a worker that is started twice must not be the reader's only warning.
    for _ in range(2):
        assert "Rehearsed the clean-up: " in call(store, "worker", "--once").stdout
    with recollect.open(store, embedder="off", background=False) as memory:
        assert "old" in {session.id for session in memory.sessions(owner="me")}


def test_clean_up_goes_ahead_a_day_after_its_rehearsal(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECOLLECT_RETENTION_EVERY", "24")
    monkeypatch.setenv("RECOLLECT_RETENTION_PRESET", "30/90/30")
    with recollect.open(store, embedder="off", background=False, clock=lambda: OLD) as memory:
        memory.chat(owner="me", session="old", create=True).add("user", "Long ago.", created_at=OLD)
        assert memory.retention().rehearsal
    assert "Cleaned up: " in call(store, "worker", "--once").stdout
    with recollect.open(store, embedder="off", background=False) as memory:
        assert "old" not in {session.id for session in memory.sessions(owner="me")}


def test_backups_on_a_schedule(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "copies"
    monkeypatch.setenv("RECOLLECT_BACKUP_FOLDER", str(folder))
    monkeypatch.setenv("RECOLLECT_BACKUP_EVERY", "24")
    assert "Backed up to" in call(store, "worker", "--once").stdout
    # A worker that is started anew does not make another one before its time.
    assert "Backed up to" not in call(store, "worker", "--once").stdout
    (made,) = folder.iterdir()
    made.rename(folder / "recollect-20200101-000000.db")
    assert "Backed up to" in call(store, "worker", "--once").stdout
    monkeypatch.setenv("RECOLLECT_BACKUP_KEEP", "1")
    monkeypatch.setenv("RECOLLECT_BACKUP_EVERY", "off")
    assert "Backed up to" not in call(store, "worker", "--once").stdout
    assert len(list(folder.iterdir())) == 2


def test_what_fails_is_told_once_and_tried_again(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RECOLLECT_BACKUP_FOLDER", str(tmp_path / "file" / "copies"))
    done = call(store, "worker", "--once")
    assert done.exit_code == 1
    assert "Embedded 6 messages." in done.stdout  # the rest is done
    assert done.stderr.count("Could not be done: ") == 1


def test_two_at_once(store: Path, tmp_path: Path):
    both = [Lines(tmp_path / f"{n}.txt", "--db", str(store), "worker") for n in range(2)]
    try:
        wait_for(lambda: sum(_embedded(one.path) for one in both) >= 6)
    finally:
        for one in both:
            one.process.send_signal(signal.SIGTERM)
            assert one.process.wait(30) == 0
    assert sum(_embedded(one.path) for one in both) == 6


def _embedded(path: Path) -> int:
    return sum(int(line.split("Embedded ")[1].split()[0]) for line in path.read_text().splitlines() if "Embedded " in line)


def test_no_store(tmp_path: Path):
    refused(call(tmp_path / "none.db", "worker", "--once"), "no store at")
    assert ran("--db", str(tmp_path / "none.db"), "worker").returncode == 2
