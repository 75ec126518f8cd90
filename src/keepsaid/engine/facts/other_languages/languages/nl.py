"""Dutch."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

PEOPLE = (
    r"(zus|zusje|zussen|broer|broertje|broers|moeder|mama|mam|ma|vader|papa|pap|pa|ouders|dochter|dochtertje"
    r"|dochters|zoon|zoontje|zonen|zoons|kind|kinderen|baby|vrouw|man|echtgenoot|echtgenote|partner|vriendin|vriend"
    r"|vriendje|verloofde|ex|oma|opa|grootmoeder|grootvader|grootouders|kleinkind|kleinkinderen|kleinzoon"
    r"|kleindochter|tante|oom|neef|neefje|nicht|nichtje|schoonmoeder|schoonvader|schoonouders|schoonzus|schoonbroer"
    r"|zwager|schoonzoon|schoondochter|huisgenoot|huisgenote|buurman|buurvrouw|buren|collega|baas|tweeling|familie"
    r"|gezin|petekind|stiefzoon|stiefdochter|oudste|jongste|maat)"
)
PETS = (
    r"(hond|hondje|honden|pup|puppy|teef|kat|katten|poes|poezen|kater|kitten|paard|pony|merrie|hamster|cavia|konijn"
    r"|konijnen|papegaai|parkiet|kanarie|schildpad|vis|vissen|kippen|huisdier)"
)
MINE = r"(mijn|m'n|onze|ons)"
ILL = (
    r"(allergisch|\w*allergie*|\w*intoleran*|astma*|diabet*|suikerziekte|coeliakie|migraine|epilepsie|reuma|artrose"
    r"|hoge bloeddruk|hooikoorts|eczeem|depressie*|depressief|burn-out|burnout|adhd|add|autis*|dyslexie|dyslectisch"
    r"|tinnitus|hoogtevrees|vliegangst|claustrofob*|\w*fobie|pleinvrees|hernia|hartafwijking|pacemaker|schildklier*"
    r"|kanker|ms|crohn|zwanger|gehoorapparaat*|rolstoel|dialyse|blind|doof|slechthorend|slechtziend|kleurenblind"
    r"|lactose*|gluten*|insuline|reisziek|wagenziek|zeeziek|slaapapneu|endometriose|hartpatiënt|bloedverdunners)"
)
JOBS = (
    r"(\w*leraar|\w*lerares|juf|meester|docent*|\w*arts|dokter|\w*verpleeg*|\w*verpleger|\w*ingenieur|verloskundige"
    r"|\w*ontwikkelaar|programmeur|programmeuse|ict'er|architect|advocaat|jurist*|student*|promovend*|scholier"
    r"|\w*verkoper|verkoopster|kok|bakker|kapper|kapster|elektricien|timmerman|loodgieter|monteur|schilder|boer"
    r"|boerin|\w*agent*|brandweer*|boswachter|journalist*|schrijver|schrijfster|vertaler|vertaalster|designer"
    r"|vormgever|ontwerper|fotograaf|fotografe|muzikant*|acteur|actrice|consultant|adviseur|accountant|boekhoud*"
    r"|\w*manager|projectleider|directeur|directrice|zzp'er|zelfstandig*|freelance*|ondernemer|gepensioneerd"
    r"|met pensioen|werkloos|huisvrouw|huisman|pedagog*|maatschappelijk werker|psycholoog|therapeut*|\w*therapeut"
    r"|wetenschapper|onderzoeker|bioloog|chemicus|apotheker|dierenarts|ambtenaar|chauffeur|vrachtwagenchauffeur"
    r"|piloot|bibliothecar*|stagiair*|tandarts|logopedist*|fysio*|kraamverzorg*|buschauffeur|postbode|hovenier"
    r"|bloemist|barista|notaris|makelaar|conducteur|machinist|coach|trainer|analist|in het onderwijs|in de zorg)"
)
THINGS = (
    r"(auto|wagen|\w*fiets|e-bike|motor|scooter|brommer|busje|camper|caravan|huis|appartement|flat|studio|tuin"
    r"|moestuin|volkstuin|gitaar|piano|viool|drumstel|accordeon|saxofoon|\w*camera|laptop|macbook|computer|pc"
    r"|printer|airfryer|thermomix|boot|zeilboot|werkplaats|winkel|bedrijf|zaak|iphone|telefoon|android*|linux"
    r"|windows|mac|tablet|ipad|kobo|e-reader|playstation|switch|blog|podcast|kanaal|verzameling|collectie|volkswagen"
    r"|golf|polo|opel|corsa|bmw|audi|mercedes|ford|fiesta|mazda|toyota|yaris|skoda|tesla|fiat|renault|clio|peugeot"
    r"|citroën|volvo|hyundai|kia|gazelle|batavus|canon|nikon|sony|fuji*|tweedehands)"
)
DAYS = r"(maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)"
MONTHS = r"(januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december)"
# Standing instructions.
VERBS = (
    r"(antwoord|beantwoord|schrijf|gebruik|geef|toon|reken|leg|vraag|begin|eindig|vermijd|corrigeer|stel|zet|spreek"
    r"|praat|stuur|raad|maak|houd|hou|vertaal|verbeter|noem|vermeld|vertel|zeg|laat|voeg|gebruikt|sluit|open|start"
    r"|stop|doe|kies|neem|bied|beveel|adviseer|waarschuw|meld|citeer|verwijs|onderteken|rond|bereken|converteer"
    r"|controleer|check|verklap|verraad|onthul|verzin|herhaal|vat|som|zoek|kijk|let|ga|pas|haal|wees|blijf|spiegel"
    r"|draai|keer|splits|deel|sorteer|orden|nummer|markeer|benadruk|formuleer|formatteer|beschrijf|omschrijf"
    r"|definieer|licht|teken|schets|plan|reageer|help|behandel|overleg|geef|lees|test|negeer|accepteer|ruil|vervang"
    r"|voorkom|wissel|werk|vul|hanteer|beperk|verkort|kort|verander|wijzig|vergelijk|tel|duid|wijs|breng|bewaar|sla"
    r"|print|bedenk|stem|beoordeel|betuttel|prijs|complimenteer|verontschuldig|bedank|groet|spel|splits|overdrijf"
    r"|motiveer|onderbouw|presenteer|suggereer|plaats|trek|rijm|aanspreek|tutoyeer|vousvoyeer|spaar|benoem|verstuur"
    r"|herinner|onthoud|lever|eindig|schakel|redeneer|dicht|samenvat|kom|mag|wilt u|wil je|gelieve|graag)"
)
IMPERATIVE = rf"({VERBS}t?( u)?(?! (ik|jij|hij|zij|ze|wij|we|mijn|is|was|heb|je (altijd|nooit|steeds|vaak))(?!\w)))"
INFINITIVE = (
    r"(\w*(antwoorden|schrijven|gebruiken|geven|tonen|rekenen|leggen|vragen|beginnen|eindigen|vermijden|corrigeren"
    r"|stellen|zetten|spreken|praten|sturen|raden|maken|houden|vertalen|verbeteren|noemen|vermelden|vertellen|zeggen"
    r"|laten|voegen|sluiten|doen|kiezen|nemen|bieden|bevelen|adviseren|waarschuwen|melden|citeren|verwijzen|ronden"
    r"|converteren|checken|controleren|klappen|hullen|herhalen|vatten|zoeken|letten|passen|blijven|spiegelen|draaien"
    r"|sorteren|nummeren|formuleren|beschrijven|tekenen|reageren|vervangen|hanteren|beperken|korten|vergelijken"
    r"|wijzen|brengen|benoemen|onderbouwen|presenteren|suggereren|plaatsen|lezen|spellen|vullen|werken|leveren"
    r"|benadrukken|zijn|tutoyeren|toevoegen))"
)
POLITE = (
    r"(alsjeblieft|alstublieft|aub|svp|a\.u\.b|s\.v\.p|graag|als je wilt|wil je|wilt u|als het kan|bitte|please|gelieve)"
)
OPENER = (
    rf"(^(({POLITE}|hé|hey|hoi|oké|ok|en|maar|dus|dan|verder|luister|let op|nog iets|even|eén ding|één ding|o ja|oh"
    rf"|trouwens|ook"
    r"|nou|ten slotte|onthoud),? )*)"
)
HEAD = (
    rf"({OPENER}"
    r"|^((en|maar|omdat|aangezien|daar|want) )?((ik|we|wij) \w+|mijn ogen|m'n ogen)( [^ ;]+){0,14}?[,;:] ((en|dus"
    r"|daarom|dan|graag) )*"
    rf"|(dus|daarom|vandaar|{POLITE}),? (dan )?)"
)
FROM_NOW = (
    r"(vanaf (nu|vandaag|heden|hier|morgen|dit moment)|voortaan|van nu af aan|in het vervolg|in de toekomst"
    r"|vanaf nu af aan|de volgende keren|toekomstig|nu en altijd|van nu af|voor altijd|voorgoed|vanaf deze)"
)
OFTEN = (
    r"(altijd|nooit( meer| ofte nimmer)?|steeds|telkens( als)?|(elke|iedere) keer( als| dat)?|standaard|in de regel"
    r"|in principe|automatisch|consequent|per definitie|stelselmatig|onder geen (beding|enkel beding)|in geen (geval"
    r"|enkel geval)|voor eens en (altijd|voor altijd)|(in|bij|onder|na|voor|aan het (eind|einde|begin) van) (elk|elke"
    r"|ieder|iedere|al je|al uw|alle) \w+|in al je \w+|tenzij ik)"
)
# No clause with its own verb, to which the adverb could belong: "tell me why the sky is always blue".
NEAR = r"( (?!(dat|die|waarom|hoe|wat|waar|wie|of|welke?|wanneer|omdat|een|ik|mijn|is|zijn|heeft) )[^ ;:.,]+){0,7}? "
FAR = r"( [^ ;]+){0,14}? "
PAUSE = r"( [^ ;]+){0,16}?[,:] ((dan|graag|alsjeblieft|alstublieft|en|dus|gewoon|dat|die|je|u|jij|moet),? )*"
WHENEVER = (
    r"(telkens (als|wanneer)|telkens|(elke|iedere) keer( als| dat| wanneer)?|steeds (als|wanneer)|altijd als|zodra"
    r"|wanneer|als|indien|mocht|bij (elke|iedere|elk|ieder|alle)|in het geval dat|zo vaak als|ingeval|komt|gaat|valt"
    r"|staat|duikt)"
)
COMES_UP = (
    r"(langskom\w*|voorbijkom\w*|opduik\w*|voorkom\w*|voorkomt|voorkomen|bovenkom\w*|ter sprake kom\w*"
    r"|ter sprake (komt|komen)|voorbij (komt|komen)|langs (komt|komen)|gaat over|over \S+( \S+)? (gaat|hebben|praten"
    r"|hebt|heb|spreken|begin|begint|beginnen)|gaat het over|het over|sprake is van|opkom\w*|valt|vallen"
    r"|genoemd word\w*|wordt genoemd|verschijn\w*|tegenkom\w*|aan de orde \w+|vermeld wordt|noem\w*|staat|staan|zit"
    r"|zitten|gebruikt wordt|ziet|merkt|opvalt|onderwerp is|gesprek komt)"
)
YOU = r"(je|jij|u)"
WHEN_YOU = (
    rf"((telkens (als|wanneer)|(elke|iedere) keer( als| dat| wanneer)?|steeds (als|wanneer)|zodra|wanneer|als|indien) {YOU})"
)
WHEN_I = (
    r"((telkens (als|wanneer)|(elke|iedere) keer( als| dat| wanneer)?|steeds (als|wanneer)|zodra|wanneer|als|indien) ik)"
)
DEMAND = (
    rf"(((die|dat|deze|het|ze|je|u|hij|ik) )?(moet|moeten|mag|mogen|hoort|horen|hoor|hoeft|hoef|wil|zou) |wil ik|moet"
    rf"|moeten|hoort|horen|dan graag|geen|zonder|maximaal|hooguit|liefst|liever|alleen|altijd|nooit|graag"
    rf"|{IMPERATIVE})"
)
ASSISTANT_DOES = (
    r"(maakt|schrijft|geeft|antwoordt|uitlegt|vertaalt|stelt|voorstelt|aanraadt|noemt|gebruikt|rekent|berekent"
    r"|samenvat|opstelt|toont|zoekt|verbetert|corrigeert|nakijkt|plant|bedenkt|vertelt|zegt|doet|tipt|aanbeveelt"
    r"|vraagt|verzint|citeert|programmeert|levert|tekent|beschrijft|controleert|adviseert|twijfelt|niet zeker|weet"
    r"|reageert|laat|toestuurt|opsomt|vergelijkt|beoordeelt|praat|spreekt|begint|verwijst|kiest|helpt|neemt"
    r"|formuleert)"
)
I_DO = (
    r"(vraag|stuur|plak|schrijf|noem|geef|upload|deel|zeg|vertel|praat|typ|gebruik|maak|citeer|laat|stel|begin"
    r"|heb over|foto|wil|bedoel|toon|doorstuur|plaats|voorleg|aanlever)"
)
MADE = (
    r"(recept\w*|antwoord(en)?|prijs|prijzen|samenvatting(en)?|code\w*|commentaar|commentaren|datums?|data|maten"
    r"|afstand(en)?|temperatu\w+|uitleg|vertaling(en)?|mails?|mailtjes?|e-mails?|brie(f|ven)|tekst(en)?|lijst(en"
    r"|jes)?|lijstje|tabel(len)?|voorbeeld(en)?|bron(nen)?|verwijzing(en)?|cita(at|ten)|titels?|namen|getallen"
    r"|cijfers|bedrag(en)?|tijden|tijd|berekening(en)?|quiz\w*|toets(en)?|oefening(en)?|vragen|advies|adviezen|tips?"
    r"|suggesties?|correcties?|concept(en)?|bericht(en|jes)?|posts?|artikel(en|s)?|verhaal|verhalen|gedicht(en)?"
    r"|presentaties?|slides?|document(en)?|rapport(en)?|verslag(en)?|scripts?|functies?|variabelen|formules?"
    r"|grafieken|plaatjes|afbeelding(en)?|routes?|reis\w+|reizen|menu's|menu|hoeveelheden|ingrediënten|porties?"
    r"|gewicht(en)?|schema's|schema|plannen|planning(en)?|analyses?|recensies?|films?|filmtips|boeken|boekentips"
    r"|voorstellen|ideeën|nieuws|definities?|woorden|termen|zinnen|alinea's|inleiding(en)?|afsluiting(en)?|aanhef"
    r"|trainingen|trainingsschema's|spelletjes|cadeautips|links?|uitslagen|valuta|eenheden|opdrachten|gerechten"
    r"|maaltijden|weekmenu's)"
)
UNWANTED = (
    r"(emoji\S*|smileys?|emoticons?|spoilers?|lijst\w*|opsomming\w*|bullets?|bulletpoints|vetgedrukt\w*|vette letters"
    r"|uitroeptekens?|anglicismen|engelse? \w+|omhaal|poespas|excuses|complimenten|complimentjes|inleiding\w*"
    r"|tabellen|markdown|latex|preken|gepreek|moraal\w*|waarschuwing\w*|disclaimers?|links?|linkjes|afkorting\w*"
    r"|jargon|vaktaal|vaktermen|herhaling\w*|samenvatting\w*|advies|adviezen|tips|grapjes|grappen|ironie|sarcasme"
    r"|citaten|sterretjes|streepjes|gedachtestreepjes|hoofdletters|kopjes|titels|commentaar|franje|slijmerij|geslijm"
    r"|vleierij|clichés?|metaforen|vragen|hashtags?|formules|verkleinwoord\w*|moeilijke woorden|scheldwoorden"
    r"|schuttingtaal|wollig\w*|beleefdheidsfrasen|flauwekul|gezwam|gelul|vulling|uitweidingen|smoesjes|koosnaampjes"
    r"|voetnoten|plaatjes|cijfers achter de komma|dooddoeners|gezeur|gedoe|engels|ingewikkelde \w+|lange \w+)"
)

TABLE = PhraseTable(
    code="nl",
    first=r"""
        (ik|mij|me|mijn|m'n|mijzelf|mezelf|wij|we|ons|onze|bij ons)
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}
        {MINE} (\w+ )?{PETS}
        (mama|papa|oma|opa)
    """,
    states=rf"""
        (heet|heten|woont|wonen|leeft|werkt|werken|studeert|studeren|geeft les|speelt|verzamelt|zit op|zit in
            |zit bij|komt uit)
        (is|zijn|was|wordt|werd) (een |een heel |mijn )?(\S+ )?{JOBS}
        (is|zijn|wordt|werd) ~ (jaar|jarig|maanden oud|geboren|getrouwd|gescheiden|overleden|verloofd
            |gepensioneerd|verhuisd|afgestudeerd|veganist*|vegetari*|vegan|linkshandig)
        (is|wordt) (\S+ )?\d+
        (heeft|hebben|is|zijn|zit|kan) ~ {ILL}
        (eet|eten|drinkt|lust|verdraagt|mag|kan) (\S+ )?(\S+ )?(geen|niets|nooit|niet|alleen)
        (houdt|houden) ~ van
        (haat|vindt|is dol op|is gek op)
        (heeft|hebben) ~ (kind|kinderen|baby|getrouwd|gekregen|dochter|zoon)
        (verwacht|krijgt) ~ (kind|baby|kindje|tweeling)
        is (een|mijn) \w+
    """,
    instruction=rf"""
        {FROM_NOW},? ((graag|dus|alsjeblieft|alleen|altijd|geen|nooit|niet),? )*{IMPERATIVE}
        ^{VERBS}t?( u)?(?! (ik|jij|hij|zij|ze|wij|we)(?!\w)){FAR}{FROM_NOW}
        {HEAD}{IMPERATIVE}{FAR}{FROM_NOW}
        {FROM_NOW}{PAUSE}{IMPERATIVE}
        {FROM_NOW},? (graag|alleen|enkel|geen {UNWANTED}|zonder|altijd|nooit|alle |al je |(de |het )?{MADE}|(wil|zou
            |heb|zie|hoor|krijg|lees) ik (graag |liever |liefst )?(dat {YOU}|alle|alleen|geen|altijd|de|het|je
            |{MADE})|(moet|mag|kun|kunt|hoef|hoeft|zul|zult|ga|dien|dient) ?{YOU}|met mij|tegen mij|bij mij)
        {HEAD}({MADE}|geen|zonder|alleen|alle|al je|de|het|{YOU} (mag|moet|kunt|kan|hoeft)){FAR}{FROM_NOW}
        {POLITE}{FAR}{FROM_NOW}
        {FROM_NOW}{FAR}{POLITE}
        {FROM_NOW}{FAR}{INFINITIVE}$(?<!zijn)(?<!wonen)
        {HEAD}{IMPERATIVE}( (me|mij|je|dan|ook|dus|maar|gewoon|het|ze|hem|mijn|die|dat))*,?{NEAR}{OFTEN}
        ^{VERBS}t?( u)? ((me|mij) )?(mijn |m'n )?(?!je |ik |jij |we )\S+ ({OFTEN})
        {HEAD}((altijd|nooit|steeds|telkens|elke keer|standaard|in de regel)( meer)?),?{FAR}({INFINITIVE}|{POLITE})$
        {HEAD}(altijd|nooit|steeds)( meer)? (in het|in euro\S*|met|zonder|de|het|een) [^;]{{2,60}}{POLITE}
        {HEAD}(niet|nooit|geen)( meer)?( [^ ;,]+){{1,6}}? {INFINITIVE}(,? {POLITE})?$
        {HEAD}(niet|nooit)( meer)? {INFINITIVE}
        {WHENEVER}{FAR}{COMES_UP}( [^ ;]+){{0,10}}?[,:] ((dan|graag|alsjeblieft|en|dus),? )*({DEMAND}|{MADE}
            |{UNWANTED})
        {WHENEVER} {COMES_UP}( [^ ;]+){{0,10}}?[,:] ((dan|graag|alsjeblieft|en|dus),? )*({DEMAND}|{MADE}|{UNWANTED})
        (telkens|telkens als|telkens wanneer|elke keer( als| dat| wanneer)?|iedere keer( als| dat| wanneer)?
            |steeds als|steeds wanneer|bij elke|bij iedere|bij elk|bij ieder|in elk|in elke){PAUSE}({IMPERATIVE}|geen
            |zonder|wil ik dat|moet {YOU}|mag {YOU})
        {WHEN_YOU}( [^ ;]+){{0,8}}? {ASSISTANT_DOES}( [^ ;]+){{0,6}}?,? ((dan|graag|alsjeblieft|en|dus
            |altijd),? )*({DEMAND}|{MADE}|{UNWANTED}|(de|het) {MADE})
        {WHEN_I}( [^ ;]+){{0,8}}? {I_DO}( [^ ;]+){{0,6}}?, ((dan|graag|alsjeblieft|en|dus),? )*({IMPERATIVE}|wil ik
            |bedoel ik|moet {YOU}|mag {YOU}|geen|alleen|altijd)
        {WHEN_I} (je |jou |u |iets |om |een |code |naar |het |over |in )?\S+ ?\S* ?\S*, (dan )?(antwoord|geef|schrijf
            |gebruik|maak|verbeter|vertaal|leg|laat|bedoel|wil|mag|reken|corrigeer|zeg|vraag)
        {HEAD}(bij|voor|in|over|van|met
            |wat betreft) (alle |al je |al mijn |elke? |iedere? )?{MADE}( [^ ;]+){{0,6}}?[,:]? (geldt|altijd|nooit
            |graag|moet {YOU}|wil ik|{IMPERATIVE})
        {OPENER}((de|het|alle|al je|elk|elke|mijn|voor mij) )*(\w+e )?{MADE}( (van|voor|in|met|uit|over
            |die je \w+)( \w+)?| (?!\w+(en|t) |is |was |zijn )\w+)?,? (altijd|nooit|in de regel|in principe|standaard
            |steeds|uitsluitend|bij voorkeur|consequent)(?! (goed|leuk|mooi|lekker|geweest|beter))(,? (in|op|voor|met
            |zonder|van|uit|bij|aan|de|het|een|per|tot|onder|boven|binnen|niet|kort\w*|kleine?|alleen|hooguit
            |maximaal|minder|meer|eerst|vooraf|\d+|heel|simpel|makkelijk\w*|veg\w+|nederlands\w*|volledig|voluit
            |metrisch|graag|geen|als|te)|$| \w+\W*$|,)
        {OPENER}((de|het|alle|al je|elke?) )*{MADE}{FAR}(moeten|moet|mogen|mag|horen|hoort) ({OFTEN}|in|hooguit
            |maximaal|niet|geen)
        ik (wil|hoef|wens|hoor|zie|lees|kan|zou)( [^ ;]+){{0,12}}? (nooit|niet|geen|niks
            |niets) (meer )?(te )?((["«“„]|de|het|die|zulke|van|meer|zoiets|dat|woorden|zinnen
            |over) ?)*(["«“„]_+["»”] )(te )?(horen|lezen|zien|krijgen|hebben|weten)
        ik (wil|hoef|wens)( (?!mijn|m'n|hem|haar|hen|die man)[^ ;]+){{0,8}}? (nooit|niet|geen) meer ((van
            |over) \w+ )?(te )?(horen|lezen)
        ik (wil|hoef|wens)( [^ ;]+){{0,3}}? (nooit|niet|geen)( meer)?( [^ ;]+){{0,10}}? ({UNWANTED}|{MADE}
            |["«“„]_+["»”])( [^ ;]+){{0,4}}? (horen|lezen|zien|krijgen|hebben|weten)
        ik (wil|hoef|wens)( [^ ;]+){{0,3}}? ({UNWANTED}|{MADE}|["«“„]_+["»”])( [^ ;]+){{0,4}}? (niet
            |nooit)( meer)?( te)? (horen|lezen|zien|krijgen|hebben|weten)
        {HEAD}(geen|zonder|nul|nooit( meer)?|stop met|hou op met|houd op met|niet meer|weg met|genoeg|liever geen
            |graag geen) ((de|het|die|dat|al|zulke|meer|van|steeds|teveel|te veel|onnodige
            |overbodige) )*(\w+ )?{UNWANTED}
        {HEAD}(geen|zonder|nooit)(?! (probleem|problemen|paniek|haast|stress|zorgen|dank|idee|zin|moeite|punt|grap
            |tijd))( [^ ;,]+){{1,5}},? (altijd|nooit|ooit|{POLITE}|{FROM_NOW})$
        (stop|hou op|houd op) met (\S+ )?\w+
        (noem me|noem mij|noemt u mij|noemt u me|je mag me|je kunt me|je mag mij|u mag me|u mag mij|u kunt me
            |u kunt mij|spreek me aan|spreek mij aan|spreekt u mij|(me|mij)( gewoon)? \S+ noemen)(?! (morgen|straks))
        (?<!ik )(zeg|zegt u|spreek me|spreek mij|spreekt u mij) ~ (je|u|jij|jou|jij en jou)
        (?<!ik )(zeg|zegt u|gebruik) (maar |gewoon |gerust )*(je|u|jij|jou)(?! \w+ \w+ \w+ \w+ \w+)
        (tutoyeer|vousvoyeer|tutoyeert u) (me|mij)
        (laten we|we kunnen|we mogen|kunnen we)( [^ ;]+){{0,4}}? (tutoyeren|je en jij|elkaar)
        {OPENER}{VERBS}t?( u)?( [^ ;]+){{0,6}}? (tegen (me|mij)|met (me|mij))$
        (met|tegen) (mij|me) (mag|moet|kun|kan|kunt|hoef|hoeft) {YOU}
        {YOU} (mag|kunt|kan|hoeft|moet) ((gerust|gewoon|best|altijd|wat|niet) )*\w+( [^ ;]+){{0,4}}? (tegen|met) (me
            |mij)
        ik (wil|wil graag|zou graag willen|zou graag hebben|zou willen|zou het fijn vinden|heb liever|heb graag
            |verwacht|vind het fijn|vind het prettig|zou het prettig vinden|wens|zou liever hebben|vraag
            |stel het op prijs|waardeer het|hoop),?( het| je| u| als)*,? (dat|als|wanneer) ({YOU}|alle|al je|al uw
            |elk|elke|antwoorden|de {MADE})( [^ ;]+){{0,7}}? {OFTEN}
        ik (wil|wil graag|zou graag willen|heb liever|zou liever hebben|heb graag) dat (je|u|jij) ~ (antwoordt
            |schrijft|gebruikt|noemt|praat|geeft|bent|zegt|uitlegt|blijft|doet)
        ik (wil|zou) (graag |liever )?(altijd|steeds|nooit|alleen|standaard) ((de|het|een|je|geen|alle|korte?|graag
            |liever) )*(\w+e )?({MADE}|{UNWANTED})
        ik (wil|zou|ontvang|krijg|heb|zie) ((graag|liever|de|het|je|alle|mijn) )*{MADE}( [^ ;]+){{0,3}}? (altijd
            |steeds|voortaan)
        ik wil niet dat {YOU}
        {YOU} (moet|moeten|mag|dient|hoort|zou) ((me|mij) )?(altijd|nooit|steeds|standaard){FAR}{INFINITIVE}
        (voor eens en (voor )?altijd|geldt (voor )?altijd|altijd geldt|vaste (regel|afspraak|instructie|wens)
            |voor alle (volgende |toekomstige )?(gesprekken|antwoorden|keren|chats|mails|teksten)|(nieuwe
            |andere) regel|algemene regel|blijvend|spreken we af|huisregel)(?=( [^ ;:]+){{0,5}}:)
        (nieuwe regel|altijd in het|graag altijd|altijd graag|liever geen)
        {HEAD}(onthoud|onthou|vergeet niet|denk eraan|denk erom|houd er rekening mee|hou er rekening mee
            |hou in gedachten|houd in gedachten|noteer|houd rekening met|hou rekening met|houdt u er rekening mee)
        (in je antwoorden|je antwoorden|in uw antwoorden|in al je)
        ^(antwoord|schrijf|praat|spreek) (me |alsjeblieft |graag )?in het (nederlands|engels|frans|duits)
        {HEAD}(raad|stel|stuur|geef|vertel|laat|verklap|toon|zeg) (me|mij) (nooit|geen|niet)
    """,
    one_off=rf"""
        zoals altijd
        hoe zeg je
        (volgende vraag|volgend bericht|volgende (?!keren)\w+|deze (?!manier)\w+|dit (?!soort|moment)\w+
            |alleen vandaag|voor vandaag|voorlopig|hieronder|voor één keer|voor een keer|één keertje|eenmalig
            |nog één keer|morgen|vanavond|vanmiddag|vandaag alleen|gisteren|voor nu|nu even|deze keer)
        ^(als je (wilt|tijd hebt|even tijd hebt|kunt|kan|klaar bent|zin hebt)|als u (wilt|tijd hebt|tijd heeft|kunt))
        (piraat|personage|rollenspel|doe alsof|stel je voor)
        weet je nog
        ^(en |maar |bij ons |hier )*((de |het )?{MINE} (\w+ )?{PEOPLE}|de (baas|dokter|juf|meester|leraar|diëtist)
            |iedereen|mensen|hij|zij|ze|mama|papa)( [^ ;,]+){{0,3}}? (zegt|zeggen|zei|wil|wilde|vraagt|vindt|eist
            |roept|herhaalt|schrijft|noemt|noemde|praat|gebruikt|heeft|is|doet|wou|moet|geeft|maakt|stuurt|leest
            |kijkt|komt|gaat)
        (in|bij|op|binnen) (ons|onze|mijn|m'n|zijn|haar|het|de) (team|kantoor|bedrijf|werk|school|klas|afdeling|groep
            |familie|gezin|huis|sportschool|vereniging|firma|universiteit)
        (op|bij|in) (kantoor|ons|school|werk)(?= (moet|moeten|mag|mogen|gebruiken|doen|schrijven|geldt|is|zijn|maken
            |hebben))
    """,
    sure={
        "constraint": rf"""
            ik (ben|heb|lijd|zit|draag|gebruik|slik|spuit|kan|krijg|word) ~ {ILL}
            (heb|ben) ik ~ {ILL}
            (bij mij|er is bij mij) ~ vastgesteld
            ik (mag|kan|moet) (\S+ )?(\S+ )?(\S+ )?(geen|niet|niets|nooit|niet meer) ~ (eten|drinken|tillen|rennen
                |hardlopen|vliegen|rijden|uitgeven|betalen|missen|tegen|verdragen|sporten|zitten|staan|lopen)
            ik (eet|drink|lust|gebruik) (\S+ )?(\S+ )?(\S+ )?(geen|nooit|niets met) (\S+ )?(vlees|vis|varkensvlees
                |alcohol|suiker|melk|zuivel|gluten|noten|ei|eieren|kaas|tarwe|dierlijk*|schaaldieren|brood)
            ik eet (\S+ )?(\S+ )?(veganistisch|vegetarisch|glutenvrij|lactosevrij|halal|koosjer|zoutarm
                |koolhydraatarm)
            ik (heb|ben) ~ (angst|bang|doodsbang|panisch|als de dood|paniekaanvallen|hartkloppingen) ?(voor|om|in)?
            ik durf (\S+ )?niet
            ik kan (\S+ )?(\S+ )?niet tegen
            (mijn|ons) (budget|limiet|maximum)
            (uitgeven|betalen|kwijt) ~ (meer dan|maximaal|hoogstens)
            (meer dan|maximaal|hoogstens) ~ (uitgeven|betalen|kwijt)
            ik (slik|gebruik|neem) ~ (medicijnen|pillen|insuline|antidepressiva|bloedverdunners|ritalin|prednison)
            ik (heb|ben) ~ (rug|rugklachten|knie|heup|schouder|meniscus|kruisband|geopereerd|blessure)
            ik word ~ (misselijk|duizelig|ziek) van
            (de dokter|mijn arts|de huisarts|de cardioloog) ~ (verboden|afgeraden)
        """,
        "identity": rf"""
            ik (ben|werk|was) (\S+ )?(\S+ )?(\S+ )?{JOBS}
            (sinds|tegenwoordig) (\S+ )?(\S+ )?(ben|werk|zit|geef|studeer) ik
            ik (studeer|doe een opleiding|loop stage|geef les|promoveer|volg een opleiding|doe een master)
            ik ben (\S+ )?(\S+ )?(getrouwd|gescheiden|vrijgezel|single|weduwe|weduwnaar|verloofd|alleenstaand*
                |homo|lesbisch|katholiek|moslim|joods|atheïst|linkshandig|rechtshandig|enig kind|tweetalig|werkloos
                |met pensioen|met zwangerschapsverlof)
            ik spreek ~ (nederlands|engels|frans|duits|spaans|fries|turks|arabisch|talen|vloeiend)
            (mijn moedertaal|mijn beroep|mijn baan|mijn adres|mijn telefoonnummer|mijn nummer|mijn achternaam
                |mijn schoenmaat|mijn maat|mijn sterrenbeeld|mijn e-mail*|mijn werk) (is|zijn)
            ik ben (\S+ )?(\S+ )?(geboren|opgegroeid|afgestudeerd|verhuisd|gepromoveerd|ontslagen|aangenomen)
            ik heb ~ (gestudeerd|ontslag genomen|een nieuwe baan|mijn eigen bedrijf)
            ik ben (\d|een meter|1 meter) ~ lang
            ik (weeg|draag maat) \S+
            ik zit (nu |tegenwoordig |sinds \w+ )?(in het onderwijs|in de zorg|in de bouw|op de|in de ww)
        """,
        "person": rf"""
            (ik|we|wij) (heb|hebben) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            (ik|we|wij) (krijg|krijgen|verwacht|verwachten) ~ (kind|kindje|baby|tweeling|zoon|dochter|jongen|meisje)
            {MINE} ~ heet
            ik ben (de )?(moeder|vader|oma|opa|tante|oom|peetoom|peettante) van
            (ik|we) (heb|hebben) ~ geadopteerd
        """,
        "preference": rf"""
            ik (hou|houd|houdt|haat|geniet|verafschuw|prefereer|ben dol|ben gek|ben fan|ben een fan|ben verslaafd
                |ben een liefhebber|ben een ochtendmens|ben een avondmens|ben meer van|heb een hekel|heb liever|lust
                |luister|verzamel)
            (houden|haten) (wij|we)
            (hou|haat) ik
            ik ben ~ (fan|liefhebber|type|ochtendmens|avondmens|nachtbraker|vroege vogel|zoetekauw|boekenwurm)
            ik ~ (graag|liever|het liefst|niet graag|het lekkerst)
            ik vind ~ (vreselijk|heerlijk|afschuwelijk|geweldig|niet lekker|lekker|vies|verschrikkelijk
                |fantastisch|saai|niks|niet te doen)
            vind ik ~ (vreselijk|heerlijk|afschuwelijk|geweldig|niet lekker|lekker|vies|verschrikkelijk
                |fantastisch|saai|niks|zo)
            (mijn|onze) (\w+ )?(favoriete?|lievelings\w*|hobby|hobby's|passie)
            ik (drink|eet|loop|ren|zwem|lees|kook|ga|fiets|sport|train|sta|doe|luister|kijk|mediteer|wandel|speel
                |neem|rijd) ~ (altijd|nooit|elke|iedere|dagelijks|meestal|zonder suiker|zwart|'s ochtends|'s morgens
                |'s avonds|op {DAYS}\w*|in het weekend|keer per|per week|voor het|regelmatig)
            (elke|iedere|op) ({DAYS}\w*|dag|ochtend|avond|week|weekend|zomer|maand|jaar|winter) (\S+ )?(ga|loop
                |ren|zwem|fiets|sport|eet|drink|kook|speel|heb|doe|lees|wandel) (ik|we)
            ik drink mijn (koffie|thee)
            ik (rook|drink) niet
        """,
        "possession": rf"""
            (ik|we|wij) (heb|hebben|bezit|rijd|rij|rijden|gebruik|huur|huren) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            ik (rijd|rij) (\S+ )?(\S+ )?(een|in een|op een|met een)
            ik (speel|leer|oefen) (\S+ )?(\S+ )?(gitaar|piano|viool|drums|bas|basgitaar|fluit|dwarsfluit|saxofoon
                |trompet|accordeon|ukelele|cello|klarinet|harp|orgel|contrabas|trombone)
            ik (programmeer|werk met|werk op|gebruik|codeer|ontwikkel|fotografeer)
            (ik|we|wij) (heb|hebben) ~ (gekocht|geërfd|verkocht|aangeschaft|overgenomen|weggedaan|ingeruild)
            {MINE} (\S+ )?{THINGS} (is|heeft|heet|komt)
            ik verzamel
        """,
        "project": rf"""
            ik (schrijf|werk|bouw|knutsel|sleutel) (\S+ )?(\S+ )?(aan|mijn) (\S+ )?(\S+ )?(scriptie|proefschrift
                |boek|roman|app|website|site|project|thesis|een|mijn|verbouwing|documentaire)
            ik ben ~ (aan het|bezig met|bezig aan) (\S+ )?(\S+ )?(schrijven|bouwen|verbouwen|leren|sparen|trainen
                |opknappen|renoveren|een|mijn|de|het)
            (ik|we|wij) (organiseer|organiseren|plan|plannen|verbouw|verbouwen|renoveer|bereid|bereiden|train
                |spaar|sparen|oefen|studeer) ~ (voor|bruiloft|reis|huis|keuken|badkamer|zolder|voor|op|verhuizing
                |marathon)
            ik leer (\S+ )?(\S+ )?(italiaans|spaans|frans|engels|duits|japans|pools|turks|zweeds|chinees|portugees
                |arabisch|russisch|noors|python|programmeren|zwemmen)
            (volgend|volgende|komend|komende|in|over|eind|begin|vanaf|dit|deze|op|per|na) (\S+ )?(\S+ )?({MONTHS}
                |jaar|maand|week|{DAYS}|voorjaar|zomer|herfst|najaar|winter|lente|\d+|weken|maanden) (\S+ )?(ga|gaan
                |wil|willen|verhuis|verhuizen|trouw|trouwen|begin|beginnen|heb|hebben|moet|vlieg|vliegen|vertrek
                |vertrekken|studeer|loop|start|emigreren|word|krijg|krijgen|open|ren) (ik|we|wij|mijn)
            (ik|we|wij) (ga|gaan|wil|willen|verhuis|verhuizen|trouw|trouwen|begin|beginnen|vlieg|vliegen|vertrek
                |emigreren|emigreer|moet|loop|studeer|promoveer|verdedig) ~ (in ({MONTHS})|volgend jaar|volgende \w+
                |komend \w+|komende \w+|dit jaar|deze zomer|in het voorjaar|in het najaar|eind \w+|begin \w+
                |over \S+ (weken|maanden|jaar)|op \d+ \w+|voor \w+)
            (mijn|ons) (doel|plan|droom|project|voornemen) (is|voor|dit)
            (ik|we) (heb|hebben|moet) (\S+ )?(\S+ )?(\S+ )?(\S+ )?(afspraak|examen|tentamen|sollicitatiegesprek
                |bruiloft|operatie|tandarts|ziekenhuis|vlucht|deadline|presentatie|rijexamen|mri|verdediging)
            (heb|hebben|moet) (ik|we) ~ (afspraak|examen|tentamen|sollicitatiegesprek|bruiloft|operatie|tandarts
                |vlucht|deadline|presentatie|rijexamen)
            (ik|we|wij) (trouw|trouwen|emigreren|emigreer)
            ik (wil|probeer) (\S+ )?(stoppen met|afvallen|leren|\S+ kilo|emigreren|een huis kopen|een boek
                |een bedrijf|minderen|minder)
            ik probeer te (stoppen|minderen|leren|afvallen)
            ik heb (me|mij) ~ (ingeschreven|opgegeven|aangemeld)
            (de bruiloft|onze bruiloft|mijn examen|de verhuizing|mijn operatie|de deadline|mijn afspraak) (is|staat)
        """,
        "event": r"""
            ik (ben|heb) ~ (geslaagd|gewonnen|getrouwd|ongeluk gehad|ontslagen|gezakt)
        """,
    },
    slots={
        "name": r"""
            (mijn naam is|ik heet) VALUE
        """,
        "age": r"""
            ik (ben|word) (nu |net |al |bijna )*\S+ jaar( oud)?$
            ik ben (nu |net |al )*\d+( jaar| en|$)
        """,
        "birthday": r"""
            (ik ben|ben ik) (\S+ )?(\S+ )?jarig
            mijn verjaardag
        """,
        "home": r"""
            (ik|we|wij) (woon|wonen) (\S+ )?(\S+ )?(\S+ )?(in|op|aan|bij|vlak bij) VALUE
            (woon|wonen) (ik|we|wij) (\S+ )?(\S+ )?(in|op|aan|bij) VALUE
            (ik|we|wij) (ben|zijn) ~ naar VALUE verhuisd
        """,
        "origin": r"""
            ik (kom|ben afkomstig|ben oorspronkelijk) (oorspronkelijk |eigenlijk )?uit VALUE
        """,
        "employer": r"""
            ik (werk|zit) (\S+ )?(\S+ )?(\S+ )?(bij|voor) VALUE
            werk ik (\S+ )?(\S+ )?(bij|voor) VALUE
        """,
        "job": rf"""
            ik werk (\S+ )?(\S+ )?als VALUE
            ik ben (\S+ )?{JOBS}
        """,
        "diet": r"""
            ik (ben|eet) (\S+ )?(\S+ )?(vegetari*|veganist*|vegan|pescotari*|vegetarisch|veganistisch)
        """,
        "car": r"""
            ik (rijd|rij|heb) (\S+ )?(\S+ )?(\S+ )?(volkswagen|golf|polo|opel|corsa|bmw|audi|mercedes|ford|fiesta
                |mazda|toyota|yaris|skoda|tesla|fiat|renault|clio|peugeot|citroën|volvo|hyundai|kia)
        """,
        "form of address": r"""
            (noem me|noem mij) (maar |gewoon |liever |voortaan )*VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (vegetari*|vegan*|halal|koosjer|verboten|ziek*|knie|rug|hart|medicijn*|pillen|bloeddruk|vast|duizelig
                |hoogstens|maximaal|mag (\S+ )?(\S+ )?(geen|niet)|kan (\S+ )?(\S+ )?(\S+ )?(niet|geen)|bang
                |zonder (gluten|suiker|lactose|vlees))
            {ILL}
            (budget|pijn|blessure|diagnose|bang|angst)
        """,
        "identity": r"""
            (werk|studeer|semester|geboren|jaar oud|kom uit|opgegroeid|geef les|leid|nachtdienst*|ploegendienst
                |getrouwd|gescheiden|single|linkshandig|moedertaal|nationaliteit|stage|parttime|fulltime|afdeling
                |bedrijf|school|praktijk|ziekenhuis|gemeente|vereniging|vrijwilliger*|verhuisd)
            (beroep|opleiding|studie|universiteit|school|ziekenhuis|parttime|fulltime|thuiswerken|ploegendienst)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (eet|drink|luister|lees|kijk|kook|bak|ren|loop hard|hardlopen|zwem|dans|wandel|reis|slaap|douche|rook
                |schilder|teken|zing|brei|haak|naai|tuinier|klim|vis|mediteer|hou|haat|sta (\S+ )?(om|vroeg)|ontbijt
                |vermijd|koffie|thee|muziek|sport|yoga|thrillers|series|films|keuken)
            ik (drink|eet|loop|ren|zwem|lees|kook|fiets|sport|luister|kijk|speel|slaap|rook|wandel)
            (graag|liever|het liefst)
        """,
        "possession": rf"""
            (bezit|rijd|rij|gebruik|speel|draag|verhuur|fok|verzamel|restaureer|programmeer|fotografeer|telefoon
                |fairphone|samsung|bakfiets|racefiets|caravan|abonnement|bril|lenzen|naaimachine|aquarium|bijen
                |kippen)
            {THINGS}
        """,
        "project": r"""
            (leer|plan|train|spaar|oefen|solliciteer|verhuis|trouw|bouw|verbouw|organiseer|volg|rijbewijs
                |rijlessen|cursus|marathon|examen*|tentamen*|scriptie|boek|roman|vlucht|operatie|voor het einde
                |eind (\w+)|in (januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november
                |december|het voorjaar|de zomer|de herfst|het najaar|de winter)|volgend* (jaar|maand|week|zomer)
                |vanaf (januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december))
            (project|doel|plan|bruiloft|verhuizing|examen|scriptie|deadline|afspraak)
        """,
    },
    lasting=rf"""
        (altijd|nooit|meestal|normaal|gewoonlijk|doorgaans|vooral|voornamelijk|hoofdzakelijk|dagelijks|wekelijks
            |al jaren|al lang|mijn hele leven|van jongs af|van kinds af|alleen maar)
        (elke|iedere|elk|ieder) \w+
        (sinds|al) (\S+ )?(\S+ )?(jaar|jaren|maanden|\d{{4}}|{MONTHS}|mijn \w+|kort|de|het)
        op {DAYS}(en)?
    """,
    passing=r"""
        (net|zojuist|nu even|op dit moment|momenteel|vandaag|vanavond|vannacht|vanochtend|vanmorgen|vanmiddag
            |gisteren|eergisteren|morgen|straks|zo meteen|deze week|daarnet|even)
    """,
    blockers=r"""
        (zou|zouden|zou ik|had ik maar|was ik maar|stel dat|stel je voor|als ik (\S+ )?(\S+ )?(\S+ )?(was|had|kon
            |woonde|werkte))
        (vroeg me af|vraag me af|weet niet of|geen idee of|benieuwd of|ik twijfel|of ik|wie weet)
        (zei|zegt|zeggen|beweert|vertelde|vroeg|riep|meent|aldus|volgens)( dat|:| ~:)
        (verhaal|roman|gedicht|liedje|film|boek|sprookje|scenario) (waarin|waar|over|dat)
        (ik|we) (zoek|zoeken|ben op zoek|zijn op zoek)
        ik (heb|zoek) (\S+ )?(nodig|hulp|tips|ideeën)
        (grapje|geintje|ironie|ik droomde|in mijn droom)
        (kwijt)
    """,
    requests=r"""
        ^(alsjeblieft,? |hoi,? |hallo,? |oké,? |ok,? |en |nou,? |dus,? )*(schrijf|maak|geef|zeg|leg|help|vertaal
            |zoek|vind|vertel|noem|raad|vat|verbeter|corrigeer|bereken|reken|bedenk|stel|vergelijk|antwoord|toon|laat
            |controleer|beantwoord|verzin|herschrijf|plan) (me|mij|even|een|het|de|dit|deze|eens|maar|mijn|uit|samen
            |mee|op|aan|iets|wat|zien|ons)
        ^(kun|kan|zou|weet|ken|heb|wil|mag|moet|is|zijn|zal|bestaat) (je|jij|ik|u|er|het|we|de|dat)
        ^(wat|hoe|waar|wanneer|waarom|wie|welke|welk|hoeveel|waarmee|waarvoor)
    """,
    play=r"""
        (jij bent|je bent|u bent) (nu|vanaf nu|vandaag) (een|mijn|de)
        (doe alsof|doen alsof|stel je voor dat|rollenspel|speel de rol|je speelt)
        (schrijf|verzin|vertel|maak|dicht) (me |even |eens )*(een|het) (\S+ )?(verhaal|gedicht|sprookje|liedje
            |lied|mop|dialoog|scène|monoloog|toespraak|roman|verhaaltje)
        (schrijf|schreef|ben) (\S+ )?(een|aan een) (\S+ )?(verhaal|roman|gedicht|sprookje|scenario
            |kort verhaal) (waarin|waar|over|dat)
    """,
    private=r"""
        (onthoud (dit|dat) niet|niet onthouden|niet opslaan|niet bewaren|onder ons|tussen ons|vergeet (dit|dat
            |wat ik)|vertrouwelijk|hou dit geheim)
        (negeer|vergeet) ~ (instructies|regels|prompt|aanwijzingen)
    """,
    paste=r"""
        (vertaal|corrigeer|verbeter|vat|herschrijf|controleer|lees|tekst|zin|mail|alinea|brief|bericht)
    """,
    over=r"""
        (niet|geen|nooit|niets|nergens) (\S+ )?(\S+ )?meer
        (verkocht|gestopt|opgezegd|ontslag genomen|weggedaan|uit elkaar|gescheiden|overleden|opgegeven|afgebroken
            |weggegeven|ingeruild)
    """,
    change=r"""
        (nu|inmiddels|tegenwoordig|sinds kort|onlangs|in plaats van|veranderd|gewisseld|overgestapt|verhuisd
            |correctie|sorry|eigenlijk|toch niet|vergist|nieuwe?|voortaan)
    """,
    present=r"""
        ik (?!heb (net|gisteren|vandaag))\w+
        (ben|heb|werk|woon|ga|drink|eet|speel|doe|kan|mag|loop|lees|heet|rijd|rij|zit|sta|volg|leer|gebruik) ik
        (wij|we) \w+en
        (hebben|gaan|zijn|wonen) (we|wij)
        (mijn|m'n|onze|ons) (\S+ )?\w+ (is|zijn|heeft|hebben|heet|gaat|komt|ligt|begint|wordt)
        bij (mij|ons) (is|zijn|thuis)
    """,
    vague=r"""
        (vraag|probleem|idee|honger|dorst|zin|tijd|fout|bedankt|sorry|gelijk|hulp|gevoel|mening|moe|blij|gelukkig
            |verdrietig|boos|benieuwd|zeker|onzeker|klaar|verrast|enthousiast|teleurgesteld|nieuwsgierig|onderweg
            |thuis|in de trein|dankbaar|file|te laat)
        ik (denk|geloof|vind|hoop|bedoel|snap|begrijp|weet|zie|zoek|wacht|vraag|twijfel|wens|vermoed|merk|probeer
            |moet|zeg|stuur|bel|had|was|ging|kwam|zag|wilde|moest|kon|zou)
    """,
    past=r"""
        (heb|hebben|heeft|ben|zijn|is) ~ (ge\w+(t|d|en)|(ver|be|ont|her)\w+(t|d|en))
    """,
)
