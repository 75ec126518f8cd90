"""Plain statements: sentences that explicitly state something lasting and are kept as typed, whatever their cues.

"I usually take the bus", "My wife can't manage stairs", "Penicillin gives me a rash". A pattern matches from the beginning
of the sentence, after filler. It covers what no rule with a slot reads, and must be specific enough to need no weighing.
"""

from __future__ import annotations

from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.general_statements import NOT_LASTING, general_kind
from keepsaid.engine.facts.value_checks import has_no_references
from keepsaid.engine.facts.words import (
    AILMENTS,
    NUMBER_WORDS,
    PEOPLE,
    PERSON_ADJECTIVES,
    PETS,
    THINGS,
    any_of,
    collect_words,
)
from keepsaid.engine.text.patterns import EnglishPattern

# -- words

_I = r"(?:i|we)"
_I_AM = r"(?:i['’]?m|i am|we['’]re|we are)"
_I_HAVE = r"(?:i|we|i['’]?ve|we['’]ve)"
_I_DO_NOT = r"(?:my (?:[\w'’-]+ )?and i|i|we) (?:don['’]?t|do not|never)"
_I_CANNOT = (
    r"(?:i|we) (?:can['’]?t|cannot|can not|mustn['’]?t|must not|am not allowed to|aren['’]t allowed to|shouldn['’]t"
    r"|have to avoid|avoid)"
)
_CANNOT = any_of(
    "eat drink lift walk run drive swim climb kneel bend digest tolerate spend afford fly ride smoke chew squat jog"
    " carry read_small have_dairy have_gluten have_nuts have_sugar have_caffeine have_alcohol have_milk take_aspirin"
    " take_ibuprofen take_penicillin stand_for sit_for"
)
_SYMPTOMS = any_of(
    "rash hives itch itchy sick ill nauseous nausea headache headaches migraine migraines sneeze cough wheeze bloated"
    " dizzy drowsy sleepy faint swell heartburn hiccups cramps panic anxious claustrophobic seasick carsick break_out"
)
_BODY = any_of(
    "back knee knees hip shoulder neck ankle wrist heart stomach eyesight hearing lungs skin memory bladder liver"
)
_AIDS = any_of(
    "hearing_aid hearing_aids glasses contact_lenses crutches captions subtitles inhaler epipen wheelchair walker"
    " prosthesis cpap"
)
_MEDICINE = any_of("pill pills medication medicine tablets insulin injections antihistamines antibiotics inhaler")
_LACKED = any_of(
    "car licence license driving_licence driver's_license passport tv oven microwave dishwasher freezer garden balcony"
    " smartphone printer kids children pets siblings dryer bathtub"
)
_BAD = any_of("bad weak sore broken torn sensitive chronic poor dodgy artificial new left right")
_DIET = any_of(
    "vegan vegetarian pescatarian celiac coeliac lactose_intolerant lactose-intolerant gluten-free gluten_intolerant"
    " diabetic"
)
_WAYS_TO_EAT = r"(?:kosher|halal|keto|paleo|gluten[- ]free|low[- ]carb)"

