"""Dutch."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

DUTCH = LanguageTable(
    code="nl",
    stemmer="dutch",
    stop_words="""
        de het een n t der den des deze dit die dat zulke
        ik me mij mijn mijne m n we wij ons onze jij je jou jouw jullie u uw
        hij hem zijn z'n ze zij haar hun hen zich zelf men iemand niemand iets niets alles alle allemaal iedereen
        ieder iedere
        elk elke beide
        wie wat waar wanneer waarom hoe welk welke hoeveel waarmee waarvoor waarover waarheen waarvan waaraan
        ben bent is zijn was waren geweest wees heb hebt heeft hebben had hadden gehad word wordt worden werd werden
        geworden
        kan kunt kunnen kon konden zal zult zullen zou zouden moet moeten moest moesten mag mogen mocht wil wilt
        willen wilde
        wilden doe doet doen deed gedaan ga gaat gaan ging gingen
        in op aan van voor met bij naar uit over onder boven tegen tussen door om tot sinds tijdens zonder na te per af
        en of maar want dus omdat als toen terwijl hoewel zodat dan
        niet geen nee ja wel ook nog al alleen maar heel erg zeer zo er hier daar nu weer meer veel vele weinig
        minder meest
        andere ander anders zelfde toch even eens eigenlijk daarom daarna ervan erop erbij
        eraan ermee alvast
        graag bedankt dank alsjeblieft alstublieft hallo hoi dag goedemorgen oké ok
    """,
    cues="""
        maand jaar
        altijd nooit soms misschien ooit
        zus broer moeder vader dochter zoon vrouw woont werkt heet mama papa
        vandaag gisteren morgen jaar jaren dagen keer gewoon beetje denk weet zegt zei goed goede leuk vorige volgende
        twee drie vier uur straks net eerst weken lekker kijken maken komt komen krijg krijgt
    """,
    letters="",
    first_person="ik me mij mijn we wij ons onze",
    questions={
        "how_many": "hoeveel, hoe vaak, hoe lang, hoe oud, hoe ver, hoe groot",
        "when": "wanneer, sinds wanneer, tot wanneer, op welke dag, in welk jaar, hoe laat",
        "where": "waar, waarheen, waarvandaan, vanwaar",
        "why": "waarom",
        "who": "wie, met wie, van wie, voor wie, aan wie",
        "which": "welk, welke",
        "how": "hoe",
        "what": "wat, waarmee, waarover, waarvoor, waarvan",
    },
    requests="""
        weet je, weet jij, heb ik, heb je, ben ik, was ik, kun je, kan je, kunt u, ken je, herinner je je, vertel
        me, vertel mij,
        zeg me, laat me zien, geef me, herinner me aan
    """,
    dates=DateWords(
        days={
            "eergisteren": -2,
            "gisteren|gisteravond|vannacht": -1,
            "vandaag|vanavond|vanmorgen|vanochtend|vanmiddag": 0,
            "overmorgen": 2,
            "morgen": 1,
        },
        which=(r"vorige?|afgelopen|laatste", r"deze|dit", r"volgende?|komende?|aanstaande?"),
        units={
            "day": "dag(?:en)?",
            "week": "we(?:ek|ken)",
            "weekend": "weekend",
            "month": "maand(?:en)?",
            "year": "ja(?:ar|ren)",
        },
        weekdays=("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"),
        months=(
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ),
        numbers={
            "een|één": 1,
            "twee": 2,
            "drie": 3,
            "vier": 4,
            "vijf": 5,
            "zes": 6,
            "zeven": 7,
            "acht": 8,
            "negen": 9,
            "tien": 10,
            "een paar|enkele": 0,
        },
        ago=("{n} {unit} geleden",),
        ahead=("over {n} {unit}",),
        signs=r"in|sinds|tot|vanaf|voor|na|van|begin|eind|half|medio|rond",
        year_words="het jaar",
        before="vóór",
        after="na",
        since="sinds|vanaf",
        until="tot",
    ),
)
