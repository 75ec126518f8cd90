"""Schemathesis checks that the server accepts what the OpenAPI document allows and rejects what the document forbids."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import llm_server
import pytest

from .conftest import Server

HERE = Path(__file__).parent


@pytest.mark.parametrize(("seed", "examples"), [(1, 20), pytest.param(2, 100, marks=pytest.mark.long)])
def test_server_conforms_to_openapi_document(tmp_path: Path, seed: int, examples: int):
    with llm_server.serving() as endpoint:
        endpoint.otherwise = llm_server.answer("In Lisbon.")
        model = {"KEEPSAID_LLM": "openai:small", "KEEPSAID_LLM_URL": endpoint.url, "KEEPSAID_NOTES": "off"}
        server = Server(tmp_path / "chat.db", KEEPSAID_SERVER_RATE="off", **model)
        try:
            compare(server, tmp_path, seed, examples)
        finally:
            server.stop()


def compare(server: Server, tmp_path: Path, seed: int, examples: int) -> None:
    command = [
        str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(HERE / "schemathesis.toml"),
        "run", f"{server.url}/openapi.json", "--seed", str(seed), "--max-examples", str(examples), "--checks", "all",
        # A watch never ends by itself; tests/server/test_watch.py has its tests.
        "--exclude-path", "/v1/watch", "--request-timeout", "20", "--continue-on-failure", "--no-color",
    ]  # fmt: skip
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ, timeout=1800, check=False)
    assert found.returncode == 0, found.stdout[:6000]