_PERSON = (
    rf"(?:(?:my|our) (?:{PERSON_ADJECTIVES} )*(?:{PEOPLE}|{PETS})(?:,? (?-i:[A-Z][\w'’-]{{1,20}}),?)?"
    r"(?: and (?:his|her|their|my) \w+)?|(?-i:Mum|Mom|Dad|Grandma|Grandpa|Granny|Nana))"
)
_NAMED = r"(?-i:[A-Z][a-z][\w'’-]{0,20})(?: (?:from|at|in|next|across) [^,.]{2,25}?)?"
_THEY_DO = any_of(
    "can't can’t cannot doesn't doesn’t don't don’t needs need works work lives live speaks speak starts start started"
    " turned turns turn plays play studies study teaches teach goes go moved died owns own runs run hates loves"
    " wants_to_be wants_to_become got_married got_engaged graduated retired broke joined used_to suffers suffer takes"
    " take has had have gets get eats eat drinks drink wears wear uses use collects keeps is_afraid is_allergic"
    " is_scared is_terrified is_called is_named is_married is_pregnant is_expecting is_retired is_deaf is_blind is_vegan"
    " is_vegetarian was_born was_diagnosed is_from is_turning is_getting_married is_moving is_studying is_learning"
    " is_training grew_up is_not isn't isn’t is_nearly is_almost is_on is_in is_at only no_longer never always usually"
)
_PRAISED = any_of("great good big huge real true total lot bit blessing constant")
_THEY_ARE = rf"(?:is|are) (?:\d{{1,3}}\b|(?:a|an) (?!{_PRAISED}\b)|(?-i:[A-Z]))"
OTHER_PERSON_CUES = frozenset(
    "allergic allergy vegan vegetarian pescatarian celiac coeliac intolerant diabetic birthday dairy gluten nuts eat".split()
)
"""Cue words: a plain statement about another person that does not mention the speaker has at least one of them."""

_STUDIES = (
    r"(?:phd|doctorate|master['’]?s|bachelor['’]?s|degree|apprenticeship|internship|residency|diploma|mba|traineeship)"
)
_AGE = rf"(?:\d{{1,3}}|{NUMBER_WORDS})"
_PROMOTED = any_of("made promoted appointed elected named hired accepted offered transferred")
_HOURS = (
    r"(?:nights?\b|shifts\b|days\b|part[- ]time|full[- ]time|remotely|freelance|weekends|every|\d|two|three|four|five"
    r"|(?:from|in|as|at|for) (?!it\b)|with (?!you|that|it))"
)
_FIRMS = any_of(
    "shop store business company restaurant cafe bakery farm studio practice agency startup bar salon school hotel clinic"
)
_LIFE_CHANGES = any_of(
    "moving move relocating relocate emigrating emigrate quitting quit retiring retire proposing propose adopting adopt"
    " getting_married get_married getting_divorced having_a_baby having_another changing_jobs change_jobs"
    " changing_careers change_careers going_back_to_school going_back_to_university starting_a_family"
    " starting_a_business start_a_business starting_a_company start_a_company buying_a_house buy_a_house buying_a_flat"
    " buy_a_flat selling_our_house selling_my_house"
)
_RENEWING = any_of(
    "redoing remodeling remodelling renovating decorating restoring rebuilding converting landscaping building planting"
    " organizing organising rehearsing"
)
_DATES = any_of(
    "appointment interview exam driving_test surgery operation check-up checkup flight scan hearing audition meeting_with"
)
_OCCASIONS = rf"(?:{_DATES}|{any_of('wedding due_date deadline move trip holiday vacation')})"

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_REGULARLY = (
    rf"(?:on (?:{_WEEKDAY}s|weekends|weekdays)|every (?:{_WEEKDAY}|day|morning|evening|night|week|month|year|weekend)"
    r"|(?:in|on) the (?:evenings|mornings|weekends?))"
)
_USUALLY = any_of("usually always typically normally generally rarely seldom never only")
_HABIT = any_of(
    "take eat drink go get wake cook bake sleep work walk cycle bike run swim drive commute travel wear use read watch"
    " listen play order buy shop have start end finish skip spend visit meet call write pay leave carry do make keep"
    " study practice practise train meditate book stay sit put prefer celebrate volunteer"
)
_KINDS_OF_PERSON = any_of("morning night cat dog people outdoor outdoors outdoorsy coffee tea beach city")
_INSTRUMENTS = any_of(
    "piano guitar violin viola cello bass drums flute clarinet saxophone sax trumpet trombone harp accordion organ banjo"
    " ukulele oboe horn keyboard recorder fiddle bagpipes mandolin"
)
_SKILLS = (
    rf"(?:{_INSTRUMENTS}|{any_of('sail drive swim ski surf skate sew knit cook bake weld code dance sing draw paint')})"
)
_BROKE = any_of("flooded burned burnt caught broke was_stolen got_stolen was_broken was_flooded")

