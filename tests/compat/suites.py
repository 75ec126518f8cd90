"""Runs a suite, and checks the types of an adapter, in the environment of a framework."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compat.environments import ROOT, home, unpack_tests
from compat.framework import Framework, Suite
from compat.outcomes import Verdict, judge_outcomes, read

HERE = Path(__file__).parent
WITNESS = "witness"


def run(python: Path, suite: Suite) -> Verdict:
    """Runs a suite with ours in place."""
    with _workplace(suite) as (work, plugins, report):
        plugged = ["-p", WITNESS, *(["-p", suite.plugin] if suite.plugin else [])]
        # The names of plugins are found beside them and nowhere else: this folder has files that are called as frameworks.
        environment = {**os.environ, "PYTHONPATH": str(plugins), **suite.environment}
        told = [
            "--quiet",
            "--tb=short",
            "--continue-on-collection-errors",
            "-p",
            "no:cacheprovider",
            f"--junit-xml={report}",
            "-o",
            "junit_family=xunit1",
        ]
        command = [str(python), "-m", "pytest", *plugged, *told, *suite.arguments, *suite.paths]
        done = subprocess.run(
            command, cwd=work, env=environment, capture_output=True, text=True, timeout=suite.minutes * 60
        )  # fmt: skip
        if not report.exists():
            return Verdict(unexpected=(f"pytest did not run: {(done.stderr or done.stdout).strip()[-2_000:]}",))
        verdict = judge_outcomes(read(report), suite.differences)
        if verdict.unexpected:
            print(done.stdout[-20_000:])
        return verdict


@contextmanager
def _workplace(suite: Suite) -> Iterator[tuple[Path, Path, Path]]:
    """Where a suite runs, where its plugins are, and where its report goes."""
    with tempfile.TemporaryDirectory(prefix="compat-", ignore_cleanup_errors=True) as folder:
        plugins, work = Path(folder) / "plugins", Path(folder) / "work"
        plugins.mkdir()
        for plugin in (HERE / f"{WITNESS}.py", *HERE.glob("swap_*.py")):
            shutil.copy(plugin, plugins)
        if suite.sdist is not None:
            work.mkdir()
            unpack_tests(suite.sdist, suite.also, work)
        yield ROOT if suite.sdist is None else work, plugins, Path(folder) / "report.xml"


def types_of(framework: Framework, python: Path) -> tuple[str, ...]:
    """What is wrong with the types of the adapters, as seen where the framework is installed."""
    if not framework.adapter:
        return ()
    # Pyright's paths are relative to its settings.
    files = [f"../src/keepsaid/adapters/{framework.adapter}"]
    settings = home() / f"{framework.name}.pyright.json"
    settings.write_text(json.dumps({"include": files, "strict": files, "pythonVersion": "3.11"}))
    pyright = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", str(python), "--project", str(settings)]
    done = subprocess.run(pyright, capture_output=True, text=True, timeout=600)
    try:
        told = json.loads(done.stdout)
        found, looked_at = told["generalDiagnostics"], told["summary"]["filesAnalyzed"]
    except (ValueError, KeyError):
        found, looked_at = [], 0
    if looked_at < len(files):
        return (f"pyright did not run: {(done.stderr or done.stdout).strip()[-500:]}",)
    errors = [one for one in found if one["severity"] == "error"]
    return tuple(f"{Path(e['file']).name}:{e['range']['start']['line'] + 1}: {e['message']}" for e in errors)
