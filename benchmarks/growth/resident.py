"""How much memory a process takes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

STATUS = Path("/proc/self/status")
KILOBYTES = 1024


class ResidentMemory(NamedTuple):
    """The resident bytes of a process.

    `own` is what only this process has: the heap and its arrays. `mapped` is what it shows of files, mostly pages of the
    store that SQLite maps: they are the system's file cache, which it takes back when it needs memory.
    """

    own: int
    mapped: int


def read_resident_memory() -> ResidentMemory:
    """Return what this process takes now; zeros where the system has no such file.

    >>> read_resident_memory().own >= 0
    True
    """
    if not STATUS.exists():
        return ResidentMemory(0, 0)
    values = dict(line.split(":", 1) for line in STATUS.read_text(encoding="ascii").splitlines())
    own, mapped = (int(values[name].split()[0]) * KILOBYTES for name in ("RssAnon", "RssFile"))
    return ResidentMemory(own, mapped)
