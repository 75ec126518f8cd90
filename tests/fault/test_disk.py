"""Full and read-only disks, and impossible paths: a typed error, no lost data, and normal work once there is room."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import keepsaid
from keepsaid.errors import NotAStore, StorageError

from .rig import start

UNSHARE = ("unshare", "--map-root-user", "--mount")
FULL = "keepsaid.errors.StoreFull: the disk is full"


def scene(name: str, folder: Path) -> dict[str, Any]:
    """Runs a scene of small_disk.py on a separate disk."""
    try:
        subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "tmpfs", str(folder)], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no small disk can be mounted here: {getattr(error, 'stderr', '') or error}")
    with start("small_disk", name, folder, before=UNSHARE) as child:
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    return json.loads(out)


def test_append_on_full_disk_fails_without_loss(tmp_path: Path) -> None:
    """The append that does not fit fails as a whole, earlier messages are kept, and appends succeed once there is room."""
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


def test_concurrent_appends_on_full_disk_fail_without_loss(tmp_path: Path) -> None:
    """When a shared commit does not fit, each caller gets the correct result for its own message."""
    report = scene("full_crowd", tmp_path)
    assert len(report["errors"]) == 8
    assert all(error.startswith(FULL) for error in report["errors"])
    assert sum(map(len, report["saved"])) > 20
    assert report["stored"] == report["saved"]
    assert report["counted"] == [len(saved) for saved in report["saved"]]
    assert report["with room"] == [""] * 8
    assert report["healthy"]


def test_open_on_full_disk_raises_store_full(tmp_path: Path) -> None:
    """An existing store opens or raises `StoreFull`; a new one raises it, and can be created once there is room."""
    report = scene("open_on_full", tmp_path)
    assert report["open"] == "" or report["open"].startswith(FULL)
    assert report["new"].startswith(FULL)
    assert report["new with room"] == ""
    assert report["stored"] == 1
    assert report["healthy"]


def test_backup_on_full_disk_removes_unfinished_copy(tmp_path: Path) -> None:
    report = scene("backup_on_full", tmp_path)
    assert report["error"].startswith(FULL)
    assert report["left"] == [], "a backup that failed takes its unfinished copy away"
    assert report["append"] == ""


def test_open_on_read_only_disk_raises_store_read_only(tmp_path: Path) -> None:
    """An existing store, one that was not closed, and a new one all fail to open; nothing is changed."""
    report = scene("read_only", tmp_path)
    for name in ("chat.db", "killed.db", "new.db"):
        assert report[name].startswith("keepsaid.errors.StoreReadOnly: "), name
        assert "Error:" not in report[name], "the message is in our words"
    assert report["untouched"]


def test_open_in_missing_folder_fails(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere does not exist"):
        keepsaid.open(tmp_path / "nowhere" / "chat.db")
    assert list(tmp_path.iterdir()) == []


def test_open_below_file_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    with pytest.raises(StorageError, match="file"):
        keepsaid.open(tmp_path / "file" / "chat.db")


def test_open_of_folder_fails(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="is a folder"):
        keepsaid.open(tmp_path)
    assert list(tmp_path.iterdir()) == []
