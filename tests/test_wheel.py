"""The package that users install: the page is in it, its sources are not, and it needs no Node."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


def test_wheel_contains_built_page_without_sources(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert "keepsaid/server/page/index.html" in names
    assert any(name.startswith("keepsaid/server/page/assets/") and name.endswith(".js") for name in names)
    assert not [name for name in names if name.endswith((".ts", ".tsx", ".map")) or "node_modules" in name]


def test_installed_wheel_serves_page_without_node(wheel: Path, tmp_path: Path):
    target = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(target)
    environment = {"PYTHONPATH": str(target), "PATH": "/nowhere", "HOME": str(tmp_path), "KEEPSAID_LLM": "off"}
    environment |= {key: os.environ[key] for key in ("LD_LIBRARY_PATH",) if key in os.environ}
    command = [sys.executable, "-P", "-m", "keepsaid", "--db", str(tmp_path / "chat.db"), "serve", "--port", "0"]
    server = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[3]
        page = httpx.get(url).text
        assert '<script type="module"' in page
        script = page.partition('src="')[2].partition('"')[0]
        assert httpx.get(url + script).headers["content-type"].startswith("text/javascript")
        assert httpx.get(f"{url}/c/anything").text == page
        assert httpx.get(f"{url}/missing.js").status_code == 404
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert str(target) in subprocess.run(
        [sys.executable, "-P", "-c", "import keepsaid; print(keepsaid.__file__)"],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
