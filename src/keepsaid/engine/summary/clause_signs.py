"""Signs in the words of a clause: that it decides, corrects, promises, states; that it asks, thanks, chats.

Every sign has words without which it cannot occur. Most clauses have few of them and are not checked further.
"""

from __future__ import annotations

from typing import NamedTuple

from keepsaid.engine.summary.clauses import MessageClause
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.terms import ascii_words

SERIOUS_SIGNS = frozenset(("remember", "decision"))
"""Signs that outweigh others: a speaker who says so means it, whatever else the words look like."""


def find_signs(clause: MessageClause) -> set[str]:
    """Return the signs of a clause.

    >>> from keepsaid.engine.summary.clauses import split_clauses
    >>> sorted(find_signs(split_clauses("We decided that the caterer is Blue Heron.")[0]))
    ['decision', 'definite', 'identity', 'states']
    """
    words = frozenset(ascii_words(clause.whole.lower()))
    found = {
        sign.name
        for sign in _SIGNS
        if not sign.gate.isdisjoint(words)
        and (clause.values or sign.name not in _OF_VALUES)
        and sign.pattern.search(clause.text if sign.name in _OF_THE_CLAUSE else clause.whole)
    }
    kinds = {value.kind for value in clause.values}
    if not _NAMING.isdisjoint(kinds) and _introduces_name(clause):
        found.add("identity")
    if "told" in found and not _DAYS.isdisjoint(kinds):
        found.add("event")
    if clause.values and (_DEFINITE.match(clause.about or clause.text) or clause.values[0].kind == "name"):
        found.add("definite")
    if not clause.values and len(clause.subject) < 3:
        found.add("bare")
    if clause.whole.endswith("?"):
        found.add("question")
    if not found.isdisjoint(SERIOUS_SIGNS):
        found -= {"question", "request", "passing", "fleeting", "bare"}
    return found


class _ClauseSign(NamedTuple):
    """A sign of what a clause is. `gate` has words without which the pattern cannot match."""

    name: str
    gate: frozenset[str]
    pattern: EnglishPattern


def _make_sign(name: str, gate: str, pattern: str) -> _ClauseSign:
    return _ClauseSign(name, frozenset(gate.split()), EnglishPattern(pattern))


