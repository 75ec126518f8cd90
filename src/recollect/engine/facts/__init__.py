"""Facts about the person who speaks, found by rules and without a model.

What is doubtful is left out: a missing fact is found by search all the same, and a wrong one misleads every answer. Only
what the user says in earnest counts; the assistant's words and tool output are never read for facts about the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from recollect.engine.dates import TimeRange, time_ranges
from recollect.engine.facts.claim import Claim, Kind, supersedes
from recollect.engine.facts.gate import validated
from recollect.engine.facts.llm import instructions, parsed
from recollect.engine.facts.own import Owned, owned
from recollect.engine.facts.parse import Person, Said, parsed_statement, people
from recollect.engine.facts.reading import found
from recollect.engine.facts.statements import Statement, statements
from recollect.engine.facts.voice import Speaker
from recollect.engine.pattern import Pattern
from recollect.types import Message, Microseconds, Role, microseconds

__all__ = ["Claim", "Kind", "claims", "instructions", "parsed", "supersedes", "validated"]

MOST = 12
"""Claims of one message: who says more about themselves at once has pasted it."""


def claims(message: Message, before: Sequence[Message] = ()) -> list[Claim]:
    """The facts that a user states in a message about themselves and what is theirs. `before` are some earlier messages,
    oldest first, in which somebody may have been named.

    >>> from recollect.types import Message, Role
    >>> said = "By the way, I'm a nurse and my sister just moved to Porto. Do you like Porto?"
    >>> message = Message("m1", "s1", 1, 0, Role.USER, said, 20, 0, 0.5, False, {})
    >>> [(claim.text, claim.about, claim.value) for claim in claims(message)]
    [('User is a nurse', 'job', 'a nurse'), ("User's sister moved to Porto", 'home', 'Porto')]
    """
    if message.role != Role.USER:
        return []
    speaker = Speaker.of(message.name)
    said = statements(message.text)
    if not said:
        return []
    mentioned = _mentioned(before) if any(_PRONOUN.match(statement.text) for statement in said) else None
    made: list[Claim] = []
    for statement in said:
        made.extend(_claims(statement, message, speaker, mentioned))
        if named := people(statement.text):
            mentioned = named[-1][0]
    return validated(dict.fromkeys(made), message)[:MOST]


_PRONOUN = Pattern(r"she\b|he\b|they\b")


def _mentioned(before: Sequence[Message]) -> Person | None:
    """Whom the user spoke of last, if anybody."""
    for message in reversed(before):
        if message.role == Role.USER and (named := people(message.text[:2_000])):
            return named[-1][0]
    return None


def _claims(statement: Statement, message: Message, speaker: Speaker, mentioned: Person | None) -> Iterator[Claim]:
    said = parsed_statement(statement, speaker, mentioned)
    if said and (claim := _stated(said, statement, message)):
        yield claim
    for own in owned(statement, speaker):
        yield _of_theirs(own, statement, message, speaker)


def _stated(said: Said, statement: Statement, message: Message) -> Claim | None:
    result = found(said)
    if result is None:
        return None
    when = _in_lead(statement, message.created_at) if result.rule.tense == "past" else ""
    times = time_ranges(f"{when} {statement.text}", message.created_at)
    return Claim(
        text=_dated(f"{result.text} {when}".rstrip(), message.created_at),
        kind=result.kind,
        subject=said.subject,
        about=result.about,
        value=message.text[result.start : result.end],
        start=statement.start,
        end=statement.end,
        confidence=min(1.0, result.rule.confidence + (0.1 if statement.asked else 0.0)),
        valid_from=_since(times, message.created) if result.rule.tense == "past" else message.created,
        corrects=statement.corrects or _CHANGE.search(statement.text) is not None,
    )


def _of_theirs(own: Owned, statement: Statement, message: Message, speaker: Speaker) -> Claim:
    return Claim(
        text=_dated(own.text, message.created_at),
        kind=own.kind,
        subject=speaker.subject,
        about=own.about,
        value=statement.text[own.start : own.end],
        start=statement.start,
        end=statement.end,
        confidence=min(1.0, own.confidence + (0.1 if statement.asked else 0.0)),
        valid_from=message.created,
        corrects=statement.corrects or _CHANGE.search(statement.text) is not None,
    )


_CHANGE = Pattern(
    r"\b(?:now|no longer|any(?: )?more|instead|switched|changed|moved|relocated|upgraded|promoted|quit|stopped|gave up"
    r"|not [^,]{1,40} but)\b"
)

# -- when


def _since(times: Sequence[TimeRange], said: Microseconds) -> Microseconds:
    """From when on it is true: what is told of the past began when the text says, at the latest when it was said."""
    past = [microseconds(time.start) for time in times if time.start and microseconds(time.start) < said]
    return past[0] if past else said


def _in_lead(statement: Statement, said: datetime) -> str:
    """The date that stands before a statement: "Last week I …"."""
    times = time_ranges(statement.lead, said) if statement.lead else []
    if not times or _RELATIVE.search(statement.text):
        return ""
    start, end = times[-1].span
    return statement.lead[start:end].lower()


_RELATIVE = Pattern(r"\b(?:yesterday|today|tonight|tomorrow|ago|last|this|next|coming|previous)\b")
_STRETCH = Pattern(r"\b(?:last|past|previous) [\w ]{1,16}s$")
_MONTHS = "January February March April May June July August September October November December".split()


def _dated(text: str, said: datetime) -> str:
    """The bullet with the date of each "yesterday" or "last week", which it would lose with its message.

    >>> from datetime import UTC
    >>> _dated("User moved to Porto last month", datetime(2026, 5, 13, tzinfo=UTC))
    'User moved to Porto last month (April 2026)'
    """
    for time in reversed(time_ranges(text, said)):
        start, end = time.span
        if time.start and time.end and _RELATIVE.search(text[start:end]) and not _STRETCH.search(text[start:end]):
            text = f"{text[:end]} ({_when(time.start, time.precision)}){text[end:]}"
    return text


def _when(start: datetime, precision: str) -> str:
    month = f"{_MONTHS[start.month - 1]} {start.year}"
    if precision in ("season", "year"):
        return str(start.year)
    if precision == "month":
        return month
    return f"{'week of ' if precision == 'week' else ''}{start.day} {month}"
