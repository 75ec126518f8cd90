"""Facts about the person who speaks, found by rules and without a model.

What is doubtful is left out: a missing fact is found by search all the same, and a wrong one misleads every answer. Only
what the user says in earnest counts; the assistant's words and tool output are never read for facts about the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.engine.asks import opens_question
from recollect.engine.dates import TimeRange, time_ranges
from recollect.engine.facts.claim import Claim, Kind, supersedes
from recollect.engine.facts.corrections import CORRECTION_CUES, corrected_claim, is_correction, split_deeds
from recollect.engine.facts.durable import FIRST_PERSON, LEAST_SCORE, Sentence, cues_of, kept_part, kind_of_cues, score
from recollect.engine.facts.gate import validated
from recollect.engine.facts.llm import instructions, parsed
from recollect.engine.facts.own import Owned, owned
from recollect.engine.facts.parse import NOBODY, Person, Said, named_people, parsed_statement, people
from recollect.engine.facts.plain import OTHERS_CUES, plain_kind
from recollect.engine.facts.reading import found
from recollect.engine.facts.standing import CUES as INSTRUCTION_CUES
from recollect.engine.facts.standing import Instruction, find_instruction
from recollect.engine.facts.statements import CUES as STATEMENT_CUES
from recollect.engine.facts.statements import SentenceSpan, Statement, clauses, sentences
from recollect.engine.facts.typed import looked_at
from recollect.engine.facts.verbatim.message import read_other_languages
from recollect.engine.facts.voice import Speaker
from recollect.engine.facts.words import words_of
from recollect.engine.pattern import Pattern
from recollect.engine.repeated import says_more
from recollect.types import Message, Microseconds, Role, microseconds

__all__ = ["Claim", "Kind", "claims", "instructions", "named_people", "parsed", "supersedes", "validated"]

MOST = 12
"""Claims of one message: who says more about themselves at once has pasted it."""


def claims(message: Message, before: Sequence[Message] = (), known: Mapping[str, Person] = NOBODY) -> list[Claim]:
    """The facts that a user states in a message about themselves and what is theirs. `before` are some earlier messages,
    oldest first, in which somebody may have been named; `known` are people of theirs whom a name alone means.

    >>> from recollect.types import Message, Role
    >>> said = "By the way, I'm a nurse and my sister just moved to Porto. Do you like Porto?"
    >>> message = Message("m1", "s1", 1, 0, Role.USER, said, 20, 0, 0.5, False, {})
    >>> [(claim.text, claim.about, claim.value) for claim in claims(message)]
    [('User is a nurse', 'job', 'a nurse'), ("User's sister moved to Porto", 'home', 'Porto')]
    """
    if message.role != Role.USER:
        return []
    other = read_other_languages(message)
    if other is None:
        return _english_claims(message, before, known)[:MOST]
    found = _english_claims(message, before, known) if other.english else []
    return other.merge(found)[:MOST]


def _english_claims(message: Message, before: Sequence[Message], known: Mapping[str, Person]) -> list[Claim]:
    words = words_of(looked_at(message.text))
    if _CUES.isdisjoint(words) and not any(name.lower() in words for name in known):
        return []
    spans = sentences(message.text, words)
    made = _with_what_follows(_from_rules(message, before, spans, known), message, spans)
    kept = list(_from_sentences(message, before, spans, made))
    return validated(sorted(dict.fromkeys((*made, *kept)), key=_place), message)


LEAST_REST = 12
"""Characters after the end of a claim, from which on they can say what came instead."""


def _with_what_follows(made: list[Claim], message: Message, spans: Sequence[SentenceSpan]) -> list[Claim]:
    """The claims, where one that something is over, or that was cut before a bracket, has the rest of its sentence, unless
    another claim says it: "I quit the bakery after ten years of getting up at three", "I have two kids, Ella (4) and Max".
    """
    return [
        replace(claim, text=rest.text)
        if (claim.ends or _is_cut(claim, message)) and (rest := _unread_sentence(claim, made, message, spans))
        else claim
        for claim in made
    ]


def _is_cut(claim: Claim, message: Message) -> bool:
    """Whether a bracket ended a claim: what is in it belongs to the word before."""
    return message.text[claim.end :].lstrip().startswith("(")


def _unread_sentence(
    claim: Claim, made: Sequence[Claim], message: Message, spans: Sequence[SentenceSpan]
) -> Sentence | None:
    """The sentence of a claim if it says more after it that no other claim does."""
    for start, end, words in spans:
        if start <= claim.start < end and end - claim.end > LEAST_REST:
            is_read = any(claim.end <= other.start < end for other in made)
            return None if is_read else kept_part(message.text[start:end], start, words)
    return None


_CUES = FIRST_PERSON | OTHERS_CUES | INSTRUCTION_CUES | CORRECTION_CUES | STATEMENT_CUES


def _place(claim: Claim) -> int:
    return claim.start


def _from_rules(
    message: Message, before: Sequence[Message], spans: Sequence[SentenceSpan], known: Mapping[str, Person] = NOBODY
) -> list[Claim]:
    """What the rules find: facts in the third person, with a slot where they can be replaced."""
    said = clauses(message.text, spans, known)
    if not said:
        return []
    speaker = Speaker.of(message.name)
    mentioned = _mentioned(before) if any(_PRONOUN.match(statement.text) for statement in said) else None
    mentioned = next((person for name, person in known.items() if name in message.text), mentioned)
    made: list[Claim] = []
    for whole in said:
        for statement in split_deeds(whole):
            made.extend(_claims(statement, message, speaker, mentioned, known))
        if named := people(whole.text):
            mentioned = named[-1][0]
        elif named := [known[word] for word in whole.text.split() if word in known]:
            mentioned = named[-1]
    return made


def _from_sentences(
    message: Message, before: Sequence[Message], spans: Sequence[SentenceSpan], made: list[Claim]
) -> Iterator[Claim]:
    """What the rules leave: standing instructions, corrections, and sentences that are kept as they were typed. Removes from
    `made` what a standing instruction says too."""
    for start, end, words in spans:
        whole = message.text[start:end]
        if order := find_instruction(whole, words):
            made[:] = [claim for claim in made if not (claim.start < end and claim.end > start)]
            yield _instruction(order, message, start)
            continue
        if not CORRECTION_CUES.isdisjoint(words) and is_correction(whole):
            last = _last(message, before, made, start)
            if corrected := corrected_claim(message, start, end, last):
                yield corrected
            continue
        inside = [claim for claim in made if claim.start < end and claim.end > start]
        sentence = kept_part(whole, start, words) if all(_only_names(claim) for claim in inside) else None
        if sentence is None or not says_more(sentence.text, [claim.text for claim in inside]):
            continue
        if claim := _verbatim(sentence, message):
            yield claim


def _only_names(claim: Claim) -> bool:
    """Whether a claim says no more of somebody than their name: its sentence may say more."""
    return claim.kind == "person" and " is called " in claim.text


def _last(message: Message, before: Sequence[Message], made: Sequence[Claim], start: int) -> Claim | None:
    """What the user stated last before a place, in this message or in their message before it."""
    if earlier := [claim for claim in made if claim.end <= start]:
        return earlier[-1]
    previous = next((one for one in reversed(before) if one.role == Role.USER), None)
    if previous is None or (start > 0 and message.text[:start].strip()):
        return None
    words = words_of(looked_at(previous.text))
    found = _from_rules(previous, (), sentences(previous.text, words))
    return found[-1] if found and validated(found[-1:], previous) else None


def _instruction(order: Instruction, message: Message, start: int) -> Claim:
    text = message.text[start + order.start : start + order.end]
    first, last = order.value if order.about else (order.start, order.end)
    return Claim(
        text=text,
        kind="instruction",
        subject=Speaker.of(message.name).subject,
        about=order.about,
        value=message.text[start + first : start + last],
        start=start + order.start,
        end=start + order.end,
        confidence=0.9,
        valid_from=message.created,
        corrects=_CHANGE.search(text) is not None,
    )


def _verbatim(sentence: Sentence, message: Message) -> Claim | None:
    """A sentence as it was typed, if it is worth a note."""
    if opens_question(sentence.text):
        return None
    cues = cues_of(sentence)
    value, plain = score(cues), plain_kind(sentence.text)
    if plain is None and (value < LEAST_SCORE or not sentence.is_own):
        return None
    speaker = Speaker.of(message.name)
    subject = _subject(sentence.text, speaker)
    kind = plain or kind_of_cues(cues)
    return Claim(
        text=sentence.text,
        kind=kind if subject == speaker.subject or kind == "preference" else "person",
        subject=subject,
        about="",
        value=sentence.text,
        start=sentence.start,
        end=sentence.end,
        confidence=round(min(0.9, 0.6 + 0.1 * max(0.0, value)), 2),
        valid_from=message.created,
        corrects="ended" in cues or _CHANGE.search(sentence.text) is not None,
    )


def _subject(text: str, speaker: Speaker) -> str:
    """Whom a sentence is about: somebody of the speaker's if it begins with them, else the speaker."""
    named = people(text) if text[:3].lower() in ("my ", "our") else []
    return f"{speaker.subject}'s {named[0][0].words}" if named and named[0][1] == 0 else speaker.subject


