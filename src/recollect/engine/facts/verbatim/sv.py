"""Swedish."""

from __future__ import annotations

from recollect.engine.facts.verbatim.table import PhraseTable

PEOPLE = (
    r"(syster|systrar|lillasyster|storasyster|bror|bröder|lillebror|storebror|syskon|mamma|mor|morsa|pappa|far|farsa"
    r"|föräldrar|dotter|döttrar|son|söner|barn|bebis|fru|man|make|maka|sambo|partner|flickvän|tjej|pojkvän|kille"
    r"|fästmö|fästman|ex|mormor|morfar|farmor|farfar|barnbarn|moster|faster|farbror|morbror|kusin|syskonbarn|brorson"
    r"|brorsdotter|systerson|systerdotter|svärmor|svärfar|svärföräldrar|svägerska|svåger|vän|väninna|kompis|bästis"
    r"|kollega|granne|chef|rumskompis|tvillingar|familj|gudbarn|fadder|styvson|styvdotter|bonusdotter|bonusson"
    r"|äldsta|yngsta|lärare)"
)
PETS = (
    r"(hund|hundar|valp|tik|katt|katter|kattunge|hankatt|häst|hästar|ponny|sto|hamster|marsvin|kanin|kaniner"
    r"|papegoja|undulat|sköldpadda|fisk|fiskar|höns|husdjur)"
)
MINE = r"(min|mitt|mina|vår|vårt|våra)"
ILL = (
    r"(allergisk|\w*allergi|\w*allergiker|\w*intoleran*|astma*|diabet*|celiaki|migrän|epilepsi|reumatism|artros"
    r"|högt blodtryck|pollenallergi*|hösnuva|eksem|depression*|deprimerad|utmattning*|utbränd|adhd|add|autis*"
    r"|dyslexi|dyslektiker|tinnitus|höjdrädd|höjdskräck|flygrädd|flygrädsla|klaustrofobi*|cellskräck|torgskräck"
    r"|\w*fobi|diskbråck|hjärtfel|pacemaker|sköldkörtel*|cancer|ms|crohns|gravid|hörapparat|rullstol|dialys|blind"
    r"|döv|hörselskadad|synskadad|färgblind|laktos*|gluten*|insulin|åksjuk|sjösjuk|sömnapné|endometrios"
    r"|blodförtunnande|nötallergi*)"
)
JOBS = (
    r"(\w*lärare|förskollärare|\w*läkare|sjuksköterska|undersköterska|\w*sköterska|\w*ingenjör|barnmorska"
    r"|\w*utvecklare|programmerare|arkitekt|advokat|jurist|student|doktorand|elev|säljare|\w*säljare|kock|bagare"
    r"|frisör|elektriker|snickare|rörmokare|mekaniker|målare|bonde|lantbrukare|polis|brandman|militär|officer"
    r"|journalist|författare|översättare|designer|formgivare|fotograf|musiker|skådespelare|konsult|rådgivare|revisor"
    r"|ekonom|redovisningskonsult|\w*chef|projektledare|vd|egenföretagare|företagare|frilans*|pensionär|pensionerad"
    r"|arbetslös|arbetssökande|hemmafru|socionom|socialsekreterare|psykolog|\w*terapeut|forskare|biolog|kemist"
    r"|fysiker|apotekare|veterinär|tjänsteman|handläggare|chaufför|busschaufför|lastbilschaufför|pilot|bibliotekarie"
    r"|praktikant|lärling|tandläkare|logoped|fysioterapeut|sjukgymnast|brevbärare|trädgårdsmästare|florist|barista"
    r"|mäklare|konduktör|lokförare|tränare|analytiker|föräldraledig|mammaledig|pappaledig|tandsköterska"
    r"|personlig assistent|städare|redaktör)"
)
THINGS = (
    r"(bil|cykel|elcykel|motorcykel|mc|moped|skåpbil|husbil|husvagn|hus|lägenhet|etta|tvåa|trea|villa|radhus|stuga"
    r"|sommarstuga|torp|trädgård|kolonilott|gitarr|piano|fiol|trummor|dragspel|saxofon|\w*kamera|laptop|macbook"
    r"|dator|pc|skrivare|båt|segelbåt|verkstad|butik|firma|företag|iphone|mobil|telefon|android*|linux|windows|mac"
    r"|surfplatta|ipad|playstation|switch|blogg|podd|kanal|samling|volvo|saab|volkswagen|golf|polo|opel|bmw|audi"
    r"|mercedes|ford|mazda|toyota|yaris|skoda|tesla|fiat|renault|peugeot|kia|hyundai|canon|nikon|sony|fuji*"
    r"|begagnad*)"
)
DAYS = r"(måndag|tisdag|onsdag|torsdag|fredag|lördag|söndag)"
MONTHS = r"(januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december)"

