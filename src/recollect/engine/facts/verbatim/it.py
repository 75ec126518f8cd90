"""Italian."""

from __future__ import annotations

from recollect.engine.facts.verbatim.table import PhraseTable

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
    instruction=r"""
        (d'ora in poi|d'ora in avanti|da ora in poi|da adesso in poi|da oggi in poi|da ora|da adesso|in futuro
            |da oggi)
        (chiamami|puoi chiamarmi|mi puoi chiamare|dammi del (tu|lei)|diamoci del tu)
        ^(per favore,? )?(rispondimi|rispondi|scrivimi|scrivi|usa|utilizza|dammi|mostrami|spiegami|parlami|parla
            |metti|fai|chiedimi|comincia|inizia|finisci|calcola|evita|correggimi|proponimi|cita|firma) ~ (sempre|mai
            |ogni volta|sistematicamente|di default)
        (quando|ogni volta che|se) (ti |io )?(chiedo|scrivo|incollo|mando|parlo|dico|passo|domando
            |faccio)( ~)?,? ?(rispondi|dammi|usa|scrivi|correggi|traduci|non|fai|spiega|mostra|dimmi|solo|metti
            |calcola|intendo)
        ^(per favore,? |ti prego,? |e |quindi |però )*(non|mai) (mi )?(usare|rispondere|rispondermi|scrivere
            |mettere|fare|dare|darmi|mandare|mandarmi|dire|dirmi|chiamarmi|consigliare|consigliarmi|suggerire
            |suggerirmi|proporre|propormi|parlare|chiedere|chiedermi|ripetere|iniziare|finire|aggiungere|inserire
            |spiegare|tradurre|correggere)
        (quando|ogni volta che|se) (io )?ti (chiedo|scrivo|incollo|mando|parlo|dico|passo|domando|faccio)
        (smettila|smetti|basta) (di|con|\w+)
        (ricordati|ricorda|tieni presente|tieni a mente|tieni conto|non dimenticare|segnati|segna|annota
            |prendi nota|memorizza)( bene| sempre)?( di| che|:)
        (voglio|vorrei|preferisco|preferirei|desidero) che (tu |non |mi )*(risponda|risponda|parli|scriva|usi
            |chiami|dia|spieghi|sia|dica|corregga|faccia|metta)
        (nelle (tue )?risposte|le tue risposte|nei tuoi messaggi|nelle tue mail)
        (rispondimi|rispondi|parla|parlami|scrivimi|scrivi) (sempre |per favore )?(in|con) (italiano|inglese
            |frasi brevi|poche parole)
        (nuova regola|regola nuova|come regola|per tutte le (mail|risposte)|per tutti i (messaggi|testi))
        (sempre|mai) in (italiano|inglese|euro|chilometri|metri|grammi)
        (senza|niente|zero|basta) (emoji|emoticon|faccine|elenchi|grassetto|giri di parole|punti esclamativi
            |anglicismi)
    """,
    one_off=r"""
        (prossima|prossimo|seguente|questa domanda|questo testo|questa mail|questa volta|stavolta|questa frase
            |questo messaggio|questo paragrafo|solo oggi|per oggi|per ora|qui sotto|alla domanda)
        ti ricordi
        (pirata|personaggio|gioco di ruolo|fai finta|fingi|immagina)
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
