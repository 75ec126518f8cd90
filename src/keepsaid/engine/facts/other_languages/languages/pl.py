"""Polish."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

PEOPLE = (
    r"(siostr*|brat*|brac*|rodzeństw*|mam[aęyoi]|mamie|mamusi*|matk*|matce|tat[aęyo]|tacie|tatą|ojciec|ojc*|rodzic*"
    r"|córk*|córce|córecz*|syn*|dzieck*|dzieci*|żon[aęyąo]|żonie|mąż|męż*|partner*|dziewczyn*|chłopak*|narzeczon*"
    r"|były|była|babci*|dziad*|wnucz*|wnuk*|cioci*|ciotk*|wuj*|kuzyn*|siostrzen*|bratan*|teściow*|teść|teści*"
    r"|szwagier*|szwagr*|zięć*|synow*|przyjaciel*|przyjaciół*|koleg*|koleżan*|sąsiad*|szef*|współlokator*|bliźniak*"
    r"|bliźnięt*|rodzin*|chrześniak*|chrześnic*|pasierb*|mał[ay])"
)
PETS = (
    r"(pies|psa|psem|psy|psów|suk[aęi]|suni*|szczeniak*|kot|kota|koty|kotem|kotk*|kocur*|koń|konia|klacz|królik*"
    r"|chomik*|śwink*|papug*|żółw*|rybk*|kanarek|kanark*|szynszyl*|kur[yę]?)"
)
MINE = r"(mój|moja|moje|moi|mojego|mojej|mojemu|moim|moją|nasz|nasza|nasze|nasi|naszego|naszej|naszą)"
ILL = (
    r"(uczulen*|uczulon*|alergi*|alergik|alergiczk*|nietoleran*|celiaki*|astm*|cukrzyc*|cukrzyk|diabety*|migren*"
    r"|padaczk*|epilepsj*|nadciśnieni*|reumaty*|zwyrodnien*|depresj*|depresyjn*|nerwic*|adhd|autyzm*|spektrum"
    r"|dysleksj*|dyslekty*|szum* uszn*|lęk* wysokości|klaustrofobi*|fobi*|arachnofobi*|dyskopati*|wad* serca"
    r"|rozrusznik*|tarczyc*|hashimoto|rak|raka|nowotw*|stwardnienie|crohn*|w ciąży|aparat słuchow*|wózk*|dializ*"
    r"|niewidom*|głuch*|niedosłysz*|daltonis*|laktoz*|gluten*|insulin*|chorob* lokomocyjn*|endometrioz*|łuszczyc*"
    r"|bezdech*|egzem*|azs|bezsenn*)"
)
JOBS = (
    r"(nauczyciel*|lekar*|pielęgniar*|położn*|inżynier*|architekt*|prawni*|adwokat*|radc*|programist*|informaty*"
    r"|developer*|grafi*|projektant*|student*|doktorant*|uczeń|uczennic*|dziennikar*|pisar*|tłumacz*|fotograf*"
    r"|muzyk*|aktor*|kuchar*|kelner*|piekarz*|cukierni*|fryzjer*|elektry*|hydrauli*|mechani*|stolar*|murar*|rolni*"
    r"|policjant*|strażak*|żołnierz*|wojskow*|kierowc*|taksówkarz*|pilot*|stewardess*|weterynarz*|farmaceut*"
    r"|aptekar*|dentyst*|stomatolog*|psycholog*|fizjoterapeut*|rehabilitant*|biolog*|chemi[ck]*|fizyk*|naukow*"
    r"|urzędni*|sekretar*|księgow*|konsultant*|ekonomist*|sprzedaw*|handlow*|przedsiębiorc*|na działalności"
    r"|freelancer*|emeryt*|na emeryturze|rencist*|bezrobotn*|bibliotekar*|stażyst*|praktykant*|asystent*|dyrektor*"
    r"|kierowni*|menedżer*|manager*|przewodni*|instruktor*|trener*|techni*|kasjer*|kurier*|opiekun*|logoped*"
    r"|pedagog*|przedszkolan*|ratowni*|florystk*|krawc*|magazynier*|operator*|analityk*|notariusz*|geodet*|leśni*)"
)
THINGS = (
    r"(samochód|samochod*|aut[oa]|motocykl*|motor|skuter*|rower*|hulajnog*|kamper*|przyczep*|dom|domek|mieszkani*"
    r"|kawalerk*|działk*|ogród|ogródek|ogrod*|gitar*|pianin*|fortepian*|skrzypc*|perkusj*|akordeon*|saksofon*"
    r"|aparat*|lustrzank*|laptop*|komputer*|maca|macbook*|pc|drukark*|łódk*|jacht*|żaglów*|warsztat*|sklep*"
    r"|firm[aęy]|iphone*|telefon*|android*|linux*|tablet*|ipad*|czytnik*|konsol*|playstation|blog*|podcast*|kanał*"
    r"|kolekcj*|polonez*|fiat*|malucha|opl[aem]|opel|cors[aęy]|skod[aęy]|octavi*|fabi[aęi]|volkswagen*|golf*|passat*"
    r"|toyot*|yaris*|ford*|bmw|audi|mercedes*|renault|clio|peugeot*|citroen*|kia|hyundai*|tesl[aęi]|volvo|hond[aęy]"
    r"|yamah*|canon*|nikon*|używan*)"
)
DAYS = r"(poniedział\w+|wtor\w+|środ\w+|czwart\w+|piąt\w+|sobot\w+|niedziel\w+)"
MONTHS = (
    r"(styczniu|stycznia|lutym|lutego|marcu|marca|kwietniu|kwietnia|maju|maja|czerwcu|czerwca|lipcu|lipca|sierpniu"
    r"|sierpnia|wrześniu|września|październiku|października|listopadzie|listopada|grudniu|grudnia)"
)
BEGIN = r"(?<![^\W_] )"
"""A word at the beginning, or after a sign."""
HABITUAL = (
    r"(odpowiadaj|odpisuj|pisz|używaj|podawaj|dawaj|pokazuj|tłumacz|wyjaśniaj|objaśniaj|zaczynaj|rozpoczynaj|kończ"
    r"|unikaj|poprawiaj|koryguj|proponuj|polecaj|rekomenduj|sugeruj|doradzaj|mów|zwracaj|pytaj|dopytuj|licz|przeliczaj"
    r"|obliczaj|stosuj|wysyłaj|przysyłaj|dodawaj|dołączaj|wstawiaj|powtarzaj|rób|twórz|układaj|przygotowuj|formułuj"
    r"|streszczaj|podsumowuj|skracaj|wypisuj|wymieniaj|wspominaj|cytuj|linkuj|sprawdzaj|weryfikuj|ostrzegaj|uprzedzaj"
    r"|przypominaj|informuj|zaznaczaj|wyróżniaj|pogrubiaj|numeruj|formatuj|zapisuj|zaokrąglaj|podkreślaj|pomijaj"
    r"|omijaj|opuszczaj|pilnuj|trzymaj|dbaj|przyjmuj|zakładaj|traktuj|uwzględniaj|bierz|dziel|rozbijaj|porównuj"
    r"|zadawaj|stawiaj|komentuj|krytykuj|chwal|oceniaj|zdradzaj|ujawniaj|spoileruj|spojleruj|opisuj|opowiadaj|wrzucaj"
    r"|nazywaj|odwracaj|upraszczaj|ograniczaj|zostawiaj|zamieniaj|zastępuj|przekładaj|przestrzegaj|wybieraj|żartuj"
    r"|bądź|miej|tykaj|wymyślaj|cenzuruj|moralizuj|pouczaj|owijaj|słodź|lej|przepraszaj|dziękuj|witaj|żegnaj|kłam"
    r"|ściemniaj|komplikuj|wytykaj|notuj|obracaj|uzasadniaj|określaj|wskazuj|kieruj|posługuj|ucz|stopniuj|przedstawiaj"
    r"|konwertuj|argumentuj|sprowadzaj|wyrażaj|zgłaszaj|zaczepiaj|przerywaj|zakańczaj|rozpisuj|dopisuj|zwiększaj"
    r"|doliczaj|segreguj|sortuj|grupuj|lubuj|wplataj|mieszaj|powołuj|opieraj|wyliczaj|dobieraj)(cie)?"
)
"""What an assistant is told to do repeatedly: imperatives of imperfective verbs."""
SINGLE = (
    r"(napisz|powiedz|odpowiedz|wytłumacz|wyjaśnij|sprawdź|popraw|zrób|daj|pokaż|dodaj|dopisz|wypisz|wymień|poleć|streść"
    r"|podsumuj|skróć|przetłumacz|zapytaj|spytaj|dopytaj|ostrzeż|uprzedź|przypomnij|poinformuj|zaznacz|zacznij|zakończ"
    r"|pomiń|użyj|zamień|zapisz|oblicz|policz|porównaj|dołącz|wskaż|zwróć|znajdź|weź|załóż|przyjmij|przelicz|podaj"
    r"|zaproponuj|zasugeruj|odwróć|wstaw|wyślij|zostaw|rozpisz|określ|zacytuj|wybierz|wspomnij|odeślij|zweryfikuj"
    r"|niech|proszę|pamiętaj|upewnij|usuń|wytknij|podlinkuj|zilustruj|uprość|pogrub|podziel|ułóż)(cie)?"
)
IMPERATIVE = (
    rf"({HABITUAL}|{SINGLE}"
    r"|(?!(wczoraj|dzisiaj|tutaj|zwyczaj|obyczaj|rodzaj|kraj|mój|twój|swój|maj|raj|olej|kolej|bardziej|mniej|lepiej"
    r"|gorzej"
    r"|dalej|wcześniej|później|częściej|rzadziej|krócej|więcej|dłużej)(?!\w))\w{2,}(aj|uj|ij|yj)(cie|my)?)"
)
LATER = (
    r"(od (teraz|dziś|dzisiaj|jutra|tej pory|tej chwili|tego momentu|tego czasu|zaraz)|na przyszłość|w przyszłości|odtąd"
    r"|raz na zawsze|na zawsze|na stałe|(dopóki|póki|chyba że|o ile|jeśli) (ci )?nie (powiem|poproszę|odwołam"
    r"|napiszę|wspomnę)( \w+)?)"
)
CHAT = (
    r"(odpowiedzi|odpowiedziach|rozmowie|rozmowach|rozmów|wiadomości|wiadomościach|czacie|czatach|konwersacj\w+|tekstach"
    r"|mailach|wyjaśnieniach)"
)
ALWAYS = (
    r"(zawsze|nigdy|przenigdy|domyślnie|za każdym razem|każdorazowo|konsekwentnie|stale|co do zasady|z reguły|z zasady"
    r"|standardowo|bez wyjątku|(w|pod) żadn\w+ (wypadku|razie|pozorem)|automatycznie|z automatu"
    rf"|(w|we) (każdej|wszystkich|swoich|twoich) (\w+ )?{CHAT}|{LATER})"
)
NEAR = r"(,? (?!(co|któr\w+|dlaczego|czemu|jak|że|kiedy|czy|skąd|gdzie|kto|ile|bo|mama|tata|ja|my)(?![\w]))[^ ;:]+){0,5}?"
"""A few words that do not begin a new clause."""
OUTPUT = (
    r"(przepis\w*|odpowied\w+|podsumowani\w+|streszczeni\w+|list[aęy]|wyjaśnieni\w+|tłumaczeni\w+|przykład\w*|kod|kodu"
    r"|fragmenty kodu|dat[ya]|godzin[ya]|miar[ya]|jednostk\w+|cen[ya]|kwot[ya]|walut[ya]|temperatur[ya]|odległości"
    r"|wag[ai]|liczby|mail\w*|e-mail\w*|listy|teksty|test|testy|quiz\w*|pytania|porad[ya]|rad[ya]|wskazówki|propozycje"
    r"|rekomendacje|link\w*|źródła|cytat\w*|tabel\w+|nagłówki|tytuły|wiersz\w*|bajk\w+|ćwiczeni\w+|komentarz\w*"
    r"|definicj\w+"
    r"|plan\w*|jadłospis\w*|menu|trening\w*|raport\w*|notatk\w+|post\w*|obliczeni\w+|instrukcj\w+|porcje|żart\w*"
    r"|zestawieni\w+|opis\w*|imiona|nazw[ay]|nazwiska|wynik\w*|polecenia|uwagi|poprawki|wzory)"
)
"""What an assistant produces."""
STYLE = (
    r"(emot\w*|emoji\w*|buziek|buźki|buźkami|uśmieszk\w+|list|wypunktow\w+|punktor\w+|wykrzyknik\w*|anglicyzm\w*|wstęp\w*"
    r"|pogrubie\w*|spoiler\w*|spojler\w*|tabel\w*|nagłówk\w*|lania wody|wodolejstwa|grzecznoś\w+|uprzejmoś\w+"
    r"|przepros\w+|przeprasz\w+"
    r"|ostrzeże\w*|zastrzeże\w*|powtórze\w*|morał\w*|moraliz\w+|pouczeń|pouczania|pochlebstw\w*|pochwał\w*"
    r"|komplement\w*|słodzenia"
    r"|slang\w*|przekleńst\w*|wulgaryzm\w*|skrót\w*|żargon\w*|przypis\w*|link\w*|reklam\w*|frazes\w*|banał\w*"
    r"|formułek|formułk\w+"
    r"|zdrobnie\w*|metafor\w*|markdown\w*|hasztag\w*|hashtag\w*|kursyw\w*|owijania|(trudn|obc|angielsk"
    r"|mądr)\w+ (słów|słow\w+|wyraz\w+|zwrot\w+)"
    r"|długich \w+|wykład\w*|dopytywania|dopytk\w*|pytań na koniec|podsumowań|żart\w*|dowcip\w*|suchar\w*|obrazk\w*"
    r"|gif\w*|myślnik\w*"
    r"|kapitalik\w*|wielkich liter|tytułowania|superlatyw\w*|przymilania|ozdobnik\w*|coach\w*|korpo\w*)"
)
"""What people do not want in answers."""
NO_CASE = (
    r"(możesz|może pan\w*|chcesz|masz|ma pan\w*|znasz|wiesz|zna pan\w*|da się|się da|to możliwe|potrafisz|skończysz"
    r"|jesteś w stanie"
    r"|jutro|dziś|dzisiaj|teraz|znajdziesz|dasz radę|zdążysz|będziesz)"
)
WHENEVER = (
    r"((za )?każd\w+ (razem|raz),? (gdy|kiedy|jak|jeśli)|zawsze,? (gdy|kiedy|jak|jeśli)|ilekroć|jak tylko|gdy tylko"
    r"|kiedy tylko|kiedykolwiek"
    r"|gdziekolwiek|skoro tylko|przy (każd\w+|każdej okazji)|w razie|w przypadku|gdyby\w*|gdy|jeśli|jeżeli)"
)
SAID = (
    r"((o (to|coś|cokolwiek) |cię |ci |cokolwiek |coś |sobie |tu |znowu |kiedyś |się |pana |panią |panu |pani )*"
    r"(proszę|pytam|wklejam|wysyłam|piszę|mówię|poproszę|zapytam|spytam|wkleję|wyślę|napiszę|podaję|podam|powiem"
    r"|wspomnę|wspominam"
    r"|użyję|używam|zrobię|robię|popełnię|popełniam|pomylę|mylę|zacznę|zaczynam|poruszę|cytuję|zacytuję|wrzucę"
    r"|wrzucam|wymienię|prześlę"
    r"|dam|daję|zadam|zadaję|potrzebuję|narzekam|opisuję|opiszę|planuję|szukam|rozmawiamy|gadamy|będziemy (mówić"
    r"|rozmawiać|gadać)|pokażę|pokazuję)"
    r"|(nie )?(?!(" + NO_CASE[1:-1] + r")(?!\w))\w+sz(?!\w)|(pojawi|pojawia|trafi|zdarzy|przewinie|natkniesz"
    r"|nadarzy)\w* |padnie|wpadnie|wyjdzie|wypłynie"
    r"|będzie (mowa|o)|zejdzie|zejdziemy|mowa (o|będzie)|chodzi o|dotyczy|jest mowa|coś (jest|będzie)|czegoś nie)"
)
"""What can come up in the conversation."""
REPEATED = (
    r"(podawać|odpowiadać|używać|pisać|przeliczać|tłumaczyć|unikać|stosować|mówić|zwracać|proponować|"
    r"polecać|dodawać|pokazywać|zaczynać|kończyć|poprawiać|pytać|dopytywać|liczyć|wysyłać|wstawiać|"
    r"wyjaśniać|podsumowywać|skracać|wypisywać|wspominać|cytować|sprawdzać|ostrzegać|uprzedzać|"
    r"przypominać|informować|zaznaczać|pogrubiać|zapisywać|zaokrąglać|pomijać|przyjmować|zakładać|"
    r"traktować|uwzględniać|zdradzać|ujawniać|nazywać|ograniczać|zamieniać|rekomendować|sugerować|"
    r"doradzać|powtarzać|przepraszać|chwalić|krytykować|trzymać się|formułować|odpisywać|streszczać)"
)
"""What an assistant is asked to do repeatedly: infinitives of imperfective verbs."""

TABLE = PhraseTable(
    code="pl",
    first=r"""
        (ja|mnie|mi|mną|mój|moja|moje|moi|mojego|mojej|mojemu|moim|moją|my|nas|nam|nami|nasz|nasza|nasze|naszego
            |naszej|u mnie|u nas|się)
        (jestem|mam|mieszkam|pracuję|studiuję|robię|idę|jadę|używam|gram|jem|piję|wolę|chcę|mogę|biegam|czytam
            |słucham|jesteśmy|mamy|mieszkamy|lubię|uwielbiam|uczę|mówię|śpię|gotuję|pływam|programuję|zbieram|boję
            |kocham|nienawidzę|planuję|piszę|buduję)
        \w+(łem|łam|liśmy|łyśmy|uję|emy|imy|ymy|amy)
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}
        {MINE} (\w+ )?{PETS}
        (mama|tata|babcia|dziadek)
        ^(syn|córka|żona|mąż|brat|siostra|teściowa|teść|chłopak|dziewczyna|narzeczona|narzeczony|wnuk|wnuczka)
        (u|dla) (mamy|taty|babci|dziadka)
    """,
    states=rf"""
        (nazywa się|wabi się|ma na imię|mieszka|mieszkają|pracuje|pracują|studiuje|studiują|uczy|chodzi do|gra
            |zbiera|urodził\w*|zmarł\w*|umarł\w*|kończy \S+ lat)
        (jest|są|był|była|został|została) (\S+ )?(\S+ )?{JOBS}
        ma (\S+ )?(\S+ )?(\S+ )?(lat|lata|rok|miesięcy|miesiące|urodziny|imieniny|dzieci|dziecko|córk*|syn*|psa|kota)
        (ma|mają|jest|są|choruje|jeździ) ~ {ILL}
        (jest|są|został\w*) (\S+ )?(wegetarian*|wegan*|leworęczn*|żonaty|zamężna|po rozwodzie|rozwiedzion*|wdow*
            |zaręczon*|na emeryturze|singl*)
        nie (je|jedzą|pije|może|znosi|lubi|toleruje|jada)
        (uwielbia|kocha|nienawidzi|lubi|woli|nie cierpi)
        (przeprowadził\w*|wyprowadził\w*|ożenił\w*|wyszła za mąż|rozwiódł|rozwiodła|przeszedł na emeryturę
            |przeszła na emeryturę|urodziła|wyjechał\w*|przeniósł|przeniosła)
        (spodziewa się|oczekuj\w+) (\S+ )?(dzieck*|synka|córki|bliźni*)
        to (mój|moja|jest|\w+)
        (jest|są) z \w+
    """,
    instruction=rf"""
        {LATER}[,:]? ((?!(ja|my|moja|mój|mama|tata)(?!\w))[^ ;]+ ){{0,7}}?{IMPERATIVE}
        {LATER}[,:]? ((?!(ja|my)(?!\w))[^ ;]+ ){{0,4}}?(proszę|niech|poproszę|życzę sobie|(chcę|chciał\w+|wolę
            |wolał\w+),? ([^ ,;:]+ )?(żeb\w*|aby\w*|byś\w*|{OUTPUT}|słyszeć|czytać|dostawać))
        {LATER}[^;!?]{{0,50}}? (?!(też|już)(?!\w))\w+(asz|esz|isz|ysz)
        {LATER}[,:]? (?!(nie |już |nie będę )*\w+(ę|am|em|my)(?!\w))((?!(ja|my)(?!\w))[^ ;]+ ){{0,3}}?(tylko|wyłącznie
            |żadn\w+|bez|zawsze|nigdy|ma być|mają być|masz|możesz|może pan\w*|ma pan\w*|rezygnujesz)
        {BEGIN}(proszę )?(tylko|wyłącznie|żadn\w+|bez|krótk\w+|zwięźle|{OUTPUT}) ([^ ;]+ ){{0,5}}?{LATER}
        {ALWAYS},? ((?!(ja|my|mówię|mama|tata|że|jem|mam|jestem)(?!\w))[^ ;]+ ){{0,5}}?({HABITUAL}|{SINGLE})
        {ALWAYS} (mi |się |do mnie |ze mną |nie |mnie )*{IMPERATIVE}
        ({HABITUAL}|{SINGLE}){NEAR},? {ALWAYS}
        {BEGIN}(proszę )?(?!tłumacz (przysięgły|języka|google)){HABITUAL}(?! (dalej|sobie|śmiało)(?!\w))
        (proszę|więc|dlatego|to|zatem|ale|tylko|a|i|lepiej|najlepiej|po prostu) {HABITUAL}(?! (dalej|sobie|śmiało)(?!\w))
        {BEGIN}{OUTPUT} (\S+ ){{0,4}}?{HABITUAL}
        nie (\S+ )?{HABITUAL}
        (nigdy|przenigdy|nigdy więcej) (\S+ ){{0,3}}?nie (\S+ )?{IMPERATIVE}
        (nigdy|przenigdy|(w|pod) żadnym \w+) (\S+ ){{0,3}}?nie (?!(mog|powinn|chc|będ|mam|umie|był|jest
            |lubi)\w*)\w+ (mi|mnie|do mnie)
        {WHENEVER} (?!([^ ;]+ )?{NO_CASE}(?!\w))[^;!?]{{0,90}}?(,|:|,? to|–|—) ([^ ,;:]+ ){{0,4}}?{IMPERATIVE}
        (przy|w razie|w przypadku) ([^ ,;:]+ ){{1,4}}?(zawsze |od razu )?({HABITUAL}|{SINGLE})
        {BEGIN}(więc |a |to |i )?(kiedy|jak|gdy|jeśli|jeżeli|gdyby
            |skoro) (?!([^ ;]+ )?{NO_CASE}(?!\w))[^;!?]{{0,90}}?(,|:|,? to|–|—) ([^ ,;:]+ ){{0,4}}?{IMPERATIVE}
        (więc|dlatego|zatem|ale|to|zasada),? (kiedy|jak|gdy|jeśli|jeżeli
            |gdyby) (?!([^ ;]+ )?{NO_CASE}(?!\w))[^;!?]{{0,90}}?(,|:|,? to) ([^ ,;:]+ ){{0,4}}?{IMPERATIVE}
        ({HABITUAL}|{SINGLE}){NEAR},? ({WHENEVER}|kiedy|jak) {SAID}
        (kiedy|gdy|jak|jeśli|jeżeli
            |za każdym razem,? gdy) ([^ ,;:]+ ){{0,3}}?{SAID}[^;!?]{{0,60}}?, ([^ ,;:]+ ){{0,2}}?(chodzi mi
            |mam na myśli|chcę|chciał\w+|wolę|proszę|niech|ma być|mają być|ma mieć|ma zawierać|ma się|mają się
            |powinn\w+|wystarczy|nie trzeba|żadn\w+|(tylko|zawsze|nigdy) (?!się|mi|mam|\w+(ę|am
            |em)(?!\w))[^ ,;:]+( [^ ,;:]+){{0,3}}$|masz|bez)
        (kiedy|gdy|jak|jeśli) (cię |ci |o coś |coś )?(proszę|pytam|wklejam|wysyłam|piszę|mówię|poproszę|zapytam|wkleję
            |wyślę|napiszę|podaję|podam) ([^ ,;:]+ ){{0,4}}?(odpowiadaj|odpowiedz|daj|dawaj|pisz|używaj|popraw
            |poprawiaj|tłumacz|chodzi|nie|pokaż|podawaj|licz)
        {BEGIN}(moje |twoje |wszystkie |każd\w+ )?{OUTPUT} ((?!(są|jest|był\w*|mi|się|mam|nie|który|która|które|będzie
            |będą)(?!\w))[^ ,;:]+ ){{0,4}}?(zawsze|nigdy|wyłącznie|tylko|domyślnie|co do zasady|z reguły|standardowo
            |z zasady|najlepiej|za każdym razem|bez wyjątku|maksymalnie|najwyżej|bez|raczej)
        {BEGIN}(moje |twoje |wszystkie |każd\w+ )?{OUTPUT} ([^ ,;:]+ ){{0,3}}?(ma|mają|powin\w+|muszą|musi
            |mogą) (\S+ )?(zawsze|nigdy|być|mieć|zawierać)
        {BEGIN}(zawsze|domyślnie|co do zasady|standardowo|z reguły) (?!(mam|jem|robię)(?!\w))(\S+ ){{0,4}}?(po polsku
            |po angielsku|w (euro|złotych|złotówkach|kilometrach|metrach|gramach|stopniach|punktach|szklankach)
            |źródła)
        nie (chcę|mam (już )?ochoty|życzę sobie|zamierzam|mogę|chciał\w+|dam rady
            |potrzebuję)( [^ ;:]+){{0,3}}? (słyszeć|czytać|widzieć|oglądać|dostawać|słuchać
            |widywać)[^;!?]{{0,40}}?(["„”'«»]|słow\w+|słów\w*|zwrot\w*|fraz\w*|tekst\w* (typu|w stylu)|określe\w*
            |{STYLE})
        nie (chcę|mam (już )?ochoty|życzę sobie|mogę) (już |więcej |nigdy |w ogóle )+(słyszeć|czytać|słuchać|dostawać)
        nie (chcę|życzę sobie) (słyszeć|czytać|słuchać|dostawać)( [^ ;:]+){{0,5}}? (więcej|już|nigdy|nigdy więcej)
        nie (chcę|życzę sobie|potrzebuję|trzeba|toleruję|lubię) (\S+ ){{0,3}}?(żadnych )?{STYLE} (w|od|kiedy
            |gdy) (twoi\w+|odpowied\w+|ciebie|tekst\w*|piszesz)
        (mam|już mam) (\S+ )?(dość|dosyć) (\S+ )?(czytania|słuchania|oglądania|słów|słowa|zwrotu|tych|twoich|{STYLE}
            |["„”])
        {BEGIN}(i |a |tylko |proszę |poproszę |absolutnie )*(bez|żadnych|żadnego|żadnej|zero|koniec z|dość|stop
            |precz z|daruj sobie|odpuść sobie|darujmy sobie|oszczędź mi)( [^ ,;:]+){{0,2}}? {STYLE}
        {BEGIN}(bez|żadnych|żadnego|żadnej|zero) (?!(problemu|sprawy|pośpiechu|obaw|stresu|spiny|nerwów|urazy|odbioru
            |dyskusji)(?!\w))([^ ,;:]+ ){{0,4}}?[^ ,;:]+,? (proszę|poproszę|nigdy|nigdy więcej|w ogóle
            |pod żadnym pozorem)$
        (więc|dlatego) (bez|żadnych|żadnego) (\S+ )?{STYLE}
        (mów|mówcie) (mi|do mnie|ze mną)
        (nazywaj|tytułuj) (mnie|mi)
        (zwracaj|zwracajcie) się
        (niech (pan|pani) (\S+ )?(mówi|zwraca|nazywa))
        (możesz|może pan|może pani|możecie|proszę|wystarczy
            |wolę, jak) ([^ ,;:]+ )?(mi |do mnie |mnie |się do mnie )+(mówić|nazywać|zwracać)
        (proszę|możesz|może pan|może pani) (\S+ )?(mówić|zwracać się|nazywać) (\S+ )?(mi|mnie|do mnie)
        (możemy|proponuję|przejdźmy|jesteśmy|bądźmy|mówmy sobie|mówmy|wolę|wolał\w+|być)( \S+)? (na "?ty"?|na „ty”
            |na per ty|per ty|po imieniu|per pan\w*)
        (po imieniu|na ty|na „ty”|per pan\w*) (proszę|poproszę|mów|mi mów)
        (zapamiętaj|pamiętaj|nie zapomnij|nie zapominaj|miej na uwadze|zanotuj|zapisz sobie|weź pod uwagę, że zawsze)
        (przestań|przestańcie|koniec z|skończ z|skończ z tym) (\S+ )?\w+
        (daruj|darujcie|odpuść) (to )?sobie
        (chcę|chciał\w+|wolę|wolał\w+|życzę sobie|życzył\w+ sobie|proszę|prosił\w+|prośba|zależy mi|oczekuję|lubię
            |potrzebuję|byłoby \w+|fajnie|cieszył\w+ się|wdzięczn\w+)( [^ ,;:]+){{0,4}}?,? (na tym, )?(żebyś\w*
            |abyś\w*|byś\w*|gdybyś\w*|(żeby|aby|by|gdyby) (pan|pani|państwo)|jak|gdy|kiedy|aby
            |żeby)[^;!?]{{0,70}}?{ALWAYS}
        (chcę|chciał\w+|wolę|wolał\w+|życzę sobie|życzył\w+ sobie|proszę|prosił\w+|zależy mi|oczekuję|potrzebuję
            |byłoby \w+|fajnie|cieszył\w+ się)( [^ ,;:]+){{0,4}}?,? (na tym, )?(żebyś\w*|abyś\w*|byś\w*|gdybyś\w*
            |(żeby|aby|by|gdyby) (pan|pani|państwo)|aby|żeby) ([^ ;:]+ ){{0,3}}?(nie|był\w*|\w+(iwał|ywał|awał|adał
            |czał|szał|żał|wiał|niał)[aiy]?(?!\w)|(pisał|używał|mówił|tłumaczył|unikał|proponował|polecał|sugerował
            |stosował|liczył|pytał|robił|traktował|trzymał|kończył|zaczynał|cytował|skracał|informował|rekomendował
            |formułował|ograniczał|ostrzegał|pomijał|pilnował|przestał|przestrzegał)\w{{0,2}}(?!\w))
        (niech|niechaj) (pan|pani|państwo|(twoje|każd\w+|wszystkie) \w+|{OUTPUT}) ([^ ,;:]+ ){{0,4}}?(zawsze|nigdy|nie
            |od teraz|odpowiada|używa|pisze|podaje|tłumaczy|będzie|będą|ma)
        proszę (o |mi |by |się |mnie |pana |panią )*([^ ,;:]+ )?{ALWAYS}
        proszę (mi |mnie |się |do mnie |nigdy |już |zawsze |w ogóle )*(nie )?{REPEATED}
        proszę (\S+ ){{0,2}}?nie (\S+ )?\w+(ać|ić|yć)
        {ALWAYS} (\S+ ){{0,2}}?(proszę|poproszę)
        (nowa zasada|stała zasada|zasada jest|zasada na przyszłość|stałe polecenie|moja zasada dla ciebie|reguła)
        (w odpowiedziach|twoje odpowiedzi|w swoich odpowiedziach|w twoich odpowiedziach|twoim odpowiedziom)
        (możesz|masz|powinieneś|powinnaś|musisz|może pan|może pani|ma pan|ma pani) (\S+ ){{0,4}}?{ALWAYS}
        (nie musisz|nie możesz|nie wolno ci|nie masz|nie musi pan\w*) (\S+ ){{0,3}}?{ALWAYS}
        {ALWAYS} (mi |się |nie )*(masz|możesz|musisz|wolno ci)
    """,
    one_off=r"""
        (następne pytanie|następne|następny|kolejne|na to pytanie|ten tekst|tego maila|tym razem|to zdanie
            |ten akapit|tylko dziś|na razie|poniżej|powyżej|tej wiadomości|w tym tekście|ten raz|na dziś|jutro|tylko teraz
            |(ten|tę|tą|tego|tej|te|tych) (tekst\w*|mail\w*|e-mail\w*|list\w*|cen\w+|kod\w*|przepis\w*|akapit\w*
            |zdani\w+|fragment\w*|wiadomoś\w+|test\w*|zadani\w+|obraz\w*|tabel\w*))
        (pirat*|wcielaj|postać \w+|w postać|udawaj|wyobraź|pamiętasz|rycerz\w*|smok\w*|czarodziej\w*|wampir\w*)
        ^(w pracy|u nas|w (naszej|naszym|mojej|moim) \w+|w szkole|w biurze|w domu) ~ (musi|muszą|trzeba|każdy|każda
            |każde|wszyscy|zawsze|nigdy|nie wolno|obowiązuje|jest|są)
        (mama|tata|babcia|dziadek|szef\w*|lekar\w+|nauczyciel\w*|żona|mąż|(mój|moja|moi|nasz|nasza|nasi) \w+|on|ona
            |oni|ludzie|ktoś|kolega|koleżanka) (\S+ )?(\S+ )?(mówi|mówił\w*|powtarza\w*|powiedział\w*|każe|kazał\w*
            |prosi|prosił\w*|twierdzi|radzi|radził\w*|uczy|uczył\w*|chce|wymaga\w*|pisze|napisał\w*)(?!\w)
        (powiedział\w*|stwierdził\w*|napisał\w*|mawia\w*) ?:
    """,
    sure={
        "constraint": rf"""
            (mam|jestem|cierpię|choruję|zdiagnozowano u mnie|stwierdzono u mnie|wykryto u mnie|leczę się
                |jeżdżę) ~ {ILL}
            (nie mogę|nie wolno mi|nie powinn\w+|lekarz zabronił mi|lekarz mi zabronił|zabroniono mi) ~ (jeść|pić
                |dźwigać|biegać|wydać|wydawać|płacić|latać|prowadzić|alkohol|soli|cukr*|brać|nosić|podnosić|siedzieć
                |stać|przekroczyć)
            nie (jem|piję|jadam|spożywam|toleruję|trawię) (\S+ )?(\S+ )?(mięsa|wieprzowiny|ryb|owoców morza
                |glutenu|nabiału|mleka|jajek|alkoholu|cukru|niczego|pieczywa|pszenicy|orzechów|laktozy|soli|sera
                |krewetek)
            (boję się(?! powiedzieć| spytać| zapytać|, że)|panicznie boję|mam lęk|mam fobię|mam paniczny
                |przeraża mnie|przerażają mnie)
            (mój|nasz) (budżet|limit)
            (wydać|wydawać|zapłacić|płacić) ~ (więcej niż|maksymalnie|najwyżej)
            (maksymalnie|najwyżej|nie więcej niż) ~ (wydać|zapłacić|zł|złotych|euro)
            (jestem na diecie|stosuję dietę|mam dietę|jem bezglutenowo|jem wegańsko|jem wegetariańsko
                |jem tylko koszerne)
            (biorę|przyjmuję|zażywam|noszę) ~ (leki|tabletki|insulin*|antydepresanty|aparat|sterydy|protez*)
            (mam|po) ~ (chory kręgosłup|chore kolan*|kręgosłup*|operacji kolana|zerwan*|kontuzj*|przepuklin*
                |endoprotez*)
            (jest mi|robi mi się) ~ (niedobrze|słabo)
            (szkodzi|szkodzą) mi
        """,
        "identity": rf"""
            (jestem|pracuję jako|byłem|byłam|zostałem|zostałam) (\S+ )?(\S+ )?{JOBS}
            (teraz|od \S+|obecnie) (pracuję|uczę|mam własną|prowadzę)
            (studiuję|uczę się w|chodzę do|kończę studia|robię doktorat|robię magisterkę|uczę w|wykładam
                |skończyłem|skończyłam|ukończyłem|ukończyłam)
            (jestem|po) (\S+ )?(żonaty|mężatką|singl*|singielk*|rozwodni*|rozwodzie|wdow*|w separacji|emeryt*
                |na emeryturze|bezrobotn*|na zwolnieniu|na macierzyńskim|leworęczn*|jedynak|jedynaczką|gejem|lesbijką
                |katoli*|muzułmani*|ateist*|żyd*|dwujęzyczn*|samotn* matką|samotnym ojcem)
            (mówię|znam|moim językiem) ~ (po polsku|po angielsku|po niemiecku|po ukraińsku|po rosyjsku|angielski
                |niemiecki|języki|języków|ojczystym|biegle|płynnie)
            (urodziłem się|urodziłam się|wychowałem się|wychowałam się|dorastałem|dorastałam|przeprowadziłem się
                |przeprowadziłam się|przeprowadziliśmy się|wyprowadziłem|wyprowadziłam)
            {MINE} (nazwisko|zawód|praca|adres|numer|telefon|mail|rozmiar|wzrost|znak zodiaku|stanowisko) (to|jest
                |brzmi)
            (mam|ważę|noszę) (\S+ )?(\S+ )?(wzrostu|kilo|kg|rozmiar|numer buta)
            (dostałem|dostałam) (awans|nową pracę|pracę)
            (zmieniłem|zmieniłam|rzuciłem|rzuciłam|straciłem|straciłam) prac*
            (prowadzę|mam|założyłem|założyłam|otworzyłem|otworzyłam) (\S+ )?(własn* )?(firm[aęy]|działalność
                |gabinet|restauracj*|kawiarni*|sklep)
            od \S+ mam własną
        """,
        "person": rf"""
            (mam|mamy|adoptowaliśmy|adoptowałem|adoptowałam|wychowuję|spodziewamy się|spodziewam się
                |przygarnęliśmy|przygarnęłam|przygarnąłem) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            {MINE} ~ (wabi się|nazywa się|ma na imię)
            (jestem|zostałem|zostałam) (mamą|tatą|matką|ojcem|babcią|dziadkiem|ciocią|wujkiem)
            jestem w ciąży
        """,
        "preference": rf"""
            (uwielbiam|kocham|lubię|nie lubię|nienawidzę|nie cierpię|nie znoszę|wolę|preferuję|nie przepadam
                |przepadam|ubóstwiam|brzydzę się|interesuję się|pasjonuję się|jestem fanem|jestem fanką
                |jestem miłośni*|jestem wielbiciel*|jestem uzależnion*|nie trawię|mam słabość|cenię|gustuję|kręci mnie
                |kręcą mnie|lubimy|uwielbiamy|wolimy)
            {MINE} (\w+ )?(\w+ )?(ulubion*|hobby|pasj*|konik*)
            (mam w zwyczaju|zwykle|zazwyczaj|na ogół) (\S+ )?(\w+[ęm])
            (piję|jem|biegam|pływam|czytam|gotuję|chodzę|jeżdżę|ćwiczę|trenuję|wstaję|słucham|oglądam|medytuję
                |spaceruję|gram|śpię|słodzę|robię|kładę|maluję|szydełkuję) ~ (zawsze|nigdy|codziennie|co|każd*
                |bez cukru|rano|wieczor*|w (każd* )?{DAYS}|razy w|przed|regularnie|w weekendy|od lat|czarn*)
            (nigdy nie|zawsze|codziennie|co tydzień|co \S+|w każd\w+ \w+|w {DAYS}|w weekendy|każdego \w+|latem
                |zimą) (\S+ )?(piję|jem|biegam|pływam|czytam|gotuję|chodzę|jeżdżę|ćwiczę|trenuję|wstaję|słucham
                |oglądam|medytuję|spaceruję|gram|słodzę|robię|mam|palę)
            (nie palę|nie słodzę|nie tańczę|jestem rannym ptaszkiem|jestem nocnym markiem|jestem sową
                |jestem skowronkiem|nie oglądam)
            kawę piję
        """,
        "possession": rf"""
            (mam|mamy|posiadam|jeżdżę|używam|korzystam z|kupiłem|kupiłam|kupiliśmy|odziedziczyłem|odziedziczyłam
                |sprzedałem|sprzedałam|sprzedaliśmy|wynajmuję|wynajmujemy|dostałem
                |dostałam) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            (jeżdżę|jeździmy) (\S+ )?\w+(em|ą)
            (gram|uczę się grać|uczę się gry) (\S+ )?(\S+ )?na (\S+ )?(gitar*|pianin*|fortepian*|skrzypc*|perkusj*
                |basie|flecie|saksofon*|trąbc*|akordeon*|ukulele|wiolonczel*|klarneci*|harfie|organ*|kontrabas*
                |harmonij*)
            (programuję|pracuję|koduję|piszę|używam|korzystam) (\S+ )?(\S+ )?(w|na|z|z języka) ?(python*|jav*
                |ru[sś]t*|php|c\+\+|linu*|windows*|mac*|excel*|photoshop*|figm*|go|kotlin*|swif*|ruby|reac*|r|matlab*
                |notion*|obsidian*|vim*|ubuntu|android*|sql)
            (programuję|zbieram|kolekcjonuję|fotografuję)
            {MINE} (\S+ )?{THINGS} (jest|ma|to)
            (sprzedałem|sprzedałam|sprzedaliśmy|zamieniłem|zamieniłam|oddałem|oddałam) \w+
        """,
        "project": rf"""
            (piszę|przygotowuję|buduję|remontuję|odnawiam|planuję|organizuję|tworzę|trenuję|oszczędzam|odkładam
                |pracuję nad|uczę się|remontujemy|budujemy|planujemy|organizujemy|oszczędzamy|odkładamy
                |przygotowuję się|kończę|szykuję się|nagrywam|rozwijam) (\S+ )?(\S+ )?(\S+ )?(\S+ )?(doktorat*
                |magister*|licencjat*|prac[ęy]|książk*|powieś*|maraton*|półmaraton*|ślub*|wesel*|dom*|mieszkani*
                |aplikacj*|stron*|gr[ęy]|wypraw*|podróż*|egzamin*|matur*|praw* jazdy|na|do|nad|łazienk*|kuchni*
                |japońskiego|włoskiego|hiszpańskiego|niemieckiego|angielskiego|francuskiego|koreańskiego|norweskiego
                |projekt*|film*|płyt*|pythona|pływać|jeździć|szyć|język*)
            (jestem w trakcie|jesteśmy w trakcie)
            (w|we|od|do|na|za|po|przed|z końcem|pod koniec|na początku) (\S+ )?(\S+ )?({MONTHS}|rok|roku|miesiąc*
                |tygodni*|wiosn\w+|lato|latem|jesieni\w*|zim\w+|przyszł\w+|wakacj\w+|{DAYS}|\d+) ~? ?(przeprowadzam*
                |przeprowadzimy|wyjeżdżam*|biorę ślub|bierzemy ślub|żenię się|wychodzę za|zaczynam*|jadę|jedziemy|lecę
                |lecimy|mam|mamy|chcę|chcemy|zamierzam*|bronię|oddaję|otwieram*|idę|będę|będziemy|kupujemy|planuj\w+
                |startuję|rodzę)
            (przeprowadzam*|przeprowadzimy|wyjeżdżam*|biorę ślub|bierzemy ślub|żenię|zaczynam*|chcę|chcemy
                |zamierzam*|planuję|planujemy|lecę|lecimy|jadę|jedziemy|muszę oddać|bronię|otwieram*
                |startuję) ~ (w ({MONTHS})|we ({MONTHS})|w przyszłym \w+|za rok|w tym roku|wiosną|latem|jesienią|zimą
                |do końca|przed|\d+ \w+|za \S+ (tygodni*|miesi*|lat*)|w wakacje)
            {MINE} (cel|plan|marzenie|projekt|postanowienie) (to|jest|na)
            (mam|mamy) (\S+ )?(\S+ )?(wizyt*|termin*|egzamin*|rozmow* kwalifikacyjn*|rozmow*|ślub*|wesele|operacj*
                |zabieg*|lot|dentyst*|obron*|badani*|matur*|rezonans*|spotkanie) ~? ?(w|we|u|o|na|za|\d+)
            (bierzemy ślub|biorę ślub|żenię się|wychodzę za mąż|zapisałem się|zapisałam się|zapisaliśmy się)
            (chcę|chciałbym|chciałabym|próbuję|staram się|postanowiłem|postanowiłam) (\S+ )?(nauczyć|rzucić
                |schudnąć|przebiec|otworzyć|kupić (dom|mieszkanie)|napisać (książk*|powieś*)|zdać|wyprowadzić|odłożyć)
            (ślub|nasz ślub|wesele|egzamin|operacja|przeprowadzka|obrona|mój lot) (jest|mam*|będzie|odbędzie)
        """,
        "event": r"""
            (zdałem|zdałam|wygrałem|wygrałam|ożeniłem się|wyszłam za mąż|pobraliśmy się|miałem wypadek
                |miałam wypadek|zwolnili mnie|zostałem zwolniony|zostałam zwolniona)
        """,
    },
    slots={
        "name": r"""
            (nazywam się|mam na imię|moje imię to|na imię mi) VALUE
        """,
        "age": r"""
            (mam|skończyłem|skończyłam|kończę) (już |teraz )?(\S+ )?\S+ (lat|lata)$
            mam \d+ (lat|lata)
        """,
        "birthday": r"""
            (mam urodziny|moje urodziny|urodziny mam|obchodzę urodziny|obchodzę imieniny)
        """,
        "home": r"""
            (mieszkam|mieszkamy) (\S+ )?(\S+ )?(w|we|na|pod|koło|pod) VALUE
            (przeprowadziłem|przeprowadziłam|przeprowadziliśmy) się (\S+ )?do VALUE
        """,
        "origin": r"""
            (pochodzę|jestem) (\S+ )?(z|ze) VALUE
        """,
        "employer": r"""
            pracuję (\S+ )?(\S+ )?(w|we|u|dla|na) VALUE
        """,
        "job": rf"""
            pracuję jako VALUE
            jestem (\S+ )?{JOBS}
        """,
        "diet": r"""
            (jestem|zostałem|zostałam) (\S+ )?(wegetarian*|wegan*|wege|peskatarian*)
        """,
        "car": r"""
            (mam|jeżdżę|kupiłem|kupiłam) (\S+ )?(\S+ )?(\S+ )?(samochód|auto|polonez*|fiat*|malucha|opl[aem]
                |cors[aęy]|skod[aęyą]|octavi*|fabi[aęią]|volkswagen*|golf*|passat*|toyot*|yaris*|ford*|bmw|audi
                |mercedes*|clio|peugeot*|kia|hyundai*|tesl[aęią]|volvo)
        """,
        "form of address": r"""
            (mów mi|mów do mnie|nazywaj mnie|możesz mi mówić) (po prostu )?VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (wegetaria*|wegan*|halal|koszern*|zakaz*|chor*|kolan*|kręgosłup*|serc*|lek[iów]*|tabletk*|ciśnieni*
                |post|zawrot*|najwyżej|maksymalnie|nie mogę|nie wolno|boję|bez (glutenu|cukru|laktozy|mięsa|soli))
            {ILL}
            (budżet*|ból*|kontuzj*|diagnoz*|lęk*|fobi*)
        """,
        "identity": r"""
            (pracuję|studiuję|urodz*|lat|pochodzę|jestem z|uczę|kieruję|zmian*|żonat*|mężatk*|rozwied*|singl*
                |leworęczn*|język* ojczyst*|obywatel*|staż*|praktyk*|pół etatu|dział*|firm*|szkol*|liceum|uczelni*
                |przychodni*|szpital*|urzęd*|fundacj*|wolontari*|mieszkam)
            (zawód*|zawod*|studi*|uczelni*|szkol*|szpital*|etat*|zdalnie|dyżur*|firm*)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (jem|piję|słucham|czytam|oglądam|gotuję|piekę|biegam|pływam|tańczę|podróżuję|śpię|palę|maluję|rysuję
                |śpiewam|szydełkuję|szyję|wspinam|łowię|medytuję|uwielbiam|kocham|lubię|nienawidzę|wolę|wstaję|unikam
                |kaw[aęy]|herbat*|muzyk*|sport*|jog*|kryminał*|serial*|film*|kuchni*)
            (piję|jem|biegam|pływam|czytam|gotuję|słucham|oglądam|gram|śpię|palę|spaceruję|jeżdżę)
        """,
        "possession": rf"""
            (posiadam|jeżdżę|używam|gram|noszę|wynajmuję|hoduję|zbieram|odnawiam|programuję|telefon*|samsung*
                |przyczep*|abonament*|okular*|soczewk*|maszyn* do szycia|akwarium|pszczoł*|kur[yę]?|kajak*)
            {THINGS}
        """,
        "project": r"""
            (uczę się|planuję|trenuję|oszczędzam|odkładam|ćwiczę|przeprowadz*|ślub*|buduję|remontuję|organizuję
                |praw* jazdy|kurs*|maraton*|egzamin*|sesj*|matur*|praca magisterska|magisterk*|książk*|powieść|lot
                |operacj*|do końca|przed|(w|we|od|do) (stycz*|lut*|marc*|kwie*|maj*|czerw*|lip*|sierp*|wrze*|paźdz*
                |listopad*|grud*)|wiosną|latem|jesienią|zimą|w przyszłym|za (rok|miesiąc|tydzień))
            (projekt*|cel|plan|ślub*|przeprowadzk*|egzamin*|doktorat*|wizyt*)
        """,
    },
    lasting=rf"""
        (zawsze|nigdy|zwykle|zazwyczaj|normalnie|głównie|przeważnie|codziennie|co tydzień|co roku|całe życie
            |od zawsze|od dziecka|od urodzenia|od dawna|od lat|regularnie|na co dzień)
        (każdego|każdy|każdą|każdej) \w+
        od (\S+ )?(\S+ )?(lat|lata|roku|miesięcy|\d{{4}}|{MONTHS}|dzieciństwa)
        w {DAYS}
    """,
    passing=r"""
        (właśnie|przed chwilą|teraz|w tej chwili|dziś|dzisiaj|dziś wieczorem|wieczorem|wczoraj|przedwczoraj|jutro
            |zaraz|chwilowo|w tym tygodniu|dziś rano|akurat)
    """,
    blockers=r"""
        (gdybym|gdybyśmy|gdyby|żebym|chciałbym mieć|chciałabym mieć|oby|jakbym|załóżmy|powiedzmy|wyobraź sobie)
        \w+(łbym|łabym|libyśmy)
        (zastanawiałem|zastanawiałam|zastanawiam|nie wiem, czy|ciekawe, czy|czy ja|czy warto)
        (powiedział\w*|mówi|mówił\w*|twierdzi|zapytał\w*|według|pytał\w*|napisał\w*)(, że|:| ~:)
        (opowiadani\w+|powieś\w+|histori\w+|wiersz\w*|piosenk\w+|film\w*|bajk\w+|scenariusz\w*),? (w któr\w+|o|gdzie)
        (szukam|szukamy|poszukuję|potrzebuję|nie mogę znaleźć)
        (żart|żartuję|ironia|śniło mi się|we śnie)
        (stoję w|czekam w|siedzę w|nudzę)
    """,
    requests=r"""
        ^(proszę,? |cześć,? |hej,? |ok,? |i |no,? |to )*(napisz|zrób|daj|powiedz|wyjaśnij|wytłumacz|pomóż
            |przetłumacz|znajdź|poszukaj|opowiedz|podaj|poleć|streść|popraw|oblicz|policz|wymyśl|zaproponuj|porównaj
            |odpowiedz|pokaż|sprawdź|przygotuj|stwórz|ułóż|doradź|zaplanuj|wypisz)
        ^(czy|możesz|mógłbyś|mogłabyś|wiesz|znasz|co|jak|gdzie|kiedy|dlaczego|czemu|kto|jaki|jaka|jakie|który
            |która|które|ile|ilu|skąd|dokąd)
    """,
    play=r"""
        (jesteś|pan jest|będziesz) (teraz|od teraz|od tej chwili)
        (jesteś) (\S+ )?(\S+ )?(\S+ )?, ?a ja
        (udawaj|udawajmy|wyobraź sobie, że|odgrywaj|wciel się|zabawmy się)
        (napisz|wymyśl|opowiedz|ułóż) (mi )?(\S+ )?(opowiadanie|wiersz|bajkę|historię|piosenkę|dowcip|żart|dialog
            |scenę|monolog|przemówienie|powieść)
        (piszę|napisałem|napisałam) (\S+ )?(opowiadanie|powieść|bajkę|historię|wiersz|scenariusz),? (w któr\w+|o
            |gdzie)
    """,
    private=r"""
        (nie zapamiętuj|nie zapisuj|nie zapamiętuj tego|zapomnij (o tym|to|co)|między nami|w zaufaniu|nie notuj)
        (zignoruj|ignoruj|zapomnij|pomiń) ~ (instrukcj*|polece*|zasad*|prompt*|wytyczn*)
    """,
    paste=r"""
        (przetłumacz|popraw|ulepsz|streść|przeredaguj|sprawdź|sparafrazuj|tekst|zdanie|mail|akapit|list|wiadomość)
    """,
    over=r"""
        (już nie|już nigdy|już ~ nie|nie ~ już|więcej nie)
        (sprzedałem|sprzedałam|sprzedaliśmy|rzuciłem|rzuciłam|przestałem|przestałam|przestaliśmy|zrezygnowałem
            |zrezygnowałam|rozstałem|rozstałam|rozstaliśmy|rozwiodłem|rozwiodłam|zmarł|zmarła|zdechł*|porzuciłem
            |porzuciłam|oddałem|oddałam|zwolniłem się|zwolniłam się)
    """,
    change=r"""
        (teraz|obecnie|ostatnio|od niedawna|zamiast|zmieniłem|zmieniłam|zmieniliśmy|przeprowadził\w*
            |przeszedłem na|przeszłam na|poprawka|przepraszam|jednak|właściwie|pomyliłem|pomyliłam|now\w+|wreszcie)
    """,
    present=r"""
        (jestem|mam|mieszkam|pracuję|studiuję|robię|używam|gram|jem|piję|wolę|mogę|biegam|czytam|słucham|jesteśmy
            |mamy|mieszkamy|lubię|uwielbiam|uczę|mówię|śpię|gotuję|pływam|programuję|zbieram|boję|kocham|nienawidzę
            |planuję|piszę|buduję|noszę|jeżdżę|chodzę|trenuję|ćwiczę|oszczędzam|odkładam|zamierzam|choruję|cierpię
            |biorę|prowadzę|hoduję|uprawiam|maluję|śpiewam|tańczę|palę|wstaję|zajmuję|należę|przygotowuję|spodziewamy
            |pochodzę|unikam|znoszę|toleruję|jadam|pijam|oglądam|wynajmuję|korzystam|umiem|znam)
        \w+(uję|amy|emy|imy|ymy)
        (mój|moja|moje|moi|nasz|nasza|nasze) (\S+ )?(\w+ )?(to|jest|są|ma|mają|nazywa|wabi|chodzi|zaczyna)
        (u mnie|u nas) (w domu|jest)
    """,
    vague=r"""
        (pytanie|problem|pomysł*|głodn*|ochot*|czasu|błąd|dzięki|dziękuję|przepraszam|racj*|pomoc*|wrażenie
            |zmęczon*|zadowolon*|szczęśliw*|smutn*|zł[ya]|pewn*|gotow*|zaskoczon*|rozczarowan*|w drodze|w domu
            |w pociągu|w autobusie|spóźnion*|korek|korku|pojęcia)
        (myślę|sądzę|mam nadzieję|rozumiem|wiem|widzę|szukam|potrzebuję|czekam|chciałem|chciałam|byłem|byłam
            |miałem|miałam|poszedłem|poszłam|wydaje mi się|zastanawiam|nie mogę znaleźć|zapomniałem|zapomniałam|muszę)
    """,
    past=r"""
        \w+(łem|łam|liśmy|łyśmy)
        (był|była|było|miał|miała|poszedł|poszła|przyszedł|przyszła|zrobił|zrobiła|kupił|kupiła|dostał|dostała)
    """,
)
