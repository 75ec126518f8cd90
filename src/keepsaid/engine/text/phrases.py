"""Find what a text is about: names, quotations and noun phrases ("blood pressure", "my sister Ana").

It uses no parser. Verbs, adverbs and stop words divide a sentence, and the text between them is a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from keepsaid.engine.text.person_words import PersonPronoun, are_people, find_person_pronoun
from keepsaid.engine.text.stopwords import STOP_WORDS
from keepsaid.engine.text.verbs import VERBS, is_non_naming_word

MAX_CHARACTERS_READ = 4_000
"""Characters of a text that are read. The subject is mentioned early."""
MAX_WORDS = 5
"""Maximum words of a phrase. Of a longer run the last words are kept, which name the kind of thing."""


class NounPhrase(NamedTuple):
    """A part of a text that names something. `lead` is up to two words before it: "in", "for my".

    `find_person_pronoun` says whether it names one person and which pronoun refers to that person. `is_time` is set for
    "Monday", "two weeks" and other amounts, `is_first` for the beginning of a sentence.
    """

    text: str
    start: int
    end: int
    lead: str = ""
    is_name: bool = False
    is_plural: bool = False
    is_time: bool = False
    is_first: bool = False
    person: PersonPronoun = ""


class _PhraseWord(NamedTuple):
    text: str
    lower: str
    start: int
    end: int
    begins: bool
    """Whether a sentence begins with it."""
    parted: bool
    """Whether there is more than a space between it and the word before."""
    owns: bool
    """Whether it ended in 's."""


_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?!\w)|\w+(?:['’.\-/_&+]\w+)*(?:\+\+|#)?")
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|\*\*([^*\n]{2,80})\*\*")
_SENTENCE_END = re.compile(r"[.!?…:;\n]")
_OWNING = re.compile(r"['’]s$")
_MIXED_CASE = re.compile(r"[a-z][A-Z]|_|\d[A-Za-z]|[A-Za-z]\d|^[A-Z]{2,}")
_I = re.compile(r"I(?:['’]|$)")
_TITLES = frozenset("Dr Mr Mrs Ms Prof St".split())
_STOP = frozenset(STOP_WORDS.split())
_LINKS = frozenset("of de la le von van der del da di the du al".split())
_SUBJECTS = frozenset(
    "i you we they he she it who can could will would should must might may shall do does did cannot please let let's"
    " don't didn't won't can't doesn't i'd i'll we'll you'll they'll".split()
)
_BEING = frozenset("am is are was were be been being i'm we're you're they're he's she's it's".split())
_ARTICLES = frozenset("a an the my our your".split())
_DETERMINERS = frozenset("a an the my our your his her its their this that these those some any no every each whose".split())
_ARTICLES_AND_MORE = _DETERMINERS | frozenset("me us him them it you".split())
_TENS = frozenset("eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand".split())
_AFTER_VERBS = _DETERMINERS | frozenset("again too now often always never me us him them it you".split())
_UNITS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september"
    " october november december spring summer autumn fall winter morning afternoon evening evenings night noon midnight"
    " weekend weekends week weeks month months year years day days hour hours minute minutes seconds time times moment"
    " date euro euros dollar dollars pound pounds degrees percent kg km miles am pm oclock decade century".split()
)


def find_phrases(text: str, names: Collection[str] = ()) -> list[NounPhrase]:
    """Return the phrases of a text in order. `names` are words known to be names even at the beginning of a sentence.

    >>> [phrase.text for phrase in find_phrases("My sister Ana moved to Madrid. She teaches at a primary school.")]
    ['sister Ana', 'Madrid', 'primary school']
    """
    text = text[:MAX_CHARACTERS_READ]
    quoted = list(_quoted(text))
    words = list(_words(text))
    known = set(names) | _names(words)
    free = [word for word in words if not any(one.start <= word.start < one.end for one in quoted)]
    return sorted([*quoted, *_group_words(text, free, known)], key=lambda phrase: phrase.start)


def find_capitalized_words(text: str) -> set[str]:
    """Return the words that are capitalized although they do not begin a sentence, which makes them names.

    >>> sorted(find_capitalized_words("Is Porto cheap? Lisbon is not, says Ana."))
    ['Ana', 'Porto']
    """
    return _names(_words(text[:MAX_CHARACTERS_READ]))


def _names(words: Iterable[_PhraseWord]) -> set[str]:
    return {word.text for word in words if not word.begins and _is_capital(word) and word.lower not in _STOP}


def is_plural(word: str) -> bool:
    """Whether a noun looks like more than one.

    >>> is_plural("shoes"), is_plural("glass"), is_plural("children")
    (True, False, True)
    """
    return are_people(word) or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "news")))


