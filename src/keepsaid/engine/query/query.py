"""Parse a query: words, phrases, exclusions, times, names, and the kind of question."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, cast

from keepsaid.engine.languages import detect_language, is_first_person
from keepsaid.engine.languages.questions import question_kind
from keepsaid.engine.messages.intake import clean_role
from keepsaid.engine.messages.validation import clean_datetime, clean_name, clean_text
from keepsaid.engine.query.query_words import MAX_CHARACTERS_PER_END, find_query_words, flatten_alternatives, keep_ends
from keepsaid.engine.query.question_detection import (
    AUXILIARY_VERBS,
    find_last_sentence,
    is_question_text,
    starts_as_question,
)
from keepsaid.engine.text.dates import BoundWord, TimeRange, find_times, parse_bound
from keepsaid.engine.text.patterns import ABBREVIATION_END, EnglishPattern
from keepsaid.engine.text.phrase_match import PhraseMatcher, TermSequence
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.errors import InvalidInput
from keepsaid.types import Microseconds, Role, SearchFilters, to_microseconds

MAX_PHRASES = 32
"""Maximum number each of quoted phrases, exclusions and filters, which are all compared with every candidate."""

QuestionKind = Literal["who", "what", "when", "where", "why", "how", "how_many", "which", "yes_no", "statement"]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query. `text` is the text to embed; `terms` are the terms for the keyword index.

    `words` has for each word the terms under which the index may have it; `terms` are all of them. Date words are included
    only if there are no others. `phrases` and `excluded` are sequences of terms in English stems. `times` are soft and refer
    to spans of `text`; hard limits are in `filters`. `language` is the language of the text, if known. `asks_user` says who
    wrote the wanted messages, the user (True) or the assistant (False); None if unclear. `exact` is set if the query has
    only phrases, which then must match. `matcher` compares messages with the phrases and caches the results, because a
    question lasts for one search.
    """

    text: str
    words: tuple[tuple[str, ...], ...]
    phrases: tuple[TermSequence, ...]
    excluded: tuple[TermSequence, ...]
    filters: SearchFilters
    times: tuple[TimeRange, ...]
    names: tuple[str, ...]
    kind: QuestionKind
    wants_several: bool
    wants_latest: bool
    asks_user: bool | None
    exact: bool
    language: str | None = None
    matcher: PhraseMatcher = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matcher", PhraseMatcher(self.phrases, self.excluded))

    @property
    def terms(self) -> tuple[str, ...]:
        return flatten_alternatives(self.words)


def parse_query(text: str, now: datetime, *, plain: bool = False) -> ParsedQuery:
    """Parse a query. `now` is the user's time, in their time zone.

    A `plain` query has no operators: it was not typed into a search. More phrases, exclusions or filters than `MAX_PHRASES`
    raise `InvalidInput`; of a text without operators the first phrases are used.

    >>> from datetime import UTC
    >>> question = parse_query('Where did "my sister" move in March? -Lisbon role:user', datetime(2026, 5, 13, tzinfo=UTC))
    >>> question.text, question.terms
    ('Where did "my sister" move in March?', ('sister', 'move'))
    >>> question.phrases, question.excluded, question.filters.roles
    ((('my', 'sister'),), (('lisbon',),), (<Role.USER: 'user'>,))
    >>> question.kind, question.asks_user, question.times[0].precision
    ('where', True, 'month')
    """
    clean_text(text, "query")
    clean_datetime(now, "now")
    if not text.strip():
        raise InvalidInput("the query is empty; say what to look for")
    wanted = _QueryOperators(now)
    # Such a long text was pasted, and a text that ends with a question mark is a sentence ("what does rm -rf do?"): dashes
    # and colons in it are not operators.
    sentence = plain or len(text) > 2 * MAX_CHARACTERS_PER_END or text.rstrip().endswith("?")
    rest = keep_ends(text) if sentence else _OPERATORS.sub(wanted.take, text).strip()
    if not rest:
        raise InvalidInput("the query only says what to leave out; say also what to look for")
    language = detect_language(rest)
    times = tuple(find_times(rest, now))
    words = find_query_words(remove_times(rest, times), language, may_be_empty=True) or find_query_words(rest, language)
    known = frozenset(flatten_alternatives(words))
    return ParsedQuery(
        text=rest,
        words=tuple(words),
        phrases=_phrases(rest, may_have_more=sentence),
        excluded=tuple(wanted.excluded),
        filters=wanted.filters(),
        times=times,
        names=tuple(name for name in _names(rest, times) if name in known),
        kind=_kind(rest, language),
        wants_several=_SEVERAL.search(rest) is not None,
        wants_latest=_LATEST.search(rest) is not None,
        asks_user=_asks_user(rest, language),
        exact=not plain and not _QUOTED.sub("", rest).strip(),
        language=language,
    )


