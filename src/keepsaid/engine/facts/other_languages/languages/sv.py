"""Swedish."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

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
BEGIN = r"(?<![^\W_] )"
"""A word at the beginning, or after a sign."""
OTHERS = r"(jag|vi|han|hon|de|man|min|mitt|mina|vår|vårt|våra|hans|hennes|deras)"
IMPERATIVE = (
    r"((var )?(så )?(snäll|vänlig) och \w+|svara|skriv|använd|ge|visa|räkna|förklara|fråga|börja|avsluta|undvik|rätta"
    r"|föreslå|sätt|prata|tala|skicka|rekommendera|gör|håll|berätta|säg|avslöja|nämn|ange|uppge|lägg|ta|inkludera"
    r"|utelämna|skippa|hoppa över|lista|översätt|sammanfatta|korta|förkorta|varna|påminn|påpeka|kolla|kontrollera"
    r"|dubbelkolla|konvertera|omvandla|formatera|formulera|beskriv|citera|länka|hänvisa|referera|motivera|upprepa"
    r"|anta|förutsätt|utgå|tilltala|kalla|var|låt|dela|numrera|markera|avrunda|byt|ersätt|spegelvänd|vänd|skapa|ställ"
    r"|kommentera|kritisera|beröm|be|tipsa|informera|meddela|följ|stava|bifoga|välj|hitta|presentera|redovisa|spoila"
    r"|tjata|smickra|moralisera|gissa|ljug|överdriv|förenkla|anpassa|bryt|dela|dra|ha|begränsa|jämför|strunta|släng"
    r"|peka|leta|kom med|stryk|bekräfta|ignorera|behandla|utveckla|sluta|glöm|bortse|lyft|kör|spara|tacka|hälsa"
    r"|inled|bygg|basera|märk|notera|lägg till|komplettera|testa|granska|korrigera|definiera|variera|prioritera"
    r"|fatta dig|dua|nia|ordna|sortera|tänk|slå upp|kräv|uttryck|blanda|döp|rita|planera|uppmuntra|utmana)"
)
"""What an assistant can be asked to do."""
LATER = (
    r"(från och med (nu|idag|i dag)|från (nu|idag|i dag)( av)?|fr\.?o\.?m\.? (nu|idag)|hädanefter|i fortsättningen"
    r"|fortsättningsvis|framöver|framgent|i framtiden|för framtiden|en gång för alla|för alltid|för evigt"
    r"|tills jag säger (\S+ )?\w+|(om|såvida) (inget annat|jag inte) (sägs|anges|säger|ber)( \w+ annat| annat)?)"
)
CHAT = (
    r"(svar|samtal|chatt|chattar|konversation|konversationer|meddelande|meddelanden|texter|diskussioner|mejl"
    r"|förklaringar)"
)
ALWAYS = (
    r"(alltid|aldrig|varje gång|varenda gång|jämt|ständigt|konsekvent|som standard|som regel|i regel|regelmässigt"
    r"|automatiskt|utan undantag|genomgående|under inga omständigheter|inte under några omständigheter"
    rf"|(i|för|på) (alla|allt|varje|samtliga) (\w+ )?(\w+ )?{CHAT}|{LATER})"
)
NEAR = r"( (?!(som|varför|hur|att|vad|om|när|vem|var|vilk\w+|jag|vi|där)(?!\w))[^ ,;:]+){0,5}?"
"""A few words that do not begin a new clause."""
OUTPUT = (
    r"(recept\w*|svar(en|et)?|sammanfattning\w*|lista|listor\w*|förklaring\w*|översättning\w*|exempel|exemplen|kod"
    r"|koden|kodexempel|datum|tider|klockslag|mått|måtten|enheter|priser|belopp|valutor|temperaturer|avstånd|vikter"
    r"|siffror|tal|mejl|mejlen|mail|brev|texter|prov|quiz|frågor|frågesport\w*|tips|boktips|filmtips|förslag"
    r"|rekommendationer|länkar|källor|källhänvisning\w*|citat|tabeller|rubriker|dikter|sagor|godnattsag\w+|övningar"
    r"|kommentarer|definitioner|träningspass|träningsprogram|menyer|matsedlar|veckomeny\w*|reseplan\w*|resplan\w*"
    r"|rapporter|protokoll|inlägg|uträkningar|beräkningar|instruktioner|steg|råd|feedback|rättningar|bilder|diagram"
    r"|portioner|skämt|inköpslist\w+|packlist\w+|svarsförslag|utkast)"
)
"""What an assistant produces."""
STYLE = (
    r"(\w*emoji\w*|smileys?|smilisar|utropstecken|\w*punkter|\w*listor|\w*rubriker|anglicismer|svengelska|tabeller"
    r"|fetstil|kursiv\w*"
    r"|\w*spoilers?|spoiler\w*|klyschor|floskler|\w*fraser|inledningar|ingresser|artighet\w*|ursäkter|förmaningar"
    r"|varningar|brasklapp\w*|disclaimers?|friskrivning\w*|upprepningar|pekpinnar|moral\w+|smicker|beröm|slang"
    r"|svordomar|förkortningar|facktermer|fackspråk|jargong|fotnoter|länkar|reklam|utfyllnad\w*|svammel"
    r"|överdrifter|komplimanger|följdfrågor|motfrågor|metaforer|liknelser|markdown|hashtaggar|hashtags|stavfel"
    r"|(engelska|låne|mode|svåra|krångliga) ?ord|långa (svar|texter|utläggningar|meningar)|utläggningar|tankstreck"
    r"|versaler"
    r"|sammanfattningar|skämt|ordvitsar|plattityder|kallprat|dravel|bilder|gif\w*|superlativ|råd|avslutningsfråg\w+)"
)
"""What people do not want in answers."""
SAID = (
    r"(nämner|frågar|ber|klistrar|skickar|skriver|säger|pratar|talar|delar|undrar|citerar|använder|ställer|hänvisar"
    r"|föreslår|tar upp|lägger (in|upp|fram)|postar|visar|stavar|svarar|berättar|beskriver|laddar upp|länkar|börjar prata"
    r"|behöver hjälp|vill ha|vill veta|ger dig|gör (ett )?(\w+ )?fel|har fel|råkar|klagar|diskuterar|matar in|uppger"
    r"|anger)"
)
TOPIC = (
    r"(dyker (det )?upp|kommer (det )?upp|kommer (\S+ )?på tal|nämns|handlar (det )?om|gäller|rör|förekommer"
    r"|blir (det )?tal om|tas upp"
    r"|diskuteras|ingår|finns med|är (det )?(fråga|tal) om|kommer in på|blir aktuellt|ska översättas|behövs"
    r"|figurerar|nämner"
    r"|pratar|frågar|talar|citerar|hamnar|halkar)"
)
CASE = (
    rf"((du|ni) (inte )?(någon gång |någonsin |ändå )?(?!(är|har|kan|hinner|orkar|tycker|tror|känner|mår|hittar"
    rf"|blir)(?!\w))\w+r"
    rf"|(du|ni) (inte (vet|förstår|är säker|kan)|är osäker|är säker|är tveksam|saknar)"
    rf"|(jag|vi) (inte )?(någon gång |någonsin |sedan |då )?{SAID}"
    rf"|(?!(jag|vi)(?!\w))(\S+ ){{1,5}}?{TOPIC})"
)
"""What can come up in the conversation."""
WHENEVER = r"(varje gång|varenda gång|så fort|så snart|närhelst|när helst|alltid när|alltid om|de gånger|vid varje)"
WANT = (
    r"((vill|önskar|föredrar|behöver|skulle vilja|uppskattar) jag (\S+ )?(att (du|ni)|(ha|se|få|höra|veta|läsa"
    r"|slippa|inte ha|inte se)))"
)
THEN = (
    rf"(((,|:) |,? (så|då) )(då |så |gärna |alltid |snälla |vänligen |du,? |räcker det att du |aldrig )*({IMPERATIVE}"
    rf"|inga|inget|ingen|aldrig)"
    rf"|,? (ska|kan|får|måste|bör|behöver|skulle) (du|ni)|,? (ska|måste|får|bör) ((det|den|de) \w+|\S+ (\S+ )?(alltid"
    rf"|aldrig|ha|vara|stå|bara|max))"
    rf"|,? {WANT}|,? (då |så )?\w+r (du|ni))"
)
"""What should be done then."""

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
    instruction=rf"""
        {LATER}[,:]?( (?!{OTHERS}(?!\w))[^ ;]+){{0,2}}? {IMPERATIVE}
        {LATER}[,:]?( (?!{OTHERS}(?!\w))[^ ;]+){{0,8}}? (du|ni|dig|er|dina|ditt)
        {LATER}[,:]?( [^ ,;:]+){{0,5}}? på (svenska|engelska|norska|danska|finska|tyska)
        {LATER}[,:]? (vill|önskar|föredrar|ser|skulle) jag (\S+ )?(\S+ )?(att|om) (du|ni)
        {LATER}[,:]? (vill|önskar|föredrar) jag (\S+ )?(\S+ )?(ha|se|få|höra|läsa|slippa) (\S+ )?(\S+ )?({OUTPUT}|{STYLE})
        {LATER}[,:]? (gärna |helst )?(bara|inga|inget|ingen|aldrig|alltid|endast|enbart|utan|inte|max
            |{OUTPUT})( (?!{OTHERS}(?!\w))[^ ;]+){{1,8}}$
        {BEGIN}(bara|inga|inget|ingen|alltid|endast|enbart|max|högst|kort\w*
            |{OUTPUT}) ((?!{OTHERS}(?!\w))[^ ;]+ ){{1,6}}?{LATER}
        {BEGIN}{IMPERATIVE}{NEAR},? {ALWAYS}
        (så|snälla|vänligen|men|alltså|gärna) {IMPERATIVE}{NEAR},? {ALWAYS}
        {BEGIN}{IMPERATIVE}( (?!(varför|hur|att|vad|vem)(?!\w))[^ ;:]+){{0,14}}? {LATER}
        {BEGIN}(alltid|aldrig|varje gång|som standard|gärna alltid|helst alltid)[,:]? {IMPERATIVE}
        (du|ni) (kan|får|ska|behöver|måste|bör|skulle kunna|borde|slipper)( (?!{OTHERS}(?!\w))[^ ;]+){{0,8}}? {ALWAYS}
        (kan|får|ska|behöver|måste|bör) (du|ni) {ALWAYS}
        (du|ni) (får|ska|behöver) (inte|aldrig|inga) (\S+ )?{IMPERATIVE}
        {WHENEVER} [^;!?]{{0,90}}?{THEN}
        (när|om|ifall|då) {CASE}[^;!?]{{0,70}}?{THEN}
        {BEGIN}{SAID} (jag|vi)( [^ ,;:]+){{0,9}}{THEN}
        {BEGIN}(kommer|dyker|handlar|gäller|rör|förekommer|nämns|blir|står|är)( (?!(du|ni|jag
            |vi)(?!\w))[^ ,;:]+){{1,9}}?(,? så|,) (alltid )?{IMPERATIVE}
        {BEGIN}{IMPERATIVE}{NEAR}( {WHENEVER}|,? (när|om|ifall) {CASE})
        så {IMPERATIVE}{NEAR}( {WHENEVER}|,? (när|om|ifall) {CASE})
        {BEGIN}(alla |varje |dina |samtliga )?{OUTPUT} ((?!{OTHERS}|är|blir|har|var|blev|kommer|tar|som|vill|kan
            |gör)[^ ;:]+ ){{0,4}}?(alltid|aldrig|helst|som regel|i regel|som standard|generellt|genomgående
            |utan undantag|bara|enbart|endast|varje gång)
        {BEGIN}(alla |varje |dina |samtliga )?{OUTPUT} ([^ ,;:]+ ){{0,3}}?(ska|får|måste|bör|vill jag) (\S+ )?(alltid
            |aldrig|inte|vara|ha|innehålla|stå|bara)
        {BEGIN}(alltid|helst|som standard|generellt|som regel) (\S+ ){{0,4}}?{OUTPUT}
        {BEGIN}{IMPERATIVE} ((?!(en|ett|det|den|detta|denna)(?!\w))[^ ,;:]+ )?(inte|inga|inget|ingen|bara korta|alltid på)
        jag (vill|orkar|tänker|behöver|önskar|står)( \S+){{0,2}} (inte|aldrig|slippa)( \S+){{0,3}}? (höra|läsa|se|få
            |ha|veta|ut med)[^;!?]{{0,40}}?(["“„”'«»]|ord(et)?|fras\w*|uttryck\w*|{STYLE})
        jag (vill|orkar|tänker|önskar) (\S+ )?(inte|aldrig)( \S+){{0,3}}? (höra|läsa) (?!av|från
            |på)[^;!?]{{0,60}}?(längre|mer|igen|en (enda )?gång till|något mer|någonsin)
        jag (vill|orkar|önskar) (\S+ )?(inte|aldrig) (längre |mer )(höra|läsa|se) (?!av|från|honom|henne|dem|dig|min|mina)
        jag (vill|skulle vilja) (helst |gärna )?slippa (se|höra|läsa|få|alla|allt|dina|era|{STYLE})
        (jag är|så) (\S+ )?(trött|less|utless|led) på (att (höra|läsa|se|få)|alla|dina|ditt|{STYLE})
        (jag har|nu har jag) fått nog av (\S+ )?({STYLE}|dina|ditt|ord\w*|fras\w*)
        {BEGIN}(snälla,? |och |helst |tack,? |absolut )*(inga|inget|ingen|aldrig|utan|slopa|skippa|slut på|slut med
            |noll|stopp för|sluta med|hoppa över|bort med|strunta i)( (fler|mer|några|en massa|alla|dina|era|onödiga
            |överdrivna|såna|sådana|\w+)){{0,2}}? {STYLE}
        (så|alltså|därför) (inga|aldrig|skippa|slopa|inget|utan) (\S+ )?{STYLE}
        {BEGIN}(inga|inget|ingen|aldrig|utan) (?!(problem|fara|orsak|aning|stress|brådska|panik|idé|mening|mer|annat
            |särskilt|speciellt|tack|hjälp|ko)(?!\w))([^ ,;:]+ ){{0,4}}?[^ ,;:]+,? (tack|snälla|är du snäll|någonsin
            |över huvud taget|överhuvudtaget|är ni snälla)$
        (inga|aldrig|inte|inte några|utan) (\S+ )?{STYLE} (i|när|till) (dina|svar\w*|du|mig|mina)
        {BEGIN}(sluta) (\S+ )?\w+
        (du kan |du får |ni kan |ni får |hellre |gärna |bara )*(kalla mig|dua mig|dua|nia mig|tilltala mig)
        (kalla|tilltala) (inte )?mig
        säg (bara |gärna |hellre )?(du|ni|\w+) till mig
        vi (kan|ska|borde) (\S+ )?(dua|vara du|lägga bort titlarna)
        (använd|skriv) (\S+ )?(\S+ )?(förnamn\w*|smeknamn\w*|efternamn\w*|mitt namn|du-tilltal|ni-tilltal|du-form)
        (jag lystrar till|mitt smeknamn är)
        (kom ihåg|glöm inte|tänk på|ha i åtanke|notera|lägg på minnet|skriv upp)( bara| alltid| det här| detta| gärna
            | för \w+| en sak)*( att|:)
        jag (vill|skulle vilja|vill gärna|önskar|föredrar|hade velat|ser gärna|ser helst|skulle uppskatta|uppskattar
            |vore tacksam|skulle föredra|gillar|tycker om)( \S+){{0,3}}? (att|om|när) (du|ni) [^;!?]{{0,70}}?{ALWAYS}
        jag (vill|skulle vilja|vill gärna|önskar|föredrar|hade velat|ser gärna|ser helst|skulle uppskatta|uppskattar
            |skulle föredra)( \S+){{0,3}}? (att|om) (du|ni) (alltid|aldrig|inte|bara|slutar|slutade|är|var|svarar
            |svarade|pratar|talar|tilltalar|använder|använde|undviker|undvek|håller|höll|skippar|låter|utgår|hoppar
            |struntar|skriver (kort|enkelt|på|utan|mer|mindre|till mig))
        (i dina svar|dina svar|i svaren|i alla svar|när du svarar)
        ^(svara|skriv|prata|tala) (mig |gärna |alltid |helst )*på (svenska|engelska|danska|norska|finska|lätt svenska)
        ^(svara|var) (mig |mot mig |gärna |helst |alltid |lite )*(kort\w*|rak|rakt|ärlig\w*|direkt|koncist|utförligt
            |enkelt|kärnfullt|formellt|informellt)
        (ny regel|stående (order|instruktion|regel)|allmän regel|generell regel)
        (rekommendera|föreslå|skicka|ge|visa|berätta|avslöja|säg) (\w+ )?(aldrig|inga|inte)
        (är|var) (alltid )?(helt )?(rak|ärlig|uppriktig) mot mig
    """,
    one_off=r"""
        (nästa fråga|nästa|följande|den här (frågan|texten|gången|meningen|uppgiften|bilden|listan|koden)
            |det här (mejlet|brevet|priset|receptet|provet|svaret|stycket|inlägget)
            |detta mejl|denna|bara idag|för idag|bara i dag|för i dag|(?<!med )(?<!från )(idag|i dag)|ikväll|i kväll
            |i morgon|imorgon|just nu|tills vidare|nedan|ovan|bara nu|för en gångs skull)
        (varför$|pirat\w*|viking\w*|riddare|drake|trollkarl|detektiv|rollspel\w*|låtsas|tänk dig|minns du|(i|din
            |spela) karaktär\w*|är du (nu )?(en|ett|min|mitt)(?! \S+ som))
        ^(på (jobbet|mitt jobb|vårt jobb|kontoret|min arbetsplats)|i (vårt|mitt|vår|min) \w+|i skolan|hos (oss|dem
            |min \w+)|hemma hos \w+) ~ (ska|måste|får|är|gäller|skriver|säger|brukar)
        ((min|mina|vår|våra) \w+|mamma|pappa|mormor|farmor|morfar|farfar|läraren|läkaren|chefen|hon|han|de|folk
            |någon) (\S+ )?(säger|tjatar|sa|sade|brukar|påstår|bad|ber|tyckte|tycker|vill|kräver
            |lärde) (\S+ )?(\S+ )?(alltid|aldrig|åt mig|att (jag|vi|man)|till mig|mig|oss)
        man (ska|bör|måste|får|brukar|kan)
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
