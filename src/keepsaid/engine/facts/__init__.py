"""Find facts about the user in their messages, by rules and without a model.

Doubtful facts are left out: search still finds what a missing fact would say, but a wrong fact misleads every answer. Only
what the user states seriously counts. The assistant's messages and tool output are never read for facts about the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from keepsaid.engine.facts.attributes import PersonalAttribute, find_attributes
from keepsaid.engine.facts.claim import ClaimKind, FactClaim, supersedes
from keepsaid.engine.facts.claim_validation import validate_claims
from keepsaid.engine.facts.corrections import CORRECTION_CUES, apply_correction, is_correction, split_replacement
from keepsaid.engine.facts.llm import build_extraction_prompt, parse_extracted_claims
from keepsaid.engine.facts.note_model import MIN_NOTE_SCORE, predict_kind, score_note
from keepsaid.engine.facts.other_languages.message_reader import extract_foreign_claims
from keepsaid.engine.facts.plain_statements import OTHER_PERSON_CUES, plain_kind
from keepsaid.engine.facts.rule_matching import match_rules
from keepsaid.engine.facts.sentence_features import FIRST_PERSON, TrimmedSentence, extract_features, trim_sentence
from keepsaid.engine.facts.standing_instructions import INSTRUCTION_CUES as INSTRUCTION_CUES
from keepsaid.engine.facts.standing_instructions import StandingInstruction, find_instruction
from keepsaid.engine.facts.statement_parser import (
    NO_PEOPLE,
    MentionedPerson,
    ParsedStatement,
    find_people,
    named_people,
    parse_statement,
)
from keepsaid.engine.facts.statements import STATEMENT_CUES as STATEMENT_CUES
from keepsaid.engine.facts.statements import SentenceSpan, StatementClause, find_clauses, find_sentences
from keepsaid.engine.facts.third_person import SpeakerIdentity
from keepsaid.engine.facts.typed_lines import trim_long_message
from keepsaid.engine.facts.words import collect_words
from keepsaid.engine.query.question_detection import starts_as_question
from keepsaid.engine.ranking.repeats import has_new_content_words
from keepsaid.engine.text.dates import TimeRange, find_times
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.types import Message, Microseconds, Role, to_microseconds

__all__ = [
    "ClaimKind",
    "FactClaim",
    "build_extraction_prompt",
    "extract_claims",
    "named_people",
    "parse_extracted_claims",
    "supersedes",
    "validate_claims",
]

MAX_CLAIMS = 12
"""Maximum number of claims from one message. A message with more was probably pasted."""


def extract_claims(
    message: Message, before: Sequence[Message] = (), known: Mapping[str, MentionedPerson] = NO_PEOPLE
) -> list[FactClaim]:
    """Return the facts that a user states in a message about themselves, their people and their things.

    `before` holds some earlier messages, oldest first, which may name the person that a pronoun refers to. `known` maps
    names to people of the user who can be referred to by name alone.

    >>> from keepsaid.types import Message, Role
    >>> said = "By the way, I'm a nurse and my sister just moved to Porto. Do you like Porto?"
    >>> message = Message("m1", "s1", 1, 0, Role.USER, said, 20, 0, 0.5, False, {})
    >>> [(claim.text, claim.about, claim.value) for claim in extract_claims(message)]
    [('User is a nurse', 'job', 'a nurse'), ("User's sister moved to Porto", 'home', 'Porto')]
    """
    if message.role != Role.USER:
        return []
    other = extract_foreign_claims(message)
    if other is None:
        return _english_claims(message, before, known)[:MAX_CLAIMS]
    found = _english_claims(message, before, known) if other.english else []
    return other.merge(found)[:MAX_CLAIMS]


def _english_claims(message: Message, before: Sequence[Message], known: Mapping[str, MentionedPerson]) -> list[FactClaim]:
    words = collect_words(trim_long_message(message.text))
    if _CUES.isdisjoint(words) and not any(name.lower() in words for name in known):
        return []
    spans = find_sentences(message.text, words)
    from_rules = _extend_with_rest(_claims_from_rules(message, before, spans, known), message, spans)
    kept = list(_claims_from_sentences(message, before, spans, from_rules))
    return validate_claims(sorted(dict.fromkeys((*from_rules, *kept)), key=_claim_start), message)


MIN_REST_CHARACTERS = 12
"""Minimum number of characters after a claim that can say what came instead."""


def _extend_with_rest(made: list[FactClaim], message: Message, spans: Sequence[SentenceSpan]) -> list[FactClaim]:
    """Return the claims, some of them extended by the rest of their sentence.

    A claim is extended if it says that something ended or if it was cut before a bracket, unless another claim covers the
    rest: "I quit the bakery after ten years of getting up at three", "I have two kids, Ella (4) and Max".
    """
    return [
        replace(claim, text=rest.text)
        if (claim.ends or _is_cut(claim, message)) and (rest := _unread_sentence(claim, made, message, spans))
        else claim
        for claim in made
    ]


def _is_cut(claim: FactClaim, message: Message) -> bool:
    """Whether a bracket ended a claim. The text in the bracket belongs to the word before it."""
    return message.text[claim.end :].lstrip().startswith("(")


def _unread_sentence(
    claim: FactClaim, made: Sequence[FactClaim], message: Message, spans: Sequence[SentenceSpan]
) -> TrimmedSentence | None:
    """Return the sentence of a claim if text after the claim is not covered by another claim."""
    for start, end, words in spans:
        if start <= claim.start < end and end - claim.end > MIN_REST_CHARACTERS:
            is_read = any(claim.end <= other.start < end for other in made)
            return None if is_read else trim_sentence(message.text[start:end], start, words)
    return None


_CUES = FIRST_PERSON | OTHER_PERSON_CUES | INSTRUCTION_CUES | CORRECTION_CUES | STATEMENT_CUES


def _claim_start(claim: FactClaim) -> int:
    return claim.start


def _claims_from_rules(
    message: Message,
    before: Sequence[Message],
    spans: Sequence[SentenceSpan],
    known: Mapping[str, MentionedPerson] = NO_PEOPLE,
) -> list[FactClaim]:
    """Return the claims that the rules find, in the third person, with a slot if they can be replaced."""
    statements = find_clauses(message.text, spans, known)
    if not statements:
        return []
    speaker = SpeakerIdentity.of(message.name)
    mentioned = _last_mentioned_person(before) if any(_PRONOUN.match(statement.text) for statement in statements) else None
    mentioned = next((person for name, person in known.items() if name in message.text), mentioned)
    found_claims: list[FactClaim] = []
    for whole in statements:
        for statement in split_replacement(whole):
            found_claims.extend(_statement_claims(statement, message, speaker, mentioned, known))
        if named := find_people(whole.text):
            mentioned = named[-1][0]
        elif named := [known[word] for word in whole.text.split() if word in known]:
            mentioned = named[-1]
    return found_claims


def _claims_from_sentences(
    message: Message, before: Sequence[Message], spans: Sequence[SentenceSpan], made: list[FactClaim]
) -> Iterator[FactClaim]:
    """Yield what the rules leave: standing instructions, corrections, and sentences that are kept as typed.

    Claims in `made` that overlap a standing instruction are removed from it.
    """
    for start, end, words in spans:
        whole = message.text[start:end]
        if order := find_instruction(whole, words):
            made[:] = [claim for claim in made if not (claim.start < end and claim.end > start)]
            yield _instruction_claim(order, message, start)
            continue
        if not CORRECTION_CUES.isdisjoint(words) and is_correction(whole):
            last = _last_claim_before(message, before, made, start)
            if corrected := apply_correction(message, start, end, last):
                yield corrected
            continue
        inside = [claim for claim in made if claim.start < end and claim.end > start]
        for sentence in _unread_parts(message, inside, SentenceSpan(start, end, words)):
            if has_new_content_words(sentence.text, [claim.text for claim in inside]) and (
                claim := _verbatim_claim(sentence, message)
            ):
                yield claim


def _unread_parts(message: Message, inside: Sequence[FactClaim], span: SentenceSpan) -> list[TrimmedSentence]:
    """Return the parts of a sentence that no claim covers.

    That is the whole sentence or, if there are other claims, the clauses of claims that only give a name: "I'm allergic to
    nuts, and my daughter Mia can't stand mushrooms".
    """
    naming = [claim for claim in inside if _only_names(claim)]
    if len(naming) == len(inside):
        parts = [trim_sentence(message.text[span.start : span.end], span.start, span.words)]
    else:
        clauses = [(claim.start, message.text[claim.start : claim.end]) for claim in naming]
        parts = [trim_sentence(text, start, collect_words(text)) for start, text in clauses]
    return [part for part in parts if part is not None]


def _only_names(claim: FactClaim) -> bool:
    """Whether a claim gives only a person's name. Its sentence may say more."""
    return claim.kind == "person" and " is called " in claim.text


