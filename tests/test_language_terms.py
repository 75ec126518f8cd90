"""Terms of other languages: stems, stop words, and questions that are searched under every possible stem."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

import keepsaid
from keepsaid.engine.languages import LANGUAGES
from keepsaid.engine.languages.registry import LATIN_LANGUAGES, language_tables
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.query.query_words import best_alternatives, find_query_words, merge_words
from keepsaid.engine.ranking.evidence import RankingEvidence
from keepsaid.engine.text.stopwords import STOP_TERMS, content_words, stop_terms
from keepsaid.engine.text.terms import index_terms, may_contain_terms, term_alternatives, terms
from keepsaid.ports import KeywordMatches, VisibleMessage
from keepsaid.types import Message, Role

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
def test_question_words_match_other_inflections(language: str) -> None:
    said, asked = INFLECTED[language]
    words = parse_query(asked, NOW).words
    found = set(index_terms(said))
    assert any(not found.isdisjoint(word) for word in words), (words, found)


@pytest.mark.parametrize("language", INFLECTED)
def test_search_finds_inflected_words(language: str) -> None:
    said, asked = INFLECTED[language]
    with keepsaid.open("memory://", embedder="off") as memory:
        chat = memory.chat(owner="u1")
        for text in (said, "Ok.", "12345"):
            chat.add("user", text)
        assert memory.search(asked, owner="u1", mode="words")[0].message.text == said


def test_stemming_uses_accents() -> None:
    assert terms("die Häuser, Straßen", "de") == ["die", "haus", "strass"]
    assert terms("mangée", "fr") == terms("mangés", "fr") == ["mang"]


def test_hindi_words_are_not_split_at_vowel_signs() -> None:
    assert all(len(term) > 1 for term in terms("पिछले हफ्ते मेरी बहन", "hi"))
    assert len(terms("पिछले हफ्ते मेरी बहन")) == 4


def test_terms_drop_accents() -> None:
    assert terms("Łódź São Ærø") == ["lodz", "sao", "aero"]


def test_stop_words_apply_to_their_language_only() -> None:
    for word in ("die", "war", "man", "come", "of", "son", "pour"):
        assert (word in STOP_TERMS) == (word == "of")
    assert {"die", "war", "man"} <= stop_terms("de")
    assert content_words(terms("Die Männer war man", "de"), "de") == ["mann"]
    assert content_words(terms("The men die in a war of man"), "en") == ["men", "die", "war", "man"]
    assert find_query_words("Wo war die Versammlung", "de") == [("versamml", "versammlung")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_stop_words(language: str) -> None:
    assert len(stop_terms(language)) > 60
    assert stop_terms("xx") is STOP_TERMS


def test_english_question_has_one_term_per_word() -> None:
    question = parse_query("Where did my sisters move to last year?", NOW)
    assert question.language == "en"
    assert question.words == (("sister",), ("move",))


def test_unknown_language_question_gets_stems_of_all_languages() -> None:
    (word,) = parse_query("Versammlungen", NOW).words
    assert {"versamml", "versammlungen"} <= set(word)
    assert word[0] == "versammlungen"  # English first


def test_long_unknown_text_gets_no_term_alternatives() -> None:
    log = " ".join(f"eth{number} rx{number}" for number in range(40))
    assert all(len(word) == 1 for word in term_alternatives(log, None))


def test_merge_words_joins_words_with_shared_term() -> None:
    assert merge_words([("a", "b"), ("c",), ("b", "c")]) == [("a", "b", "c")]


def _evidence(question: str, said: str, worth: dict[str, float]) -> float:
    asked = parse_query(question, NOW)
    message = Message("m1", "s1", 1, 0, Role.USER, said, 5, 0, 0.5, False, {})
    found = KeywordMatches([], {term: worth.get(term, 5.0) for term in asked.terms}, 5.0)
    seen = VisibleMessage(1, message, 0.0, ())
    return float(RankingEvidence.of(asked, [seen], found, {}, None, []).candidates.words.sum())


def test_term_alternatives_do_not_lower_perfect_match_score() -> None:
    said = "Ich habe den Wagen in der Werkstatt."
    plain = _evidence("wagen", "The wagen is red and it is mine.", {"wagen": 2.0, "wag": 2.0})
    several = _evidence("wo ist der Wagen", said, {"wag": 2.0, "wagen": 5.0})
    assert several == pytest.approx(plain)


def test_word_rarity_is_that_of_its_most_frequent_form() -> None:
    import numpy as np

    table = np.array([[1.0], [5.0]], np.float32)
    (share,) = best_alternatives(table, [("wag", "wagen")], {"wag": 1.0, "wagen": 5.0})[:, 0].tolist()
    assert share == pytest.approx(1.0 / 2.2)


def test_may_contain_terms_has_no_false_negatives() -> None:
    rng = random.Random(7)
    vocabulary = [word for code in LATIN_LANGUAGES for word in language_tables()[code].cues.split() if word.isascii()]
    vocabulary += "lopen gruesse huizen frecuencia strasse hiking dying Abenteuer uebung gelopen vuren".split()
    for _ in range(2_000):
        text = " ".join(rng.choices(vocabulary, k=rng.randint(1, 40)))
        wanted = rng.choices(index_terms(text) or ["x"], k=2)
        assert may_contain_terms(text, wanted), (text, wanted)


def test_may_contain_terms_agrees_with_index_on_long_words() -> None:
    text = "antidisestablishmentarianism " * 12 + "ich habe lopen und wir sind gelopen"
    assert all(may_contain_terms(text, [term]) for term in index_terms(text))


def test_search_supports_phrases_and_exclusions_in_german() -> None:
    with keepsaid.open("memory://", embedder="off") as memory:
        memory.chat(owner="u1").add("user", "Wir haben die alten Häuser der Großmutter verkauft.")
        assert memory.search('"alten Häuser"', owner="u1", mode="words")
        assert not memory.search('"Häuser alten"', owner="u1", mode="words")
        assert not memory.search("Häuser -Großmutter", owner="u1", mode="words")


def test_hit_reason_names_query_words_as_typed() -> None:
    with keepsaid.open("memory://", embedder="off") as memory:
        memory.chat(owner="u1").add("user", "Meine Schwestern wohnen in Bremen.")
        (hit,) = memory.search("Wo wohnt meine Schwester?", owner="u1", mode="words")
        assert "'Schwester'" in hit.reason