_SIGNS = (
    _make_sign(
        "decision",
        "decided decide agreed agree go going goes went settled settle chose chosen choose picked pick decision approved"
        " final"
        " finalized finalised stick sticking adopt adopted use switch switching drop dropping keep plan opted opting voted"
        " ruled verdict call signed mind objections winner vote from take taking choosing picking closed deal is"
        " committed move do set standardize standardise standardizing consensus resolved",
        r"\b(?:(?:decided|settled|opted|voted) (?:on|for|to|that|against|not)|agreed (?:on|to|that|with \w+ (?:on|to|that))"
        r"|(?:we|team|board|they|everyone|all)(?:['’]ve| have| has)? (?:all )?(?:decided|agreed|chosen|chose|picked"
        r"|adopted|approved)"
        r"|(?:was|is|been|got) (?:decided|agreed|chosen|picked|approved|settled|finali[sz]ed)|(?:that|it)(?:['’]s"
        r"| is) (?:final|settled)"
        r"|let['’]?s (?:go|use|stick|do|keep|switch|drop|move|set|call it|pick|choose|plan)\b"
        r"|(?:go|going|goes|went|gone|stick|sticking|stay|staying) (?:ahead )?with|i['’]m going for\b|(?:final"
        r"|the) (?:decision|call|choice|verdict)\b"
        r"|decision|we(?:['’]ll| will|['’]re going to| are going to) (?:use|go|stick|switch|keep|drop|adopt|move"
        r"|standardi[sz]e)\b"
        r"|(?:we|i|they|let['’]?s|to)(?:['’]re| are|['’]m|['’]ll| will)? (?:not )?(?:(?:choosing|picking|opting) "
        r"|(?:taking|going) (?:for|\S+ for))"
        r"|we(?:['’]ll)? (?:take|do|pick|choose) \S+|(?:question|matter|discussion|debate|topic|case) is (?:closed"
        r"|settled|over)"
        r"|(?:agreed|deal)\?|it is for|(?:made|make|making) up (?:my|our|his|her|their) minds?|(?:has|have|had|we|they"
        r"|all) voted|signed off|the plan (?:for (?:\S+ ){1,4}?)?is|final answer|from (?:now|here) on\b|no objections"
        r"|(?:the|our|a) (?:winner|vote)|let['’]?s do (?:that|it|this)|consensus|has been chosen)",
    ),
    _make_sign(
        "correction",
        "actually correction scratch meant wrong not longer instead changed moved now rather update bumped raised"
        " lowered renamed"
        " replaced anymore used turns mistake misspoke previously postponed pushed rescheduled was",
        r"\b(?:actually|correction|scratch that|i meant|i misspoke|(?:was|were|am|is) (?:wrong|mistaken)|my mistake"
        r"|no longer"
        r"|not \S+ any ?more|instead of|rather than|(?:has|have|been|was|is|got|we|i) (?:been )?(?:changed|moved|bumped"
        r"|raised"
        r"|lowered|renamed|replaced|postponed|pushed|rescheduled)|used to be|turns out|is now|are now|it['’]s now|update)\b"
        r"|,? not \S+[.!]?$|\bnot \S+ but\b",
    ),
    _make_sign(
        "remember",
        "remember forget mind note record important reminder fyi heads reference keep write crucial critical never always",
        r"^\W*(?:please )?remember (?!when\b)|(?:\b(?:please|you|to|must|should|and|also|do)|[,.:;!-]) ?remember (?:that"
        r"|this|my|the|to|:)"
        r"|\b(?:don['’]?t (?:let me )?forget|not forget|never forget (?:that|to)|(?:keep|bear) in mind"
        r"|note (?:that|to self|down)|for the record|make a note|important(?: note|:| to (?:know|note|remember))"
        r"|reminder(?=[:,!])|(?:just|quick|friendly|small) (?:a )?reminder|fyi"
        r"|heads[- ]up|for (?:future |your )?reference|write (?:this |that |it )?down|note:)",
    ),
    _make_sign(
        "task",
        "ll will need have must todo deadline due promised supposed scheduled booked appointment responsible owns assigned"
        " takes submit deliver finish renew remind by",
        r"\b(?:(?:i|we|you|he|she|they|[A-Z]\w+)(?:['’]ll| will| need to| needs to| have to| has to| must"
        r"| should) (?!be\b|see\b)\w+"
        r"|to-?do|deadline|due|promised|supposed to|scheduled|booked|appointment|responsible for|assigned|takes over"
        r"|remind me)\b",
    ),
    _make_sign(
        "fact",
        "my our i m",
        r"\b(?:my|our) (?:\w+ ){1,5}?(?:is|are|was|were|has|lives?|works?|moved|prefers?|called|named)\b"
        r"|\bi(?:['’]m| am) (?:a|an|from|allergic|vegan|vegetarian|married|based|\d|the|originally|diabetic|learning"
        r"|studying)\b"
        r"|\bi (?:live|work|prefer|love|hate|use|own|have an?|moved|bought|grew up|was born|can['’]t (?:eat|drink|stand)"
        r"|don['’]t (?:eat|drink|like)|never|always|speak|play|drive|adopted|started|joined|signed up|got (?:a|an|my"
        r"|married))\b",
    ),
    _make_sign(
        "states",
        "is are was were be to at on in for with has have costs cost uses use needs expires starts ends opens closes"
        " equals by"
        " under named called limit s re runs takes as until confirmed ended sits",
        r"\b(?:is|are|was|were|be|\w+['’]s|equals?|costs?|uses?|needs?|expires?|starts?|ends?|opens?|closes?|runs? (?:on"
        r"|at|in)"
        r"|listens? on|lives? (?:at|in|on|under)|(?:stored|kept|located|hosted|set|booked|scheduled|named|called|capped"
        r"|reserved"
        r"|signed|registered|renamed|moved|limited|pinned|changed|raised|lowered|due|deployed|owned|run|led|paid|quoted) "
        r"(?:at|in|on|to|under|for|as|by|with|until)|belongs? to|points? to|goes to|comes to|stands at|weighs?|measures?"
        r"|allows?|holds?|requires?|takes|confirmed|ended up|sits?)\b|[:=]",
    ),
    _make_sign(
        "passing",
        "coffee coffees lunch dinner breakfast snack weather haha lol traffic slept sleep nap episode episodes gym rain"
        " raining"
        " rainy sunny tired hungry exhausted brb today tonight now morning afternoon evening late later soon luck"
        " weekend day"
        " way minutes min mins see ya ttyl cheers congrats awesome tea bus train commute queue parking laundry",
        r"\b(?:see (?:you|ya)|talk (?:to you )?(?:later|soon|at|then)|be right back|brb|(?:minutes?|mins?) late"
        r"|running late|on my way"
        r"|back in|catch you|good (?:morning|night|luck)|ttyl|coffees?|lunch|snacks?|weather|haha|lol|traffic|slept|nap"
        r"|episodes?"
        r"|gym|rain(?:ing|y)?|sunny|hungry|tired|exhausted|long day"
        r"|how are you|take care|in (?:a|an|\d+|five|ten|twenty) (?:sec|min|minute|hour)s?\b|cheers|commute|laundry)\b",
    ),
    _make_sign(
        "fleeting",
        "today tonight now morning afternoon evening again currently",
        r"\b(?:today|tonight|right now|this (?:morning|afternoon|evening)|again)\b",
    ),
    _make_sign(
        "told",
        "had ate drank slept watched spent waited walked ran saw read fixed reviewed closed answered cleaned cooked took"
        " got made"
        " did woke went finished merged pushed played listened came took lost won tried counted scored",
        r"\b(?:(?:i|we|he|she|they|it|that|\w+)(?:['’]ve)? (?:\w+ly |just |only |already |also |even |still )?(?:had|ate"
        r"|drank|slept"
        r"|watched|spent|waited|walked|ran|saw|read|fixed|reviewed|closed|answered|cleaned|cooked|took|got|made|did|woke"
        r"|went"
        r"|finished|merged|pushed|played|listened|came|lost|won|tried|counted|scored))\b",
    ),
    _make_sign(
        "request",
        "can could would will please help write give show explain tell suggest recommend summarize looking list",
        r"^\W*(?:(?:hi|hey|hello|ok|okay|thanks|so|and|also|now)\W+)?(?:(?:can|could|would|will) you|please|help me"
        r"|write|give me"
        r"|show me|explain|tell me|suggest|recommend|summari[sz]e|list)\b|\bi['’](?:m looking for|d like you to)\b",
    ),
    _make_sign(
        "polite",
        "help happy glad welcome know feel hope thank thanks sorry question great sounds language good free worries problem",
        r"\b(?:(?:happy|glad|here) to help|you['’]re welcome|let me know|feel free|hope (?:this|that|you)|thank(?:s"
        r"| you)|great question"
        r"|language model|as an ai|no (?:worries|problem)|sounds (?:good|great|like)|good luck|i['’]m sorry|(?:happy"
        r"|glad) to hear"
        r"|is there anything)\b",
    ),
    _make_sign(
        "equates",
        "our my becomes become",
        r"\b(?:is|are|was|will be)(?: now| going to be)? (?:our|my) \w|\bbecomes? (?:our|my|the) \w",
    ),
    _make_sign(
        "praise",
        "amazing awesome great beautiful cool nice inspiring incredible wonderful lovely proud fantastic special fun"
        " love hilarious"
        " excited thankful grateful glad good best",
        r"\b(?:amazing|awesome|beautiful|inspiring|incredible|wonderful|lovely|fantastic|hilarious|proud of|thankful"
        r"|grateful"
        r"|(?:is|are|was|were|be|\w+['’]s|so|such|really|a|looks?|sounds?) (?:\w+ )?(?:great|cool|nice|fun|special|good"
        r"|excited|glad)"
        r"|love (?:it|that|this|your|how))\b",
    ),
    _make_sign(
        "vague",
        "those these that this it them such some",
        r"\b(?:those|these|them|such|some of)\b|\b(?:do|try|check|see) (?:it|that|this)\b",
    ),
    _make_sign(
        "hedged",
        "maybe might perhaps if would could probably wonder guess",
        r"\b(?:maybe|might|perhaps|i wonder|would be|could be)\b",
    ),
)
_DEFINITE = EnglishPattern(
    r"\W{0,2}(?:(?:for|on|in|to|of|with) )?(?:the|my|our|your|his|her|their"
    r"|(?!(?:let|there|it|that|he|she|what|who|here|how|where)['’])\w+['’]s) \w"
)
_OF_THE_CLAUSE = frozenset(("states", "told", "fact", "task", "passing", "fleeting", "vague", "equates"))
_OF_VALUES = frozenset(("states", "correction"))
"""Signs that matter only if there is a value."""
_NAMING = frozenset(("name", "quote"))
_DAYS = frozenset(("date", "day"))


