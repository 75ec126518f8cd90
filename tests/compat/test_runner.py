"""The runner itself: what it reads out of a report, what it makes of that, and what it writes down. Nothing is fetched."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from compat import environments, report, suites
from compat import run as runner
from compat.environments import unpacked
from compat.framework import Framework, Suite
from compat.outcomes import FAILED, PASSED, SKIPPED, Outcome, Verdict, judged, read

HERE = Path(__file__).parent

TESTS = """
import pytest, recollect

def test_alone():
    pass

@pytest.mark.parametrize("number", [1, 2])
def test_with_ours(number):
    recollect.open("memory://", embedder="off").chat(owner="u1")
    assert number == 1

class TestIn:
    def test_skipped(self):
        pytest.skip("for want of a server")

@pytest.fixture
def broken():
    yield
    raise ValueError("at the end")

def test_twice(broken):
    assert not "and before"
"""


def framework(*suites: Suite, **fields: Any) -> Framework:
    return Framework(name="theirs", title="Theirs", extra="", packages=("theirs==1.2.3",), suites=suites, **fields)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_theirs.py").write_text(TESTS)
    (tmp_path / "tests" / "test_unreadable.py").write_text("import nothing_of_that_name")
    return tmp_path


@pytest.fixture
def ran(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Verdict:
    """A real run of pytest on tests with every kind of outcome."""
    monkeypatch.setattr(suites, "unpacked", lambda sdist, also, target: shutil.copytree(folder, target, dirs_exist_ok=True))
    differences = {
        "tests/test_theirs.py::test_with_ours[2]": "ours cannot count",
        "tests/test_theirs.py::test_alone": "foreseen, but it passes",
        "tests/test_theirs.py::test_gone": "foreseen, but it is gone",
    }
    return suites.run(Path(sys.executable), Suite("tests", ("tests",), sdist="theirs==1.2.3", differences=differences))


def test_a_run_is_counted_and_judged(ran: Verdict) -> None:
    assert (ran.passed, ran.with_ours, ran.failed, ran.skipped) == (2, 1, 3, 1)
    assert ran.differing == {"tests/test_theirs.py::test_with_ours[2]": ("ours cannot count", 1)}
    assert [line.partition(":")[0] for line in sorted(ran.unexpected)] == ["tests/test_theirs.py"] * 3 + [
        "tests/test_unreadable.py"
    ]
    assert {line.partition(": ")[0].partition("::")[2] for line in ran.unexpected} == {
        "test_alone", "test_gone", "test_twice", "",
    }  # fmt: skip


def test_pytest_that_cannot_run_has_failed(folder: Path) -> None:
    verdict = suites.run(Path(sys.executable), Suite("tests", ("tests",), arguments=("--no-such-option",)))
    assert (verdict.passed, len(verdict.unexpected)) == (0, 1)
    assert "no-such-option" in verdict.unexpected[0]


def test_a_report_that_has_a_test_twice_tells_the_worse(tmp_path: Path) -> None:
    case = '<testcase classname="tests.test_a" name="test_b">'
    named = '<properties><property name="test" value="a::b"/></properties>'
    failed = f'{case}<failure message="one&#10;two"/></testcase>'
    (tmp_path / "report.xml").write_text(f"<testsuite>{failed}{case}{named}</testcase></testsuite>")
    assert read(tmp_path / "report.xml") == {"a::b": Outcome(FAILED, False, "one")}


FINE = {"a.py::test_a": Outcome(PASSED, True), "a.py::test_b": Outcome(PASSED), "a.py::test_c": Outcome(SKIPPED)}
BROKEN = {"a.py::test_d[1]": Outcome(FAILED), "a.py::TestE::test_e": Outcome(FAILED), "a.py::test_dd": Outcome(FAILED)}


def test_all_well() -> None:
    assert judged(FINE, {}) == Verdict(passed=2, with_ours=1, skipped=1)


@pytest.mark.parametrize(
    ("names", "left"),
    [
        ([], 3),
        (["a.py::test_d"], 2),
        (["a.py::test_d[1]", "a.py::TestE"], 1),
        (["a.py::test_d*", "a.py::TestE::test_e"], 0),
        (["a.py::Test"], 4),
    ],
)
def test_a_difference_covers_what_it_names_and_no_more(names: list[str], left: int) -> None:
    verdict = judged(FINE | BROKEN, dict.fromkeys(names, "so it is"))
    assert len(verdict.unexpected) == left
    assert (verdict.passed, verdict.failed) == (2, 3)


def test_a_file_as_a_difference_must_fail_altogether() -> None:
    verdict = judged(FINE | BROKEN, {"a.py": "so it is"})
    assert [line.partition(":: ")[0] for line in verdict.unexpected] == [
        "a.py::test_a: passes, but is listed as a difference",
        "a.py::test_b: passes, but is listed as a difference",
    ]


@pytest.mark.parametrize("outcomes", [{}, {"a": Outcome(SKIPPED)}])
def test_a_suite_in_which_nothing_passes_has_failed(outcomes: dict[str, Outcome]) -> None:
    assert judged(outcomes, {}).unexpected == ("not one test passed",)


def test_results_of_other_frameworks_and_of_suites_that_did_not_run_stay() -> None:
    theirs = framework(Suite("one", ("tests",)), Suite("two", ("tests",)), ours=("tests/test_ours.py",))
    earlier = report.merged({"other": {"title": "Other", "version": "1", "suites": {}}}, theirs, {
        "one": Verdict(passed=1), "two": Verdict(passed=2), report.OURS: Verdict(passed=3),
    })  # fmt: skip
    later = report.merged(earlier, theirs, {report.OURS: Verdict(passed=4)})
    assert list(later) == ["other", "theirs"]
    assert {title: suite["passed"] for title, suite in later["theirs"]["suites"].items()} == {
        "one": 1,
        "two": 2,
        report.OURS: 4,
    }
    without = report.merged(later, framework(Suite("two", ("tests",))), {})
    assert list(without["theirs"]["suites"]) == ["two"]


def test_the_page_tells_numbers_and_reasons(tmp_path: Path) -> None:
    verdict = Verdict(1_990, 40, 11, 2, {"a.py::test_a": ("ours cannot", 10)}, ("a.py::test_b: assert 1 == 2\nand more",))
    file = tmp_path / "compatibility.json"
    report.save(file, report.merged({}, framework(Suite("sessions", ("tests",))), {"sessions": verdict}))
    page = file.with_suffix(".md").read_text()
    assert "| Theirs | 1.2.3 | sessions | 1,990 / 2,001 | 40 | 10 | 2 |" in page
    assert "- `a.py::test_a` (10 tests): ours cannot\n- **fails**: a.py::test_b: assert 1 == 2\n" in page
    assert report.page(report.load(file)) == page


def test_there_are_no_results_at_first(tmp_path: Path) -> None:
    assert report.load(tmp_path / "compatibility.json") == {}


def test_only_tests_are_unpacked(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "src").mkdir()
    for name in ("src/theirs.py", "pyproject.toml", "conftest.py", "README.md", "tests_of_another_kind.py"):
        (folder / name).write_text("")
    with tarfile.open(tmp_path / "theirs-1.2.3.tar.gz", "w:gz") as archive:
        for file in ("src", "tests", "pyproject.toml", "conftest.py", "README.md", "tests_of_another_kind.py"):
            archive.add(folder / file, f"theirs-1.2.3/{file}")
    monkeypatch.setattr(environments, "_fetched", lambda sdist: tmp_path / "theirs-1.2.3.tar.gz")
    unpacked("theirs==1.2.3", ("README.md",), tmp_path / "work")
    assert {str(file.relative_to(tmp_path / "work")) for file in (tmp_path / "work").rglob("*") if file.is_file()} == {
        "README.md", "conftest.py", "pyproject.toml", "tests/test_theirs.py", "tests/test_unreadable.py",
    }  # fmt: skip


def test_without_uv_the_cure_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environments, "HOME", tmp_path / "compat")
    with pytest.raises(SystemExit, match="pip install uv"):
        environments.made(framework())


def test_every_framework_is_declared_as_it_must_be() -> None:
    """Their names, files and plugins are there, and nothing is left out by an option of pytest."""
    known = runner.declared(HERE)
    assert {"openai-agents", "langgraph", "strands"} <= known.keys()
    for one in known.values():
        assert all("==" in package for package in one.packages[:1]), one.name
        for module in one.adapter:
            assert (environments.ROOT / "src" / "recollect" / "adapters" / f"{module}.py").exists(), module
        for suite in one.suites:
            assert suite.plugin is None or (HERE / f"{suite.plugin}.py").exists(), suite.plugin
            assert not {"-k", "-m", "--deselect", "--ignore", "--ignore-glob"} & set(suite.arguments), one.name
        ours = [path for suite in one.suites if suite.sdist is None for path in suite.paths] + list(one.ours)
        assert all((environments.ROOT / path.partition("::")[0]).exists() for path in ours), one.name


def test_what_went_wrong_is_told_by_the_exit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, verdicts, types = framework(Suite("one", ("tests",))), [Verdict(passed=1)], [("adapter.py:1: no",), ()]
    monkeypatch.setattr(runner, "declared", lambda folder: {"theirs": theirs})
    monkeypatch.setattr(runner, "made", lambda framework: tmp_path)
    monkeypatch.setattr(runner, "RESULTS", tmp_path / "compatibility.json")
    monkeypatch.setattr(suites, "run", lambda python, suite: verdicts[-1])
    monkeypatch.setattr(suites, "types_of", lambda framework, python: types[-1])
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert runner.main() == 0
    verdicts.append(Verdict(passed=1, unexpected=("test_a: passes, but is listed as a difference",)))
    assert runner.main() == 1
    assert json.loads((tmp_path / "compatibility.json").read_text())["theirs"]["suites"]["one"]["unexpected"]
    del verdicts[-1], types[-1]
    assert runner.main() == 1
    monkeypatch.setattr(sys, "argv", ["run.py", "nobody"])
    with pytest.raises(SystemExit):
        runner.main()


def test_wrong_types_are_told(tmp_path: Path) -> None:
    """Pyright itself, on a door that there is, where its framework is not installed: the import is what is wrong."""
    bare = framework(adapter=("openai_agents",))
    told = suites.types_of(bare, Path(sys.executable))
    assert any("openai_agents.py" in line and "agents" in line for line in told) or _is_installed("agents")
    assert suites.types_of(framework(adapter=("no_such_door",)), Path(sys.executable))
    assert suites.types_of(framework(adapter=("common",)), Path(sys.executable)) == ()


def _is_installed(module: str) -> bool:
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0
