"""Shutdown of a busy server, and removal of the files that a killed server leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from keepsaid.server.coordination.clients import LocalCoordinatorClient
from keepsaid.server.coordination.coordinator import ServerCoordinator
from keepsaid.server.jobs import JobRunner
from keepsaid.server.untrusted.upload_folder import UploadFolder
from keepsaid.types.reports import ImportReport

from .conftest import Server

STUCK = """
import sys, threading
from keepsaid.config import load
from keepsaid.server import run
run.HARD_STOP_SECONDS = 1.0
settings = load({"url": sys.argv[1], "llm": "off", "embedder": "off", "server_port": 0, "server_log": "off"}, {})
app = run.build_app(settings)
app.state.server.submit_job(lambda: threading.Event().wait(60))
run.serve(app, settings, lambda address: print(address, flush=True))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM is no request there")
def test_sigterm_ends_server_despite_stuck_job(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, str(tmp_path / "chat.db")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"http://")
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=10)
    finally:
        process.kill()
    assert process.returncode == 1


def test_stopping_job_runner_breaks_off_job_at_next_step():
    import asyncio

    steps: list[int] = []

    def work(progress: Callable[[int, int], None]) -> ImportReport:
        for step in range(10):
            steps.append(step)
            progress(step, 10)
            if step == 3:
                jobs.stop()
        raise AssertionError("it went on")

    async def main() -> None:
        job = await jobs.begin("ann", "import", 10)
        jobs.run_job(job, work)
        assert job.state == "failed"
        assert job.problem is not None
        assert job.problem.type == "/docs#broken-off"

    jobs = JobRunner(LocalCoordinatorClient(ServerCoordinator(None)))
    asyncio.run(main())
    assert steps == [0, 1, 2, 3, 4]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks that end with their process")
def test_next_server_removes_uploads_of_killed_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    first = Server(tmp_path / "chat.db")
    (folder,) = tmp_path.glob("keepsaid-uploads-*")
    (folder / "import-1").write_text("My sister moved to Lisbon.")
    second = Server(tmp_path / "other.db")
    assert (folder / "import-1").exists(), "the first one lives"
    first.stop(signal.SIGKILL)
    assert (folder / "import-1").exists()
    third = Server(tmp_path / "chat.db")
    assert not folder.exists()
    assert second.stop() == third.stop() == 0
    assert not list(tmp_path.glob("keepsaid-uploads-*"))


@pytest.mark.skipif(sys.platform == "win32", reason="no locks that end with their process")
def test_upload_cleanup_keeps_foreign_and_live_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".lock").touch()
    (elsewhere / "kept").touch()
    (tmp_path / "keepsaid-uploads-link").symlink_to(elsewhere)
    (tmp_path / "keepsaid-uploads-unlocked").mkdir()
    live = UploadFolder()
    UploadFolder().close()
    assert (elsewhere / "kept").exists()
    assert (tmp_path / "keepsaid-uploads-unlocked").exists()
    assert os.path.isdir(live.name)
    live.close()
    assert not os.path.isdir(live.name)
