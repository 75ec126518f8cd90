"""Runs the tests of the frameworks against ours, and writes docs/compatibility.md.

python tests/compat/run.py                       every framework
python tests/compat/run.py openai-agents …       only these; what is known of the others stays
python tests/compat/run.py openai-agents --ours  only our own tests for it, and the types of the adapter
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
if not __package__:
    # Not this folder, which a script is given: it has files that are called as frameworks are.
    sys.path[0] = str(HERE.parent)

from compat import framework as framework_module  # noqa: E402
from compat import report, suites  # noqa: E402
from compat.environments import ROOT, prepare_environment  # noqa: E402
from compat.framework import Framework, Suite  # noqa: E402
from compat.outcomes import Verdict  # noqa: E402

RESULTS = ROOT / "docs" / "compatibility.json"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--ours", action="store_true", help="only our own tests, and the types")
    chosen = parser.parse_args()
    known = list_frameworks(HERE)
    if unknown := set(chosen.names) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    failed = [name for name in chosen.names or known if not proven(known[name], only_ours=chosen.ours)]
    if failed:
        print(f"not as expected: {', '.join(failed)}")
    return 1 if failed else 0


def list_frameworks(folder: Path) -> dict[str, Framework]:
    """The frameworks that files of a folder declare, by name."""
    sys.modules["framework"] = framework_module  # declarations find it beside them
    found: list[Framework] = []
    for file in sorted(folder.glob("*.py")):
        if "\nFRAMEWORK = " not in file.read_text():
            continue
        spec = importlib.util.spec_from_file_location(f"declared_{file.stem}", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(module.FRAMEWORK)
    return {one.name: one for one in found}


def proven(framework: Framework, *, only_ours: bool) -> bool:
    """Runs all there is for a framework, writes down how it went, and says whether all went as expected."""
    print(f"{framework.title}: its environment …", flush=True)
    python = prepare_environment(framework)
    # Ours need no plugin for coroutines, and one that a suite needs warns of its own settings.
    ours = (Suite(report.OURS, framework.ours, arguments=("-p", "no:asyncio")),) if framework.ours else ()
    verdicts: dict[str, Verdict] = {}
    for suite in ours if only_ours else (*framework.suites, *ours):
        verdict = verdicts[suite.title] = run(python, suite)
        print(f"{framework.title}: {suite.title}: {verdict.passed} passed, {verdict.failed} failed", flush=True)
        for line in verdict.unexpected:
            print(f"    {line}")
    wrong = suites.types_of(framework, python)
    for line in wrong:
        print(f"    {line}")
    report.save(RESULTS, report.merge_results(report.load(RESULTS), framework, verdicts))
    return not wrong and not any(verdict.unexpected for verdict in verdicts.values())


def run(python: Path, suite: Suite) -> Verdict:
    """Runs a suite; one that takes too long has failed."""
    try:
        return suites.run(python, suite)
    except subprocess.TimeoutExpired:
        return Verdict(unexpected=(f"took longer than {suite.minutes} minutes",))


if __name__ == "__main__":
    sys.exit(main())