def _last_claim_before(
    message: Message, before: Sequence[Message], made: Sequence[FactClaim], start: int
) -> FactClaim | None:
    """Return the user's last claim before a position, in this message or in their previous one."""
    if earlier := [claim for claim in made if claim.end <= start]:
        return earlier[-1]
    previous = next((one for one in reversed(before) if one.role == Role.USER), None)
    if previous is None or (start > 0 and message.text[:start].strip()):
        return None
    words = collect_words(trim_long_message(previous.text))
    found = _claims_from_rules(previous, (), find_sentences(previous.text, words))
    return found[-1] if found and validate_claims(found[-1:], previous) else None


def _instruction_claim(order: StandingInstruction, message: Message, start: int) -> FactClaim:
    text = message.text[start + order.start : start + order.end]
    first, last = order.value if order.about else (order.start, order.end)
    return FactClaim(
        text=text,
        kind="instruction",
        subject=SpeakerIdentity.of(message.name).subject,
        about=order.about,
        value=message.text[start + first : start + last],
        start=start + order.start,
        end=start + order.end,
        confidence=0.9,
        valid_from=message.created,
        corrects=_CHANGE.search(text) is not None,
    )


def _verbatim_claim(sentence: TrimmedSentence, message: Message) -> FactClaim | None:
    """Return a sentence as typed, if it is worth keeping."""
    if starts_as_question(sentence.text):
        return None
    features = extract_features(sentence)
    value, plain = score_note(features), plain_kind(sentence.text)
    if plain is None and (value < MIN_NOTE_SCORE or not sentence.is_own):
        return None
    speaker = SpeakerIdentity.of(message.name)
    subject = _sentence_subject(sentence.text, speaker)
    kind = plain or predict_kind(features)
    return FactClaim(
        text=sentence.text,
        kind=kind if subject == speaker.subject or kind == "preference" or plain == "constraint" else "person",
        subject=subject,
        about="",
        value=sentence.text,
        start=sentence.start,
        end=sentence.end,
        confidence=round(min(0.9, 0.6 + 0.1 * max(0.0, value)), 2),
        valid_from=message.created,
        corrects="@ended" in features or _CHANGE.search(sentence.text) is not None,
    )