_PRONOUN = Pattern(r"she\b|he\b|they\b")


def _mentioned(before: Sequence[Message]) -> Person | None:
    """Whom the user spoke of last, if anybody."""
    for message in reversed(before):
        if message.role == Role.USER and (named := people(message.text[:2_000])):
            return named[-1][0]
    return None


def _claims(
    statement: Statement, message: Message, speaker: Speaker, mentioned: Person | None, known: Mapping[str, Person]
) -> Iterator[Claim]:
    said = parsed_statement(statement, speaker, mentioned, known)
    if said and (claim := _stated(said, statement, message)):
        yield claim
    for own in owned(statement, speaker):
        yield _of_theirs(own, statement, message, speaker)


def _stated(said: Said, statement: Statement, message: Message) -> Claim | None:
    result = found(said)
    if result is None:
        return None
    when, since = "", message.created
    if result.rule.tense == "past":
        when = _in_lead(statement, message.created_at)
        times = time_ranges(f"{when} {statement.text}", message.created_at, is_english=True)
        since = _since(times, message.created)
    return Claim(
        text=_dated(f"{result.text} {when}".rstrip(), message.created_at),
        kind=result.kind,
        subject=said.subject,
        about=result.about,
        value=message.text[result.start : result.end],
        start=statement.first,
        end=statement.end,
        confidence=min(1.0, result.rule.confidence + (0.1 if statement.asked else 0.0)),
        valid_from=since,
        corrects=statement.corrects or _CHANGE.search(statement.text) is not None,
    )


