"""`keepsaid config` and `completion`, and the progress output without a terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from shell import answer, assert_refused, call

from keepsaid.cli.output import progress as module
from keepsaid.cli.output.progress import ProgressReporter
from keepsaid.config import SETTINGS

# -- config


def test_config_show_lists_every_setting(monkeypatch: pytest.MonkeyPatch):
    shown = call(None, "config", "show").stdout
    for setting in SETTINGS:
        assert f"\n{setting.name} " in shown
    assert call(None, "config").stdout == shown
    assert set(answer(call(None, "config", "show", "--json"))) == {setting.name for setting in SETTINGS}


def test_config_show_origin_names_source_and_hides_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "keepsaid.toml"
    file.write_text('recall_limit = 7\nsessions_limit = 5\nllm_key = "sk-in-the-file"\n')
    monkeypatch.setenv("KEEPSAID_SESSIONS_LIMIT", "6")
    monkeypatch.setenv("KEEPSAID_KEY", "correct horse")
    arguments = ("--config", str(file), "--owner", "ana", "config", "show", "--origin")
    found = answer(call(tmp_path / "chat.db", *arguments, "--json"))
    assert found["recall_limit"] == {"value": 7, "origin": str(file)}
    assert found["sessions_limit"] == {"value": 6, "origin": "KEEPSAID_SESSIONS_LIMIT"}
    assert found["url"] == {"value": str(tmp_path / "chat.db"), "origin": "argument"}
    assert found["owner"]["value"] == "ana"
    assert found["durable"] == {"value": True, "origin": "default"}
    shown = call(tmp_path / "chat.db", *arguments, "--changed").stdout
    assert "durable" not in shown
    for secret in ("correct horse", "sk-in-the-file"):
        assert secret not in shown
        assert secret not in str(found)
    assert shown.count("***") == 2


def test_config_path_and_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    nothing = call(None, "config", "path")
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    file = tmp_path / "keepsaid.toml"
    file.write_text("[retention]\nactive_days = 90\n")
    assert call(None, "--config", str(file), "config", "path").stdout == f"{file}\n"
    monkeypatch.setenv("KEEPSAID_CONFIG", str(file))
    assert answer(call(None, "config", "path", "--json")) == {"path": str(file), "exists": True}
    assert call(None, "config", "check", str(file)).stdout == f"{file} is valid: 1 setting of {len(SETTINGS)}.\n"
    assert answer(call(None, "config", "check", str(file), "--json"))["settings"] == {"retention_active_days": 90}
    file.write_text("[retention]\nactve_days = 90\n")
    assert_refused(call(None, "config", "check", str(file)), "retention_actve_days", "did you mean 'retention_active_days'")
    file.write_text("recall_limit = many\n")
    assert_refused(call(None, "config", "check", str(file)), "keepsaid.toml")
    assert_refused(call(None, "config", "check", str(tmp_path / "none.toml")), "none.toml")


# -- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_script_for_shell(shell: str):
    assert "_KEEPSAID_COMPLETE" in call(None, "completion", shell).stdout


def list_completions(tmp_path: Path, *words: str) -> set[str]:
    """The completions that a real bash offers."""
    script = tmp_path / "completion.bash"
    script.write_text(call(None, "completion", "bash").stdout)
    bin = Path(sys.executable).parent
    line = f"source '{script}'; PATH='{bin}':$PATH; COMP_WORDS=(keepsaid {' '.join(words)}); COMP_CWORD={len(words)}; "
    line += '_keepsaid_completion keepsaid; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_completion_works_in_real_bash(tmp_path: Path):
    assert list_completions(tmp_path, "se") == {"search", "serve", "sessions"}
    assert list_completions(tmp_path, "facts", "''") == {"list", "add", "edit", "pin", "hide", "history", "undo", "forget"}
    assert list_completions(tmp_path, "config", "c") == {"check"}
    assert {"--days", "--json", "--all-owners"} <= list_completions(tmp_path, "stats", "--")
    assert list_completions(tmp_path, "sessions", "--status", "a") == {"active", "archived"}
    assert_refused(call(None, "completion", "tcsh"), "tcsh")


# -- progress without a terminal


def test_progress_prints_line_per_tenth_of_slow_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    clock = iter(range(1000))
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    with ProgressReporter() as progress:
        for done in range(101):
            progress("Reading", done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"Reading: {tenth}0 %" for tenth in range(1, 11)]
    monkeypatch.setattr(module, "monotonic", lambda: 0.0)
    with ProgressReporter() as progress:  # quick work leaves none
        for done in range(101):
            progress("Reading", done, 100)
    assert capsys.readouterr().err == ""


def test_progress_prints_steps_or_nothing(capsys: pytest.CaptureFixture[str]):
    with ProgressReporter(elsewhere="steps") as progress:
        for what in ("downloading", "building"):
            progress(what, 0, 0)
            progress(what, 1, 1)
    assert capsys.readouterr().err == "downloading\nbuilding\n"
    with ProgressReporter(elsewhere="nothing") as progress:
        progress.counter("Reading")(5, 10)
    assert capsys.readouterr().err == ""
