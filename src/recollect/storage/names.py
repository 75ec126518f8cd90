"""Names of blobs in tables: where those that begin the same begin and end, by their code points."""

from __future__ import annotations

from recollect.ports import BEYOND

NO_SESSION = ""
"""Where the blobs are that belong to no session: no session has an empty id."""

_FIRST = "\x01"
"""The least character that a name can have."""


def between(prefix: str, after: str | None = None, backwards: bool = False) -> tuple[str, str]:
    """The first name that may begin so, and one that is behind all of them; with `after`, only of those behind that name, or
    before it.

    >>> between("step/"), between("step/", "step/2")
    (('step/', 'step/\\U0010ffff'), ('step/2\\x01', 'step/\\U0010ffff'))
    >>> between("step/", "step/2", backwards=True)
    ('step/', 'step/2')
    """
    first, last = prefix, prefix + BEYOND
    if after is None:
        return first, last
    return (first, min(after, last)) if backwards else (max(after + _FIRST, first), last)
