"""Polish."""

from __future__ import annotations

from recollect.engine.facts.verbatim.table import PhraseTable

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
    instruction=r"""
        (od teraz|od dziś|od dzisiaj|od tej pory|od tej chwili|na przyszłość|w przyszłości|odtąd)
        (mów mi|mów do mnie|nazywaj mnie|zwracaj się|możesz mi mówić|możesz do mnie mówić|możesz mnie nazywać)
        (zapamiętaj|pamiętaj|nie zapomnij|miej na uwadze|zanotuj|zapisz sobie)
        (zawsze|nigdy|już nigdy|domyślnie|za każdym razem) (\S+ )?(\S+ )?(odpowiadaj|odpisuj|pisz|używaj|podawaj
            |dawaj|pokazuj|tłumacz|zaczynaj|kończ|unikaj|poprawiaj|proponuj|polecaj|mów|zwracaj|pytaj|licz|stosuj
            |wysyłaj|dodawaj|wstawiaj|powtarzaj|rób)
        (odpowiadaj|odpisuj|pisz|używaj|podawaj|dawaj|pokazuj|tłumacz|zaczynaj|kończ|unikaj|poprawiaj|proponuj
            |polecaj|mów|pytaj|licz|stosuj|wysyłaj|dodawaj|zwracaj) (\S+ )?(\S+ )?(\S+ )?(zawsze|nigdy|domyślnie
            |za każdym razem|po polsku|po angielsku|krótko|zwięźle)
        nie (\S+ )?(używaj|odpowiadaj|odpisuj|pisz|podawaj|dawaj|proponuj|polecaj|mów|pytaj|stosuj|wysyłaj|dodawaj
            |nazywaj|wstawiaj|zaczynaj|tłumacz|poprawiaj|powtarzaj|rób|doradzaj|sugeruj)
        (kiedy|gdy|jak|jeśli|zawsze gdy|ilekroć) (cię |ci |o coś |coś )?(proszę|pytam|wklejam|wysyłam|piszę|mówię
            |poproszę|zapytam|wkleję|wyślę|napiszę|podaję|podam) (\S+ )?(\S+ )?(\S+ )?(\S+ )?,? ?(odpowiadaj|odpowiedz
            |daj|dawaj|pisz|używaj|popraw|poprawiaj|tłumacz|chodzi|nie|pokaż|podawaj|licz)
        (przestań|koniec z) (\S+ )?\w+
        (chcę|wolę|wolałbym|wolałabym|proszę)(, żebyś|, abyś|, byś| żebyś)
        (w odpowiedziach|twoje odpowiedzi|w swoich odpowiedziach|w twoich odpowiedziach)
        (bez|żadnych) (emotikon*|emoji|buziek|list|wypunktowa*|wykrzykników|anglicyzmów|wstępów|pogrubie*)
        (nowa zasada|zawsze po polsku|zawsze w (euro|złotych|kilometrach))
    """,
    one_off=r"""
        (następne pytanie|następne|następny|kolejne|na to pytanie|ten tekst|tego maila|tym razem|to zdanie
            |ten akapit|tylko dziś|na razie|poniżej|tej wiadomości|w tym tekście)
        (pirat*|postać|udawaj|wyobraź|pamiętasz)
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
