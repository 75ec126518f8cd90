"""German."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

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

START = (
    r"(^|(?<=[-,:;–—] )|(?<= und )|(?<= also ))((und|also|aber|bitte|dann|deshalb|darum|daher|deswegen|drum|ja|ok"
    r"|okay|so"
    r"|noch was|wichtig|hey|hi|hallo|danke|am besten|ansonsten|außerdem|übrigens|gerne|lieber|doch)[,:]? ){0,4}"
)
"""The beginning of a clause, and the function words before its first content word."""
IMPERATIVES = (
    r"((antwort|schreib|beschreib|verwend|benutz|nutz|zeig|mach|erklär|erläuter|frag|fang|beginn|schlag|halt"
    r"|formulier|red"
    r"|korrigier|erinner|rechn|nenn|sag|erzähl|verrat|verzicht|vermeid|lass|bring|stell|setz|füg|häng|pack|leg|liefer"
    r"|biet|wähl|such|prüf|check|denk|acht|beacht|berücksichtig|bleib|fass|kürz|duz|siez|übersetz|schilder|rat|weis"
    r"|warn|kritisier|lob|begründ|beleg|zitier|verlink|verweis|markier|nummerier|glieder|ordn|sortier|list|zähl|rund"
    r"|konvertier|wandel|wandl|spiegel|spiegl|dreh|geh|komm|kommentier|ergänz|spar|entschuldig|wiederhol|unterstell"
    r"|begrüß|grüß|präsentier|generier|erstell|plan|kalkulier|buchstabier|verbesser|bewert|vergleich|definier|erwähn"
    r"|ignorier|überspring|start|schließ|beend|spoiler|spoil|zieh|konzentrier|schick|führ|behandel|behandl|versuch|geb"
    r"|schenk|versteck|variier|streu|bau|tipp|empfehl|runde|teil|ersetz|streich|misch|drück|schätz|gewöhn|trag|klär"
    r"|bearbeit|entwick|verkürz|verlänger|vereinfach|meld|gestalt|zeichn|trenn|unterlass|deut|bohr|betone?|kennzeichn"
    r"|sprech|les)e?"
    r"|(?!hier|bier|papier|tier|vier|klavier)\w{3,}iere?|tu|sprich|nimm|gib|lies|vergiss|empfiehl|sieh|hilf|sei"
    r"|unterbrich|versprich|wirf|hör|seien sie|tun sie|\w{3,}en sie)"
    r"(?! (ich|wir)\b)"
)
YOU = r"(du \w+|\w+st du|\w+t ihr|(sollen|können|dürfen|müssen|brauchen) sie|sie (sollen|können|dürfen|müssen|brauchen))"
FUTURE = (
    r"(ab (jetzt|sofort|heute|nun)|von (nun|jetzt|heute) an|in zukunft|für die zukunft|zukünftig|künftig|fortan"
    r"|fürderhin"
    r"|ein für alle ?mal|ein für allemal|in allen weiteren|für alle zukunft|ab dieser nachricht|weiterhin)"
)
ALWAYS = (
    r"(immer|stets|nie|niemals|nie wieder|nie mehr|grundsätzlich|generell|prinzipiell|jedes ?mal|standardmäßig"
    r"|dauerhaft"
    r"|ausnahmslos|konsequent|durchgehend|durchweg|automatisch|unter keinen umständen|auf keinen fall|in jedem fall"
    r"|nur noch|nicht mehr|kein\w* \w+ mehr|keinesfalls|ständig|in der regel|normalerweise|ein für alle ?mal|jederzeit)"
)
OUTPUT = (
    r"(\w*(antwort|rezept|zusammenfassung|übersetzung|erklärung|liste|tabelle|text|vorschlag|vorschläge|tipp|mail|brief"
    r"|nachricht|preis|betrag|beträge|maß|angabe|einheit|temperatur|gewicht|zahl|datum|daten|uhrzeit|zeit|entfernung"
    r"|beispiel|code|skript|test|quiz|übung|aufgabe|frage|plan|pläne|route|weg|anleitung|empfehlung|witz|gedicht"
    r"|geschichte|überschrift|titel|quelle|link|zitat|begriff|wort|wörter|fremdwort|fremdwörter|vokabel|ergebnis|formel"
    r"|rechnung|menü|menu|menüs|protokoll|entwurf|entwürfe|kommentar|einkaufsliste|korrektur|definition|hinweis|währung"
    r"|adresse|nummer|name|anrede|ton|stil|sprache|grafik|diagramm|präsentation|folie|absatz|absätze|satz|sätze|analyse"
    r"|vergleich|bewertung|kritik|feedback|rückmeldung|info|information|ausflug|ausflüge|reisetipp|film|buch|bücher"
    r"|serie|zutat|portion|kalorie|strecke|größe|abkürzung|lösung|zwischenschritt|übersicht|beschreibung|schilderung"
    r"|anschreiben|post"
    r"|rätsel|bild|diktat|lernkarte|karteikarte|kochidee|idee|training|workout)(e|en|n|s|er|nen)?)"
)
"""What an assistant produces, or what occurs in it."""
MANNERS = (
    r"(emojis?|smileys?|spoilern?|floskeln?|phrasen|ausrufezeichen|aufzählung\w*|stichpunkte?n?|anglizismen|tabellen?"
    r"|listen?"
    r"|fremdwörtern?|fachbegriffe?n?|fachchinesisch|fachjargon|jargon|witze?n?|ironie|sarkasmus|gendersternchen|gendern"
    r"|abkürzungen|links?|werbung|entschuldigungen|lobhudelei\w*|komplimente?n?|höflichkeitsfloskeln|einleitung\w*"
    r"|vorrede\w*|nachfragen|rückfragen|gegenfragen|fettdruck|fettschrift|überschriften|markdown|bindestriche"
    r"|gedankenstriche|klammern|metaphern|vergleiche|moralpredigt\w*|belehrung\w*|warnhinweise?n?|disclaimern?"
    r"|füllwörtern?"
    r"|superlative?n?|sternchen|aufmunterung\w*|motivationssprüche?n?|sprüche?n?|ratschläge?n?|wiederholungen"
    r"|bullet ?points"
    r"|blabla|geschwafel|schnickschnack|umschweife|drumherum|romane?|textwüste\w*|smalltalk|fußnoten|herzchen)"
)
"""What people do not want in any answer."""
CONDITION = (
    r"(wenn|falls|sobald|sooft|wann immer|immer dann,? wenn)"
    r"(?! (möglich|nötig|das|dies|überhaupt|(du|sie|ihr) (\S+ )?(zeit|lust|fertig|magst|mögen|willst|wollen|kannst"
    r"|können"
    r"|soweit|möchtest|so nett|weißt|wissen)|es (geht|passt|klappt|dir|ihnen|nicht|sein muss))\b)"
    r"(?![^,]* (heute|morgen|fertig|gleich|nachher)\b)"
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
    instruction=rf"""
        {START}{FUTURE},?(?! (?!möchte|will|wünsche|hätte|mag|brauch|bitte)\w+ ich\b)(?! (?!duzen|siezen|sprechen
            |reden|schreiben)\w+ wir\b)(?! (?!wäre|bitte)\w+ (er|es|man|mein\w*|unser\w*|der|die|das)\b)(?! (kann|darf
            |muss|soll|geht|läuft|gibt|ist|gilt|wird)\b)
        {START}({IMPERATIVES}|{YOU}|(die |deine |meine |alle )?{OUTPUT}|keine?) (\S+ ){{0,9}}?{FUTURE}
        bitte (\S+ ){{0,7}}?{FUTURE}
        {FUTURE} (\S+ ){{0,9}}?bitte
        {START}{IMPERATIVES} ((?!ich\b)[^ ,]+ ){{0,9}}?{ALWAYS}
        ^(bitte )?{IMPERATIVES} (mir |mich |bitte |in |dabei |auch )*(kein|keine|keinen|keinerlei)
        {START}{IMPERATIVES} (mir |mich |bitte )*(bloß |ja |nie |auf keinen fall )?(keine|keinen|keinerlei) {MANNERS}
        {START}{ALWAYS} (\S+ ){{0,8}}?\w*(geben|schreiben|antworten|nennen|sagen|erzählen|verraten|zeigen|rechnen
            |erklären|verwenden|benutzen|nutzen|fragen|stellen|setzen|fügen|weglassen|empfehlen|schlagen|übersetzen
            |korrigieren|formulieren|fassen|erwähnen|hinweisen|duzen|siezen|bieten|spoilern|anführen|begründen
            |zitieren|runden)$
        {START}(immer|grundsätzlich|generell|stets) (bitte|in|auf|mit|ohne|als|kurz|knapp|zuerst|erst|nur|auch) [^,]*$
        ^(bei|in|für|zu|die|alle|deine|meine|den|und|ach)? ?(deinen |meinen |den |allen )?{OUTPUT}( (?!(ich|wir|er|es
            |man|ist|sind|war|waren|hat|habe|haben|wird|werden|kommen|dauern|kosten|sehen|schmecken|gehen|stehen
            |klingen|bleiben|müssen|können|liegen|enden|fallen|machen)\b)\S+){{0,4}}?,? (bitte )?(immer|stets
            |grundsätzlich|generell|prinzipiell|nie|niemals|jedes ?mal|ausnahmslos|standardmäßig|ausschließlich
            |nur noch) (?!ich\b)(bitte|in|im|auf|mit|ohne|als|für|zu|nach|unter|bis|nur|höchstens|maximal|mindestens
            |so|auch|kurz|knapp|ein\w*|länger|mehr|über|aus|von|per|vegan|vegetarisch|metrisch|ausführlich|aufs|gleich
            |direkt|\w+(geben|schreiben|rechnen|nennen)$)
        {START}((bloß|bitte|nie|niemals|und|auch) )*(kein|keine|keinen|keinerlei|ohne|null|nix mit|nie|niemals
            |nie wieder|weg mit|nie mehr) (\w+ )?{MANNERS}(?=( (mehr|bitte|danke|in|am|bei|von|für|und|oder|wenn|nie
            |niemals|immer|hier)|,|$))(?! im (text|brief|bericht))
        (in|bei) (deinen|ihren) (antworten|texten|erklärungen|nachrichten)
        (deine|ihre) (antworten|erklärungen|texte) ~ (sollen|sollten|bitte|immer|kurz|dürfen|können)
        {START}(immer wenn|jedes ?mal,? wenn|wann immer|sooft|so oft) (?![^;]*, (\w+ )?(ich|wir|er|sie ist
            |es)\b)[^.]{{4,120}}, (dann )?({IMPERATIVES}|{YOU}|bitte|soll|sollst|sollten|brauche ich|möchte ich
            |will ich)
        {START}{CONDITION} [^.]{{4,110}}?,? (dann |bitte |so |gleich |mir |am besten )*{IMPERATIVES}(?= |$)(?! \w+ ich\b)
        {START}{CONDITION} (du|ihr|sie) (mir|mich|uns|für mich|etwas|was|ein\w*|über|\w+) [^,]*?\w+(st
            |en), (dann )?(soll*|bitte|immer|nie|niemals|muss|müssen|darf|dürfen|möchte ich|will ich|gern|stets
            |grundsätzlich|nur|reicht|reichen|höchstens|maximal|mit|ohne|am liebsten)
        {START}{CONDITION} [^,]{{4,80}}, (dann )?(bitte|{YOU}|möchte ich, dass du|will ich, dass du|immer|nie|niemals)
        {START}{IMPERATIVES} [^,;:]{{0,80}}, (immer wenn|jedes mal,? wenn|sooft|wann immer|bevor du|(wenn|falls
            |sobald) (ich (?!fertig|zurück)(dich|dir|etwas|was|ein\w*|nach|mich|über|auf|von)|ein\w*|irgendwo|etwas
            |es um|du (mir|mich|ein\w*|über|etwas|was|nicht)))(?![^,]*(heute|morgen|fertig))
        {START}(sobald|bei jedem|bei jeder|bei allen|bei|zu jedem|zu jeder|vor jedem|vor jeder|nach jedem
            |nach jeder) [^.,]{{3,60}},? (bitte |dann |immer )*({IMPERATIVES}|\w+st du)(?= )
        ^((dann )?(frage|schreibe|schicke|stelle|nenne|erwähne|poste|zeige|sage|bitte|frag|schreib|schick|poste|zeig
            |nenn|erwähn) ich|\w{{4,}}st du|kommt|kommen|taucht|tauchen|fällt|geht es|geht's|gibt es|gibt's|steht
            |stehen|erscheint|enthält) [^.,]{{3,90}}, (dann |bitte |so )*{IMPERATIVES}(?= |$)
        (nenn|nenne|nennt|nennen sie|ruf|rufe) mich
        (sag|sage|sagen sie|sagt) (bitte |einfach |lieber |ruhig |doch )*\w+ zu mir
        und zwar {ALWAYS}$
        (das )?gilt (ab|auch|immer|für) (alle\w*|jede\w*|immer|künftig\w*)
        (sprich|sprechen sie|red|rede|reden sie) mich ~ (mit|an)
        (duz|duze|siez|sieze|duzen sie|siezen sie) mich
        (du|ihr|sie|wir|man) (kannst|könnt|können|darfst|dürfen|dürft|sollst|sollten|kann|darf) (mich|uns) ~ (nennen
            |duzen|siezen|ansprechen)
        (lass|lassen sie) uns (\S+ )?(duzen|siezen|per du|beim du|beim sie)
        (per du|bleiben wir beim (du|sie)|mit (du|sie|vornamen) (ansprechen|anreden))
        ^(merk|merke) dir
        {START}(merk|merke) dir
        (merken sie|behalte|behalt|denk immer|denk bitte|denk) (sich|im kopf|daran|dran)
        vergiss (bitte )?(nicht|nie), (dass|mir|mich)
        (ab jetzt )?wenn ich nach ~ frag*
        ich (will|möchte|hätte gern|hätte gerne|wünsche mir|erwarte|würde mir wünschen|bevorzuge es)( \S+)?(, dass (du
            |sie)| nicht, dass (du|sie)|, wenn du)
        (mir wäre( es)?|es wäre( mir)?|wäre( mir)?|fände ich( es)?|ich fände( es)?|mir ist|mir ist es
            |hätte ich) (\S+ ){{0,3}}(lieb\w*|gut|schön|nett|super|toll|recht|wichtig|gern\w*|angenehm\w*|praktisch
            |klasse|prima), (wenn|dass) (du|sie) (\S+ ){{0,8}}?{ALWAYS}
        (ich (will|möchte|mag|wünsche)|(will|möchte|mag) ich) (?!(\S+ )?(mein\w*|ihn|den kerl
            |dich)\b)[^;]{{0,90}}?(nicht mehr|nie mehr|nie wieder|kein\w* (\S+ ){{1,3}}mehr|niemals
            |nie) (\S+ ){{0,5}}?(lesen|hören|sehen|angezeigt|vorgesetzt|vorgeschlagen|bekommen|haben)
        (du (musst|sollst|brauchst|darfst|kannst)|(musst|sollst|brauchst|darfst|kannst) du) (mir|mich|bei|nie|nicht
            |immer|ruhig|gern|gerne|bitte|dich|keine) (\S+ ){{0,8}}?({ALWAYS}|nicht (jedes|jedesmal|extra|ständig)
            |keine)
        {START}(sei|seien sie|bleib|bleiben sie|red|rede|sprich|reden sie|sprechen sie) ((bitte|ruhig
            |immer) )*\w+( \w+)? ((mit|zu) mir|mir gegenüber)(?=,|$)
        (hör|hören sie) (bitte )?auf,? (damit, )?(mich|mir|immer|ständig|jedes|dauernd|am ende|mit)
        {START}(spar|spare|sparen sie|schenk|verkneif|verkneife|erspar|erspare|lass|lassen sie) (dir|mir
            |sich) (bitte )?(die|das|den|diese*|jede*|in zukunft)
        ^(\S+ ){{0,3}}(neue |feste |allgemeine |wichtige |kleine )?(\w*regel|grundsatz|grundsätzliches|prinzipielles
            |generelles|allgemeines|grundlegendes|dauerauftrag|für immer|für alle\w*|vorgabe)( \S+){{0,4}}:
        (neue regel|grundregel|bitte immer|immer in|immer bitte|bitte (nie|niemals)|bitte künftig|bitte (grundsätzlich
            |generell|stets|jedes ?mal|ausnahmslos|nur noch|nie wieder|nicht mehr|standardmäßig))
        ^(antworte|antworten sie|schreib|schreibe|sprich|rede) (mir |mit mir )?(bitte )?(auf|in) (deutsch|englisch
            |einfacher)
        (antworte|antworten|schreib|schreibe) (mir |bitte )*(kurz|knapp|ausführlich|sachlich)( und \w+)?$
        (schlag|empfiehl|empfehle|zeig|schick|biete) mir (bitte )?(nie|keine|niemals|kein|nichts)
    """,
    one_off=rf"""
        (wie|so wie) (immer|sonst|üblich|gewohnt)
        (nächste|nächsten|folgende|folgenden|diese|dieser|diesem|diesen|dieses) (frage|fragen|text|satz|mail|aufgabe
            |mal|nachricht|brief|antwort|absatz|rätsel|zeilen|spiel)
        (diesmal|für heute|nur heute|nur jetzt|nur dieses|pirat|kurz mal|käpt'n|tu so|in die rolle|rollenspiel
            |spiele? (mal|bitte|mit|jetzt|doch|ein\w*|den|die|du))
        merk dir das nicht
        (ich hab|ich habe|ich konnte) mir
        ^(und |also )?(bei uns|bei mir|bei ihnen|bei ihm|in unserem|in unserer|im team|in der (firma|arbeit|schule
            |kita)|im büro|auf (der )?arbeit|unser|unsere)
        ((mein|meine|unser|unsere|der|die) (\w+ )?({PEOPLE}|\w*arzt|\w*ärztin|\w*trainer\w*|\w*lehrer\w*|vermieter\w*
            |\w*therapeut\w*)|er|jemand|man) (\w+ )?(sagt|sagte|meint|meinte|predigt|verlangt|will|möchte|schreibt
            |findet|besteht|hat (\S+ )?(gesagt|verlangt))
        (sagt|sagte|rief|meint|meinte) (mein|meine|er|der|die|unser|unsere)
        \w+ (mir |bitte |doch |uns )*mal (kurz|eben|schnell|bitte)
        kein (problem|thema|ding|stress)
        (keine (ursache|ahnung|sorge|eile|panik|zeit|lust|idee))
        {START}(sag|sage|sagen sie|erklär|erkläre) mir[^,]*, (wie|was|wer|wo|wann|warum|wieso|woher|ob|welche\w*) (ich
            |wir|man)
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
        (bitte|das|dies|davon|hiervon|(musst|brauchst|sollst|darfst) du dir) (bitte |dir |das )*nicht (merken|speichern
            |abspeichern)
        ^(bitte )?nicht (merken|speichern|abspeichern)
        (unter uns|vertraulich|vergiss das|bleibt unter uns)
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
