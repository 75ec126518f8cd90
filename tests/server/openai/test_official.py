"""The generated conversation tests of OpenAI's client library pass against our server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import real_llm

from server.openai import official

HERE = Path(__file__).parent
AT_LEAST = 100
"""Tests that there must be, so that finding none is no success."""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_openai_client_conversation_tests_pass(tmp_path: Path):
    try:
        source, packages = official.fetch_source(tmp_path)
    except official.CannotFetch as error:
        if os.environ.get("KEEPSAID_CI"):
            raise
        pytest.skip(f"the official tests cannot be fetched: {error}")
    report = tmp_path / "report.xml"
    environment = {
        name: value for name, value in real_llm.ENVIRONMENT.items() if not name.startswith(("KEEPSAID", "PYTEST"))
    }
    environment |= {
        "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "KEEPSAID_LLM": "off", "KEEPSAID_EMBEDDER": "off",
        "KEEPSAID_SERVER_LOG": "off", "TEST_API_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
        "PYTHONPATH": os.pathsep.join((str(source), str(HERE), str(packages))),
    }  # fmt: skip
    command = [
        sys.executable, "-m", "pytest", "-q", "-o", "addopts=", "-p", "official_plugin", "-p", "no:cacheprovider",
        f"--junitxml={report}", *official.FILES,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-2_000:]
    counted = ElementTree.parse(report).getroot()[0].attrib
    assert int(counted["tests"]) >= AT_LEAST
    assert (counted["failures"], counted["errors"], counted["skipped"]) == ("0", "0", "0")


def test_openai_client_requirement_is_pinned_with_hashes():
    assert "--hash=sha256:" in official.pin_package(f"openai=={official.version('openai')}")
    assert official.pin_package("openai==0.0.1") == "openai==0.0.1\n"
