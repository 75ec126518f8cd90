"""The command line: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

import keepsaid
from keepsaid.cli import main
from keepsaid.types.reports import EraseReceipt


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("URL", "KEY", "KEY_FILE", "CONFIG"):
        monkeypatch.delenv(f"KEEPSAID_{name}", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two owners; u1 has three sessions, one of them deleted."""
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        trip = memory.chat(owner="u1", session="trip", create=True, title="Lisbon")
        trip.add("user", "My sister moved to Lisbon in May.", id="m1")
        trip.add("assistant", "Noted!", id="m2")
        memory.chat(owner="u1", session="work", create=True).add("user", "The office code is 4711.")
        memory.chat(owner="u1", session="gone", create=True).add("user", "Forget this.", id="m9")
        memory.chat(owner="u1", session="gone").delete()
        memory.chat(owner="u2", session="own", create=True).add("user", "Hello")
    return path


def call(store: Path | str | None, *arguments: str, input: str | None = None) -> Result:
    before = () if store is None else ("--store", str(store))
    return CliRunner().invoke(main, [*before, *arguments], input=input, catch_exceptions=False)


def answer(result: Result) -> dict[str, object]:
    """The one JSON object on stdout."""
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def assert_refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2
    assert result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in last, last


def texts(store: Path, owner: str, session: str) -> list[str]:
    with keepsaid.open(store) as memory:
        return [message.text for message in memory.chat(owner=owner, session=session).messages()]


def damage_counters(store: Path) -> None:
    db = apsw.Connection(str(store))
    db.execute("UPDATE sessions SET messages = 99 WHERE id = 'trip'")
    db.close()


COMMANDS = (
    ("doctor",),
    ("doctor", "--repair"),
    ("doctor", "--salvage", "new.db"),
    ("backup", "copy.db"),
    ("retention",),
    ("retention", "--yes"),
    ("erase", "--owner", "u1", "--yes"),
)


