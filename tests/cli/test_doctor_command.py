"""`keepsaid doctor`: the problems that it finds, and the cure that it names for each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import apsw
import pytest
from model import pull_model
from redis_servers import redis_server
from shell import KEEPSAID, answer, assert_refused, call, make_store

import keepsaid
from keepsaid.cli.store import checks
from keepsaid.storage.redis import durability


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def run_doctor(store: Path | str, code: int = 0) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in answer(call(store, "doctor", "--json"), code)["checks"]}


def test_doctor_round_trip_leaves_no_data(store: Path):
    shown = call(store, "doctor").stdout
    assert "ok: round trip: a message was written, read, found and erased in" in shown
    assert shown.endswith("Everything is in order.\n")
    assert b"keepsaid-doctor" not in store.read_bytes()
    db = apsw.Connection(str(store))
    assert db.execute("SELECT count(*) FROM owners WHERE id LIKE 'keepsaid-doctor%'").fetchone() == (0,)
    db.close()


def test_doctor_counts_documents_separately(store: Path):
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.ingest("tea.md", content="# Tea\n\nGreen.", owner="me")
    assert f"Checked {store}: 2 owners, 4 sessions, 1 document, " in call(store, "doctor").stdout


def test_doctor_reports_failed_round_trip(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(keepsaid.Memory, "search", lambda self, *_, **__: keepsaid.SearchHits())
    result = call(store, "doctor")
    assert result.exit_code == 1
    assert "wrong: round trip: a message that was written is not found" in result.stdout
    assert "Found wrong: 1." in result.stdout
    assert answer(call(store, "doctor", "--json"), 1)["healthy"] is False


def test_doctor_reports_missing_embedding_model(store: Path, monkeypatch: pytest.MonkeyPatch):
    check = run_doctor(store)["model"]
    assert (check["state"], check["cure"]) == ("note", "`keepsaid model pull` downloads it")
    monkeypatch.setenv("KEEPSAID_EMBEDDER", "off")
    assert run_doctor(store)["model"]["state"] == "ok"
    monkeypatch.setenv("KEEPSAID_EMBEDDER", "local")
    check = run_doctor(store, 1)["model"]
    assert check["state"] == "wrong"
    assert "keepsaid model pull" in check["cure"]


def test_doctor_reports_messages_without_vectors(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEEPSAID_MODEL_FOLDER", str(pull_model()))
    checked = run_doctor(store)
    assert checked["model"]["state"] == "ok"
    assert checked["vectors"]["detail"].startswith("6 messages cannot be found by meaning yet")
    assert "keepsaid reindex" in checked["vectors"]["cure"]
    call(store, "reindex")
    assert "vectors" not in run_doctor(store)


def test_doctor_estimates_reembedding_after_model_change(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEEPSAID_MODEL_FOLDER", str(pull_model()))
    with monkeypatch.context() as before:
        before.setenv("KEEPSAID_EMBEDDER", "local:all-MiniLM-L6-v2")
        call(store, "reindex")
        assert "vectors" not in run_doctor(store)
    check = run_doctor(store)["vectors"]
    assert check["state"] == "note"
    assert check["detail"] == (
        "6 messages will be re-embedded with local:all-MiniLM-L6-v2+use-multilingual-v3/1.1+tokens2, which takes about"
        " 1 second; until then the vectors of local:all-MiniLM-L6-v2/1+tokens2 are used"
    )
    assert "keepsaid reindex" in check["cure"]


def test_doctor_notes_and_logs_redis_without_persistence(caplog: pytest.LogCaptureFixture):
    with redis_server() as server:
        check = run_doctor(server.url)["server"]
        assert (check["state"], check["detail"]) == ("note", durability.NO_PERSISTENCE)
        assert [(one.name, one.levelname, one.message) for one in caplog.records] == [
            ("keepsaid", "WARNING", durability.NO_PERSISTENCE)
        ]
        shown = call(server.url, "doctor").stdout
        assert "  note: server: this Redis does not persist data to disk" in shown
        assert shown.endswith("Everything is in order.\n")


def test_doctor_reports_nothing_for_persistent_redis(caplog: pytest.LogCaptureFixture):
    with redis_server("--appendonly", "yes") as server:
        assert "server" not in run_doctor(server.url)
    assert not caplog.records


def test_doctor_notes_store_readable_by_others(store: Path):
    store.chmod(0o644)
    check = run_doctor(store)["permissions"]
    assert (check["state"], check["cure"]) == ("note", f"chmod 600 {store}")
    store.chmod(0o600)
    assert run_doctor(store)["permissions"]["state"] == "ok"


def test_doctor_reports_low_disk_space(store: Path, monkeypatch: pytest.MonkeyPatch):
    usage = shutil.disk_usage(store.parent)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage._replace(free=5_000_000))
    assert run_doctor(store, 1)["disk"]["detail"].startswith("only 5.0 MB are free")
    monkeypatch.setattr(checks, "MIN_FREE_BYTES", 1)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage._replace(free=10_000))
    assert run_doctor(store)["disk"]["state"] == "note"


def test_doctor_reports_unreachable_language_model(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEEPSAID_LLM", "openai:some-model")
    monkeypatch.setenv("KEEPSAID_LLM_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("KEEPSAID_LLM_KEY", "sk-secret")
    check = run_doctor(store, 1)["llm"]
    assert check["state"] == "wrong"
    assert "llm_url" in check["cure"]
    assert "sk-secret" not in call(store, "doctor").output


def test_doctor_accepts_language_model_set_to_off(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEEPSAID_LLM", "off")
    assert run_doctor(store)["llm"] == {"name": "llm", "state": "ok", "detail": "off in the settings", "cure": ""}


def test_doctor_salvages_store_with_damaged_index(store: Path, tmp_path: Path):
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        memory.chat(owner="me", session="long", create=True).add_many(
            [{"role": "user", "content": f"message {number} about tea"} for number in range(500)]
        )
    db = apsw.Connection(str(store))
    db.execute("DELETE FROM keywords_data WHERE id > 10")
    db.close()
    result = call(store, "doctor")
    assert result.exit_code == 1
    assert "wrong: file: " in result.stdout
    assert "round trip" not in result.stdout  # what is damaged is not written to
    assert result.stdout.splitlines()[-1].startswith("Found wrong: 1. `keepsaid doctor --salvage NEWFILE`")
    assert call(store, "doctor", "--salvage", str(tmp_path / "new.db")).exit_code == 0
    assert "ok: round trip" in call(tmp_path / "new.db", "doctor").stdout
    assert len(answer(call(tmp_path / "new.db", "search", "tea", "--json"))["hits"]) == 10


def test_doctor_skips_round_trip_on_wrong_counters(store: Path):
    db = apsw.Connection(str(store))
    db.execute("UPDATE sessions SET messages = 99 WHERE id = 'trip'")
    db.close()
    result = call(store, "doctor")
    assert result.exit_code == 1
    assert "round trip" not in result.stdout
    assert result.stdout.splitlines()[-1].endswith("`keepsaid doctor --repair` repairs what can be repaired.")
    assert "ok: round trip" in call(store, "doctor", "--repair").stdout


def test_doctor_lines_fit_screen_width(store: Path):
    shown = call(store, "doctor", env={"COLUMNS": "60"}).stdout.splitlines()
    assert all(len(line) <= 60 for line in shown[1:])


UNSHARE = ("unshare", "--map-root-user", "--mount", "bash", "-ec")


def on_a_disk(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Runs a script with a disk of 2 MB of its own in a folder."""
    mount = f"mount -t tmpfs -o size=2m tmpfs '{folder}'"
    if subprocess.run([*UNSHARE, mount], capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    command = " ".join(f"'{word}'" for word in [*KEEPSAID, "--db", str(folder / "chat.db")])
    script = f'{mount}\nkeepsaid() {{ {command} "$@"; }}\n{script}'
    return subprocess.run([*UNSHARE, script], capture_output=True, text=True, check=False, timeout=120)


def test_doctor_reports_read_only_disk(tmp_path: Path):
    done = on_a_disk(tmp_path, f"keepsaid facts add Likes tea\nmount -o remount,ro '{tmp_path}'\nkeepsaid doctor")
    assert done.returncode == 2, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "is not writable" in last
    assert "chmod u+w" in last


def test_doctor_reports_full_disk(tmp_path: Path):
    fill = f"head -c 5000000 /dev/zero > '{tmp_path}/filler' || true"
    done = on_a_disk(tmp_path, f"keepsaid facts add Likes tea\n{fill}\nkeepsaid doctor")
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2), said
    assert "Traceback" not in said
    assert "only 0 bytes are free" in said or "the disk is full" in said


