"""Questions, speakers and follow-ups in other languages than English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from keepsaid.engine.follow_up import complete_question
from keepsaid.engine.languages import LANGUAGES, is_first_person
from keepsaid.engine.languages.questions import question_kind
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.types import Message, Role

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)

WHERE = {
    "de": "wo wohnt meine schwester",
    "fr": "où habite ma soeur",
    "es": "donde vive mi hermana",
    "it": "dove abita mia sorella",
    "pt": "onde mora a minha irmã",
    "nl": "waar woont mijn zus",
    "sv": "var bor min syster",
    "pl": "gdzie mieszka moja siostra",
    "ru": "где живёт моя сестра",
    "tr": "benim kız kardeşim nerede oturuyor",
    "zh": "我妹妹住在哪里",
    "ja": "私の妹はどこに住んでいる",
    "ko": "내 여동생은 어디 살아",
    "ar": "أين تسكن أختي",
    "hi": "मेरी बहन कहाँ रहती है",
}
TOLD = {
    "de": "Die Nachbarin wohnt in Bremen.",
    "fr": "La voisine habite à Lyon.",
    "es": "La vecina vive en Sevilla.",
    "it": "La vicina abita a Torino.",
    "pt": "A vizinha mora em Lisboa.",
    "nl": "De buurvrouw woont in Utrecht.",
    "sv": "Grannen bor i Lund.",
    "pl": "Sąsiadka mieszka w Krakowie.",
    "ru": "Соседка живёт в Казани.",
    "tr": "Komşu Bursa'da oturuyor.",
    "zh": "邻居住在杭州。",
    "ja": "隣の人は大阪に住んでいます。",
    "ko": "이웃은 부산에 살아요.",
    "ar": "الجارة تسكن في المدينة.",
    "hi": "पड़ोसन दिल्ली में रहती है।",
}


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_question_is_recognized_without_question_mark(language: str) -> None:
    assert is_question_text(WHERE[language])
    assert not is_question_text(TOLD[language])
    question = parse_query(WHERE[language], NOW)
    assert (question.language, question.kind, question.asks_user) == (language, "where", True)
    statement = parse_query(TOLD[language], NOW)
    assert (statement.kind, statement.asks_user) == ("statement", None)


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("Wie viele Kinder hat Ana?", "de", "how_many"),
        ("Wie heißt der Hund?", "de", "how"),
        ("Combien coûte le billet ?", "fr", "how_many"),
        ("¿Cuándo llega el tren?", "es", "when"),
        ("Chi ha telefonato?", "it", "who"),
        ("Por que ele saiu?", "pt", "why"),
        ("什么时候出发？", "zh", "when"),
        ("誰が来ましたか", "ja", "who"),
        ("왜 늦었어?", "ko", "why"),
    ],
)
def test_question_kind_is_recognized(text: str, language: str, kind: str) -> None:
    assert question_kind(text, language) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Wo ich wohne, ist es ruhig und schön",
        "Quand j'étais jeune, je vivais à Rome avec ma soeur",
        "Wie gesagt, das war nicht meine Idee.",
        "Cuando era niño vivía con mis abuelos en una casa muy grande cerca del mar y de la playa",
    ],
)
def test_clause_starting_with_question_word_is_not_a_question(text: str) -> None:
    assert not is_question_text(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Compré un coche", "es"),
        ("Kupiłem samochód", "pl"),
        ("Yeni bir araba aldım", "tr"),
        ("Comprei um carro", "pt"),
        ("Andavo sempre al mare", "it"),
        ("引っ越したいな", "ja"),
        ("I moved", None),
    ],
)
def test_first_person_is_recognized_by_verb_ending(text: str, language: str | None) -> None:
    assert is_first_person(text, language)


@pytest.mark.parametrize(("text", "language"), [("Ana compra un café", "es"), ("Ana moved", "en"), ("Mein", "fr")])
def test_other_text_is_not_first_person(text: str, language: str) -> None:
    assert not is_first_person(text, language)


def _build_conversation(text: str) -> list[Message]:
    message = Message("m1", "s1", 1, 0, Role.USER, text, 8, 0, 0.5, False, {})
    return [message, message._replace(id="m2", seq=2, role=Role.ASSISTANT, text="Ok.")]


@pytest.mark.parametrize(
    ("said", "question", "expected"),
    [
        ("Meine Schwester Ana ist in Madrid.", "Wohnt sie noch dort?", "Wohnt sie noch dort (Schwester Ana, Madrid)?"),
        ("Meine Schwester Ana ist in Madrid.", "und im Winter?", "und im Winter (Schwester Ana, Madrid)?"),
        ("Ma sœur Claire est à Lyon.", "Elle y habite encore ?", "Elle y habite encore (sœur Claire, Lyon)?"),
        ("Mi hermana Lucía está en Sevilla.", "¿Qué te parece eso?", "¿Qué te parece eso (hermana Lucía, Sevilla)?"),
        ("Mia sorella Chiara è a Torino.", "Lei abita ancora lì?", "Lei abita ancora lì (sorella Chiara, Torino)?"),
        ("Minha irmã Joana está em Lisboa.", "Ela ainda mora lá?", "Ela ainda mora lá (irmã Joana, Lisboa)?"),
    ],
)
def test_follow_up_question_is_completed(said: str, question: str, expected: str) -> None:
    assert complete_question(question, _build_conversation(said)).text == expected


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet das Auto?",
        "Ist das alte Auto noch da?",
        "Wie alt ist Ana?",
        "Danke dir!",
        "Wie viele Zähne hat ein ausgewachsener Hund?",
        "Il fait beau aujourd'hui ?",
        "¿Cuántos años tiene Lucía?",
        "Che tempo fa a Roma?",
    ],
)
def test_self_contained_question_is_not_changed(question: str) -> None:
    assert complete_question(question, _build_conversation("Meine Schwester Ana ist in Madrid.")).text == question
