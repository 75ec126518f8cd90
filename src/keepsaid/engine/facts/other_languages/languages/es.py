"""Spanish."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

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

START = (
    r"(^|(?<=[-,:;–—(¡] )|(?<= y )|(?<= que )(?<=así que )|(?<= conque ))((y|pues|entonces|pero|por favor|porfa|porfi"
    r"|porfis|plis"
    r"|vale|ok|bueno|oye|oiga|ah|hola|eso sí|además|también|por cierto|importante|una cosa|otra cosa|venga|anda"
    r"|gracias|che"
    r"|mira|mejor|una cosita|por lo demás|te pido que|le pido que|así que|se lo ruego|te lo ruego|ojo),? ){0,4}"
)
"""The beginning of a clause, and the function words before its first content word."""
AR = (
    r"(us|utilíz|utilíc|emplé|contést|hábl|explíc|explíqu|muéstr|mostr|pregúnt|empiéz|empiéc|empez|comiénz|termín"
    r"|calcúl|evít"
    r"|recuérd|record|cít|fírm|cuént|cont|indíc|indíqu|señál|márc|márqu|subráy|líst|enumér|ordén|agrég|agrégu|complét"
    r"|quít"
    r"|elimín|sált|déj|pás|envi|mánd|búsc|búsqu|mencion|nómbr|llám|trát|tuté|avís|alért|compár|justifíc|justifíqu"
    r"|redáct|acórt|simplifíc|simplifíqu|adápt|ajúst|tóm|procúr|intént|asegúr|limít|cámbi|revís|compruéb|verifíc"
    r"|verifíqu"
    r"|dibúj|cre|genér|prepár|invént|coment|critíc|critíqu|felicít|aním|motív|ayúd|revél|destríp|spoile|desvél|adelánt"
    r"|recomiénd|aconséj|ahórr|guárd|anót|apúnt|añad|redondé|hál|multiplíc|salúd|despid|regáñ|apláud|alárg|ampli|detáll"
    r"|profundíz|present|formúl|planté|bás|enfóc|enfóqu|valór|repas|aclár|desarróll|organíz|organíc|planific|planifiqu"
    r"|separ|agrup|colóc|colóqu|expres|anunci|notific|notifíqu|ocúlt|reemplaz|reemplac|júzg|júzgu|felicit|consult"
    r"|termin|apart|rebáj"
    r"|cíñ|fij|lanz|acompáñ|sáqu|sác|llév|deletré|conjug|pronúnci|cocín|rellén|cárg|molést|interrúmp|perdón|cort)"
)
"""Stems of verbs in -ar for what an assistant can be asked to do, with the accent that an attached pronoun adds."""
ER = (
    r"(respónd|escríb|resúm|tradúc|tradúzc|añád|incluy|incluí|conviért|convért|sugiér|sugér|propón|propong|propon"
    r"|ofréc|ofrézc|omít"
    r"|corríj|corríg|correg|díg|hág|póng|pong|vuélv|volv|mantén|manténg|téng|expón|describ|descríb|elíj|elíg|escog"
    r"|escój"
    r"|lé|tráig|tráe|repít|repet|sígu|síg|permít|insíst|introdúzc|introdúc|despíd|divíd|mid|adviért|prefiér|conclúy"
    r"|construy"
    r"|suprím|distíng|distingu|entiénd|inclúy|descubr|conced|mét|met|reduzc|redúc|convenz|recoj)"
)
IMPERATIVES = (
    rf"(({AR}(a|á|e|é|en)|{ER}(e|é|í|a|an)|di|haz|hac[eé]|pon|sal|ve|ven|ten|sea|sean|séame|hága|pónga|díga|tenga|vaya"
    r"|da|dame|deme|déme|dime|decí|decime|sé(?= (más|muy|siempre|lo más|breve|claro|clara|direct[oa]|sincer[oa]"
    r"|honest[oa]|concis[oa]|crític[oa]"
    r"|dur[oa]|franc[oa]|\w+ conmigo))|mantén|propón|expón|ponme|hazme|olvida|olvide|olvídate)"
    r"(me|nos|te|se)?(lo|la|los|las|le|les)?)(?![\w'-])(?! (yo|él|ella|mi|mis|nuestro|nuestra)\b)"
)
NEGATED = (
    rf"((me |nos |lo |la |le |los |las |te |se |les ){{0,3}}({AR}(es|e|és|en)|{ER}(as|a|ás|an)|vay(a|as)|seas?|des"
    rf"|estés|esté|pidas|pida"
    r"|pienses|piense|enseñes|enseñe|asumas|asuma|supongas|suponga|regañes|riñas|hagas|haga))(?= |$|,)"
)
YOU = (
    r"((me|nos) (?!gust|encant|apetec|llam|llev|qued|sient|va\b|dan\b|pas|parec)\w+(s|n|a|e)|(tú|vos|usted|tienes que"
    r"|tiene que|debes|debe|deberías|puedes|puede|has de|ha de) \w+)"
)
FUTURE = (
    r"((de|desde) (ahora|aquí|hoy|este momento) en (adelante|más)|a partir de (ahora|hoy|ya|este momento|aquí)"
    r"|desde (ahora|ya|hoy|este momento)"
    r"|en adelante|en el futuro|en lo sucesivo|de ahora en más|de una vez por todas|de una vez y para siempre"
    r"|para siempre"
    r"|para el futuro|de aquí en más|las próximas veces|para las próximas|a futuro|para la próxima y siempre"
    r"|de ya en adelante)"
)
ALWAYS = (
    r"(siempre|nunca|jamás|nunca más|nunca jamás|cada vez|por defecto|sistemáticamente|por norma( general)?"
    r"|por sistema|todas las veces"
    r"|en todo momento|en todos los casos|bajo ningún concepto|en ningún caso|de ninguna manera|sin excepción"
    r"|automáticamente"
    r"|como norma|como regla|en general|por lo general|de ningún modo|ni una vez|constantemente"
    r"|de forma predeterminada|invariablemente"
    r"|por principio)"
)
OUTPUT = (
    r"((respuesta|receta|resumen|resúmene|traduccion|traducción|traduccione|explicación|explicacione|lista|tabla"
    r"|texto|propuesta|sugerencia|consejo"
    r"|correo|carta|mensaje|precio|tarifa|importe|cantidad|cantidade|medida|unidad|unidade|temperatura|peso|cifra"
    r"|número|fecha|hora|horario|distancia"
    r"|ejemplo|código|script|test|examen|exámene|cuestionario|ejercicio|pregunta|plan|plane|programa|rutina|ruta"
    r"|itinerario|camino|instruccione"
    r"|recomendación|recomendacione|chiste|poema|historia|cuento|título|fuente|enlace|cita|término|palabra|anglicismo"
    r"|resultado|fórmula|cálculo|menú"
    r"|acta|borrador|borradore|comentario|corrección|correccione|definición|definicione|nota|moneda|dirección|nombre"
    r"|tono|estilo|idioma|gráfico|gráfica"
    r"|diagrama|presentación|presentacione|diapositiva|párrafo|frase|análisi|comparación|comparacione|crítica|opinión"
    r"|opinione|info|información|excursión"
    r"|viaje|película|peli|libro|serie|ingrediente|ración|racione|porción|porcione|caloría|talla|sigla|abreviatura"
    r"|solución|solucione|paso|síntesi|ficha"
    r"|idea|comida|plato|entrenamiento|sesión|sesione|clase|lección|leccione|dictado|adivinanza|imagen|imágene"
    r"|duración|presupuesto|marcador|noticia"
    r"|diálogo|vocabulario|compra|tutorial|tutoriale|post|estimación|referencia|conversión|conversione|dosi|email"
    r"|mail|mapa|comparativa|esquema|hotel|hotele"
    r"|restaurante|quiz|demostración|operación|operacione|kilómetro|dinero)(s)?)"
)
"""What an assistant produces, or what occurs in it."""
MANNERS = (
    r"(emojis?|emoticonos?|emoticones|caritas|spoilers?|spoileres|destripes|listas?|viñetas|rodeos|exclamaciones"
    r"|signos de exclamación|negritas?|tecnicismos"
    r"|anglicismos?|tablas?|jerga|ironías?|sarcasmos?|chistes?|bromas?|muletillas|coletillas|frases (hechas|vacías"
    r"|de relleno|largas|motivadoras)|relleno|paja"
    r"|cumplidos|halagos|piropos|disculpas|peloteo|adulación|adulaciones|fórmulas de cortesía|cortesías|formalismos"
    r"|formalidades|introducciones|introducción"
    r"|conclusiones|preámbulos|despedidas|saludos|enlaces|links|publicidad|anuncios|cursivas?|títulos|markdown"
    r"|guiones|paréntesis|metáforas|comparaciones"
    r"|moralinas?|sermones|sermón|moralejas|advertencias|avisos|superlativos|adverbios|asteriscos|repeticiones"
    r"|lenguaje inclusivo|siglas|abreviaturas"
    r"|palabrotas|tacos|clichés|tópicos|diminutivos|adornos|florituras|preguntas (al final|de vuelta|retóricas)"
    r"|notas al pie|hashtags|corazones|parrafadas?"
    r"|rollos?|tochos?|mayúsculas|palabras (en inglés|raras|complicadas)|condescendencia|consejos no pedidos"
    r"|divagaciones|textos largos|usted|drama|dramas)"
)
"""What people do not want in any answer."""
CONDITION = (
    r"(si|cuando|en caso de que|en el caso de que|si acaso)(?! (puedes|quieres|tienes|sabes|puede|quiere|tiene|sabe"
    r"|no te|no le|te va|te parece|es posible"
    r"|hace falta|te apetece|conoces|estás|podés|querés|tenés|eso|esto|fuera|fuese|hubiera|no funciona|acabas"
    r"|terminas|termines|acabes)\b)"
    r"(?![^,]* (mañana|hoy|esta noche|esta tarde|termines|acabes)\b)"
)
EVERY_TIME = (
    r"((cada vez|siempre|todas las veces|toda vez|las veces) que |(en cuanto|tan pronto como|nada más|apenas|a la que) "
    r"|(a|en|con|para|por|tras) (cada|todos los|todas las) |antes de (cada )?|al (?!final)\w+(ar|er|ir)(me|te|le"
    r"|nos)? )"
)
WISH = (
    r"(quiero|quisiera|querría|prefiero|preferiría|me gustaría|necesito|te pido|le pido|os pido|agradecería"
    r"|te agradecería|le agradecería|me encantaría|deseo"
    r"|espero|exijo|ojalá|me vendría bien|sería (\w+ )?(bueno|genial|ideal|estupendo|mejor)|estaría (bien|genial"
    r"|bueno)|te ruego|le ruego|me iría bien|hace falta"
    r"|es importante|me interesa|me viene (bien|mejor)|conviene|pretendo|te agradezco|le agradezco|me conviene"
    r"|te encargo)"
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
    instruction=rf"""
        {START}{FUTURE},?(?! (yo|él|ella|ellos|nosotros|mi|mis|nuestro|nuestra|voy|vamos|iré|tengo|tenemos|trabajo
            |vivo|estoy|hay|será|es|soy)\b)(?! ((me |nos )?(?!solo|sólo|todo|cuando|no\b|lo\b|quiero|prefiero
            |necesito)\w+o(?<!lo)\b|(me |nos )?\w+mos\b|(el|la|los|las) \w+ (es|son|será|abre|cierra|va)\b))
        {START}({IMPERATIVES}|{YOU}|no {NEGATED}|((los|las|tus|mis|el|la|todos los|todas las) )?{OUTPUT}|sin|nada de
            |que) (\S+ ){{0,10}}?{FUTURE}
        {WISH} (\S+ ){{0,10}}?{FUTURE}
        {START}{IMPERATIVES} ((?!yo\b|que\b|qué\b|si\b|quién|cómo|por qué)\S+ ){{0,9}}?{ALWAYS}
        {START}(no|nunca|jamás|nunca jamás|nunca más|que no|que nunca|ni|tampoco|siempre que no) ((vuelvas? a|vuelva a
            |volváis a|se te ocurra|se le ocurra|tienes que|hace falta que
            |quiero que) )?{NEGATED}( (\S+ ){{0,9}}?({ALWAYS}|más|a menos que|salvo que|si no te|sin que|{MANNERS}
            |en tus|en sus))
        {START}(y |pero )?(nunca|jamás|nunca jamás|nunca más|que nunca|que jamás|bajo ningún concepto
            |en ningún caso) {NEGATED}
        (nunca|jamás|no) (me )?(uses|utilices|respondas|contestes|escribas|pongas|hagas|des|mandes|envíes|digas|llames
            |recomiendes|sugieras|propongas|ofrezcas|hables|tutees|preguntes|repitas|añadas|incluyas|empieces|termines
            |menciones|expliques|traduzcas|corrijas)
        {START}siempre {IMPERATIVES}
        {START}siempre (me )?({AR}(a|á|as|es)me|{ER}(e|é)me)
        {START}siempre (en|con|sin|a|al|de|por|para|primero|antes|menos de|como máximo) (?!mi|casa|nosotros|mí\b)\w+
        {START}(no |nunca |jamás |siempre )(me |nos )?\w+(ar|er|ir)(me|nos|lo|la|los|las|le|se|melo)? (?!mucho
            |más de)\w+
        ^(no )?{AR}ar(me|lo|la|los|las)? (\S+ ){{0,6}}?{ALWAYS}
        (deja de|deje de|dejá de|no vuelvas a|no vuelva a|para de|basta de|evita|evite) (\w+|llamarme|usar|poner)
        ^(y |para |en |con |a |las |los |el |la |mis |tus |sus |todas las |todos los ){{0,3}}{OUTPUT}( (?!es|son|está
            |están|me|no|era|va|han|ha|se)[^ ]+){{0,4}}?,? (siempre|nunca|jamás|por defecto|por norma( general)?
            |por sistema|sistemáticamente|como norma|sin excepción|cada vez|en todo caso)(,| )(?! ?(me|nos|se|les?|he
            |ha|han|est\w+|son|es|tienen?|salen?|eran?|fueron|quedan?|parecen?|duran?|cuestan?|llegan?|llevan?|vienen?
            |van?)\b) ?\w+
        {START}((nunca|jamás|nunca más|y|que) )*(nunca|jamás|sin|nada de|ni|cero|fuera|basta de|no más|ningún|ninguna
            |stop|evita los|evita las|prohibidos los|prohibidas las|no a los|ni un solo|se acabaron los
            |se acabaron las|no quiero|no quiero más|no me gustan los|no me gustan las) (\w+ )?{MANNERS}
        (en tus respuestas|tus respuestas|en las respuestas|en tus mensajes|en sus respuestas|sus respuestas
            |tus explicaciones|sus explicaciones)
        {START}{EVERY_TIME}[^.]{{4,110}}?, (por favor,? |porfa,? |entonces |pues |mejor ){{0,3}}{IMPERATIVES}(?= |$|,)
        {START}{EVERY_TIME}(me |te |nos |\w+[ae]s |aparezca|salga|haya|hable|escriba|diga
            |surja)[^.,]{{4,90}} {IMPERATIVES}(?= |$|,)
        {START}{EVERY_TIME}[^.,]{{4,90}}, (por favor,? )?((me|nos) (?=\w+[sn]\b)|no {NEGATED}|nunca {NEGATED}|que
            |quiero que|tienes que|hay que|debes|siempre|sin|nada de) ?\w*
        (siempre que|cada vez que|cuando) (te )?(pida|pregunte|pegue|mande|envíe|escriba|hable|diga|pase|comparta
            |consulte)
        {START}{CONDITION} [^.]{{4,110}}?, ((por favor,?|entonces|pues|me|lo|la|mejor|primero) ){{0,3}}({IMPERATIVES}
            |no {NEGATED}|nunca|jamás|siempre {NEGATED}|(no )?(me|nos) (?!gust|qued|voy|encant)\w+(s|n)
            |(no )?quiero que|sin {MANNERS}|nada de|que (no |nunca |siempre |sea|sean|tenga|lleve)|tienes que|debes
            |hay que)(?= |$|,)
        {START}{CONDITION} (salga?n?|aparezca?n?|surja?n?|haya|se (hable|mencione|trate)|hablemos|hablamos|sale
            |aparece|surge|mencion[oe]|hay|toque) [^.]{{3,80}} {IMPERATIVES}(?= |$)
        {START}{CONDITION} (me |nos |le |te )[^.]{{4,110}}(siempre|nunca|jamás|como (mucho|máximo)|máximo|al menos
            |por lo menos|tiene que|tienen que|debe|deben|debería|deberían|quiero que|prefiero)
        {START}{IMPERATIVES} [^,;:]{{0,80}},? (cada vez que|siempre que|en cuanto|todas las veces que|en cada
            |antes de (cada|darme|responder|escribir)|cuando (te|me|aparezca|salga|haya|hable|hablemos|escriba|diga|se
            |surja)|si (te|me|aparece|sale|hay|se habla|hablo|digo))(?![^,]*(mañana|termines|acabes|hoy))
        (llámame|llamame|llámeme|puedes llamarme|puede llamarme|podés llamarme|decime|tutéame|tutéeme|tuteame
            |háblame de (tú|usted|vos)|hábleme de (tú|usted|vos)|trátame de|trátame|tráteme|dime (?!qué|cómo|cuál|si
            |dónde|cuándo|que|como|cual|cuando|donde|un|una|algo|tu|lo|los|las|el|la|más|otra|otro|por|en|de
            |quién)\w+$)
        (puedes|puede|podemos|podés|mejor|prefiero|podrías|vamos a|prefiero que
            |hay que) (me |nos )?(nos )?(\w+ )?(tutear\w*|tutees|tutee|tuteemos|hablar(me|nos)? de (tú|vos|usted)
            |tratar(me|nos)? de|llamarme|tratarme por)
        (de tú a tú|tutéame|tuteémonos|nos tuteamos|de tú,? por favor|de usted,? por favor|sin usted|apéame el)
        {START}(recuerda|acuérdate|ten en cuenta|ten presente|que no se te olvide|no olvides|apunta|anota|toma nota
            |recuerde|acuérdese|tenga en cuenta|tené en cuenta|grábate|métete en la cabeza
            |no te olvides)( siempre)?( de)?( que|:)?
        {START}(sé|sea|habla|hable|háblame|hábleme|mantente) (\S+ ){{0,5}}conmigo
        {WISH} (yo )?que ((me|no|siempre|no me|nunca|por favor|nos|te|lo|la|usted|tú|jamás),? ){{0,4}}(respond\w+
            |contest\w+|habl[ea]\w*|escrib\w+|uses?|llames?|tute\w+|trates?|des|dé|expliques?|seas?|digas?|utilices?
            |pongas?|corrijas?|(\S+ ){{0,9}}?{ALWAYS}|{ALWAYS})(?= |$|,)
        {WISH} (que )?(\S+ ){{0,3}}(siempre|nunca|jamás) (me |nos |te )?\w+(es|as|a|e)(?= |$)
        {WISH} que ((me|nos|lo|la|no|usted|tú) ){{0,3}}(?!mi\b)\w+(es|as|ras|a|e) (\S+ ){{0,6}}?{ALWAYS}
        (no|ya no|nunca|jamás) (lo |la |los |las |me )?(quiero|quisiera|querría|deseo|me gustaría|necesito
            |apetece) (volver a |nunca |jamás |más )?(leer|oír|oir|ver|escuchar|encontrar\w*|que me|recibir|saber
            |que vuelvas)(lo|la|los|las|te)?(?! a (mi|mis|nadie|ese|esa|él|ella)\b)( \S+)*? ?(más|nunca|jamás|de nuevo
            |otra vez|en tus|{MANNERS}|["«“']_+["»”'])
        no quiero volver a (leer|oír|oir|ver|escuchar|encontrar\w*)(lo|la|los|las|te)?(?! a )
        (no (lo|la|los|las) quiero) (volver a )?(leer|oír|ver|escuchar) (más|nunca)
        (no tienes que|no tiene que|no hace falta que|no es necesario que|no necesito que|no debes|no tenés que
            |tienes que|debes|tienes prohibido|puedes|podés) (\S+ ){{0,9}}?{ALWAYS}
        (respóndeme|contéstame|háblame|escríbeme|responde|contesta) (siempre |por favor )?(en|con) (español|castellano
            |inglés|catalán|frases cortas|pocas palabras)
        {START}(\w+ )?(regla|norma|consigna|principio|instrucción)( \S+){{0,4}}:
        (esto|eso) vale (para (todos|todas|cada)|siempre)
        {START}nunca (tienes|tiene|tenés) que
        (regla nueva|nueva regla|como norma|por norma|norma general)
        (siempre|nunca|jamás) en (español|inglés|castellano|euros|kilómetros|gramos|metros)
    """,
    one_off=rf"""
        (de|como) siempre
        regla de tres
        (siguiente|próxima|próximo|lo siguiente|a esta|a este|esta pregunta|esta vez|este texto|este correo
            |este mensaje|este párrafo|esta frase|solo hoy|por hoy|a continuación|de momento|por ahora|esta carta
            |esta respuesta)
        ^(por favor,? |oye,? |y )?(dime|decime) (qué|cómo|cuál|si|dónde|cuándo|cuánto|cuántos|cuántas|una|un|algo|tres
            |cinco|por|los|las|el|la|más|otra|otro|dos|en) (?!([^,]* )?(siempre|cada vez|nunca|jamás))
        (recuerda|recuerdas|te acuerdas) (cuando|qué|cómo|aquel|aquella)
        (pirata|personaje|juego de rol|haz como|finge|imagina)
        ((mi|mis|nuestro|nuestra|el|la) (\w+ )?({PEOPLE}|médic[ao]|profe\w*|entrenador\w*|casero|dentista|terapeuta)
            |él|ella) (\w+ )?(me |nos |le |se )?(\w+ )?(dice|decía|dijo|repite|pide|exige|quiere|manda|obliga|prohíbe
            |insiste)
        ^(y |pues )?(en (mi|nuestro|nuestra|la|el) (casa|trabajo|empresa|equipo|oficina|cole|colegio|familia|curro
            |escuela)|en casa|entre nosotros|nuestro|nuestra)
        (dice|decía|dijo|repite|según) (mi|mis|el|la|nuestro|nuestra)
        (sin problemas?|no hay problema|sin prisas?|no pasa nada|de nada|no te preocupes|no se preocupe|nada de nada)
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