TABLE = PhraseTable(
    code="sv",
    first=r"""
        (jag|mig|mej|min|mitt|mina|vi|oss|vår|vårt|våra|hos oss)
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}s?
        {MINE} (\w+ )?{PETS}s?
        (mamma|pappa|mormor|morfar|farmor|farfar)
    """,
    states=rf"""
        (heter|bor|lever|jobbar|arbetar|studerar|pluggar|undervisar|fyller år|fyller|spelar|samlar|går på|går i
            |kommer från|föddes|dog)
        (är|var|blev|blir) (en |ett |min )?(\S+ )?{JOBS}
        (är|blev|blir) (\S+ )?(\S+ )?(\S+ )?(år|år gammal|månader|född|gift|skild|död|förlovad|pensionerad|vegan
            |vegetarian|vänsterhänt|sambo)
        (har|är|sitter|fick) ~ {ILL}
        (äter|dricker|tål|får|kan) (\S+ )?(\S+ )?(inte|ingen|inget|inga|aldrig|bara)
        (älskar|hatar|gillar|avskyr|föredrar|tycker om)
        (har|är) ~ (flyttat|gift sig|skilt sig|skilda|fått barn|fått en|barn|slutat|utbildad|utflyttad)
        (väntar|ska ha) ~ (barn|bebis|tvillingar)
        är (en|ett|min) \w+
        födelsedag
    """,
    instruction=r"""
        (från och med nu|från nu|hädanefter|i fortsättningen|framöver|från och med idag|i framtiden|fr\.o\.m\. nu)
        (kalla mig|du kan kalla mig|du får kalla mig|ni kan kalla mig)
        (dua|nia) mig
        säg (du|ni) till mig
        (kom ihåg|glöm inte|tänk på|ha i åtanke|notera|lägg på minnet|skriv upp)( bara| alltid)?( att|:)
        ^(snälla,? |gärna )?(svara|skriv|använd|ge|visa|räkna|förklara|fråga|börja|avsluta|undvik|rätta|föreslå
            |sätt|prata|tala|skicka|rekommendera|gör|håll) ~ (alltid|aldrig|varje gång|som standard|inga|inte
            |bara korta|jämt)
        (när|om|varje gång|så fort) jag (ber|frågar|klistrar|skickar|skriver|säger|pratar|delar|vill) ~?,? ?(svara
            |ge|skriv|använd|rätta|översätt|visa|menar|vill|förklara|räkna|ska du|så)
        (när|varje gång) jag (ber|frågar|klistrar|skickar|skriver) (\S+ )?(\S+ )?(\S+ )?(\S+ )?,? ?(svara|ge|skriv
            |använd|rätta|vill|ska)
        (aldrig|inga|inte|utan) (\S+ )?(emoji*|smileys|utropstecken|punktlistor|listor|anglicismer|svengelska
            |tabeller|fetstil)
        (sluta) (\S+ )?\w+
        jag (vill|vill inte|vill gärna|önskar|föredrar) att du
        (i dina svar|dina svar|i svaren|i alla svar)
        ^(svara|skriv|prata) (mig |gärna |alltid )?på (svenska|engelska|danska|norska|finska)
        (ny regel|alltid på|alltid i|gärna alltid)
        (rekommendera|föreslå|skicka|ge) mig (aldrig|inga|inte)
    """,
    one_off=r"""
        (nästa fråga|nästa|följande|den här frågan|den här texten|den här gången|det här mejlet|den här meningen
            |detta mejl|denna|bara idag|för idag|tills vidare|nedan)
        (varför$|pirat|karaktär|rollspel|låtsas|tänk dig|minns du)
    """,
    sure={
        "constraint": rf"""
            jag (är|har|lider|sitter|använder|fick|blir|tar) ~ {ILL}
            (har|är) jag ~ {ILL}
            jag (får|kan|tål|klarar|ska|bör) (\S+ )?(\S+ )?(\S+ )?(inte|inga|ingen|inget|aldrig|ej) ~? ?(äta
                |dricka|lyfta|springa|flyga|köra|lägga|betala|mjölk|laktos|gluten|ägg|nötter|skaldjur|fisk|bära|gå
                |sitta|stå|sova|spendera|lukten|starka|parfym|ha råd|råd)
            jag tål (\S+ )?(inte|inga|ingen|inget)
            jag (äter|dricker) (\S+ )?(\S+ )?(\S+ )?(inte|inget|inga|ingen|aldrig|varken) (\S+ )?(kött|fisk|fläsk
                |griskött|alkohol|socker|mjölk*|gluten|nötter|ägg|ost|vete|animaliskt|skaldjur|bröd)
            jag (äter|lever) (\S+ )?(\S+ )?(veganskt|vegetariskt|glutenfritt|laktosfritt|halal|kosher|lchf
                |saltfattigt)
            jag (är|har) ~ (rädd|livrädd|skräck|fobi|panik|panikångest|ångest|dödsrädd) ?(för|inför)?
            jag vågar (\S+ )?inte
            (min|vår) (budget|gräns|maxgräns)
            (lägga|betala|spendera) ~ (mer än|max|högst|maximalt)
            (mer än|max|högst|maximalt) ~ (lägga|betala|spendera|i hyra)
            jag (tar|äter|använder) ~ (medicin|mediciner|insulin|tabletter|antidepressiva|blodförtunnande|kortison
                |hörapparat)
            jag har ~ (ont i|knä|rygg|ryggen|höft|axel|menisk|korsband|opererat|skada*)
            jag blir ~ (illamående|yr|sjuk|dålig) av
            (läkaren|min läkare|doktorn) ~ (förbjudit|avrått|sagt att jag inte)
        """,
        "identity": rf"""
            jag (är|jobbar|arbetar|var|blev) (\S+ )?(\S+ )?(\S+ )?{JOBS}
            (sedan|numera) (\S+ )?(\S+ )?(är|jobbar|arbetar|pluggar) jag
            jag (studerar|pluggar|läser (till|på)|undervisar|går en utbildning|doktorerar|går i|går på
                |utbildar mig|har börjat på|har börjat på)
            jag är (\S+ )?(\S+ )?(gift|skild|singel|änka|änkling|förlovad|ensamstående|sambo|gay|lesbisk|katolik
                |muslim|jude|ateist|vänsterhänt|högerhänt|ensambarn|tvåspråkig|arbetslös|pensionär|föräldraledig
                |sjukskriven)
            jag (talar|pratar) ~ (svenska|engelska|finska|tyska|franska|spanska|arabiska|persiska|språk|flytande)
            (mitt modersmål|mitt yrke|mitt jobb|min adress|mitt telefonnummer|mitt nummer|mitt efternamn
                |min skostorlek|min storlek|mitt stjärntecken|min mejl|min längd) (är)
            jag (är|har) (\S+ )?(född|uppvuxen|utbildad|flyttat|vuxit upp|tagit examen|blivit befordrad
                |fått nytt jobb|sagt upp mig|startat eget|bytt jobb|fått sparken|börjat)
            jag är \d+ (cm|centimeter) lång
            jag (väger|har storlek) \S+
        """,
        "person": rf"""
            (jag|vi) (har|väntar|ska få|fick) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            {MINE} ~ heter
            jag är (mamma|pappa|mormor|morfar|farmor|farfar|moster|faster|gudmor|gudfar) (till|åt)
            (jag|vi) har ~ adopterat
        """,
        "preference": rf"""
            jag (älskar|hatar|gillar|avskyr|föredrar|njuter av|tycker om|tycker inte om|ogillar|avgudar|samlar på
                |är beroende|står inte ut|kan inte med|brukar|är inte förtjust|är förtjust|är galen i)
            (älskar|hatar|gillar|avskyr) (jag|vi)
            jag är ~ (fan av|fantast|morgonmänniska|kvällsmänniska|nattuggla|kattmänniska|hundmänniska|typ
                |gottegris|bokmal|nörd)
            jag ~ (gärna|helst|hellre|ogärna)
            jag tycker ~ (är äckligt|är hemskt|är underbart|är tråkigt|är fantastiskt|är vidrigt|om)
            (min|mitt|mina|vår) (\w+ )?(favorit*|älsklings\w*|hobby|hobbyer|passion|bästa fritids\w*)
            jag (dricker|äter|springer|simmar|läser|lagar|går|cyklar|tränar|stiger|gör|lyssnar|tittar|mediterar
                |promenerar|spelar|tar|vaknar|åker|joggar|badar) ~ (alltid|aldrig|varje|dagligen|oftast|utan socker
                |svart|på morgonen|på morgnarna|på kvällen|på kvällarna|på {DAYS}*|i veckan|gånger|innan|regelbundet
                |på helgerna|hela året)
            (varje|på) ({DAYS}\w*|dag|morgon|kväll|vecka|helg|sommar|månad|år|vinter) (\S+ )?(går|springer|simmar
                |cyklar|tränar|äter|dricker|spelar|har|läser|badar|åker|lagar) (jag|vi)
            jag dricker (kaffet|kaffe|te|teet)
            jag (röker|dricker|snusar) inte
            jag (sjunger|dansar|målar|stickar|virkar|fiskar|jagar|seglar|klättrar|orienterar) (\S+ )?(i|på|med
                |mycket|mest)?
        """,
        "possession": rf"""
            (jag|vi) (har|äger|kör|använder|hyr) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            jag kör (\S+ )?(en|ett)
            jag (spelar|lär mig|övar|tränar på) (\S+ )?(\S+ )?(gitarr|piano|fiol|trummor|bas|flöjt|tvärflöjt
                |saxofon|trumpet|dragspel|ukulele|cello|klarinett|harpa|orgel|kontrabas|trombon|nyckelharpa)
            jag (programmerar|kodar|jobbar i|arbetar i|jobbar med|använder|utvecklar|fotograferar|fotar)
            (jag|vi) (har|köpte|sålde|ärvde|bytte) ~ (köpt|ärvt|sålt|skaffat|bytt|{THINGS})
            {MINE} (\S+ )?{THINGS} (är|har|heter)
            jag (samlar|mekar)
            (jag|vi) (sålde|köpte|ärvde|skaffade)
        """,
        "project": rf"""
            jag (skriver|jobbar|arbetar|bygger|mekar|håller) (\S+ )?(\S+ )?(på|med|min|mitt|en
                |ett) (\S+ )?(\S+ )?(masteruppsats|uppsats|avhandling|bok|roman|app|hemsida|webbplats|projekt|min|mitt
                |en|ett|kandidatuppsats|examensarbete|dokumentär|spel|bastu|båt|stuga|altan)
            jag håller på (att|med)
            (jag|vi) (planerar|organiserar|renoverar|bygger|bygger om|tränar|sparar|övar|pluggar
                |förbereder) ~ (inför|för|till|bröllop|resa|hus|kök|badrum|vind|flytt|maraton|vasaloppet|körkort|altan
                |om)
            jag lär mig (\S+ )?(\S+ )?(italienska|spanska|franska|engelska|tyska|japanska|polska|turkiska|norska
                |danska|finska|kinesiska|koreanska|ryska|portugisiska|arabiska|python|programmera|simma|sy|sticka)
            (nästa|i|om|till|under|från|på|den|innan|före) (\S+ )?(\S+ )?({MONTHS}|år|månad|vecka|{DAYS}|vår|våren
                |sommar|sommaren|höst|hösten|vinter|vintern|jul|\d+|veckor|månader|höstas) (\S+ )?(ska|vill|flyttar
                |gifter|börjar|har|åker|reser|flyger|opereras|disputerar|springer|startar|fyller|öppnar|tänker|lämnar
                |får) (jag|vi|min)
            (jag|vi) (ska|vill|flyttar|gifter|börjar|åker|reser|flyger|opereras|disputerar|tänker|planerar
                |springer|öppnar|måste) ~ (i ({MONTHS})|nästa (år|månad|vecka|vår|sommar|höst|vinter)|i (höst|vår
                |sommar|vinter|år)|till (våren|hösten|sommaren|vintern|jul)|den \d+|om \S+ (veckor|månader|år)|innan
                |före|senast)
            (mitt|vårt|min|vår) (mål|plan|dröm|projekt|nyårslöfte) (är|för|i år)
            (jag|vi) (har|ska ha|ska på|ska till) (\S+ )?(\S+ )?(\S+ )?(tid hos|tandläkare*|läkartid|tenta|prov
                |intervju|anställningsintervju|bröllop|operation|flyg|deadline|presentation|uppkörning|möte) ~? ?(den
                |på|i|om|hos|{DAYS}|klockan|nästa)
            (jag|vi) (gifter|ska gifta) (mig|oss)
            jag (vill|försöker|ska) (\S+ )?(sluta|gå ner|lära mig|starta eget|köpa (hus|lägenhet)|skriva en
                |springa|spara|ta körkort)
            jag har anmält mig
            (bröllopet|vårt bröllop|flytten|min operation|tentan|min tenta|inlämningen|min deadline) (är)
        """,
        "event": r"""
            jag (har|blev|klarade|vann) ~ (vunnit|klarat|gift mig|olycka|sparken|körkortet|tentan)
        """,
    },
    slots={
        "name": r"""
            (jag heter|mitt namn är) VALUE
        """,
        "age": r"""
            jag (är|blir|fyller) (nu |snart |redan )?\S+ år( gammal)?$
            jag är \d+( år| och|$)
        """,
        "birthday": r"""
            (jag fyller år|fyller jag|min födelsedag)
        """,
        "home": r"""
            (jag|vi) bor (\S+ )?(\S+ )?(\S+ )?(i|på|utanför|vid|nära|hos) VALUE
            bor (jag|vi) (\S+ )?(\S+ )?(i|på|utanför) VALUE
            (jag|vi) (har )?flyttade? (precis |nyss |nyligen )?till VALUE
            (jag|vi) har (precis |nyss |nyligen )?flyttat till VALUE
        """,
        "origin": r"""
            jag (kommer|är) (ursprungligen |egentligen )?från VALUE
        """,
        "employer": r"""
            jag (jobbar|arbetar) (\S+ )?(\S+ )?(\S+ )?(på|hos|för|åt|vid) VALUE
            (jobbar|arbetar) jag (\S+ )?(\S+ )?(på|hos|för) VALUE
        """,
        "job": rf"""
            jag (jobbar|arbetar) (\S+ )?(\S+ )?som VALUE
            jag är (en |ett )?(\S+ )?{JOBS}
        """,
        "diet": r"""
            jag (är|blev|har blivit) (\S+ )?(\S+ )?(vegetarian|vegan|pescetarian)
        """,
        "car": r"""
            (jag|vi) (kör|har|köpte) (\S+ )?(\S+ )?(\S+ )?(volvo|saab|volkswagen|golf|polo|opel|bmw|audi|mercedes
                |ford|mazda|toyota|yaris|skoda|tesla|fiat|renault|peugeot|kia|hyundai)
        """,
        "form of address": r"""
            (kalla mig|du kan kalla mig|du får kalla mig) (för |bara |gärna )*VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (vegetari*|vegan*|halal|kosher|förbjud*|sjuk*|knä|rygg*|hjärt*|medicin*|tabletter|blodtryck|fastar|yr
                |högst|max|får (\S+ )?(\S+ )?(inte|inga|inget)|kan (\S+ )?(\S+ )?(inte|inga)|tål|rädd|utan (gluten
                |socker|laktos|kött))
            {ILL}
            (budget|ont|skada|diagnos|rädd|fobi)
        """,
        "identity": r"""
            (jobbar|arbetar|studerar|pluggar|läser till|termin*|född|år gammal|kommer från|uppvuxen|undervisar
                |leder|natt|skift|gift|skild|singel|vänsterhänt|modersmål|medborgare|praktik|deltid|heltid|avdelning
                |företag|skola|klinik|sjukhus|kommun*|förening|ideellt|bor|flyttat)
            (yrke|utbildning|universitet|skola|sjukhus|deltid|heltid|skift|hemifrån)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (äter|dricker|lyssnar|läser|tittar|lagar|bakar|joggar|springer|simmar|dansar|vandrar|reser|sover
                |duschar|röker|snusar|målar|ritar|sjunger|stickar|virkar|syr|odlar|klättrar|fiskar|mediterar|älskar
                |hatar|gillar|går upp|kliver upp|undviker|kaffe|te|musik|sport|yoga|deckare|serier|filmer|mat)
            jag (dricker|äter|springer|simmar|läser|lagar|cyklar|tränar|lyssnar|tittar|spelar|sover|röker|promenerar)
            (gärna|helst|hellre)
        """,
        "possession": rf"""
            (äger|kör|använder|spelar|bär|hyr ut|föder upp|samlar|renoverar|programmerar|kodar|fotar|fotograferar
                |mobil|samsung|lådcykel|racercykel|husvagn|abonnemang|glasögon|linser|symaskin|akvarium|bin|höns
                |kajak)
            {THINGS}
        """,
        "project": r"""
            (lär mig|planerar|tränar|sparar|övar|söker jobb|flyttar|gifter|bygger|renoverar|organiserar
                |tar körkort|körkort|kurs|maraton|lopp*|tenta|prov|uppsats|bok|roman|flyg|operation|före|senast
                |i (januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december|vår|sommar
                |höst|vinter)|nästa (år|månad|vecka|sommar|termin)|från (januari|februari|mars|april|maj|juni|juli
                |augusti|september|oktober|november|december))
            (projekt|mål|plan|bröllop|flytt|tenta|uppsats|deadline|tid hos)
        """,
    },
    lasting=rf"""
        (alltid|aldrig|oftast|vanligtvis|normalt|för det mesta|mest|främst|huvudsakligen|dagligen|hela livet
            |sedan barnsben|i åratal|i flera år|sedan länge|jämt)
        (varje|varenda) \w+
        (sedan|sen|i) (\S+ )?(\S+ )?(år|månader|\d{{4}}|{MONTHS}|barnsben|gymnasiet|barndomen)
        på {DAYS}ar
    """,
    passing=r"""
        (just nu|precis|nyss|idag|i dag|ikväll|i kväll|i natt|i morse|igår|i går|i förrgår|imorgon|i morgon
            |för tillfället|strax|snart|alldeles nyss|den här veckan)
    """,
    blockers=r"""
        (skulle|om jag (\S+ )?(hade|vore|var|bodde|kunde|fick|jobbade)|vore|önskar att jag|tänk om|anta att|tänk dig)
        (undrade|undrar|vet inte om|funderar på om|ingen aning om|om jag|om man)
        (sa|säger|sade|påstår|berättade|frågade|enligt|påstod|skrev)( att|:| ~:)
        (novell|roman|historia|dikt|låt|film|bok|saga|berättelse|manus) (där|om|som)
        (jag|vi) (letar|söker|leter)
        jag behöver (\S+ )?(hjälp|tips|en|ett|idéer|förslag)
        (skojar|skämtar|ironi|jag drömde|i drömmen)
        (har glömt|hittar inte)
    """,
    requests=r"""
        ^(snälla,? |hej,? |okej,? |ok,? |och |så,? |du,? )*(skriv|gör|ge|säg|förklara|hjälp|översätt|sök|hitta
            |berätta|nämn|rekommendera|sammanfatta|rätta|räkna|beräkna|hitta på|föreslå|jämför|svara|visa|kontrollera
            |dra|skapa|planera|formulera|tipsa) (mig|en|ett|det|den|de|om|bara|lite|ut|på|till|upp|fem|tre|oss|vad
            |hur)
        ^(kan|kunde|skulle|vet|känner|har|vill|får|ska|är|finns|går) (du|jag|det|ni|man|vi|den|de|mina|min)
        ^(vad|hur|var|när|varför|vem|vilken|vilket|vilka|vart)
    """,
    play=r"""
        (du är|ni är) (nu |idag )?(en|ett|min|mitt) (\S+ )?(\S+ )?(\S+ )?och jag
        (du är nu|låtsas|tänk dig att|rollspel|spela rollen|du spelar)
        (skriv|hitta på|berätta|dikta) (mig |bara )*(en|ett) (\S+ )?(saga|dikt|historia|novell|berättelse|låt|visa
            |skämt|dialog|scen|monolog|tal|roman)
        (skriver|skrev|skrivit) (på )?(en|ett) (\S+ )?(novell|roman|historia|dikt|saga|berättelse|manus) (där|om|som)
    """,
    private=r"""
        (kom inte ihåg|spara inte|glöm (det här|detta|vad jag)|mellan oss|i förtroende|lägg inte på minnet
            |notera inte)
        (ignorera|glöm|strunta i) ~ (instruktioner|instruktionerna|regler|reglerna|prompt*|anvisningar)
    """,
    paste=r"""
        (översätt|rätta|korrigera|förbättra|sammanfatta|skriv om|läs|kontrollera|texten?|meningen?|mejlet?
            |stycket?|brevet?|meddelandet?)
    """,
    over=r"""
        (inte|inget|inga|ingen|aldrig) (\S+ )?(\S+ )?(längre|kvar|mer)
        (sålt|sålde|slutat|slutade|sagt upp|gjort slut|skilt mig|skilda|dog|gick bort|lagt ner|gett upp|gav upp
            |hoppat av|avslutat|bytt bort)
    """,
    change=r"""
        (nu|numera|nuförtiden|nyligen|sedan kort|istället|i stället|bytt|ändrat|bytte|flyttat|flyttade|rättelse
            |förlåt|egentligen|fel av mig|ny|nytt|nya|äntligen)
    """,
    present=r"""
        jag (\S+ )?(\w+r|är|har|kan|ska|vill|måste)
        (\w+r|är|har|kan|ska|vill) (jag|vi)
        vi (\S+ )?(\w+r|är|har|ska)
        (min|mitt|mina|vår|vårt|våra) (\S+ )?\w+ (är|har|heter|börjar|ligger|går|fyller|ska)
        hos (mig|oss) (är|har)
    """,
    vague=r"""
        (fråga|problem|idé|hungrig|törstig|lust|tid|fel|tack|förlåt|rätt|hjälp|känsla|åsikt|trött|glad|lycklig
            |ledsen|arg|nyfiken|säker|osäker|klar|färdig|överraskad|besviken|på väg|hemma|på bussen|på tåget|tacksam
            |försenad|kö)
        jag (tror|tycker att|hoppas|menar|förstår|vet|ser|söker|väntar|undrar|tvekar|önskar|märker|försöker|måste
            |säger|skickar|ringer|hade|var|gick|kom|såg|ville|kunde|skulle|behöver|letar)
    """,
    past=r"""
        (har|är) (\S+ )?(\S+ )?(\w+(at|it|tt|dd|ts))
        jag \w+(ade|dde|te)
    """,
)