def _quoted(text: str) -> Iterator[NounPhrase]:
    for match in _QUOTED.finditer(text):
        inside = next(group for group in match.groups() if group).strip(' *`"“”,.:')
        if inside:
            yield NounPhrase(inside, match.start(), match.end(), is_name=True)


def _words(text: str) -> Iterator[_PhraseWord]:
    end, before = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        if (before in _TITLES or (len(before) == 1 and before.isupper())) and gap.startswith("."):
            gap = gap[1:]
        begins = end == 0 or _SENTENCE_END.search(gap) is not None
        parted = bool(gap.strip()) or "\n" in gap
        owns = _OWNING.search(match[0]) is not None
        plain = match[0][:-2] if owns else match[0]
        yield _PhraseWord(
            plain, match[0].lower().replace("’", "'"), match.start(), match.start() + len(plain), begins, parted, owns
        )
        end, before = match.end(), plain


def _is_capital(word: _PhraseWord) -> bool:
    return word.text[0].isupper() and not _I.match(word.text) and not (word.text.isupper() and len(word.text) > 12)


def _group_words(text: str, words: list[_PhraseWord], known: Collection[str]) -> Iterator[NounPhrase]:
    first = 0
    for place, word in enumerate(words):
        if place > first and (word.parted or words[place - 1].owns):
            yield from _build_phrase(text, words, first, place, known)
            first = place
        if not _is_phrase_word(words, place, first, known):
            yield from _build_phrase(text, words, first, place, known)
            first = place + 1
    yield from _build_phrase(text, words, first, len(words), known)


def _lead_words(words: list[_PhraseWord], first: int) -> str:
    """Return up to two words before a phrase, in its clause."""
    start = first
    while start > max(0, first - 2) and not words[start].parted:
        start -= 1
    return " ".join(word.lower for word in words[start:first])


def _is_phrase_word(words: list[_PhraseWord], place: int, first: int, known: Collection[str]) -> bool:
    """Whether a word begins or continues a phrase."""
    word = words[place]
    if _is_name(words, place, known):
        return True
    if place > first and word.lower in _LINKS and _is_capital(words[place - 1]):
        return _links_name(words, place)
    base = word.text.lower()
    if place > first and len(base) == 1 and base not in "ia" and _is_capital(word):
        return True
    if place > first and _is_capital(words[place - 1]) and find_person_pronoun(words[place - 1].text.lower()):
        return False
    if "'" in word.lower.removesuffix("'s"):
        return False
    if base in VERBS and place and not word.parted and words[place - 1].lower in _ARTICLES:
        return True
    return not is_non_naming_word(base) and not _is_verb(words, place, first, base)


def _is_name(words: list[_PhraseWord], place: int, known: Collection[str]) -> bool:
    word = words[place]
    if _MIXED_CASE.search(word.text) and word.text.lower() not in _STOP:
        return True
    if not _is_capital(word) or word.text.lower() in _STOP:
        return False
    if not word.begins or word.text in known:
        return True
    if is_non_naming_word(word.text.lower()):
        return False
    if find_person_pronoun(word.text.lower()):
        return True
    following = words[place + 1] if place + 1 < len(words) else None
    if following is None or following.begins:
        return True
    joined = following.lower in ("and", "or", "vs") and place + 2 < len(words) and _is_capital(words[place + 2])
    return not following.parted and (joined or _is_capital(following) or _is_predicate(following.lower))


def _is_predicate(word: str) -> bool:
    """Whether a word after a capitalized one is a verb with it as subject: "Northwind wants", "Icelandair lets"."""
    return word in ("is", "was", "has", "will", "had", "can") or (word in VERBS and word.endswith(("s", "ed")))


