"""What a text speaks of: names, quoted things and the phrases that name a thing ("blood pressure", "my sister Ana").

There is no parser behind it. Verbs, adverbs and stop words part a sentence, and what is between them is a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from recollect.engine.people import Person, are_people, person
from recollect.engine.stopwords import STOP_WORDS
from recollect.engine.verbs import VERBS, names_nothing

LOOKED_AT = 4_000
"""Characters of a text that are read: what a talk is about is said early."""
MOST_WORDS = 5
"""Words of a phrase; of a longer run the last ones are what it is a kind of."""


class Phrase(NamedTuple):
    """A piece of a text that names something. `lead` are the up to two words before it: "in", "for my".

    `person` says whether it names one person and which pronoun that one has; `is_time` is set for "Monday", "two weeks" and
    other amounts, `is_first` for what a sentence begins with.
    """

    text: str
    start: int
    end: int
    lead: str = ""
    is_name: bool = False
    is_plural: bool = False
    is_time: bool = False
    is_first: bool = False
    person: Person = ""


class _Word(NamedTuple):
    text: str
    lower: str
    start: int
    end: int
    begins: bool
    """Whether a sentence begins with it."""
    parted: bool
    """Whether more than a space is between it and the word before."""
    owns: bool
    """Whether it ended in 's."""


_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?!\w)|\w+(?:['’.\-/_&+]\w+)*(?:\+\+|#)?")
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|\*\*([^*\n]{2,80})\*\*")
_SENTENCE_END = re.compile(r"[.!?…:;\n]")
_OWNING = re.compile(r"['’]s$")
_ODD = re.compile(r"[a-z][A-Z]|_|\d[A-Za-z]|[A-Za-z]\d|^[A-Z]{2,}")
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


def phrases(text: str, names: Collection[str] = ()) -> list[Phrase]:
    """The phrases of a text in order. `names` are words known to be names even where a sentence begins with them.

    >>> [phrase.text for phrase in phrases("My sister Ana moved to Madrid. She teaches at a primary school.")]
    ['sister Ana', 'Madrid', 'primary school']
    """
    text = text[:LOOKED_AT]
    quoted = list(_quoted(text))
    words = list(_words(text))
    known = set(names) | _names(words)
    free = [word for word in words if not any(one.start <= word.start < one.end for one in quoted)]
    return sorted([*quoted, *_grouped(text, free, known)], key=lambda phrase: phrase.start)


def capitalised(text: str) -> set[str]:
    """Words that have a capital though no sentence begins with them, which makes them names.

    >>> sorted(capitalised("Is Porto cheap? Lisbon is not, says Ana."))
    ['Ana', 'Porto']
    """
    return _names(_words(text[:LOOKED_AT]))


def _names(words: Iterable[_Word]) -> set[str]:
    return {word.text for word in words if not word.begins and _is_capital(word) and word.lower not in _STOP}


def is_plural(word: str) -> bool:
    """Whether a noun looks like more than one.

    >>> is_plural("shoes"), is_plural("glass"), is_plural("children")
    (True, False, True)
    """
    return are_people(word) or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "news")))


def _quoted(text: str) -> Iterator[Phrase]:
    for match in _QUOTED.finditer(text):
        inside = next(group for group in match.groups() if group).strip(' *`"“”,.:')
        if inside:
            yield Phrase(inside, match.start(), match.end(), is_name=True)


def _words(text: str) -> Iterator[_Word]:
    end, before = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        if (before in _TITLES or (len(before) == 1 and before.isupper())) and gap.startswith("."):
            gap = gap[1:]
        begins = end == 0 or _SENTENCE_END.search(gap) is not None
        parted = bool(gap.strip()) or "\n" in gap
        owns = _OWNING.search(match[0]) is not None
        plain = match[0][:-2] if owns else match[0]
        yield _Word(
            plain, match[0].lower().replace("’", "'"), match.start(), match.start() + len(plain), begins, parted, owns
        )
        end, before = match.end(), plain


def _is_capital(word: _Word) -> bool:
    return word.text[0].isupper() and not _I.match(word.text) and not (word.text.isupper() and len(word.text) > 12)


def _grouped(text: str, words: list[_Word], known: Collection[str]) -> Iterator[Phrase]:
    first = 0
    for place, word in enumerate(words):
        if place > first and (word.parted or words[place - 1].owns):
            yield from _phrase(text, words, first, place, known)
            first = place
        if not _belongs(words, place, first, known):
            yield from _phrase(text, words, first, place, known)
            first = place + 1
    yield from _phrase(text, words, first, len(words), known)


def _lead(words: list[_Word], first: int) -> str:
    """The up to two words before a phrase, in its clause."""
    start = first
    while start > max(0, first - 2) and not words[start].parted:
        start -= 1
    return " ".join(word.lower for word in words[start:first])


