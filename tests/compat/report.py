"""Results of all frameworks, of this run and of earlier ones, and the page that tells them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compat.framework import Framework
from compat.outcomes import Verdict

OURS = "our own tests"
Results = dict[str, Any]

HEAD = """# Compatibility

Written by `make compat`, which runs each framework's own tests with ours in the place of its own class, and our tests for
it, in an environment of its own. The tests are those of the released version, fetched when they are needed.

*with ours* counts the passed tests that used a store of Recollect: a suite has others, too. *skipped* ones are skipped by
their authors, for want of a server or a package. A difference is expected to fail, and says why below; if it passes, or any
other test fails, the command fails.
"""
COLUMNS = ("framework", "version", "tests", "passed / total", "with ours", "differences", "skipped")


def merged(earlier: Mapping[str, Results], framework: Framework, verdicts: Mapping[str, Verdict]) -> dict[str, Results]:
    """All results, with those of a framework that ran now. What it has no more is left out, what did not run now stays."""
    titles = [suite.title for suite in framework.suites] + ([OURS] if framework.ours else [])
    known = earlier.get(framework.name, {}).get("suites", {})
    suites = {title: _result(verdicts[title]) if title in verdicts else known.get(title) for title in titles}
    result = {
        "title": framework.title,
        "version": framework.packages[0].partition("==")[2],
        "suites": {title: one for title, one in suites.items() if one is not None},
    }
    return {name: result if name == framework.name else earlier[name] for name in sorted({*earlier, framework.name})}


def _result(verdict: Verdict) -> Results:
    return {
        "passed": verdict.passed,
        "with_ours": verdict.with_ours,
        "failed": verdict.failed,
        "skipped": verdict.skipped,
        "differences": {name: {"why": why, "tests": tests} for name, (why, tests) in verdict.differing.items()},
        "unexpected": list(verdict.unexpected),
    }


def page(results: Mapping[str, Results]) -> str:
    """The page."""
    rows = [_row(result, title, suite) for result in results.values() for title, suite in result["suites"].items()]
    lines = [HEAD, _line(COLUMNS), _line("---" for _ in COLUMNS), *rows]
    told = [line for result in results.values() for line in _differences(result)]
    if told:
        lines += ["", "## What differs, and why", *told]
    return "\n".join(lines) + "\n"


def _row(result: Results, title: str, suite: Results) -> str:
    differing = sum(one["tests"] for one in suite["differences"].values())
    passed = f"{suite['passed']:,} / {suite['passed'] + suite['failed']:,}"
    with_ours = "" if title == OURS else f"{suite['with_ours']:,}"
    return _line((result["title"], result["version"], title, passed, with_ours, str(differing), str(suite["skipped"])))


def _differences(result: Results) -> list[str]:
    lines: list[str] = []
    for title, suite in result["suites"].items():
        differing = [_difference(name, one) for name, one in suite["differences"].items()]
        failing = [f"- **fails**: {one.splitlines()[0]}" for one in suite["unexpected"]]
        if differing or failing:
            lines += ["", f"### {result['title']}: {title}", "", *differing, *failing]
    return lines


def _difference(name: str, one: Mapping[str, Any]) -> str:
    tests = f" ({one['tests']} tests)" if one["tests"] > 1 else ""
    return f"- `{name}`{tests}: {one['why']}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def load(file: Path) -> dict[str, Results]:
    """Results of earlier runs."""
    return json.loads(file.read_text()) if file.exists() else {}


def save(file: Path, results: Mapping[str, Results]) -> None:
    """Keeps the results, and writes the page beside them."""
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    file.with_suffix(".md").write_text(page(results))