def adapt_to_documents(question: ParsedQuery) -> ParsedQuery:
    """Return the query adapted to a search of documents.

    Their text has no author or time, so date words are ordinary words, and filters for conversations do not apply.

    >>> from datetime import UTC
    >>> adapt_to_documents(parse_query("What did I sell in March 2024?", datetime(2026, 5, 13, tzinfo=UTC))).terms
    ('sell', 'march', '2024')
    """
    words = find_query_words(question.text, question.language)
    return replace(question, words=tuple(words), filters=SearchFilters(), times=(), wants_latest=False, asks_user=None)


def remove_times(text: str, times: tuple[TimeRange, ...]) -> str:
    """Return the text without its date words. They refer to a time, and few messages repeat them.

    >>> from datetime import UTC
    >>> remove_times("Who called today?", parse_query("Who called today?", datetime(2026, 5, 13, tzinfo=UTC)).times).split()
    ['Who', 'called', '?']
    """
    for time in times:
        start, end = time.span
        text = text[:start] + " " * (end - start) + text[end:]
    return text


# -- operators that narrow a search

_QUOTE = r'"[^"]{0,256}"|“[^”]{0,256}”'  # bounded, so that a thousand unclosed ones cost little
_OPERATORS = re.compile(
    rf"""(?<!\S)(?:
        (?P<field>role|tag|session|before|after|since|until):(?P<value>{_QUOTE}|[^\s"“]+)
        |-(?P<excluded>{_QUOTE}|[^\W\d_][^\s"]*)
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(rf"(?<!\w)(?:{_QUOTE})")


def _phrases(text: str, *, may_have_more: bool) -> tuple[TermSequence, ...]:
    """Return the quoted phrases of a text, each once; only the first ones if `may_have_more` than are allowed."""
    found: dict[TermSequence, None] = {}
    for match in _QUOTED.finditer(text):
        if phrase := tuple(terms(_without_quotes(match))):
            found[phrase] = None
            if may_have_more and len(found) == MAX_PHRASES:
                break
            _check_number(len(found), "quoted phrases")
    return tuple(found)


def _check_number(number: int, what: str) -> None:
    if number > MAX_PHRASES:
        raise InvalidInput(
            f"the query has more than {MAX_PHRASES} {what}; take some out, or search several times with fewer"
        )


def _without_quotes(match: re.Match[str], group: str | int = 0) -> str:
    return match[group].strip('"“”')


@dataclass(slots=True)
class _QueryOperators:
    """Collects the operators of a query as they are removed from its text."""

    moment: datetime
    excluded: dict[TermSequence, None] = field(default_factory=dict[TermSequence, None])
    filter_count: int = 0
    roles: list[Role] = field(default_factory=list[Role])
    tags: list[str] = field(default_factory=list[str])
    sessions: list[str] = field(default_factory=list[str])
    since: Microseconds | None = None
    until: Microseconds | None = None

    def take(self, match: re.Match[str]) -> str:
        """Store an operator; return its replacement in the text."""
        if match["field"] is None:
            if run := tuple(terms(_without_quotes(match, "excluded"))):
                self.excluded[run] = None
                _check_number(len(self.excluded), "words or phrases to leave out")
            return ""
        self.filter_count += 1
        _check_number(self.filter_count, "filters such as role: or before:")
        name, value = match["field"].lower(), _without_quotes(match, "value").strip()
        if name == "role":
            self.roles.append(clean_role(value.lower()))
        elif name == "tag":
            self.tags.append(clean_name(value, "tag"))
        elif name == "session":
            self.sessions.append(clean_name(value, "session"))
        else:
            self._limit(name, value)
        return ""

    def _limit(self, name: str, value: str) -> None:
        limit = parse_bound(cast(BoundWord, name), value, self.moment)
        if limit is None:
            raise InvalidInput(
                f'{name}:{value!r} is not a date; a date is 2024-05-01, 2024-05, 2024, yesterday or "last week"'
            )
        if limit.start is not None:
            since = to_microseconds(limit.start)
            self.since = since if self.since is None else max(since, self.since)
        if limit.end is not None:
            until = to_microseconds(limit.end)
            self.until = until if self.until is None else min(until, self.until)

    def filters(self) -> SearchFilters:
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidInput(
                "the query's dates leave no time between them; look at its after:, since:, before: and until:"
            )
        return SearchFilters(
            sessions=tuple(dict.fromkeys(self.sessions)),
            roles=tuple(dict.fromkeys(self.roles)),
            tags=tuple(dict.fromkeys(self.tags)),
            since=self.since,
            until=self.until,
        )


# -- names

_WORD = re.compile(r"(?<!\w)[^\W\d_][\w\u0300-\u036f]*(?:['’-][\w\u0300-\u036f]+)*")
_SENTENCE_ENDS = re.compile(r"(?:^|[.!?:…\n])[\s\"“”'(*>-]*$")
_POSSESSIVE = re.compile(r"['’]s$")


def _names(text: str, times: tuple[TimeRange, ...]) -> list[str]:
    """Return the index terms of words that are capitalized as names, not by grammar or as dates."""
    words = list(_WORD.finditer(text))
    capital = [word for word in words if word[0][0].isupper()]
    if len(words) > 3 and 5 * len(capital) > 4 * len(words):
        return []  # a headline, or a text in capitals
    found: list[str] = []
    for word in capital:
        if any(time.span[0] <= word.start() < time.span[1] for time in times):
            continue
        if _POSSESSIVE.search(word[0]) or not _begins_sentence(text, word.start()):
            found.extend(terms(word[0]))
    return content_words(found)


def _begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 16) : at]
    return (at == 0 or _SENTENCE_ENDS.search(before) is not None) and not ABBREVIATION_END.search(before)


# -- the kind of question


_YES_NO = EnglishPattern(rf"\W*(?:(?:and|so|but|ok|okay|hey|hi),? )?(?:{AUXILIARY_VERBS})(?:n['’]t)?\b")
_POLITE = EnglishPattern(
    r"(?:please |(?:can|could|would|will) you (?:please )?|do you )"
    r"(?:tell me|remind me|remember|recall|know|help me (?:remember|recall))\b"
)
_QUESTION_WORD = EnglishPattern(r"\b(who|whom|whose|what|when|where|why|how|which)(?:['’]?(?:s|d|re|ll))?\b")
_TIME_ASKED = EnglishPattern(
    r"\b(?:how long ago|(?:what|which) (?:(?:exact|specific) )?(?:day|date|time|year|month|week|season)\b)"
)
_HOW_MANY = EnglishPattern(r"how (?:many|much|often|long|old|far|tall|big|frequently)\b")
_SENTENCE_BEGINS = re.compile(r"[.!?\n]\s")
_KINDS: dict[str, QuestionKind] = {
    "who": "who",
    "whom": "who",
    "whose": "who",
    "what": "what",
    "when": "when",
    "where": "where",
    "why": "why",
    "how": "how",
    "which": "which",
}


def _kind(text: str, language: str | None = None) -> QuestionKind:
    """Return what the last question in a text asks for.

    A text without a question mark is a question only if it begins as one, because many statements contain "who" or "why".
    """
    if language is not None and language != "en":
        kind = question_kind(find_last_sentence(text), language) if is_question_text(text) else "statement"
        return cast(QuestionKind, kind or "yes_no")
    mark = text.rfind("?")
    if mark < 0 and not starts_as_question(text):
        return "statement"
    clause = _SENTENCE_BEGINS.split(text[:mark])[-1] + "?" if mark >= 0 else find_last_sentence(text)
    polite = _POLITE.search(clause)
    if _YES_NO.match(clause) and not polite:
        return "yes_no"
    asked = _QUESTION_WORD.search(clause)
    if asked is None:
        if mark < 0:
            return "yes_no" if polite else "what"
        return "yes_no" if polite and clause.endswith("?") else "statement"
    if _TIME_ASKED.search(clause):
        return "when"
    return "how_many" if _HOW_MANY.match(clause, asked.start()) else _KINDS[asked[1].lower()]


_NOT_A_VERB = rf"(?!(?:{AUXILIARY_VERBS}|this|if)\b)"
_PLURAL = rf"{_NOT_A_VERB}(?:[a-z-]{{2,}}(?<![su])s|people|children|men|women)"
_SEVERAL = EnglishPattern(
    r"\b(?:how (?:many|often|frequently)|in total|altogether|combined|number of|in (?:what|which) order|order of the"
    r"|list (?:all|every|the|my|of|some|out)|all(?: of)? (?:the|my|our|your|his|her|their|[a-z]+s)|every|everything|everyone"
    r"|each of|both|in common|compare|compared|comparison|differences? between|(?:kinds|types|sorts) of"
    r"|(?:what|which) (?:\S+ ){0,8}?first,? .{1,80}? or"
    rf"|(?:what|which) (?:{_NOT_A_VERB}[a-z-]+ ){{0,2}}?{_PLURAL} (?:{AUXILIARY_VERBS}|that|which|i|we|you|he|she|they))\b"
)
_LATEST = EnglishPattern(
    r"\b(?:latest|newest|current|currently|now|nowadays|these days|most recent|most recently|at the moment|at present|still"
    r"|last time)\b"
)

# -- who wrote what is asked for

_TOLD = (
    "told|said|suggested|recommended|mentioned|advised|proposed|gave|given|explained|listed|provided|wrote|written|described"
    "|shared|offered|showed|shown|taught|created|made|promised|answered|replied|asked|brought up|came up with"
)
_TELL = (
    "tell|say|suggest|recommend|mention|advise|propose|give|explain|list|provide|write|describe|share|offer|show|teach|create"
    "|make|promise|answer|reply|ask|bring up|come up with"
)
_HAVING = r"(?:['’]ve|['’]d)?(?: (?:have|had|just|already|once|previously|earlier|originally|first|also|ever|recently))*"
_SAYS_I = rf"\bi{_HAVING} (?:{_TOLD})\b|\b(?:did|have|had) i(?: ever| already| just)? (?:{_TELL}|{_TOLD})\b"
_SAYS_YOU = (
    rf"\byou{_HAVING} (?:{_TOLD})\b|\b(?:did|have|had) you(?: ever| already| just)? (?:{_TELL}|{_TOLD})\b"
    r"|\byour (?:\w+ )?(?:recommendation|suggestion|advice|answer|explanation|reply|response|list|tip)s?\b"
    r"|\bwe (?:discussed|talked about)\b|\b(?:previous|earlier|last|past) (?:chat|conversation|discussion)\b"
)
_SAYING = EnglishPattern(rf"(?P<user>{_SAYS_I})|(?P<assistant>{_SAYS_YOU})")
_MINE = EnglishPattern(r"\b(?:my|mine|i|i['’]m|i['’]ve|myself)\b")


def _asks_user(text: str, language: str | None = None) -> bool | None:
    """Return whether the query asks about the user: the subject of the first verb of saying, else the first person."""
    if language is not None and language != "en":
        return True if is_first_person(text, language) else None
    if says := _SAYING.search(text):
        return says["user"] is not None
    return True if _MINE.search(text) else None
