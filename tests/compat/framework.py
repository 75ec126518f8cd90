"""What the runner is told about a framework: each has a file in this folder that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    """Tests that nobody here wrote: out of a source distribution or, without one, by way of files of ours."""

    title: str
    paths: tuple[str, ...]
    """Files and folders with tests, as the distribution (or this repository) names them."""
    sdist: str | None = None
    """The distribution as `name==version`. Its tests are fetched when they are needed, never kept."""
    plugin: str | None = None
    """A pytest plugin in this folder, called `swap_…`, that puts our class in the place of theirs."""
    packages: tuple[str, ...] = ()
    """What the tests need beyond the framework."""
    also: tuple[str, ...] = ()
    """What else is unpacked, besides `tests/`, `conftest.py` and `pyproject.toml`."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    arguments: tuple[str, ...] = ()
    """Given to pytest. Never to leave a test out: what ours cannot do is a difference."""
    differences: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is expected to fail, and why: a test's whole name, the function, class or file that all of it is in,
    or how names begin, with a star."""
    minutes: int = 15
    """How long it may take."""


@dataclass(frozen=True)
class Framework:
    """A framework, how it is installed, and what proves that ours works in it."""

    name: str
    title: str
    extra: str
    """The extra of Keepsaid that brings it."""
    packages: tuple[str, ...]
    """Pinned, and installed together with Keepsaid in an environment of their own. The first is the framework."""
    adapter: str = ""
    """The package in `keepsaid.adapters` whose types are checked there."""
    ours: tuple[str, ...] = ()
    """Tests of ours for it."""
    suites: tuple[Suite, ...] = ()

    @property
    def every_package(self) -> tuple[str, ...]:
        """All that its environment has, without Keepsaid."""
        return self.packages + tuple(package for suite in self.suites for package in suite.packages)
