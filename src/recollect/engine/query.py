"""What somebody asks for: words, phrases, what to leave out, when, who, and what kind of question it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, cast

from recollect.engine.asks import AUXILIARY, asks, last_sentence, opens_question
from recollect.engine.dates import Bound, TimeRange, bound, time_ranges
from recollect.engine.hygiene import clean_moment, clean_name, clean_text
from recollect.engine.intake import clean_role
from recollect.engine.languages import detect_language, is_first_person
from recollect.engine.languages.questions import question_kind
from recollect.engine.pattern import ABBREVIATED, Pattern
from recollect.engine.query_words import flatten_alternatives, query_words
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import InvalidInput
from recollect.types import Filters, Microseconds, Role, microseconds

LOOKED_AT = 2_000
"""Characters at either end of a very long query that are understood: a question stands before or after what was pasted."""

Kind = Literal["who", "what", "when", "where", "why", "how", "how_many", "which", "yes_no", "statement"]


@dataclass(frozen=True, slots=True)
class Question:
    """A query, understood. `text` is what is left to embed; `terms` are what the keyword index is asked for.

    `words` has for each word looked for the terms under which the index may have it; `terms` are all of those. Date words
    are among them only if there is nothing else. `phrases` and `excluded` are runs of terms in English stems. `times` are
    soft and point into `text`; hard limits are in `filters`. `language` is the language of the text, if it is known.
    `asks_user` says whose words are wanted, the user's (True) or the assistant's (False), if that can be told.
    `exact` is set for a query that is nothing but phrases: then they must be there.
    """

    text: str
    words: tuple[tuple[str, ...], ...]
    phrases: tuple[tuple[str, ...], ...]
    excluded: tuple[tuple[str, ...], ...]
    filters: Filters
    times: tuple[TimeRange, ...]
    names: tuple[str, ...]
    kind: Kind
    wants_several: bool
    wants_latest: bool
    asks_user: bool | None
    exact: bool
    language: str | None = None

    @property
    def terms(self) -> tuple[str, ...]:
        return flatten_alternatives(self.words)


def understand(text: str, now: datetime, *, plain: bool = False) -> Question:
    """Reads a query as the person who typed it means it; `now` is their time, in their time zone. A `plain` one has no
    operators: it was not typed to search with.

    >>> from datetime import UTC
    >>> question = understand('Where did "my sister" move in March? -Lisbon role:user', datetime(2026, 5, 13, tzinfo=UTC))
    >>> question.text, question.terms
    ('Where did "my sister" move in March?', ('sister', 'move'))
    >>> question.phrases, question.excluded, question.filters.roles
    ((('my', 'sister'),), (('lisbon',),), (<Role.USER: 'user'>,))
    >>> question.kind, question.asks_user, question.times[0].precision
    ('where', True, 'month')
    """
    clean_text(text, "query")
    clean_moment(now, "now")
    if not text.strip():
        raise InvalidInput("the query is empty; say what to look for")
    wanted = _Wanted(now)
    # What is that long was pasted, and what ends with a question mark is a sentence ("what does rm -rf do?"): a dash or a
    # colon in it is no instruction.
    sentence = plain or len(text) > 2 * LOOKED_AT or text.rstrip().endswith("?")
    rest = _ends(text) if sentence else _OPERATORS.sub(wanted.take, text).strip()
    if not rest:
        raise InvalidInput("the query only says what to leave out; say also what to look for")
    language = detect_language(rest)
    times = tuple(time_ranges(rest, now))
    words = query_words(without_times(rest, times), language, may_be_empty=True) or query_words(rest, language)
    known = frozenset(flatten_alternatives(words))
    return Question(
        text=rest,
        words=tuple(words),
        phrases=tuple(phrase for match in _QUOTED.finditer(rest) if (phrase := tuple(terms(_inside(match))))),
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


def of_documents(question: Question) -> Question:
    """The same, asked of documents: their text was not said at some time or by somebody, so date words are words like all
    others, and what narrows a search of conversations means nothing.

    >>> from datetime import UTC
    >>> of_documents(understand("What did I sell in March 2024?", datetime(2026, 5, 13, tzinfo=UTC))).terms
    ('sell', 'march', '2024')
    """
    words = query_words(question.text, question.language)
    return replace(question, words=tuple(words), filters=Filters(), times=(), wants_latest=False, asks_user=None)


def without_times(text: str, times: tuple[TimeRange, ...]) -> str:
    """The text without its date words: what is meant is the time, and few messages repeat the words for it.

    >>> from datetime import UTC
    >>> without_times("Who called today?", understand("Who called today?", datetime(2026, 5, 13, tzinfo=UTC)).times).split()
    ['Who', 'called', '?']
    """
    for time in times:
        start, end = time.span
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _ends(text: str) -> str:
    """A text, or of a long one the beginning and the end, without the halves of words at the cuts."""
    text = text.strip()
    if len(text) <= 2 * LOOKED_AT:
        return text
    head, tail = text[:LOOKED_AT], text[-LOOKED_AT:]
    return f"{_LAST_WORD.sub('', head)}\n{_FIRST_WORD.sub('', tail)}".strip()


_LAST_WORD = re.compile(r"\s\S{1,64}\Z")
_FIRST_WORD = re.compile(r"\A\S{1,64}\s")


# -- what a person types to narrow a search

_QUOTE = r'"[^"]{0,256}"|“[^”]{0,256}”'  # bounded, so that a thousand unclosed ones cost little
_OPERATORS = re.compile(
    rf"""(?<!\S)(?:
        (?P<field>role|tag|session|before|after|since|until):(?P<value>{_QUOTE}|[^\s"“]+)
        |-(?P<excluded>{_QUOTE}|[^\W\d_][^\s"]*)
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(rf"(?<!\w)(?:{_QUOTE})")


def _inside(match: re.Match[str], group: str | int = 0) -> str:
    return match[group].strip('"“”')


@dataclass(slots=True)
class _Wanted:
    """Collects what the operators of a query say, as they are taken out of its text."""

    moment: datetime
    excluded: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    roles: list[Role] = field(default_factory=list[Role])
    tags: list[str] = field(default_factory=list[str])
    sessions: list[str] = field(default_factory=list[str])
    since: Microseconds | None = None
    until: Microseconds | None = None

    def take(self, match: re.Match[str]) -> str:
        """Keeps what an operator says; returns what stays in the text instead of it."""
        if match["field"] is None:
            if run := tuple(terms(_inside(match, "excluded"))):
                self.excluded.append(run)
            return ""
        name, value = match["field"].lower(), _inside(match, "value").strip()
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
        limit = bound(cast(Bound, name), value, self.moment)
        if limit is None:
            raise InvalidInput(
                f'{name}:{value!r} is not a date; a date is 2024-05-01, 2024-05, 2024, yesterday or "last week"'
            )
        if limit.start is not None:
            since = microseconds(limit.start)
            self.since = since if self.since is None else max(since, self.since)
        if limit.end is not None:
            until = microseconds(limit.end)
            self.until = until if self.until is None else min(until, self.until)

    def filters(self) -> Filters:
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidInput(
                "the query's dates leave no time between them; look at its after:, since:, before: and until:"
            )
        return Filters(
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
    """Index terms of the words with a capital that neither grammar nor the calendar gives them."""
    words = list(_WORD.finditer(text))
    capital = [word for word in words if word[0][0].isupper()]
    if len(words) > 3 and 5 * len(capital) > 4 * len(words):
        return []  # a headline, or somebody shouting
    found: list[str] = []
    for word in capital:
        if any(time.span[0] <= word.start() < time.span[1] for time in times):
            continue
        if _POSSESSIVE.search(word[0]) or not _begins_sentence(text, word.start()):
            found.extend(terms(word[0]))
    return telling(found)


def _begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 16) : at]
    return (at == 0 or _SENTENCE_ENDS.search(before) is not None) and not ABBREVIATED.search(before)


# -- the kind of question


_YES_NO = Pattern(rf"\W*(?:(?:and|so|but|ok|okay|hey|hi),? )?(?:{AUXILIARY})(?:n['’]t)?\b")
_POLITE = Pattern(
    r"(?:please |(?:can|could|would|will) you (?:please )?|do you )"
    r"(?:tell me|remind me|remember|recall|know|help me (?:remember|recall))\b"
)
_ASKED = Pattern(r"\b(who|whom|whose|what|when|where|why|how|which)(?:['’]?(?:s|d|re|ll))?\b")
_TIME_ASKED = Pattern(
    r"\b(?:how long ago|(?:what|which) (?:(?:exact|specific) )?(?:day|date|time|year|month|week|season)\b)"
)
_HOW_MANY = Pattern(r"how (?:many|much|often|long|old|far|tall|big|frequently)\b")
_SENTENCE_BEGINS = re.compile(r"[.!?\n]\s")
_KINDS: dict[str, Kind] = {
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


def _kind(text: str, language: str | None = None) -> Kind:
    """What the last question in a text asks for. Without a question mark only a text that begins as a question does is one:
    "who" and "why" are in many a statement."""
    if language is not None and language != "en":
        kind = question_kind(last_sentence(text), language) if asks(text) else "statement"
        return cast(Kind, kind or "yes_no")
    mark = text.rfind("?")
    if mark < 0 and not opens_question(text):
        return "statement"
    clause = _SENTENCE_BEGINS.split(text[:mark])[-1] + "?" if mark >= 0 else last_sentence(text)
    polite = _POLITE.search(clause)
    if _YES_NO.match(clause) and not polite:
        return "yes_no"
    asked = _ASKED.search(clause)
    if asked is None:
        if mark < 0:
            return "yes_no" if polite else "what"
        return "yes_no" if polite and clause.endswith("?") else "statement"
    if _TIME_ASKED.search(clause):
        return "when"
    return "how_many" if _HOW_MANY.match(clause, asked.start()) else _KINDS[asked[1].lower()]


_NOT_A_VERB = rf"(?!(?:{AUXILIARY}|this|if)\b)"
_PLURAL = rf"{_NOT_A_VERB}(?:[a-z-]{{2,}}(?<![su])s|people|children|men|women)"
_SEVERAL = Pattern(
    r"\b(?:how (?:many|often|frequently)|in total|altogether|combined|number of|in (?:what|which) order|order of the"
    r"|list (?:all|every|the|my|of|some|out)|all(?: of)? (?:the|my|our|your|his|her|their|[a-z]+s)|every|everything|everyone"
    r"|each of|both|in common|compare|compared|comparison|differences? between|(?:kinds|types|sorts) of"
    r"|(?:what|which) (?:\S+ ){0,8}?first,? .{1,80}? or"
    rf"|(?:what|which) (?:{_NOT_A_VERB}[a-z-]+ ){{0,2}}?{_PLURAL} (?:{AUXILIARY}|that|which|i|we|you|he|she|they))\b"
)
_LATEST = Pattern(
    r"\b(?:latest|newest|current|currently|now|nowadays|these days|most recent|most recently|at the moment|at present|still"
    r"|last time)\b"
)

# -- whose words are asked for

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
_SAYS = Pattern(rf"(?P<user>{_SAYS_I})|(?P<assistant>{_SAYS_YOU})")
_MINE = Pattern(r"\b(?:my|mine|i|i['’]m|i['’]ve|myself)\b")


def _asks_user(text: str, language: str | None = None) -> bool | None:
    """The first to be said to have said something is who is asked about; else whose thing it is."""
    if language is not None and language != "en":
        return True if is_first_person(text, language) else None
    if says := _SAYS.search(text):
        return says["user"] is not None
    return True if _MINE.search(text) else None
