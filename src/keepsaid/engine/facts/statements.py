"""Find the clauses in which the author of a message states something.

Questions, suppositions, quotations, role play and pasted text are left out. A clause counts only if it begins at the start
of a sentence or after a comma, a dash or an "and", with only filler before it. So "the day I bought it" and "if I lived
there" are never read as statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from keepsaid.engine.facts.typed_lines import find_typed_lines, trim_long_message
from keepsaid.engine.facts.words import any_of, build_cued_pattern, collect_words
from keepsaid.engine.text.patterns import EnglishPattern

MAX_CLAUSE_WORDS = 34
"""Maximum number of words of a clause. A longer one is not a simple statement."""


class StatementClause(NamedTuple):
    """A clause that begins with its subject, as a span of the message.

    `lead` is the filler between the clause boundary and the subject. `repeated` is the number of characters at the beginning
    of the text that repeat an earlier subject and were not typed here.
    """

    text: str
    start: int
    end: int
    lead: str
    repeated: int = 0

    @property
    def first(self) -> int:
        """Where the words that were typed here begin in the message."""
        return self.start + self.repeated

    @property
    def corrects(self) -> bool:
        """Whether it was introduced as a correction."""
        return _CORRECTION.search(self.lead) is not None

    @property
    def asked(self) -> bool:
        """Whether the author asked for it to be remembered."""
        return _ASKED.search(self.lead) is not None


_CORRECTION = EnglishPattern(r"\b(?:actually|correction|sorry|no|nope|wait|i meant?)\b")
_ASKED = EnglishPattern(r"\b(?:remember|note|keep in mind|don['’]t forget|for the record)\b")

STATEMENT_CUES = frozenset("i im ive my we our she he they remember remind let note keep record forget".split())


def find_statements(text: str) -> list[StatementClause]:
    """Return the clauses in which the author of a text states something, in order.

    >>> [statement.text for statement in find_statements("By the way, I'm a nurse and my sister lives in Porto. Am I late?")]
    ["I'm a nurse", 'my sister lives in Porto']
    >>> find_statements("If I lived in Porto, I would be glad. Write a story where I am a pirate.")
    []
    """
    words = collect_words(trim_long_message(text))
    return [] if STATEMENT_CUES.isdisjoint(words) else find_clauses(text, find_sentences(text, words))


def find_clauses(text: str, spans: Sequence[SentenceSpan], names: Iterable[str] = ()) -> list[StatementClause]:
    """Return the statements in some sentences of a text. `names` are names of people that they may be about."""
    known = frozenset(names)
    cues = STATEMENT_CUES.union(name.lower() for name in known) if known else STATEMENT_CUES
    return [statement for span in spans if not cues.isdisjoint(span.words) for statement in _clauses(text, *span, known)]


# -- sentences


class SentenceSpan(NamedTuple):
    """The position of a sentence in its message, and its words."""

    start: int
    end: int
    words: frozenset[str]


def find_sentences(text: str, words: frozenset[str]) -> list[SentenceSpan]:
    """Return the spans of the sentences that were typed seriously. `words` are the words of the text that are read.

    >>> said = "I'm a nurse. Am I late?"
    >>> [said[span.start : span.end] for span in find_sentences(said, collect_words(said))]
    ["I'm a nurse.", ' Am I late?']
    """
    return [
        SentenceSpan(first, last, collect_words(text[first:last]))
        for start, end in find_typed_lines(text, words)
        for first, last in _sentences(text, start, end)
    ]


_STOP = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|(?<=[^\W\d_])[!?]+(?=[A-Z])|[\U0001f300-\U0001faff]+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|Mt|Ave|etc|e\.g|i\.e|approx|No|a\.m|p\.m|U\.S)\.$"
)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _STOP.finditer(text, start, end):
        if match[0] == "." and _ABBREVIATION.search(text[max(at, match.start() - 8) : match.end()]):
            continue
        yield at, match.end()
        at = match.end()
    if at < end:
        yield at, end


# -- clauses

_FILLER_WORDS = (
    "and but so well oh yeah yep yes no nope ok okay hey hi hello also plus actually anyway anyways honestly personally"
    " basically wow haha lol btw by_the_way fyi for_context for_reference in_fact to_be_honest as_for_me"
    " just_so_you_know for_the_record as_you_know correction sorry wait recently lately currently now nowadays"
    " these_days today yesterday tonight since_then please i_mean i_meant because since as although though even_though"
    " guess_what like_i_said you_know good_news big_news update thanks thank_you great cool nice awesome sure of_course"
    " absolutely definitely right exactly unfortunately luckily fortunately sadly thankfully finally first second"
    " apparently additionally not_to_mention before_that after_that remember note keep_in_mind don't_forget don’t_forget"
)
_FILLERS = any_of(_FILLER_WORDS)
_SEASONS = "summer|spring|fall|winter"
_FILLER = (
    rf"{_FILLERS}(?: that)?|this (?:morning|week|month|year|weekend|{_SEASONS})"
    rf"|last (?:week|month|year|night|weekend|{_SEASONS}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|i (?:just |also )?(?:realized|realised|remembered|found out|noticed|figured out)(?: that)?"
    r"|i(?:['’]m| am) (?:so |really |very )?(?:happy|proud|excited|glad|pleased|thrilled) to (?:say|share|report|announce)"
    r"(?: that)?|i (?:should|forgot to|wanted to|want to|have to|must|gotta|did) (?:mention|say|add|admit|tell you)"
    r"(?: that)?"
    r"|a few (?:days|weeks|months|years) ago|(?:\w+ )?(?:days?|weeks?|months?|years?) ago"
    r"|speaking of (?:which|[^,.?!]{1,50})"
)
_LEAD = EnglishPattern(rf"(?:[\s\"'*(]*(?:{_FILLER})\b[\s,:.!-]*)*[\s*]*")
_FILLER_BEGINS = frozenset(filler.partition("_")[0] for filler in _FILLER_WORDS.split()) | set(
    "this last i a speaking".split()
)
_FIRST_WORD = re.compile(r"[\s\"'*(]*([\w'’]*)")
_BLANK = re.compile(r"[\s*]*")
_SUBJECT = EnglishPattern(
    r"(?:my [\w'’-]+(?:,? [A-Z]\w+,?)? and i\b|(?-i:[A-Z][a-z]{1,20}) and i\b|i\b|i['’]|im\b|ive\b|my\b|we\b|we['’]|our\b"
    r"|she\b|she['’]|he\b|he['’]|they\b|they['’]|remind me\b|let['’]s\b|the\b)"
)
_BEGINS = re.compile(
    r"[,;:–—(\[]\s*|\s[-–—]+\s*|[-–—]{2,}|\.{3,}\s*"
    r"|\s(?=(?:and|but|because|so|since|as|although|though)\s(?:I|my|My|we|our)\b)"
)
_SPEAKERS = "I|we|it|he|she|they|you|there|this|that"
_ENDS = re.compile(
    r"[;\[(]|:\s|\s[-–—]+\s(?![$€£]?\d)|[–—]|-{2,}|\.{3,}"
    r"|,?\s(?:but|because|although|though|whereas|which|while|whenever|except)\b"
    rf"|,\s(?:(?:and|so|or|yet|then)\s)?(?:(?:then|also|now|just)\s)?(?:{_SPEAKERS}|We|[Mm]y|[Oo]ur|now|what|how|any|who"
    r"|whose|where|when|since|as|so|especially|even|thanks|plus|hopefully|maybe|let|please|not|considering|given|if)\b"
    r"|,\s(?=[A-Z][a-z]{1,20}\sand\sI\b)"
    rf"|,\s(?:do|does|did|can|could|would|will|is|are)\s(?:{_SPEAKERS}|the|any)\b"
    rf"|\s(?:and|so|since|as|when|until|if|or)\s(?:(?:then|now|also)\s)?(?:{_SPEAKERS})\b|\sso\sthat\b"
    r"|\sand\s(?:was|am|is|have|would|need|want|wanted|could|looking|thinking|wondering|trying|hoping|considering|realized"
    r"|noticed)\b|,\sand\s(?:the|then|all|his|her|their)\b"
    r"|\sand\s(?:my|our)\s[\w'’-]{1,30}(?:\s[A-Z]\w{1,30})?\s(?:(?:just|also)\s)?"
    r"(?:is|was|has|are|lives|works|loves|likes|\w{2,20}ed)\b"
)
"""Where a clause ends: where the sentence ends, and before words that begin another statement."""
_SUPPOSED = build_cued_pattern(
    "if unless whether wish imagine suppose supposing pretend let would had were though dreamed dreamt kidding jk"
    " sarcasm joking",
    r"\b(?:if|unless|whether|wish|imagine|suppose|supposing|pretend|let['’]s say|would have|would['’]ve|had i|were i"
    r"|as though|dream(?:ed|t) (?:that|i)|just kidding|kidding|jk|sarcasm|joking)\b",
)
_REPORTED = build_cued_pattern(
    "said says saying told tells asked asks wrote sings goes lyric lyrics quote quotes quoted quoting character"
    " according story song movie book poem dream game novel script film play",
    r"\b(?:said|says|saying|told|tells|asked|asks|wrote|sings|(?:song|saying|story) goes|lyrics?"
    r"|quotes?|quoted|quoting|character|according|in (?:the|my|a|your) "
    r"(?:story|song|movie|book|poem|dream|game|novel|script|film|play))\b",
)
_QUESTION = re.compile(
    r"(?:^|[\s,;:–—-])(?:[Dd]o|[Dd]oes|[Dd]id|[Cc]an|[Cc]ould|[Ww]ould|[Ww]ill|[Ss]hould|[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Hh]ave"
    r"|[Hh]as|[Mm]ay|[Aa]m|[Aa]ny|[Aa]in['’]t|[Dd]on['’]t|[Ii]sn['’]t|[Ww]hat(?:['’]s)?|[Hh]ow(?:['’]s)?|[Ww]hich|[Ww]here"
    r"|[Ww]hen|[Ww]ho|[Ww]hy|[Rr]ight|[Hh]uh|[Yy]ou)\s(?:you|I|there|it|we|they|that|this|the|any|my|your|is|are|do|does"
    r"|did|can|could|would|should|about|many|much|long|else|thoughts|recommend\w*|suggest\w*|tips|ideas|advice|know|think)\b"
)
_QUOTED = re.compile(r'"[^"\n]{0,200}"|“[^”\n]{0,200}”|(?<!\w)\'[A-Z][^\'\n]{2,80}\'(?!\w)')


def _clauses(text: str, start: int, end: int, words: frozenset[str], names: frozenset[str]) -> Iterator[StatementClause]:
    sentence = _QUOTED.sub(_mask_quotation, text[start:end])
    asked = _question_start(sentence)
    supposed = _supposition_start(sentence, words)
    at = 0
    for begin in [0, *(match.end() for match in _BEGINS.finditer(sentence))]:
        if begin < at:
            continue
        first = _lead_end(sentence, begin)
        clause_end = _clause_end(sentence, first, names)
        if clause_end <= first:
            continue
        at = clause_end
        if at <= min(asked, supposed) and not _REPORTED.search(sentence[:first], words):
            place = start + first
            yield StatementClause(text[place : start + clause_end], place, start + clause_end, text[start + begin : place])


def _lead_end(sentence: str, begin: int) -> int:
    """Return where the filler at a position ends. Most clauses have none, and checking the first word is faster."""
    word = _FIRST_WORD.match(sentence, begin)
    may_have = word is None or word[1].lower() in _FILLER_BEGINS or " ago" in sentence.lower()
    lead = _LEAD.match(sentence, begin) if may_have else _BLANK.match(sentence, begin)
    return lead.end() if lead else begin


def find_assertion_end(sentence: str, words: frozenset[str]) -> int:
    """Return where a sentence begins to ask or suppose something; its end if it does not.

    >>> said = "I'm a nurse, do you know a hospital?"
    >>> said[: find_assertion_end(said, collect_words(said))]
    "I'm a nurse,"
    """
    return min(_question_start(sentence), _supposition_start(sentence, words))


def _supposition_start(sentence: str, words: frozenset[str]) -> int:
    return match.start() if (match := _SUPPOSED.search(sentence, words)) else len(sentence)


def _mask_quotation(match: re.Match[str]) -> str:
    """Return a quotation with its text masked, so that it is not read as a statement."""
    return f"{match[0][0]}{'_' * (len(match[0]) - 2)}{match[0][-1]}"


def _question_start(sentence: str) -> int:
    """Return where the question in a sentence begins; its end if it asks nothing."""
    if not sentence.rstrip("\"'”’)] ").endswith("?"):
        return len(sentence)
    question = _QUESTION.search(sentence)
    return question.start() if question else 0


def _clause_end(sentence: str, first: int, names: frozenset[str]) -> int:
    """Return where the clause that begins at `first` ends; `first` if no clause begins there."""
    subject = _SUBJECT.match(sentence, first)
    if subject is None and names:
        subject = _FIRST_WORD.match(sentence, first)
        subject = subject if subject and subject[1] in names else None
    if subject is None:
        return first
    boundary = _ENDS.search(sentence, subject.end())
    while boundary and boundary[0].endswith("but") and _NOT_THIS.search(sentence[first : boundary.start()]):
        boundary = _ENDS.search(sentence, boundary.end())
    clause = sentence[first : boundary.start() if boundary else len(sentence)].rstrip(_CLOSING)
    if clause[-1:] in _MARKS and clause.count(clause[-1]) % 2 and clause[-1] != "”":
        clause = clause[:-1].rstrip(_CLOSING)
    return first + len(clause) if clause.count(" ") < MAX_CLAUSE_WORDS else first


_NOT_THIS = re.compile(r"\bnot [^,]{1,40},?$")
_CLOSING = " .,!?…:;*)~\n\t\r"
_MARKS = frozenset("\"'”")
