"""The tests of OpenAI's own client, out of its source distribution. They are fetched when they are needed, never kept."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import real_llm

LOCK = Path(__file__).parents[3] / "requirements.lock"
FILES = ("tests/api_resources/test_conversations.py", "tests/api_resources/conversations/test_items.py")
NEEDED = (
    "pytest-asyncio==1.4.1.post1", "aiohttp==3.14.5", "aiohappyeyeballs==2.7.1", "aiosignal==1.4.0", "attrs==26.1.0",
    "frozenlist==1.8.0", "idna==3.20", "multidict==7.2.1", "propcache==0.5.4", "yarl==1.25.1",
)  # fmt: skip
"""What they need beyond what we do. It stays out of the environment that our own tests run in."""


class CannotFetch(Exception):
    """There is no package index, or it has not what is needed."""


def fetch_source(folder: Path) -> tuple[Path, Path]:
    """The unpacked source of the client that is installed, and a folder of packages that its tests need."""
    name = f"openai=={version('openai')}"
    wanted = folder / "wanted.txt"
    wanted.write_text(pin_package(name))
    hashes = ["--require-hashes"] if "--hash" in wanted.read_text() else []
    _pip("download", "--no-deps", "--no-binary", "openai", "--no-build-isolation", *hashes,
         "--dest", str(folder), "--requirement", str(wanted))  # fmt: skip
    source = next(folder.glob("openai-*.tar.gz"))
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    packages = folder / "packages"
    _pip("install", "--no-deps", "--only-binary", ":all:", "--target", str(packages), *NEEDED)
    return folder / source.name.removesuffix(".tar.gz"), packages


def pin_package(name: str) -> str:
    """A package as the lock has it, with the hashes of its files; by its name alone where the lock has another version."""
    found = re.search(rf"^{re.escape(name)} \\\n(?:    --hash=\S+(?: \\)?\n)+", LOCK.read_text(), re.MULTILINE)
    return found[0] if found else f"{name}\n"


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", arguments[0], "--quiet", "--disable-pip-version-check", *arguments[1:]]
    done = subprocess.run(command, env=real_llm.ENVIRONMENT, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise CannotFetch(f"`pip {' '.join(arguments[:3])} …` said {done.stderr.strip()[-500:]}")
