"""English words that are hardly ever part of the name of a thing: verb forms, adverbs and polite phrases.

Together with the stop words they divide a sentence into the phrases that name what it is about. Words that are as often
nouns ("plan", "order", "work", "call") are not included.
"""

from __future__ import annotations

from keepsaid.engine.text.stopwords import STOP_WORDS

_REGULAR = """
    accept add admire adopt advise agree allow announce annoy answer apologize appear apply appreciate argue arrange arrive
    ask assume attend avoid base begin believe belong borrow bother bring build buy calculate cancel carry catch celebrate
    charge check choose clarify clean collect come compare complain complement confirm confuse connect consider contain
    continue convert cook correct create decide declare define delete deliver depend describe deserve develop die differ
    discover discuss dislike divide download draw dream earn eat edit email embrace encourage end enjoy ensure examine exist
    expect expire explain explore extend fail feel fetch fill find finish fix fly follow forget forgive gather generate get
    give go grow handle happen hate have hear help hide hit hold hope identify ignore imagine improve include increase
    inform install intend introduce invite involve join keep know last laugh launch learn leave lend let like listen live
    look lose love make manage matter mean meet mention miss move need notice obtain occur offer own pay perform pick
    planned point prefer prepare present prevent produce promise propose protect prove provide publish push put raise reach
    read realize receive recommend reduce refer reflect refuse relate relax release remain remember remind remove rent
    repair replace reply represent require rewrite ride run save say see seem select sell send serve set share show sign
    simplify sing sit sleep solve sound speak spend stand start stay steal stop struggle submit suggest summarize suppose
    swim take talk teach tell tend thank think throw translate travel trust try turn understand update upload use visit wait
    wake walk want warn wash watch wear win wish wonder worry write
"""
_IRREGULAR = """
    ate been began begun bought broke broken brought built came caught chose chosen did died done drank drew driven drove
    fed fell fallen felt flew flown forgot forgotten found gave given gone got gotten grew grown heard held hid kept knew
    known lay learnt led left lent lost made meant met paid ran read rode rose said sang sat saw seen sent shown slept sold
    spent spoke spoken stood stole swam taken taught thought threw told took tried understood was went were woke won wore
    worn wrote written gonna wanna gotta cannot
"""
_ADVERBS = """
    ago almost along alone already altogether always anyway anywhere apart aside away back backward basically bit currently
    eventually elsewhere enough especially everywhere far finally forward hence however indeed instead later lately least
    less likely lot lots maybe mostly nearly never next nor nowadays often otherwise perhaps possibly probably recently
    seldom somehow sometimes somewhat somewhere soon therefore thing things thus today together tomorrow tonight twice
    usually whatever whenever wherever whoever worth yesterday near plus per via like unlike except besides beside behind
    beyond before after across toward despite due going doing getting being having making various several certain different
    able sure ready possible available hard easy easier better best worse worst good great nice lovely cool awesome amazing
    wonderful fantastic excellent perfect sweet glad happy sorry exciting excited busy close cheap cheaper expensive free
    important interesting helpful useful true false right wrong new old big small long short high low hot cold dry wet full
    empty quiet loud gentle raised fine bad bright brighter thanks thank wow yeah yep yup nope hmm haha aha congrats
    congratulations welcome hopefully definitely absolutely exactly course idea ideas choice favourite favorite option
    options way ways kind sort type example examples some one two three four five six seven eight nine ten first second
    third tough rough crazy wild inspiring rewarding challenging funny weird strange stressful proud grateful thankful
    careful noisy etc ha hah woohoo oops ouch yay huh bye
"""
_LY_NOUNS = frozenset(
    "family italy july reply supply belly jelly lily emily assembly anomaly monopoly butterfly molly kelly".split()
)


def _forms(verb: str) -> tuple[str, ...]:
    """Return a verb with its possible English endings. Some are not words, which is harmless.

    The ending -ing is left to the context, because "swimming" and "meeting" are also nouns.
    """
    stem = verb[:-1] if verb.endswith(("e", "y")) else verb
    if verb.endswith("y"):
        return verb, verb + "s", stem + "ies", stem + "ied", verb + "ed"
    return verb, verb + "s", verb + "es", stem + "ed", verb + verb[-1] + "ed"


VERBS = frozenset(form for verb in _REGULAR.split() for form in _forms(verb)) | frozenset(_IRREGULAR.split())
"""Forms of verbs that are seldom nouns: "moves", "moved"."""

NON_NAMING_WORDS = VERBS | frozenset(_ADVERBS.split()) | frozenset(STOP_WORDS.split())
"""Words that are not part of a phrase."""


def is_non_naming_word(word: str) -> bool:
    """Whether a lower-case word is not part of the name of a thing.

    >>> [is_non_naming_word(word) for word in ("moved", "quickly", "the", "family", "sister")]
    [True, True, True, False, False]
    """
    return word in NON_NAMING_WORDS or (word.endswith("ly") and len(word) > 4 and word not in _LY_NOUNS)
