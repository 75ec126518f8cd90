"""French."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

FRENCH = LanguageTable(
    code="fr",
    stemmer="french",
    stop_words="""
        le la les l un une des du de d au aux ce cet cette ces ça cela ceci celui celle ceux celles c
        je j me m moi mon ma mes mien mienne miens miennes nous notre nos nôtre
        tu te t toi ton ta tes tien tienne vous votre vos vôtre
        il elle on ils elles lui leur leurs eux se s soi son sa ses y en même mêmes
        qui que qu quoi dont où quand comment pourquoi combien quel quelle quels quelles lequel laquelle lesquels
        lesquelles
        est suis es sommes êtes sont étais était étions étiez étaient été être sera serai seras serons seront serait
        serais
        fut soit soient ai as a avons avez ont avais avait avions avaient eu avoir aura aurai auras aurons auront aurait
        aurais ait aient fait fais font faire faut peux peut peuvent pouvez pouvons pouvait pourrait pourrais pouvoir
        dois doit doivent devoir devrait devrais veux veut veulent voulez vouloir voudrais vais va vas vont allons allez
        à dans sur sous par pour avec sans chez entre vers depuis pendant avant après contre jusque jusqu dès lors selon
        et ou mais donc or ni car si comme lorsque puisque parce afin quoique
        ne n pas plus non oui très trop aussi encore déjà rien tout toute tous toutes peu beaucoup moins
        autre autres chaque quelque quelques plusieurs aucun aucune personne quelqu certains certaines
        ici là alors puis ensuite bien assez juste voilà voici merci bonjour salut bonsoir svp stp please ok d accord
        est-ce
    """,
    cues="""
        dernier dernière prochain prochaine
        toujours jamais
        soeur sœur frère mère père fille fils femme mari habite travaille appelle maman papa
        aujourd hui hier demain fois ans an jour jours semaine mois faudrait c'est petit petite moi-même chose choses
        cette peut-être pense crois dit sais voir bon bonne soir matin deux trois quatre euros
    """,
    letters="œ",
    first_person="je j me m moi mon ma mes mien mienne nous notre nos",
    questions={
        "how_many": "combien, depuis combien de temps, quel âge, à quelle fréquence",
        "when": "quand, depuis quand, jusqu'à quand, à quelle heure, quel jour, en quelle année",
        "where": "où, d'où, dans quelle ville",
        "why": "pourquoi",
        "who": "qui, à qui, avec qui, de qui, chez qui, pour qui",
        "which": "quel, quelle, quels, quelles, lequel, laquelle, lesquels, lesquelles",
        "how": "comment",
        "what": "que, qu'est-ce, quoi, de quoi, à quoi, c'est quoi",
    },
    requests="""
        est-ce que, est-ce qu, sais-tu, tu sais, te souviens-tu, tu te souviens, peux-tu, pourrais-tu, connais-tu,
        dis-moi, dis moi,
        rappelle-moi, rappelle moi, raconte-moi, montre-moi, donne-moi, ai-je, as-tu, avons-nous
    """,
    pronouns={
        "empty": "il_y_a il_fait il_faut il_pleut il_neige s'il_te_plaît s'il_vous_plaît y_a",
        "person": "il elle lui son sa ses",
        "thing": "ça cela ceci celui-ci celle-ci celui-là celle-là y là-bas dedans",
        "several": "ils elles eux leur leurs les_deux tous_les_deux lequel laquelle ceux-ci celles-ci",
    },
    dates=DateWords(
        days={"avant-hier": -2, "hier": -1, "aujourd['’]hui": 0, "après-demain": 2, "demain": 1},
        which=(r"derni(?:er|ère|ers|ères)|passée?", r"ce|cette|cet", r"prochaine?|qui vient"),
        units={
            "day": "jours?",
            "week": "semaines?",
            "weekend": "week-?end|fin de semaine",
            "month": "mois",
            "year": "années?|ans?",
        },
        weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
        months=(
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ),
        numbers={
            "une?": 1,
            "deux": 2,
            "trois": 3,
            "quatre": 4,
            "cinq": 5,
            "six": 6,
            "sept": 7,
            "huit": 8,
            "neuf": 9,
            "dix": 10,
            "quelques|plusieurs": 0,
        },
        ago=("il y a {n} {unit}", "y a {n} {unit}"),
        ahead=("dans {n} {unit}",),
        signs=r"en|de|d['’]|depuis|avant|après|jusqu['’]en|début|fin|mi-|courant|au mois de",
        year_words="l['’]année|l['’]an",
        before="avant",
        after="après",
        since="depuis",
        until="jusqu['’](?:en|à|au)",
    ),
)
