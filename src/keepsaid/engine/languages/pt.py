"""Portuguese."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

PORTUGUESE = LanguageTable(
    code="pt",
    stemmer="portuguese",
    stop_words="""
        o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas num numa dum duma
        este esta estes estas esse essa esses essas isto isso aquele aquela aqueles aquelas aquilo deste desta desse
        dessa
        disso disto neste nesta nesse nessa nisso naquele naquela daquele daquela
        eu me mim meu minha meus minhas comigo nós nosso nossa nossos nossas conosco
        tu te ti teu tua teus tuas contigo você vocês vos vosso vossa lhe lhes
        ele ela eles elas se si seu sua seus suas dele dela deles delas nele nela consigo gente
        que quem qual quais quando onde aonde como porque porquê quanto quanta quantos quantas cujo cuja
        sou és é somos são era eras éramos eram fui foi fomos foram ser sido sendo seja sejam seria será
        estou está estamos estão estava estavam esteve estive estar esteja tô tá
        tenho tens tem temos têm tinha tinham teve tive ter tido haver há havia houve
        posso pode podemos podem podia poder poderia devo deve dever deveria devia faço faz fazem fazer fez fiz
        vou vai vamos vão ia ir quero quer querem queria
        de em com sem para pra pro por sobre entre até desde contra durante após perante sob
        e ou mas nem porém contudo embora se pois portanto logo
        não sim muito muita muitos muitas mais menos pouco pouca poucos poucas tão tanto tanta todo toda todos todas
        tudo nada
        ninguém também já ainda só algo alguém algum alguma alguns algumas nenhum nenhuma outro outra
        outros outras mesmo mesma mesmos mesmas cada
        aí aqui ali lá assim então bem favor obrigado obrigada olá oi bom boa ok né
    """,
    cues="""
        passada passado próxima
        sempre nunca jamais
        irmã irmão mãe pai filha filho mulher marido mora trabalha chama
        hoje ontem amanhã ano anos dia dias semana vez coisa coisas acho disse diz sei agora depois antes gostaria
        noite tarde
        dois duas três quatro euros reais casa
    """,
    letters="ãõ",
    first_person="""
        eu me mim meu minha meus minhas comigo nós nosso nossa nossos nossas conosco sou estou tenho vou fui tive
        fiz posso quero
        devo faço moro trabalho preciso
    """,
    first_person_pattern=r"\b(?!(?:sei|lei|rei|hei)\b)\w{3,}ei\b|\b\w{2,}(?:amos|emos|imos)\b",
    questions={
        "how_many": "quanto, quanta, quantos, quantas, com que frequência, que idade, há quanto tempo",
        "when": "quando, desde quando, até quando, que dia, a que horas, em que ano",
        "where": "onde, aonde, de onde, em que cidade",
        "why": "por que, por quê, porque, porquê",
        "who": "quem, com quem, de quem, a quem, para quem",
        "which": "qual, quais",
        "how": "como",
        "what": "o que, que, do que, com que, o quê",
    },
    requests="""
        você sabe, sabes, lembra, você lembra, lembras-te, pode, podes, poderia, conhece, diga-me, diz-me, me diga,
        me conta, me lembra,
        lembre-me, mostra-me, me mostre
    """,
    pronouns={
        "person": "ele ela lhe dele dela seu sua",
        "thing": "isso isto aquilo esse essa este esta disso nisso lá aí ali",
        "several": "eles elas deles delas os_dois as_duas ambos ambas qual_dos_dois esses essas estes estas",
    },
    dates=DateWords(
        days={"anteontem": -2, "ontem": -1, "hoje": 0, "depois de amanhã": 2, "(?<!depois de )amanhã": 1},
        which=(r"passad[oa]s?|últim[oa]s?|anterior", r"est[ea]|ess[ea]|nest[ea]|dest[ea]", r"próxim[oa]s?|que vem|seguinte"),
        units={"day": "dias?", "week": "semanas?", "weekend": "fim de semana", "month": "m[eê]s(?:es)?", "year": "anos?"},
        weekdays=(
            "segunda(?:-feira)?",
            "terça(?:-feira)?",
            "quarta(?:-feira)?",
            "quinta(?:-feira)?",
            "sexta(?:-feira)?",
            "sábado",
            "domingo",
        ),
        months=(
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ),
        numbers={
            "um|uma": 1,
            "dois|duas": 2,
            "três": 3,
            "quatro": 4,
            "cinco": 5,
            "seis": 6,
            "sete": 7,
            "oito": 8,
            "nove": 9,
            "dez": 10,
            "alguns|algumas|uns|umas|vários|várias": 0,
        },
        ago=("há {n} {unit}", "{n} {unit} atrás", "faz {n} {unit}"),
        ahead=("daqui a {n} {unit}", "em {n} {unit}", "dentro de {n} {unit}"),
        signs=r"em|de|desde|até|antes de|depois de|no início de|no fim de|meados de|o mês de",
        year_words="o ano de|ano",
        before="antes de",
        after="depois de",
        since="desde",
        until="até",
    ),
)