def _sentence_subject(text: str, speaker: SpeakerIdentity) -> str:
    """Return whom a sentence is about: a person of the speaker if it begins with them, else the speaker."""
    named = find_people(text) if text[:3].lower() in ("my ", "our") else []
    return f"{speaker.subject}'s {named[0][0].words}" if named and named[0][1] == 0 else speaker.subject


_PRONOUN = EnglishPattern(r"she\b|he\b|they\b")


def _last_mentioned_person(before: Sequence[Message]) -> MentionedPerson | None:
    """Return the person that the user mentioned last, if any."""
    for message in reversed(before):
        if message.role == Role.USER and (named := find_people(message.text[:2_000])):
            return named[-1][0]
    return None


def _statement_claims(
    statement: StatementClause,
    message: Message,
    speaker: SpeakerIdentity,
    mentioned: MentionedPerson | None,
    known: Mapping[str, MentionedPerson],
) -> Iterator[FactClaim]:
    said = parse_statement(statement, speaker, mentioned, known)
    if said and (claim := _rule_claim(said, statement, message)):
        yield claim
    for own in find_attributes(statement, speaker):
        yield _attribute_claim(own, statement, message, speaker)


def _rule_claim(said: ParsedStatement, statement: StatementClause, message: Message) -> FactClaim | None:
    result = match_rules(said)
    if result is None:
        return None
    when, since = "", message.created
    if result.rule.tense == "past":
        when = _date_in_lead(statement, message.created_at)
        times = find_times(f"{when} {statement.text}", message.created_at, is_english=True)
        since = _valid_since(times, message.created)
    return FactClaim(
        text=_add_dates(f"{result.text} {when}".rstrip(), message.created_at),
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


def _attribute_claim(
    own: PersonalAttribute, statement: StatementClause, message: Message, speaker: SpeakerIdentity
) -> FactClaim:
    return FactClaim(
        text=_add_dates(own.text, message.created_at),
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


_CHANGE = EnglishPattern(
    r"\b(?:now|no longer|any(?: )?more|instead|sold|got rid of|stop|switched|changed|moved|relocated|upgraded|promoted"
    r"|quit|stopped|gave up"
    r"|not [^,]{1,40} but)\b"
)

# -- when


def _valid_since(times: Sequence[TimeRange], said_at: Microseconds) -> Microseconds:
    """Return when a fact became true: the past time that the text names, else the time of the message."""
    past = [to_microseconds(time.start) for time in times if time.start and to_microseconds(time.start) < said_at]
    return past[0] if past else said_at


def _date_in_lead(statement: StatementClause, said_at: datetime) -> str:
    """Return the date before a statement: "Last week I …"."""
    times = find_times(statement.lead, said_at, is_english=True) if statement.lead else []
    if not times or _RELATIVE.search(statement.text):
        return ""
    start, end = times[-1].span
    return statement.lead[start:end].lower()


_RELATIVE = EnglishPattern(r"\b(?:yesterday|today|tonight|tomorrow|ago|last|this|next|coming|previous)\b")
_ROLLING_PERIOD = EnglishPattern(r"\b(?:last|past|previous) [\w ]{1,16}s$")
_MONTHS = "January February March April May June July August September October November December".split()


def _add_dates(text: str, said_at: datetime) -> str:
    """Return the bullet with the date of each "yesterday" or "last week" added, because it is read without its message.

    >>> from datetime import UTC
    >>> _add_dates("User moved to Porto last month", datetime(2026, 5, 13, tzinfo=UTC))
    'User moved to Porto last month (April 2026)'
    """
    if not _RELATIVE.search(text):
        return text
    for time in reversed(find_times(text, said_at, is_english=True)):
        start, end = time.span
        if time.start and time.end and _RELATIVE.search(text[start:end]) and not _ROLLING_PERIOD.search(text[start:end]):
            text = f"{text[:end]} ({_format_date(time.start, time.precision)}){text[end:]}"
    return text


def _format_date(start: datetime, precision: str) -> str:
    month = f"{_MONTHS[start.month - 1]} {start.year}"
    if precision in ("season", "year"):
        return str(start.year)
    if precision == "month":
        return month
    return f"{'week of ' if precision == 'week' else ''}{start.day} {month}"