def _links_name(words: list[_PhraseWord], place: int) -> bool:
    """Whether a small word links the parts of a name: "Treaty of Westphalia", "Bank of the West"."""
    for following in words[place + 1 : place + 3]:
        if following.parted:
            return False
        if _is_capital(following):
            return True
        if following.lower not in _LINKS:
            return False
    return False


def _is_verb(words: list[_PhraseWord], place: int, first: int, base: str) -> bool:
    """Whether a word is a verb in its context: "they compare", "is looking", "the machine leaks again"."""
    before = "" if words[place].parted or not place else words[place - 1].lower
    after = words[place + 1] if place + 1 < len(words) else None
    if before in _SUBJECTS:
        return True
    if base.endswith("ing") and (before in _BEING or _has_object(words, place, first)):
        return True
    if len(base) >= 5 and base.endswith("ed") and not base.endswith(("eed", "dred", "cred")) and before not in _DETERMINERS:
        return True
    if place > first and base.endswith("s") and not base.endswith("ss") and after and after.lower in _AFTER_VERBS:
        return not after.parted
    imperative = words[place].begins or before == "to"
    return (
        imperative
        and after is not None
        and not after.parted
        and after.lower in _ARTICLES_AND_MORE
        and find_person_pronoun(base) == ""
    )


def _has_object(words: list[_PhraseWord], place: int, first: int) -> bool:
    """Whether a word in -ing has an object: "finding a hotel", "started taking magnesium", "bitters using orange peels"."""
    if place + 1 == len(words) or words[place + 1].parted:
        return False
    after, word = words[place + 1].lower, words[place].lower
    if after in _ARTICLES_AND_MORE:
        return True
    is_deed = place > first and (word[:-3] in VERBS or word[:-3] + "e" in VERBS)
    return not is_non_naming_word(after) and (is_deed or (place > 0 and words[place - 1].lower in VERBS))


def _build_phrase(text: str, words: list[_PhraseWord], first: int, end: int, known: Collection[str]) -> Iterator[NounPhrase]:
    """Yield a run of words as a phrase, unless it is only a number or a single letter."""
    run = words[first:end]
    if not run:
        return
    lead = _lead_words(words, first)
    while run and run[-1].lower in _LINKS:
        run = run[:-1]
    run = run[: MAX_WORDS + 3] if all(map(_is_capital, run)) else run[-MAX_WORDS:]
    if not run or all(len(word.text) < 2 or word.text[0].isdigit() for word in run):
        return
    lowers = [word.text.lower() for word in run]
    is_time = all(word in _UNITS or word[0].isdigit() for word in lowers) or _is_amount(lowers)
    is_name = any(_is_name(words, place, known) for place in range(first, end))
    yield NounPhrase(
        text[run[0].start : run[-1].end],
        run[0].start,
        run[-1].end,
        lead,
        is_name=is_name and not is_time,
        is_plural=not _is_capital(run[-1]) and is_plural(lowers[-1]),
        is_time=is_time,
        is_first=words[first - len(lead.split())].begins,
        person=_person_pronoun(run, lead),
    )


def _is_amount(lowers: Sequence[str]) -> bool:
    return len(lowers) == 2 and (lowers[0][0].isdigit() or lowers[0] in _TENS)


def _person_pronoun(run: Sequence[_PhraseWord], lead: str) -> PersonPronoun:
    """Return the pronoun of the person that a phrase names, if any.

    "Sister Ana" and "new doctor" name a person. "Doctor visits", "Kobo Clara" and "the Clara" name things.
    """
    kinds = [find_person_pronoun(word.text.lower()) for word in run]
    first = next((place for place, kind in enumerate(kinds) if kind), None)
    if first is None or any(map(_is_capital, run[:first])) or not all(map(_is_capital, run[first + 1 :])):
        return ""
    if lead.endswith(("the", "a", "an")) and run[first].text.istitle() and not run[first].begins:
        return ""
    for kind in kinds:
        if kind == "he" or kind == "she":
            return kind
    return "any"
