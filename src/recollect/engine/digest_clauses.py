"""Messages in clauses: of a sentence, the part that says something, in the speaker's own words.

"Oh, and by the way, the alarm code is 4417, so please don't forget it" becomes "the alarm code is 4417". Words are left out
at the ends and between commas, never changed. What a clause cannot be understood without, the thing that its "it" stands
for, comes along from the sentence before (`about`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.engine.pattern import Pattern
from recollect.engine.stopwords import telling
from recollect.engine.terms import UNSPACED, terms
from recollect.engine.values import Value, values

HEAD, TAIL = 4000, 1000
"""Characters read of a long message: its beginning and its end. What lies between has been pasted."""
TERSE = 14
"""Words that a clause may have before what could be left out is left out."""
APPOSED = 7
"""Words that a remark behind a value may have."""
LONGEST = 26
"""Words in a clause; what is longer is cut at its end, or at its beginning if that is where nothing is."""


class Clause(NamedTuple):
    """Something said: the words to keep, the exact values in them, what it is about, and all words that belong to it,
    also those that only say how it is meant ("please remember", "that's final", the question mark)."""

    text: str
    values: tuple[Value, ...]
    subject: frozenset[str]
    whole: str
    about: str = ""


def clauses(text: str) -> list[Clause]:
    """What a message says, clause by clause, in order.

    >>> [clause.text for clause in clauses("Oh, and by the way, the alarm code is 4417, so don't forget it!")]
    ['the alarm code is 4417']
    >>> [(clause.about, clause.text) for clause in clauses("I found the spare key for the cabin. It hangs behind shed 3.")][1]
    ('the spare key for the cabin', 'It hangs behind shed 3')
    """
    found: list[Clause] = []
    before = ""
    for sentence in sentences(text):
        if not _says_little(sentence):
            found.extend(_clauses(sentence, before))
        before = sentence
    return found


_INFORMATIVE = re.compile(r"[\d`/@\"“_\\=#$~]|--|\w,? [A-Z](?!\W)")
_WEIGHTY = frozenset(
    """
    remember forget mind note record reminder decided agreed settled chose picked let's let’s go going with use deadline due
    final decision instead not stick called named
    """.split()
)
_PERSONAL = _WEIGHTY | frozenset(
    "i i'm i’m i've i’ve my our we we're we’re we've we’ve i'll i’ll we'll we’ll must need".split()
)


def _says_little(sentence: str) -> bool:
    """Whether a sentence can be passed over without a closer look: a question that tells nothing, or a few words without
    anything exact, personal or weighty. In a lively talk that is every second one."""
    if not sentence.isascii() or _INFORMATIVE.search(sentence):
        return False
    words = sentence.lower().split()
    if len(words) < 5 or sentence.endswith("?"):
        return _WEIGHTY.isdisjoint(words)
    return len(words) < 8 and _PERSONAL.isdisjoint(words)


# -- sentences

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s{0,3}>[^\n]*$", re.MULTILINE)
_BULLET = re.compile(r"\s*(?:[-*•#>]{1,6}|\d{1,2}[.)])\s+")
_SENTENCE_END = re.compile(r"[.!?…]+[)\"'”’\]*]{0,3}(?=\s)|[。！？｡]+[」』）]?|\n+")
_ABBREVIATED = Pattern(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|approx|no|fig|inc|ltd|co|jr|sr|e\.g|i\.e|a\.m|p\.m|[a-z])\.|^\s*\d{1,2}\.)$"
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a message, without quoted lines, code blocks and bullets.

    >>> list(sentences("Hi Dr. Who! 会议在五点。好的\\n- one thing"))
    ['Hi Dr. Who!', '会议在五点。', '好的', 'one thing']
    """
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + "\n" + text[-TAIL:]
    if "```" in text:
        text = _FENCE.sub("\n", text)
    if ">" in text:
        text = _QUOTED_LINE.sub("", text)
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end[0][0] == "." and _ABBREVIATED.search(text[max(start, end.start() - 8) : end.start() + 1]):
            continue
        yield from _sentence(text[start : end.end()])
        start = end.end()
    yield from _sentence(text[start:])


