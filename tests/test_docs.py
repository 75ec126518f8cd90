"""The documents are true: every Python block of the README runs and prints what it says; the reference is up to date."""

import contextlib
import io
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_readme_runs(tmp_path, monkeypatch):
    """One program from top to bottom; a text block right behind a Python block is what it prints."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", README, re.DOTALL)
    assert len(blocks) >= 8
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)
        assert printed.getvalue() == expected


def test_links_of_the_documents_lead_somewhere():
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"


def test_paths_that_comments_and_docstrings_name_exist():
    for file in (ROOT / "src").rglob("*.py"):
        for path in re.findall(r"\b(?:docs|tests|src)/[\w/.-]+\.(?:md|py)\b", file.read_text()):
            assert (ROOT / path).exists(), f"{file.name} names {path}"


def test_the_configuration_reference_is_up_to_date():
    page = runpy.run_path(str(ROOT / "docs" / "make_configuration.py"))["page"]()
    assert (ROOT / "docs" / "configuration.md").read_text() == page, "run `make docs`"


APPS = re.compile(r"^import (streamlit|chainlit)", re.MULTILINE)
SCRIPTS = [path for path in sorted((ROOT / "examples").glob("*.py")) if not APPS.search(path.read_text())]
"""Examples that run by themselves; those that are apps have tests of their own."""


MISSING = re.compile(r"^(ModuleNotFoundError: No module named '(?!recollect)|recollect.errors.MissingExtra)", re.MULTILINE)


@pytest.mark.parametrize("example", SCRIPTS, ids=lambda path: path.name)
def test_examples_run(example):
    """In a process of their own: frameworks leave things behind."""
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=120)
    if MISSING.search(done.stderr):
        pytest.skip(f"a framework is not installed: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_demo_shows_the_product(capsys):
    runpy.run_path(str(ROOT / "examples" / "tour.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "allergic to nuts" in shown
    assert "by somebody else: []" in shown
    assert "Left in the file: False" in shown
