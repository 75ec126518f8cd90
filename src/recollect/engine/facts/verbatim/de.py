"""German."""

from __future__ import annotations

from recollect.engine.facts.verbatim.table import PhraseTable

PEOPLE = (
    r"(schwester|bruder|geschwister|mutter|mama|mutti|vater|papa|vati|eltern|tochter|töchter|sohn|söhne|kind|kinder"
    r"|baby"
    r"|frau|mann|ehefrau|ehemann|partner|partnerin|freundin|freund|verlobte*|oma|opa|großmutter|großvater|großeltern"
    r"|enkel"
    r"|enkelin|enkelkind*|tante|onkel|cousin|cousine|nichte|neffe*|schwager|schwägerin|schwiegermutter|schwiegervater"
    r"|schwiegereltern|schwiegersohn|schwiegertochter|mitbewohner*|nachbar|nachbarin|kollege|kollegin|chef|chefin"
    r"|azubi"
    r"|zwillinge|familie|ex|patenkind|kumpel|jüngste|älteste*|kleine|große|stiefsohn|stieftochter)"
)
PETS = (
    r"(hund|hündin|hunde|welpe|katze|kater|katzen|kätzchen|pferd|pony|hamster|meerschweinchen|kaninchen|hase|papagei"
    r"|wellensittich*|vogel|schildkröte|haustier)"
)
MINE = r"(mein|meine|unser|unsere)"
TO_MINE = r"(mein|meine|meinen|meinem|meiner|unser|unsere|unseren|unserem|unserer)"
ILL = (
    r"(allerg*|\w*allergie*|\w*intoleran*|unverträglich*|asthma*|diabet*|zöliakie|laktose*|glutenfrei|migräne"
    r"|epilepsie|rheuma|arthrose|bluthochdruck"
    r"|heuschnupfen|neurodermitis|depression*|burnout|adhs|autis*|legasthen*|tinnitus|höhenangst|flugangst|platzangst"
    r"|klaustrophob*|\w*phobie|bandscheibenvorfall|herzfehler|herzschrittmacher|schilddrüs*|krebs|ms|schwanger"
    r"|hörgerät*|rollstuhl*|rolli|dialyse|blind|taub|gehörlos|farbenblind|schwerhörig)"
)
JOBS = (
    r"(\w*lehrer|\w*lehrerin|arzt|\w*ärztin|\w*arzt|\w*ingenieur*|krankenschwester|\w*pfleger*|hebamme"
    r"|\w*entwickler*|programmierer*"
    r"|\w*informatiker*|architekt*|anwalt|anwältin|jurist*|student|studentin|schüler*|doktorand*|\w*verkäufer*|koch"
    r"|köchin"
    r"|bäcker*|friseur*|\w*elektriker*|tischler*|schreiner*|mechaniker*|\w*mechatroniker*|klempner*|maler*|landwirt*"
    r"|polizist*"
    r"|feuerwehr*|journalist*|autor|autorin|übersetzer*|designer*|grafiker*|fotograf*|musiker*|schauspieler*|berater*"
    r"|steuerberater*|buchhalter*|\w*manager*|projektleiter*|gruppenführer*|geschäftsführer*|selbstständig"
    r"|selbständig|freiberuf*|freelancer*"
    r"|rentner*|pensioniert|in rente|arbeitslos|hausfrau|hausmann|erzieher*|sozialarbeiter*|psycholog*|therapeut*"
    r"|\w*wissenschaftler*"
    r"|biolog*|chemiker*|physiker*|apotheker*|tierärztin|tierarzt|beamter|beamtin|kaufmann|kauffrau|fahrer|fahrerin"
    r"|pilot*"
    r"|bibliothekar*|kleinunternehmer*|unternehmer*|gründer*|azubi|auszubildende*|professor*|dozent*|meister*"
    r"|physiotherapeut*|zahnarzt|zahnärztin)"
)
THINGS = (
    r"(auto|wagen|vw|golf|opel|bmw|audi|mercedes|ford|mazda|toyota|skoda|tesla|e-auto|wohnmobil|camper|bulli"
    r"|motorrad|roller|\w*fahrrad|\w*rad|e-bike|\w*bike"
    r"|haus|wohnung|garten|schrebergarten|\w*balkon|gitarre|klavier|geige|schlagzeug|\w*kamera|laptop|macbook"
    r"|rechner|pc|drucker|thermomix|boot|segelboot"
    r"|werkstatt|iphone|handy|android*|linux|windows|mac|nas|\w*anlage|\w*maschine|sammlung|hof|firma|laden|blog"
    r"|podcast|kanal)"
)

