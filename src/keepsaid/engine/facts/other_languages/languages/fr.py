"""French."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

PEOPLE = (
    r"(sœur|soeur|sœurs|soeurs|frère|frères|mère|maman|père|papa|parents|fille|filles|fils|enfant|enfants|bébé|femme"
    r"|mari|épouse|époux|conjoint|conjointe|compagne|compagnon|copine|copain|fiancée?|ex|grand-mère|mamie|mémé"
    r"|grand-père|papi|papy|pépé|grands-parents|petite-fille|petit-fils|tante|oncle|cousine?|nièce|neveu|belle-mère"
    r"|beau-père|belle-sœur|belle-soeur|beau-frère|gendre|belle-fille|beau-fils|amie?|meilleure? amie?|pote|collègue"
    r"|voisine?|chef|cheffe|patronne?|coloc|jumeaux|jumelles|famille|marraine|parrain|filleule?|grande|petite?"
    r"|aînée?|cadette?)"
)
PETS = (
    r"(chien|chienne|chiens|chiot|chat|chatte|chats|chaton|cheval|jument|poney|lapin|lapine|hamster|perroquet"
    r"|perruche|tortue|poisson|poissons|cochon d'inde|furet|poules?)"
)
MINE = r"(ma|mon|mes|notre|nos)"
ILL = (
    r"(allergiques?|allergies?|intolérante?s?|intolérance*|cœliaque|coeliaque|asthme|asthmatiques?|diabétiques?"
    r"|diabète|migraines?|épilep*|hypertendue?|hypertension|arthrite|arthrose|anxiété|anxieu\w+|dépression|tdah"
    r"|autistes?|autisme|dyslexie|dyslexiques?|dyspraxi*|daltonien*|vertige|claustrophob*|phobie|phobique|agoraphob*"
    r"|cancer|hernie|scoliose|fibromyalgie|thyroïde|psoriasis|lupus|crohn|sclérose|endométriose|pacemaker|sourde?"
    r"|malentendante?|aveugle|malvoyante?|enceinte|fauteuil roulant|dialyse|lactose|gluten|insuline|anémie|insomnia*"
    r"|insomnie*|eczéma|apnée|acouphènes|appareil auditif|mal des transports|burn-out|handicapée?)"
)
JOBS = (
    r"(prof|professeure?|instit|institutrice|instituteur|enseignante?|médecin|infirmière?|infirmier|ingénieure?"
    r"|architecte|avocate?|développeuse|développeur|programmeu\w+|informaticien*|graphiste|designer|étudiante?"
    r"|doctorante?|lycéen*|journaliste|écrivain*|autrice|auteur|traductrice|traducteur|photographe|musicien*"
    r"|comédien*|acteur|actrice|cuisinière?|cuisinier|chef|serveuse|serveur|boulangère?|boulanger|coiffeuse|coiffeur"
    r"|électricien*|plombière?|plombier|mécanicien*|menuisière?|menuisier|charpentier|maçon|agricult\w+|maraîch\w+"
    r"|policière?|policier|gendarme|pompier|militaire|chauffeur|chauffeuse|taxi|routier|pilote|hôtesse|vétérinaire"
    r"|véto|pharmacien*|dentiste|psy|psychologue|kiné|kinésithérapeute|sage-femme|biologiste|chimiste|physicien*"
    r"|chercheuse|chercheur|fonctionnaire|secrétaire|comptable|consultante?|économiste|vendeuse|vendeur|commerciale?"
    r"|entrepreneu\w+|indépendante?|auto-entrepreneu\w+|freelance|retraitée?|à la retraite|au chômage|bibliothécaire"
    r"|stagiaire|apprentie?|alternante?|assistante?|directrice|directeur|gérante?|guide|animatrice|animateur"
    r"|entraîneur|coach|technicien*|caissière?|caissier|livreur|éducat\w+|aide-soignante?|libraire|fleuriste|ostéo*"
    r"|orthophoniste|juriste|notaire|couturière)"
)
THINGS = (
    r"(voiture|bagnole|moto|scooter|camionnette|fourgon|van|vélo|vtt|trottinette|camping-car|caravane|maison|appart"
    r"|appartement|jardin|potager|terrain|guitare|piano|violon|batterie|basse|ukulélé|accordéon|saxophone|saxo|flûte"
    r"|appareil photo|appareil|caméra|ordi|ordinateur|portable|mac|macbook|pc|iphone|téléphone|android|tablette|ipad"
    r"|liseuse|kindle|imprimante|thermomix|console|switch|playstation|bateau|voilier|atelier|boutique|magasin"
    r"|entreprise|boîte|blog|chaîne|podcast|collection|clio|twingo|mégane|scénic|kangoo|renault|peugeot|citroën|c3"
    r"|2cv|dacia|duster|sandero|ford|toyota|yaris|kia|hyundai|opel|corsa|nissan|fiat|volkswagen|golf|polo|tesla|bmw"
    r"|audi|mercedes|yamaha|honda|canon|nikon|fuji|linux|d'occasion)"
)
DAYS = r"(lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?"
MONTHS = r"(janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"

START = (
    r"(^|(?<=[-,:;–—(] )|(?<= et )|(?<= donc )|(?<= alors ))((et|donc|alors|mais|s'il te plaît|s'il vous plaît|stp"
    r"|svp|surtout"
    r"|ok|bon|du coup|aussi|par contre|au fait|bref|enfin|sinon|ah|allez|puis|merci|s'il te plait|bonjour|salut|coucou"
    r"|d'accord|pour info|important|petit détail|petite chose|autre chose|une chose|je t'en prie|par pitié|please"
    r"|de grâce|attention),? ){0,4}"
)
"""The beginning of a clause, and the function words before its first content word."""
IMPERATIVES = (
    r"((réponds|écris|utilise|emploie|donne|montre|explique|parle|mets|fais|pose|commence|termine|calcule|évite|corrige"
    r"|propose|cite|signe|garde|dis|raconte|révèle|dévoile|spoile|divulgue|suggère|recommande|conseille|convertis"
    r"|traduis"
    r"|résume|reste|sois|va|prends|précise|indique|ajoute|inclus|intègre|mentionne|rappelle|préviens|avertis|demande"
    r"|vérifie|note|liste|numérote|présente|affiche|envoie|compte|arrondis|décris|choisis|limite|privilégie|préfère"
    r"|considère|pars|reprends|reformule|simplifie|détaille|développe|raccourcis|abrège|adapte|tiens|veille|assure"
    r"|pense"
    r"|essaie|essaye|tâche|laisse|oublie|retire|supprime|enlève|saute|ignore|signale|souligne|critique|complimente"
    r"|félicite|encourage|motive|appelle|tutoie|vouvoie|salue|inverse|retourne|transpose|compare|justifie|source|crée"
    r"|génère|prépare|invente|fournis|rédige|offre|remplace|cherche|tourne|passe|aide|épelle|conjugue|divise|multiplie"
    r"|répète|réagis|joins|sers|base|contente|épargne|fiche|lâche|arrête|cesse|zappe|balance|file|refile|sors|glisse"
    r"|colle|marque|range|classe|trie|regroupe|complète|conclus|finis|démarre|ouvre|ferme|reviens|tente|charge|prévois"
    r"|compose|adresse|applique|respecte|suis|traite|formule|exprime|chiffre|estime|évalue|note|juge|gronde|engueule"
    r"|flatte|ménage|bannis|proscris|abandonne|mâche|imagine|dessine|planifie|organise|relis|lis|revois|annonce|nomme)"
    r"|\w{3,}-(moi|nous|le|la|les|lui|leur)(-(moi|nous|le|la|les|lui|leur|en|y))?|(?!avez|allez|pouvez|savez|voulez"
    r"|devez"
    r"|chez|assez|rendez-vous)\w{3,}ez|dites|faites)(-(moi|nous|toi|vous|le|la|les|lui|leur|en|y)){0,2}(?![\w'-])"
    r"(?! (que )?(je|on|nous|elle|il)\b)"
)
YOU = (
    r"((tu|vous) (?!sais|savez|as|avez|penses|pensez|crois|croyez|trouves|trouvez|es|êtes|étais)"
    r"((ne |n'|me |m'|nous |le |la |les |l'|lui |y ){0,3}\w+))"
)
FUTURE = (
    r"(à partir de maintenant|dorénavant|désormais|à l'avenir|dès maintenant|à partir d'aujourd'hui|dès aujourd'hui"
    r"|dès à présent|à compter d'aujourd'hui|à compter de maintenant|à partir de tout de suite|à partir de cet instant"
    r"|pour la suite|pour l'avenir|dans le futur|une bonne fois pour toutes|une fois pour toutes"
    r"|maintenant et pour toujours"
    r"|à partir d'ici|de maintenant en avant|pour les prochaines fois|les prochaines fois)"
)
ALWAYS = (
    r"(toujours|jamais|plus jamais|systématiquement|à chaque fois|chaque fois|par défaut|tout le temps"
    r"|dans tous les cas"
    r"|à tous les coups|d'office|en permanence|par principe|sans exception|en règle générale|de manière générale"
    r"|en général|pour toujours|automatiquement|sous aucun prétexte|en aucun cas|constamment|sans arrêt|d'emblée)"
)
OUTPUT = (
    r"((réponse|recette|résumé|traduction|explication|liste|tableau|texte|proposition|suggestion|conseil|mail|courriel"
    r"|lettre|message|prix|tarif|montant|mesure|unité|température|poids|chiffre|nombre|date|heure|horaire|distance"
    r"|exemple"
    r"|code|script|test|quiz|exercice|question|plan|programme|itinéraire|trajet|mode d'emploi|recommandation|blague"
    r"|poème"
    r"|histoire|titre|source|lien|citation|terme|mot|anglicisme|résultat|formule|calcul|menu|compte[- ]rendu|brouillon"
    r"|commentaire|correction|définition|remarque|devise|adresse|nom|ton|style|langue|graphique|schéma|diagramme"
    r"|présentation|diapo|paragraphe|phrase|analyse|comparaison|critique|retour|feedback|info|information|sortie|voyage"
    r"|film|livre|série|ingrédient|portion|calorie|taille|sigle|abréviation|solution|étape|synthèse|fiche|idée|repas"
    r"|plat"
    r"|entraînement|séance|cours|leçon|dictée|énigme|image|note|quantité|durée|budget|score|match|actu|actualité"
    r"|dialogue"
    r"|devinette|vocabulaire|flashcard|courses|tuto|tutoriel|post|légende|formulation|avis|estimation|bibliographie"
    r"|référence|conversion|grammage|dose|cuisson)(s|x)?)"
)
"""What an assistant produces, or what occurs in it."""
MANNERS = (
    r"(emojis?|émojis?|émoticônes?|smileys?|spoils?|spoilers?|spoilers?|divulgâch\w+|listes?|puces|blabla|tableaux?"
    r"|jargon"
    r"|anglicismes?|exclamations?|points d'exclamation|formules? (de politesse|toutes? faites?|creuses?)|politesses"
    r"|flatteries?"
    r"|compliments?|excuses|ironie|sarcasmes?|blagues?|humour|jeux de mots|abréviations?|sigles?|liens?|pub|publicités?"
    r"|introductions?|intros?|préambules?|conclusions?|gras|italiques?|titres|markdown|tirets|parenthèses|métaphores?"
    r"|comparaisons|morale|leçons? de morale|sermons?|avertissements?|disclaimers?|mises en garde|superlatifs|adverbes"
    r"|astérisques|répétitions|redites|écriture inclusive|langue de bois|termes techniques|mots (anglais|compliqués"
    r"|savants)"
    r"|gros mots|baratin|chichis|pincettes|détours?|fioritures?|clichés|pavés?|romans?|digressions|questions? (à la fin"
    r"|en retour|inutiles?)|relances?|phrases? (toutes? faites?|d'accroche|creuses?|à rallonge)|notes de bas de page"
    r"|diminutifs?"
    r"|chiffres romains|vouvoiement|tutoiement|condescendance|langage (sms|familier)|argot|majuscules|remplissage"
    r"|bla-bla)"
)
"""What people do not want in any answer."""
CONDITION = (
    r"(quand|lorsque?|si|s'|au cas où|dans le cas où|le jour où)(?!il (te|vous) pla[iî]t| possible| ça (te|va|marche"
    r"|ne)| c'est"
    r"| besoin| nécessaire| tu (as|peux|veux|sais|es|connais|préfères|avais|pouvais)| vous (avez|pouvez|voulez|savez"
    r"|êtes))"
    r"(?![^,]* (demain|ce soir|aujourd'hui|terminé|fini|tout à l'heure)\b)"
)
EVERY_TIME = (
    r"((à )?chaque fois (que |qu')|toutes les fois (que |qu'|où )|dès (que |qu'|lors que |lors qu'|l'instant où )"
    r"|sitôt (que |qu')"
    r"|aussitôt (que |qu')|à partir du moment où|tant que |du moment que |pour (chaque|tout|toute|tous les|toutes les) "
    r"|à chaque |avant de |avant chaque )"
)
WISH = (
    r"(je veux|je voudrais|j'aimerais( bien| mieux)?|je préfère|je préférerais|je souhaite|je souhaiterais|j'ai envie"
    r"|j'apprécierais"
    r"|je tiens à ce|j'attends de toi|j'exige|je te demande de|je vous demande de|j'ai besoin|ça m'arrangerait"
    r"|ce serait \w+"
    r"|ça serait \w+|il faudrait|il faut|faut|faudrait|merci de|pense à|pensez à|veille à|veillez à|je t'interdis de)"
)

TABLE = PhraseTable(
    code="fr",
    first=r"""
        (je|j'*|moi|me|m'*|mon|ma|mes|nous|notre|nos|on|chez moi|chez nous)
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}
        {MINE} (\w+ )?{PETS}
        (maman|papa|mamie|papi)
    """,
    states=rf"""
        (s'appelle|s'appellent|habite|habitent|vit|vivent|travaille|travaillent|bosse|étudie|étudient|enseigne
            |fête ses|est née?|est décédée?|est morte?|joue (du|de)|collectionne|a (\S+ )?(\S+ )?(ans|mois)
            |ont \S+ ans|va avoir \S+ ans|fait ses études|fait des études)
        (est|sont|était|devient|est devenue?) (un |une |le |la |mon |très )?(\S+ )?{JOBS}
        (est|sont|a|ont|fait|souffre|est devenue?) ~ {ILL}
        (est|sont) (\S+ )?(végétarien*|végan*|vegan*|gauch\w+|fan|mariée?s?|divorcée?s?|veuve|veuf|pacsée?s?
            |fiancée?s?|célibataire|séparée?s?|en fauteuil)
        (ne|n') ?(mange|mangent|boit|supporte|peut|tolère|digère) ~ (pas|plus|jamais|rien|que)
        (mange|mangent|boit|supporte|tolère|digère) (pas|plus|jamais|que)
        (a|ont|vient de|s'est|se sont) (\S+ )?(déménagé|installée?s?|mariée?s?|divorcé|divorcée?|accouché
            |pris sa retraite|arrêté|emménagé|adopté)
        (attend|attendent) ~ (bébé|enfant|jumeaux|fille|garçon)
        (adore|adorent|déteste|détestent|aime|aiment|préfère|raffole)
        (c'est|est) (un|une|le|la|mon|ma) \w+
        (est|sont) (au|en|à la|dans|de|chez) \w+
        anniversaire
    """,
    instruction=rf"""
        {START}{FUTURE},?(?! (on|nous|il|ils|elle|elles|mon|ma|mes|notre|nos|ce|c'est|ça) )(?! (je|j')(?! ?(veux
            |voudrais|aimerais|préfère|préférerais|souhaite|souhaiterais|apprécierais))( |\w))(?! (le|la|les) \w+ (est
            |sont|ferme|ouvre|sera|seront|va)\b)
        {START}({IMPERATIVES}|{YOU}|((les|tes|vos|mes|des|tous les|toutes les) )?{OUTPUT}|pas de|plus de|ne
            |n') ?(\S+ ){{0,10}}?{FUTURE}
        {WISH} (\S+ ){{0,10}}?{FUTURE}
        {START}{IMPERATIVES} ((?!je\b|j'|que\b|qu'|qui\b|quoi|si\b|s'il|comment|pourquoi|où|dont)\S+ ){{0,9}}?{ALWAYS}
        {START}(ne |n')(me |m'|nous |le |la |les |l'|lui |leur |te |t'|vous |t'en |y |en ){{0,3}}(?!ai\b|as\b|a\b
            |avons|ont|suis|est\b|sommes|sait)\w+([-']\w+)? (surtout |donc |absolument )?(jamais|plus jamais|plus
            |sous aucun prétexte|en aucun cas|à l'avenir)
        {START}(ne |n')(me |m'|nous |le |la |les |l'|lui |te |t'){{0,3}}(?!ai\b|as\b|a\b)\w+ (surtout )?pas (de |d'
            |du |le |la |les |en |des )?{MANNERS}
        {START}(ne |n')(me |m'|nous |le |la |les |l'|lui |te |t'){{0,3}}(?!ai\b|as\b
            |a\b)\w+ (surtout )?pas (\S+ ){{0,8}}?(à chaque|chaque fois|tout le temps|sans arrêt|systématiquement
            |sans que je|quand je|si je ne|sauf si)
        {START}(ne )?(jamais|toujours|plus jamais|ne plus|ne pas|systématiquement) (me |m'|nous |le |la |les |l'
            |lui |y |en |de |d'){{0,3}}\w+(er|ir|re|oir)(?= |$|,)
        {START}(me |m')\w+ (jamais|plus jamais|plus)(?= |$)
        {START}(toujours|systématiquement|par défaut) (en|avec|sans|au|à la|des|pour|sous|par|moins de|plus de|le|la
            |les|un|une|d'abord|tout) (?!moi|nous|mon|ma)\w+
        (toujours|jamais) en (français|anglais|euros|kilomètres|mètres|grammes|celsius)
        ^(et |pour |dans |en |les |mes |tes |vos |des |tous les |toutes les |le |la |l'){{0,3}}{OUTPUT}( (?!est|sont|a
            |ont|était|sera|me|m'|n'|ne)[^ ]+){{0,4}}?,? (c'est |ce sera )?(toujours|jamais|systématiquement
            |par défaut|à chaque fois|sans exception|par principe|tout le temps) (?!été|eu)\w+
        {START}((jamais|plus jamais|jamais plus|surtout|et) )?(sans|pas d'|pas de|zéro|plus d'|plus de|jamais d'
            |jamais de|aucun|aucune|stop aux|stop les|fini les|halte aux|ni|pas le moindre|épargne-moi les|arrête les
            |arrêtez les|arrête avec les|évite les|évitez les) ?(\w+ )?{MANNERS}
        {START}(jamais|plus jamais) (de |d')(\S+ ){{1,8}}?(dans (tes|vos)|avec moi|s'il te|s'il vous|stp|svp|merci)
        (dans|à la fin de|au début de|pour) (toutes )?(tes|vos) (réponses|messages|explications|textes)
        (tes|vos) (réponses|explications|messages) ~ (doivent|doit|toujours|jamais|plus|en|sans|courtes?|devraient
            |peuvent|soient)
        {START}{EVERY_TIME}[^.]{{4,110}}?,? (tu |vous |s'il te plaît |stp |merci de |alors |ne |n'|me |m'
            |il faut |faut |pense |c'est |pas de|toujours |je veux |j'aimerais |on ){{0,3}}{IMPERATIVES}(?= |$)
        {START}{EVERY_TIME}[^.,]{{4,90}}, (alors |bah |ben )?(tu|vous|merci de|ne|n'|me|il faut|faut|pense|toujours
            |pas de|sans|je veux que|j'aimerais que|avec) ?\w+
        {START}{CONDITION} ?[^.,]{{4,90}}, ((alors|s'il te plaît|stp|surtout|merci de|dans ce cas,?|plutôt
            |d'abord) )*({IMPERATIVES}|{YOU}|(ne |n')\w+|pas de|pas d'|jamais|toujours|il faut toujours
            |merci de)(?= |$)
        {START}{CONDITION} (tu|vous) [^.]{{4,110}}(toujours|jamais|systématiquement|maximum|au maximum|au plus
            |au moins|doit|doivent|il faut|je veux|j'aimerais|je préfère|obligatoirement|pas plus)
        {START}{IMPERATIVES} [^,;:]{{0,80}},? (à chaque fois que|chaque fois que|chaque fois qu'|dès que|dès qu'
            |toutes les fois|à chaque|pour chaque|avant de (me |m')|quand je (te|t'|dis|parle|fais|demande|pose|me
            |écris)|quand tu (me|m')|quand on parle|si je (te|me|fais|dis|parle|demande|t')|si tu (me|m'|n'es|ne sais
            |ne)|s'il y a un|quand il y a|quand il s'agit)(?![^,]*(demain|fini|terminé))
        (appelle-moi|appelez-moi|appelle moi|tu peux m'appeler|vous pouvez m'appeler|tutoie-moi|tutoyez-moi|nomme-moi
            |surnomme-moi|vouvoie-moi|vouvoyez-moi|on se tutoie|tutoyons-nous|on peut se tutoyer|on se vouvoie
            |appelle-moi par|tutoie moi|vouvoie moi)
        (tu peux|vous pouvez|tu devrais|on peut|on va|tu as le droit de|n'hésite pas à|n'hésitez pas à|on pourrait
            |autant|préfère qu'on|il faut|faut) (\w+ )?(me |m'|se |nous )(tutoy\w+|tutoie|vouvoy\w+|appeler par)
        (tu peux|vous pouvez|tu dois|vous devez|tu devras|tu n'as pas|tu n'as plus|vous n'avez pas|tu ne dois
            |vous ne devez|tu n'es pas|inutile|pas la peine|pas besoin|c'est pas la peine
            |ce n'est pas la peine) (\S+ ){{0,9}}?(toujours|jamais|à chaque fois|systématiquement|chaque fois
            |sans arrêt|tout le temps|plus me|constamment)
        {START}(soyez|sois|reste|restez|parle|parlez)(-moi)? (\S+ ){{0,4}}avec moi
        (arrête|arrêtez|cesse|cessez|évite|évitez) (de |d')(me |m'|mettre|répondre|dire|faire|proposer|utiliser
            |toujours|employer|commencer|finir|terminer|donner|poser|t'excuser|vous excuser|\w+er )
        (ça|cela|ceci) vaut (pour (tous|toutes|chaque)|toujours)
        {START}(tu n'as|vous n'avez) (jamais|plus) (besoin|à)(?= )
        (retiens|souviens-toi|rappelle-toi|note|notez|garde en tête|gardez en tête|n'oublie pas|n'oublie jamais
            |n'oubliez pas|sache|prends note|retenez|sachez|souvenez-vous)( bien| toujours)?( de)?( que| qu'|:| :)
        (je|j') ?(ne )?(veux|voudrais|aimerais|souhaite|préfère|préférerais|souhaiterais|supporte|tiens
            |apprécierais)( bien| mieux| vraiment)? (plus jamais|plus|ne plus jamais|ne plus|ne jamais|jamais
            |pas)( \S+){{0,3}} (lire|entendre|voir|recevoir|tomber|trouver|retrouver|entends|lise|voie)(?! (mon|ma|mes
            |lui|ce type|cet homme)\b)
        (ne )?(veux|voudrais) (plus jamais|plus) (lire|entendre|voir|recevoir|que tu|que vous|de {MANNERS})(?! (mon|ma
            |mes|lui|ce type|cet homme)\b)
        {WISH} (que |à ce que |quand |si |de |qu')?(tu|vous) (ne |n'|me |m'|nous |le |la |les |lui |te |t'
            |vous |en |y ){{0,4}}(répond\w*|parl\w*|écriv\w*|utilis\w*|appell\w*|tutoi\w*|tutoy\w*|vouvo\w*|donn\w*
            |expliqu\w*|sois|soyez|dis\w*|corrig\w*|fass\w*|propos\w*|mett\w*|évit\w*|rest\w*
            |\w+ (\S+ ){{0,8}}?{ALWAYS}|{ALWAYS})
        (j'aimerais|je veux|je voudrais|je préfère|je souhaite|ce serait \w+|ça serait \w+|il faut|faut|merci de
            |merci d'|pense à|pensez à|veille à|veillez à|tâche de|essaie de|évite de|prière de) (que |qu'
            |si |de )?(\S+ ){{0,7}}?(toujours|systématiquement|à chaque fois|ne jamais|ne plus|plus jamais
            |par défaut) (\S+ )?(tu |vous )?\w+
        (réponds|réponds-moi|parle|parle-moi|écris|écris-moi) (toujours |moi )?(en|avec) (français|anglais
            |phrases courtes|peu de mots)
        {START}(nouvelle |autre |petite |ma |une |seule |première |dernière )*(règle|consigne|principe|point important
            |instruction)( \S+){{0,4}} ?:
        {START}(règle générale|en règle générale|par principe|de manière générale|d'une manière générale|en général
            |par défaut|consigne permanente)[,:]? ?:? ?([^,]*, )?(tu|vous|{IMPERATIVES}|ne|n'|pas|jamais|toujours)
        (en règle générale tu|pour tous (les|mes) (mails|messages|textes|courriers)|pour toutes (les|mes) (lettres
            |réponses))
    """,
    one_off=rf"""
        comme (toujours|d'habitude)
        il me faut
        (prochaine question|question suivante|suivante|suivant|cette question|ce texte|ce mail|cette fois|cette phrase
            |ce message|ce paragraphe|juste aujourd'hui|pour aujourd'hui|pour l'instant|à cette|ci-dessous
            |cette lettre|ce coup-ci|cette réponse|ce poème)
        (tu te souviens|te souviens-tu|souviens-toi (du|de la|de|quand))
        (pirate|personnage|jeu de rôle|fais comme si|imagine|imaginez|tu joues|faisons comme)
        ((mon|ma|mes|notre|nos|le|la|les) (\w+ )?({PEOPLE}|médecin|prof\w*|coach|boss|patron|directeur|directrice
            |proprio|kiné|maîtresse)|il|elle|on) (\w+ )?(me |m'|nous |lui )?(\w+ )?(dit|disait|répète|répétait|demande
            |exige|veut|voulait|impose|oblige|interdit)
        ^(et |alors )?(dans|chez|au|à) (notre|nos|mon (équipe|boulot|travail|école)|ma (boîte|famille|boite)|nous|mon
            |le (bureau|boulot)|bureau|boulot|travail|l'école)
        (dit|disait|répète|prétend) (mon|ma|mes|le|la|notre|toujours (mon|ma))
        (pas de (souci|soucis|problème|quoi|chance|panique|stress)|n'hésite pas à (me )?(dire|demander)|ne t'inquiète
            |ne vous inquiétez|t'inquiète|ne t'en fais|ne bouge)
        {START}(dis|explique|raconte|montre|dites|expliquez)-moi (ce que|comment|pourquoi|si|où|quand|qui|combien
            |quel\w*|qu'est-ce) (\S+ )*?(je|j'|on|nous|il|elle|ils|les|le|la)\b[^,]*$
    """,
    sure={
        "constraint": rf"""
            (je suis|j'ai|je souffre|je fais|on m'a diagnostiqué*|on m'a trouvé|on m'a détecté
                |je suis devenue?) ~ {ILL}
            (je ne peux|je peux|je n'ai|j'ai|je ne dois|je dois|je supporte|je ne supporte|je ne digère|je digère
                |je ne tolère) (\S+ )?(\S+ )?(pas|plus|jamais|aucun|rien) ~ (manger|boire|porter|courir|dépenser
                |mettre|payer|conduire|voler|prendre l'avion|le droit|alcool|sel|sucre|lait|gluten|lactose|œufs?
                |oeufs?|fromage|crustacés|fruits à coque|marcher|rester debout|les épices)
            (je|j') ?(ne |n')?(mange|bois|consomme|évite|prends) (\S+ )?(pas|plus|jamais|aucun|aucune
                |ni)? ?(de |d'|du |la |le |les )?(\S+ )?(viande|porc|poisson|alcool|sucre|lait|laitages|gluten|œufs?
                |oeufs?|fruits de mer|crustacés|produits laitiers|animal|animaux|sel|noix|arachides|caféine|pain|blé)
            (j'ai|ça me fait|me fait|me font|j'ai une) ~ (peur|trouille|phobie|panique|vertige|angoisse)
            (mon|notre) (budget|plafond|limite)
            (dépenser|payer|mettre|dépasser) ~ (plus de|maximum|max|au maximum|grand maximum)
            (je mange|je suis un régime|je fais un régime|je suis au régime|je mange) ~ (sans gluten|sans lactose
                |végétalien|halal|casher|cétogène|sans sel|sans sucre|végé)
            (je prends|je suis sous|je porte|je me pique) ~ (insuline|médicaments?|traitement|antidépresseurs?
                |anticoagulants?|cortisone|appareil auditif|appareils|prothèse|attelle|ritaline|phénobarbital
                |antibio*)
            (j'ai mal|j'ai (un|une|des) problème\w*|je me suis (cassé|fait opérer|pété|blessée?)|j'ai été opérée?
                |je me suis déchiré) ~ (dos|genou|genoux|hanche|cœur|coeur|épaule|lombaires|ménisque|ligament\w*
                |cheville|main|poignet)
            (le médecin|mon médecin|le docteur|mon cardiologue|l'allergologue|le kiné) (m'a
                |m'interdit) ~ (interdit|interdite|déconseillé|d'éviter|d'arrêter)
        """,
        "identity": rf"""
            (je suis|je travaille comme|je bosse comme|je suis devenue?|j'étais
                |je fais) (un |une |le |la )?(\S+ )?(\S+ )?{JOBS}
            (maintenant|depuis \S+|désormais) je (travaille|bosse|donne|suis (chez|dans|à mon))
            (j'étudie|je fais (des|mes|un|une) (études|master|licence|thèse|doctorat|bts|stage|alternance|prépa
                |formation|apprentissage)|je suis en (master|licence|thèse|première|terminale|prépa|doctorat
                |alternance|stage|reconversion|fac|école)|j'enseigne|je donne des cours|je prépare (un|une|mon
                |ma) (master|licence|thèse))
            (je suis|on est|nous sommes) (mariée?s?|célibataire|divorcée?|veuve|veuf|séparée?|pacsée?s?|retraitée?
                |à la retraite|au chômage|en congé maternité|en arrêt|gauchère?|gaucher|droitière?|fille unique
                |fils unique|gay|lesbienne|homo|catholique|musulmane?|juive|juif|athée|bilingue|maman solo
                |propriétaires?|locataires?)
            (je parle|ma langue maternelle|ma langue) ~ (anglais|français|espagnol|allemand|italien|portugais
                |arabe|breton|langues|couramment|est)
            (je suis née?|j'ai grandi|j'ai déménagé|on a déménagé|nous avons déménagé|j'ai emménagé|on a emménagé
                |je me suis installée?|on s'est installés?)
            (mon nom de famille|mon métier|mon travail|mon boulot|mon adresse|mon numéro|mon téléphone|mon mail
                |mon adresse mail|ma taille|ma pointure|mon signe|mon poste) (c'est|est|:)
            je suis en (première|deuxième|troisième|quatrième|cinquième|dernière) année
            (je mesure|je pèse|je chausse|je fais du \d+)
            (j'ai été (promue?|embauchée?|mutée?|licenciée?)|j'ai changé de (boulot|travail|métier|poste)
                |je suis passée? chez|j'ai (ouvert|monté|lancé|créé) (ma|mon|une|un)|j'ai démissionné|j'ai quitté)
        """,
        "person": rf"""
            (j'ai|on a|nous avons|j'ai adopté|on a adopté|j'attends|on attend
                |nous attendons) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            {MINE} ~ s'appell\w+
            (je suis|on est) (la |le |les )?(maman|papa|mère|père|grand-mère|grand-père|tante|tonton|marraine
                |parrain) (de|d'|à)
            (je suis|elle est) enceinte
        """,
        "preference": rf"""
            (j'adore|j'aime|je déteste|je hais|je préfère|je raffole|je kiffe|on adore|on aime|on déteste
                |nous adorons|j'apprécie|je n'aime|je supporte pas|je ne supporte|je suis fan|je suis très
                |je suis plutôt|je suis accro|je suis passionnée?|je suis folle|je suis fou|j'ai horreur
                |je suis du genre|je suis lève-tôt|je suis couche-tard|je me passionne)
            (j'aime pas|je n'aime pas|j'ai jamais aimé|je n'ai jamais aimé)
            (mon|ma|mes|notre) (\w+ )?(\w+ )?(préférée?s?|favorite?s?|passion|hobby|passe-temps|péché mignon)
            (j'ai l'habitude|j'ai pour habitude|d'habitude je|en général je)
            (je|j') ?(ne |n')?(\S+ )?(bois|mange|prends|cours|lis|écoute|regarde|vais|fais|cuisine|dors|nage
                |marche|joue|sors|utilise|mets|achète|travaille|bosse|voyage|petit-déjeune) (\S+ )?(\S+ )?(toujours
                |jamais|tous les|toutes les|chaque|sans sucre|noir|le matin|le soir|le {DAYS}|par semaine
                |régulièrement|souvent|avant de|avant d')
            (le|tous les|chaque|toutes les) ({DAYS}|matin|matins|soir|soirs|jour|jours|semaine|semaines|week-end
                |week-ends|été|année|mois)( \w+)?,? (je|on|nous)
            (je me lève|je me couche|je fume pas|je ne fume pas|je ne bois pas|je ne regarde jamais|je fais du
                |je fais de la|je pratique|je joue au|on fait du|je vais à la)
            (je suis) (du soir|du matin|matinale?)
        """,
        "possession": rf"""
            (j'ai|on a|nous avons|je possède|je conduis|je roule en|je roule dans|j'utilise|je me suis acheté
                |je me suis offert|j'ai acheté|on a acheté|nous avons acheté|j'ai hérité d*|j'ai vendu|on a vendu
                |je viens d'acheter|on vient d'acheter|je loue|je me sers d*) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            (je roule en|je roule avec|je conduis) (une|un|en)? ?\w+
            (je joue|j'apprends|je fais|je prends des cours) (\S+ )?(du|de la|de l'|le|la) ?(piano|guitare|violon
                |batterie|basse|flûte|saxo*|trompette|accordéon|ukulélé|violoncelle|clarinette|harpe|orgue|cornemuse
                |cor|contrebasse|hautbois)
            (je code|je programme|je développe|je travaille|je bosse|j'utilise|j'écris) (\S+ )?(\S+ )?(en|avec|sur
                |sous)? ?(python|java*|rust|php|c\+\+|linux|windows|mac|excel|photoshop|figma|go|kotlin|swift|ruby
                |react|r|matlab|notion|obsidian|vim|ubuntu|android|blender|indesign)
            (je code|je programme|je collectionne|je photographie)
            (mon|ma|notre) (\S+ )?{THINGS} (est|a|date|c'est)
            (j'ai|on a) (vendu|revendu|donné) (mon|ma|mes|notre|la|le)
            (je suis|on est) passée?s? (à|au|sur|sous) (un|une|linux|mac|windows|\w+)
        """,
        "project": rf"""
            (j'écris|je rédige|je prépare|je monte|je construis|je retape|je rénove|on rénove|on retape
                |je planifie|j'organise|on organise|on prépare|je développe|j'apprends|je m'entraîne
                |je mets de l'argent|j'économise|on économise|je restaure|je tourne|je travaille sur|je bosse sur
                |on construit|nous préparons|nous construisons) (\S+ )?(\S+ )?(\S+ )?(thèse|mémoire|roman|livre
                |agrégation|agreg|concours|capes|marathon|semi|mariage|maison|appart*|app|appli|site|jeu|voyage
                |déménagement|expo|spectacle|documentaire|film|album|examen|permis|salle de bain|cuisine|grange|van
                |pour|projet|l'\w+|le \w+|un|une|japonais|italien|espagnol|allemand|anglais)
            (je suis en train (de|d')) (écrire|rédiger|préparer|monter|construire|retaper|rénover|apprendre
                |développer|organiser|passer)
            (en|au|le|à|pour|avant|d'ici|cet|cette|dans|fin|début|courant|l'année|l'an|la semaine
                |le mois) (\S+ )?(\S+ )?(\S+ )?({MONTHS}|prochaine?|printemps|été|automne|hiver|noël|pâques|{DAYS}|ans
                |mois|semaines|la rentrée),? ~? ?(je|j'|on|nous) ?(me |m'|nous |se )?(déménage*|marie*|vais|va|allons
                |commence*|pars|part|partons|passe*|ai|a|avons|soutien\w+|rends|veux|veut|aimerais|voudrais|ouvre*
                |cours|emménage*|prends|reprends|opère|installe*|quitte*)
            (je|on|nous) (\S+ )?(déménage*|emménage*|marie*|vais|va|allons|veux|veut|voulons|pars|part|partons
                |commence*|passe*|compte|comptons|pense|prévois|prévoit|prévoyons|soutiens|rends|ouvre
                |reprends) ~ (en ({MONTHS})|l'année prochaine|l'an prochain|le mois prochain|la semaine prochaine
                |cet été|cet automne|cet hiver|ce printemps|au printemps|cette année|avant|d'ici|en \d{{4}}|le \d+ \w+
                |le \d+|fin \w+|début \w+|à la rentrée|dans \S+ (mois|ans|semaines))
            (mon|notre) (objectif|but|projet|plan|rêve|défi) (est|c'est|pour|de|cette)
            (j'ai|on a|nous avons) (\S+ )?(rendez-vous|rdv|examen|entretien|mariage|opération|irm|audience|avion
                |vol|réunion|soutenance|dentiste|concours|oral|partiel\w*) ~ (le|la|à|chez|dans|en|avec|lundi|mardi
                |mercredi|jeudi|vendredi|samedi|dimanche)
            (on se marie|je me marie|nous nous marions|je me suis inscrite?|on s'est inscrits?|je me suis lancée?)
            (je veux|je voudrais|j'aimerais|j'essaie|je compte|on veut|on aimerait) (\S+ )?(apprendre|arrêter de
                |arrêter la|perdre \S+ kilos|maigrir|courir (un|le|mon)|monter (ma|mon|une)|ouvrir|acheter (une
                |un) (maison|appart*)|passer (mon|le)|déménager|écrire (un|mon))
            (le mariage|mon mariage|notre mariage|le déménagement|mon examen|ma soutenance|l'opération
                |mon opération|mon vol|mon rendez-vous|mon rdv) (est|sera|a lieu|c'est|tombe)
        """,
        "event": r"""
            (j'ai (réussi|raté|gagné|eu mon|obtenu|décroché)|je me suis mariée?|on s'est mariés
                |j'ai eu un accident|j'ai perdu (mon|ma))
        """,
    },
    slots={
        "name": r"""
            (je m'appelle|mon nom est|mon prénom est|mon prénom c'est|mon nom c'est) VALUE
        """,
        "age": r"""
            (j'ai|je viens d'avoir|je vais avoir) (\S+ )?\S+ ans$
            (j'ai) (\S+ )?\S+ ans (et|passés)
            j'ai \d+ ans
        """,
        "birthday": r"""
            (mon anniversaire|mon anniv)
            je fête mes
        """,
        "home": r"""
            (j'habite|je vis|on habite|on vit|nous habitons|nous vivons|je loge|je réside) (\S+ )?(\S+ )?(à|au|en
                |dans|chez|près de|sur|aux) VALUE
            (j'ai|on a|nous avons) (déménagé|emménagé) (à|au|en|dans|aux) VALUE
        """,
        "origin": r"""
            (je viens|je suis originaire) (de |du |d'|des )(?!\w+(er|ir|re)(?!\w))VALUE
        """,
        "employer": r"""
            (je travaille|je bosse|je ne travaille plus|je suis) (\S+ )?(\S+ )?(chez|pour) VALUE
            (je travaille|je bosse) (\S+ )?(\S+ )?(à|au|dans) VALUE
        """,
        "job": rf"""
            (je travaille comme|je bosse comme|je travaille en tant que) VALUE
            je suis (un |une )?{JOBS}
        """,
        "diet": r"""
            (je suis|je suis devenue?|on est) (\S+ )?(végétarien*|végétalien*|végane?|vegan|pescétarien*|végé)
        """,
        "car": r"""
            (j'ai|je conduis|je roule en|je me suis acheté|j'ai acheté) (\S+ )?(\S+ )?(\S+ )?(voiture|clio|twingo
                |mégane|scénic|kangoo|renault|peugeot|citroën|c3|2cv|dacia|duster|sandero|ford|toyota|yaris|kia
                |hyundai|opel|corsa|nissan|fiat|volkswagen|golf|polo|tesla|bmw|audi|mercedes)
        """,
        "form of address": r"""
            (appelle-moi|appelez-moi|appelle moi|tu peux m'appeler
                |vous pouvez m'appeler) (juste |simplement |plutôt )?VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (végéta*|vegan*|végan*|halal|casher|interdite?|malade|genou*|dos|cœur|médicament*|traitement|tension
                |jeûne|vertige*|maximum|max|ne (peux|dois|supporte|digère) (pas|plus)|peux pas|dois pas|supporte pas
                |peur|sans (gluten|sucre|lactose|viande|sel))
            {ILL}
            (budget|douleur|blessure|diagnostic|peur|phobie)
        """,
        "identity": r"""
            (travaille|bosse|étudie|études|née?|ans|viens de|originaire|grandi|enseigne|dirige|nuit|équipe|mariée?
                |divorcée?|célibataire|gauch\w+|langue maternelle|nationalité|stage|mi-temps|temps partiel|service
                |entreprise|école|cabinet|hôpital|mairie|association|bénévole|déménagé|habite|vis)
            (métier|carrière|entreprise|fac|université|lycée|collège|hôpital|temps plein|temps partiel|mi-temps
                |télétravail)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (mange|bois|écoute|lis|regarde|cuisine|cours|nage|danse|randonne|voyage|dors|fume|peins|dessine|chante
                |tricote|couds|jardine|grimpe|pêche|médite|aime|adore|déteste|préfère|lève|couche|évite|café|thé
                |musique|sport|yoga|polars|séries|films|cuisine)
            (je|j') ?(bois|mange|prends|cours|lis|écoute|regarde|cuisine|nage|marche|joue|dors|fume)
        """,
        "possession": rf"""
            (possède|conduis|roule|utilise|joue|porte|loue|élève|collectionne|retape|programme|code|téléphone
                |fairphone|samsung|vélo cargo|caravane|abonnement|lunettes|lentilles|machine à coudre|aquarium|ruches?
                |poules)
            {THINGS}
        """,
        "project": r"""
            (apprends|prépare|m'entraîne|économise|révise|postule|déménage|me marie|construis|rénove|organise
                |passe (le|mon) permis|permis|cours de|formation|marathon|semi|examen*|concours|partiels|mémoire|thèse
                |livre|roman|vol|opération|avant|d'ici|fin|en (janvier|février|mars|avril|mai|juin|juillet|août
                |septembre|octobre|novembre|décembre)|au printemps|cet été|l'an prochain|l'année prochaine
                |le mois prochain|à la rentrée)
            (projet|objectif|but|plan|mariage|déménagement|examen|thèse|concours|rendez-vous)
        """,
    },
    lasting=rf"""
        (toujours|jamais|normalement|généralement|habituellement|d'habitude|surtout|principalement|essentiellement
            |toute ma vie|toute l'année|au quotidien|depuis toujours|depuis l'enfance|depuis petite?|depuis que)
        (tous les|toutes les|chaque) \w+
        (depuis (\S+ )?(\S+ )?(ans|mois|années|\d{{4}}|longtemps|{MONTHS})|ça fait \S+ ans)
        le {DAYS}
    """,
    passing=r"""
        (en ce moment|là tout de suite|aujourd'hui|ce soir|cet après-midi|ce matin|cette nuit|hier|avant-hier
            |demain|tout à l'heure|à l'instant|je viens de|je viens d'|cette semaine|là maintenant)
    """,
    blockers=r"""
        (si|comme si) (je |j'|on |nous )(étais|avais|habitais|vivais|pouvais|savais|travaillais|était|avait|vivait
            |devais)
        (je|j'|on) ?(me |l'|le |la |lui |te |t')?\w+(erais|irais|rais|erait|irait)
        (je me demandais|je me demande|je ne sais pas si|je sais pas si|j'hésite|supposons|imagine|imaginons
            |admettons|disons que|mettons que|j'aurais)
        (dit|disait|disent|raconte|m'a dit|a dit|m'a raconté|prétend|affirme|selon|m'a sorti|jure)( que| qu'|:| :)
        (nouvelle|roman|histoire|poème|chanson|scénario|film|pièce|conte|récit) (où|dans|sur|qui|dont)
        (je cherche|on cherche|nous cherchons|je suis à la recherche)
        (j'ai besoin|il me faut) (d'un|d'une|d'aide|d'idées|un|une|de conseils)
        (je plaisante|je rigole|blague|ironie|j'ai rêvé|dans mon rêve)
        (paraît-il|je trouve pas|je ne trouve pas|je ne trouve plus)
    """,
    requests=r"""
        ^(s'il te plaît,? |stp,? |salut,? |bonjour,? |ok,? |et |bon,? |alors,? |du coup,? )*(écris|écris-moi|fais
            |fais-moi|donne|donne-moi|dis|dis-moi|explique|explique-moi|aide-moi|aide|traduis|traduis-moi|cherche
            |trouve|trouve-moi|raconte|raconte-moi|recommande|recommande-moi|résume|corrige|calcule|rédige|rédige-moi
            |génère|crée|suggère|propose|propose-moi|compare|réponds|montre|montre-moi|convertis|relis|vérifie|liste
            |prépare-moi|conseille-moi|invente)
        ^(tu peux|peux-tu|pouvez-vous|pourrais-tu|tu pourrais|tu sais|sais-tu|tu connais|connais-tu|est-ce que
            |est-ce qu'*|qu'est-ce|c'est quoi|c'est possible|y a-t-il|il y a|quel|quelle|quels|quelles|comment|combien
            |quand est|où|qui|que|pourquoi|faut-il)
    """,
    play=r"""
        (tu es|vous êtes) (maintenant|désormais) (un|une|mon|ma|le|la)
        (tu es|vous êtes) (un|une|mon|ma) ~ (et je suis|et moi|moi je suis|je suis)
        (fais comme si|faisons comme si|fais semblant|imagine que|imaginons que|jeu de rôle|joue le rôle
            |mets-toi dans la peau|tu joues)
        (écris|écris-moi|invente|raconte|raconte-moi|compose|rédige) (une|un) (\S+ )?(nouvelle|poème|histoire
            |conte|chanson|blague|dialogue|scène|monologue|discours|roman|récit)
        (j'écris|je rédige|je suis en train d'écrire|j'ai écrit) (une|un|ma|mon) (\S+ )?(nouvelle|roman|histoire
            |conte|poème|scénario|pièce|récit) (où|dans|sur|qui|dont)
    """,
    private=r"""
        (ne retiens pas|ne note pas|n'enregistre pas|ne garde pas|oublie ça|oublie ce que|entre nous
            |reste entre nous|en confidence|ne le retiens pas|ne mémorise pas)
        (ignore|oublie|ignorez|oubliez) ~ (instructions|consignes|règles|prompt)
    """,
    paste=r"""
        (traduis|traduis-moi|corrige|corrige-moi|améliore|résume|réécris|relis|reformule|texte|phrase|mail
            |paragraphe|lettre|message)
    """,
    over=r"""
        (ne|n')(\S+)? ?(\S+ )?(\S+ )?(plus)
        (je|j'|on|elle|il) ?\w+ plus (à|au|chez|de|d'|en|du|la|le)
        (j'ai|on a|a) (vendu|arrêté|démissionné|quitté|résilié|abandonné|rompu|divorcé|revendu)
        (est décédée?|est morte?|on s'est séparés?|je me suis séparée?|j'ai été licenciée?)
    """,
    change=r"""
        (maintenant|désormais|dorénavant|actuellement|récemment|au lieu de|à la place|j'ai changé|on a changé
            |je suis passée?|j'ai déménagé|on a déménagé|a déménagé|correction|pardon|en fait|finalement
            |je me suis trompée?|nouvelle?|nouveau|nouvel)
    """,
    present=r"""
        (je|j'|on|nous) ?(ne |n'|me |m'|y |en |le |la |l'|les |lui |nous )*(suis|ai|vais|fais|peux|dois|veux|sais
            |vis|habite|travaille|est|a|va|fait|peut|\w+e|\w+s|\w+ons)
        (mon|ma|mes|notre|nos) (\S+ )?(\w+ )?(est|sont|a|ont|s'appelle|c'est|commence|va|fait)
        chez (moi|nous)
    """,
    vague=r"""
        (question|problème|idée|faim|soif|envie|temps|erreur|merci|désolée?|raison|aide|impression|avis|fatiguée?
            |contente?|heureuse|heureux|triste|énervée?|curieuse|curieux|sûre?|prête?|surprise?|déçue?|en route
            |chez moi|dans le train|dans le bus|en retard|bouchons|trempée?|perdue?|devant|débordée?)
        (je|j') ?(ne |n'|me |m')?(pense|crois|trouve|espère|veux dire|comprends|sais|vois|cherche|attends|demande
            |doute|souhaite|remarque|essaie|dois|dis|envoie|appelle|étais|avais|voulais|pouvais|voudrais|aimerais
            |viens)
    """,
    past=r"""
        (j'ai|on a|nous avons|elle a|il a|a|ont) (\S+ )?(\S+ )?(\w+é|\w+i|\w+u|fait|pris|mis|dit|été|eu|vu|lu|bu
            |écrit|ouvert|offert)
        (je suis|on est|est|sont) (allée?s?|venue?s?|partie?s?|tombée?s?|arrivée?s?|rentrée?s?|passée?s?|sortie?s?)
    """,
)