def _of_theirs(own: Owned, statement: Statement, message: Message, speaker: Speaker) -> Claim:
    return Claim(
        text=_dated(own.text, message.created_at),
        kind=own.kind,
        subject=speaker.subject,
        about=own.about,
        value=statement.text[own.start : own.end],
        start=statement.first,
        end=statement.end,
        confidence=min(1.0, own.confidence + (0.1 if statement.asked else 0.0)),
        valid_from=message.created,
        corrects=statement.corrects or _CHANGE.search(statement.text) is not None,
    )


_CHANGE = Pattern(
    r"\b(?:now|no longer|any(?: )?more|instead|sold|got rid of|stop|switched|changed|moved|relocated|upgraded|promoted"
    r"|quit|stopped|gave up"
    r"|not [^,]{1,40} but)\b"
)

# -- when


def _since(times: Sequence[TimeRange], said: Microseconds) -> Microseconds:
    """From when on it is true: what is told of the past began when the text says, at the latest when it was said."""
    past = [microseconds(time.start) for time in times if time.start and microseconds(time.start) < said]
    return past[0] if past else said


def _in_lead(statement: Statement, said: datetime) -> str:
    """The date that stands before a statement: "Last week I …"."""
    times = time_ranges(statement.lead, said, is_english=True) if statement.lead else []
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
    if not _RELATIVE.search(text):
        return text
    for time in reversed(time_ranges(text, said, is_english=True)):
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
