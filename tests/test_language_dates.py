"""Date words of fifteen languages, as seen from Wednesday, 13 May 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from keepsaid.engine.languages import LANGUAGES
from keepsaid.engine.languages.dates import find_dates
from keepsaid.engine.text.calendar import RelativeCalendar
from keepsaid.engine.text.dates import find_times

NOW = datetime(2026, 5, 13, 12, 30, tzinfo=UTC)

YESTERDAY, BEFORE, TODAY, TOMORROW = "2026-05-12", "2026-05-11", "2026-05-13", "2026-05-14"
LAST_WEEK, THIS_MONTH, NEXT_YEAR, LAST_YEAR = "2026-05-04", "2026-05-01", "2027-01-01", "2025-01-01"

WORDS = {
    "de": {
        "vorgestern": BEFORE,
        "gestern": YESTERDAY,
        "letzte Woche": LAST_WEEK,
        "diesen Monat": THIS_MONTH,
        "nächstes Jahr": NEXT_YEAR,
        "letzten Dienstag": YESTERDAY,
        "vor drei Tagen": "2026-05-10",
        "im März": "2026-03-01",
        "am 13.05.2026": TODAY,
        "3. Mai 2025": "2025-05-03",
        "im Dezember": "2025-12-01",
    },
    "fr": {
        "avant-hier": BEFORE,
        "hier": YESTERDAY,
        "la semaine dernière": LAST_WEEK,
        "ce mois": THIS_MONTH,
        "l'année prochaine": NEXT_YEAR,
        "mardi dernier": YESTERDAY,
        "il y a trois jours": "2026-05-10",
        "en mars": "2026-03-01",
        "le 13/05/2026": TODAY,
        "1er mai 2025": "2025-05-01",
    },
    "es": {
        "anteayer": BEFORE,
        "ayer": YESTERDAY,
        "la semana pasada": LAST_WEEK,
        "este mes": THIS_MONTH,
        "el año que viene": NEXT_YEAR,
        "el martes pasado": YESTERDAY,
        "hace tres días": "2026-05-10",
        "en marzo de 2024": "2024-03-01",
        "el 12/05/2026": YESTERDAY,
        "mañana": TOMORROW,
    },
    "it": {
        "l'altro ieri": BEFORE,
        "ieri": YESTERDAY,
        "la settimana scorsa": LAST_WEEK,
        "questo mese": THIS_MONTH,
        "l'anno prossimo": NEXT_YEAR,
        "martedì scorso": YESTERDAY,
        "tre giorni fa": "2026-05-10",
        "a marzo": "2026-03-01",
        "nel 2024": "2024-01-01",
    },
    "pt": {
        "anteontem": BEFORE,
        "ontem": YESTERDAY,
        "na semana passada": LAST_WEEK,
        "este mês": THIS_MONTH,
        "no próximo ano": NEXT_YEAR,
        "terça passada": YESTERDAY,
        "há três dias": "2026-05-10",
        "em março": "2026-03-01",
        "3 de maio de 2025": "2025-05-03",
    },
    "nl": {
        "eergisteren": BEFORE,
        "gisteren": YESTERDAY,
        "vorige week": LAST_WEEK,
        "deze maand": THIS_MONTH,
        "volgend jaar": NEXT_YEAR,
        "afgelopen dinsdag": YESTERDAY,
        "drie dagen geleden": "2026-05-10",
        "in maart": "2026-03-01",
        "op 13-05-2026": TODAY,
    },
    "sv": {
        "i förrgår": BEFORE,
        "igår": YESTERDAY,
        "förra veckan": LAST_WEEK,
        "den här månaden": THIS_MONTH,
        "nästa år": NEXT_YEAR,
        "förra tisdagen": YESTERDAY,
        "för tre dagar sedan": "2026-05-10",
        "i mars": "2026-03-01",
        "i fjol": LAST_YEAR,
    },
    "pl": {
        "przedwczoraj": BEFORE,
        "wczoraj": YESTERDAY,
        "w zeszłym tygodniu": LAST_WEEK,
        "w tym miesiącu": THIS_MONTH,
        "w przyszłym roku": NEXT_YEAR,
        "w zeszły wtorek": YESTERDAY,
        "trzy dni temu": "2026-05-10",
        "w marcu": "2026-03-01",
        "w 2024 roku": "2024-01-01",
        "13.05.2026": TODAY,
    },
    "ru": {
        "позавчера": BEFORE,
        "вчера": YESTERDAY,
        "на прошлой неделе": LAST_WEEK,
        "в этом месяце": THIS_MONTH,
        "в следующем году": NEXT_YEAR,
        "в прошлый вторник": YESTERDAY,
        "три дня назад": "2026-05-10",
        "в марте": "2026-03-01",
        "3 мая 2025": "2025-05-03",
    },
    "tr": {
        "evvelsi gün": BEFORE,
        "dün": YESTERDAY,
        "geçen hafta": LAST_WEEK,
        "bu ay": THIS_MONTH,
        "gelecek yıl": NEXT_YEAR,
        "geçen salı": YESTERDAY,
        "üç gün önce": "2026-05-10",
        "mart'ta": "2026-03-01",
        "2024 yılında": "2024-01-01",
    },
    "zh": {
        "前天": BEFORE,
        "昨天": YESTERDAY,
        "上周": LAST_WEEK,
        "上星期": LAST_WEEK,
        "这个月": THIS_MONTH,
        "明年": NEXT_YEAR,
        "上周二": "2026-05-05",
        "三天前": "2026-05-10",
        "3月": "2026-03-01",
        "2026年5月13日": TODAY,
        "去年": LAST_YEAR,
    },
    "ja": {
        "一昨日": BEFORE,
        "昨日": YESTERDAY,
        "先週": LAST_WEEK,
        "今月": THIS_MONTH,
        "来年": NEXT_YEAR,
        "先週の火曜日": "2026-05-05",
        "3日前": "2026-05-10",
        "3月": "2026-03-01",
        "2026年5月13日": TODAY,
    },
    "ko": {
        "그저께": BEFORE,
        "어제": YESTERDAY,
        "지난주": LAST_WEEK,
        "이번 달": THIS_MONTH,
        "내년": NEXT_YEAR,
        "지난 화요일": YESTERDAY,
        "3일 전": "2026-05-10",
        "5월 13일": TODAY,
        "작년": LAST_YEAR,
    },
    "ar": {
        "أول أمس": BEFORE,
        "أمس": YESTERDAY,
        "الأسبوع الماضي": LAST_WEEK,
        "هذا الشهر": THIS_MONTH,
        "السنة القادمة": NEXT_YEAR,
        "الثلاثاء الماضي": YESTERDAY,
        "قبل ثلاثة أيام": "2026-05-10",
        "في مارس": "2026-03-01",
        "13/05/2026": TODAY,
    },
    "hi": {
        "परसों": BEFORE,
        "कल": YESTERDAY,
        "पिछले हफ्ते": LAST_WEEK,
        "इस महीने": THIS_MONTH,
        "अगले साल": NEXT_YEAR,
        "पिछले मंगलवार": YESTERDAY,
        "तीन दिन पहले": "2026-05-10",
        "मार्च में": "2026-03-01",
    },
}


def test_every_language_except_english_has_date_examples() -> None:
    assert set(WORDS) == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize(("language", "words"), [(code, words) for code, table in WORDS.items() for words in table])
def test_find_dates_resolves_date_words(language: str, words: str) -> None:
    (mention,) = find_dates(words, language, RelativeCalendar(NOW))
    assert str(mention.period.start.date()) == WORDS[language][words]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Was haben wir letzte Woche gekocht?", ["letzte Woche"]),
        ("¿Qué compré el martes pasado en la tienda?", ["martes pasado"]),
        ("Qu'est-ce que j'ai dit hier sur le 2026-05-01 ?", ["hier", "2026-05-01"]),
        ("先週は何を食べましたか", ["先週"]),
        ("지난주에 뭐 했어?", ["지난주"]),
        ("昨日", ["昨日"]),
        ("Wo wohnt meine Schwester?", []),
        ("Der Mai ist gekommen, und ich bin nicht da.", []),
        ("Il mio marzo è lungo ma non so perché", []),
    ],
)
def test_find_times_uses_language_of_text(text: str, spans: list[str]) -> None:
    assert [text[slice(*time.span)] for time in find_times(text, NOW)] == spans


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Was habe ich seit April gegessen?", "2026-04-01", None),
        ("Was war mit uns bis gestern?", None, "2026-05-13"),
        ("Qu'est-ce que j'ai fait depuis mars ?", "2026-03-01", None),
    ],
)
def test_find_times_reads_open_ranges(text: str, start: str | None, end: str | None) -> None:
    (time,) = find_times(text, NOW)
    assert (time.start and str(time.start.date()), time.end and str(time.end.date())) == (start, end)


@pytest.mark.parametrize("text", ["Ich war am 31.02.2026 nicht da", "Ich bin am 45.45.2026 nicht da"])
def test_find_times_ignores_impossible_dates(text: str) -> None:
    assert find_times(text, NOW) == []


def test_slash_dates_are_day_first_except_in_english() -> None:
    assert find_times("What did we do on 03/04/2026?", NOW)[0].start == datetime(2026, 3, 4, tzinfo=UTC)
    assert find_times("¿Qué hicimos el 03/04/2026?", NOW)[0].start == datetime(2026, 4, 3, tzinfo=UTC)