class TestMainCommand:
    def test_help_names_every_command(self) -> None:
        result = call(None, "--help")
        assert result.exit_code == 0
        for name in ("doctor", "backup", "retention", "erase", "--db", "--owner", "--config", "--key-file"):
            assert name in result.stdout

    def test_version_option_prints_version(self) -> None:
        assert call(None, "--version").stdout == f"keepsaid, version {keepsaid.__version__}\n"

    def test_installed_command_runs(self) -> None:
        command = Path(sys.executable).with_name("keepsaid")
        done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        assert keepsaid.__version__ in done.stdout

    def test_importing_keepsaid_does_not_import_click(self) -> None:
        program = "import keepsaid, keepsaid.wiring, sys; sys.exit('click' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

    def test_unknown_command_is_refused(self) -> None:
        assert_refused(call(None, "frobnicate"), "frobnicate")

    @pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
    def test_missing_store_is_refused_and_not_created(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        missing = tmp_path / "missing.db"
        assert_refused(call(missing, *arguments), f"no store at {missing}")
        assert_refused(call(f"sqlite:///{missing}", *arguments), f"no store at {missing}")
        assert not list(tmp_path.rglob("*.db*"))

    @pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
    def test_missing_default_store_is_refused_and_not_created(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert_refused(call(None, *arguments), "no store at", "memory.db")
        assert not list(tmp_path.rglob("*.db*"))

    def test_empty_file_is_refused_and_unchanged(self, tmp_path: Path) -> None:
        path = tmp_path / "empty.db"
        path.touch()
        assert_refused(call(path, "doctor"), "the file is empty")
        assert path.stat().st_size == 0

    def test_empty_store_name_is_refused(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEEPSAID_URL", str(store))
        assert_refused(call("", "erase", "--owner", "u1", "--yes"), "--store")
        assert texts(store, "u1", "work")

    def test_memory_and_unknown_schemes_are_refused(self) -> None:
        assert_refused(call("memory://", "doctor"), "memory://")
        assert_refused(call("gopher://x", "doctor"), "gopher://")

    def test_foreign_file_and_folder_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "note.txt"
        path.write_text("just a note, and long enough to have a header")
        assert_refused(call(path, "doctor"), "not a Keepsaid store")
        assert_refused(call(tmp_path, "doctor"), "is a folder")
        assert path.read_text().startswith("just a note")

    def test_store_is_read_from_environment_and_config(
        self, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        config = tmp_path / "keepsaid.toml"
        config.write_text(f'url = "{store}"\n')
        assert str(store) in call(None, "--config", str(config), "doctor").stdout
        monkeypatch.setenv("KEEPSAID_URL", str(store))
        assert str(store) in call(None, "doctor").stdout
        assert_refused(call(tmp_path / "other.db", "--config", str(config), "doctor"), "other.db")

    def test_invalid_settings_are_refused(self, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert_refused(call(store, "--config", str(tmp_path / "no.toml"), "doctor"), "no.toml")
        config = tmp_path / "keepsaid.toml"
        config.write_text("colour = 1\n")
        assert_refused(call(store, "--config", str(config), "doctor"), "colour")
        monkeypatch.setenv("KEEPSAID_RETENTION_ACTIVE_DAYS", "soon")
        assert_refused(call(store, "retention"), "retention_active_days", "soon")

    def test_key_file_opens_encrypted_store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path, right, wrong = tmp_path / "secret.db", tmp_path / "right", tmp_path / "wrong"
        right.write_text("correct horse")
        wrong.write_text("battery staple")
        keepsaid.open(path, key="correct horse").close()
        assert call(path, "--key-file", str(right), "doctor").exit_code == 0
        assert_refused(call(path, "doctor"), "key")
        assert_refused(call(path, "--key-file", str(wrong), "doctor"), "key does not open")
        assert_refused(call(path, "--key-file", str(tmp_path / "none"), "doctor"), "cannot read the key file")
        # What is given on the command line is nearer than what is in the environment.
        monkeypatch.setenv("KEEPSAID_KEY", "battery staple")
        assert call(path, "--key-file", str(right), "doctor").exit_code == 0


class TestDoctor:
    def test_reports_healthy_store(self, store: Path) -> None:
        result = call(store, "doctor")
        assert result.exit_code == 0
        assert f"Checked {store}: 2 owners, 4 sessions" in result.stdout
        assert "5 messages" in result.stdout
        assert "Everything is in order." in result.stdout

    def test_finds_and_repairs_wrong_counters(self, store: Path) -> None:
        damage_counters(store)
        found = call(store, "doctor")
        assert found.exit_code == 1
        assert "wrong: counters: session 'trip' counts 99 messages" in found.stdout
        assert "--repair" in found.stdout
        result = call(store, "doctor", "--repair")
        assert result.exit_code == 0
        assert "repaired: counters: session 'trip'" in result.stdout
        assert "Everything is in order." in call(store, "doctor").stdout

    def test_json_reports_findings(self, store: Path) -> None:
        healthy = answer(call(store, "doctor", "--json"))
        assert healthy["healthy"] is True
        assert healthy["findings"] == []
        assert healthy["checked"]["messages"] == 5
        damage_counters(store)
        result = call(store, "doctor", "--json")
        assert result.exit_code == 1
        (finding,) = answer(result)["findings"]
        assert finding["kind"] == "counters"
        assert finding["repaired"] is False

    def test_salvage_copies_messages_to_new_file(self, store: Path, tmp_path: Path) -> None:
        target = tmp_path / "new.db"
        result = call(store, "doctor", "--salvage", str(target))
        assert result.exit_code == 0
        assert "5 messages" in result.stdout
        assert str(target) in result.stdout
        assert texts(target, "u1", "trip") == ["My sister moved to Lisbon in May.", "Noted!"]
        assert_refused(call(store, "doctor", "--salvage", str(target)), "exists already")

    def test_salvage_json_reports_saved_messages(self, store: Path, tmp_path: Path) -> None:
        saved = answer(call(store, "doctor", "--salvage", str(tmp_path / "new.db"), "--json"))
        assert saved["saved"]["messages"] == 5
        assert saved["salvaged_to"] == str(tmp_path / "new.db")

    def test_salvage_with_repair_is_refused(self, store: Path, tmp_path: Path) -> None:
        assert_refused(call(store, "doctor", "--repair", "--salvage", str(tmp_path / "new.db")), "--salvage")
        assert not (tmp_path / "new.db").exists()

    def test_refuses_file_too_damaged_to_open(self, store: Path, tmp_path: Path) -> None:
        content = bytearray(store.read_bytes())
        content[100:4096] = b"\xff" * 3996  # the table of tables
        store.write_bytes(content)
        assert_refused(call(store, "doctor"), "too damaged to be checked", "--salvage")
        assert_refused(call(store, "doctor", "--salvage", str(tmp_path / "new.db")), "too damaged to be salvaged", "backup")

    def test_salvages_file_with_damaged_pages(self, tmp_path: Path) -> None:
        store, target = tmp_path / "chat.db", tmp_path / "new.db"
        with keepsaid.open(store) as memory:
            memory.chat(owner="u1", session="long", create=True).add_many(
                [keepsaid.MessageDraft("user", f"message {number} " + "about this and that " * 5) for number in range(1000)]
            )
        content = bytearray(store.read_bytes())
        first = content.index(b"message 500 ") // 4096 * 4096
        content[first : first + 4096] = b"\xff" * 4096
        store.write_bytes(content)
        assert_refused(call(store, "doctor", "--repair"), "too damaged to be checked", "--salvage")
        assert call(store, "doctor", "--salvage", str(target)).exit_code == 0
        assert 900 < len(texts(target, "u1", "long")) < 1000
        assert call(target, "doctor").exit_code == 0


class TestBackup:
    def test_copies_store(self, store: Path, tmp_path: Path) -> None:
        target = tmp_path / "copy.db"
        result = call(store, "backup", str(target))
        assert result.exit_code == 0
        assert f"Copied {store} to {target} (" in result.stdout
        assert f"{target.stat().st_size / 1000:.1f} kB" in result.stdout
        assert texts(target, "u1", "trip") == texts(store, "u1", "trip")

    def test_refuses_existing_target(self, store: Path, tmp_path: Path) -> None:
        target = tmp_path / "copy.db"
        target.write_text("precious")
        assert_refused(call(store, "backup", str(target)), "exists already")
        assert target.read_text() == "precious"

    def test_refuses_missing_folder(self, store: Path, tmp_path: Path) -> None:
        assert_refused(call(store, "backup", str(tmp_path / "nowhere" / "copy.db")))

    def test_requires_target(self, store: Path) -> None:
        assert_refused(call(store, "backup"), "TARGET")


@pytest.fixture
def old_store(tmp_path: Path) -> Path:
    """Four sessions past their time (two active, one archived, one deleted with two messages), and a fresh one."""
    path = tmp_path / "old.db"
    long_ago = datetime.now(UTC) - timedelta(days=400)
    with keepsaid.open(path, clock=lambda: long_ago) as memory:
        for name in ("a", "b", "c", "d"):
            memory.chat(owner="u1", session=name, create=True).add("user", f"session {name}")
        memory.chat(owner="u1", session="c").archive()
        memory.chat(owner="u1", session="d").add("user", "more")
        memory.chat(owner="u1", session="d").delete()
    with keepsaid.open(path) as memory:
        memory.chat(owner="u1", session="fresh", create=True).add("user", "today")
    return path


def list_session_ids(path: Path) -> set[str]:
    with keepsaid.open(path) as memory:
        return {session.id for session in memory.sessions(owner="u1")}


class TestRetention:
    @pytest.fixture(autouse=True)
    def preset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEEPSAID_RETENTION_PRESET", "30/90/30")

    def test_nothing_expires_by_default(self, old_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("KEEPSAID_RETENTION_PRESET")
        done = call(old_store, "retention", "--yes").stdout
        assert "kept forever" in done
        assert "1 deleted session was purged for good, with 2 messages" in done
        assert list_session_ids(old_store) == {"a", "b", "c", "fresh"}

    def test_lists_show_expiry_of_sessions(self, old_store: Path) -> None:
        listed = call(old_store, "sessions", "--owner", "u1", "--all").stdout
        assert "expires at the next clean-up" in listed
        assert "expires in 29 days" in listed
        assert "expires in 29 days" in call(old_store, "show", "fresh", "--owner", "u1").stdout
        call(old_store, "retention", "--yes")
        listed = call(old_store, "sessions", "--owner", "u1", "--status", "deleted", "--all").stdout
        assert listed.count("expired") == 3
        assert listed.count("purged in 29 days") == 3
        told = answer(call(old_store, "sessions", "--owner", "u1", "--status", "deleted", "--json"))
        assert {session["expired"] for session in told["sessions"]} == {True}

    def test_lists_show_no_expiry_without_retention(self, old_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("KEEPSAID_RETENTION_PRESET")
        assert "expir" not in call(old_store, "sessions", "--owner", "u1").stdout

    def test_first_run_is_a_dry_run(self, old_store: Path) -> None:
        result = call(old_store, "retention")
        assert result.exit_code == 0
        assert "2 active sessions would be deleted" in result.stdout
        assert "1 archived session would be deleted" in result.stdout
        assert "1 deleted session would be purged for good, with 2 messages" in result.stdout
        assert "is a dry run" in result.stdout
        assert "again to proceed" in result.stdout
        assert list_session_ids(old_store) == {"a", "b", "c", "fresh"}

    def test_second_run_deletes_expired_sessions(self, old_store: Path) -> None:
        call(old_store, "retention")
        result = call(old_store, "retention")
        assert "2 active sessions were deleted" in result.stdout
        assert "1 deleted session was purged for good, with 2 messages" in result.stdout
        assert "Nothing was changed" not in result.stdout
        assert list_session_ids(old_store) == {"fresh"}
        assert call(old_store, "retention").stdout == "Nothing has expired.\n"

    def test_yes_deletes_without_dry_run(self, old_store: Path) -> None:
        assert "2 active sessions were deleted" in call(old_store, "retention", "--yes").stdout
        assert list_session_ids(old_store) == {"fresh"}

    def test_dry_run_changes_nothing(self, old_store: Path) -> None:
        for _ in range(2):
            assert "this was a dry run" in call(old_store, "retention", "--dry-run").stdout
        assert list_session_ids(old_store) == {"a", "b", "c", "fresh"}
        assert "is a dry run" in call(old_store, "retention").stdout

    def test_json_reports_counts_and_dry_run(self, old_store: Path) -> None:
        report = answer(call(old_store, "retention", "--json"))
        assert (report["expired"], report["expired_archived"], report["purged"], report["messages_purged"]) == (2, 1, 1, 2)
        assert (report["total"], report["dry_run"], report["first_dry_run"]) == (4, True, True)
        assert answer(call(old_store, "retention", "--json"))["dry_run"] is False

    def test_active_days_setting_is_applied(self, old_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEEPSAID_RETENTION_ACTIVE_DAYS", "off")
        assert "active" not in call(old_store, "retention", "--dry-run").stdout

    def test_dry_run_with_yes_is_refused(self, old_store: Path) -> None:
        assert_refused(call(old_store, "retention", "--dry-run", "--yes"), "--dry-run")
        assert list_session_ids(old_store) == {"a", "b", "c", "fresh"}


class TestErase:
    def test_erases_owner_after_confirmation(self, store: Path) -> None:
        result = call(store, "erase", "--owner", "u1", input="y\n")
        assert result.exit_code == 0
        assert "everything of owner 'u1': 2 sessions and 1 deleted one with 4 messages" in result.stderr
        assert "Erased: 3 sessions, 4 messages" in result.stdout
        assert "Verified: rows, keywords, vectors, artifacts, log, pages." in result.stdout
        assert "Go ahead?" not in result.stdout
        assert b"4711" not in store.read_bytes()
        assert texts(store, "u2", "own") == ["Hello"]

    @pytest.mark.parametrize("reply", ["n\n", "\n", ""])
    def test_erases_nothing_without_confirmation(self, store: Path, reply: str) -> None:
        result = call(store, "erase", "--owner", "u1", input=reply)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert texts(store, "u1", "work") == ["The office code is 4711."]

    def test_erases_one_session(self, store: Path) -> None:
        result = call(store, "erase", "--owner", "u1", "--session", "trip", input="y\n")
        assert "session 'trip' ('Lisbon') of owner 'u1' with 2 messages" in result.stderr
        assert "Erased: 1 session, 2 messages" in result.stdout
        assert_refused(call(store, "erase", "--owner", "u1", "--session", "trip", "--yes"), "no session 'trip'")
        assert texts(store, "u1", "work")

    def test_erases_deleted_session(self, store: Path) -> None:
        assert "deleted" in call(store, "erase", "--owner", "u1", "--session", "gone", "--message", "m9").stderr
        assert "Erased: 1 session, 1 message" in call(store, "erase", "--owner", "u1", "--session", "gone", "--yes").stdout

    def test_erases_one_message(self, store: Path) -> None:
        result = call(store, "erase", "--owner", "u1", "--session", "trip", "--message", "m1", input="y\n")
        assert "'My sister moved to Lisbon in May.'" in result.stderr
        assert "Erased: 0 sessions, 1 message." in result.stdout
        assert texts(store, "u1", "trip") == ["Noted!"]

    def test_json_prints_receipt(self, store: Path) -> None:
        receipt = answer(call(store, "erase", "--owner", "u1", "--json", input="y\n"))
        assert (receipt["sessions"], receipt["messages"], receipt["pending"]) == (3, 4, "")
        assert receipt["verified"] == ["rows", "keywords", "vectors", "artifacts", "log", "pages"]

    def test_unknown_owner_session_or_message_is_refused(self, store: Path) -> None:
        assert_refused(call(store, "erase", "--owner", "nobody", "--yes"), "nothing of owner 'nobody'")
        assert_refused(call(store, "erase", "--owner", "u2", "--session", "trip", "--yes"), "no session 'trip'")
        assert_refused(
            call(store, "erase", "--owner", "u1", "--session", "trip", "--message", "m7", "--yes"), "no such message"
        )
        assert_refused(call(store, "erase", "--owner", "", "--yes"), "owner must not be empty")
        assert len(texts(store, "u1", "trip")) == 2

    def test_message_without_session_and_missing_owner_are_refused(self, store: Path) -> None:
        assert_refused(call(store, "erase", "--owner", "u1", "--message", "m1", "--yes"), "--session")
        assert_refused(call(store, "erase", "--yes"), "--owner")

    def test_erases_owner_with_only_pool_grants(self, store: Path) -> None:
        with keepsaid.open(store) as memory:
            memory.grant(memory.create_pool("team", owner="u2"), to="guest", by="u2")
        result = call(store, "erase", "--owner", "guest", input="y\n")
        assert "1 pool" in result.stderr
        assert result.exit_code == 0
        with keepsaid.open(store) as memory:
            assert memory.pools(owner="guest") == []

    def test_reports_unfinished_erasure_while_reader_is_open(self, store: Path) -> None:
        reader = apsw.Connection(str(store))
        reader.execute("BEGIN; SELECT count(*) FROM messages").fetchall()
        try:
            result = call(store, "erase", "--owner", "u1", "--yes")
        finally:
            reader.close()
        assert result.exit_code == 0
        assert "Not finished: " in result.stdout
        assert "Verified: rows, keywords, vectors, artifacts." in result.stdout
        assert "`keepsaid doctor`" in result.stdout

    def test_prints_receipt_counts_and_pending_reason(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        receipt = EraseReceipt(1, 2, 3, ("rows",), "a reader")
        monkeypatch.setattr(keepsaid.Memory, "erase", lambda self, **scope: receipt)
        assert "3 derived rows. Verified: rows." in call(store, "erase", "--owner", "u1", "--yes").stdout
        assert answer(call(store, "erase", "--owner", "u1", "--yes", "--json"))["pending"] == "a reader"
