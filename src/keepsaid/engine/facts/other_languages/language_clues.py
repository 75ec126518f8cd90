"""Guess the language of a short statement with too few function words for `detect_language`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

MAX_CHARACTERS = 120
"""Characters. Longer texts have enough function words; if their language is unclear, it is not guessed."""

_WORDS = re.compile(r"[^\W\d_]+")
_CLUES = {
    "de": "ich mich mir mein meine meinen meinem wir unser unsere wohne heiße arbeite programmiere nenn antworte"
    " vertrage esse trinke sohn tochter freundin geburtstag gekauft verkauft lerne studiere habe hab lese"
    " spiele abends"
    " grundsätzlich künftig niemals immer bitte duze duz sieze keinerlei antworten",
    "fr": "je appelle tutoie déteste adore habite mange mes notre suis allergique végétarien végétarienne mon fils"
    " fille mari copine anniversaire acheté vendu apprends bois lis joue travaille étudie"
    " jamais toujours désormais dorénavant maintenant sois soyez bref systématiquement"
    " proposez réponds répondez tutoie vouvoie",
    "es": "llamo llámame llamame vivo soy mudo tengo toco odio prefiero encanta encantan gusta gustan hermana"
    " hermano trabajo cumplo puedo alérgica alérgico respóndeme nunca mudamos perro vegetariana vegetariano"
    " estudio estoy hago voy mis hijo hija marido mujer novia cumpleaños compré vendí quiero años llevo escribo"
    " aprendo suelo"
    " siempre puedes tutearme tutéame háblame dime respuestas",
    "it": "chiamo chiamami abito sono lavoro ho trasferiamo trasferisco programmo soprattutto adoro odio suono"
    " mangio bevo sorella fratello gatto allergico allergica rispondimi vegetariano vegetariana preferisco mia"
    " mio studio faccio vado figlio figlia marito moglie fidanzata compleanno comprato venduto voglio anni"
    " imparo abbiamo viviamo"
    " sempre puoi dammi dimmi parlami risposte",
    "pt": "chamo moro sou tenho trabalho meu minha gosto adoro odeio toco prefiro irmã irmão cachorro alérgico"
    " alérgica acabei vegetariano vegetariana estudo faço estou vou filho filha marido namorada aniversário"
    " comprei vendi quero anos aprendo treino costumo temos moramos trate"
    " sempre podes responda responde respostas",
    "nl": "ik mijn woon heet werk noem drink eet speel allergisch onze zoon dochter vrouw vriendin verjaardag"
    " gekocht verkocht leer studeer heb loop"
    " altijd nooit graag voortaan antwoord antwoorden alsjeblieft",
    "sv": "jag mitt mina heter bor jobbar kalla dricker äter spelar allergisk vår dotter fru sambo födelsedag köpt"
    " sålt lär studerar är läser lyssnar börjar skolan"
    " alltid aldrig svara gärna inga svaren",
    "pl": "mam jestem mieszkam nazywam mój moja pracuję lubię piję jem gram się uwielbiam mów syn córka żona mąż"
    " urodziny kupiłem kupiłam uczę studiuję mamy budujemy nasz nasza biegam czytam mieszkamy"
    " zawsze nigdy proszę odpowiadaj odpowiedzi",
    "tr": "adım oturuyorum yaşıyorum çalışıyorum yemiyorum içerim severim benim yıldır var kardeşim korkuyorum"
    " nefret oğlum kızım eşim doğum aldım sattım öğreniyorum okuyorum ben bizim içmem kullanıyorum"
    " lütfen bana asla cevapla yanıtla cevaplar",
}
"""Words with which people talk about themselves or make lasting requests, by language. A word can be in several lists."""


def guess_language(text: str, least: int = 1) -> str | None:
    """Return the language with most clues in a short text.

    None if no language has at least `least` clues more than the next one.

    >>> guess_language("Me llamo Rocío Benítez"), guess_language("Mi chiamo Gaia"), guess_language("Ana, Madrid")
    ('es', 'it', None)
    """
    if len(text) > MAX_CHARACTERS:
        return None
    owners, votes = _clue_owners(), Counter[str]()
    for word in _WORDS.findall(text.lower()):
        votes.update(owners.get(word, ()))
    ranked = [*votes.most_common(2), ("", 0), ("", 0)]
    return ranked[0][0] if ranked[0][1] - ranked[1][1] >= least else None


def has_clues(words: Iterable[str]) -> bool:
    """Return whether any of these lower-case words is a clue.

    >>> has_clues(["the", "rust"]), has_clues(["ich", "wohne"])
    (False, True)
    """
    return not _clue_owners().keys().isdisjoint(words)


@cache
def _clue_owners() -> Mapping[str, tuple[str, ...]]:
    owners: dict[str, tuple[str, ...]] = {}
    for language, words in _CLUES.items():
        for word in words.split():
            owners[word] = (*owners.get(word, ()), language)
    return owners
