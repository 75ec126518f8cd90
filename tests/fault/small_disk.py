"""Runs inside `unshare -rm`: mounts a disk of 2 MB for itself, plays one scene on it, and reports what happened as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import keepsaid
from keepsaid.memory.chat import Chat
from keepsaid.testing.conformance import find_messages

from .rig import build_text, is_whole, together

FILLER = 300_000


def mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)


def fill(path: Path) -> None:
    """Takes all the room that is left."""
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


def outcome(call: Callable[[], object]) -> str:
    """The name of what a call raises, with its message; empty if it succeeds."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__module__}.{type(error).__name__}: {error}"
    return ""


def append_until_error(chat: Chat, prefix: str, saved: list[str]) -> str:
    """Appends for as long as it goes. Returns the error that ended it."""
    for number in range(10_000):
        text, name = build_text(f"{prefix}n{number}q", 900), f"{prefix}-{number}"
        error = outcome(partial(chat.add, "user", text, id=name))
        if error:
            return error
        saved.append(name)
    return "the disk was never full"


def full(folder: Path) -> dict[str, Any]:
    """One appender fills the disk; then there is room again."""
    (folder / "filler").write_bytes(bytes(FILLER))
    saved: list[str] = []
    with keepsaid.open(folder / "chat.db") as memory:
        chat = memory.chat(owner="u")
        report: dict[str, Any] = {
            "error": append_until_error(chat, "a", saved),
            "again": outcome(lambda: chat.add("user", "x" * 999)),
        }
        report["saved"] = list(saved)
        report["stored"] = [message.id for message in chat.messages()]
        report["whole"] = all(is_whole(message.text) for message in chat.messages())
        report["counted"] = chat.info().message_count
        report["found"] = [hit.message.id for hit in find_messages(memory, f"an{len(saved) - 1}q", owner="u")]
        (folder / "filler").unlink()
        report["with room"] = outcome(lambda: chat.add("user", build_text("again"), id="again"))
        report["healthy"] = memory.check().healthy
        report["last"] = chat.messages(last=1)[0].id
    return report


def full_crowd(folder: Path) -> dict[str, Any]:
    """Eight threads that share commits fill the disk."""
    (folder / "filler").write_bytes(bytes(FILLER))
    errors: list[str] = []
    saved: list[list[str]] = [[] for _ in range(8)]
    with keepsaid.open(folder / "chat.db") as memory:
        chats = [memory.chat(owner="u", session=f"s{thread}", create=True) for thread in range(8)]
        together(8, lambda thread: errors.append(append_until_error(chats[thread], f"t{thread}", saved[thread])))
        report = {"errors": errors, "saved": saved, "stored": [[m.id for m in chat.messages()] for chat in chats]}
        report["counted"] = [chat.info().message_count for chat in chats]
        (folder / "filler").unlink()
        report["with room"] = [outcome(partial(chat.add, "user", "short")) for chat in chats]
        report["healthy"] = memory.check().healthy
    return report


def open_on_full(folder: Path) -> dict[str, Any]:
    """Nothing is free at all: a store that is there, a new one, a backup."""
    with keepsaid.open(folder / "chat.db") as memory:
        memory.chat(owner="u", session="s", create=True).add("user", build_text("before"))
    fill(folder / "filler")
    report: dict[str, Any] = {"open": outcome(lambda: keepsaid.open(folder / "chat.db").close())}
    report["new"] = outcome(lambda: keepsaid.open(folder / "new.db").close())
    (folder / "filler").unlink()
    report["new with room"] = outcome(lambda: keepsaid.open(folder / "new.db").close())
    with keepsaid.open(folder / "chat.db") as memory:
        report["stored"] = len(memory.chat(owner="u", session="s").messages())
        report["healthy"] = memory.check().healthy
    return report


def backup_on_full(folder: Path) -> dict[str, Any]:
    """A backup that does not fit is removed, so that the disk is not full."""
    with keepsaid.open(folder / "chat.db") as memory:
        chat = memory.chat(owner="u")
        chat.add_many({"role": "user", "content": build_text(f"n{number}", 9000)} for number in range(70))
        (folder / "filler").write_bytes(bytes(shutil.disk_usage(folder).free - 200_000))
        report: dict[str, Any] = {"error": outcome(lambda: memory.backup(folder / "copy.db"))}
        report["left"] = sorted(path.name for path in folder.iterdir() if path.name.startswith("copy"))
        report["append"] = outcome(lambda: chat.add("user", "short"))
    return report


def read_only(folder: Path) -> dict[str, Any]:
    """The disk becomes read-only between two openings; the second file still has its log."""
    with keepsaid.open(folder / "chat.db") as memory:
        memory.chat(owner="u", session="s", create=True).add("user", build_text("before"))
    if not os.fork():
        keepsaid.open(folder / "killed.db").chat(owner="u")
        os._exit(0)
    os.wait()
    before = digests(folder)
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    report: dict[str, Any] = {name: outcome(partial(use, folder / name)) for name in ("chat.db", "killed.db", "new.db")}
    report["untouched"] = digests(folder) == before and len(before) > 2
    return report


def use(path: Path) -> None:
    """Opens a store and writes to it."""
    with keepsaid.open(path) as memory:
        memory.chat(owner="u").add("user", "after")


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


SCENES = {
    "full": full,
    "full_crowd": full_crowd,
    "open_on_full": open_on_full,
    "backup_on_full": backup_on_full,
    "read_only": read_only,
}

if __name__ == "__main__":
    place = Path(sys.argv[2])
    mount(place, "size=2m")
    print(json.dumps(SCENES[sys.argv[1]](place)))