TABLE = PhraseTable(
    code="de",
    first=r"""
        ich|mich|mir|mein|meine|meinen|meinem|meiner|meines|wir|uns|unser|unsere|unseren|unserem|unserer|bei uns
    """,
    close=rf"""
        {TO_MINE} (\w+ )?(\w+ )?{PEOPLE}
        {TO_MINE} (\w+ )?{PETS}
        (mama|papa|oma|opa|mutti|vati)
    """,
    states=rf"""
        (heißt|heissen|heißen|wohnt|wohnen|lebt|leben|arbeitet|arbeiten|jobbt|studiert|studieren|unterrichtet
            |lernt|spielt|macht eine|macht gerade)
        (ist|sind|wird|wurde) (\S+ )?(\S+ )?(\S+ )?{JOBS}
        (ist|sind|wird|wurde|geht) ~ (jahre alt|monate alt|geboren|jahre|verheiratet|geschieden|schwanger
            |verstorben|gestorben|verlobt|vegan*|vegetar*|pensioniert|klasse|kita|kindergarten|schule)
        (ist|wird) (\S+ )?\d+
        (hat|haben) ~ geburtstag
        (hat|haben) ~ {ILL}
        (ist|sind) (\S+ )?{ILL}
        (verträgt|vertragen|isst|essen|trinkt) ~ (kein|keine|keinen|nichts|nie|nur|vegan|vegetarisch)
        (liebt|lieben|hasst|mag|mögen|sammelt|bevorzugt)
        (ist|sind) ~ (gezogen|umgezogen|ausgezogen|ausgewandert)
        (hat|haben) ~ (geheiratet|bekommen|gekündigt|aufgehört|angefangen|ein baby|kinder|abitur)
        (kommt|kommen|stammt) (ursprünglich )?aus
        (ist|sind) (ein|eine) \w+
        (ist|sind) (bei|beim|in) (der |den |dem )?\w+
    """,
    instruction=r"""
        (ab jetzt|ab sofort|ab heute|von nun an|von jetzt an|in zukunft|zukünftig|künftig|fortan)
        (nenn|nenne|nennt|nennen sie) mich
        (sag|sagen sie) ~ (du|sie) zu mir
        (duz|duze|siez|sieze|duzen sie|siezen sie) mich
        (du kannst|ihr könnt|sie können) mich ~ nennen
        (merk|merke) dir
        (merken sie|behalte|behalt|denk immer|denk bitte|denk) (sich|im kopf|daran|dran)
        vergiss (bitte )?nicht, dass
        (bitte )?(nie|niemals|nie wieder|nie mehr) ~ (emojis|smileys|antworten|antworte|schreiben|listen|vorschlagen)
        ^(bitte )?(antworte|schreib|schreibe|verwende|benutze|benutz|nutze|nutz|gib|zeig|nimm|rechne|mach|mache
            |erkläre|erklär|frag|frage|fang|beginne|schlag|empfiehl|halte|formuliere|sprich|rede|korrigiere
            |erinnere) ~ (immer|stets|nie|niemals|nie wieder|grundsätzlich|generell|jedes mal|keine|keinen|kein
            |nur noch|standardmäßig)
        ^(antworte|antworten sie|schreib|schreibe|sprich|rede) (mir |mit mir )?(bitte )?(auf|in) (deutsch|englisch
            |einfacher)
        (antworte|antworten|schreib|schreibe) (mir |bitte )*(kurz|knapp|ausführlich|sachlich)( und \w+)?$
        (in|bei) deinen antworten
        deine antworten ~ (sollen|sollten|bitte|immer|kurz)
        (wenn|falls|sobald|immer wenn
            |jedes mal wenn) ich ((dich|dir|nach|dir etwas|code|einen|eine|was|auf) )?\S+ ?\S* ?\S*, (dann )?(antworte
            |schreib|schreibe|gib|zeig|nimm|verwende|benutze|rechne|mach|mache|korrigiere|übersetze|erkläre|denk
                |frag|lass|geh
            |sag|nenn|brauche ich|will ich|möchte ich|meine ich)
        (ab jetzt )?wenn ich nach ~ frag*
        ich (will|möchte|hätte gern|hätte gerne)(, dass du| nicht, dass du)
        (keine|ohne) (emojis|smileys|ausrufezeichen|floskeln|aufzählungen|stichpunkte|anglizismen|tabellen)
        hör (bitte )?auf, (mich|mir|immer|ständig)
        (neue regel|grundregel|für immer|bitte immer|immer in|immer auf|immer mit|bitte nie|immer bitte|bitte künftig)
        (schlag|empfiehl|empfehle|zeig|schick|biete) mir (bitte )?(nie|keine|niemals|kein|nichts)
    """,
    one_off=r"""
        (nächste|nächsten|folgende|folgenden|diese|dieser|diesem|diesen|dieses) (frage|fragen|text|satz|mail
            |aufgabe|mal|nachricht|brief|antwort|absatz|rätsel|zeilen|spiel)
        (diesmal|für heute|nur heute|nur jetzt|nur dieses|spiel|pirat|kurz mal|käpt'n|tu so|rolle)
        merk dir das nicht
        (ich hab|ich habe|ich konnte) mir
    """,
    sure={
        "constraint": rf"""
            ich (bin|hab|habe|leide|vertrage|bekomme|kriege|reagiere) ~ {ILL}
            (hab|habe|bin|leide) ich ~ {ILL}
            ich (darf|kann|soll) ~ (kein|keine|keinen|keinerlei|nichts|nicht|nie) ~ (essen|trinken|heben|laufen
                |fliegen|fahren|sitzen|vertragen|sport|tragen|ausgeben|hören|sehen|schwimmen)
            ich (esse|trinke) (\S+ )?(\S+ )?(\S+ )?(kein|keine|keinen|nichts mit|nicht mehr|nie) ~ (fleisch|fisch
                |schwein*|alkohol|zucker|milch*|gluten|nüsse|ei|eier|käse|weizen|tierisch*)
            ich (esse|ernähre mich|lebe) (\S+ )?(\S+ )?(vegan|vegetarisch|pescetarisch|glutenfrei|laktosefrei
                |halal|koscher|low carb|keto)
            ich (vertrage|vertrag) (\S+ )?(\S+ )?(\S+ )?(kein|keine|keinen|nicht|nichts)
            (habe|hab) ich ~ (angst|panik)
            ich (hab|habe) ~ (angst|panik|phobie) (vor|vorm|beim|in)
            mir wird ~ (schlecht|übel|schwindelig)
            (mein|unser) budget
            ich (kann|will|möchte|darf) ~ (höchstens|maximal|nicht mehr als|mehr als) ~ (ausgeben|zahlen|bezahlen)
            ich nehme ~ (tabletten|medikament*|insulin|blutverdünner|cortison|kortison|antidepressiva|ritalin)
            ich (sitze|bin) im rollstuhl
            ich (höre|sehe) (\S+ )?(auf dem|schlecht|nur)
            (der arzt|die ärztin|der kardiologe|mein arzt|meine ärztin) ~ verboten
            ich (kann|konnte) (seit \S+ \S+ )?(nicht|keine treppen) (gut |lange |mehr )?(sehen|hören|laufen|stehen
                |sitzen|schwimmen|treppen)
        """,
        "identity": rf"""
            ich (bin|arbeite|jobbe|arbeitete) ~ {JOBS}
            bin ich (\S+ )?(\S+ )?{JOBS}
            ich (studiere|mache eine ausbildung|mache ein praktikum|promoviere|lerne beruflich|unterrichte)
            ich (bin|bin seit \S+) (\S+ )?(verheiratet|geschieden|verwitwet|single|ledig|verlobt|alleinerziehend*
                |schwul|lesbisch|katholisch|evangelisch|muslim*|jüdisch|linkshänder*|einzelkind|zweisprachig)
            ich (spreche|rede) ~ (deutsch|englisch|französisch|spanisch|italienisch|türkisch|russisch|polnisch
                |muttersprach*|fließend)
            ich (bin|wurde) ~ (geboren|aufgewachsen)
            ich (habe|hab) ~ (studiert|promoviert|abitur|gekündigt|eine neue stelle|einen neuen job)
            (meine muttersprache|mein beruf|mein job|meine adresse|meine telefonnummer|meine handynummer
                |meine schuhgröße|meine kleidergröße|meine größe|mein nachname|mein sternzeichen|meine e-mail
                |meine mail) (ist|lautet)
            ich trage (schuh)?größe
            bin ich (jetzt |nun )?bei
            ich bin (\S+ )?(\S+ )?(in rente|in elternzeit|arbeitslos|in kurzarbeit)
        """,
        "person": rf"""
            (ich|wir) (habe|hab|haben) (\S+ )?(\S+ )?{PEOPLE}
            (ich|wir) (habe|hab|haben) (\S+ )?(\S+ )?(\S+ )?{PETS}
            (ich|wir) (bekomme|bekommen|erwarte|erwarten|kriegen) ~ (kind|baby|nachwuchs|zwillinge|sohn|tochter
                |mädchen|jungen)
            {MINE} ~ heißt
            ich bin (mama|papa|mutter|vater|oma|opa|tante|onkel|patentante|patenonkel)
            (bei|für) (mein\w*|unser\w*) {PEOPLE} ~ (wurde|hat man) ~ diagnostiziert
        """,
        "preference": r"""
            ich (mag|liebe|hasse|verabscheue|bevorzuge|genieße|schwärme|stehe auf|schwöre auf|bin ein fan|bin fan)
            ich (\S+ )?(bin|war schon immer) ~ (fan|typ|frühaufsteher*|nachteule|morgenmensch|morgenmuffel
                |langschläfer*|kaffeemensch|teetrinker*|nichtraucher*|raucher*|leseratte)
            (mag|liebe|hasse) ich
            ich ~ (am liebsten|lieber(?! nicht)|gern|gerne|ungern)
            (kann|konnte) ich ~ (nicht ausstehen|nicht leiden|nicht ab)
            ich (kann|konnte) ~ (nicht ausstehen|nicht leiden|nicht ab|nichts anfangen)
            (mein|meine|unser|unsere) (absolut\w* |erklärt\w* )?(lieblings\w+|hobby|hobbys|leidenschaft)
            ich (bevorzuge|ziehe ~ vor)
            (schmeckt|gefällt|gefallen|schmecken) mir (\S+ )?(nicht|gar nicht|überhaupt nicht|am besten|immer)
            ich (gehe|jogge|laufe|schwimme|meditiere|trainiere|koche|lese|stehe|frühstücke|fahre|trinke|esse|mache
                |höre) ~ (jeden|jede|jedes|immer|täglich|morgens|abends|sonntags|samstags|freitags|montags|dienstags
                |mittwochs|donnerstags|mal die woche|mal pro woche|wöchentlich|meistens|nie|regelmäßig|am wochenende)
            (gehe|jogge|laufe|schwimme|trainiere|koche|lese|trinke|esse|mache|stehe|treffe|fahre) ich ~ (immer
                |grundsätzlich|nie|regelmäßig)
            (jeden|jede|jedes) (\S+ )?(morgen|abend|tag|woche|sonntag|samstag|montag|dienstag|mittwoch|donnerstag
                |freitag|wochenende|jahr|monat) (\S+ )?(ich|wir|mich)
            ich (trinke|esse) (meinen|meine|mein|kaffee|tee)
            ich (finde|find) ~ (furchtbar|schrecklich|eklig|grauenhaft|toll|super|großartig|langweilig|ätzend)$
        """,
        "possession": rf"""
            (ich|wir) (hab|habe|haben|besitze|besitzen) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            (ich|wir) (fahre|fahren
                |fliege) (jetzt |nun |seit \S+ |privat |noch |selbst |immer noch |meistens |einen|eine|ein|nen
                |nur )*(einen|eine|ein|nen|ne)
            ich (spiele|lerne|übe) ~ (gitarre|klavier|geige
                |schlagzeug|bass|flöte|querflöte|saxofon|saxophon|trompete|cello|akkordeon|ukulele|harfe|orgel
                |kontrabass|klarinette|posaune|banjo|mandoline)
            ich (nutze|benutze|verwende|arbeite mit|arbeite auf|arbeite hauptsächlich|programmiere
                |schreibe meinen code|fotografiere|entwickle|zocke|spiele auf)
            (ich|wir) (hab|habe|haben) (mir|uns) ~ (gekauft|angeschafft|zugelegt|geholt|geleistet)
            (ich|wir) (hab|habe|haben) ~ (gekauft|geerbt|verkauft|angeschafft|zugelegt)
            (mein|meine|unser|unsere) (\S+ )?{THINGS} (ist|hat|heißt|läuft|steht|war)
            ich sammle
            (ich|wir) (wohne|wohnen) zur miete
        """,
        "project": r"""
            ich (schreibe|arbeite|bastle|baue|sitze|recherchiere|tüftle|entwickle) (\S+ )?(\S+ )?(an|am) (meine\w*
                |einem|einer|mein|unserem|unserer|der|dem)
            (ich|wir) (schreibe|mache|plane|planen|bereite|bereiten|organisiere|organisieren|renovieren|renoviere
                |baue|bauen|sanieren|saniere|gründe|gründen|restauriere|trainiere) ~ (masterarbeit|bachelorarbeit
                |doktorarbeit|diplomarbeit|dissertation|hausarbeit|abschlussarbeit|buch|roman|hochzeit|reise|umzug
                |marathon|halbmarathon|triathlon|prüfung|haus|wohnung|bad|küche|app|website|webseite|firma|startup
                |garten|dachboden|keller|gartenhaus|werkstatt)
            (nächstes|nächsten|nächste|kommendes|kommenden|kommende|übernächste\w?|im|ende|anfang|mitte|bis|ab
                |in zwei|in drei|in \d+|zum) ~ (will|wollen|möchte|möchten|ziehe|ziehen|fange|fangen|heirate|heiraten
                |mache|machen|werde|werden|fliege|fliegen|fahre|fahren|gehe|gehen|bauen|baue|beginne|starte|wandern
                |habe|hab|haben) (ich|wir|mein\w*)
            (ich|wir) (will|wollen|möchte|möchten|werde|werden|plane|planen|habe vor|haben vor|ziehe|ziehen
                |heirate|heiraten|fliege|fliegen|wandere|gehe|gehen) ~ (nächstes jahr|nächsten \w+|nächste woche
                |nächstes frühjahr|im (januar|februar|märz|april|mai|juni|juli|august|september|oktober|november
                |dezember|frühling|frühjahr|sommer|herbst|winter)|bis (ende|zum|zur|\w+)|ende \w+|anfang \w+
                |dieses jahr|kommenden \w+)
            ich (bereite mich|trainiere|lerne|spare|übe) ~ (auf|für|auf den|auf die)
            ich lerne (gerade |seit \S+ |jetzt |im moment |nebenbei )*(italienisch|spanisch|französisch|englisch
                |japanisch|polnisch|türkisch|schwedisch|chinesisch|koreanisch|russisch|portugiesisch|niederländisch
                |arabisch|norwegisch|dänisch|python|rust|java\w*)
            (mein|unser) (ziel|plan|vorhaben|traum|projekt|vorsatz) (ist|für|dieses|wäre)
            (ich|wir) (habe|hab|haben) (am|nächsten|nächste|kommenden|um|im) ~ (termin|prüfung|op|operation
                |vorstellungsgespräch|zahnarzt\w*|untersuchung|klausur|hochzeit|vortrag|mrt|abgabe)
            (hab|habe|haben) (ich|wir) ~ (termin|prüfung|operation|vorstellungsgespräch|zahnarzttermin
                |untersuchung|klausur|hochzeit|vortrag|einen flug)
            (meine|mein|unsere) (hochzeit|op|prüfung|abgabe|abgabetermin|klausur|umzug|flug|termin|verteidigung
                |operation|zahnarzttermin) (ist|findet|steht|war)
            (ich|wir) (will|wollen|möchte) (mit dem rauchen|abnehmen|umziehen|auswandern|aufhören|heiraten
                |kündigen|\d+ kilo)
            (heirate|heiraten) (ich|wir)
            (ich|wir) (heirate|heiraten)
            (ich|wir) (spare|sparen)
        """,
        "event": r"""
            (ich|wir) (habe|hab|haben) ~ (geheiratet|bestanden|gewonnen|abgeschlossen|verloren)
            ich (hatte|bin) ~ (unfall|herzinfarkt|schlaganfall|operiert worden|befördert worden)
        """,
    },
    slots={
        "name": r"""
            (mein name ist|ich heiße|ich heisse) VALUE
        """,
        "age": r"""
            ich bin (jetzt |nun |gerade |schon |inzwischen )*\d+( jahre alt)?(?! (prozent|minuten|cm|km|meter))
            werde ich (\S+ )?(\d+|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig)$
            ich bin (\S+ )?\S+ jahre alt
            ich werde ~ \d+
        """,
        "birthday": r"""
            (ich habe|ich hab|habe ich|hab ich) ~ geburtstag
            mein geburtstag
        """,
        "home": r"""
            (ich|wir) (wohne|wohnen|lebe|leben) (\S+ )?(\S+ )?(\S+ )?(in|im|am|auf|bei|an der|nahe) VALUE
            (wohne|wohnen|lebe|leben) (ich|wir) (\S+ )?(\S+ )?(in|im|am|auf|bei|an der) VALUE
            (ich|wir) (bin|sind) ~ (nach|in) VALUE (gezogen|umgezogen)
        """,
        "origin": r"""
            ich (komme|stamme|bin) (ursprünglich |eigentlich )?aus VALUE
        """,
        "employer": r"""
            ich (arbeite|jobbe|bin angestellt|bin) (\S+ )?(\S+ )?(\S+ )?(bei|beim|für) VALUE
            (arbeite|jobbe) ich (\S+ )?(\S+ )?(bei|beim|für) VALUE
        """,
        "job": rf"""
            ich (arbeite|jobbe) (\S+ )?(\S+ )?als VALUE
            ich bin (von beruf |gelernte\w? |seit \S+ \S+ )?(ein |eine )?{JOBS}
            (von|vom) beruf bin ich
        """,
        "diet": r"""
            ich (bin|lebe|esse) (\S+ )?(\S+ )?(\S+ )?(vegetarier*|veganer*|vegetarisch|vegan|pescetarier*)
        """,
        "car": r"""
            (ich|wir) (fahre|fahren) (\S+ )?(\S+ )?(einen|ein|nen) (alten |neuen |gebrauchten )?(vw|golf|opel|bmw
                |audi|mercedes|ford|mazda|toyota|skoda|tesla|seat|fiat|renault|peugeot|volvo|hyundai|kia|dacia|polo
                |passat|corsa|astra)
        """,
        "form of address": r"""
            (nenn|nenne) mich (bitte |einfach |lieber |ab jetzt |nur )*VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (vegetar*|vegan*|halal|koscher|verboten|krank*|knie|rücken|herz|asthma|medikament*|tabletten|blutdruck
                |fasten|faste|schwindel*|höchstens|maximal|vertrage|darf (\S+ )?(\S+ )?(kein*|nicht)
                |kann (\S+ )?(\S+ )?(\S+ )?(nicht|kein*)|ohne (gluten|zucker|laktose|fleisch))
            {ILL}
            (angst|panik|vertrage|verträgt|schmerzen|behindert*|diagnose|diagnostiziert|budget)
        """,
        "identity": r"""
            (\w*arbeite|jobbe|studiere|semester|geboren|jahrgang|jahre alt|komme aus|stamme|aufgewachsen|gelernt*
                |leite|unterrichte|nachtschicht*|schichtdienst|pendle|verheiratet|geschieden|single|linkshänder*
                |muttersprach*|staatsbürger*|azubi|werkstudent*|praktikum|homeoffice|teilzeit|minijob|abteilung|firma
                |\w*schule|praxis|klinik|krankenhaus|behörde|verein)
            (beruf|stelle|ausbildung|studium|uni|universität|gebürtig*|muttersprache|schicht|teilzeit|vollzeit
                |homeoffice|umgezogen|eingezogen|befördert)
        """,
        "person": rf"""
            {PETS}
            {PEOPLE}
        """,
        "preference": r"""
            (\w*esse|trinke|höre|lese|gucke|schaue|koche|backe|jogge|laufe|schwimme|tanze|wandere|reise|schlafe
                |dusche|rauche|male|zeichne|singe|stricke|nähe|häkle|gärtnere|klettere|angle|meditiere|bevorzuge|liebe
                |hasse|mag|stehe (um|auf)|frühstücke|vermeide|verzichte|gehe (\S+ )?(früh|spät|joggen|schwimmen|laufen
                |ins|zum|in die)|kaffee|tee|musik|sport|yoga|krimi*|serien|filme|\w*küche)
            (esse|trinke|höre|lese|schaue|koche|laufe|jogge|schwimme|spiele|tanze|wandere|reise|schlafe|dusche
                |meditiere|rauche|stehe) ich
            ich (esse|trinke|höre|lese|schaue|koche|laufe|jogge|schwimme|spiele|tanze|wandere|reise|schlafe|dusche
                |meditiere|rauche|stehe|gehe)
            (gern|gerne|lieber|am liebsten)
        """,
        "possession": rf"""
            (besitze|fahre|nutze|benutze|verwende|spiele|trage|vermiete|züchte|betreibe|sammle|restauriere
                |programmiere|tippe|fotografiere|handy|fairphone|samsung|kia|lastenrad|rennrad|wohnwagen|ferienhaus
                |instrument|abo|konto|tablet|brille|linsen|nähmaschine|aquarium|bienen|hühner)
            {THINGS}
            (besitze|gehört mir|gekauft|verkauft|programmiere)
        """,
        "project": r"""
            (lerne|plane|trainiere|spare|übe|bereite|bewerbe|ziehe|heirate|baue|renoviere|gründe|organisiere
                |nehme teil|mache (gerade |seit )?(den|einen|eine|meinen) (führerschein|kurs|ausbildung|diät
                |umschulung|therapie)|führerschein|kurs|marathon|halbmarathon|prüfung*|klausur*|masterarbeit
                |bachelorarbeit|doktorarbeit|buch|roman|flug|op|reha|bis ende|im (januar|februar|märz|april|mai|juni
                |juli|august|september|oktober|november|dezember|frühjahr|sommer|herbst|winter)|nächste\w* (jahr|monat
                |woche|sommer|semester)|ab (januar|februar|märz|april|mai|juni|juli|august|september|oktober|november
                |dezember))
            (plane|planen|vorhaben|projekt|ziel|deadline|abgabe|frist|termin|prüfung|hochzeit|umzug)
        """,
    },
    lasting=r"""
        (immer|stets|nie|niemals|meistens|normalerweise|grundsätzlich|prinzipiell|regelmäßig|täglich|wöchentlich
            |seit jahren|seit langem|seit ewig*|schon lange|schon immer|dauerhaft|hauptsächlich|ausschließlich
            |leidenschaftlich*)
        (jeden|jede|jedes) (\S+ )?(tag|morgen|abend|woche|monat|jahr|wochenende|sommer|winter|\w+tag|mittwoch)
        seit (\S+ )?(\d+|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|einem|einer|dem|der|meine\w|langem|vielen
            |kindheit|geburt|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)
        (montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|morgens|abends)
    """,
    passing=r"""
        (gerade eben|gerade|eben|vorhin|heute|heut|gestern|vorgestern|heute abend|heute nacht|heute morgen
            |morgen früh|im moment|momentan|grad|jetzt gerade|kurz|diese woche|gleich|morgen)
    """,
    blockers=r"""
        (würde|würden|wäre|wären|hätte|hätten|bräuchte|könnte|könnten|müsste|sollte ich|wünschte)
        (frage mich|gefragt, ob|fragte mich|überlege, ob|überlegt, ob|weiß nicht, ob|ob ich|ob wir|ob man
            |angenommen|stell dir vor)
        (meinte|sagte|sagt|hat gesagt|meint|erzählte|behauptet|schrieb|schreibt mir|fragt|fragte)( \S+)?( \S+)?:
        (sagt|sagte|meint|meinte|behauptet|erzählt|erzählte), (dass|er|sie|es|ich)
        (geschichte|roman|gedicht|kurzgeschichte|märchen|film|buch), (in|wo)
        (ich|wir) (suche|suchen|brauche|brauchen|bräuchte|finde ~ nicht) ~ (hotel|rezept|idee|ideen|tipp|tipps
            |restaurant|flug|geschenk|formulierung|wort|synonym|hilfe|rat|bus)
        (scherz|witz|ironie|nur spaß|spaß beiseite|im traum|geträumt)
    """,
    requests=r"""
        ^(bitte |ach |hey |hallo |ok |okay |also |und |dann )*(schreib|schreibe|mach|mache|gib|zeig|zeige|erklär
            |erkläre|hilf|übersetz|übersetze|nenn|nenne|sag|sage|such|suche mir|finde|erstell|erstelle|formulier
            |formuliere|rechne|berechne|erzähl|erzähle|empfiehl|vergleiche|fass|fasse|korrigiere|prüf|prüfe|plane
            |liste|schlag) (mir|uns|mal|bitte|doch|ein|eine|einen|das|den|die|kurz|dazu|auf|zusammen|was)
        ^(kannst|könntest|würdest|weißt|hast|kennst|soll|sollte|darf|kann|können|gibt|gibts|ist|sind|bin|hab) (du
            |ich|es|wir|man|das|der|die|mein\w*|sie)
        ^(was|wie|wo|wann|warum|wieso|wer|welche\w?|wieviel|wozu|womit|woher|wohin)
    """,
    play=r"""
        (du bist|sie sind|ihr seid) (jetzt|nun|ab jetzt|heute) (ein|eine|mein|meine|der|die)
        (tu|tun wir|tue|tut) (mal |bitte )?so, als
        (stell dir vor|rollenspiel|spiel die rolle|spiele die rolle|in der rolle|aus sicht|aus der sicht)
        (schreib|schreibe|erfinde|dichte|verfasse|erzähl|erzähle) (mir |uns |bitte |mal )*(eine|ein|einen|die
            |ne) (\S+ )?(\S+ )?(geschichte|gedicht|märchen|lied|song|roman|dialog|szene|witz|monolog|tagebucheintrag
            |rede|liedtext|kurzgeschichte)
        (schreibe|schreib) (gerade |grad )?(an )?(eine|einer|ein|einem|einen|nen|ne) (\S+ )?(geschichte|roman
            |kurzgeschichte|gedicht|märchen|drehbuch|krimi|novelle)( ~|,) (in der|in dem|wo|über|ich)
    """,
    private=r"""
        (merk|merke) dir (das |dies |bitte )*nicht
        (nicht merken|nicht speichern|nicht abspeichern|unter uns|vertraulich|vergiss das|bleibt unter uns)
        (ignorier\w*|vergiss|missachte) ~ (anweisungen|instruktionen|regeln|prompt|vorgaben)
        (systemprompt|system-prompt)
    """,
    paste=r"""
        (übersetz|übersetze|korrigier|korrigiere|verbesser|verbessere|formulier|formuliere|fass|fasse|überarbeite
            |prüf|prüfe|lies|kürze|text|satz|mail|brief|absatz|zitat)
    """,
    over=r"""
        (nicht|keine|keinen|kein|nichts|nie|niemanden|nimmer) (\S+ )?(\S+ )?mehr
        (verkauft|gekündigt|aufgehört|abgeschafft|aufgegeben|abgemeldet|verschenkt|getrennt|geschieden|gestorben
            |beendet|ausgezogen|weggegeben|entsorgt|abgebrochen|losgeworden)
    """,
    change=r"""
        (jetzt|nun|inzwischen|mittlerweile|neuerdings|seit kurzem|statt|stattdessen|umgestellt|gewechselt|geändert
            |umgezogen|gezogen|doch nicht|korrektur|neu|neue|neuer|neuen|neues|ab sofort)
    """,
    present=r"""
        ich (\w+e|bin|hab|habe|darf|kann|mag|muss|soll|weiß|fahr|geh|mach|hör|lern|spiel|arbeit)
        (\w+e|bin|hab|darf|kann|mag|muss) ich
        wir (\w+en|sind)
        (\w+en|sind) wir
        (mein|meine|unser|unsere) (\S+ )?\w+ (ist|sind|hat|haben|heißt|liegt|beträgt|geht|steht|kommt|fängt
            |beginnt|läuft)
        mir (geht|fällt|wird|tut|fehlt)
        bei (mir|uns) (ist|gibt|wird|geht|läuft)
    """,
    vague=r"""
        (frage|problem|idee|ahnung|hunger|durst|lust|zeit|fehler|glück|danke|sorry|recht|hilfe|gefühl|eindruck
            |meinung|stau|müde|froh|glücklich|traurig|sauer|genervt|gespannt|sicher|unsicher|verwirrt|bereit|fertig
            |überrascht|begeistert|enttäuscht|neugierig|gelangweilt|beeindruckt|unterwegs|zuhause|im bus|im zug
            |dankbar|satt|nass|spät dran|pleite)
        ich (denke|glaube|finde|hoffe|meine|verstehe|weiß|sehe|höre gerade|suche|brauche|warte|frage|überlege
            |bitte|wünsche|freue|vermute|schätze|merke|bräuchte|melde|versuche|komme nicht|kriege|muss|sag|sage
            |nehme an|schicke|rufe|würde)
    """,
    past=r"""
        (hab|habe|haben|hat|bin|sind|ist) ~ (\w*ge\w+(t|en)|(ver|be|er|ent|zer|über|unter)\w+(t|en)|\w+iert)
        ich (war|hatte|ging|kam|sah|wollte|musste|konnte)
    """,
)
