"""`recollect config` and `completion`, and the lines that progress leaves where there is no terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from shell import answer, call, refused

from recollect.cli import progress as module
from recollect.cli.progress import Progress
from recollect.config import KNOBS

# -- config


def test_every_setting_is_shown(monkeypatch: pytest.MonkeyPatch):
    shown = call(None, "config", "show").stdout
    for knob in KNOBS:
        assert f"\n{knob.name} " in shown
    assert call(None, "config").stdout == shown
    assert set(answer(call(None, "config", "show", "--json"))) == {knob.name for knob in KNOBS}


def test_where_a_setting_is_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "recollect.toml"
    file.write_text('recall_limit = 7\nsessions_limit = 5\nllm_key = "sk-in-the-file"\n')
    monkeypatch.setenv("RECOLLECT_SESSIONS_LIMIT", "6")
    monkeypatch.setenv("RECOLLECT_KEY", "correct horse")
    arguments = ("--config", str(file), "--owner", "ana", "config", "show", "--origin")
    found = answer(call(tmp_path / "chat.db", *arguments, "--json"))
    assert found["recall_limit"] == {"value": 7, "origin": str(file)}
    assert found["sessions_limit"] == {"value": 6, "origin": "RECOLLECT_SESSIONS_LIMIT"}
    assert found["url"] == {"value": str(tmp_path / "chat.db"), "origin": "argument"}
    assert found["owner"]["value"] == "ana"
    assert found["durable"] == {"value": True, "origin": "default"}
    shown = call(tmp_path / "chat.db", *arguments, "--changed").stdout
    assert "durable" not in shown
    for secret in ("correct horse", "sk-in-the-file"):
        assert secret not in shown
        assert secret not in str(found)
    assert shown.count("***") == 2


def test_path_and_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    nothing = call(None, "config", "path")
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    file = tmp_path / "recollect.toml"
    file.write_text("[retention]\nactive_days = 90\n")
    assert call(None, "--config", str(file), "config", "path").stdout == f"{file}\n"
    monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
    assert answer(call(None, "config", "path", "--json")) == {"path": str(file), "exists": True}
    assert call(None, "config", "check", str(file)).stdout == f"{file} is right: 1 setting of {len(KNOBS)}.\n"
    assert answer(call(None, "config", "check", str(file), "--json"))["settings"] == {"retention_active_days": 90}
    file.write_text("[retention]\nactve_days = 90\n")
    refused(call(None, "config", "check", str(file)), "retention_actve_days", "did you mean 'retention_active_days'")
    file.write_text("recall_limit = many\n")
    refused(call(None, "config", "check", str(file)), "recollect.toml")
    refused(call(None, "config", "check", str(tmp_path / "none.toml")), "none.toml")


# -- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str):
    assert "_RECOLLECT_COMPLETE" in call(None, "completion", shell).stdout


def completed(tmp_path: Path, *words: str) -> set[str]:
    """What a real bash proposes."""
    script = tmp_path / "completion.bash"
    script.write_text(call(None, "completion", "bash").stdout)
    bin = Path(sys.executable).parent
    line = f"source '{script}'; PATH='{bin}':$PATH; COMP_WORDS=(recollect {' '.join(words)}); COMP_CWORD={len(words)}; "
    line += '_recollect_completion recollect; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_a_real_bash(tmp_path: Path):
    assert completed(tmp_path, "se") == {"search", "serve", "sessions"}
    assert completed(tmp_path, "facts", "''") == {"list", "add", "edit", "pin", "hide", "history", "undo", "forget"}
    assert completed(tmp_path, "config", "c") == {"check"}
    assert {"--days", "--json", "--all-owners"} <= completed(tmp_path, "stats", "--")
    assert completed(tmp_path, "sessions", "--status", "a") == {"active", "archived"}
    refused(call(None, "completion", "tcsh"), "tcsh")


# -- progress without a terminal


def test_a_line_for_every_tenth_that_took_a_while(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    clock = iter(range(1000))
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    with Progress() as progress:
        for done in range(101):
            progress("Reading", done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"Reading: {tenth}0 %" for tenth in range(1, 11)]
    monkeypatch.setattr(module, "monotonic", lambda: 0.0)
    with Progress() as progress:  # quick work leaves none
        for done in range(101):
            progress("Reading", done, 100)
    assert capsys.readouterr().err == ""


def test_steps_and_nothing(capsys: pytest.CaptureFixture[str]):
    with Progress(elsewhere="steps") as progress:
        for what in ("downloading", "building"):
            progress(what, 0, 0)
            progress(what, 1, 1)
    assert capsys.readouterr().err == "downloading\nbuilding\n"
    with Progress(elsewhere="nothing") as progress:
        progress.of("Reading")(5, 10)
    assert capsys.readouterr().err == ""
