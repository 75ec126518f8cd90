"""Polish."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

POLISH = LanguageTable(
    code="pl",
    stemmer="polish",
    stop_words="""
        ten ta to tę tą ci te tego tej temu tym tych tymi tamten tamta tamto taki taka takie takiego takiej
        ja mnie mną mi mój moja moje mojego mojej mojemu moim moich moimi moją my nas nam nami nasz nasza nasze
        naszego naszej
        naszych ty ciebie cię tobie ci tobą twój twoja twoje twojego twojej wy was wam wami wasz wasza
        on ona ono oni one jego go jemu mu nim nią niej niego jej ją ich im nimi nich się siebie sobie sobą swój
        swoja swoje
        swojego swojej swoją
        kto kogo komu kim co czego czemu czym kiedy gdzie dokąd skąd dlaczego jak jaki jaka jakie jakiego jakiej
        który która
        które którego której których którym którą czy ile ilu
        jestem jesteś jest jesteśmy jesteście są był była było byli były byłem byłam być będę będziesz będzie
        będziemy będą
        bym byś by mam masz ma mamy macie mają miał miała miało mieli miałem miałam mieć mogę możesz może możemy
        mogą można
        móc muszę musisz musi trzeba chcę chcesz chce chciałbym chciałabym
        w we z ze na do od dla o u po za przed przez pod nad przy bez między o podczas wobec według koło
        i a oraz lub albo ani ale lecz jednak więc zatem bo ponieważ gdy gdyby jeśli jeżeli że żeby aby choć chociaż niż
        nie tak też także tylko już jeszcze bardzo dużo mało więcej mniej trochę nic nikt coś ktoś jakiś jakaś
        każdy każda każde wszystko wszyscy wszystkie inny inna inne sam sama samo
        tu tutaj tam teraz wtedy potem znowu no niech proszę dziękuję dzięki cześć hej dobra ok
    """,
    cues="""
        zeszłym tygodniu miesiącu
        zawsze nigdy
        siostra brat matka ojciec córka syn mąż mieszka pracuje mama tata nazywa
        dzisiaj dziś wczoraj jutro rok lat dni dzień tydzień raz razy myślę wiem mówi chyba dobrze dobry dwa trzy cztery
        właśnie żona ostatnio zł
    """,
    letters="łąęśżźćń",
    first_person="""
        ja mnie mną mi mój moja moje mojego mojej mojemu moim moich moimi moją my nas nam nami nasz nasza nasze
        naszego naszej naszych
        jestem mam mogę muszę chcę będę jesteśmy mamy wiem byłem byłam
    """,
    first_person_pattern=r"\b\w{2,}(?:łem|łam|liśmy|łyśmy)\b",
    questions={
        "how_many": "ile, ilu, jak często, jak długo, jak daleko",
        "when": "kiedy, od kiedy, do kiedy, którego dnia, w którym roku, o której",
        "where": "gdzie, dokąd, skąd",
        "why": "dlaczego, czemu, po co",
        "who": "kto, kogo, komu, z kim, od kogo, dla kogo, czyj, czyja",
        "which": "który, która, które, którego, której, jaki, jaka, jakie",
        "how": "jak",
        "what": "co, czego, czym, o czym",
    },
    requests="""
        czy, wiesz, pamiętasz, możesz, mógłbyś, mogłabyś, znasz, powiedz mi, powiedz, opowiedz, przypomnij mi, pokaż
        mi, podaj
    """,
    dates=DateWords(
        days={"przedwczoraj": -2, "wczoraj": -1, "dzisiaj|dziś": 0, "pojutrze": 2, "jutro": 1},
        which=(r"zeszł\w+|ubiegł\w+|ostatni\w*|poprzedni\w*", r"tym|ten|tego|tej|tę|ta", r"przyszł\w+|następn\w+|kolejn\w+"),
        units={
            "day": r"dni\w*|dzień|dnia",
            "week": r"tydzień|tygodni\w*",
            "weekend": r"weekend\w*",
            "month": r"miesiąc\w*|miesięc\w*",
            "year": r"rok\w*|lat\w?",
        },
        weekdays=(r"poniedział\w+", r"wtor\w+", r"środ\w+", r"czwart\w+", r"piąt\w+", r"sobot\w+", r"niedziel\w+"),
        months=(
            r"stycz\w+",
            r"lut\w{2,3}",
            "mar(?:zec|ca|cu|cem)",
            "kwie(?:cień|tnia|tniu)",
            "maj[au]?",
            "czerw(?:iec|ca|cu)",
            "lip(?:iec|ca|cu)",
            "sierp(?:ień|nia|niu)",
            "wrze(?:sień|śnia|śniu)",
            r"październik\w*",
            r"listopad\w*",
            "grud(?:zień|nia|niu)",
        ),
        numbers={
            "jeden|jedną|jedna": 1,
            "dwa|dwie": 2,
            "trzy": 3,
            "cztery": 4,
            "pięć": 5,
            "sześć": 6,
            "siedem": 7,
            "osiem": 8,
            "dziewięć": 9,
            "dziesięć": 10,
            "kilka|parę": 0,
        },
        ago=("{n} {unit} temu",),
        ahead=("za {n} {unit}",),
        periods={"tydzień temu": ("week", -1), "miesiąc temu": ("month", -1), "rok temu": ("year", -1)},
        signs=r"w|we|od|do|przed|po|na początku|pod koniec|w połowie",
        year_words=r"roku|rok|r\.",
        before="przed",
        after="po",
        since="od",
        until="do",
    ),
)
