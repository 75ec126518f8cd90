"""Detect whether a user asks that what they say is not remembered."""

from __future__ import annotations

from collections.abc import Iterator

from keepsaid.engine.text.patterns import EnglishPattern

EDGE = 240
"""Characters at the beginning and end that are checked. In the middle of a long text, such words are mostly a quotation, or
about a file."""

_STOP = r"[.!?;:,()\n–—]"
_STOPS = ".!?;:,()–—"
_KEEP = r"(?:remember|memori[sz]e|save|store|record|retain|keep|log|note|write)(?: down)?"
_THIS = r"(?:this|that|it|these|those)"
_PART = r"(?:message|conversation|chat|talk|part|bit|one|information|info|detail|secret)"
_SAID = r"(?:say|said|saying|tell|told|mentioned|asked|wrote)(?: you)?"
_WHAT = rf"(?:(?:any of |all of )?{_THIS}(?: {_PART})?|(?:anything|what) i(?: just|['’]ve just|['’]m about to)? {_SAID})"
_NOTES = r"(?:your |the |my )?(?:memory|notes|history|records?|logs?)"
# What follows must not refer to a thing: "don't save this file", "do not store this above 25 degrees".
_ENDS = (
    rf"(?=\s*(?:$|{_STOP})| (?:please|anywhere|at all|ever|for later|about me|and|but|or|because|since|as|though|ok|okay)\b"
    rf"| (?:in|to|into) {_NOTES}\b| - )"
)
_STAYS = r"(?:is|stays|(?:must|should) (?:be|stay))(?: strictly| completely)?"

_REFUSED = EnglishPattern(
    rf"(?:never|do not|don['’]?t|not to|must not|mustn['’]t)(?: ever| please)? {_KEEP}"
    rf" (?:{_WHAT}{_ENDS}|that (?:i|my|we|our)\b)"
)
_TAKEN_BACK = EnglishPattern(rf"forget (?:that )?i(?: just| ever)? {_SAID}(?: about)? {_WHAT}{_ENDS}")
_OFF_THE_RECORD = EnglishPattern(rf"(?<!,\s)(?:strictly )?off the record(?=\s*(?:$|{_STOP}))")

_REQUESTS = (
    (("never", "not ", "n't", "n’t", "dont "), _REFUSED),
    (("forget",), _TAKEN_BACK),
    (("off the record",), _OFF_THE_RECORD),
)
"""Patterns that count only at the beginning of a clause, each with words of which the text must have one: "I don't remember
that" is no request."""

_ANYWHERE = (
    ("pretend", EnglishPattern(rf"\bpretend (?:that )?i never {_SAID}\b")),
    ("out of", EnglishPattern(rf"\b(?:keep|leave) {_THIS} out of {_NOTES}\b")),
    ("off the record", EnglishPattern(rf"\b(?:keep|leave) {_THIS}(?: strictly| completely)? off the record\b")),
    ("off the record", EnglishPattern(rf"\b(?:{_THIS}|which)(?: {_STAYS}|['’]s) off the record\b")),
    (
        " be ",
        EnglishPattern(
            rf"\b{_THIS} (?:is|must|should)(?: never| not) (?:to )?be (?:remembered|saved|stored|recorded|kept)\b"
        ),
    ),
)

_HINTS = ("never", "n't", "n’t", "not ", "dont ", "forget", "off the", "pretend", "out of")
"""Every request contains one of these."""

_LEADS = ("please", "kindly", "you must", "you should", "want you to", "ask you to")
"""Words after which a request may follow."""


def asks_for_privacy(text: str) -> bool:
    """Whether the text asks not to be remembered.

    >>> asks_for_privacy("Never remember this: my PIN is 4711."), asks_for_privacy("Off the record, I am leaving.")
    (True, True)
    >>> asks_for_privacy("I don't remember that film."), asks_for_privacy("Don't save this file yet.")
    (False, False)
    """
    if len(text) > 2 * EDGE:
        return asks_for_privacy(text[:EDGE]) or asks_for_privacy(text[-EDGE:])
    lowered = text.lower()
    # A plain loop, because this runs for every message: a generator would double the time.
    for hint in _HINTS:
        if hint in lowered:
            return _is_request(text, lowered)
    return False


def _is_request(edge: str, lowered: str) -> bool:
    for hints, pattern in _REQUESTS:
        if any(hint in lowered for hint in hints) and any(
            _is_clause_start(lowered[:start]) for start in _find_matches(pattern, edge)
        ):
            return True
    return any(hint in lowered and pattern.search(edge) is not None for hint, pattern in _ANYWHERE)


def _find_matches(pattern: EnglishPattern, text: str) -> Iterator[int]:
    """Yield the positions where a pattern matches."""
    found = pattern.search(text)
    while found is not None:
        yield found.start()
        found = pattern.search(text, found.end())


def _is_clause_start(before: str) -> bool:
    """Whether a clause begins after these words."""
    preceding = before.rstrip(" \t")
    return not preceding or preceding[-1] in f"{_STOPS}\n" or preceding.endswith(_LEADS)
