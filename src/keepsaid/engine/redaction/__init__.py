"""Remove personal data from a text before it is stored or sent to a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from keepsaid.config import PERSONAL
from keepsaid.engine.redaction.checksums import find_bank_accounts, find_cards
from keepsaid.engine.redaction.credentials import find_credentials
from keepsaid.engine.redaction.phones import find_international_phones, find_labeled_phones, find_national_phones
from keepsaid.errors import InvalidInput

TextSpan = tuple[int, int]

MAX_ROUNDS = 5
"""Nearly all texts need one round, and one more that finds nothing. The limit keeps the time linear in the length."""

_LETTERS = r"A-Za-z0-9_\u00c0-\u024f\u0370-\u052f"
"""Letters of scripts with spaces: a character of a script without spaces before an address is not part of it."""
_MAIL = re.compile(
    rf"""(?<![{_LETTERS}.%+/@-])(?:[A-Za-z]{{1,2}}['’])?[{_LETTERS}.%+-]{{1,64}}+
    @(?:[{_LETTERS}-]{{1,63}}+\.){{1,8}}(?:xn--[a-z0-9-]{{2,59}}|[A-Za-z\u00c0-\u024f\u0370-\u052f]{{2,24}})(?![{_LETTERS}@-])""",
    re.VERBOSE,
)
_FILE = re.compile(r"@\d+x\.(?:png|jpe?g|gif|svg|webp|avif)\Z", re.IGNORECASE)
_LOGIN = re.compile(r"(?:\b(?:ssh|scp|sftp|rsync)\b[^\n]{0,60}[\s=\"'])\Z")
_REMOTE_PATH = re.compile(r":[\w.~/-]")
_NUMBER = re.compile(r"\d(?:[^\w\n]{0,3}+\d){6}", re.ASCII)
"""Digits that every card and phone number has, and few other texts have."""
_MARKER = re.compile(r"\[(?:mail|phone|card|iban|key) removed\]")
_BEFORE = len("[phone removed]")


class RedactionResult(NamedTuple):
    """A text without the removed data, and the number of removals by kind."""

    text: str
    counts: Mapping[str, int]


def find_mail_addresses(text: str) -> Iterator[TextSpan]:
    """Yield the spans of mail addresses in a text. A login in a command, such as for ssh, is not one.

    >>> list(find_mail_addresses("Write to ana@example.org, not git@example.org:team/repo.git."))
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


SpanFinder = Callable[[str], Iterable[TextSpan]]

# Each finder searches what the one before has left. Unambiguous data comes first: the digits of a key may look like a phone
# number, and a number that is isolated only after its neighbor was removed is found in the same round.
_FINDERS: tuple[tuple[str, SpanFinder], ...] = (
    ("key", find_credentials),
    ("mail", find_mail_addresses),
    ("iban", find_bank_accounts),
    ("phone", find_international_phones),
    ("card", find_cards),
    ("phone", find_national_phones),
    ("phone", find_labeled_phones),
)

ALL_KINDS = frozenset(PERSONAL)
"""The kinds of data that can be taken out: mail, phone, card, iban, key."""


def redact(text: str, kinds: Collection[str] = ALL_KINDS) -> RedactionResult:
    """Replace personal data with its kind: mail addresses, phone numbers, cards, bank accounts, keys.

    Doing it twice changes nothing more. Dates, versions, hashes, identifiers and code are left unchanged.

    >>> redact("Mail ana@example.org or call +351 21 123 4567 before 2026-05-13.")
    RedactionResult(text='Mail [mail removed] or call [phone removed] before 2026-05-13.', counts={'mail': 1, 'phone': 1})
    """
    if unknown := sorted(set(kinds) - ALL_KINDS):
        raise InvalidInput(f"unknown kind of data {unknown[0]!r}; known kinds are {', '.join(sorted(ALL_KINDS))}")
    counts: Counter[str] = Counter()
    for _ in range(MAX_ROUNDS):
        text, found = _run_finders(text, kinds)
        if not found:
            break
        counts.update(found)
    return RedactionResult(text, dict(counts))


def _run_finders(text: str, kinds: Collection[str]) -> tuple[str, Mapping[str, int]]:
    """Run every finder once. Removals can reveal more data: a word that showed that a number is not a phone number may have
    been removed with a key that it was attached to."""
    counts: Counter[str] = Counter()
    wanted = set(kinds) if _NUMBER.search(text) else set(kinds) - {"card", "phone"}
    for kind, finder in _FINDERS:
        if kind in wanted and (spans := _merge_spans(text, finder(text))):
            counts[kind] += len(spans)
            text = _replace_spans(text, spans, f"[{kind} removed]")
    return text, counts


def _merge_spans(text: str, spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Return the spans in order, merging overlapping ones. A span next to a marker is dropped: it did not match before."""
    found: list[TextSpan] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif not _is_next_to_marker(text, start, end):
            found.append((start, end))
    return found


def _is_next_to_marker(text: str, start: int, end: int) -> bool:
    return text.endswith(" removed]", max(0, start - _BEFORE), start) or _MARKER.match(text, end) is not None


def _replace_spans(text: str, spans: list[TextSpan], marker: str) -> str:
    pieces: list[str] = []
    last_end = 0
    for start, end in spans:
        pieces += (text[last_end:start], marker)
        last_end = end
    return "".join((*pieces, text[last_end:]))
