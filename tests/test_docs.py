"""Documentation checks: code blocks and examples run, links and paths exist, and the reference is up to date."""

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


@pytest.mark.parametrize(("document", "least"), [("README.md", 2), ("docs/guide.md", 8)])
def test_python_blocks_of_a_document_print_what_it_says(document, least, tmp_path, monkeypatch):
    """Each document is one program from top to bottom; a text block after a Python block is what it prints."""
    text = (ROOT / document).read_text()
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) >= least
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, document, "exec"), names)
        assert printed.getvalue() == expected


def test_readme_is_short():
    assert len(README.splitlines()) < 200


def test_document_links_point_to_existing_files():
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"


def test_every_file_and_function_in_the_architecture_page_exists():
    page = (ROOT / "docs" / "architecture.md").read_text()
    references = re.findall(r"`([\w/]+(?:/|\.py))(?::(\w+))?`", page)
    assert len(references) > 60
    for path, function in references:
        file = next((root / path for root in (ROOT, ROOT / "src" / "keepsaid") if (root / path).exists()), None)
        if file is None and "/" not in path.rstrip("/"):
            continue  # a file of the folder that the same cell names
        assert file is not None, f"docs/architecture.md names {path}"
        if function:
            assert re.search(rf"^ *def {function}\(", file.read_text(), re.MULTILINE), f"{path} has no function {function}"


def test_paths_named_in_comments_and_docstrings_exist():
    for file in (ROOT / "src").rglob("*.py"):
        for path in re.findall(r"\b(?:docs|tests|src)/[\w/.-]+\.(?:md|py)\b", file.read_text()):
            assert (ROOT / path).exists(), f"{file.name} names {path}"


def test_the_configuration_reference_is_up_to_date():
    page = runpy.run_path(str(ROOT / "docs" / "make_configuration.py"))["page"]()
    assert (ROOT / "docs" / "configuration.md").read_text() == page, "run `make docs`"


APPS = re.compile(r"^import (streamlit|chainlit)", re.MULTILINE)
SCRIPTS = [path for path in sorted((ROOT / "examples").glob("*.py")) if not APPS.search(path.read_text())]
"""Examples that run by themselves; those that are apps have tests of their own."""


MISSING = re.compile(r"^(ModuleNotFoundError: No module named '(?!keepsaid)|keepsaid.errors.MissingExtra)", re.MULTILINE)


@pytest.mark.parametrize("example", SCRIPTS, ids=lambda path: path.name)
def test_examples_run(example):
    """Each example runs in its own process, because frameworks leave global state behind."""
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=120)
    if MISSING.search(done.stderr):
        pytest.skip(f"a framework is not installed: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_tour_example_shows_recall_isolation_and_erase(capsys):
    runpy.run_path(str(ROOT / "examples" / "tour.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "allergic to nuts" in shown
    assert "by another owner: []" in shown
    assert "Left in the file: False" in shown
