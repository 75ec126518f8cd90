"""The top level of the command line: its help, global options, speed, and the generated reference pages."""

from __future__ import annotations

import json
import os
import resource
import runpy
import subprocess
import sys
import time
from pathlib import Path

import click
import pexpect
import pytest
from shell import KEEPSAID, answer, assert_refused, call, make_store, run_command, texts

import keepsaid
from keepsaid.cli import main
from keepsaid.cli.lazy_group import COMMANDS, SECTIONS

ROOT = Path(keepsaid.__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def test_help_list_matches_help_of_commands():
    for name, words in COMMANDS.items():
        command = main.get_command(click.Context(main), name)
        assert command is not None
        assert command.name == name
        assert command.get_short_help_str(limit=200) == words, name


def test_help_lists_all_documented_commands():
    promised = """chat search sessions show export import facts documents retention erase backup restore doctor reindex model
        config worker stats completion"""
    assert set(promised.split()) <= set(COMMANDS)
    assert len(COMMANDS) == sum(map(len, SECTIONS.values()))
    shown = call(None, "--help").stdout
    for name, words in COMMANDS.items():
        assert f"  {name} " in shown
        assert words in shown


def test_help_fits_80_columns_and_imports_no_command():
    code = """
import sys
from keepsaid.cli import main
try:
    main(["--help"], prog_name="keepsaid")
except SystemExit:
    print(*(name for name in sys.modules if name.startswith("keepsaid.") or name in ("rich", "apsw", "numpy")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *shown, loaded = done.stdout.splitlines()
    assert max(map(len, shown)) <= 80
    assert set(loaded.split()) == {"keepsaid.cli", "keepsaid.cli.lazy_group"}


def measure_command(*command: str) -> tuple[float, float]:
    """The wall-clock and processor seconds that a program takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_takes_less_than_150_ms(capsys: pytest.CaptureFixture[str]):
    installed = str(Path(sys.executable).with_name("keepsaid"))
    helped, bare = [], []
    for _ in range(5):
        helped.append(measure_command(installed, "--help"))
        bare.append(measure_command(sys.executable, "-c", "pass"))
    (clock, used), (bare_clock, bare_used) = map(min, zip(*helped, strict=True)), map(min, zip(*bare, strict=True))
    with capsys.disabled():
        print(
            f"\n--help {clock * 1000:.0f} ms ({used * 1000:.0f} of the processor), {clock / bare_clock:.1f}× a bare Python"
        )
    assert used < 0.150
    # By the clock, unless others keep the machine busy: then a bare Python takes longer than it uses.
    assert clock < 0.150 or bare_clock > 2 * bare_used


def test_unknown_command_fails_with_suggestion():
    assert_refused(call(None, "serach"), "No such command 'serach'; did you mean 'search'?")
    assert_refused(call(None, "xyzzy"), "No such command 'xyzzy'", "--help")


def test_store_option_overrides_environment(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = tmp_path / "other.db"
    keepsaid.open(other, embedder="off").close()
    monkeypatch.setenv("KEEPSAID_URL", str(other))
    assert answer(call(None, "sessions", "--json"))["store"] == str(other)
    monkeypatch.setenv("KEEPSAID_DB", str(store))
    assert answer(call(None, "sessions", "--json"))["store"] == str(store)
    assert answer(call(other, "sessions", "--json"))["store"] == str(other)
    assert answer(call(None, "--store", str(other), "sessions", "--json"))["store"] == str(other)
    assert_refused(call("", "sessions"), "--db")
    assert "--store" not in call(None, "--help").stdout


def test_owner_option_overrides_environment_and_config(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def ids(*arguments: str) -> list[str]:
        return [session["id"] for session in answer(call(store, *arguments, "--json"))["sessions"]]

    assert set(ids("sessions")) == {"trip", "work", "untitled"}
    assert ids("--owner", "other", "sessions") == ids("sessions", "--owner", "other") == ["theirs"]
    assert ids("--owner", "me", "sessions", "--owner", "other") == ["theirs"]
    monkeypatch.setenv("KEEPSAID_OWNER", "other")
    assert ids("sessions") == ["theirs"]
    assert "trip" in ids("--owner", "me", "sessions")
    monkeypatch.delenv("KEEPSAID_OWNER")
    config = tmp_path / "keepsaid.toml"
    config.write_text('owner = "other"\n')
    assert ids("--config", str(config), "sessions") == ["theirs"]
    assert_refused(call(store, "--owner", "", "sessions"), "--owner")


def test_erase_requires_explicit_owner(store: Path):
    assert_refused(call(store, "erase", "--yes"), "--owner")
    assert texts(store, "me", "trip")
    assert "Erased: 1 session" in call(store, "--owner", "other", "erase", "--yes").stdout


# What changes something may answer without JSON; what only tells something may not.
WITHOUT_JSON = {
    "chat", "completion", "export", "serve", "mcp", "worker",
    "firestore rules", "firestore indexes",  # print a file as Firestore wants it
}  # fmt: skip


def leaves(name: str, command: click.Command) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(name, command)]
    context = click.Context(command)
    return [leaf for verb in command.list_commands(context)
            for leaf in leaves(f"{name} {verb}".strip(), command.get_command(context, verb))]  # fmt: skip


def test_every_listed_command_has_json_option():
    for name, command in leaves("", main):
        options = {option for param in command.params for option in param.opts}
        assert "--json" in options or name in WITHOUT_JSON, name


def test_destructive_commands_have_yes_option():
    for name in ("erase", "retention", "restore", "facts forget", "documents remove", "export"):
        command = dict(leaves("", main))[name]
        assert "--yes" in {option for param in command.params for option in param.opts}, name


def test_no_color_disables_escape_codes(store: Path):
    def shown(**environment: str) -> str:
        arguments = [*KEEPSAID[1:], "--db", str(store), "search", "brother"]
        terminal = pexpect.spawn(KEEPSAID[0], arguments, env={**os.environ, **environment}, encoding="utf-8")
        terminal.expect(pexpect.EOF)
        return terminal.before

    assert "\x1b[" in shown()
    plain = shown(NO_COLOR="1")
    assert "\x1b[" not in plain
    assert "Porto" in plain


def test_closed_pipe_prints_no_error(store: Path):
    with keepsaid.open(store, embedder="off", background=False, durable=False) as memory:
        for number in range(1500):  # more than a pipe holds
            memory.chat(owner="many", session=f"s{number}", create=True)
    command = (
        f"{sys.executable} -c 'from keepsaid.cli import main; main()' --db {store} --owner many sessions --all | head -n 1"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("title")
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_unexpected_exception_is_not_caught(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(keepsaid.Memory, "stats", lambda self, **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call(store, "stats")


def test_generated_reference_pages_are_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
    assert made["page"]() == made["PAGE"].read_text(encoding="utf-8"), "run `make docs`"
    assert made["man"]() == made["MAN"].read_text(encoding="utf-8"), "run `make docs`"
    page = made["page"]()
    for name, command in leaves("keepsaid", main):
        assert f" {name}\n" in page
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden and param.opts != ["--help"]:
                assert param.opts[-1] in page, (name, param.opts)


def test_exit_codes_of_a_real_process(store: Path, tmp_path: Path):
    assert run_command("--db", str(store), "sessions").returncode == 0
    assert run_command("--db", str(tmp_path / "none.db"), "sessions").returncode == 2
    assert run_command("config", "path").returncode == 1
    assert json.loads(run_command("--db", str(store), "sessions", "--json").stdout)["owner"] == "me"
