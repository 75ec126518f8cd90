"""Untrusted files: a hostile file fails its own import or document and affects nothing else."""

from __future__ import annotations

import json
import pickle
import sqlite3
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from keepsaid.config import Settings
from keepsaid.errors import ImportProblem, InvalidInput
from keepsaid.interchange import read
from keepsaid.interchange.conversation import Conversation, ExportedArtifact, ExportedDocument, ImportTally
from keepsaid.reading import read_document as read_document
from keepsaid.server.problems import RequestRefusal
from keepsaid.server.untrusted import frames
from keepsaid.server.untrusted.readers import FileReaderProcesses

from .conftest import Server

Start = Callable[..., Server]
TIMEOUT = 20.0
KEEPS_ON = "<p>" + "<b>" * 3_000_000
"""A page that takes seconds to read."""


def readers(**settings: Any) -> FileReaderProcesses:
    return FileReaderProcesses(Settings(**settings))


def lines(path: Path, conversations: int, size: int) -> Path:
    """An export of conversations with one message of so many bytes each."""
    with path.open("w") as file:
        for number in range(conversations):
            message = {"role": "user", "content": f"{number} " + "x" * size}
            file.write(json.dumps({"id": f"c{number}", "messages": [message]}) + "\n")
    return path


def wait_for_import(http: httpx.Client, path: Path) -> dict[str, Any]:
    """The job of an import, once it is over."""
    with path.open("rb") as file:
        job = http.post("/v1/import", content=file.read()).json()
    end = time.monotonic() + TIMEOUT
    while job["state"] == "running" and time.monotonic() < end:
        time.sleep(0.05)
        job = http.get(f"/v1/jobs/{job['id']}").json()
    return job


class TestQuotas:
    def test_import_stops_at_byte_quota_and_reports_kept_part(self, serve: Start, tmp_path: Path):
        server = serve(KEEPSAID_QUOTA_BYTES="1000000")
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(lines(tmp_path / "x.jsonl", 30, 300_000), "x.jsonl")
        with server.client() as http:
            job = wait_for_import(http, path)
            assert (job["state"], job["problem"]["type"]) == ("failed", "/docs#quota-exceeded")
            assert job["report"]["messages"] == 3
            assert http.get("/v1/sessions/c2/messages").status_code == 200
            assert http.get("/v1/sessions/c4/messages").status_code == 404

    def test_import_stops_at_message_quota(self, serve: Start, tmp_path: Path):
        with serve(KEEPSAID_QUOTA_MESSAGES="5").client() as http:
            job = wait_for_import(http, lines(tmp_path / "x.jsonl", 20, 10))
            assert job["problem"]["type"] == "/docs#quota-exceeded"
            assert job["report"]["messages"] == 5

    def test_byte_quota_counts_system_prompts(self, serve: Start, tmp_path: Path):
        sessions = [
            {"id": f"s{n}", "status": "active", "leaf": None, "system_prompt": "x" * 30_000, "messages": []}
            for n in range(50)
        ]
        path = tmp_path / "x.json"
        path.write_text(json.dumps({"format": "keepsaid", "version": 1, "owner": "me", "sessions": sessions}))
        with serve(KEEPSAID_QUOTA_BYTES="100000").client() as http:
            job = wait_for_import(http, path)
            assert job["problem"]["type"] == "/docs#quota-exceeded"
            assert job["report"]["conversations"] == 3

    def test_byte_quota_counts_documents(self, serve: Start):
        with serve(KEEPSAID_QUOTA_BYTES="20000").client() as http:
            assert http.post("/v1/documents?name=a.txt", content=b"word " * 2_000).status_code == 201
            for name in ("b.txt", "c.txt"):
                refused = http.post(f"/v1/documents?name={name}", content=b"other " * 2_000)
                assert (refused.status_code, refused.json()["type"]) == (403, "/docs#quota-exceeded")
            assert [one["name"] for one in http.get("/v1/documents").json()["items"]] == ["a.txt"]

    def test_import_preview_ignores_quota(self, serve: Start, tmp_path: Path):
        with serve(KEEPSAID_QUOTA_MESSAGES="5").client() as http:
            content = lines(tmp_path / "x.jsonl", 20, 10).read_bytes()
            job = http.post("/v1/import?dry_run=true", content=content).json()
            while job["state"] == "running":
                job = http.get(f"/v1/jobs/{job['id']}").json()
            assert (job["state"], job["report"]["messages"]) == ("done", 20)