def _sentence(text: str) -> Iterator[str]:
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    if text := text.replace("**", "").strip():
        yield text


# -- segments

_BREAK = Pattern(
    r"[;,:](?=\s)|[；，、：()（）—]|(?<=\s)(?:[-–]+(?=\s)|(?:because|since|so|but|which|although|though|while|whereas|unless|until"
    r"|when|if|after|before|once|in case|and)\b)"
)
_GOES_ON = frozenset("is are was were has had will would can could should must isn't wasn't".split())
_DASHES = "-–—"
_MARKS = frozenset(",;:-–—()（）；，、：")
_RELATIVE = frozenset("which who whose whom where".split())
_CONDITION = frozenset("when if unless until before after once till".split())
_REASONS = frozenset("because since though although while whereas otherwise".split())
_LEADS = frozenset("after before once until since while because as".split())
_PREPOSITIONS = frozenset(
    """
    to on at in for with from by under over until about as of per via into within without through during near behind between
    including especially like than and or plus not i.e e.g namely either
    """.split()
)
_SUBJECTS = frozenset(
    """
    i we you he she it they this that these those there the a an my our your his her its their everyone everybody nobody
    somebody someone each every all both one
    """.split()
)
_VERB = Pattern(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|will|would|can|could|should|shall|must|may|might|do|does|did|won['’]t"
    r"|\w+['’](?:s|re|ll|ve|m|d|t)|let|use|run|set|call|keep|send|put|take|go|need|want|buy|book|remember|ask|tell|check"
    r"|[a-z]{2,}ed|went|got|made|said|told|took|came|gave|left|met|bought|chose|sent|paid|found|kept|held|runs|uses|needs"
    r"|costs|starts|ends|lives|works|goes|takes|opens|closes|expires|wants|likes|prefers|owns|leads|moves|leaves|arrives|comes"
    r"|stands|gets|makes|means|says|sits|holds|allows|fixes|handles|keeps|heard|knew|thought|think|know|see|saw|know)\b"
)
_FIRST_WORD = re.compile(r"\W{0,3}([^\W\d_]+(?:['’]\w+)?)")


class _Segment(NamedTuple):
    start: int
    end: int
    kind: str
    """`own` stands alone; `part` continues what is before it; `relative`, `condition` and `aside` can be left out."""
    values: tuple[Value, ...]


def _segments(sentence: str) -> list[_Segment]:
    found = values(sentence)
    borders = [0, *_borders(sentence, found), len(sentence)]
    segments: list[_Segment] = []
    for start, end in zip(borders[::2], borders[1::2], strict=True):
        if sentence[start:end].strip(" .!?…)") and not _is_filler(sentence, start, end):
            within = tuple(value for value in found if start <= value.start and value.end <= end) if found else ()
            segments.append(_Segment(start, end, _kind(sentence[start:end], sentence[start - 1] if start else ""), within))
    return segments


def _borders(sentence: str, found: Sequence[Value]) -> Iterator[int]:
    """Where segments end and begin: marks lie between them, words such as "because" begin them. Values are not parted."""
    at = 0
    while (cut := _BREAK.search(sentence, at)) is not None:
        start, at = cut.span()
        inside = next((value for value in found if value.start <= start < value.end), None)
        if inside is not None:
            at = max(at, inside.end)
            continue
        yield start
        yield at if cut[0][0] in _MARKS else start


def _kind(segment: str, mark: str) -> str:
    match = _FIRST_WORD.match(segment)
    first = match[1].lower() if match else ""
    if mark and mark in "(（":
        return "aside"
    if first in _RELATIVE:
        return "relative"
    if mark and (mark in ":：" or (mark in _DASHES and first not in _SUBJECTS) or first in _GOES_ON):
        return "part"
    if first in _CONDITION:
        return "condition"
    if first in _REASONS:
        return "own"
    if first in ("and", "but", "so"):
        return "own" if _is_new_clause(segment) else "part"
    if first in _PREPOSITIONS or (first.endswith("ing") and len(first) > 5):
        return "part"
    if first in _SUBJECTS and len(segment.split()) > 3:
        return "own"
    return "own" if _VERB.search(segment) or not segment.isascii() else "part"


_NEW_SUBJECT = Pattern(
    r"(?:and|but|so) (?:[^\W\d]\S* ){0,4}?(?:the|my|our|your|his|her|their|its|a|an|i|we|you|he|she|it|they|this|that|there"
    r"|(?:i|we|you|he|she|it|they|that|there)['’]\w+|let['’]s|please|don['’]t|[A-Z]\w+)(?!\w)"
)


def _is_new_clause(segment: str) -> bool:
    """Whether what follows an "and" has a subject of its own: "and the", not "and bought"."""
    begins = _NEW_SUBJECT.match(segment)
    if begins is None:
        return False
    verb = _VERB.search(segment)
    return verb is not None and verb.end() >= begins.end()


# -- clauses


def _clauses(sentence: str, before: str) -> list[Clause]:
    found: list[Clause] = []
    groups = _joined(sentence, _grouped(_segments(sentence)))
    whole, at = "", 0
    for number, group in enumerate(groups):
        whole += sentence[at : group[-1].end]
        at = group[-1].end
        clause = _clause(sentence, _worth_keeping(sentence, group))
        if clause is None or not (clause.subject or clause.values):
            if found:
                found[-1] = found[-1]._replace(whole=found[-1].whole + whole)
                whole = ""
            continue
        if not clause.subject - _of_names(clause) or (
            is_pronominal(clause.text) and (clause.values or len(clause.subject) > 2)
        ):
            clause = _completed(sentence, clause, group, groups[number - 1] if number else [], before)
        found.append(clause._replace(whole=whole))
        whole = ""
    if found:
        found[-1] = found[-1]._replace(whole=found[-1].whole + whole + sentence[at:])
    if found and sentence.rstrip(_CLOSING).endswith(("?", "？")):
        found = [clause._replace(whole=clause.whole + "?") for clause in found]
    return found


_IS = Pattern(r"\b(?:is|was|are|were)\b|['’]s ")


def _of_names(clause: Clause) -> frozenset[str]:
    """The words of the names in a clause that has no other values: who they belong to is another matter."""
    if any(value.kind != "name" for value in clause.values) or not _IS.search(clause.text):
        return frozenset()
    return frozenset(term for value in clause.values for term in terms(value.text))


_CLOSING = " )\"'”’」』"


def _grouped(segments: Sequence[_Segment]) -> list[list[_Segment]]:
    """Segments that belong together. What a sentence begins with ("after the talk, ...") belongs to what follows."""
    groups: list[list[_Segment]] = []
    waiting: list[_Segment] = []
    for segment in segments:
        if segment.kind == "own":
            groups.append([*waiting, segment])
            waiting = []
        elif groups:
            groups[-1].append(segment)
        else:
            waiting.append(segment)
    return [*groups, waiting] if waiting else groups


def _joined(sentence: str, groups: Sequence[list[_Segment]]) -> list[list[_Segment]]:
    """Groups of which one has a value and the other says what it is the value of: "Ana won, so that's our treasurer"."""
    joined: list[list[_Segment]] = []
    for group in groups:
        if joined and _complete_each_other(sentence, joined[-1], group):
            joined[-1] = [*joined[-1], *group]
        else:
            joined.append(group)
    return joined


def _complete_each_other(sentence: str, one: Sequence[_Segment], two: Sequence[_Segment]) -> bool:
    here, there = _exactness(one), _exactness(two)
    valued, other = (one, two) if here > there else (two, one)
    return (
        here != there
        and _length(sentence[one[0].start : two[-1].end]) <= LONGEST
        and not any(_names_something(sentence, segment) for segment in valued)
        and any(_names_something(sentence, segment) for segment in other)
    )


def _exactness(group: Sequence[_Segment]) -> int:
    """0 for no values, 1 for names and days, 2 for exact ones."""
    kinds = {value.kind for segment in group for value in segment.values}
    return 2 if kinds - _VAGUE_KINDS else 1 if kinds else 0


def _names_something(sentence: str, segment: _Segment) -> bool:
    return _NAMES_SOMETHING.search(sentence[segment.start : segment.end]) is not None


def _worth_keeping(sentence: str, group: Sequence[_Segment]) -> list[_Segment]:
    """A group without what could be left out: how it leads up, remarks between commas, conditions if it is long."""
    head = next((segment for segment in group if segment.kind == "own"), group[0])
    exact = (value.end for segment in group for value in segment.values if value.kind not in _VAGUE_KINDS)
    last = max(exact, default=len(sentence))
    kept: list[_Segment] = []
    words = 0
    for segment in group:
        length = _length(sentence[segment.start : segment.end])
        if segment is head or _is_needed(sentence, segment, head, last) or _is_condition(sentence, segment, words + length):
            kept.append(segment)
            words += length
    if any(_names_something(sentence, segment) for segment in kept) or not any(segment.values for segment in kept):
        return kept
    return [segment for segment in group if segment in kept or _names_something(sentence, segment)]


_VAGUE_KINDS = frozenset(("name", "day"))
_NAMES_SOMETHING = Pattern(
    r"\b(?:the|our|my|your|his|her|their|(?!(?:let|there|it|that|here|what)['’])\w+['’]s) "
    r"(?!(?:winner|name|result|answer|one|thing|best|same|end|moment|way|time|number|link|command|other|rest|first|last|day"
    r"|morning|trick|point)s?\b)\w"
)


def _is_condition(sentence: str, segment: _Segment, words: int) -> bool:
    """Whether a segment says when or of what something holds, and is short enough to stay."""
    if segment.kind not in ("relative", "condition") or words > (LONGEST if segment.kind == "relative" else TERSE):
        return False
    first = _FIRST_WORD.match(sentence, segment.start)
    if segment.start == 0 and first is not None and first[1].lower() in _LEADS:
        return False
    return segment.start == 0 or _names_something(sentence, segment)


def _is_needed(sentence: str, segment: _Segment, head: _Segment, last: int) -> bool:
    if segment.start >= head.start:
        return bool(segment.values) or (segment.kind == "part" and segment.end <= last) or _explains(sentence, segment, last)
    first = _FIRST_WORD.match(sentence, segment.start)
    if first is not None and _leads_up(first[1].lower()):
        return any(value.kind not in ("name", "day") for value in segment.values) or bool(segment.values and not head.values)
    return segment.kind == "part" or bool(segment.values)


def _explains(sentence: str, segment: _Segment, last: int) -> bool:
    """Whether a few words come right behind the last value, to say what it is: "call Ana - best lawyer in town"."""
    if segment.kind not in ("part", "aside") or segment.start < last:
        return False
    return (
        not sentence[last : segment.start].strip(" `\"'”’,-–—(（")
        and _length(sentence[segment.start : segment.end]) <= APPOSED
    )


def _leads_up(word: str) -> bool:
    return word in _PREPOSITIONS or word in _LEADS or word.endswith("ly")


def _length(text: str) -> int:
    return len(text.split()) if text.isascii() else len(text) // 3 + 1


def _clause(sentence: str, pieces: Sequence[_Segment]) -> Clause | None:
    """The words of some segments, without fillers. Segments that follow one another keep what is between them."""
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        if spans and not sentence[spans[-1][1] : piece.start].strip(" ,;:，、：()（）-–—"):
            spans[-1] = (spans[-1][0], piece.end)
        else:
            spans.append((piece.start, piece.end))
    if not spans:
        return None
    spans[0] = (_without_fillers(sentence, *spans[0]), spans[0][1])
    spans = _shortened(sentence, spans, [value for piece in pieces for value in piece.values])
    text = " ".join(_closed(sentence, start, end) for start, end in spans).strip()
    if not text:
        return None
    within = tuple(v for piece in pieces for v in piece.values if any(s <= v.start and v.end <= e for s, e in spans))
    return Clause(text, within, subject(text, within), "")


def _closed(sentence: str, start: int, end: int) -> str:
    """Some words of a sentence, tidied; a bracket that is opened in them is closed."""
    text = _tidy(sentence[start:end])
    opened = text.count("(") > text.count(")")
    return text + ")" if opened and sentence[end : end + 1] == ")" else text


def _shortened(sentence: str, spans: list[tuple[int, int]], within: Sequence[Value]) -> list[tuple[int, int]]:
    """Cuts what is too long: words at the end that come after the last value, then words at the beginning."""
    start, end = spans[0][0], spans[-1][1]
    if end - start <= 2 * LONGEST or (sentence.isascii() and sentence.count(" ", start, end) < LONGEST):
        return spans
    words = [(match.start(), match.end()) for match in _CUTTABLE.finditer(sentence, start, end)]
    if len(words) <= LONGEST:
        return spans
    last = max((value.end for value in within if value.end <= end), default=start)
    first = min((value.start for value in within if value.start >= start), default=start)
    cut = next((at for at, (_, stop) in enumerate(words) if stop >= last), 0)
    keep_from = max(0, min(cut - LONGEST + 1, next((at for at, (_, stop) in enumerate(words) if stop >= first), 0) - 6))
    begin, stop = words[keep_from][0] if keep_from else start, words[min(len(words), keep_from + LONGEST) - 1][1]
    stop = max((value.end for value in within if value.start < stop < value.end), default=stop)
    return [(max(one, begin), min(two, stop)) for one, two in spans if max(one, begin) < min(two, stop)]


_CUTTABLE = re.compile(rf"[{UNSPACED}]{{1,3}}|[^\s{UNSPACED}]+")


def subject(text: str, within: Sequence[Value]) -> frozenset[str]:
    """What a clause is about: its telling words apart from its values and from words that fit anything.

    >>> sorted(subject("we should set the upload limit to 64 MB", values("we should set the upload limit to 64 MB")))
    ['limit', 'upload']
    """
    for value in within:
        if value.kind != "name":
            text = text.replace(value.text, " ", 1)
    return frozenset(telling(terms(text))) - LIGHT


LIGHT = frozenset(
    terms(
        """
        run use go set call get put make take need want thing first second new old good great nice bit lot way say said tell
        told think know guess believe mean see look come give keep try work do done went got made took sure right maybe
        actually basically currently finally exactly about today tomorrow yesterday tonight week month year day time hour
        minute next last always never often usually later soon earlier ago back here everyone people stuff kind sort like
        really pretty little big remember forget note reminder important please thanks thank decided decide agreed agree
        settled chose pick picked instead plan going gonna start end would could should name take
        """
    )
)
"""Index terms that say nothing about what is spoken of."""

_DETERMINED = Pattern(r"\b(?:the|my|our|your|his|her|their|this|that|these|those|a|an|\w+['’]s)\s+(?!\w+ly\b)\w")
_PRONOUN = Pattern(
    r"(?!it(?:['’]s| is| was|['’]ll be) (?:after|before|past|almost|nearly|been|raining|snowing|cold|hot|one of|like|time|just"
    r"|so|not|too|such|a (?:bit|lot|shame|pity)|more|really|hard|nice|great|good|fun|ok|okay|fine)\b)"
    r"(?:it|they|he|she)(?:['’](?:s|re|ll|d|ve))? \S|(?:that|this|these|those)['’]\w+ \S"
    r"|(?:that|this|these|those) (?:is|are|was|were|has|had|have|will|would|should|can|must|needs?|takes?|means?|goes|costs?) "
)


def is_pronominal(text: str) -> bool:
    """Whether a clause begins with a word that stands for something said before.

    >>> is_pronominal("It hangs behind the shed"), is_pronominal("the key hangs behind the shed")
    (True, False)
    """
    return _PRONOUN.match(text) is not None


def _completed(
    sentence: str, clause: Clause, group: Sequence[_Segment], previous: Sequence[_Segment], before: str
) -> Clause:
    """A clause that does not say what it is about, with what does: from its own sentence, else from the one before."""
    if not clause.subject and (wider := _clause(sentence, group)) and wider.subject:
        clause = wider
        if not is_pronominal(clause.text):
            return clause
    if previous and (earlier := _clause(sentence, previous)) and earlier.subject:
        return clause._replace(about=_thing(earlier), subject=clause.subject | earlier.subject)
    last = _clauses(before, "")[-1:] if before else []
    if last and last[0].subject:
        return clause._replace(about=_thing(last[0]), subject=clause.subject | last[0].subject)
    return clause


def _thing(clause: Clause) -> str:
    """The thing a clause speaks of: from its first "the", "my" or name on, and not too long."""
    found = _DETERMINED.search(clause.text)
    start = found.start() if found else 0
    names = [value.text for value in clause.values if value.kind == "name"]
    if names and (place := clause.text.find(names[0])) >= 0 and (found is None or place < start):
        start = place
    words = clause.text[start:].split(" ")
    return " ".join(words[:10]).rstrip(" ,;:.!?")


# -- fillers

_FILLERS = Pattern(
    r"[\s,;:.…–—-]*(?:(?:ok|okay|yes|yeah|yep|no|nope|well|hey|hi|hello|plus|then|sorry|thanks|thank you|great|cool|right|sure"
    r"|reminder|note|update|done)(?=[,;:.!?…–—-])"
    r"|(?:and|but|so|or|oh|ah|ok|okay|well|yeah|hmm|um|uh|also|anyway|anyways|btw|fyi|actually|basically|honestly|apparently"
    r"|seriously|because|since|though|although|while|whereas|please|just|ps|p\.s\.|alright|wow|haha|lol|by the way"
    r"|for the record|heads[- ]up"
    r"|just so you know|so you know|as i said|as you know|as far as i know|as discussed|(?:just )?to be (?:honest|clear|precise|exact|fair|sure|safe)|of course"
    r"|in any case|in other words|one more thing|one thing|quick (?:note|reminder|update|question|one|thing|heads[- ]up)"
    r"|for (?:future |your )?reference|last but not least|before i forget|while i remember|speaking of which"
    r"|(?:it )?turns out|it seems|it looks like|looks like|i (?:just )?(?:think|guess|believe|suppose|feel like|mean|reckon)"
    r"|i['’]m (?:pretty |quite )?sure|funny enough|good news|bad news|long story short|in short|first of all|on another note)"
    r"(?: that)?(?=[\s,;:.!?…–—-]|$)"
    r"|(?:(?:i|we|you|he|she|they|i['’][dm]|we['’]d|just|quickly|also|only|wanted|want|would|need|like|love|to|please|can|could"
    r"|should|let|me|us|have|has|had|must|do|don['’]t|never|not|be|going|gonna|really|it['’]s|it|is|worth|important|always"
    r"|keep|bear|make|a|good|great|in|so|now|finally|quick) ){0,8}"
    r"(?:say|mention|mentioned|tell you|told me|told us|let you know|confirm|confirmed|confirming|note|noting|remember"
    r"|remembering|remind you|remind everyone|forget|point out|add|heard|found out|realized|realised|learned|learnt|figured out"
    r"|noticed|know|knowing|said|says|mind|sure|hit me|occurred to me|letting you know)(?: that|:|,)(?= |\s|$))"
)
_ENDINGS = Pattern(
    r"[\s,;:–—-]*\b(?:please|thanks|thank you|thx|ok|okay|right|btw|by the way|lol|haha|i think|i guess|i believe|though|too"
    r"|as well|for now|you know|if that helps|just so you know|fyi|i hope|hopefully|again|anyway|and|but|so|or)$"
)
_LAST_WORDS = frozenset(
    "please thanks you thx ok okay right btw way lol haha think guess believe though too well now know helps fyi hope hopefully"
    " again anyway and but so or".split()
)
_EDGES = " ,;:.!…–—-，、；：。！｡\n"


def _without_fillers(sentence: str, start: int, end: int) -> int:
    """Where a clause begins in earnest."""
    for _ in range(6):
        filler = _FILLERS.match(sentence, start)
        if filler is None or filler.end() >= end or not sentence[filler.end() : end].strip(_EDGES):
            break
        start = filler.end()
    while start < end and sentence[start] in _EDGES and not sentence.startswith((".env", "./", "../", "--"), start):
        start += 1
    return start


def _is_filler(sentence: str, start: int, end: int) -> bool:
    filler = _FILLERS.match(sentence, start)
    return filler is not None and filler.end() >= end


def _tidy(text: str) -> str:
    text = text.rstrip(_EDGES)
    while text.rpartition(" ")[2].lower() in _LAST_WORDS and (ending := _ENDINGS.search(text[-24:])):
        text = text[: len(text) - len(ending[0])]
    return " ".join(text.split())
