"""No network is needed: the core of the test suite passes in a process without one."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ("tests/test_bad_input.py", "tests/test_config.py", "tests/test_tokens.py", "tests/test_migrations.py",
        "tests/test_docs.py", "tests/conformance/test_memory.py", "tests/conformance/test_sqlite.py", "src")  # fmt: skip

SERVERS = ("postgres", "redis", "firestore", "encrypted")
"""Places that are on a server: those do need a network."""


def run_without_network(*command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a network namespace of its own, in which not even loopback is up."""
    return subprocess.run(
        ["unshare", "--map-root-user", "--net", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture(autouse=True)
def _can_unshare():
    if shutil.which("unshare") is None or run_without_network("true").returncode:
        pytest.skip("this system does not let us make a network namespace")


def test_network_namespace_has_no_network():
    """A connection that succeeds outside the namespace fails inside it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reach = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        assert subprocess.run([sys.executable, "-c", reach], check=False).returncode == 0
        assert "Network is unreachable" in run_without_network(sys.executable, "-c", reach).stderr


def test_core_tests_pass_without_network():
    run = run_without_network(
        sys.executable, "-m", "pytest", "-m", "not long", "-p", "no:cacheprovider", "-p", "no:xdist", "--deselect",
        "tests/conformance/test_sqlite.py::test_lifecycles", "-k", f"not ({' or '.join(SERVERS)})", *CORE,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout or "100%" in run.stdout
