"""The compatibility runner: reading reports, judging them, and writing the results. Nothing is fetched."""

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
from compat.environments import unpack_tests
from compat.framework import Framework, Suite
from compat.outcomes import FAILED, PASSED, SKIPPED, Outcome, Verdict, judge_outcomes, read

HERE = Path(__file__).parent

TESTS = """
import pytest, keepsaid

def test_alone():
    pass

@pytest.mark.parametrize("number", [1, 2])
def test_with_ours(number):
    keepsaid.open("memory://", embedder="off").chat(owner="u1")
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
def verdict(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Verdict:
    """A real run of pytest on tests with every kind of outcome."""
    monkeypatch.setattr(
        suites, "unpack_tests", lambda sdist, also, target: shutil.copytree(folder, target, dirs_exist_ok=True)
    )
    differences = {
        "tests/test_theirs.py::test_with_ours[2]": "ours cannot count",
        "tests/test_theirs.py::test_alone": "foreseen, but it passes",
        "tests/test_theirs.py::test_gone": "foreseen, but it is gone",
    }
    return suites.run(Path(sys.executable), Suite("tests", ("tests",), sdist="theirs==1.2.3", differences=differences))


def test_suite_run_is_counted_and_judged(verdict: Verdict) -> None:
    assert (verdict.passed, verdict.with_ours, verdict.failed, verdict.skipped) == (2, 1, 3, 1)
    assert verdict.differing == {"tests/test_theirs.py::test_with_ours[2]": ("ours cannot count", 1)}
    assert [line.partition(":")[0] for line in sorted(verdict.unexpected)] == ["tests/test_theirs.py"] * 3 + [
        "tests/test_unreadable.py"
    ]
    assert {line.partition(": ")[0].partition("::")[2] for line in verdict.unexpected} == {
        "test_alone", "test_gone", "test_twice", "",
    }  # fmt: skip


def test_suite_fails_when_pytest_cannot_run(folder: Path) -> None:
    verdict = suites.run(Path(sys.executable), Suite("tests", ("tests",), arguments=("--no-such-option",)))
    assert (verdict.passed, len(verdict.unexpected)) == (0, 1)
    assert "no-such-option" in verdict.unexpected[0]


def test_report_keeps_worse_outcome_of_repeated_test(tmp_path: Path) -> None:
    case = '<testcase classname="tests.test_a" name="test_b">'
    named = '<properties><property name="test" value="a::b"/></properties>'
    failed = f'{case}<failure message="one&#10;two"/></testcase>'
    (tmp_path / "report.xml").write_text(f"<testsuite>{failed}{case}{named}</testcase></testsuite>")
    assert read(tmp_path / "report.xml") == {"a::b": Outcome(FAILED, False, "one")}


FINE = {"a.py::test_a": Outcome(PASSED, True), "a.py::test_b": Outcome(PASSED), "a.py::test_c": Outcome(SKIPPED)}
BROKEN = {"a.py::test_d[1]": Outcome(FAILED), "a.py::TestE::test_e": Outcome(FAILED), "a.py::test_dd": Outcome(FAILED)}


def test_judged_has_no_unexpected_results_when_all_pass() -> None:
    assert judge_outcomes(FINE, {}) == Verdict(passed=2, with_ours=1, skipped=1)


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
def test_difference_covers_only_named_tests(names: list[str], left: int) -> None:
    verdict = judge_outcomes(FINE | BROKEN, dict.fromkeys(names, "so it is"))
    assert len(verdict.unexpected) == left
    assert (verdict.passed, verdict.failed) == (2, 3)


def test_difference_for_file_requires_all_its_tests_to_fail() -> None:
    verdict = judge_outcomes(FINE | BROKEN, {"a.py": "so it is"})
    assert [line.partition(":: ")[0] for line in verdict.unexpected] == [
        "a.py::test_a: passes, but is listed as a difference",
        "a.py::test_b: passes, but is listed as a difference",
    ]


@pytest.mark.parametrize("outcomes", [{}, {"a": Outcome(SKIPPED)}])
def test_suite_without_passing_tests_fails(outcomes: dict[str, Outcome]) -> None:
    assert judge_outcomes(outcomes, {}).unexpected == ("not one test passed",)


def test_merge_keeps_results_of_suites_that_did_not_run() -> None:
    theirs = framework(Suite("one", ("tests",)), Suite("two", ("tests",)), ours=("tests/test_ours.py",))
    earlier = report.merge_results({"other": {"title": "Other", "version": "1", "suites": {}}}, theirs, {
        "one": Verdict(passed=1), "two": Verdict(passed=2), report.OURS: Verdict(passed=3),
    })  # fmt: skip
    later = report.merge_results(earlier, theirs, {report.OURS: Verdict(passed=4)})
    assert list(later) == ["other", "theirs"]
    assert {title: suite["passed"] for title, suite in later["theirs"]["suites"].items()} == {
        "one": 1,
        "two": 2,
        report.OURS: 4,
    }
    without = report.merge_results(later, framework(Suite("two", ("tests",))), {})
    assert list(without["theirs"]["suites"]) == ["two"]


def test_page_contains_counts_and_reasons(tmp_path: Path) -> None:
    verdict = Verdict(1_990, 40, 11, 2, {"a.py::test_a": ("ours cannot", 10)}, ("a.py::test_b: assert 1 == 2\nand more",))
    file = tmp_path / "compatibility.json"
    report.save(file, report.merge_results({}, framework(Suite("sessions", ("tests",))), {"sessions": verdict}))
    page = file.with_suffix(".md").read_text()
    assert "| Theirs | 1.2.3 | sessions | 1,990 / 2,001 | 40 | 10 | 2 |" in page
    assert "- `a.py::test_a` (10 tests): ours cannot\n- **fails**: a.py::test_b: assert 1 == 2\n" in page
    assert report.page(report.load(file)) == page


def test_load_returns_empty_dict_without_file(tmp_path: Path) -> None:
    assert report.load(tmp_path / "compatibility.json") == {}


def test_unpacked_extracts_only_tests_and_settings(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "src").mkdir()
    for name in ("src/theirs.py", "pyproject.toml", "conftest.py", "README.md", "tests_of_another_kind.py"):
        (folder / name).write_text("")
    with tarfile.open(tmp_path / "theirs-1.2.3.tar.gz", "w:gz") as archive:
        for file in ("src", "tests", "pyproject.toml", "conftest.py", "README.md", "tests_of_another_kind.py"):
            archive.add(folder / file, f"theirs-1.2.3/{file}")
    monkeypatch.setattr(environments, "_fetch_sdist", lambda sdist: tmp_path / "theirs-1.2.3.tar.gz")
    unpack_tests("theirs==1.2.3", ("README.md",), tmp_path / "work")
    assert {str(file.relative_to(tmp_path / "work")) for file in (tmp_path / "work").rglob("*") if file.is_file()} == {
        "README.md", "conftest.py", "pyproject.toml", "tests/test_theirs.py", "tests/test_unreadable.py",
    }  # fmt: skip


def test_missing_uv_error_names_install_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environments, "HOME", tmp_path / "compat")
    with pytest.raises(SystemExit, match="pip install uv"):
        environments.prepare_environment(framework())


def test_every_framework_declaration_is_valid() -> None:
    """Their packages, files and plugins exist, and no pytest option excludes tests."""
    known = runner.list_frameworks(HERE)
    assert {"openai-agents", "langgraph", "strands"} <= known.keys()
    for one in known.values():
        assert all("==" in package for package in one.packages[:1]), one.name
        assert (environments.ROOT / "src" / "keepsaid" / "adapters" / one.adapter / "__init__.py").exists(), one.name
        for suite in one.suites:
            assert suite.plugin is None or (HERE / f"{suite.plugin}.py").exists(), suite.plugin
            assert not {"-k", "-m", "--deselect", "--ignore", "--ignore-glob"} & set(suite.arguments), one.name
        ours = [path for suite in one.suites if suite.sdist is None for path in suite.paths] + list(one.ours)
        assert all((environments.ROOT / path.partition("::")[0]).exists() for path in ours), one.name


def test_main_exits_nonzero_on_unexpected_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, verdicts, types = framework(Suite("one", ("tests",))), [Verdict(passed=1)], [("adapter.py:1: no",), ()]
    monkeypatch.setattr(runner, "list_frameworks", lambda folder: {"theirs": theirs})
    monkeypatch.setattr(runner, "prepare_environment", lambda framework: tmp_path)
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


def test_type_errors_of_adapter_are_reported(tmp_path: Path) -> None:
    """Runs pyright on an adapter whose framework may not be installed: then the import is the error."""
    bare = framework(adapter="openai_agents")
    told = suites.types_of(bare, Path(sys.executable))
    assert any("__init__.py" in line and "agents" in line for line in told) or _is_installed("agents")
    assert suites.types_of(framework(adapter="no_such_adapter"), Path(sys.executable))
    assert suites.types_of(framework(adapter="common.py"), Path(sys.executable)) == ()


def _is_installed(module: str) -> bool:
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0
