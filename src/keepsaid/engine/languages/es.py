"""Spanish."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

SPANISH = LanguageTable(
    code="es",
    stemmer="spanish",
    stop_words="""
        el la los las lo un una unos unas al del este esta estos estas ese esa esos esas esto eso aquel aquella aquellos
        aquellas aquello
        yo me mi mis mí mío mía míos mías conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras
        tú te ti tu tus tuyo tuya contigo usted ustedes vosotros vosotras os vuestro vuestra vuestros vuestras
        él ella ello ellos ellas le les se sí su sus suyo suya suyos suyas consigo
        que qué quien quién quienes quiénes cual cuál cuales cuáles cuando cuándo donde dónde adónde como cómo por
        porqué
        porque cuanto cuánto cuanta cuánta cuantos cuántos cuantas cuántas cuyo cuya
        soy eres es somos sois son era eras éramos eran fui fuiste fue fuimos fueron ser sido siendo sea sean sería
        serían será
        estoy estás está estamos estáis están estaba estabas estaban estuve estuvo estar estado esté estén
        he has ha hemos habéis han había habías habían hubo haber haya hayan habrá habría hay
        tengo tienes tiene tenemos tienen tenía tener tuve tuvo puedo puedes puede podemos pueden podía poder podría
        podrías
        debo debes debe deber debería hago haces hace hacer hizo hice voy vas va vamos van iba ir
        de a en con sin para por sobre entre hasta desde hacia contra según durante tras ante bajo
        y e o u ni pero mas sino aunque si pues luego
        no sí muy más menos mucho mucha muchos muchas poco poca pocos pocas tan tanto tanta tantos todo toda todos
        todas nada
        nadie también tampoco ya aún todavía solo sólo algo alguien algún alguna algunos algunas ningún
        ninguna ninguno otro otra otros otras mismo misma mismos mismas cada
        ahí aquí allí allá así entonces bien favor gracias hola buenas buenos vale ok oye
    """,
    cues="""
        pasada pasado próxima
        siempre nunca jamás
        hermana hermano madre padre hija hijo mujer marido vive trabaja llama mamá papá
        hoy ayer mañana año años días semana vez cosa cosas creo quiero dijo dice sabes gustaría casi estas bueno buena
        días noche tarde dos tres cuatro euros ahora antes después
    """,
    letters="ñ¿¡",
    first_person="""
        yo me mi mis mí mío mía míos mías conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras
        soy estoy tengo voy fui tuve hice puedo quiero debo hago vivo trabajo he
    """,
    first_person_pattern=r"\b(?!(?:qué|café|porqué|bebé|olé|té|sé)\b)\w{3,}é\b|\b\w{2,}(?:amos|emos|imos)\b",
    questions={
        "how_many": "cuánto, cuánta, cuántos, cuántas, cada cuánto, qué edad",
        "when": "cuándo, desde cuándo, hasta cuándo, qué día, a qué hora, en qué año",
        "where": "dónde, adónde, a dónde, de dónde, en qué ciudad",
        "why": "por qué, para qué",
        "who": "quién, quiénes, a quién, con quién, de quién",
        "which": "cuál, cuáles",
        "how": "cómo",
        "what": "qué, de qué, con qué, en qué",
    },
    requests="""
        sabes, te acuerdas, recuerdas, puedes, podrías, conoces, dime, cuéntame, recuérdame, muéstrame, dame, he
        dicho, tengo que
    """,
    pronouns={
        "person": "él ella le su sus",
        "thing": "eso esto aquello ese esa este esta allí ahí allá",
        "several": "ellos ellas les los_dos las_dos ambos ambas cuál_de_los_dos estos estas esos esas",
    },
    dates=DateWords(
        days={
            "anteayer|antier|antes de ayer": -2,
            "ayer": -1,
            "anoche": -1,
            "hoy": 0,
            "pasado mañana": 2,
            "(?<!la )(?<!pasado )mañana": 1,
        },
        which=(r"pasad[oa]s?|últim[oa]s?|anterior", r"est[ea]", r"próxim[oa]s?|que viene|siguiente"),
        units={"day": "días?", "week": "semanas?", "weekend": "fin de semana|finde", "month": "mes(?:es)?", "year": "años?"},
        weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
        months=(
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "sep?tiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ),
        numbers={
            "una?|un": 1,
            "dos": 2,
            "tres": 3,
            "cuatro": 4,
            "cinco": 5,
            "seis": 6,
            "siete": 7,
            "ocho": 8,
            "nueve": 9,
            "diez": 10,
            "un[oa]s(?: pocos| pocas)?|varios|varias|algunos|algunas|un par de": 0,
        },
        ago=("hace {n} {unit}", "{n} {unit} atrás"),
        ahead=("dentro de {n} {unit}", "en {n} {unit}"),
        signs=r"en|de|del|desde|hasta|antes de|después de|a principios de|a mediados de|a finales de|el mes de",
        year_words="el año|año",
        before="antes de",
        after="después de",
        since="desde",
        until="hasta",
    ),
)
