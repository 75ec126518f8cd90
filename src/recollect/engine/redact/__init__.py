"""Personal data taken out of a text: before it is stored, or before it is sent to a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from recollect.config import PERSONAL
from recollect.engine.redact.checksums import accounts, cards
from recollect.engine.redact.credentials import credentials
from recollect.engine.redact.phones import phones_abroad, phones_at_home, phones_named
from recollect.errors import InvalidInput

Span = tuple[int, int]

MOST_ROUNDS = 5
"""Nearly all texts need one, and one more that finds nothing. The limit keeps the time in step with the length."""

_LETTERS = r"A-Za-z0-9_\u00c0-\u024f\u0370-\u052f"
"""Of the alphabets whose words stand apart: what a script without spaces has before an address is no part of it."""
_MAIL = re.compile(
    rf"""(?<![{_LETTERS}.%+/@-])(?:[A-Za-z]{{1,2}}['’])?[{_LETTERS}.%+-]{{1,64}}+
    @(?:[{_LETTERS}-]{{1,63}}+\.){{1,8}}(?:xn--[a-z0-9-]{{2,59}}|[A-Za-z\u00c0-\u024f\u0370-\u052f]{{2,24}})(?![{_LETTERS}@-])""",
    re.VERBOSE,
)
_FILE = re.compile(r"@\d+x\.(?:png|jpe?g|gif|svg|webp|avif)\Z", re.IGNORECASE)
_LOGIN = re.compile(r"(?:\b(?:ssh|scp|sftp|rsync)\b[^\n]{0,60}[\s=\"'])\Z")
_REMOTE_PATH = re.compile(r":[\w.~/-]")
_NUMBER = re.compile(r"\d(?:[^\w\n]{0,3}+\d){6}", re.ASCII)
"""What every card and every number to call has, and few texts do."""
_MARKER = re.compile(r"\[(?:mail|phone|card|iban|key) removed\]")
_BEFORE = len("[phone removed]")


class Redacted(NamedTuple):
    """A text without what was taken out of it, and how much that was, by kind."""

    text: str
    counts: Mapping[str, int]


def mails(text: str) -> Iterator[Span]:
    """Where a text has mail addresses; who logs in where by a command is none.

    >>> list(mails("Write to ana@example.org, not git@example.org:team/repo.git."))
    [(9, 24)]
    """
    if "@" not in text:
        return
    for match in _MAIL.finditer(text):
        start, end = match.span()
        if _FILE.search(match[0]) or _REMOTE_PATH.match(text, end):
            continue
        if not _LOGIN.search(text, max(0, start - 80), start):
            yield start, end


Finder = Callable[[str], Iterable[Span]]

# Each looks at what the one before has left. What says what it is comes first: the digits of a key may look like a number to
# call, and a number that stands alone only after its neighbour is gone is found in the same turn.
_FINDERS: tuple[tuple[str, Finder], ...] = (
    ("key", credentials),
    ("mail", mails),
    ("iban", accounts),
    ("phone", phones_abroad),
    ("card", cards),
    ("phone", phones_at_home),
    ("phone", phones_named),
)

ALL = frozenset(PERSONAL)
"""The kinds of data that can be taken out: mail, phone, card, iban, key."""


def redacted(text: str, kinds: Collection[str] = ALL) -> Redacted:
    """The text with personal data replaced by what it was: mail addresses, telephone numbers, cards, bank accounts, keys.

    Doing it twice changes nothing more. Dates, versions, hashes, identifiers and code are left as they are.

    >>> redacted("Mail ana@example.org or call +351 21 123 4567 before 2026-05-13.")
    Redacted(text='Mail [mail removed] or call [phone removed] before 2026-05-13.', counts={'mail': 1, 'phone': 1})
    """
    if unknown := sorted(set(kinds) - ALL):
        raise InvalidInput(f"nothing is known about the kind {unknown[0]!r}; known are {', '.join(sorted(ALL))}")
    counts: Counter[str] = Counter()
    for _ in range(MOST_ROUNDS):
        text, found = _round(text, kinds)
        if not found:
            break
        counts.update(found)
    return Redacted(text, dict(counts))


def _round(text: str, kinds: Collection[str]) -> tuple[str, Mapping[str, int]]:
    """Lets every finder look once. What it leaves can say more than before: a word that made a number none to call may have
    gone with the key it was glued to."""
    counts: Counter[str] = Counter()
    wanted = set(kinds) if _NUMBER.search(text) else set(kinds) - {"card", "phone"}
    for kind, finder in _FINDERS:
        if kind in wanted and (spans := _apart(text, finder(text))):
            counts[kind] += len(spans)
            text = _without(text, spans, f"[{kind} removed]")
    return text, counts


def _apart(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one, without what clings to a marker: that was none before it was set."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif not _clings(text, start, end):
            found.append((start, end))
    return found


def _clings(text: str, start: int, end: int) -> bool:
    return text.endswith(" removed]", max(0, start - _BEFORE), start) or _MARKER.match(text, end) is not None


def _without(text: str, spans: list[Span], marker: str) -> str:
    pieces: list[str] = []
    behind = 0
    for start, end in spans:
        pieces += (text[behind:start], marker)
        behind = end
    return "".join((*pieces, text[behind:]))
