"""Whether somebody asks that what he says is not remembered."""

from __future__ import annotations

from recollect.engine.pattern import Pattern

EDGE = 240
"""People say it first or last. In the middle of a long text it is mostly a quotation, or about a file."""

_HINTS = ("rememb", "record", "forget", "never said", "save", "stor", "keep", "memor", "log", "note", "retain", "leave")

_STOP = r"[.!?;:,()\n–—]"
# A request begins a clause: "I don't remember that" asks for nothing.
_BEGINS = rf"(?:^|{_STOP}\s*|\b(?:please|and|but|so|also|just|you (?:must|should)|want you to) )"
_NOT = r"(?:(?:please|just|also) )?(?:never|do not|don['’]?t|not to|must not|mustn['’]t)(?: ever| please)?"
_KEEP = r"(?:remember|memori[sz]e|save|store|record|retain|keep|log|note|write)(?: down)?"
_THIS = r"(?:this|that|it|these|those)"
_PART = r"(?:message|conversation|chat|talk|part|bit|one|information|info|detail|secret)"
_SAID = r"(?:say|said|saying|tell|told|mentioned|asked|wrote)(?: you)?"
_WHAT = rf"(?:(?:any of |all of )?{_THIS}(?: {_PART})?|(?:anything|what) i(?: just|['’]ve just|['’]m about to)? {_SAID})"
_NOTES = r"(?:your |the |my )?(?:memory|notes|history|records?|logs?)"
# What follows must not make it about a thing: "don't save this file", "do not store this above 25 degrees".
_ENDS = (
    rf"(?=\s*(?:$|{_STOP})| (?:please|anywhere|at all|ever|for later|about me|and|but|or|because|since|as|though|ok|okay)\b"
    rf"| (?:in|to|into) {_NOTES}\b| - )"
)
_STAYS = r"(?:is|stays|(?:must|should) (?:be|stay))(?: strictly| completely)?"

_ASKS = (
    Pattern(rf"{_BEGINS}{_NOT} {_KEEP} (?:{_WHAT}{_ENDS}|that (?:i|my|we|our)\b)"),
    Pattern(rf"{_BEGINS}forget (?:that )?i(?: just| ever)? {_SAID}(?: about)? {_WHAT}{_ENDS}"),
    Pattern(rf"\bpretend (?:that )?i never {_SAID}\b"),
    Pattern(rf"\b(?:keep|leave) {_THIS} out of {_NOTES}\b"),
    Pattern(rf"\b(?:keep|leave) {_THIS}(?: strictly| completely)? off the record\b"),
    Pattern(rf"\b(?:{_THIS}|which)(?: {_STAYS}|['’]s) off the record\b"),
    Pattern(rf"(?:^|[.!?;:(\n–—]\s*)(?:strictly )?off the record(?=\s*(?:$|{_STOP}))"),
    Pattern(rf"\b{_THIS} (?:is|must|should)(?: never| not) (?:to )?be (?:remembered|saved|stored|recorded|kept|logged)\b"),
)


def asks_for_privacy(text: str) -> bool:
    """Whether the words ask that they are not remembered.

    >>> asks_for_privacy("Never remember this: my PIN is 4711."), asks_for_privacy("Off the record, I am leaving.")
    (True, True)
    >>> asks_for_privacy("I don't remember that film."), asks_for_privacy("Don't save this file yet.")
    (False, False)
    """
    edges = (text,) if len(text) <= 2 * EDGE else (text[:EDGE], text[-EDGE:])
    return any(_asks(edge) for edge in edges)


def _asks(edge: str) -> bool:
    lowered = edge.lower()
    return any(hint in lowered for hint in _HINTS) and any(pattern.search(edge) for pattern in _ASKS)