# -- statements

_UNCHECKED: tuple[tuple[ClaimKind, EnglishPattern], ...] = (
    ("preference", EnglishPattern(
        r"[^,.;]{3,40} (?:is|are|['’]s) (?:really |just |so )?(?:not )?my (?:thing|cup of tea|jam)\b")),
    ("constraint", EnglishPattern(rf"{_I} have to take (?:[\w'’-]+ ){{0,4}}?{_MEDICINE}\b")),
    ("identity", EnglishPattern(rf"{_I_AM} (?:between jobs|out of work|job[- ]hunting)\b")),
    ("project", EnglishPattern(
        rf"(?:{_I_AM}|i was|we were) (?:seriously |also )?(?:thinking (?:of|about)|considering|planning(?: on| to)?)"
        rf" {_LIFE_CHANGES}\b")),
)  # fmt: skip
"""Statements that need no further check."""

_CHECKED: tuple[tuple[ClaimKind, EnglishPattern], ...] = (
    ("constraint", EnglishPattern(
        rf"[^,.;]{{2,50}}? (?:gives?|makes?|causes?) (?:me|us) (?:a |an |the )?(?:\w+ )?{_SYMPTOMS}\b.*")),
    ("constraint", EnglishPattern(
        rf"{_I_HAVE} (?:also |always |often |sometimes )?(?:gets?|have|had|suffer from|live with|take|been taking|been on"
        rf"|am on) (?:[\w'’-]+ ){{0,4}}?{AILMENTS}\b.*")),
    ("constraint", EnglishPattern(
        rf"{_I} (?:always |often |sometimes )?(?:get|suffer from) (?:[\w'’-]+ ){{0,2}}?{_SYMPTOMS}\b.*")),
    ("constraint", EnglishPattern(rf"{_I} (?:wear|need|use) (?:an? |my )?{_AIDS}\b.*")),
    ("constraint", EnglishPattern(
        r"[^,.;]{2,40}? (?:(?:scares?|terrif(?:y|ies)|frightens?) me|(?:freaks?|creeps?) me out"
        r"|sends? me to (?:the )?hospital)$")),
    ("constraint", EnglishPattern(
        r"(?:my|our) (?:doctor|gp|physio|therapist|dentist|nurse|surgeon|cardiologist|midwife|vet) (?:told|wants|put|advised"
        r"|has told|has put|has me) .+")),
    ("constraint", EnglishPattern(rf"{_I} (?:can only|only have|only get) .+")),
    ("constraint", EnglishPattern(rf"{_I} (?:don['’]?t|do not) (?:have|own) (?:an? |any )?{_LACKED}\b.*")),
    ("constraint", EnglishPattern(
        rf"{_I_AM} (?:hard of hearing|on (?:a|the) waiting list"
        r"|on a (?:very |really |pretty )?(?:tight|small|limited) budget)\b.*")),
    ("constraint", EnglishPattern(r"(?:money|time) is (?:very |really |a bit |pretty )?tight\b.*")),
    ("constraint", EnglishPattern(rf"{_I_AM} (?:[\w'’-]+ ){{0,3}}?{AILMENTS}\b.*")),
    ("constraint", EnglishPattern(rf"(?:i have|i['’]ve got|i['’]ve had|my) (?:a )?{_BAD} {_BODY}\b.*")),
    ("constraint", EnglishPattern(rf"{_I_CANNOT} (?:really |even |ever )?{_CANNOT}\b.*")),
    ("constraint", EnglishPattern(rf"{_I_DO_NOT} (?:ever )?(?:eat|drink|fly|drive|swim|smoke|touch|wear)\b.*")),
    ("constraint", EnglishPattern(rf"{_I} (?:keep|eat|only eat|follow) (?:\w+ )?{_WAYS_TO_EAT}\b.*")),
    ("person", EnglishPattern(
        rf"{_NAMED} (?:is|['’]s|has been|['’]s been) (?:(?:very|severely|now|still|also) )?(?:allergic to|{_DIET})\b.*")),
    ("person", EnglishPattern(rf"{_NAMED} (?:can['’]t|cannot|doesn['’]t|does not|won['’]t) (?:have|eat|drink) .+")),
    ("person", EnglishPattern(rf"(?:{_NAMED}|(?:my|our) [^,.]{{2,30}}?)['’]s birthday (?:is|was|falls) .+")),
    ("person", EnglishPattern(rf"{_NAMED} is (?:my|our) (?:{PERSON_ADJECTIVES} )*(?:{PEOPLE}|{PETS})\b.*")),
    ("person", EnglishPattern(rf"{_NAMED}, (?:my|our) [^,.]{{2,25}}, .{{5,}}")),
    ("person", EnglishPattern(rf"{_PERSON} (?:just |also |recently |still |now )?(?:{_THEY_DO}|{_THEY_ARE}).{{3,}}")),
    ("identity", EnglishPattern(
        rf"(?:i turn|i['’]m turning|i am turning|i['’]ll be|i will be) {_AGE}(?: (?:in|next|this|on|soon)\b.*|$)")),
    ("identity", EnglishPattern(r"(?:people|everyone|everybody|friends|they) (?:just )?calls? me (?-i:[A-Z]).*")),
    ("identity", EnglishPattern(
        rf"{_I_AM} (?:doing|finishing|starting|studying for) (?:an?|my) (?:[\w'’-]+ ){{0,2}}?{_STUDIES}\b.*")),
    ("identity", EnglishPattern(rf"(?:i['’]?ve|i have) (?:just |recently )?been {_PROMOTED} .+")),
    ("identity", EnglishPattern(r"i was (?:raised|brought up|adopted|educated|homeschooled) .+")),
    ("identity", EnglishPattern(rf"{_I} work (?:(?:mostly|only|mainly|usually) )?{_HOURS}\b.*")),
    ("identity", EnglishPattern(rf"{_I} (?:teach|study) (?!me|you|us|them|it)\w.+")),
    ("identity", EnglishPattern(
        rf"{_I} (?:run|own|manage|have|started|opened|founded) (?:an?|my own|our own) (?:[\w'’-]+ ){{0,3}}?{_FIRMS}\b.*")),
    ("identity", EnglishPattern(rf"{_I_HAVE} (?:just )?(?:retired|graduated|emigrated|immigrated)\b.*")),
    ("identity", EnglishPattern(rf"{_I_HAVE} (?:just |recently )?moved (?:in|into|to|back|from|out)\b.*")),
    ("preference", EnglishPattern(rf"{_I} (?:take|drink|eat|like) my \w+ .+")),
    ("preference", EnglishPattern(r"(?:i|we)(?:['’]d| would) (?:much |far |always |really )?rather \w.* than .+")),
    ("preference", EnglishPattern(rf"{_I_AM} an? (?:[\w'’-]+ ){{0,4}}?(?:fan|enthusiast|buff|aficionado|geek|nerd)\b.*")),
    ("preference", EnglishPattern(rf"{_I_AM} (?:really )?(?:not )?(?:much of )?an? {_KINDS_OF_PERSON} person\b.*")),
    ("preference", EnglishPattern(
        rf"{_I_AM} (?:really |not |not really |just )?(?:into|more of an?|not a fan of|big on|keen on|partial to) .+")),
    ("preference", EnglishPattern(rf"{_I} (?:almost )?{_USUALLY} {_HABIT}\b.*")),
    ("preference", EnglishPattern(rf"{_REGULARLY},? {_I} (?:\w+ )?{_HABIT}\b.*")),
    ("possession", EnglishPattern(rf"{_I_HAVE} (?:been )?play(?:ing)? (?:the |a )?(?:[\w'’-]+ )?{_INSTRUMENTS}\b.*")),
    ("possession", EnglishPattern(
        rf"(?:(?:at|for) work,? )?{_I} (?:use|drive|ride|own) (?:mostly |mainly )?(?:an? |my |our )?(?:\w+ )?"
        r"(?-i:[A-Z0-9])\w*.*")),
    ("possession", EnglishPattern(
        rf"(?:my|our) (?:[\w'’-]+ )?{THINGS} (?:is|has|runs|are|have) (?:an? |\d|(?-i:[A-Z])|no |solar|two|three|only"
        r"|\w+ years).+")),
    ("project", EnglishPattern(
        r"(?:i|we)(?: want| plan| intend| aim|['’]d like|['’]d love| would like) to .{5,60}\b(?:before (?:i|my|we|our)"
        r"|by (?:the (?:end|time)|next|christmas|easter|summer|spring|autumn)|this year|next year|one day|someday)\b"
        r"(?!['’]).*")),
    ("possession", EnglishPattern(
        rf"{_I_HAVE} (?:just |recently |finally )?(?:got|had|bought) (?:an?|my|our|new|the) .{{3,40}}"
        r" (?:installed|fitted|delivered|built|put in)\b.*")),
    ("project", EnglishPattern(rf"{_I_HAVE} (?:just |recently )?applied (?:for|to) .+")),
    ("project", EnglishPattern(
        rf"{_I_AM} (?:also |currently |still )?(?:learning (?:to |how to |the |an? ){_SKILLS}\b"
        r"|saving (?:up )?for (?:an?|my|our|the)\b|studying for (?:an?|my|the)\b).*")),
    ("project", EnglishPattern(rf"{_I_AM} (?:also |currently )?{_RENEWING} (?:my|our|the|an?) .+")),
    ("event", EnglishPattern(rf"(?:my|our) (?:[\w'’-]+ )?{THINGS} {_BROKE}\b.*")),
    ("project", EnglishPattern(
        rf"{_I_HAVE} (?:have |got )?(?:an?|my|our|another) (?:[\w'’-]+ ){{0,4}}?{_DATES}\b.{{0,40}}"
        r"\b(?:on|at|in|next|tomorrow|this|every) .*")),
    ("project", EnglishPattern(
        rf"(?:my|our) (?:[\w'’-]+ ){{0,3}}?{_OCCASIONS}(?: to [\w ]{{2,20}})? (?:is|are|leaves|departs|starts) "
        r"(?:scheduled |booked |set |due )?"
        r"(?:on|at|for|in|next|tomorrow|this|the) .+")),
)  # fmt: skip
"""Statements that may still be about this moment, or about something known only from this conversation."""


def plain_kind(text: str) -> ClaimKind | None:
    """Return the kind of a sentence that explicitly states something lasting; None for any other sentence.

    >>> plain_kind("I usually take the bus"), plain_kind("Wool makes me itch"), plain_kind("I usually agree")
    ('preference', 'constraint', None)
    """
    for kind, pattern in _UNCHECKED:
        if pattern.match(text) is not None:
            return kind
    for kind, pattern in _CHECKED:
        if (match := pattern.match(text)) is not None:
            boundary = _CLAUSE.search(match[0], MIN_CLAUSE_CHARACTERS)
            first = match[0][: boundary.start()] if boundary else match[0]
            is_plain = len(collect_words(first)) > 2 and has_no_references(first) and NOT_LASTING.search(first) is None
            return kind if is_plain else None
    return general_kind(text)


MIN_CLAUSE_CHARACTERS = 12
"""Minimum characters of the first clause, which makes a statement plain. The clauses after it may be about anything."""
_CLAUSE = EnglishPattern(r",|;| (?:because|but|so (?:i|we|it|he|she|they|that|please)|since|when|and i|and we)\b")
