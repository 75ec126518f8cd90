"""An environment for each framework, since some quarrel with others; and their tests, which are fetched and never kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from compat.framework import Framework

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".compat"
ALWAYS = ("tests/", "conftest.py", "pyproject.toml")
"""What is unpacked. Not the package itself: it would be imported instead of the one that is installed."""
TEN_MINUTES = 600


def prepare_environment(framework: Framework) -> Path:
    """The Python of a framework's environment, which is made, or brought up to date."""
    folder = home() / framework.name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        _uv("venv", "--quiet", "--python", sys.executable, str(folder))
    ours = f"{ROOT}[{framework.extra},testing]" if framework.extra else f"{ROOT}[testing]"
    _uv("pip", "install", "--quiet", "--python", str(python), "--editable", ours, *framework.every_package)
    return python


def home() -> Path:
    """Where the environments are, out of the sight of git."""
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    return HOME


def unpack_tests(sdist: str, also: Iterable[str], target: Path) -> None:
    """Unpacks the tests of a source distribution."""
    wanted = (*ALWAYS, *also)
    with tarfile.open(_fetch_sdist(sdist)) as archive:
        for member in archive.getmembers():
            inner = member.name.partition("/")[2]
            if any(inner == one or inner.startswith(f"{one.rstrip('/')}/") for one in wanted):
                archive.extract(member.replace(name=inner), target, filter="data")


def _fetch_sdist(sdist: str) -> Path:
    """The file of a source distribution, which is fetched once."""
    name = sdist.partition("==")[0]
    folder = home() / "sources" / sdist.replace("==", "-")
    if not any(folder.glob("*.tar.gz")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--no-deps", "--no-binary", name, "--dest", str(folder), sdist])
    return next(folder.glob("*.tar.gz"))


def _uv(*arguments: str) -> None:
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        raise SystemExit("environments are made by uv, which is not there: run `make compat`, or `pip install uv`")
    _run([uv, *arguments])


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TEN_MINUTES)
    if done.returncode:
        raise SystemExit(f"`{' '.join(command)}` failed:\n{done.stderr.strip()[-2_000:]}")
