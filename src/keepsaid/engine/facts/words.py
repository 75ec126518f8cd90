"""English words that distinguish statements about lasting things from small talk."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.terms import ascii_words


def collect_words(text: str) -> frozenset[str]:
    """Return the set of words of a text, to check quickly whether a pattern can match it.

    >>> sorted(collect_words("Don't panic!"))
    ['don', 'panic', 't']
    """
    return frozenset(ascii_words(text.lower().replace("’", " ")))


class CuedPattern(NamedTuple):
    """A pattern whose matches all have a cue word. Most texts have no cue word and need not be searched."""

    cues: frozenset[str]
    pattern: EnglishPattern

    def search(self, text: str, words: AbstractSet[str]) -> re.Match[str] | None:
        """Return the first match in a text that has these words."""
        return None if self.cues.isdisjoint(words) else self.pattern.search(text)


def build_cued_pattern(cues: str, pattern: str) -> CuedPattern:
    """Return a pattern with its cue words, separated by spaces.

    >>> bool(build_cued_pattern("week month", r"last (?:week|month)").search("Last week?", {"last", "week"}))
    True
    """
    return CuedPattern(frozenset(cues.split()), EnglishPattern(pattern))


def any_of(words: str) -> str:
    """Return a pattern for any of some words, the longest first. An underscore stands for the space in a phrase.

    >>> any_of("sold got_rid_of")
    '(?:got rid of|sold)'
    """
    longest_first = sorted(words.split(), key=len, reverse=True)
    return f"(?:{'|'.join(word.replace('_', ' ') for word in longest_first)})"


NUMBER_WORDS = any_of(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred a_dozen a_hundred a_thousand"
)
NUMBER = rf"(?:(?:[$€£]\s?)?\d(?:[\d,.:/–-]{{0,12}}\d)?%?[km]?|{NUMBER_WORDS})(?!\w)"
ABOUT = r"(?:(?:about|around|over|almost|nearly|roughly|approximately|at least|more than|just over|a total of|only|up to) )?"
LONG_UNIT = r"(?:week|month|year|decade)s?"
UNIT = r"(?:second|minute|hour|day|week|month|year|decade)s?"

PEOPLE = any_of(
    "mother mom mum mama father dad papa parents parent sister brother siblings sibling son daughter kids kid children"
    " child wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee ex-wife ex-husband ex"
    " grandmother grandma grandfather grandpa grandparents grandson granddaughter aunt uncle cousin niece nephew in-laws"
    " mother-in-law father-in-law sister-in-law brother-in-law stepmother stepfather stepson stepdaughter godmother"
    " godfather twin twins baby toddler family friend bestie roommate flatmate neighbor neighbour colleague coworker"
    " co-worker boss manager supervisor mentor teacher coach trainer tutor therapist doctor dentist landlord assistant"
    " teammate classmate brothers sisters sons daughters cousins aunts uncles nieces nephews grandchildren grandkids"
)
PETS = any_of("dog dogs puppy puppies cat cats kitten kittens pet pets horse rabbit parrot hamster turtle turtles bird fish")
PERSON_ADJECTIVES = any_of(
    "best older younger little big old new close good former youngest oldest eldest middle late dear other first childhood"
)

_JOB_NAMES = any_of(
    "nurse doctor teacher lawyer attorney engineer developer programmer designer architect manager director consultant"
    " analyst accountant writer author editor journalist chef cook baker student professor researcher scientist"
    " freelancer contractor carpenter plumber electrician mechanic driver pilot firefighter police_officer officer"
    " soldier veteran farmer actor actress singer musician dancer producer photographer marketer realtor entrepreneur"
    " founder owner librarian paramedic surgeon vet veterinarian translator intern assistant barista waiter waitress"
    " bartender coach trainer instructor tutor administrator coordinator specialist supervisor executive"
)
JOBS = rf"(?:[a-z]+(?:ist|ician|grapher|keeper|maker)|{_JOB_NAMES})"

STATES = any_of(
    "vegetarian vegan pescatarian lactose_intolerant lactose-intolerant gluten_intolerant gluten-free celiac diabetic"
    " asthmatic dyslexic colorblind color-blind colourblind colour-blind left-handed right-handed ambidextrous"
    " pregnant married single divorced engaged widowed separated retired unemployed self-employed bilingual trilingual deaf"
    " blind autistic gay lesbian bisexual transgender trans non-binary nonbinary queer asexual jewish muslim christian"
    " catholic buddhist hindu atheist agnostic adopted an_only_child sober"
)
"""Lasting states of a person, in one word."""

NATIONALITIES = any_of(
    "american canadian mexican brazilian argentinian argentine chilean colombian peruvian venezuelan cuban british english"
    " scottish welsh irish french german austrian swiss dutch belgian spanish portuguese italian greek turkish polish"
    " czech slovak hungarian romanian bulgarian serbian croatian slovenian bosnian albanian ukrainian russian belarusian"
    " lithuanian latvian estonian finnish swedish norwegian danish icelandic chinese taiwanese japanese korean"
    " south_korean vietnamese thai indonesian malaysian filipino filipina indian pakistani bangladeshi nepali"
    " sri_lankan iranian persian iraqi syrian lebanese israeli palestinian jordanian egyptian moroccan algerian tunisian"
    " nigerian ghanaian kenyan ethiopian south_african zimbabwean australian kiwi"
)
"""Nationalities, in one word."""

LIKES = any_of(
    "love like enjoy prefer adore hate dislike loathe detest can't_stand can’t_stand don't_like don’t_like don't_eat"
    " don’t_eat don't_drink don’t_drink can't_eat can’t_eat don't_enjoy don’t_enjoy don't_care_for"
)
"""Verbs of taste, in the present tense."""

HABITS = any_of(
    "live work teach study play drive run own speak use volunteer collect coach lead manage practice practise sing"
    " paint write grow raise breed attend keep take eat drink wake_up get_up go visit see meet walk bike cycle swim"
    " train"
)
"""Verbs of regular actions, in the present tense."""

LASTING_DEEDS = any_of(
    "adopted bought purchased ordered acquired inherited moved relocated married divorced graduated quit resigned"
    " retired joined enrolled signed_up started began launched founded opened published sold won became switched changed"
    " upgraded hired fired rescued renovated built established created earned lost traded broke injured sprained tore"
    " fractured received accepted booked registered applied passed failed completed finished invested set_up planted"
    " installed donated rented leased wrapped_up"
)
"""Verbs of actions with a lasting result."""

MINOR_DEEDS = any_of(
    "went visited attended met made took ran saw watched read got had tried volunteered hosted performed participated"
    " traveled travelled flew drove hiked camped climbed baked cooked wrote drew painted gave presented celebrated saved"
    " spent paid caught scored reached hit exchanged helped organized organised played explored harvested checked_out"
    " picked_up came_back returned learned learnt discovered found"
)
"""Verbs of actions that are worth keeping only with a name or a date."""

ACTIVITIES = any_of(
    "studying learning practicing practising taking reading writing training_for working_on building restoring teaching"
    " volunteering_at volunteering_with volunteering_for"
)
"""Activities that take weeks."""

PARTICIPLE = r"\w{1,20}(?:ed|ught|un|one|ade|aken|ead|ritten|een|ost|old|et|ut|it|iven|oken|orn|own|on|eld|ent)"
"""Pattern for most past participles, which stand between "I have" and a number."""

KINDS_OF_PEOPLE = any_of(
    "mom mother dad father parent grandmother grandfather vegetarian vegan pescatarian beginner native citizen resident"
    " immigrant homeowner widow widower twin only_child veteran survivor introvert extrovert morning_person night_owl"
    " early_bird cat_person dog_person diabetic christian muslim buddhist hindu catholic atheist runner cyclist gamer"
    " foodie collector member volunteer"
)
TRIPS = any_of("trip vacation holiday wedding honeymoon move party reunion tour getaway cruise roadtrip")
AILMENTS = any_of(
    "allergy allergies allergic intolerant intolerance intolerances asthma asthmatic diabetes diabetic celiac coeliac"
    " disability condition phobia fear sensitivity sensitivities migraine migraines arthritis dyslexia dyslexic adhd"
    " depression anxiety vegetarian vegan pescatarian gluten-free gluten_intolerant lactose_intolerant"
    " lactose-intolerant colorblind color-blind colourblind colour-blind pregnant deaf blind autistic sober diagnosed"
    " surgery terrified_of afraid_of scared_of struggling_with suffering_from recovering_from kosher halal insulin warfarin"
    " metformin statins antidepressants blood_thinners epilepsy epileptic insomnia eczema hay_fever ibs crohn's vertigo"
    " tinnitus hypertension high_blood_pressure cancer stroke heart_attack wheelchair hearing_aid pacemaker"
)
"""Illnesses, diets, fears and medicine that a person lives with."""

THINGS = any_of(
    "car bike laptop phone computer camera house flat apartment garden kitchen garage boat van truck tablet printer desk"
    " balcony tv oven boiler basement cellar"
)
