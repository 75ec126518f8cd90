"""Italian."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

ITALIAN = LanguageTable(
    code="it",
    stemmer="italian",
    stop_words="""
        il lo la i gli le l un uno una del dello della dell dei degli delle al allo alla all ai agli alle dal dallo
        dalla dall
        dai dagli dalle nel nello nella nell nei negli nelle sul sullo sulla sull sui sugli sulle col coi
        questo questa questi queste quest quello quella quelli quelle quell quei quegli quel ciò
        io me mi mio mia miei mie m noi ci ce nostro nostra nostri nostre
        tu te ti tuo tua tuoi tue voi vi ve vostro vostra vostri vostre
        lui lei egli ella esso essa loro essi esse si se suo sua suoi sue ne gli glielo
        chi che cosa cos come quando dove dov perché quale quali qual quanto quanta quanti quante cui
        sono sei è siamo siete ero eri era eravamo erano fui fu furono essere stato stata stati state sarà sarei
        sarebbe sia
        siano ho hai ha abbiamo avete hanno avevo avevi aveva avevano avere avuto avrei avrebbe abbia abbiano
        faccio fai fa fanno fare fatto posso puoi può possiamo potete possono potrei potresti potrebbe potere
        devo devi deve dobbiamo devono dovrei dovrebbe dovere voglio vuoi vuole vogliamo vogliono vorrei volevo
        vado vai va andiamo vanno andare sto stai sta stiamo stanno stavo
        di a da in con su per tra fra senza sopra sotto verso dopo prima durante contro fino presso
        e ed o od ma però anche né oppure quindi dunque se mentre poiché affinché
        non no sì più meno molto molta molti molte poco poca pochi poche troppo tanto tanta tutto tutta tutti tutte
        tutt ogni
        niente nulla nessuno nessuna già ancora solo soltanto qualche qualcuno qualcosa alcuni alcune altro altra
        altri altre stesso stessa stessi stesse
        qui qua lì là così allora poi bene beh ecco grazie prego ciao salve buongiorno favore ok po d c n s
    """,
    cues="""
        settimana scorsa scorso prossima
        sempre mai
        sorella fratello madre padre figlia figlio moglie marito abita vive lavora chiama mamma
        oggi ieri domani anno anni giorno giorni settimana volta cose penso credo dice detto sai vedo adesso ora
        bello bella
        buono buona sera due tre quattro euro casa
    """,
    letters="",
    first_person="""
        io me mi mio mia miei mie noi nostro nostra nostri nostre ho sono vado devo posso voglio vorrei faccio sto
        abbiamo siamo
    """,
    first_person_pattern=r"\b\w{2,}(?:iamo|avo|evo)\b",
    questions={
        "how_many": "quanto, quanta, quanti, quante, ogni quanto, quanto spesso, da quanto",
        "when": "quando, da quando, fino a quando, che giorno, a che ora, in che anno",
        "where": "dove, dov'è, da dove, di dove, in che città",
        "why": "perché, come mai",
        "who": "chi, a chi, con chi, di chi, da chi, per chi",
        "which": "quale, quali, qual",
        "how": "come, com'è",
        "what": "che cosa, cosa, che, cos'è, di cosa, a cosa, di che",
    },
    requests="""
        sai, ti ricordi, ricordi, puoi, potresti, conosci, dimmi, ricordami, raccontami, mostrami, dammi, ho detto,
        ti ho detto
    """,
    pronouns={
        "person": "lui lei gli suo sua suoi sue",
        "thing": "quello quella questo questa ciò ci lì là",
        "several": "loro essi esse tutti_e_due tutte_e_due entrambi entrambe quale_dei_due quelli quelle questi queste",
    },
    dates=DateWords(
        days={
            "l['’]altro ieri|altroieri|avantieri": -2,
            "ieri": -1,
            "stanotte|stasera|stamattina|oggi": 0,
            "dopodomani": 2,
            "domani": 1,
        },
        which=(r"scors[oaie]|passat[oaie]|ultim[oaie]", r"quest[oae]", r"prossim[oaie]|che viene"),
        units={
            "day": "giorn[oi]",
            "week": "settiman[ae]",
            "weekend": "week-?end|fine settimana",
            "month": "mes[ei]",
            "year": "ann[oi]",
        },
        weekdays=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
        months=(
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ),
        numbers={
            "un[oa]?": 1,
            "due": 2,
            "tre": 3,
            "quattro": 4,
            "cinque": 5,
            "sei": 6,
            "sette": 7,
            "otto": 8,
            "nove": 9,
            "dieci": 10,
            "alcuni|alcune|qualche|un paio di": 0,
        },
        ago=("{n} {unit} fa",),
        ahead=("tra {n} {unit}", "fra {n} {unit}"),
        signs=r"a|ad|in|di|del|nel|da|dal|fino a|prima di|dopo|inizio|metà|fine|a fine|a inizio|il mese di",
        year_words="nell['’]anno|anno",
        before="prima d[ei]l?",
        after="dopo",
        since="da|dal",
        until="fino a|fino al",
    ),
)
