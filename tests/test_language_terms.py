"""Words of other languages: stems, stop words, and questions that are looked for under every stem they may have."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

import recollect
from recollect.engine.evidence import Evidence
from recollect.engine.languages import LANGUAGES
from recollect.engine.languages.registry import LATIN, language_tables
from recollect.engine.query import understand
from recollect.engine.query_words import best_alternatives, merge_words, query_words
from recollect.engine.stopwords import STOP_TERMS, stop_terms, telling
from recollect.engine.terms import index_terms, may_have, term_alternatives, terms
from recollect.ports import Found, Seen
from recollect.types import Message, Role

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)

INFLECTED = {
    # A message, and a short question with other forms of its words that the language cannot always be told by.
    "de": ("Wir haben zwei alte Häuser in der Altstadt gekauft.", "altes haus"),
    "fr": ("Elle a acheté des chevaux blancs et une ferme.", "acheter fermes"),
    "es": ("Mis hermanos compraron unas bicicletas nuevas en la tienda.", "bicicleta nueva"),
    "it": ("Le mie sorelle hanno comprato delle biciclette nuove.", "bicicletta nuova"),
    "pt": ("As minhas irmãs compraram umas bicicletas novas.", "bicicleta nova"),
    "nl": ("We hebben gisteren twee nieuwe fietsen gekocht.", "nieuw fiets"),
    "sv": ("Jag har köpt två nya cyklar till mina flickor.", "flicka"),
    "pl": ("Moje siostry mieszkają w Krakowie od dwóch lat.", "siostra kraków"),
    "tr": ("Çocuklar yeni evlerini çok sevdi ama okul uzak.", "çocuk"),
    "ru": ("Мои сёстры живут в Казани уже два года.", "сестра казань"),
    "ar": ("اشتريت سيارتين جديدتين من المدينة القديمة", "مدينة قديمة"),
    "hi": ("मेरी बहनें लड़कियों के स्कूल में पढ़ती हैं", "लड़की"),
}


@pytest.mark.parametrize("language", INFLECTED)
def test_a_question_finds_other_forms_of_its_words(language: str) -> None:
    said, asked = INFLECTED[language]
    words = understand(asked, NOW).words
    found = set(index_terms(said))
    assert any(not found.isdisjoint(word) for word in words), (words, found)


@pytest.mark.parametrize("language", INFLECTED)
def test_inflected_words_are_found_in_a_store(language: str) -> None:
    said, asked = INFLECTED[language]
    with recollect.open("memory://", embedder="off") as memory:
        chat = memory.chat(owner="u1")
        for text in (said, "Ok.", "12345"):
            chat.add("user", text)
        assert memory.search(asked, owner="u1", mode="words")[0].message.text == said


def test_stems_need_the_accents() -> None:
    assert terms("die Häuser, Straßen", "de") == ["die", "haus", "strass"]
    assert terms("mangée", "fr") == terms("mangés", "fr") == ["mang"]


def test_hindi_words_are_not_cut_at_their_vowel_signs() -> None:
    assert all(len(term) > 1 for term in terms("पिछले हफ्ते मेरी बहन", "hi"))
    assert len(terms("पिछले हफ्ते मेरी बहन")) == 4


def test_the_same_text_without_accents_has_the_same_terms() -> None:
    assert terms("Łódź São Ærø") == ["lodz", "sao", "aero"]


def test_stop_words_belong_to_their_language() -> None:
    for word in ("die", "war", "man", "come", "of", "son", "pour"):
        assert (word in STOP_TERMS) == (word == "of")
    assert {"die", "war", "man"} <= stop_terms("de")
    assert telling(terms("Die Männer war man", "de"), "de") == ["mann"]
    assert telling(terms("The men die in a war of man"), "en") == ["men", "die", "war", "man"]
    assert query_words("Wo war die Versammlung", "de") == [("versamml", "versammlung")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_stop_words(language: str) -> None:
    assert len(stop_terms(language)) > 60
    assert stop_terms("xx") is STOP_TERMS


def test_an_english_question_has_one_term_a_word() -> None:
    question = understand("Where did my sisters move to last year?", NOW)
    assert question.language == "en"
    assert question.words == (("sister",), ("move",))


def test_a_question_in_an_unknown_language_is_looked_for_in_all() -> None:
    (word,) = understand("Versammlungen", NOW).words
    assert {"versamml", "versammlungen"} <= set(word)
    assert word[0] == "versammlungen"  # English first


def test_what_is_long_and_unknown_is_no_language() -> None:
    log = " ".join(f"eth{number} rx{number}" for number in range(40))
    assert all(len(word) == 1 for word in term_alternatives(log, None))


def test_words_that_share_a_term_are_one() -> None:
    assert merge_words([("a", "b"), ("c",), ("b", "c")]) == [("a", "b", "c")]


def _evidence(question: str, said: str, worth: dict[str, float]) -> float:
    asked = understand(question, NOW)
    message = Message("m1", "s1", 1, 0, Role.USER, said, 5, 0, 0.5, False, {})
    found = Found([], {term: worth.get(term, 5.0) for term in asked.terms}, 5.0)
    seen = Seen(1, message, 0.0, ())
    return float(Evidence.of(asked, [seen], found, {}, None, []).candidates.words.sum())


def test_alternatives_do_not_lower_the_share_of_a_perfect_match() -> None:
    said = "Ich habe den Wagen in der Werkstatt."
    plain = _evidence("wagen", "The wagen is red and it is mine.", {"wagen": 2.0, "wag": 2.0})
    several = _evidence("wo ist der Wagen", said, {"wag": 2.0, "wagen": 5.0})
    assert several == pytest.approx(plain)


def test_a_word_is_as_rare_as_its_most_frequent_form() -> None:
    import numpy as np

    table = np.array([[1.0], [5.0]], np.float32)
    (share,) = best_alternatives(table, [("wag", "wagen")], {"wag": 1.0, "wagen": 5.0})[:, 0].tolist()
    assert share == pytest.approx(1.0 / 2.2)


def test_may_have_never_hides_a_term() -> None:
    rng = random.Random(7)
    vocabulary = [word for code in LATIN for word in language_tables()[code].cues.split() if word.isascii()]
    vocabulary += "lopen gruesse huizen frecuencia strasse hiking dying Abenteuer uebung gelopen vuren".split()
    for _ in range(2_000):
        text = " ".join(rng.choices(vocabulary, k=rng.randint(1, 40)))
        wanted = rng.choices(index_terms(text) or ["x"], k=2)
        assert may_have(text, wanted), (text, wanted)


def test_long_texts_of_long_words_are_read_as_the_index_reads_them() -> None:
    text = "antidisestablishmentarianism " * 12 + "ich habe lopen und wir sind gelopen"
    assert all(may_have(text, [term]) for term in index_terms(text))


def test_phrases_are_found_in_every_language() -> None:
    with recollect.open("memory://", embedder="off") as memory:
        memory.chat(owner="u1").add("user", "Wir haben die alten Häuser der Großmutter verkauft.")
        assert memory.search('"alten Häuser"', owner="u1", mode="words")
        assert not memory.search('"Häuser alten"', owner="u1", mode="words")
        assert not memory.search("Häuser -Großmutter", owner="u1", mode="words")


def test_reasons_name_the_words_as_typed() -> None:
    with recollect.open("memory://", embedder="off") as memory:
        memory.chat(owner="u1").add("user", "Meine Schwestern wohnen in Bremen.")
        (hit,) = memory.search("Wo wohnt meine Schwester?", owner="u1", mode="words")
        assert "'Schwester'" in hit.reason