def _belongs(words: list[_Word], place: int, first: int, known: Collection[str]) -> bool:
    """Whether a word is part of a phrase, begun or continued."""
    word = words[place]
    if _is_name(words, place, known):
        return True
    if place > first and word.lower in _LINKS and _is_capital(words[place - 1]):
        return _links(words, place)
    base = word.text.lower()
    if place > first and len(base) == 1 and base not in "ia" and _is_capital(word):
        return True
    if place > first and _is_capital(words[place - 1]) and person(words[place - 1].text.lower()):
        return False
    if "'" in word.lower.removesuffix("'s"):
        return False
    if base in VERBS and place and not word.parted and words[place - 1].lower in _ARTICLES:
        return True
    return not names_nothing(base) and not _is_verb(words, place, first, base)


def _is_name(words: list[_Word], place: int, known: Collection[str]) -> bool:
    word = words[place]
    if _ODD.search(word.text) and word.text.lower() not in _STOP:
        return True
    if not _is_capital(word) or word.text.lower() in _STOP:
        return False
    if not word.begins or word.text in known:
        return True
    if names_nothing(word.text.lower()):
        return False
    if person(word.text.lower()):
        return True
    following = words[place + 1] if place + 1 < len(words) else None
    if following is None or following.begins:
        return True
    joined = following.lower in ("and", "or", "vs") and place + 2 < len(words) and _is_capital(words[place + 2])
    return not following.parted and (joined or _is_capital(following) or _acts(following.lower))


def _acts(word: str) -> bool:
    """Whether a word after a capital one is what a person or thing does: "Northwind wants", "Icelandair lets"."""
    return word in ("is", "was", "has", "will", "had", "can") or (word in VERBS and word.endswith(("s", "ed")))


def _links(words: list[_Word], place: int) -> bool:
    """Whether a small word stands between the halves of a name: "Treaty of Westphalia", "Bank of the West"."""
    for following in words[place + 1 : place + 3]:
        if following.parted:
            return False
        if _is_capital(following):
            return True
        if following.lower not in _LINKS:
            return False
    return False


def _is_verb(words: list[_Word], place: int, first: int, base: str) -> bool:
    """Whether a word is a verb where it stands: "they compare", "is looking", "the machine leaks again"."""
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
    told = words[place].begins or before == "to"
    return told and after is not None and not after.parted and after.lower in _ARTICLES_AND_MORE and person(base) == ""


def _has_object(words: list[_Word], place: int, first: int) -> bool:
    """Whether what follows a word in -ing is what is done: "finding a hotel", "started taking magnesium", "bitters using
    orange peels"."""
    if place + 1 == len(words) or words[place + 1].parted:
        return False
    after, word = words[place + 1].lower, words[place].lower
    if after in _ARTICLES_AND_MORE:
        return True
    is_deed = place > first and (word[:-3] in VERBS or word[:-3] + "e" in VERBS)
    return not names_nothing(after) and (is_deed or (place > 0 and words[place - 1].lower in VERBS))


def _phrase(text: str, words: list[_Word], first: int, behind: int, known: Collection[str]) -> Iterator[Phrase]:
    """A run of words as a phrase, unless it is nothing but a number or a single letter."""
    run = words[first:behind]
    if not run:
        return
    lead = _lead(words, first)
    while run and run[-1].lower in _LINKS:
        run = run[:-1]
    run = run[: MOST_WORDS + 3] if all(map(_is_capital, run)) else run[-MOST_WORDS:]
    if not run or all(len(word.text) < 2 or word.text[0].isdigit() for word in run):
        return
    lowers = [word.text.lower() for word in run]
    is_time = all(word in _UNITS or word[0].isdigit() for word in lowers) or _is_amount(lowers)
    is_name = any(_is_name(words, place, known) for place in range(first, behind))
    yield Phrase(
        text[run[0].start : run[-1].end],
        run[0].start,
        run[-1].end,
        lead,
        is_name=is_name and not is_time,
        is_plural=not _is_capital(run[-1]) and is_plural(lowers[-1]),
        is_time=is_time,
        is_first=words[first - len(lead.split())].begins,
        person=_person(run, lead),
    )


def _is_amount(lowers: Sequence[str]) -> bool:
    return len(lowers) == 2 and (lowers[0][0].isdigit() or lowers[0] in _TENS)


def _person(run: Sequence[_Word], lead: str) -> Person:
    """Whom a phrase names. "Sister Ana" and "new doctor" name somebody; "doctor visits", "Kobo Clara" and "the Clara" name
    things."""
    kinds = [person(word.text.lower()) for word in run]
    first = next((place for place, kind in enumerate(kinds) if kind), None)
    if first is None or any(map(_is_capital, run[:first])) or not all(map(_is_capital, run[first + 1 :])):
        return ""
    if lead.endswith(("the", "a", "an")) and run[first].text.istitle() and not run[first].begins:
        return ""
    for kind in kinds:
        if kind == "he" or kind == "she":
            return kind
    return "any"
