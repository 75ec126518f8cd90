"""Spanish."""

from __future__ import annotations

from recollect.engine.facts.verbatim.table import PhraseTable

PEOPLE = (
    r"(hermana|hermano|hermanos|hermanas|hermanita|hermanito|madre|mamá|padre|papá|padres|hija|hijo|hijos|hijas|bebé"
    r"|mujer|marido|esposa|esposo|pareja|novia|novio|prometid[ao]|ex|abuela|abuelo|abuelos|nieta|nieto|nietos|tía"
    r"|tío|prima|primo|sobrina|sobrino|sobrinos|suegra|suegro|suegros|cuñada|cuñado|yerno|nuera|amiga|amigo"
    r"|compañera|compañero|vecina|vecino|jefa|jefe|mellizos|gemelos|gemelas|familia|padrino|madrina|ahijad[ao]|niño"
    r"|niña|peque|hijastr[ao]|profesora?)"
)
PETS = (
    r"(perro|perra|perrita|perrito|perros|gato|gata|gatos|gatito|gatita|caballo|yegua|conejo|hámster|loro|periquito"
    r"|canario|tortuga|pez|peces|mascota|hurón|cobaya)"
)
MINE = r"(mi|mis|nuestra|nuestro|nuestras|nuestros)"
ILL = (
    r"(alérgic[ao]s?|alergias?|intolerantes?|intolerancia*|celíac[ao]s?|celiaquía|asma|asmátic[ao]s?|diabétic[ao]s?"
    r"|diabetes|migrañas?|epilepsia|epiléptic[ao]|hipertens[ao]|hipertensión|tensión alta|artritis|artrosis|ansiedad"
    r"|depresión|tdah|autista|autismo|dislexia|disléxic[ao]s?|daltónic[ao]|vértigo|claustrofobia|claustrofóbic[ao]"
    r"|fobia|cáncer|hernia|escoliosis|fibromialgia|hipotiroidismo|tiroides|psoriasis|lupus|crohn|esclerosis"
    r"|marcapasos|sord[ao]|cieg[ao]|embarazada|silla de ruedas|diálisis|lactosa|gluten|sintrom|insulina|anemia"
    r"|insomnio|audífonos?)"
)
JOBS = (
    r"(profesor[a]?|maestr[ao]|médic[ao]|enfermer[ao]|ingenier[ao]|arquitect[ao]|abogad[ao]|program*dora?"
    r"|desarrolladora?|informátic[ao]|diseñadora?|estudiante|doctorand[ao]|periodista|escritora?|traductora?"
    r"|fotógraf[ao]|músic[ao]|actor|actriz|cociner[ao]|camarer[ao]|panader[ao]|peluquer[ao]|electricista"
    r"|fontaner[ao]|mecánic[ao]|carpinter[ao]|albañil|agricultora?|policía|bomber[ao]|militar|conductora?|taxista"
    r"|camioner[ao]|piloto|azafata|veterinari[ao]|farmacéutic[ao]|dentista|psicólog[ao]|fisioterapeuta|matrona"
    r"|comadrona|biólog[ao]|químic[ao]|físic[ao]|investigadora?|funcionari[ao]|administrativ[ao]|secretari[ao]"
    r"|contable|consultora?|economista|comercial|vendedora?|dependient[ae]|empresari[ao]|autónom[ao]|freelance"
    r"|jubilad[ao]|parad[ao]|en paro|desemplead[ao]|bibliotecari[ao]|becari[ao]|trabajadora? social|director[a]?"
    r"|gerente|jefa de|jefe de|guía|monitora?|entrenadora?|auxiliar|técnic[ao]|cajer[ao]|repartidora?|socorrista"
    r"|opositora?)"
)
THINGS = (
    r"(coche|carro|moto|furgoneta|furgo|camión|bici|bicicleta|patinete|autocaravana|caravana|casa|piso|apartamento"
    r"|chalet|huerto|jardín|finca|terreno|olivos|guitarra|piano|violín|batería|ukelele|saxofón|flauta|cámara"
    r"|portátil|ordenador|computadora|laptop|mac|macbook|pc|iphone|móvil|celular|android|tablet|ipad|kindle"
    r"|impresora|thermomix|consola|play|barco|velero|taller|tienda|empresa|negocio|blog|canal|podcast|colección"
    r"|yamaha|honda|seat|ibiza|león|renault|clio|peugeot|citroën|ford|toyota|kia|hyundai|dacia|opel|corsa|nissan"
    r"|fiat|volkswagen|golf|tesla|bmw|audi|mercedes|canon|nikon|fuji*|linux|segunda mano)"
)
DAYS = r"(lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)"
MONTHS = (
    r"(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|primavera"
    r"|verano|otoño|invierno|navidad|semana santa)"
)

