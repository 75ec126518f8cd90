"""`recollect doctor`: what it finds besides damage, and one line of cure for each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import apsw
import pytest
from model import pulled_model
from redis_servers import redis_server
from shell import RECOLLECT, answer, call, make_store, refused

import recollect
from recollect.cli import checks
from recollect.storage.redis import durability


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def found(store: Path | str, code: int = 0) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in answer(call(store, "doctor", "--json"), code)["checks"]}


def test_a_real_round_trip_that_leaves_nothing(store: Path):
    shown = call(store, "doctor").stdout
    assert "ok: round trip: a message was written, read, found and erased again in" in shown
    assert shown.endswith("Everything is in order.\n")
    assert b"recollect-doctor" not in store.read_bytes()
    db = apsw.Connection(str(store))
    assert db.execute("SELECT count(*) FROM owners WHERE id LIKE 'recollect-doctor%'").fetchone() == (0,)
    db.close()


def test_documents_are_counted_apart(store: Path):
    with recollect.open(store, embedder="off", background=False) as memory:
        memory.ingest("tea.md", content="# Tea\n\nGreen.", owner="me")
    assert f"Checked {store}: 2 owners, 4 sessions, 1 document, " in call(store, "doctor").stdout


def test_a_round_trip_that_fails(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recollect.Memory, "search", lambda self, *_, **__: recollect.Hits())
    result = call(store, "doctor")
    assert result.exit_code == 1
    assert "wrong: round trip: what was written is not found" in result.stdout
    assert "Found wrong: 1." in result.stdout
    assert answer(call(store, "doctor", "--json"), 1)["healthy"] is False


def test_no_model(store: Path, monkeypatch: pytest.MonkeyPatch):
    check = found(store)["model"]
    assert (check["state"], check["cure"]) == ("note", "`recollect model pull` fetches it")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "off")
    assert found(store)["model"]["state"] == "ok"
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "local")
    check = found(store, 1)["model"]
    assert check["state"] == "wrong"
    assert "recollect model pull" in check["cure"]


def test_a_model_and_messages_that_wait(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECOLLECT_MODEL_FOLDER", str(pulled_model()))
    checked = found(store)
    assert checked["model"]["state"] == "ok"
    assert checked["vectors"]["detail"].startswith("6 messages cannot be found by meaning yet")
    assert "recollect reindex" in checked["vectors"]["cure"]
    call(store, "reindex")
    assert "vectors" not in found(store)


def test_what_a_change_of_the_model_costs(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECOLLECT_MODEL_FOLDER", str(pulled_model()))
    with monkeypatch.context() as before:
        before.setenv("RECOLLECT_EMBEDDER", "local:all-MiniLM-L6-v2")
        call(store, "reindex")
        assert "vectors" not in found(store)
    check = found(store)["vectors"]
    assert check["state"] == "note"
    assert check["detail"] == (
        "6 messages will be embedded anew with local:all-MiniLM-L6-v2+use-multilingual-v3/1.1+tokens2, which takes about"
        " 1 second; until then the vectors of local:all-MiniLM-L6-v2/1+tokens2 serve"
    )
    assert "recollect reindex" in check["cure"]


def test_what_a_server_puts_at_risk_is_noted_and_logged(caplog: pytest.LogCaptureFixture):
    with redis_server() as server:
        check = found(server.url)["server"]
        assert (check["state"], check["detail"]) == ("note", durability.NOTHING)
        assert [(one.name, one.levelname, one.message) for one in caplog.records] == [
            ("recollect", "WARNING", durability.NOTHING)
        ]
        shown = call(server.url, "doctor").stdout
        assert "  note: server: this Redis keeps nothing on a disk" in shown
        assert shown.endswith("Everything is in order.\n")


def test_of_a_server_that_keeps_everything_nothing_is_said(caplog: pytest.LogCaptureFixture):
    with redis_server("--appendonly", "yes") as server:
        assert "server" not in found(server.url)
    assert not caplog.records


def test_others_can_read_it(store: Path):
    store.chmod(0o644)
    check = found(store)["permissions"]
    assert (check["state"], check["cure"]) == ("note", f"chmod 600 {store}")
    store.chmod(0o600)
    assert found(store)["permissions"]["state"] == "ok"


def test_little_room(store: Path, monkeypatch: pytest.MonkeyPatch):
    usage = shutil.disk_usage(store.parent)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage._replace(free=5_000_000))
    assert found(store, 1)["disk"]["detail"].startswith("only 5.0 MB are free")
    monkeypatch.setattr(checks, "LITTLE_SPACE", 1)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage._replace(free=10_000))
    assert found(store)["disk"]["state"] == "note"


def test_a_language_model_that_does_not_answer(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECOLLECT_LLM", "openai:some-model")
    monkeypatch.setenv("RECOLLECT_LLM_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RECOLLECT_LLM_KEY", "sk-secret")
    check = found(store, 1)["llm"]
    assert check["state"] == "wrong"
    assert "llm_url" in check["cure"]
    assert "sk-secret" not in call(store, "doctor").output


def test_a_damaged_index(store: Path, tmp_path: Path):
    with recollect.open(store, embedder="off", background=False, durable=False) as memory:
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
    assert result.stdout.splitlines()[-1].startswith("Found wrong: 1. `recollect doctor --salvage NEWFILE`")
    assert call(store, "doctor", "--salvage", str(tmp_path / "new.db")).exit_code == 0
    assert "ok: round trip" in call(tmp_path / "new.db", "doctor").stdout
    assert len(answer(call(tmp_path / "new.db", "search", "tea", "--json"))["hits"]) == 10


def test_wrong_counters_are_not_written_to(store: Path):
    db = apsw.Connection(str(store))
    db.execute("UPDATE sessions SET messages = 99 WHERE id = 'trip'")
    db.close()
    result = call(store, "doctor")
    assert result.exit_code == 1
    assert "round trip" not in result.stdout
    assert result.stdout.splitlines()[-1].endswith("`recollect doctor --repair` mends what can be mended.")
    assert "ok: round trip" in call(store, "doctor", "--repair").stdout


def test_lines_fit_the_screen(store: Path):
    shown = call(store, "doctor", env={"COLUMNS": "60"}).stdout.splitlines()
    assert all(len(line) <= 60 for line in shown[1:])


UNSHARE = ("unshare", "--map-root-user", "--mount", "bash", "-ec")


def on_a_disk(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Runs a script with a disk of 2 MB of its own in a folder."""
    mount = f"mount -t tmpfs -o size=2m tmpfs '{folder}'"
    if subprocess.run([*UNSHARE, mount], capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    command = " ".join(f"'{word}'" for word in [*RECOLLECT, "--db", str(folder / "chat.db")])
    script = f'{mount}\nrecollect() {{ {command} "$@"; }}\n{script}'
    return subprocess.run([*UNSHARE, script], capture_output=True, text=True, check=False, timeout=120)


def test_a_disk_that_cannot_be_written(tmp_path: Path):
    done = on_a_disk(tmp_path, f"recollect facts add Likes tea\nmount -o remount,ro '{tmp_path}'\nrecollect doctor")
    assert done.returncode == 2, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "cannot be written" in last
    assert "chmod u+w" in last


def test_a_full_disk(tmp_path: Path):
    fill = f"head -c 5000000 /dev/zero > '{tmp_path}/filler' || true"
    done = on_a_disk(tmp_path, f"recollect facts add Likes tea\n{fill}\nrecollect doctor")
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2), said
    assert "Traceback" not in said
    assert "only 0 bytes are free" in said or "the disk is full" in said


def test_what_cannot_be_opened(tmp_path: Path):
    refused(call(tmp_path / "none.db", "doctor"), "no store at")
