"""Synthetic messages: English-like sentences, the same in every run."""

from __future__ import annotations

import random
from itertools import accumulate

LENGTH = 120
"""The approximate length of a message in characters."""

_WORDS = """
a about account across actually advice afraid after afternoon again agree airport almost already also always amazing
amount and another answer anything apartment apple appointment april argue around arrive art ask august autumn away baby
back bad balance band bank battery beach beautiful because become before begin behind believe best better between
bicycle big bill birthday black blue board boat book both bottle box bread break breakfast bridge bring brother brown
budget build bus business but butter buy calendar call camera can car card careful carry cat centre chair change cheap
cheese chicken child choose city class clean clear climb clock close clothes cloud coat code coffee cold colour come
company computer concert cook corner cost could country course cousin cross cry customer dance dark date daughter day
december decide deep delay deliver dentist desk different difficult dinner dish doctor dog door double down draw dream
dress drink drive during each early earth east easy eat egg eight electric email empty end engine english enjoy enough
evening every exam example excited expect expensive explain eye face fact family far farm fast father february feel
festival few field file fill film final find fine finish fire first fish fit five flat flight floor flower fly follow
food foot for forest forget form forward four free fresh friday friend from front fruit full funny future game garden
gave get gift girl give glad glass goal good great green grey ground group grow guess guitar half hall hand happen happy
hard hat have head health hear heart heavy help here high hill history hold holiday home hope horse hospital hot hotel
hour house how hundred hungry hurry hurt idea if important in inside interest into invite island january job join juice
july jump june just keep key kind kitchen know lake language large last late laugh learn leave left lesson letter
library light like line list listen little live local long look lose love lunch machine make manager many map march
market maybe meal mean meet meeting menu message milk minute mirror miss moment monday money month moon more morning
mother mountain move movie much museum music must name near need neighbour never new news next nice night nine noise
north not note november now number october of offer office often old on once one only open or orange order other our out
over own page paint paper parents park part party pass pay pen people perfect person phone photo piano picture place
plan plant play please point police possible post practice prefer present price print problem project promise put
question quick quiet quite rain read ready really reason receive red remember rent repair reply report rest restaurant
return rice right ring river road room run sad safe sale salt same saturday save say school science sea season seat
second see sell send september seven several share she shirt shoe shop short should show sick side sign simple since
sing sister sit six size sleep slow small smile snow so some song soon sorry soup south speak special spend sport spring
stairs stand star start station stay still stop story street strong student study sugar suggest suit summer sunday sure
surprise swim table take talk taste tea teach team tell ten tennis test than thank that the theatre their then there
these they thing think this though three through thursday ticket time tired to today together tomorrow tonight too top
town train travel tree trip try tuesday turn two umbrella under understand university until up use usually vegetable
very village visit voice wait walk wall want warm wash watch water way we weather website wednesday week weekend welcome
well west what when where which white who why wife will win window winter wish with without woman wonder word work world
worry would write wrong year yellow yes yesterday yet you young your zero
"""


def make_sentences(count: int, seed: int = 7) -> list[str]:
    """Return random sentences, the same for the same seed.

    >>> make_sentences(2) == make_sentences(2), 80 < len(make_sentences(1)[0]) < 160
    (True, True)
    """
    chance = random.Random(seed)
    # Word frequencies fall off as in real text: a few words are frequent, most are rare.
    order = _WORDS.split()
    chance.shuffle(order)
    weights = list(accumulate(1 / rank for rank in range(1, len(order) + 1)))
    return [
        _sentence(chance.choices(order, cum_weights=weights, k=LENGTH // 2), LENGTH + chance.randint(-20, 20))
        for _ in range(count)
    ]


def _sentence(words: list[str], length: int) -> str:
    text = words[0].capitalize()
    for word in words[1:]:
        if len(text) >= length:
            break
        text = f"{text} {word}"
    return text + "."


_COMMON = """
the i to and a you of it is in that my for was have we with on but me so this be are not do at if can just what like
would they your about when there all or get had from know will how as an think one our go been out up time really
"""
"""Function words, the most frequent first."""
_TOPICS = 60
_RARE = 12_000


def make_passages(count: int, seed: int = 7) -> list[str]:
    """Return random messages like those of real users: 5 to 250 words, each with a topic and a few rare words.

    >>> few = make_passages(3)
    >>> few == make_passages(3), all(5 <= len(text.split()) <= 250 for text in few)
    (True, True)
    """
    chance = random.Random(seed)
    content = [word for word in _WORDS.split() if word not in _COMMON.split()]
    # Most of the words of a language are rare: compounds represent them.
    rare = ["".join(chance.sample(content, 2)) for _ in range(_RARE)]
    vocabulary = [*_COMMON.split(), *chance.sample(content, len(content)), *rare]
    weights = list(accumulate(1 / (rank + 2) for rank in range(len(vocabulary))))
    topics = [chance.sample(content, 25) + chance.sample(rare, 15) for _ in range(_TOPICS)]
    return [_about(chance, chance.choice(topics), vocabulary, weights) for _ in range(count)]


def _about(chance: random.Random, topic: list[str], vocabulary: list[str], weights: list[float]) -> str:
    length = min(250, max(5, round(chance.lognormvariate(3.2, 0.9))))
    words = [
        chance.choice(topic) if chance.random() < 0.2 else word
        for word in chance.choices(vocabulary, cum_weights=weights, k=length)
    ]
    text = ""
    while words:
        end = chance.randint(6, 18)
        sentence, words = words[:end], words[end:]
        text += f" {' '.join(sentence).capitalize()}."
    return text.strip()


def vary_text(text: str, chance: random.Random, share: float = 0.1) -> str:
    """Return a text with some of its words replaced.

    >>> vary_text("We took the train.", random.Random(1), share=1.0) != "We took the train."
    True
    """
    others = _WORDS.split()
    return " ".join(chance.choice(others) if chance.random() < share else word for word in text.split(" "))