TABLE = PhraseTable(
    code="es",
    first=r"""
        (yo|me|mí|mi|mis|mío|mía|conmigo|nos|nosotros|nosotras|nuestro|nuestra|nuestros|nuestras)
        (soy|estoy|tengo|vivo|trabajo|estudio|hago|voy|uso|juego|toco|como|bebo|odio|prefiero|suelo|quiero|puedo
            |tomo|corro|leo|escucho|conduzco|llevo|somos|estamos|tenemos|vivimos|vamos|hemos|he|estuve|fui|compré
            |vendí|empecé|dejé|aprendo|hablo|salgo|duermo|cocino|nado|programo|colecciono|cuido|doy|necesito|evito
            |detesto|adoro|amo)
        \w+(amos|emos|imos)
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}
        {MINE} (\w+ )?{PETS}
        (mamá|papá)
    """,
    states=rf"""
        (se llama|se llaman|vive|viven|trabaja|trabajan|estudia|estudian|enseña|cumple|cumplen|nació|falleció
            |murió|tiene \S+ (años|meses|hijos|hijas|hijo|hija)|tienen \S+ años|toca|juega al|juega en|colecciona)
        (es|son|era) (un |una |muy |el |la )?(\S+ )?{JOBS}
        (es|son|está|están|tiene|tienen|padece|sufre|va) ~ {ILL}
        (es|son) (un |una |muy |super |súper )?(vegetarian[ao]s?|vegan[ao]s?|zurd[ao]|fan|fanátic[ao])
        (no|nunca) (come|comen|bebe|beben|puede comer|soporta|aguanta|tolera|toma)
        (se|nos) (ha mudado|mudó|ha casado|casó|ha divorciado|divorció|ha jubilado|jubiló|va a casar|casa|muda)
        (ha tenido|tuvo|espera|está esperando) ~ (bebé|hijo|hija|niño|niña|mellizos|gemelos)
        (está|están) (embarazada|casad[ao]s?|divorciad[ao]s?|jubilad[ao]s?|viud[ao]|estudiando|en paro|en silla)
        (le|les) (encanta|encantan|gusta|gustan|da miedo|dan miedo|sienta mal)
        (no )?le (gusta|gustan)
        (odia|adora|prefiere|detesta)
        (es|son) (de|un|una) \w+
    """,
    instruction=r"""
        (de ahora en adelante|a partir de ahora|de aquí en adelante|desde ahora|a partir de hoy|de hoy en adelante
            |en adelante|en el futuro|de ahora en más)
        (llámame|llamame|puedes llamarme|dime|decime|tutéame|tutéeme|háblame de (tú|usted)|trátame de|trátame)
        ^(por favor,? )?(respóndeme|responde|respondeme|contéstame|contesta|escríbeme|escribe|usa|utiliza|dame
            |muéstrame|háblame|explícame|pon|haz|pregúntame|empieza|termina|calcula|evita|recuérdame|corrígeme|resume
            |cita|firma) ~ (siempre|nunca|jamás|cada vez|por defecto)
        (siempre que|cada vez que|cuando) (te )?(pida|pregunte|pegue|mande|envíe|escriba|hable|diga|pase|comparta
            |consulte)
        (nunca|jamás|no) (me )?(uses|utilices|respondas|contestes|escribas|pongas|hagas|des|mandes|envíes|digas
            |llames|recomiendes|sugieras|propongas|ofrezcas|hables|tutees|preguntes|repitas|añadas|incluyas|empieces
            |termines|menciones|expliques|traduzcas|corrijas)
        (deja de|no vuelvas a) (\w+|llamarme|usar|poner)
        (recuerda|acuérdate|ten en cuenta|ten presente|que no se te olvide|no olvides|apunta|anota
            |toma nota)( siempre)?( de)?( que)?
        (quiero|prefiero|me gustaría|necesito) que (me |no |siempre |no me )?(respondas|contestes|hables|escribas
            |uses|llames|tutees|trates|des|expliques|seas|digas|utilices|pongas|corrijas)
        (en tus respuestas|tus respuestas|en las respuestas|en tus mensajes)
        (respóndeme|contéstame|háblame|escríbeme|responde|contesta) (siempre |por favor )?(en|con) (español
            |castellano|inglés|catalán|frases cortas|pocas palabras)
        (regla nueva|nueva regla|como norma|por norma)
        (siempre|nunca|jamás) en (español|inglés|castellano|euros|kilómetros|gramos|metros)
        (sin|nada de) (emojis|emoticonos|listas|viñetas|rodeos|exclamaciones|negritas|tecnicismos)
    """,
    one_off=r"""
        (siguiente|próxima|próximo|lo siguiente|a esta|a este|esta pregunta|esta vez|este texto|este correo
            |este mensaje|este párrafo|esta frase|solo hoy|por hoy|a continuación|de momento|por ahora)
        (dime|decime) (qué|cómo|cuál|si|dónde|cuándo|cuánto|cuántos|cuántas|una|un|algo|tres|cinco|por|los|las|el
            |la|más|otra|otro|dos|en)
        (recuerda|recuerdas|te acuerdas) (cuando|qué|cómo|aquel|aquella)
        (pirata|personaje|juego de rol|haz como|finge|imagina)
    """,
    sure={
        "constraint": rf"""
            (soy|tengo|sufro|padezco|me han diagnosticado|me diagnosticaron|me han detectado|me detectaron
                |estoy) ~ {ILL}
            (no puedo|no debo|no me dejan|tengo prohibido|el médico me ha prohibido|me han prohibido) ~ (comer
                |beber|tomar|cargar|levantar|correr|gastar|gastarme|pagar|probar|conducir|volar|hacer esfuerzos
                |el alcohol|la sal|el azúcar|mojar*|permitirme)
            (no como|ya no como|nunca como|no bebo|no tomo|no pruebo|dejé de comer|he dejado de comer|no consumo
                |evito) ~ (carne|cerdo|pescado|marisco|gluten|lácteos|leche|huevos?|alcohol|azúcar|nada|pan|trigo
                |frutos secos|cafeína|animal|sal|fritos?)
            (me da|me dan|le tengo|les tengo|tengo|me produce|me producen) ~ (miedo|pánico|terror|pavor|fobia
                |alergia|ansiedad|reacción|asco)
            (me sienta|me sientan|me cae|me caen) ~ (mal|fatal)
            (mi|nuestro) (presupuesto|límite|tope)
            (gastar|gastarme|pagar|puedo pagar|permitirme) ~ (más de|como mucho|como máximo|máximo)
            (como|sigo una dieta|llevo una dieta|hago dieta|mi dieta es|sigo dieta) ~ (sin gluten|sin lactosa
                |vegan[ao]|vegetarian[ao]|keto|halal|kosher|baja en|sin sal|sin azúcar)
            (tomo|me medico|me pincho|llevo) ~ (insulina|sintrom|medicación|pastillas|antidepresivos
                |anticoagulantes|cortisona|marcapasos|audífonos?|prótesis|bastón)
            (tengo|me duele|me duelen|me operaron|me han operado|me rompí|me lesioné) ~ (rodilla|espalda|hernia
                |cadera|corazón|lumbago|hombro|menisco|ligamento)
            me mareo
        """,
        "identity": rf"""
            (soy|trabajo de|trabajo como|hago de|trabajaba de|era) (un |una |la |el )?(\S+ )?(\S+ )?{JOBS}
            (ahora|desde \S+) (soy|trabajo|doy clases)
            (estudio|estudié|curso|estoy estudiando|estoy cursando|hago un máster|hago un grado
                |estoy haciendo un (máster|grado|doctorado|curso)|doy clases|imparto|me gradué|me licencié
                |soy licenciad[ao])
            (soy|estoy) (casad[ao]|solter[ao]|divorciad[ao]|viud[ao]|separad[ao]|jubilad[ao]|en paro|de baja
                |madre solter[ao]|zurd[ao]|diestr[ao]|hij[ao] únic[ao]|gay|lesbiana|católic[ao]|musulm[aá]n[ao]?
                |ate[ao]|judí[ao]|bilingüe)
            (hablo|domino|mi lengua materna|mi idioma|mi lengua) ~ (inglés|francés|español|catalán|gallego|euskera
                |alemán|italiano|portugués|idiomas|es)
            (nací|me crié|crecí|me mudé|nos mudamos|me he mudado|nos hemos mudado|me trasladé)
            (mi apellido|mi profesión|mi trabajo|mi dirección|mi número|mi teléfono|mi correo|mi talla|mi signo
                |mi cumple|mi dni|mi altura) (es|era|son)
            (mido|peso|calzo|uso la talla) (un |una |el )?\w+
            (me han ascendido|me ascendieron|he cambiado de trabajo|cambié de trabajo|empecé a trabajar
                |he empezado a trabajar|he montado|monté|he abierto|abrí)
        """,
        "person": rf"""
            (tengo|tenemos|adopté|adoptamos|hemos adoptado|he adoptado|esperamos
                |estamos esperando) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            {MINE} ~ se (llama|llaman)
            (soy|somos) (la |el )?(madre|padre|abuela|abuelo|tía|tío|madrina|padrino) de
            (estoy|está) embarazada
        """,
        "preference": rf"""
            (me|nos) (encanta|encantan|gusta|gustan|apasiona|apasionan|chifla|flipa|fascina|fascinan|disgusta
                |repugna|aburre|aburren|pirra|vuelve loc[ao]|vuelven loc[ao])
            (no|nunca|jamás) (me|nos) (gusta|gustan|ha gustado|han gustado|va|van|agrada)
            (odio|detesto|adoro|prefiero|amo|no soporto|no aguanto|no trago|no me gusta|disfruto|soy fan
                |soy muy fan|soy un fan|soy una fan|soy adict[ao]|soy aficionad[ao]|soy más de|soy de (los|las) que
                |soy madrugador*|soy noctámbul[ao]|soy muy de|paso de)
            (mi|mis|nuestro|nuestra) (\w+ )?(\w+ )?(favorit[ao]s?|preferid[ao]s?|afición|pasatiempo|hobby|pasión)
            (suelo|solemos|acostumbro|tengo la costumbre|tengo por costumbre)
            (nunca|siempre|jamás|casi nunca|casi siempre) (me |nos |la |lo )?(como|bebo|tomo|desayuno|ceno|veo|leo
                |escucho|uso|voy|hago|llevo|compro|duermo|salgo|viajo|pago|cocino|trabajo|echo|pongo|pido|corro)
            (tomo|bebo|desayuno|como|ceno|corro|nado|leo|voy|salgo|hago|entreno|camino|medito|me levanto
                |me acuesto|juego|vamos|quedo|madrugo|cocino) ~ (siempre|todos los|todas las|cada|a diario
                |por las mañanas|por las noches|los (fines|lunes|martes|miércoles|jueves|viernes|sábados|domingos)
                |sin azúcar|sol[ao]|veces (por|a la)|antes de)
            (todos los|todas las|cada|los) ({DAYS}|días|mañana|mañanas|noche|noches|fines de semana|semana|verano
                |año|tarde) ~ (voy|vamos|corro|nado|juego|salgo|hago|tengo|entreno|leo|quedo|como|cocino|me|nos)
            (no fumo|no veo la tele|no leo|no bailo|no conduzco|madrugo)
        """,
        "possession": rf"""
            (tengo|tenemos|conduzco|uso|utilizo|llevo|me he comprado|me compré|he comprado|compré|compramos
                |hemos comprado|heredé|he vendido|vendí|vendimos|acabo de comprar|me regalaron|alquilo|alquilamos
                |estrené) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            (toco|aprendo a tocar|estoy aprendiendo a tocar) (el|la|los|las|un|una)? ?(\S+ )?(guitarra|piano
                |violín|batería|bajo|flauta|saxo*|trompeta|acordeón|ukelele|chelo|violonchelo|clarinete|gaita|arpa
                |cajón|teclado)
            (programo|trabajo con|desarrollo|uso|utilizo|edito|escribo) (\S+ )?(\S+ )?(en|con)? ?(python|java*
                |rust|php|c\+\+|linux|windows|mac|excel|photoshop|figma|go|kotlin|swift|ruby|react|r|matlab|notion
                |obsidian|vim|emacs|ubuntu|android)
            (programo|colecciono|fotografío)
            trabajo con (un|una|mi)
            (mi|nuestro|nuestra) (\S+ )?{THINGS} (es|tiene|son|está)
            (he vendido|vendí|vendimos|hemos vendido|cambié|he cambiado) (el|la|mi|nuestro|nuestra|de)
        """,
        "project": rf"""
            (estoy|estamos|ando) (\S+ )?(escribiendo|preparando|montando|construyendo|reformando|planeando
                |organizando|desarrollando|aprendiendo|entrenando|ahorrando|restaurando|rodando|grabando|creando
                |haciendo (una|un|la|el) (tesis|tfg|tfm|app|web|curso|reforma|proyecto|máster|documental))
            (escribo|preparo|estudio|entreno|ahorro|me preparo|nos preparamos|ahorramos) (\S+ )?(\S+ )?(tesis
                |oposi*|novela|libro|maratón|para|examen|carnet|boda|tfg|tfm)
            (en|el|para|a partir de|antes de|a finales de|a principios de|este|esta|la) (\S+ )?(\S+ )?({MONTHS}
                |próxim[ao]|que viene|año|{DAYS}|\d+ de \w+) ~ (me mudo|nos mudamos|me caso|nos casamos|empiezo
                |empezamos|voy a|vamos a|tengo|tenemos|me voy|nos vamos|viajo|viajamos|me operan|opero|defiendo
                |entrego|vuelo|quiero|queremos|abro|abrimos|cumplo|corro|me jubilo|estreno)
            (me mudo|nos mudamos|me caso|nos casamos|me voy|nos vamos|voy a|vamos a|quiero|queremos|pienso
                |pensamos|tengo pensado|planeo|planeamos|empiezo|viajo|viajamos|tengo que entregar|me operan|vuelo
                |me jubilo) ~ (en ({MONTHS})|el año que viene|el mes que viene|el próximo \w+|la próxima \w+
                |la semana que viene|este (año|verano|otoño|invierno)|esta primavera|antes de|en \d{{4}}|el \d+ de \w+
                |a finales de|a principios de)
            (mi|nuestro) (objetivo|meta|plan|propósito|sueño|proyecto) (es|para|de)
            (tengo|tenemos) (\S+ )?(cita|examen|entrevista|boda|operación|revisión|juicio|vuelo|reunión|oposición
                |presentación|médico|dentista|consulta|defensa) ~ (el|la|en|a las|con)
            (me caso|nos casamos|me he apuntado|me apunté|nos hemos apuntado|me he matriculado|me matriculé)
            (quiero|queremos|me gustaría|intento|estoy intentando|pretendo) (aprender|dejar de|adelgazar
                |perder \S+ kilos|bajar de|correr (un|una)|montar|abrir|comprar (una|un) (casa|piso)|sacarme|mudarme
                |escribir (un|una) (novela|libro))
            (la boda|mi boda|nuestra boda|la mudanza|el examen|la entrega|la operación|mi operación|mi vuelo
                |mi cita) (es|será|son)
        """,
        "event": r"""
            (aprobé|he aprobado|suspendí|gané|he ganado|me gradué|me casé|nos casamos|nos hemos casado
                |tuve un accidente|perdí|me despidieron|me han despedido)
        """,
    },
    slots={
        "name": r"""
            (me llamo|mi nombre es|mi nombre completo es) VALUE
        """,
        "age": r"""
            (tengo|cumplo|cumplí|he cumplido) (ya |ahora )?(\S+ y )?\S+ años$
            (tengo|cumplo|cumplí|he cumplido) (ya |ahora )?\S+ años (y|recién|,)
            tengo \d+ años
        """,
        "birthday": r"""
            (mi cumpleaños|mi cumple)
            (cumplo años|cumplo \S+ el|cumplo \S+ en)
        """,
        "home": r"""
            (vivo|vivimos|resido|residimos) (\S+ )?(\S+ )?(en|cerca de|a las afueras de) VALUE
            (me mudé|me he mudado|nos mudamos|nos hemos mudado) a VALUE
        """,
        "origin": r"""
            (soy|vengo|somos) (originaria |originario |originalmente )?de VALUE
        """,
        "employer": r"""
            trabajo (\S+ )?(\S+ )?(en|para) VALUE
        """,
        "job": rf"""
            (trabajo de|trabajo como) VALUE
            (soy) (un |una )?{JOBS}
        """,
        "diet": r"""
            (soy|me he hecho|me hice|somos) (\S+ )?(vegetarian[ao]|vegan[ao]|pescetarian[ao])
        """,
        "car": r"""
            (conduzco|tengo|me he comprado|me compré) (\S+ )?(\S+ )?(\S+ )?(coche|seat|ibiza|renault|clio|peugeot
                |citroën|ford|toyota|kia|hyundai|dacia|opel|corsa|nissan|fiat|volkswagen|tesla|bmw|audi|mercedes|mazda
                |skoda)
        """,
        "form of address": r"""
            (llámame|llamame|puedes llamarme|dime|decime) (solo |simplemente |por favor )?VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (vegetarian[ao]|vegan[ao]|halal|kosher|prohibid[ao]|enferm[ao]|rodillas?|espalda|corazón|medicación
                |pastillas|tensión|ayuno|mareos?|como mucho|máximo|no puedo|no debo|miedo|sin (gluten|azúcar|lactosa
                |carne|sal))
            {ILL}
            (presupuesto|dolor|lesión|diagnóstico|miedo|fobia)
        """,
        "identity": r"""
            (trabajo|estudio|nací|años|soy de|vengo de|doy clases|dirijo|turno|casad[ao]|divorciad[ao]|solter[ao]
                |zurd[ao]|lengua materna|nacionalidad|prácticas|media jornada|jornada|departamento|empresa|colegio
                |instituto|clínica|hospital|ayuntamiento|asociación|voluntari[ao]|vivo|mudado)
            (profesión|carrera|oposición|empresa|universidad|instituto|colegio|hospital|turno|antigüedad|vacaciones)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (como|bebo|tomo|escucho|leo|veo|cocino|corro|nado|bailo|viajo|duermo|fumo|pinto|dibujo|canto|tejo|coso
                |escalo|pesco|medito|encanta|gusta|odio|prefiero|levanto|acuesto|evito|café|té|música|deporte|yoga
                |novelas|series|películas|comida)
            (como|bebo|tomo|leo|escucho|veo|juego|corro|nado|cocino|salgo|duermo|desayuno|ceno|fumo)
        """,
        "possession": rf"""
            (tengo|conduzco|uso|toco|llevo gafas|alquilo|crío|colecciono|restauro|programo|móvil|fairphone|samsung
                |caravana|suscripción|gafas|lentillas|máquina de coser|acuario|abejas|gallinas|huerto|patinete)
            {THINGS}
        """,
        "project": r"""
            (aprendo|aprendiendo|preparo|preparando|entreno|entrenando|ahorro|ahorrando|estudiando|opositando|mudo
                |caso|construyendo|reformando|organizo|organizando|carnet|curso|clases de|maratón|media maratón
                |examen*|oposi*|tesis|tfg|tfm|libro|novela|vuelo|operación|antes de|para (enero|verano)|en (enero
                |febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|este verano
                |el año que viene|el mes que viene|próxim[ao]|a partir de (enero|febrero|marzo|abril|mayo|junio|julio
                |agosto|septiembre|octubre|noviembre|diciembre))
            (proyecto|objetivo|meta|plan|boda|mudanza|examen|tesis|oposición|cita)
        """,
    },
    lasting=rf"""
        (siempre|nunca|jamás|normalmente|generalmente|habitualmente|sobre todo|principalmente|toda la vida
            |toda mi vida|a diario|de toda la vida|desde siempre|casi todos|de pequeñ[ao]|desde pequeñ[ao]
            |desde niñ[ao])
        (todos los|todas las|cada) \w+
        (desde hace|hace \S+ años|desde los \S+|desde \d{{4}}|desde que|llevo \S+ años|llevo años|desde ({MONTHS}))
        los {DAYS}
    """,
    passing=r"""
        (ahora mismo|en este momento|hoy|esta noche|esta tarde|esta mañana|ayer|anoche|anteayer|mañana por
            |acabo de|hace un rato|hace un momento|un momento|en seguida|esta semana|justo ahora|hace poco)
    """,
    blockers=r"""
        (si|ojalá|como si) (yo )?(fuera|fuese|tuviera|tuviese|viviera|pudiera|pudiese|hubiera|hubiese|supiera
            |trabajara|estuviera|quisiera|me|nos|viviese)
        \w+(aría|ería|iría|aríamos|eríamos|iríamos)
        (ojalá|me preguntaba|me pregunto|no sé si|supongamos|imagina|imagínate|digamos que|quién sabe
            |estoy pensando si|dudo si)
        (dice|dijo|decía|dicen|contó|me ha dicho|me dijo|ha dicho|asegura|afirma|según|suelta|soltó)( que| ~:|:)
        (cuento|novela|relato|poema|historia|canción|guion|película|obra|videojuego) (en|donde|sobre|que|de)
        (estoy|ando|estamos) buscando
        (busco|buscamos|necesito) (un|una|algún|alguna|ideas|ayuda|el|la|consejo|recomendaciones|que me|saber)
        (broma|es broma|en broma|ironía|soñé|he soñado|en el sueño)
        (se me ha olvidado|se me olvidó|no encuentro)
    """,
    requests=r"""
        ^(por favor,? |oye,? |hola,? |vale,? |y |ok,? |bueno,? )*(escríbeme|escribe|escribime|hazme|haz|dame|dime
            |explícame|explica|ayúdame|traduce|tradúceme|búscame|busca|cuéntame|cuenta|recomiéndame|recomienda|resume
            |resúmeme|corrige|calcula|prepárame|redacta|redáctame|genera|crea|enséñame|sugiéreme|compara|haceme|pásame
            |contesta|responde|ponme|muéstrame|mándame|convierte|revisa|analiza|lista|enumera)
        ^(¿|puedes|podrías|sabes|conoces|me puedes|me podrías|me ayudas|me recomiendas|crees|es posible|hay|qué
            |cómo|cuándo|dónde|cuál|cuáles|cuánto|cuánta|cuántos|cuántas|quién|por qué)
    """,
    play=r"""
        (eres|sos|serás) (ahora )?(un|una|mi|el|la) \w+ ~ (yo soy|yo seré|y yo|empieza|empezamos)
        (ahora eres|ahora sos|haz como si|finge|fingí|imagina que|imagínate que|juego de rol|juguemos|haz de
            |actúa como|hagamos como)
        (escribe|escríbeme|inventa|cuéntame|cuenta|haz|hazme|compón) (un|una) (\S+ )?(cuento|poema|historia|relato
            |canción|chiste|diálogo|escena|monólogo|discurso|novela)
        (escribiendo|escribo|escribí|he escrito) (un|una|mi) (\S+ )?(cuento|novela|relato|historia|poema|guion
            |obra) (en|donde|sobre|que|de)
    """,
    private=r"""
        (no (lo )?recuerdes|no guardes|no lo guardes|no anotes|entre nosotros|entre tú y yo|olvida (esto|eso
            |lo que)|en confianza|no memorices|no te acuerdes)
        (ignora|olvida|descarta) ~ (instrucciones|reglas|prompt|indicaciones)
    """,
    paste=r"""
        (traduce|tradúceme|corrige|corrígeme|mejora|resume|resúmeme|reescribe|revisa|reformula|texto|frase|correo
            |párrafo|carta|mensaje)
    """,
    over=r"""
        (ya no|ya nunca|he dejado de|dejé de|dejamos de|hemos dejado de|ha dejado de|dejó de|nunca más)
        (vendí|he vendido|vendimos|hemos vendido|vendió|me despidieron|me han despedido|dimití|renuncié|lo dejé
            |lo he dejado|rompí con|me divorcié|nos separamos|murió|ha muerto|falleció|cancelé|he cancelado|di de baja
            |se acabó)
    """,
    change=r"""
        (ahora|actualmente|desde hace poco|últimamente|en vez de|en lugar de|he cambiado|cambié|hemos cambiado
            |me he mudado|me mudé|nos mudamos|se ha mudado|se mudó|corrección|perdón|en realidad|me equivoqué
            |nuev[ao]s?|por fin)
    """,
    present=r"""
        (soy|estoy|tengo|vivo|trabajo|estudio|hago|voy|uso|juego|toco|como|bebo|prefiero|suelo|puedo|tomo|corro
            |leo|escucho|conduzco|llevo|hablo|salgo|duermo|cocino|nado|programo|colecciono|cuido|doy|evito|aprendo
            |preparo|entreno|ahorro|ando|monto|pinto|canto|escribo|viajo|practico|padezco|sufro|desayuno|ceno|fumo
            |pago|gano|pertenezco|participo|colaboro|dirijo|enseño|imparto|gestiono|llevamos|somos|estamos|tenemos
            |vivimos|vamos|hacemos|usamos|queremos|esperamos)
        (me|nos) (\w+)
        (mi|mis|nuestro|nuestra|nuestros|nuestras) (\S+ )?(\w+ )?(es|son|está|están|tiene|tienen|se llama|empieza|va)
        en mi (casa|familia|trabajo|empresa)
    """,
    vague=r"""
        (pregunta|problema|idea|hambre|sed|ganas|tiempo|error|gracias|perdón|razón|ayuda|impresión|cansad[ao]
            |content[ao]|feliz|triste|enfadad[ao]|segur[ao]|list[ao]|sorprendid[ao]|decepcionad[ao]|de camino|en casa
            |en el tren|en el bus|tarde|atasco|perdid[ao]|liad[ao]|aburrid[ao])
        (creo|pienso que|espero|entiendo|sé|veo que|busco|necesito|quería|quisiera|estaba|tenía|fui|era|acabo|digo
            |te mando|me parece|me alegro|me gustaría|me pregunto|no encuentro)
    """,
    past=r"""
        (he|hemos|ha|han) \w+(ado|ido|to|cho)
        \w+(é|aste|ó|aron|ieron|imos ayer)
    """,
)
