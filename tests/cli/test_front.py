"""The front of the command line: its list, its global options, how fast it is, and that the reference is up to date."""

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
from shell import RECOLLECT, answer, call, make_store, ran, refused, texts

import recollect
from recollect.cli import main
from recollect.cli.front import COMMANDS, SECTIONS

ROOT = Path(recollect.__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_store(tmp_path / "chat.db")


def test_the_list_says_what_the_commands_say():
    for name, words in COMMANDS.items():
        command = main.get_command(click.Context(main), name)
        assert command is not None
        assert command.name == name
        assert command.get_short_help_str(limit=200) == words, name


def test_the_list_has_everything_that_was_promised():
    promised = """chat search sessions show export import facts documents retention erase backup restore doctor reindex model
        bench config worker stats completion"""
    assert set(promised.split()) <= set(COMMANDS)
    assert len(COMMANDS) == sum(map(len, SECTIONS.values()))
    shown = call(None, "--help").stdout
    for name, words in COMMANDS.items():
        assert f"  {name} " in shown
        assert words in shown


def test_help_fits_80_columns_and_imports_no_command():
    code = """
import sys
from recollect.cli import main
try:
    main(["--help"], prog_name="recollect")
except SystemExit:
    print(*(name for name in sys.modules if name.startswith("recollect.") or name in ("rich", "apsw", "numpy")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *shown, loaded = done.stdout.splitlines()
    assert max(map(len, shown)) <= 80
    assert set(loaded.split()) == {"recollect.cli", "recollect.cli.front"}


def timed(*command: str) -> tuple[float, float]:
    """How long a program takes: by the clock, and of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_is_quick(capsys: pytest.CaptureFixture[str]):
    installed = str(Path(sys.executable).with_name("recollect"))
    helped, bare = [], []
    for _ in range(5):
        helped.append(timed(installed, "--help"))
        bare.append(timed(sys.executable, "-c", "pass"))
    (clock, used), (bare_clock, bare_used) = map(min, zip(*helped, strict=True)), map(min, zip(*bare, strict=True))
    with capsys.disabled():
        print(
            f"\n--help {clock * 1000:.0f} ms ({used * 1000:.0f} of the processor), {clock / bare_clock:.1f}× a bare Python"
        )
    assert used < 0.150
    # By the clock, unless others keep the machine busy: then a bare Python takes longer than it uses.
    assert clock < 0.150 or bare_clock > 2 * bare_used


def test_an_unknown_command_is_not_guessed_but_suggested():
    refused(call(None, "serach"), "No such command 'serach'; did you mean 'search'?")
    refused(call(None, "xyzzy"), "No such command 'xyzzy'", "--help")


def test_which_store(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = tmp_path / "other.db"
    recollect.open(other, embedder="off").close()
    monkeypatch.setenv("RECOLLECT_URL", str(other))
    assert answer(call(None, "sessions", "--json"))["store"] == str(other)
    monkeypatch.setenv("RECOLLECT_DB", str(store))
    assert answer(call(None, "sessions", "--json"))["store"] == str(store)
    assert answer(call(other, "sessions", "--json"))["store"] == str(other)
    assert answer(call(None, "--store", str(other), "sessions", "--json"))["store"] == str(other)
    refused(call("", "sessions"), "--db")
    assert "--store" not in call(None, "--help").stdout


def test_whose_memory(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def ids(*arguments: str) -> list[str]:
        return [session["id"] for session in answer(call(store, *arguments, "--json"))["sessions"]]

    assert set(ids("sessions")) == {"trip", "work", "untitled"}
    assert ids("--owner", "other", "sessions") == ids("sessions", "--owner", "other") == ["theirs"]
    assert ids("--owner", "me", "sessions", "--owner", "other") == ["theirs"]
    monkeypatch.setenv("RECOLLECT_OWNER", "other")
    assert ids("sessions") == ["theirs"]
    assert "trip" in ids("--owner", "me", "sessions")
    monkeypatch.delenv("RECOLLECT_OWNER")
    config = tmp_path / "recollect.toml"
    config.write_text('owner = "other"\n')
    assert ids("--config", str(config), "sessions") == ["theirs"]
    refused(call(store, "--owner", "", "sessions"), "--owner")


def test_what_destroys_does_not_go_by_the_default_owner(store: Path):
    refused(call(store, "erase", "--yes"), "--owner")
    assert texts(store, "me", "trip")
    assert "Erased: 1 session" in call(store, "--owner", "other", "erase", "--yes").stdout


# What changes something may answer without JSON; what only tells something may not.
WITHOUT_JSON = {
    "chat", "completion", "export", "serve", "mcp", "worker", "bench convert",
    "firestore rules", "firestore indexes",  # print a file as Firestore wants it
}  # fmt: skip


def leaves(name: str, command: click.Command) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(name, command)]
    context = click.Context(command)
    return [leaf for verb in command.list_commands(context)
            for leaf in leaves(f"{name} {verb}".strip(), command.get_command(context, verb))]  # fmt: skip


def test_json_everywhere():
    for name, command in leaves("", main):
        options = {option for param in command.params for option in param.opts}
        assert "--json" in options or name in WITHOUT_JSON, name


def test_yes_for_what_destroys():
    for name in ("erase", "retention", "restore", "facts forget", "documents remove", "export"):
        command = dict(leaves("", main))[name]
        assert "--yes" in {option for param in command.params for option in param.opts}, name


def test_no_colours(store: Path):
    def shown(**environment: str) -> str:
        arguments = [*RECOLLECT[1:], "--db", str(store), "search", "brother"]
        terminal = pexpect.spawn(RECOLLECT[0], arguments, env={**os.environ, **environment}, encoding="utf-8")
        terminal.expect(pexpect.EOF)
        return terminal.before

    assert "\x1b[" in shown()
    plain = shown(NO_COLOR="1")
    assert "\x1b[" not in plain
    assert "Porto" in plain


def test_a_reader_who_has_seen_enough(store: Path):
    with recollect.open(store, embedder="off", background=False, durable=False) as memory:
        for number in range(1500):  # more than a pipe holds
            memory.chat(owner="many", session=f"s{number}", create=True)
    command = (
        f"{sys.executable} -c 'from recollect.cli import main; main()' --db {store} --owner many sessions --all | head -n 1"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("title")
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_a_bug_is_not_hidden(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recollect.Memory, "stats", lambda self, **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call(store, "stats")


def test_the_references_are_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
    assert made["page"]() == made["PAGE"].read_text(encoding="utf-8"), "run `make docs`"
    assert made["man"]() == made["MAN"].read_text(encoding="utf-8"), "run `make docs`"
    page = made["page"]()
    for name, command in leaves("recollect", main):
        assert f" {name}\n" in page
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden and param.opts != ["--help"]:
                assert param.opts[-1] in page, (name, param.opts)


def test_exit_codes_of_a_real_process(store: Path, tmp_path: Path):
    assert ran("--db", str(store), "sessions").returncode == 0
    assert ran("--db", str(tmp_path / "none.db"), "sessions").returncode == 2
    assert ran("config", "path").returncode == 1
    assert json.loads(ran("--db", str(store), "sessions", "--json").stdout)["owner"] == "me"
