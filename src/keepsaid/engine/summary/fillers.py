"""Words at the ends of a clause that say nothing: "oh, and by the way, I just wanted to mention that ... thanks"."""

from __future__ import annotations

from keepsaid.engine.text.patterns import EnglishPattern

MAX_FILLER_LENGTH = 48
"""Maximum characters of a filler between commas."""

_FILLERS = EnglishPattern(
    r"[\s,;:.…–—-]*(?:(?:ok|okay|yes|yeah|yep|no|nope|well|hey|hi|hello|plus|then|sorry|thanks|thank you|great|cool"
    r"|right|sure"
    r"|reminder|note|update|done)(?=[,;:.!?…–—-])"
    r"|(?:and|but|so|or|oh|ah|ok|okay|well|yeah|hmm|um|uh|also|anyway|anyways|btw|fyi|actually|basically|honestly|apparently"
    r"|seriously|because|since|though|although|while|whereas|please|just|ps|p\.s\.|alright|wow|haha|lol|by the way"
    r"|for the record|heads[- ]up"
    r"|just so you know|so you know|as i said|as you know|as far as i know|as discussed|(?:just )?to be (?:honest|clear"
    r"|precise|exact|fair|sure|safe)|of course"
    r"|in any case|in other words|one more thing|one thing|quick (?:note|reminder|update|question|one|thing|heads[- ]up)"
    r"|for (?:future |your )?reference|last but not least|before i forget|while i remember|speaking of which"
    r"|(?:it )?turns out|it seems|it looks like|looks like|i (?:just )?(?:think|guess|believe|suppose|feel like|mean|reckon)"
    r"|i['’]m (?:pretty |quite )?sure|funny enough|good news|bad news|long story short|in short|first of all"
    r"|on another note)"
    r"(?: that)?(?=[\s,;:.!?…–—-]|$)"
    r"|(?:(?:i|we|you|he|she|they|i['’][dm]|we['’]d|just|quickly|also|only|wanted|want|would|need|like|love|to|please"
    r"|can|could"
    r"|should|let|me|us|have|has|had|must|do|don['’]t|never|not|be|going|gonna|really|it['’]s|it|is|worth|important|always"
    r"|keep|bear|make|a|good|great|in|so|now|finally|quick) ){0,8}"
    r"(?:say|mention|mentioned|tell you|told me|told us|let you know|confirm|confirmed|confirming|note|noting|remember"
    r"|remembering|remind you|remind everyone|forget|point out|add|heard|found out|realized|realised|learned|learnt"
    r"|figured out"
    r"|noticed|know|knowing|said|says|mind|sure|hit me|occurred to me|letting you know)(?: that|:|,)(?= |\s|$))"
)
_ENDINGS = EnglishPattern(
    r"[\s,;:–—-]*\b(?:please|thanks|thank you|thx|ok|okay|right|btw|by the way|lol|haha|i think|i guess|i believe|though|too"
    r"|as well|for now|you know|if that helps|just so you know|fyi|i hope|hopefully|again|anyway|and|but|so|or)$"
)
_LAST_WORDS = frozenset(
    "please thanks you thx ok okay right btw way lol haha think guess believe though too well now know helps fyi hope"
    " hopefully"
    " again anyway and but so or".split()
)
_EDGES = " ,;:.!…–—-，、；：。！｡\n"


def skip_fillers(sentence: str, start: int, end: int) -> int:
    """Return the position where a clause begins after its fillers."""
    for _ in range(6):
        filler = _FILLERS.match(sentence, start)
        if filler is None or filler.end() >= end or not sentence[filler.end() : end].strip(_EDGES):
            break
        start = filler.end()
    while start < end and sentence[start] in _EDGES and not sentence.startswith((".env", "./", "../", "--"), start):
        start += 1
    return start


def is_filler(sentence: str, start: int, end: int) -> bool:
    if end - start > MAX_FILLER_LENGTH:
        return False
    filler = _FILLERS.match(sentence, start)
    return filler is not None and filler.end() >= end


def trim_clause_ending(text: str) -> str:
    text = text.rstrip(_EDGES)
    while text.rpartition(" ")[2].lower() in _LAST_WORDS and (ending := _ENDINGS.search(text[-24:])):
        text = text[: len(text) - len(ending[0])]
    return " ".join(text.split())