def test_doctor_fails_without_store(tmp_path: Path):
    assert_refused(call(tmp_path / "none.db", "doctor"), "no store at")


def test_doctor_notes_unfinished_erase(store: Path):
    reader = apsw.Connection(str(store))
    with keepsaid.open(store, embedder="off", background=False) as memory:
        reader.execute("BEGIN; SELECT count(*) FROM messages").fetchall()
        assert memory.erase(owner="me", session="trip").pending
    check = run_doctor(store)["erase"]
    assert check["state"] == "note"
    assert check["detail"].startswith("an erase is not finished since 20")
    assert "  note: erase: an erase is not finished" in call(store, "doctor").stdout
    reader.execute("COMMIT")
    reader.close()
    assert "erase" not in run_doctor(store)


def test_doctor_salvage_names_lost_tables(tmp_path: Path):
    store, target = tmp_path / "chat.db", tmp_path / "new.db"
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        drawer = memory.blobs(owner="me")
        for number in range(100):
            drawer.put({f"name{number}": b"state %d " % number * 40})
    content = bytearray(store.read_bytes())
    page = content.index(b"state 50 ") // 4096 * 4096
    content[page : page + 4096] = b"\xff" * 4096
    store.write_bytes(content)
    shown = call(store, "doctor", "--salvage", str(target)).stdout
    assert " of 100 rows\n" in shown
    assert "  lost: blobs: " in shown
    target.unlink()
    told = answer(call(store, "doctor", "--salvage", str(target), "--json"))
    assert list(told["lost"]) == ["blobs"]
    assert 80 < told["saved"]["blobs"] < 100
