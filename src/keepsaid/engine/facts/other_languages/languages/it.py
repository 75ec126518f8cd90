"""Italian."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

PEOPLE = (
    r"(sorella|sorelle|fratello|fratelli|sorellina|fratellino|madre|mamma|padre|papà|babbo|genitori|figlia|figlio"
    r"|figli|figlie|bambin[aoie]|bimb[aoie]|moglie|marito|compagn[ao]|fidanzat[ao]|ragazz[ao]|ex|nonna|nonno|nonni"
    r"|nipote|nipoti|nipotin[aoi]|zia|zio|zii|cugin[aoi]|suocer[aoi]|cognat[aoi]|genero|nuora|amic[ao]|amici|collega"
    r"|colleghi|vicin[ao]|capo|capa|coinquilin[aoi]|gemell[ei]|famiglia|madrina|padrino|figlioccia?|piccol[ao]"
    r"|grande|patrigno|matrigna|socio|socia)"
)
PETS = (
    r"(cane|cani|cagnolin[ao]|cagna|cucciol[ao]|gatto|gatta|gatti|gattin[ao]|cavallo|cavalla|pony|coniglio|criceto"
    r"|pappagallo|canarino|tartaruga|pesce|pesci|furetto|galline|porcellino d'india)"
)
MINE = r"((il |la |i |le )?(mio|mia|miei|mie|nostro|nostra|nostri|nostre))"
ILL = (
    r"(allergic[aoih]+|allergia|allergie|intolleranti?|intolleranz[ae]|celiac[aoih]+|celiachia|asma|asmatic[ao]"
    r"|diabetic[ao]|diabete|emicrani[ae]|epilessia|epilettic[ao]|ipertes[ao]|ipertensione|pressione alta|artrite"
    r"|artrosi|ansia|ansios[ao]|depressione|adhd|autistic[ao]|autismo|dislessia|dislessic[ao]|daltonic[ao]|vertigini"
    r"|claustrofobi[ac]|claustrofobic[ao]|fobia|agorafobia|cancro|tumore|ernia|scoliosi|fibromialgia|tiroide"
    r"|tiroidite|psoriasi|lupus|crohn|sclerosi|pacemaker|sord[ao]|cec[ao]|ciec[ao]|incinta|sedia a rotelle|dialisi"
    r"|lattosio|glutine|insulina|anemi[ac]a?|insonnia|reflusso|gastrite|endometriosi|apparecchio acustico|mal d'auto"
    r"|mal di mare|burnout|sciatica|labirintite)"
)
JOBS = (
    r"(insegnante|maestr[ao]|prof|professor|professore|professoressa|medico|dottoressa|infermier[ae]|ingegnere"
    r"|architett[ao]|avvocat[ao]|programmat\w+|sviluppat\w+|informatic[ao]|grafic[ao]|designer|studente|studentessa"
    r"|dottorand[ao]|giornalista|scrittore|scrittrice|traduttore|traduttrice|fotograf[ao]|musicista|attore|attrice"
    r"|cuoc[ao]|chef|camerier[ae]|barista|fornai[ao]|panettiere|pasticcer[ae]|parrucchier[ae]|elettricista"
    r"|idraulic[ao]|meccanic[ao]|falegname|muratore|agricolt\w+|contadin[ao]|poliziott[ao]|carabiniere|vigile"
    r"|pompiere|militare|autista|tassista|camionista|pilota|hostess|veterinari[ao]|farmacista|dentista|psicolog[ao]"
    r"|fisioterapista|ostetric[ao]|biolog[ao]|chimic[ao]|fisic[ao]|ricercat\w+|impiegat[ao]|segretari[ao]"
    r"|ragionier[ae]|commercialista|contabile|consulente|economista|commess[ao]|venditore|venditrice|rappresentante"
    r"|imprendit\w+|libero professionista|libera professionista|freelance|partita iva|in proprio|pensionat[ao]"
    r"|in pensione|disoccupat[ao]|bibliotecari[ao]|stagista|tirocinante|apprendista|assistente|direttore|direttrice"
    r"|dirigente|responsabile|guida|istruttore|istruttrice|allenatore|allenatrice|tecnic[ao]|cassier[ae]|operai[ao]"
    r"|educat\w+|oss|libraio|fiorista|logopedista|casalinga|postin[ao]|notai[ao]|geometra|estetista|sarta)"
)
THINGS = (
    r"(macchina|auto|automobile|moto|motorino|scooter|vespa|furgone|camper|roulotte|bici|bicicletta|monopattino|casa"
    r"|appartamento|monolocale|villetta|giardino|orto|terreno|chitarra|pianoforte|piano|violino|batteria|basso"
    r"|ukulele|fisarmonica|sax|sassofono|flauto|fotocamera|macchina fotografica|reflex|portatile|computer|pc|mac"
    r"|macbook|iphone|telefono|cellulare|android|tablet|ipad|kindle|stampante|bimby|console|playstation|switch|barca"
    r"|gommone|laboratorio|officina|negozio|azienda|ditta|blog|canale|podcast|collezione|panda|punto|cinquecento|500"
    r"|fiat|alfa|lancia|ypsilon|renault|clio|peugeot|citroen|citroën|dacia|ford|fiesta|toyota|yaris|kia|hyundai|opel"
    r"|corsa|nissan|volkswagen|golf|polo|tesla|bmw|audi|mercedes|ducati|yamaha|honda|canon|nikon|fuji*|linux"
    r"|usat[ao])"
)
DAYS = r"(lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|domeniche)"
MONTHS = (
    r"(gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|primavera"
    r"|estate|autunno|inverno|natale|pasqua)"
)
# Standing instructions.
VERBS_ARE = (
    r"(us|utilizz|adoper|mostr|spieg|parl|evit|cit|firm|calcol|indic|segnal|aggiorn|avvis|consigli|raccont|mand|invi"
    r"|elenc|lasci|iniz|cominc|controll|verific|consider|tratt|chiam|domand|pass|present|riport|alleg|nomin|menzion"
    r"|elimin|rispett|adatt|formatt|separ|cont|ordin|abbrevi|semplific|comment|motiv|prepar|cre|cerc|confront|precis"
    r"|specific|specchi|ribalt|cambi|arrotond|limit|salv|svel|rivel|anticip|assegn|valut|guard|gir|salt|chius|ricord"
    r"|not|annot|propin|nascond|trasform|bas|mantien|avvert|annunci|abbon|sottoline|evidenzi|numer|intitol|racchiud"
    r"|dubit|giudic|critic|sgrid|complimentat?|scus|ringrazi|salut|dialog|ragion|disegn|illustr|aiut|interrog|stamp"
    r"|impost|ignor|sorvol|accett|moralizz|inizi|incoragg|complic|invent|esager|lasci|scart|mischi|mescol|tir"
    r"|toc{1,2}|nomin|rivolg|impieg|integr|dett|termin)"
)
VERBS_ERE = (
    r"(scriv|rispond|mett|traduc|legg|chied|corregg|riassum|convert|invert|inser|sugger|propon|offr|apr|segu|fin"
    r"|ripet|descriv|defin|forn|prefer|sostitu|conclud|includ|esclud|riduc|distingu|rend|prend|interromp|dic|promett"
    r"|costru|compon|esprim|dipend|chiud|permett|attribu|rivolg|nascond|suppon|espon|mantien|trascriv|approfond"
    r"|proced|attend|omett|discut|divid|raccogl|scegl|togl|sciogl|tien|avvert|ricorr|rest|stup)"
)
CLITIC = r"(mi|ti|ci|gli|le|lo|la|li|ne|me(lo|la|li|le|ne)|ce(lo|la|li|le|ne)|te(lo|la|li|le)|glie(lo|la|li|le))"
# Forms that are not third person. The others count only where no subject can be before them.
FIRM = (
    rf"({VERBS_ARE}i?a{CLITIC}|{VERBS_ARE}(h?i)|{VERBS_ERE}(isc)?[ia]|({VERBS_ERE}|aggiung)(isc)?i{CLITIC}"
    rf"|aggiung[ia]|dim{CLITIC}|dam{CLITIC}|fam{CLITIC}|fal{CLITIC}|fall[oaie]|mettic[ei]\w*|dall[oaie]|dagli|di'|da'"
    rf"|fai|dai|faccia|dia|sii|stai|stammi|vacci|attieniti|tien[ei]\w*|tenga|proponga|scelga|tolga|mantenga"
    rf"|vada dritto|vai dritto)"
)
LOOSE = rf"({VERBS_ARE}i?a|resta|rimani|{FIRM})"
INFINITIVE = (
    rf"(({VERBS_ARE}i?ar|({VERBS_ERE}|aggiung)([ei]r)|dir|far|dar|star|esser|tradurr|proporr|ridurr|tener|mantener)(e"
    rf"|{CLITIC})|tradurre|proporre|ridurre|comporre|esporre)"
)
BEFORE_VERB = rf"({CLITIC} |non |mai |sempre |solo |poi |pure |subito |anche |per favore,? )*"
POLITE = r"(per favore|per piacere|per cortesia|ti prego|la prego|te ne prego|mi raccomando|se possibile|cortesemente)"
HEAD = (
    rf"(^(({POLITE}|senti|ascolta|ehi|ciao|ok|okay|allora|e|ma|poi|inoltre|ah|scusa|nota|tu|lei|mi|ci|lo|la|li|le|gli"
    rf"|me lo|me la|me li|me le),? )*"
    r"|^((e|ma|siccome|visto che|dato che|poiché|dal momento che) )?(io )?(sono|ho|soffro|vivo|abito|lavoro|studio"
    r"|siamo|abbiamo|preferisco|odio|detesto|faccio|uso|porto|amo|non (sono|ho|mi|vedo|sopporto|mangio|bevo|so"
    r"|capisco|parlo|posso|riesco|leggo))( [^ ;]+){0,14}?[,;:] ((e|ma|mi|me lo|lo|la|li|le) )*"
    rf"|(quindi|perciò|per cui|pertanto|dunque|allora|{POLITE}),? ((mi|me lo|lo|la|li|le) )*)"
)
FROM_NOW = (
    r"(d'ora in (poi|avanti)|da (ora|adesso|oggi|questo momento|qui|stasera|domani)( in (poi|avanti))|da ora"
    r"|da adesso|da oggi|in futuro|per il futuro|in avvenire|per sempre|le prossime volte|d'ora innanzi)"
)
OFTEN = (
    r"(sempre|mai( e poi mai| più)?|ogni volta|tutte le volte|sistematicamente|di (regola|norma|default)|per default"
    r"|per principio|automaticamente|costantemente|una volta per tutte|in (ogni|qualsiasi|qualunque|nessun) (caso"
    r"|risposta|messaggio|conversazione|occasione)|in nessun caso|in tutt[ei] (le|i) \w+|ogni singola volta"
    r"|ogniqualvolta|qualora|a meno che (io )?non|se non (te |ve |glie)?l[oiae] chied\w+|se non (richiest\w|chied\w+)"
    r"|a prescindere|alla fine di ogni|all'inizio di ogni|dopo ogni|prima di ogni|ad? ogni)"
)
# No clause with its own verb, to which the adverb could belong: "tell me why the sky is always blue".
NEAR = (
    r"( (?!(che|perch[eé]|come|cosa|dove|chi|se|qual[ei]?|quanto|quando|ho|hai|è|sono|ha|un|una|uno|cui) |per \w+r(e"
    r"|mi|si) )[^ ;:.]+){0,7}? "
)
FAR = r"( [^ ;]+){0,14}? "
PAUSE = r"( [^ ;]+){0,14}?[,:] (allora |quindi |per favore,? |e |tu )*"
WHENEVER = (
    r"((ogni|qualsiasi|tutte le) volt[ae] (che|in cui)|ogniqualvolta|ogni qualvolta|tutte le volte( che)?|qualora"
    r"|ogni qual volta|non appena|nel caso( in cui)?|in caso di|di fronte a|davanti a|quando|se|appena|laddove)"
)
COMES_UP = (
    r"((salt[aoi]n?o?|vien[ei]|vengono|esc[eo]n?o?) (fuori|a galla|su)|spunt[aio]n?o?|compa(re|iono|ia|risse)|appa(re"
    r"|iono|ia)|capit[aio]n?o?|emerg[ea]|emergono|si (parla|tratta|cita|nomina|tocca|discute|arriva|finisce|menziona"
    r"|presenta|presentano|parlasse|nominano|citano|usano|accenna)|c'è|ci sono|ci fosse|incontri|trovi|compaiono"
    r"|ricorre|ricorrono|salta|saltano|viene (citat|nominat|menzionat)\w|parliamo|nominiamo|discutiamo|tocchiamo"
    r"|affrontiamo|l'argomento|il discorso|il tema|la conversazione|mi vedi|mi leggi|ti accorgi|noti|ravvisi)"
)
WHEN_YOU = (
    rf"({WHENEVER} (tu |lei )?(non )?((mi|ci|me lo|me la|me li|me le) )?({VERBS_ARE}(h?i)|{VERBS_ERE}(isc)?i|aggiungi"
    rf"|fai|dai|dici|vai|devi|dovessi|stai|proponi|tieni|hai dubbi|non sai|non sei sicur\w|componi)|{WHENEVER} (tu "
    rf"|lei )?(non )?mi \w+i)"
)
WHEN_I = (
    rf"({WHENEVER} (io )?(ti |le |vi )?(chiedo|scrivo|incollo|mando|parlo|dico|passo|domando|faccio|cito|nomino|invio"
    r"|allego|uso|sbaglio|do|carico|racconto|accenno|propongo|mostro|sottopongo|giro|lascio|presento|pongo|chiedessi))"
)
DEMAND = (
    rf"(dev[ei]|devono|dovr\w+|v[ao]nno|va|voglio|vorrei|preferisco|gradirei|niente|nessun\w*|senza|al massimo|max"
    rf"|massimo|solo|soltanto|sempre|mai|mi (serve|servono|bast\w+|va bene)|(non|mai) {INFINITIVE}|puoi|potresti"
    rf"|non (mi (serve|servono|\w+r[ei])|voglio|serve|\w+r[ei])|intendo|basta|meglio|{LOOSE})"
)
MADE = (
    r"(ricett[ae]|rispost[ae]|prezz[oi]|riassunt[oi]|codice|commenti|dat[ae]|misur[ae]|unità|distanz[ae]"
    r"|temperatur[ae]|spiegazion[ei]|traduzion[ei]|mail|email|e-mail|letter[ae]|test[oi]|elench[io]|list[ae]"
    r"|tabell[ae]|esemp[io]|riferimenti|fonti|citazion[ei]|titol[io]|nomi|numeri|cifre|import[io]|valut[ae]|orar[io]"
    r"|conti|calcol[io]|quiz|verific[ahe]+|compiti|eserciz[io]|domand[ae]|consigl[io]|suggeriment[oi]|correzion[ei]"
    r"|bozz[ae]|messagg[io]|post|articol[io]|stori[ae]|poesi[ae]|presentazion[ei]|slide|document[oi]|report"
    r"|relazion[ei]|sched[ae]|script|funzion[ei]|variabil[ei]|nomi delle variabili|formul[ae]|grafic[io]|immagin[ei]"
    r"|itinerari?o?|viaggi|menu|menù|dos[ei]|quantità|ingredienti|porzion[ei]|pes[io]|programm[ai]|pian[io]|analisi"
    r"|sintesi|recension[ei]|film|libri|propost[ae]|idee|notizi[ae]|definizion[ei]|parol[ae]|termini|frasi"
    r"|paragraf[io]|introduzion[ei]|saluti|conclusion[ei]|emoji|output|allenament[oi]|giochi|regali|link|note"
    r"|punteggi|risultati)"
)
UNWANTED = (
    r"(emoji|emoticon|faccine|smile|spoiler|elench\w+|list[ae]\w*|grassetto|corsivo|punti esclamativi|anglicismi"
    r"|inglesismi|parole inglesi|giri di parole|scuse|complimenti|premesse|introduzioni|preamboli|convenevoli|tabelle"
    r"|markdown|latex|parolacce|prediche|moralismi|morale|morali|avvertenze|avvertimenti|disclaimer|link"
    r"|abbreviazioni|gergo|tecnicismi|ripetizioni|riassunti|consigli|battute|ironia|sarcasmo|barzellette|citazioni"
    r"|asterischi|trattini|maiuscole|titoli|titoletti|codice|commenti|fronzoli|smancerie|adulazioni?|lusinghe"
    r"|formule di cortesia|saluti|frasi fatte|luoghi comuni|metafore|acronimi|sigle|domande|intercalari|paternali"
    r"|puntini|hashtag|formule|ricette|paroloni|termini|punti elenco|esempi|risposte|immagini|nomignoli|diminutivi"
    r"|vezzeggiativi|inglese|spiegazioni)"
)

TABLE = PhraseTable(
    code="it",
    first=r"""
        (io|mi|me|mio|mia|miei|mie|noi|ci|nostro|nostra|nostri|nostre|con me)
        (sono|ho|abito|vivo|lavoro|studio|faccio|vado|uso|gioco|suono|mangio|bevo|odio|preferisco|voglio|posso
            |prendo|corro|leggo|ascolto|guido|siamo|abbiamo|abitiamo|viviamo|andiamo|adoro|amo|detesto|imparo|parlo
            |esco|dormo|cucino|nuoto|programmo|colleziono|insegno|evito|sto)
        \w+iamo
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}
        {MINE} (\w+ )?{PETS}
        (mamma|papà)
    """,
    states=rf"""
        (si chiama|si chiamano|abita|abitano|vive|vivono|lavora|lavorano|studia|studiano|insegna|compie|compiono
            |è nat[ao]|è mort[ao]|è mancat[ao]|suona|gioca a|colleziona|ha \S+ (anni|mesi|figli|figlie|figlio|figlia)
            |hanno \S+ anni|frequenta)
        (è|sono|era|fa|diventa|è diventat[ao]) (un |una |il |la |l'|lo |molto )?(\S+ )?{JOBS}
        (è|sono|ha|hanno|soffre|fa|è diventat[ao]) ~ {ILL}
        (è|sono) (\S+ )?(vegetarian[aoie]|vegan[aoie]|mancin[ao]|fan|sposat[aoi]|divorziat[aoi]|vedov[ao]
            |separat[aoi]|fidanzat[aoi]|single|in sedia)
        (non|mai) (mangia|mangiano|beve|sopporta|può mangiare|tollera|digerisce)
        (si è|si sono|è|ha) (\S+ )?(trasferit[aoi]|sposat[aoi]|divorziat[aoi]|laureat[ao]|andat[ao] in pensione
            |partorito|smesso|cambiato lavoro)
        (aspetta|aspettano) ~ (bambin[ao]|figli[ao]|gemelli)
        (adora|adorano|ama|amano|odia|odiano|detesta|preferisce)
        (le|gli) (piace|piacciono)
        (è|sono) (di|un|una|uno|un') ?\w+
        compleanno
    """,
    instruction=rf"""
        {FROM_NOW},? {BEFORE_VERB}({LOOSE}|{INFINITIVE})(?! io)
        {FROM_NOW}{FAR}({FIRM}|niente {UNWANTED}|{MADE} (sempre|solo|in|per|con|senza|brev\w|cort\w))
        {FROM_NOW}{PAUSE}{BEFORE_VERB}({LOOSE}|{INFINITIVE})
        {FROM_NOW},? (solo|soltanto|unicamente|niente {UNWANTED}|senza {UNWANTED}|basta|sempre|mai|{POLITE}
            |(il |la |l'|i |gli |le )?{MADE}|per me|con me|tra noi|fra noi|(voglio
            |vorrei) (solo |sempre |che (tu |mi |non |lei ))|(mi |non )*(devi|dovrai|dovresti|deve|puoi|potresti|può
            |potrebbe|\w+(er|ir|ar)ai))
        {HEAD}({BEFORE_VERB}({LOOSE}|{INFINITIVE})|{MADE}|niente|senza|basta|solo|il|la|i|gli|le){FAR}{FROM_NOW}
        (?<!di )(?<!a )(?<!per )({FIRM}|non {INFINITIVE}){NEAR}{FROM_NOW}
        {POLITE}{FAR}{FROM_NOW}
        {FROM_NOW}{FAR}l[oaie] (voglio|vorrei|preferisco)
        {FROM_NOW}{FAR}{POLITE}
        {HEAD}{BEFORE_VERB}{LOOSE},?{NEAR}{OFTEN}
        (dimmi|dammi|fammi|mettimi|scrivimi|spiegami|mostrami|rispondimi|parlami|fallo|falla|{VERBS_ARE}a(mel|mi
            |lo)\w*|{VERBS_ERE}(isc)?i(mel|mi|lo)\w*),?{NEAR}{OFTEN}
        {HEAD}((sempre|mai)( più)?|ogni volta|di (norma|regola|default)|come regola),? {BEFORE_VERB}({INFINITIVE}
            |{FIRM}|in (italiano|inglese|euro|chilometri|metri|grammi))
        {HEAD}(sempre|mai)( [^ ;]+){{1,8}},? {POLITE}
        (?<!di )(?<!a )(?<!per )(?<!meglio )non ((mi|me lo|me la|ci|lo|la|li|le) )?({INFINITIVE}|{FIRM}) ?(,|più|mai)
        {HEAD}(e |però )*(non|mai) ((mi|me lo|me la|ci|lo|la|li|le) )?({INFINITIVE}|{VERBS_ARE}h?i|{VERBS_ERE}(isc)?a
            |dica|faccia|dia|sia)(?! (che|ridere|quest\w+|il caso))
        {HEAD}(evita|eviti|evitare|bisogna evitare)( (di|sempre|i|gli|le|la|il|ogni|qualsiasi|tutt\w))
        {WHENEVER}{FAR}{COMES_UP}({PAUSE}({BEFORE_VERB}{DEMAND}|{MADE}|{UNWANTED})|{FAR}{FIRM})
        {WHENEVER} {COMES_UP}({PAUSE}({BEFORE_VERB}{DEMAND}|{MADE}|{UNWANTED})|{FAR}{FIRM})
        (ogni volta|ogniqualvolta|ogni qualvolta|ogni qual volta|tutte le volte|qualora|per ogni|ad ogni|in ogni
            |a ogni|con ogni){PAUSE}{BEFORE_VERB}({LOOSE}|niente|devi|voglio|vorrei|(non|mai) {INFINITIVE})
        {WHEN_YOU}({PAUSE}|{FAR}){BEFORE_VERB}(dev[ei]|devono|dovr\w+|v[ao]nno|{FIRM})
        {WHEN_YOU}{PAUSE}{BEFORE_VERB}({DEMAND}|{MADE}|{UNWANTED}|(il |la |i |gli |le |l'){MADE})
        {WHEN_I}{FAR}{FIRM}
        {WHEN_I}{PAUSE}{BEFORE_VERB}(solo|devi|voglio|vorrei|intendo|(non|mai) {INFINITIVE}|(usa|spiega|parla|mostra
            |evita|cita|calcola))
        (quando|ogni volta che|se) (io )?ti (chiedo|scrivo|incollo|mando|parlo|dico|passo|domando|faccio)
        {HEAD}(per|con|in|su|nei|nelle|negli|ai|alle|agli|sui|sulle)( (gli|le|i))? (tutt[ei] (le|i
            |gli) |ogni )?{MADE}( [^ ;]+){{0,3}}?, (voglio|vorrei|preferisco|sempre|mai|solo|{FIRM}{NEAR}{OFTEN}|(non
            |mai) {INFINITIVE})
        ^(({POLITE}|ok|e|per me|con me|il|lo|la|i|gli|le|tutt[ei]|ogni|quanto (a|alle|ai|al|agli)),? |l')*{MADE}( (di
            |del|delle|dei|per|a|alle|ai|da|in|che (mi )?\w+i)(l'| )?\w+| (?!\w+no )\w+[oaie])?,? (sempre|mai
            |di regola|di norma|per default|di default|tassativamente|rigorosamente|esclusivamente
            |solo ed esclusivamente|solo e soltanto)(?! (stat|piac|mess|pagat|riman))(,? (in|per|con|senza|da|a|al
            |alla|allo|di|su|entro|sotto|sopra|ad|nel|nella|il|la|i|le|un\w*|brev\w+|cort\w+|complet\w+|solo|e solo
            |prima|dopo|\d+|molto|poco|un po'|semplici|facili|vegan\w|vegetarian\w|italian\w|massimo|max|tradott\w
            |scritt\w)|\w+\W*$|,)
        ^(({POLITE}|e|il|lo|la|i|gli|le|tutt[ei]|ogni),? |l')*{MADE}{FAR}(v[ao]nno|va|dev[eo]n?o?|dovrebbero|dovrebbe
            |devono)( essere)? (sempre|mai|di norma|non |\w+t[oaie] sempre)
        non (voglio|vorrei|desidero|sopporto|mi va di|mi piace|intendo|gradisco
            |mi interessa) (proprio |affatto )?((mai|più) )*(sentire|leggere|vedere|ricevere|trovare|avere
            |sentirti dire|sentirmi dire|vederti|risposte|che tu)(mi|ti)?( (mai|più|dire|usare|scrivere|scritto|altre
            |le|la|i|gli|il|quest[aoie]|quell[aeio]|quei|tutt[ei]|sempre|tante|troppe|frasi|parole|come|tipo|l[ae]
            |di))*,? ?(["«“„]|l'|un'?\w* )?(["«“„]_|(\w+ )?{UNWANTED}|{MADE})
        non (voglio|vorrei|desidero|sopporto) ((mai|più) )+(sentire|leggere|sentirti|sentirmi)(?! (mi[oa]|miei
            |parlare di lui|lui|lei|nessuno|quel|quella|la sua))
        {HEAD}(niente|nessun\w*|senza|zero|basta( con)?|no|stop (a|con)|mai( più)?|via|non più) ((l[aeo]|gli|i|il
            |quest[aei]|quelle|quei|tante|troppe|inutili|lunghe|tutt[ei]) )*(\w+ )?{UNWANTED}
        {HEAD}(niente|nessun\w*|senza|zero|basta( con)?|mai)(?! (problem|paura|di |fretta|pensier|panico|dubbi
            |scherzi|male|impegn|altro|offes|da ))( [^ ;,]+){{1,5}},? (mai|{POLITE}|{FROM_NOW})$
        (smettila|smetti|smetta|finiscila|piantala) (di|con|\w+)
        (chiamami|mi chiami (pure|sempre|solo|semplicemente|per nome|dottor\w*|signor\w*)|puoi chiamarmi
            |mi puoi chiamare|può chiamarmi|mi può chiamare|rivolgiti a me|si rivolga a me|mi dia del (tu|lei)
            |dammi del (tu|lei|voi)|diamoci del (tu|lei)|darmi del (tu|lei)|darci del (tu|lei)|per nome|usa il (tu
            |lei)|usiamo il (tu|lei))(?! (quando|domani|un|il|più|appena|alle|dopo|stasera|subito))
        {HEAD}(con me|a me|nei miei confronti|quando parli con me)( [^ ;]+){{0,6}}? (sii|sia|resta|usa|parla|rimani
            |niente|puoi|può|devi|deve)
        {HEAD}(sii|sia|resti?|rimani|parla|usa|puoi (essere|usare|parlare)|può essere|fai
            |scrivi)( [^ ;]+){{1,5}}? con me
        (voglio|vorrei|preferisco|preferirei|desidero|desidererei|gradirei|esigo|pretendo|mi aspetto|ci tengo
            |mi piacerebbe|ti chiedo|le chiedo|ti chiederei|ti prego|mi serve|ho bisogno|bisogna|sarebbe bello
            |mi raccomando),?( di| che)? (tu |lei )?((non|mi|me lo|me la|lo|la|le|ci|sempre|mai|ogni volta) )*({FIRM}
            |{INFINITIVE}|sia|usi|\w+(ass|ess|iss)[ie]|foss[ie]|le (tue )?{MADE})({FAR}|,? ?){OFTEN}
        (voglio|vorrei|preferisco|preferirei|desidero|gradirei|mi piacerebbe) che (tu |lei )?((non|mi) )*(sempre|mai
            |ogni volta){FAR}\w+
        (voglio|vorrei|preferisco|desidero) che (tu |non |mi )*(risponda|parli|scriva|usi|chiami|dia|spieghi|sia|dica
            |corregga|faccia|metta)
        (voglio|vorrei|preferisco|preferirei|gradirei|desidero) ((sempre|solo|soltanto) )+((le|i|gli|il|la|delle|dei
            |l') ?)?(tue )?{MADE}
        (voglio|vorrei|preferisco|preferirei|gradirei
            |desidero) (le |i |gli |il |la |delle |dei )?(tue )?{MADE}( [^ ;]+){{0,4}}? (sempre|ogni volta)
        (devi|dovresti|dovrai|puoi|potresti|può|potrebbe|deve) (sempre|mai|ogni volta|pure sempre) {INFINITIVE}
        (puoi|potresti|dovresti|devi) {INFINITIVE} (sempre|ogni volta)
        (una volta per tutte|una volta per sempre|vale (per )?sempre|(valga|valida|validi) (per )?sempre
            |regola (fissa|generale|unica)|per tutte le (prossime )?(conversazioni|chat|mail|risposte|volte)
            |promemoria fisso|richiesta fissa|per tutti i (messaggi|testi)|(nuova|altra) regola|regola nuova
            |come regola|vale d'ora in poi|da tenere a mente|istruzione (fissa|permanente))(?=( [^ ;:]+){{0,5}}:)
        (nuova regola|regola nuova|come regola|per tutte le (mail|risposte)|per tutti i (messaggi|testi))
        {HEAD}(ricordati|ricorda|si ricordi|tieni presente|tieni a mente|tieni conto|tenga presente|tenga conto
            |non dimenticare|non dimenticarti|segnati|segna|annota|prendi nota|memorizza)( bene| sempre)?( di| che|:)
        (nelle (tue )?risposte|le tue risposte|nei tuoi messaggi|nelle tue mail)
        {HEAD}(rispondimi|rispondi|risponda|parla|parlami|scrivimi|scrivi) (sempre |per favore )?(in|con) (italiano
            |inglese|frasi brevi|poche parole)
        (sempre|mai) in (italiano|inglese|euro|chilometri|metri|grammi)
    """,
    one_off=rf"""
        (prossima|prossimo|seguente|quest[ao] (?!momento|punto in|(tipo|genere|modo))\w+|stavolta|solo (per )?oggi
            |solo domani|per (questa|una) volta|per (oggi|ora|adesso|stasera)|qui sotto|qua sotto|domani|stasera
            |stamattina|ieri|un attimo|alla domanda)(?! in (poi|avanti))
        ^(se (puoi|potessi|hai tempo|ti va|vuoi|riesci|non ti dispiace)|quando (puoi|hai tempo|hai finito|vuoi
            |riesci))
        ti ricordi
        (pirata|personaggio|gioco di ruolo|fai finta|fingi|immagina|facciamo (finta )?che)
        ^(e |ma |però |da noi |qui )*((il |la |i |le )?{MINE} (\w+ )?{PEOPLE}|il (capo|prof|medico|dottore
            |nutrizionista)|la (prof|maestra|dottoressa)|nostro figlio|mamma|papà|tutti|la gente|lui|lei
            |loro)( [^ ;,]+){{0,3}}? (dice|dicono|diceva|dicevano|ripete|ripeteva|vuole|volevano|voleva|chiede
            |insiste|pretende|pretendono|urla|raccomanda|ricorda|scrive|chiama|chiamava|parla|usa|ha|è|mi|ci)
        (nel|al|del|nella|alla|della|in) (nostr[oa]|mi[oa]|su[oa]) (team|ufficio|azienda|ditta|scuola|classe|squadra
            |reparto|gruppo|lavoro|studio|palestra|condominio|famiglia|casa|università)
        (in|da) (ufficio|azienda|ditta|noi)( [^ ;]+){{0,6}}? (dev\w+|dobbiamo|si|bisogna|v[ao]n?n?o?)
    """,
    sure={
        "constraint": rf"""
            (sono|ho|soffro|mi hanno diagnosticato|mi hanno trovato|ho scoperto di essere|sono diventat[ao]) ~ {ILL}
            (non posso|non devo|non riesco|il medico mi ha vietato|mi hanno vietato|mi è vietato) ~ (mangiare|bere
                |prendere|portare|sollevare|correre|spendere|pagare|guidare|volare|fare sforzi|alcol|sale|zucchero
                |assaggiare|permettermi)
            (non mangio|non bevo|non prendo|ho smesso di mangiare|non consumo|evito|non tocco) ~ (carne|maiale
                |pesce|crostacei|glutine|latticini|latte|uova|alcol|alcolici|zucchero|niente|pane|grano|caffeina
                |animale|animali|sale|fritti?|noci|frutta secca|formaggi*)
            (ho|mi fa|mi fanno|mi viene|ho una) ~ (paura|terrore|panico|fobia|vertigini|allergia|ansia)
            (mi fa|mi fanno) ~ male
            {MINE} (budget|limite|tetto)
            (spendere|pagare) ~ (più di|al massimo|massimo)
            (seguo|faccio|sono a) ~ dieta
            mangio (\S+ )?(senza glutine|senza lattosio|halal|kosher)
            (prendo|faccio|porto|uso) ~ (insulina|medicine|farmaci|farmaco|pastiglie|antidepressivi|anticoagulanti
                |cortisone|apparecchio acustico|protesi|bastone|tutore)
            (ho|mi sono (rott[ao]|fatt[ao]|operat[ao])|mi hanno operat[ao]|ho avuto) ~ (ginocchio|schiena|ernia
                |anca|cuore|spalla|menisco|crociato|caviglia|polso|infarto)
            soffro (di|il|la)
        """,
        "identity": rf"""
            (sono|lavoro come|faccio|lavoravo come|ero
                |sono diventat[ao]) (un |una |il |la |lo |l')?(\S+ )?(\S+ )?{JOBS}
            (adesso|ora|da \S+) (lavoro|insegno|faccio (il|la|lo|l'))
            (studio|faccio l'università|faccio un master|faccio un dottorato|frequento|sto studiando
                |sto facendo (un |una |il |la )?(master|dottorato|tirocinio|corso)|insegno|mi sono laureat[ao]
                |sono laureat[ao]|sono iscritt[ao])
            (sono|siamo) (sposat[aoi]|single|divorziat[ao]|vedov[ao]|separat[ao]|pensionat[ao]|in pensione
                |disoccupat[ao]|in maternità|in cassa integrazione|mancin[ao]|figli[ao] unic[ao]|gay|lesbica
                |cattolic[ao]|musulman[ao]|ate[ao]|ebre[ao]|bilingue|ragazza madre)
            (parlo|la mia lingua madre|la mia madrelingua) ~ (inglese|francese|italiano|spagnolo|tedesco|lingue|è)
            (sono nat[ao]|sono cresciut[ao]|mi sono trasferit[ao]|ci siamo trasferiti)
            {MINE} (cognome|mestiere|lavoro|professione|indirizzo|numero|telefono|mail|taglia|altezza|segno) (è
                |era|sono)
            (sono alt[ao]|peso|porto il|porto la taglia) \S+
            (mi hanno promoss[ao]|mi hanno assunt[ao]|ho cambiato lavoro|ho aperto|ho iniziato a lavorare
                |mi sono licenziat[ao]|mi sono mess[ao] in proprio)
        """,
        "person": rf"""
            (ho|abbiamo|ho adottato|abbiamo adottato|aspettiamo|aspetto) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            {MINE} ~ si (chiama|chiamano)
            (sono|siamo) (la |il |lo )?(mamma|papà|madre|padre|nonna|nonno|zia|zio|madrina|padrino) (di|da)
            sono incinta
        """,
        "preference": rf"""
            (adoro|amo|odio|detesto|preferisco|apprezzo|non sopporto|non reggo|non tollero|mi piace|mi piacciono
                |non mi piace|non mi piacciono|non mi è mai piaciut[ao]|ci piace|ci piacciono|vado matt[ao]
                |vado pazz[ao]|sono fan|sono un fan|sono appassionat[ao]|sono un appassionat[ao]|sono un amante
                |sono fissat[ao]|sono golos[ao]|mi fa schifo|mi fanno schifo|mi annoia|mi annoiano|mi diverto
                |impazzisco per|non vado pazz[ao]|sono un tipo|sono una persona|sono mattinier[ao]|sono nottambul[ao])
            {MINE} (\w+ )?(\w+ )?(preferit[aoie]|favorit[ao]|hobby|passatempo|passione)
            (di solito|abitualmente|ho l'abitudine|sono solit[ao])
            (non )?(mangio|bevo|prendo|guardo|leggo|ascolto|uso|vado|faccio|metto|compro|dormo|esco|viaggio|cucino
                |lavoro|corro|nuoto|cammino|gioco|medito|mi alzo|mi sveglio) ~ (sempre|mai|tutti i|tutte le|ogni
                |ogni giorno|senza zucchero|amar[ao]|la mattina|al mattino|la sera|il {DAYS}|la {DAYS}|volte (alla|a)
                |prima di)
            (il|la|ogni|tutti i|tutte le) ({DAYS}|mattina|mattine|sera|sere|giorno|giorni|settimana|weekend
                |fine settimana|estate|anno|mese) ~ (vado|andiamo|corro|nuoto|gioco|esco|faccio|ho|leggo|mangio|cucino
                |mi|ci)
            (bevo|prendo) il (caffè|tè)
            (non fumo|non guardo la tv|non ballo|non guido)
            (faccio|pratico|gioco a) (\S+ )?(yoga|nuoto|calcio|tennis|pallavolo|arrampicata|palestra|pilates
                |trekking|ciclismo|scacchi|padel|basket|volontariato|teatro|danza)
        """,
        "possession": rf"""
            (ho|abbiamo|guido|uso|utilizzo|mi sono comprat[ao]|mi sono pres[ao]|ho comprato|ho preso
                |abbiamo comprato|abbiamo preso|ho ereditato|ho venduto|abbiamo venduto|possiedo|affitto|giro con
                |vado in giro con) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            (suono|sto imparando|imparo|studio|prendo lezioni di
                |sto imparando a suonare) (il |la |lo |l')?(\S+ )?(chitarra|pianoforte|piano|violino|batteria|basso
                |flauto|sax*|tromba|fisarmonica|ukulele|violoncello|clarinetto|arpa|organo|contrabbasso)
            (programmo|lavoro|sviluppo|uso|utilizzo|scrivo) (\S+ )?(\S+ )?(in|con|su)? ?(python|java*|rust|php
                |c\+\+|linux|windows|mac|excel|photoshop|figma|go|kotlin|swift|ruby|react|r|matlab|notion|obsidian|vim
                |ubuntu|android|autocad)
            (programmo|colleziono|fotografo)
            lavoro con (un|una|il mio|la mia)
            {MINE} (\S+ )?{THINGS} (è|ha|sono)
            (ho|abbiamo) (venduto|cambiato|regalato|dato via) (il|la|l'|i|le)
        """,
        "project": rf"""
            (sto|stiamo) (\S+ )?(scrivendo|preparando|montando|costruendo|ristrutturando|organizzando|pianificando
                |sviluppando|imparando|allenando*|risparmiando|mettendo da parte|restaurando|girando|registrando
                |creando|lavorando a|lavorando su|facendo (una|un|la|il) (tesi|app|sito|corso|trasloco|progetto
                |documentario))
            (mi alleno|mi sto allenando|mi sto preparando|mi preparo|ci prepariamo|risparmio|risparmiamo
                |scrivo la tesi|preparo (un|l'|la|il)) ~ (per|esame|concorso|maratona|tesi|romanzo|libro|\w+)
            (a|ad|in|il|per|entro|prima di|da|questa|quest'|fine|inizio|l'anno|dal) (\S+ )?(\S+ )?({MONTHS}
                |prossim[ao]|anno|{DAYS}|\d+ \w+) ~ (mi trasferisco|ci trasferiamo|mi sposo|ci sposiamo|inizio
                |iniziamo|comincio|vado|andiamo|parto|partiamo|ho|abbiamo|mi opero|mi operano|discuto|consegno|voglio
                |vorrei|vogliamo|apro|apriamo|corro|mi laureo|vado in pensione|faccio|facciamo|compriamo)
            (mi trasferisco|ci trasferiamo|mi sposo|ci sposiamo|voglio|vogliamo|vado|andiamo|parto|partiamo|inizio
                |comincio|penso di|pensiamo di|ho intenzione|ho in programma|conto di|discuto|consegno|mi laureo
                |devo consegnare|mi operano|apro) ~ (a ({MONTHS})|ad ({MONTHS})|in ({MONTHS})|l'anno prossimo
                |il mese prossimo|la settimana prossima|quest'anno|quest'estate|in primavera|in autunno|entro|prima di
                |nel \d{{4}}|il \d+ \w+|il \d+|a fine|a inizio|tra \S+ (mesi|anni|settimane))
            {MINE} (obiettivo|scopo|progetto|piano|sogno|traguardo) (è|per|di)
            (ho|abbiamo) (\S+ )?(appuntamento|esame|colloquio|matrimonio|operazione|intervento|visita|udienza|volo
                |riunione|discussione|dentista|concorso|tac|risonanza) ~ (il|la|a|alle|dal|dalla|in|con|{DAYS})
            (ci sposiamo|mi sposo|mi sono iscritt[ao]|ci siamo iscritti)
            (voglio|vorrei|sto cercando di|cerco di|ho deciso di) (imparare|smettere di|dimagrire
                |perdere \S+ chili|correre (una|la)|aprire|comprare (una )?casa|prendere la|trasferirmi|scrivere (un
                |una))
            (il matrimonio|il nostro matrimonio|il trasloco|l'esame|il mio esame|la discussione|l'intervento
                |il mio volo|l'appuntamento) (è|sarà|cade)
        """,
        "event": r"""
            (ho (superato|vinto|passato l'esame|perso il)|mi sono sposat[ao]|ci siamo sposati
                |ho avuto un incidente|mi hanno licenziat[ao])
        """,
    },
    slots={
        "name": r"""
            (mi chiamo|il mio nome è|il mio nome completo è) VALUE
        """,
        "age": r"""
            (ho|compio|ho compiuto) (già |ora |quasi )?\S+ anni$
            (ho|ho compiuto) \S+ anni e
            ho \d+ anni
        """,
        "birthday": r"""
            (il mio compleanno)
            (compio gli anni|compio \S+ anni (il|a))
        """,
        "home": r"""
            (abito|abitiamo|vivo|viviamo|risiedo|sto di casa) (\S+ )?(\S+ )?(a|ad|in|nel|nella|vicino a) VALUE
            (mi sono trasferit[ao]|ci siamo trasferiti) (a|ad|in) VALUE
        """,
        "origin": r"""
            (vengo da|sono originari[ao] di|sono di) VALUE
        """,
        "employer": r"""
            lavoro (\S+ )?(\S+ )?(in|per|alla|al|da|presso|nella|nel|all'|alle) ?VALUE
        """,
        "job": rf"""
            (lavoro come) VALUE
            (sono|faccio) (un |una |il |la |lo |l')?{JOBS}
        """,
        "diet": r"""
            (sono|sono diventat[ao]|siamo) (\S+ )?(vegetarian[ao]|vegan[ao]|pescetarian[ao])
        """,
        "car": r"""
            (ho|guido|mi sono comprat[ao]|ho comprato|mi sono pres[ao]) (\S+ )?(\S+ )?(\S+ )?(macchina|auto|panda
                |punto|cinquecento|fiat|alfa|lancia|ypsilon|renault|clio|peugeot|dacia|ford|fiesta|toyota|yaris|kia
                |hyundai|opel|corsa|nissan|volkswagen|golf|polo|tesla|bmw|audi|mercedes)
        """,
        "form of address": r"""
            (chiamami|puoi chiamarmi|mi puoi chiamare) (pure |solo |semplicemente )?VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (vegetarian[ao]|vegan[ao]|halal|kosher|vietat[ao]|malat[ao]|ginocchi*|schiena|cuore|farmac*|medicine
                |pressione|digiuno|vertigin*|al massimo|non posso|non devo|paura|senza (glutine|zucchero|lattosio
                |carne|sale))
            {ILL}
            (budget|dolore|infortunio|diagnosi|paura|fobia)
        """,
        "identity": r"""
            (lavoro|studio|nat[ao]|anni|vengo da|sono di|insegno|dirigo|turn[oi]|sposat[ao]|divorziat[ao]|single
                |mancin[ao]|madrelingua|cittadin*|tirocinio|part-time|reparto|azienda|scuola|liceo|università|clinica
                |ospedale|comune|associazione|volontari[ao]|abito|vivo|trasferit[ao])
            (mestiere|carriera|azienda|università|liceo|scuola|ospedale|turno|part-time|tempo pieno|smart working)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (mangio|bevo|prendo|ascolto|leggo|guardo|cucino|corro|nuoto|ballo|viaggio|dormo|fumo|dipingo|disegno
                |canto|lavoro a maglia|cucio|arrampico|pesco|medito|adoro|amo|piace|odio|preferisco|alzo|sveglio|evito
                |caffè|tè|musica|sport|yoga|gialli|serie|film|cucina)
            (mangio|bevo|prendo|leggo|ascolto|guardo|gioco|corro|nuoto|cucino|esco|dormo|fumo|cammino)
        """,
        "possession": rf"""
            (ho|guido|uso|suono|porto gli occhiali|affitto|allevo|colleziono|restauro|programmo|cellulare
                |fairphone|samsung|roulotte|abbonamento|occhiali|lenti|macchina da cucire|acquario|api|galline|orto)
            {THINGS}
        """,
        "project": r"""
            (imparo|imparando|preparo|preparando|alleno|allenando|risparmio|risparmiando|studiando|trasferisco
                |trasferiamo|sposo|sposiamo|costruendo|ristrutturando|organizzo|organizzando|patente|corso|lezioni di
                |maratona|esam[ei]|concorso|tesi|libro|romanzo|volo|intervento|entro|prima di|a (gennaio|febbraio
                |marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)|quest'estate
                |anno prossimo|mese prossimo|prossim[ao]|da (gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto
                |settembre|ottobre|novembre|dicembre))
            (progetto|obiettivo|piano|matrimonio|trasloco|esame|tesi|concorso|appuntamento)
        """,
    },
    lasting=rf"""
        (sempre|mai|normalmente|generalmente|di solito|abitualmente|soprattutto|principalmente|tutta la vita
            |da una vita|ogni giorno|da sempre|da piccol[ao]|da bambin[ao]|da quando)
        (tutti i|tutte le|ogni) \w+
        (da (\S+ )?(\S+ )?(anni|mesi|tempo)|dal \d{{4}}|da ({MONTHS})|sono \S+ anni che)
        (il|la|di) {DAYS}
    """,
    passing=r"""
        (in questo momento|oggi|stasera|stanotte|stamattina|questo pomeriggio|ieri|l'altro ieri|domani|poco fa
            |appena|proprio ora|questa settimana|tra poco|un attimo)
    """,
    blockers=r"""
        (se|magari|come se) (io )?(fossi|avessi|abitassi|vivessi|potessi|sapessi|lavorassi|stessi|fossimo|avessimo
            |dovessi)
        \w+(erei|irei|rei|eremmo|iremmo)
        (mi chiedevo|mi chiedo|non so se|supponiamo|immagina|diciamo che|mettiamo che|chissà se|mi domando
            |stavo pensando se)
        (dice|ha detto|diceva|dicono|mi ha detto|racconta|sostiene|secondo|giura)( che| ~:|:| _| «| ")
        (racconto|romanzo|storia|poesia|canzone|sceneggiatura|film|favola|fiaba) (in cui|dove|su|che|nel quale
            |nella quale)
        (sto|stiamo) cercando (un|una|qualcosa|il|la|dei|idee|casa)?
        (cerco|mi serve|mi servono|ho bisogno di) (un|una|qualche|idee|aiuto|consigli|dei|delle|il|la)
        (scherzo|sto scherzando|battuta|ironia|ho sognato|nel sogno)
        (non trovo|ho dimenticato)
    """,
    requests=r"""
        ^(per favore,? |ciao,? |ok,? |e |allora,? |senti,? )*(scrivimi|scrivi|fammi|fai|dammi|dimmi|spiegami
            |spiega|aiutami|traduci|traducimi|cercami|cerca|trovami|raccontami|racconta|consigliami|consiglia|riassumi
            |correggi|calcola|preparami|crea|genera|suggeriscimi|suggerisci|confronta|rispondi|mostrami|mostra
            |converti|controlla|rivedi|elenca|inventa|proponimi)
        ^(puoi|potresti|mi puoi|mi potresti|sai|conosci|è possibile|c'è|ci sono|mi dai|mi aiuti|mi consigli|che
            |cosa|come|quando|dove|qual|quale|quali|quanto|quanta|quanti|quante|chi|perché)
    """,
    play=r"""
        (sei|tu sei) (ora |adesso )?(un|una|il mio|la mia|il|la|uno) \w+ ~ (io sono|e io)
        (adesso sei|ora sei|fai finta|facciamo finta|fingi|immagina di|immagina che|gioco di ruolo|interpreta
            |fai la parte|giochiamo a)
        (scrivi|scrivimi|inventa|raccontami|racconta|componi) (un|una) (\S+ )?(racconto|poesia|storia|favola
            |canzone|barzelletta|dialogo|scena|monologo|discorso|romanzo|filastrocca)
        (scrivendo|scrivo|ho scritto) (un|una|il mio|la mia) (\S+ )?(racconto|romanzo|storia|poesia|sceneggiatura
            |favola|fiaba) (in cui|dove|su|che|nel quale|nella quale)
    """,
    private=r"""
        (non ricordare|non memorizzare|non salvare|non segnare|non segnarti|dimentica (questo|quello)
            |resti tra noi|tra noi|tra me e te|in confidenza|non tenerne conto)
        (ignora|dimentica) ~ (istruzioni|regole|prompt|indicazioni)
    """,
    paste=r"""
        (traduci|traducimi|correggi|correggimi|migliora|riassumi|riscrivi|rivedi|riformula|testo|frase|mail
            |paragrafo|lettera|messaggio)
    """,
    over=r"""
        (non) (\S+ )?(\S+ )?(\S+ )?(più)
        (ho|abbiamo|ha) (venduto|smesso|lasciato|disdetto|abbandonato|chiuso|mollato|dato via)
        (mi sono licenziat[ao]|ci siamo lasciati|mi sono separat[ao]|è mort[ao]|è mancat[ao]|mai più)
    """,
    change=r"""
        (adesso|ora|attualmente|ultimamente|da poco|invece di|al posto di|ho cambiato|abbiamo cambiato
            |mi sono trasferit[ao]|si è trasferit[ao]|correzione|scusa|in realtà|anzi|mi sono sbagliat[ao]|nuov[aoie]
            |finalmente)
    """,
    present=r"""
        (sono|ho|abito|vivo|lavoro|studio|faccio|vado|uso|gioco|suono|mangio|bevo|preferisco|posso|prendo|corro
            |leggo|ascolto|guido|siamo|abbiamo|abitiamo|viviamo|andiamo|imparo|parlo|esco|dormo|cucino|nuoto|programmo
            |colleziono|insegno|evito|sto|preparo|risparmio|dipingo|canto|scrivo|viaggio|pratico|soffro|fumo|pago
            |guadagno|partecipo|gestisco|dirigo|porto|tengo|coltivo|allevo|cucio|pedalo|arrampico|pesco|medito
            |facciamo|usiamo|vogliamo|aspettiamo|devo)
        (mi|ci) \w+
        (il |la |i |le |l')?(mio|mia|miei|mie|nostro|nostra|nostri|nostre) (\S+ )?(\w+ )?(è|sono|ha|hanno
            |si chiama|comincia|inizia|va|sta)
        da noi
    """,
    vague=r"""
        (domanda|problema|idea|fame|sete|voglia|tempo|errore|grazie|scusa|ragione|aiuto|impressione|stanc[ao]
            |content[ao]|felice|triste|arrabbiat[ao]|sicur[ao]|pront[ao]|sorpres[ao]|delus[ao]|in viaggio|a casa
            |sul treno|in treno|in ritardo|traffico|pers[ao]|annoiat[ao]|in coda|uffa)
        (credo|penso che|spero|capisco|so che|vedo che|cerco|mi serve|volevo|vorrei|ero|avevo|sono andat[ao]|dico
            |ti mando|mi sembra|mi chiedo|ho dimenticato|ho bisogno)
    """,
    past=r"""
        (ho|abbiamo|ha|hanno) (\S+ )?\w+(ato|uto|ito|tto|so|sto|rto|lto|nto)
        (sono|siamo|è) (\S+ )?(andat|venut|partit|arrivat|stat|tornat|uscit|cadut)\w
    """,
)
