"""Swedish."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

SWEDISH = LanguageTable(
    code="sv",
    stemmer="swedish",
    stop_words="""
        en ett den det de dem dom denna detta dessa
        jag mig mej min mitt mina vi oss vår vårt våra du dig dej din ditt dina ni er ert era
        han honom hans hon henne hennes hen sin sitt sina sig sej man deras dess själv själva någon något några
        ingen inget
        inga allt alla all varje båda annan annat andra samma
        vem vems vad vilken vilket vilka när var vart varifrån varför hur ifall om
        är var varit vara vore har hade haft ha blir blev blivit bli kan kunde kunnat ska skall skulle måste får fick
        vill ville bör borde brukar brukade gör gjorde göra gå går gick
        i på av för med till från hos mot mellan under över efter före innan genom utan vid kring åt ur sedan sen
        och eller men utan samt att som så då därför eftersom medan fast fastän än
        inte ej nej ja jo också bara redan ännu mycket många mer mest lite få mindre väldigt ganska

        här där dit hit nu igen ju väl nog ändå tack hej snälla okej ok sådan sådana sånt
    """,
    cues="""
        veckan månad
        alltid aldrig ofta kanske
        syster bror mamma pappa dotter fru bor jobbar
        idag igår imorgon år dag dagar vecka gång bra tycker tror säger sa vet heter blir kul typ nya två tre fyra
        nästa förra
        kommer kom fått ta tar tog behöver svårt
    """,
    letters="å",
    first_person="jag mig mej min mitt mina vi oss vår vårt våra",
    questions={
        "how_many": "hur många, hur mycket, hur ofta, hur länge, hur gammal, hur långt",
        "when": "när, sedan när, vilken dag, vilket år, hur dags",
        "where": "var, vart, varifrån",
        "why": "varför",
        "who": "vem, vems, vilka, med vem, av vem",
        "which": "vilken, vilket",
        "how": "hur",
        "what": "vad",
    },
    requests="""
        vet du, har jag, har du, är jag, var jag, kan du, skulle du kunna, känner du, minns du, kommer du ihåg,
        berätta, säg, visa mig,
        ge mig, påminn mig om
    """,
    dates=DateWords(
        days={
            "i förrgår|förrgår": -2,
            "i går|igår": -1,
            "i dag|idag|ikväll|i kväll": 0,
            "i övermorgon|övermorgon": 2,
            "i morgon|imorgon|imorn": 1,
        },
        which=(r"förra|i fjol|senaste", r"den här|denna|detta|det här|i", r"nästa|kommande"),
        units={
            "day": "dag(?:ar)?(?:na)?",
            "week": "veck(?:a|an|or)",
            "weekend": "helg(?:en)?",
            "month": "månad(?:en|er)?",
            "year": "år(?:et)?",
        },
        weekdays=(
            "måndag(?:en)?s?",
            "tisdag(?:en)?s?",
            "onsdag(?:en)?s?",
            "torsdag(?:en)?s?",
            "fredag(?:en)?s?",
            "lördag(?:en)?s?",
            "söndag(?:en)?s?",
        ),
        months=(
            "januari",
            "februari",
            "mars",
            "april",
            "maj",
            "juni",
            "juli",
            "augusti",
            "september",
            "oktober",
            "november",
            "december",
        ),
        numbers={
            "en|ett": 1,
            "två": 2,
            "tre": 3,
            "fyra": 4,
            "fem": 5,
            "sex": 6,
            "sju": 7,
            "åtta": 8,
            "nio": 9,
            "tio": 10,
            "några|ett par": 0,
        },
        ago=("för {n} {unit} sedan", "för {n} {unit} sen", "{n} {unit} sedan"),
        ahead=("om {n} {unit}",),
        periods={"i fjol|ifjol": ("year", -1)},
        signs=r"i|sedan|till|från|före|efter|under|början av|slutet av|mitten av",
        year_words="år|året",
        before="före|innan",
        after="efter",
        since="sedan|från",
        until="till",
    ),
)
