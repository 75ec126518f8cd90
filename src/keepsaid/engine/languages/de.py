"""German."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

GERMAN = LanguageTable(
    code="de",
    stemmer="german",
    stop_words="""
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
        dies diese dieser dieses diesen diesem jene jener jenes jenen jenem
        ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer unseres
        du dich dir dein deine deinen deinem deiner deines ihr euch euer eure euren eurem eurer
        er ihn ihm sein seine seinen seinem seiner seines sie ihnen ihre ihren ihrem ihrer ihres es man sich selbst
        jemand niemand etwas nichts alles alle allen aller jeder jede jedes jeden jedem beide beiden
        wer wen wem wessen was wann wo wohin woher warum wieso weshalb weswegen wie welche welcher welches welchen
        welchem
        womit wofür worüber wovon wozu woran worauf ob wieviel
        bin bist ist sind seid war warst waren wart sei wäre wären gewesen
        habe hab hast hat haben habt hatte hattest hatten hattet hätte hätten gehabt
        werde wirst wird werden werdet wurde wurden würde würden würdest worden geworden
        kann kannst können könnt konnte konnten könnte könnten könntest muss musst müssen müsst musste mussten müsste
        soll sollst sollen sollt sollte sollten will willst wollen wollt wollte wollten darf dürfen durfte mag möchte
        mögen möchten magst
        in im ins an am ans auf aufs aus bei beim mit nach von vom vor zu zum zur für fürs gegen ohne um durch über
        unter
        neben zwischen hinter seit während wegen trotz bis ab
        und oder aber denn sondern weil dass daß damit wenn als falls obwohl sowie sowohl weder noch
        nicht nein ja doch auch nur schon noch sehr so mal halt eben eigentlich denn dann da dort hier hin her nun jetzt
        wieder mehr viel viele vielen ganz gar etwa dabei dafür davon dazu darum darauf daran darüber darin daraus
        daher also ach na hm bitte danke hallo moin servus tschüss okay ok
    """,
    cues="""
        woche wochenende monat
        immer
        schwester bruder mutter vater tochter sohn frau mann wohnt arbeitet heißt mama papa
        gerade heute gestern morgen leider vielleicht gibt geht macht machen gut gute guten nächste nächsten letzte
        letzten
        zwei drei uhr nem ner nen ne weiß sagt gesagt kommt muß bisschen kurz endlich eigentlich meint
    """,
    letters="ß",
    first_person="""
        ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer unseres
    """,
    questions={
        "how_many": "wie viele, wie viel, wieviel, wieviele, wie oft, wie lange, wie alt, wie weit, wie groß",
        "when": "wann, seit wann, bis wann, an welchem tag, in welchem jahr, in welchem monat, um wie viel uhr",
        "where": "wo, wohin, woher",
        "why": "warum, wieso, weshalb, weswegen, wozu",
        "who": "wer, wen, wem, wessen, mit wem, von wem, für wen",
        "which": "welche, welcher, welches, welchen, welchem",
        "how": "wie",
        "what": "was, womit, wofür, worüber, wovon, woran, worauf",
    },
    requests="""
        weißt du, weisst du, hast du, habe ich, hab ich, hatte ich, bin ich, war ich, kannst du, könntest du, kennst du,
        erinnerst du, sag mir, erzähl mir, erzähle mir, zeig mir, nenn mir, gib mir, fass zusammen, erinnere mich an
    """,
    pronouns={
        "empty": "es_gibt gibt_es es_regnet geht_es geht_es_dir wie_spät_ist_es ist_es_möglich",
        "person": "er sie ihm ihn ihr ihre ihren ihrem ihrer seine seinen seinem seiner",
        "thing": "es das dies dieses diese dieser diesen diesem davon damit dafür darüber daran darauf dazu dort dahin",
        "several": "beide beiden die_beiden welches_von_beiden welcher_davon ihnen deren",
    },
    dates=DateWords(
        days={"vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2, "morgen(?! früh)|morgen früh": 1},
        which=(r"letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?", r"diese[nmrs]?", r"nächste[nmrs]?|kommende[nmrs]?"),
        units={
            "day": r"tage?n?",
            "week": r"wochen?",
            "weekend": r"wochenende[ns]?",
            "month": r"monate?[ns]?",
            "year": r"jahre?[ns]?",
        },
        weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
        months=(
            "januar|jänner",
            "februar",
            "märz|maerz",
            "april",
            "mai",
            "juni",
            "juli",
            "august",
            "september",
            "oktober",
            "november",
            "dezember",
        ),
        numbers={
            "eine[mrn]?|ein": 1,
            "zwei": 2,
            "drei": 3,
            "vier": 4,
            "fünf": 5,
            "sechs": 6,
            "sieben": 7,
            "acht": 8,
            "neun": 9,
            "zehn": 10,
            "ein paar|einigen|mehreren|wenigen": 0,
        },
        ago=("vor {n} {unit}",),
        ahead=("in {n} {unit}",),
        signs=r"im|in|seit|bis|ab|anfang|mitte|ende|vom|vor|nach|zum|um",
        year_words="jahre?",
        before="vor",
        after="nach",
        since="seit|ab",
        until="bis",
    ),
)
