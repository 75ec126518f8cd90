"""A full disk, a read-only one, and paths where no store can be: a typed error, nothing lost, and on it goes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import NotAStore, StorageError

from .rig import start

UNSHARE = ("unshare", "--map-root-user", "--mount")
FULL = "recollect.errors.StoreFull: the disk is full"


def scene(name: str, folder: Path) -> dict[str, Any]:
    """Plays a scene of small_disk.py on a disk of its own."""
    try:
        subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "tmpfs", str(folder)], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no small disk can be mounted here: {getattr(error, 'stderr', '') or error}")
    with start("small_disk", name, folder, before=UNSHARE) as child:
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    return json.loads(out)


def test_full_disk(tmp_path: Path) -> None:
    """The append that does not fit is refused whole, everything before it is kept, and with room it goes on."""
    report = scene("full", tmp_path)
    assert report["error"].startswith(FULL)
    assert report["again"].startswith(FULL)
    assert len(report["saved"]) > 20
    assert report["stored"] == report["saved"]
    assert report["whole"]
    assert report["counted"] == len(report["saved"])
    assert report["found"] == report["saved"][-1:]
    assert report["with room"] == ""
    assert report["last"] == "again"
    assert report["healthy"]


def test_full_disk_under_a_crowd_of_threads(tmp_path: Path) -> None:
    """Callers who share a commit that does not fit: each is told the truth about his own message."""
    report = scene("full_crowd", tmp_path)
    assert len(report["errors"]) == 8
    assert all(error.startswith(FULL) for error in report["errors"])
    assert sum(map(len, report["saved"])) > 20
    assert report["stored"] == report["saved"]
    assert report["counted"] == [len(saved) for saved in report["saved"]]
    assert report["with room"] == [""] * 8
    assert report["healthy"]


def test_opening_on_a_full_disk(tmp_path: Path) -> None:
    """What is there may open or say that the disk is full; a new store says so, and does not stand in its own way later."""
    report = scene("open_on_full", tmp_path)
    assert report["open"] == "" or report["open"].startswith(FULL)
    assert report["new"].startswith(FULL)
    assert report["new with room"] == ""
    assert report["stored"] == 1
    assert report["healthy"]


def test_backup_on_a_full_disk(tmp_path: Path) -> None:
    report = scene("backup_on_full", tmp_path)
    assert report["error"].startswith(FULL)
    assert report["left"] == [], "a backup that failed takes its unfinished copy away"
    assert report["append"] == ""


def test_read_only_disk(tmp_path: Path) -> None:
    """Neither an old store, nor one that was not closed, nor a new one opens; nothing is changed."""
    report = scene("read_only", tmp_path)
    for name in ("chat.db", "killed.db", "new.db"):
        assert report[name].startswith("recollect.errors.StoreReadOnly: "), name
        assert "Error:" not in report[name], "the message is in our words"
    assert report["untouched"]


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere does not exist"):
        recollect.open(tmp_path / "nowhere" / "chat.db")
    assert list(tmp_path.iterdir()) == []


def test_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    with pytest.raises(StorageError, match="file"):
        recollect.open(tmp_path / "file" / "chat.db")


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="is a folder"):
        recollect.open(tmp_path)
    assert list(tmp_path.iterdir()) == []
