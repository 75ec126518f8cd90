"""Languages are told apart by script, function words and letters; unsure texts are not guessed at."""

from __future__ import annotations

import pytest

from keepsaid.engine.languages import LANGUAGES, detect_language
from keepsaid.engine.languages.detect import FOREIGN_WORDS, MAX_CHARACTERS

SENTENCES = {
    "en": ("Where does my sister live these days?", "I bought a red bicycle and it was too small for her."),
    "de": ("wo wohnt meine schwester", "Der Bus ist durch, aber erst nach den Bremsen."),
    "fr": ("où habite ma soeur maintenant", "Je dois indiquer ma salle de cours à l'inspectrice."),
    "es": ("donde vive mi hermana", "Mi hermano tiene una tienda en Sevilla y trabaja mucho."),
    "it": ("dove abita mia sorella", "Ieri sono andato al mare con gli amici."),
    "pt": ("onde mora a minha irmã", "O meu irmão não gosta de peixe, mas eu adoro."),
    "nl": ("waar woont mijn zus nu", "Ik heb gisteren een nieuwe fiets gekocht."),
    "sv": ("var bor min syster nu", "Jag köpte en ny cykel och den är röd."),
    "pl": ("gdzie mieszka moja siostra", "Wczoraj byłem w kinie i było bardzo fajnie."),
    "tr": ("kız kardeşim nerede oturuyor", "Dün yeni bir bisiklet aldım ama çok küçük."),
    "ru": ("где живёт моя сестра", "Вчера купил новый велосипед."),
    "zh": ("我妹妹住在哪里", "昨天買了一輛新自行車"),
    "ja": ("妹はどこに住んでいますか", "昨日新しい自転車を買った"),
    "ko": ("여동생은 어디에 살아요", "어제 새 자전거를 샀어요"),
    "ar": ("أين تسكن أختي", "اشتريت دراجة جديدة أمس"),
    "hi": ("मेरी बहन कहाँ रहती है", "कल मैंने नई साइकिल खरीदी"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_detect_language_knows_plain_sentences(language: str) -> None:
    assert [detect_language(text) for text in SENTENCES[language]] == [language, language]


@pytest.mark.parametrize("text", ["", "Ana", "Ana, Madrid", "ok", "東京", "12.05.2026", "npm install keepsaid", "😀"])
def test_detect_language_does_not_guess(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "The man said that the war was over and we would die of hunger",
        "Come with me to the art fair, my son will pour the tea",
        "I met her on the way to the van, she had a hat on",
        "We flew to Los Angeles and then to Rio de Janeiro",
        "I am learning kanji: 東京 is the capital of Japan and I like it",
    ],
)
def test_english_with_words_of_other_languages_stays_english(text: str) -> None:
    assert detect_language(text) == "en"


def test_persian_is_not_detected_as_arabic() -> None:
    assert detect_language("خواهرم کجا زندگی می‌کند چه گفت") is None


def test_detect_language_reads_only_the_beginning() -> None:
    english = "This is what we said about it. " * (MAX_CHARACTERS // 20)
    assert detect_language(english + "und der die das ist nicht " * 500) == "en"


def test_foreign_words_omit_common_english_words() -> None:
    assert FOREIGN_WORDS.isdisjoint("the man who met me had a hat and would die for a kind word".split())
    assert not FOREIGN_WORDS.isdisjoint("wo ist meine schwester".split())
