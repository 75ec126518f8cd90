"""What became of the tests of a suite, out of pytest's own report, and what that means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

PASSED, SKIPPED, FAILED = range(3)
"""The worse, the higher."""


@dataclass(frozen=True)
class Outcome:
    """How a test ended, and whether ours took part in it."""

    state: int
    ours: bool = False
    why: str = ""


@dataclass(frozen=True)
class Verdict:
    """How a suite went. `unexpected` is what must not be: with any of it, the run has failed."""

    passed: int = 0
    with_ours: int = 0
    """How many of those that passed had ours in them."""
    failed: int = 0
    skipped: int = 0
    differing: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Known differences: why each is one, and how many tests failed by it."""
    unexpected: tuple[str, ...] = ()


def read(report: Path) -> dict[str, Outcome]:
    """The tests of a report in JUnit's format, by name."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    properties = [{one.get("name"): one.get("value", "") for one in case.iter("property")} for case in cases]
    # What fails in its teardown, too, is there twice, and only once with its properties.
    names = {_label(case): has["test"] for case, has in zip(cases, properties, strict=True) if "test" in has}
    found: dict[str, Outcome] = {}
    for case, has in zip(cases, properties, strict=True):
        name = names.get(_label(case)) or _uncollected_file(case)
        outcome = _outcome(case, "ours" in has)
        found[name] = max(found.get(name, outcome), outcome, key=lambda one: one.state)
    return found


def _label(case: ElementTree.Element) -> tuple[str, str]:
    return case.get("classname", ""), case.get("name", "")


def _uncollected_file(case: ElementTree.Element) -> str:
    """The name of what could not be collected, which is a whole file, written with dots."""
    return "/".join(filter(None, _label(case))).replace(".", "/") + ".py"


def _outcome(case: ElementTree.Element, ours: bool) -> Outcome:
    for kind, state in (("failure", FAILED), ("error", FAILED), ("skipped", SKIPPED)):
        if (told := case.find(kind)) is not None:
            return Outcome(state, ours, (told.get("message") or "").strip().split("\n")[0][:200])
    return Outcome(PASSED, ours)


def judge_outcomes(outcomes: Mapping[str, Outcome], differences: Mapping[str, str]) -> Verdict:
    """What the outcomes mean: a failure that nobody foresaw, and a foreseen one that did not come, are unexpected."""
    failed_by = dict.fromkeys(differences, 0)
    unexpected: list[str] = []
    for test, outcome in outcomes.items():
        difference = _covering(test, differences)
        if outcome.state == FAILED and difference is None:
            unexpected.append(f"{test}: {outcome.why}")
        elif outcome.state == FAILED and difference is not None:
            failed_by[difference] += 1
        elif outcome.state == PASSED and difference is not None:
            unexpected.append(f"{test}: passes, but is listed as a difference")
    unexpected += [
        f"{difference}: is listed as a difference, but there is no such test"
        for difference in differences
        if not any(_covering(test, (difference,)) for test in outcomes)
    ]
    if not any(outcome.state == PASSED for outcome in outcomes.values()):
        unexpected.append("not one test passed")
    return Verdict(
        passed=sum(outcome.state == PASSED for outcome in outcomes.values()),
        with_ours=sum(outcome.state == PASSED and outcome.ours for outcome in outcomes.values()),
        failed=sum(outcome.state == FAILED for outcome in outcomes.values()),
        skipped=sum(outcome.state == SKIPPED for outcome in outcomes.values()),
        differing={name: (differences[name], tests) for name, tests in failed_by.items() if tests},
        unexpected=tuple(unexpected),
    )


def _covering(test: str, names: Iterable[str]) -> str | None:
    """The name, of a test or of what it is in, that a test goes by. With a star, it stands for all that begin so."""
    return next((name for name in names if test == name or test.startswith(_beginnings(name))), None)


def _beginnings(name: str) -> tuple[str, ...]:
    return (name.removesuffix("*"),) if name.endswith("*") else (f"{name}[", f"{name}::")