_WHOSE = r"(?:the|our|my|your|his|her|their|(?!(?:let|there|it|that)['’])\w+['’]s)"
_BEFORE_NAME = EnglishPattern(
    rf"\b{_WHOSE} (?:[\w'’-]+ ){{1,5}}(?:is|was|are|will be|be|called|named)(?: (?:called|named|now|still))? [\"“']?$"
    rf"|\b(?:called|named) [\"“']?$"
    rf"|\b{_WHOSE} (?:[\w-]+ ){{0,2}}[\w-]+(?:,| \()\s?$|^(?:it|that|he|she|this)(?:['’]s| is| was) [\"“']?$"
)
"""What precedes a name that is introduced: "our caterer is", "the caterer, ", "it's"."""
_AFTER_NAME = EnglishPattern(
    rf"[\"”']?(?:(?: is| was| will be|['’]s)(?: going to be| now| still)? {_WHOSE} "
    rf"|,?(?: [\w'’-]+){{0,4}} as (?:{_WHOSE} |an? )?|,? ?[-–—(,] ?(?:the|our|my|an?|his|her|their|best|who) "
    rf"|[^.]{{0,20}} who(?:['’]s| is| was) )\w"
)
"""What follows it: "is our caterer", "as caterer"."""


def _introduces_name(clause: MessageClause) -> bool:
    """Whether a name is said together with whom or what it belongs to."""
    for value in clause.values:
        if value.kind in _NAMING and (place := clause.text.find(value.text)) >= 0:
            before, following = clause.text[max(0, place - 80) : place], clause.text[place + len(value.text) :]
            if _AFTER_NAME.match(following) or _BEFORE_NAME.search(before):
                return True
    return False