class TestReaderProcesses:
    """A reader process returns the same content as reading in this process."""

    @pytest.mark.parametrize("name", ["x.jsonl", "x.zip", "own.json", "app.db"])
    def test_export_reads_same_as_in_process(self, tmp_path: Path, name: str):
        path = export(tmp_path, name)
        here, there = ImportTally(), ImportTally()
        expected = [whole(item) for item in read(path, tally=here)]
        told: list[tuple[int, int]] = []
        format, items = readers().read_export(path, None, there, lambda *step: told.append(step))
        assert [whole(item) for item in items] == expected
        assert len(expected) >= 2
        assert there == here
        assert format in ("chat-jsonl", "keepsaid", "tables")
        assert told[-1][0] == told[-1][1]

    def test_unread_messages_are_skipped(self, tmp_path: Path):
        _, items = readers().read_export(export(tmp_path, "own.json"), None, ImportTally(), None)
        kinds = [type(item) for item in items]
        assert kinds[:3] == [Conversation, Conversation, ExportedDocument]
        assert set(kinds[3:]) == {ExportedArtifact}

    def test_document_reads_same_as_in_process(self):
        page = b"<title>Tea</title><h1>Green</h1><p>Pour at 80 degrees."
        assert readers().read_document("a.html", page, None) == read_document("a.html", page)
        assert readers().read_document("a.txt", "Tea", None) == read_document("a.txt", "Tea")
        with pytest.raises(InvalidInput, match=r"a\.pdf cannot be read as a PDF"):
            readers().read_document("a.pdf", b"%PDF-1.4 nothing", None)

    def test_truncated_file_yields_items_then_import_problem(self, tmp_path: Path):
        path = tmp_path / "x.json"
        path.write_text('[{"uuid": "c1", "chat_messages": [{"uuid": "m", "sender": "human", "text": "Hi"}]}, {"uuid"')
        _, items = readers().read_export(path, None, ImportTally(), None)
        assert next(items).id == "c1"
        with pytest.raises(ImportProblem, match=r"x\.json ends in the middle"):
            next(items)

    def test_frames_reject_pickled_foreign_objects(self):
        for value in (subprocess.Popen, print, Path("/"), Settings()):
            with pytest.raises(pickle.UnpicklingError, match="is not allowed in a file's content"):
                frames.unpack_frame(pickle.dumps(value))


def whole(item: Any) -> Any:
    """An item with its messages, to be compared."""
    if isinstance(item, ExportedArtifact):
        return item
    conversation = item.conversation if isinstance(item, ExportedDocument) else item
    return type(item), replace(conversation, nodes=list(conversation.nodes))


def export(folder: Path, name: str) -> Path:
    """A small export by its name."""
    path = folder / name
    if name == "x.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(lines(folder / "x.jsonl", 3, 700_000), "x.jsonl")
    elif name == "own.json":
        import keepsaid

        with keepsaid.open("memory://", background=False) as memory:
            for text in ("I live in Porto.", "My sister moved to Lisbon."):
                memory.chat(owner="me").add("user", text)
            memory.ingest("a.txt", content="Tea", owner="me")
            memory.maintain()
            memory.export(path, owner="me")
    elif name == "app.db":
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE messages (session_id, role, content)")
            db.executemany("INSERT INTO messages VALUES (?, 'user', ?)", [(str(n % 3), f"text {n}") for n in range(3_000)])
    else:
        lines(path, 3, 100)
    return path


class TestLimits:
    def test_document_over_processor_time_is_refused(self):
        start = time.monotonic()
        with pytest.raises(InvalidInput, match=r"takes more than 1 seconds of processor time \(server_reading_seconds\)"):
            readers(server_reading_seconds=0.1).read_document("a.html", KEEPS_ON, None)
        assert time.monotonic() - start < 10

    def test_export_over_memory_limit_is_refused(self, tmp_path: Path):
        path = tmp_path / "x.json"
        path.write_text('[{"uuid": "c", "name": "' + "x" * 100_000_000 + '", "chat_messages": []}]')
        with pytest.raises(ImportProblem, match="server_reading_memory"):
            list(readers(server_reading_memory=200).read_export(path, "llama-index", ImportTally(), None)[1])

    def test_stopping_readers_ends_running_read_with_refusal(self):
        reading = readers()
        problems: list[Exception] = []

        def work() -> None:
            try:
                reading.read_document("a.html", KEEPS_ON, None)
            except Exception as problem:
                problems.append(problem)

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.5)
        reading.stop()
        thread.join(3)
        assert [type(problem) for problem in problems] == [RequestRefusal]
        with pytest.raises(RequestRefusal, match="the server is stopping"):
            reading.read_document("a.html", KEEPS_ON, None)

    def test_closing_items_ends_reader_process(self, tmp_path: Path):
        reading = readers()
        _, items = reading.read_export(lines(tmp_path / "x.jsonl", 100, 500_000), None, ImportTally(), None)
        next(items)
        (process,) = reading._running  # pyright: ignore[reportPrivateUsage]
        items.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        assert process.poll() is not None
        assert not reading._running  # pyright: ignore[reportPrivateUsage]


def test_slow_document_returns_415_and_next_upload_succeeds(serve: Start):
    with serve(KEEPSAID_SERVER_READING_SECONDS="1").client() as http:
        answer = http.post("/v1/documents?name=a.html", content=KEEPS_ON.encode())
        assert (answer.status_code, answer.json()["type"]) == (415, "/docs#unreadable-document")
        assert "server_reading_seconds" in answer.json()["detail"]
        assert http.post("/v1/documents?name=b.html", content=b"<p>Tea").status_code == 201
